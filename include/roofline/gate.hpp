#pragma once

// Conditions under which a run fails, for whoever guards a network's speed in continuous
// integration: "expected_ms > 2.5" of each network, "layer.share_of_bound < 0.4" of each layer.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/error.hpp"

namespace roofline {

/// What a gate looks at: a network as a whole or a layer.
struct GateSubject;

struct Gate {
  std::string text;          ///< as it was written
  bool of_layers = false;    ///< it looks at each layer, else at each network's total
  std::string name;          ///< the field's with its unit, "expected_ms"
  std::string_view meaning;  ///< the field's, and where it is known
  std::optional<double> (*value)(const GateSubject& subject) = nullptr;  ///< in base units
  double unit = 1;         ///< the name's, in base units: 0.001 for milliseconds
  std::string comparison;  ///< ">", ">=", "<" or "<="
  double limit = 0;        ///< in that unit
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

}  // namespace roofline
