#pragma once

// Conditions under which a run fails, for whoever guards a network's speed in continuous
// integration: "expected_ms > 2.5" of each network, "layer.share_of_bound < 0.4" of each layer.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/error.hpp"

namespace roofline {

enum class GateComparison : std::uint8_t { above, at_least, below, at_most };

constexpr std::string_view name_of(GateComparison comparison) {
  switch (comparison) {
    case GateComparison::above: return ">";
    case GateComparison::at_least: return ">=";
    case GateComparison::below: return "<";
    case GateComparison::at_most: return "<=";
  }
  return {};
}

/// What a gate can look at: a row of the table in results/gate.cpp.
struct GateField;

struct Gate {
  std::string text;                  ///< as it was written
  bool of_layers = false;            ///< it looks at each layer, else at each network's total
  const GateField* field = nullptr;  ///< a row of the program's own table
  std::string name;                  ///< the field's with its unit, "expected_ms"
  double unit = 1;                   ///< the name's, in base units: 0.001 for milliseconds
  GateComparison comparison = GateComparison::above;
  double limit = 0;  ///< in that unit
};

/// "[layer.|total.]FIELD COMPARISON NUMBER". An error that says what was expected.
Expected<Gate> parse_gate(std::string_view text);

/// A network, or a layer of it, for which a gate's condition holds.
struct GateFailure {
  std::size_t result = 0;          ///< index in the results
  std::optional<std::size_t> row;  ///< index in its layers; absent for the total
  double value = 0;                ///< in the gate's unit
};

struct GateOutcome {
  std::vector<GateFailure> failures;
  /// Results of which the field is not known, or of layers of none of theirs: who asked has no
  /// answer, and must not take it for a good one.
  std::vector<std::size_t> unanswered;
};

/// Results must have their layers where the gate is of layers.
GateOutcome check_gate(const Gate& gate, const std::vector<Result>& results);

/// What the field means, and where it is known.
std::string_view meaning_of(const GateField& field);

}  // namespace roofline
