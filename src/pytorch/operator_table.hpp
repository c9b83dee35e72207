#pragma once

// The table of PyTorch's operators: a row says what an operator is and how its sizes are read.

#include <cstddef>
#include <string_view>
#include <vector>

#include "pytorch/operator_call.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Where the arguments stand that the reader of a row asks for.
struct ArgumentPlaces {
  static constexpr std::size_t none = ~std::size_t{0};

  std::size_t input = 0;  ///< in a gradient's operator, what has the input's sizes
  std::size_t weight = 1;
  std::size_t bias = none;
  std::size_t kernel = none;
  std::size_t stride = none;
  std::size_t padding = none;
  std::size_t output_padding = none;
  std::size_t dilation = none;
  std::size_t groups = none;
  std::size_t axes = none;  ///< axes, or sizes of axes
  std::size_t flag = none;  ///< transposed, causal, training, ceil mode; the least of a clamp
};

using Layers = std::vector<LayerSpec>;

struct OperatorRow {
  /// Operators that are read alike, with blanks between them, each without "aten::" and the "_" of
  /// its in-place variant. With "::" in front it is one of any other library.
  std::string_view names;
  /// The layers that a call stands for: none where its arguments do not fit, two where it computes
  /// two gradients. Names that have "backward" in them are read as gradients.
  Layers (*read)(const OperatorCall& call, const OperatorRow& row);
  LayerKind kind = LayerKind::other;
  ArgumentPlaces at = {};
};

/// Null where the table does not have the operator.
const OperatorRow* find_operator(std::string_view name);

/// The layers of a call by its row, or else by its operands' bytes; none where neither is known.
/// `by_operands`: set where it is the latter.
Layers read_call(const OperatorCall& call, bool* by_operands = nullptr);

/// A call without a row that fits, as a layer of kind `other` that reads each of its operands once.
/// What it writes is known where it is stated, or where one operand is large and therefore written
/// in place. None where a type or the shapes of a list are unknown.
Layers operand_traffic(const OperatorCall& call);

/// Whether the operands alone say little of a call's work, so that a note has to say that they are
/// what is counted: functions of optimizers' lists, and look-ups in whole tables.
bool says_little(std::string_view operator_name);

}  // namespace roofline
