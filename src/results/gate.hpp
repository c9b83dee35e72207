#pragma once

// Conditions for failing a run in continuous integration: "expected_ms > 2.5" for each network,
// "layer.share_of_bound < 0.4" for each layer.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/error.hpp"

namespace roofline {

/// A network or a layer.
struct GateSubject;

struct Gate {
  std::string text;
  bool of_layers = false;    ///< it checks each layer, else each network's total
  std::string name;          ///< field with its unit, "expected_ms"
  std::string_view meaning;  ///< the field's meaning and availability
  std::optional<double> (*value)(const GateSubject& subject) = nullptr;  ///< in base units
  double unit = 1;         ///< of the name, in base units: 0.001 for milliseconds
  std::string comparison;  ///< ">", ">=", "<" or "<="
  double limit = 0;        ///< in that unit
};

/// Syntax: "[layer.|total.]FIELD COMPARISON NUMBER".
Expected<Gate> parse_gate(std::string_view text);

struct GateFailure {
  std::size_t result = 0;
  std::optional<std::size_t> row;  ///< absent for the total
  double value = 0;                ///< in the gate's unit
};

struct GateOutcome {
  std::vector<GateFailure> failures;
  /// No known value (for a gate of layers: in any layer), which is not a pass.
  std::vector<std::size_t> unanswered;
};

/// For a gate of layers, results must have their layers. An error for a gate without a field.
/// `compares_two`: of two results, the condition is of the second one, against the first.
Expected<GateOutcome> check_gate(const Gate& gate, const std::vector<const Result*>& results,
                                 bool compares_two = false);

}  // namespace roofline
