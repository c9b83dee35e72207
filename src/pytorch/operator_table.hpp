#pragma once

// The table of PyTorch's operators: a row says what an operator is and how its sizes are read.

#include <span>
#include <string_view>
#include <vector>

#include "pytorch/operator_call.hpp"
#include "roofline/spec.hpp"

namespace roofline {

using Layers = std::vector<LayerSpec>;

struct OperatorRow {
  /// Operators that are read alike, with blanks between them, each without "aten::" and the "_" of
  /// its in-place variant. With "::" in front it is one of any other library.
  std::string_view names;
  /// The layers that a call stands for: none where its arguments do not fit, two where it computes
  /// two gradients. Names that have "backward" in them are read as gradients.
  Layers (*read)(const OperatorCall& call);
  LayerKind kind = LayerKind::other;
  /// What the reader calls the arguments, by their positions in PyTorch's schemas
  /// (native_functions.yaml); "-" for those that it does not ask for.
  std::string_view arguments = "input weight";
};

// The rows of each family.
std::span<const OperatorRow> convolution_operators();
std::span<const OperatorRow> product_operators();
std::span<const OperatorRow> function_operators();
std::span<const OperatorRow> norm_operators();
std::span<const OperatorRow> pool_operators();
std::span<const OperatorRow> movement_operators();

/// Null where the table does not have the operator.
const OperatorRow* find_operator(std::string_view name);

/// The layers of a call by its row, or else by its operands' bytes; none where neither is known.
/// `by_operands`: set where it is the latter.
Layers read_call(const OperatorCall& call, bool* by_operands = nullptr);

/// Whether the operands alone say little of a call's work, so that a note has to say that they are
/// what is counted: functions of optimizers' lists, and look-ups in whole tables.
bool says_little(std::string_view operator_name);

/// Whether it reads a cache of keys and values.
bool reads_cache(std::string_view operator_name);

// The pieces of LayerSpecs that readers have in common. Tensors become operands of two to five
// sizes, as the model counts them; a layer's name says the shapes as they were stated.

/// A layer of that kind with a name that begins with `what` and these sizes.
LayerSpec named_layer(LayerKind kind, std::string_view what, const std::string& shape_text,
                      DataType type, Pass pass = Pass::fwd);

/// A layer that reads and writes one value.
LayerSpec layer_of_one_value(LayerKind kind, const OperatorCall& call);

/// The tensor as an operand of these sizes.
OperandSpec operand_of(const TensorArgument& tensor, const Sizes& sizes);

/// That tensor's elements as a tensor of other sizes, without gaps.
TensorArgument with_sizes(const TensorArgument& tensor, Sizes sizes);

/// An axis that counts from the front, or with -1 from the back; none where there is no such axis.
std::optional<std::size_t> axis_at(std::optional<std::int64_t> axis, std::size_t rank);

/// An image [N, C, positions...] with elements.
bool is_image(const TensorArgument* tensor);

/// The operands of an operator whose tensors broadcast against each other, with as many sizes each.
/// Empty where that takes more than five.
std::vector<OperandSpec> broadcast_operands(const std::vector<const TensorArgument*>& tensors);

/// The sizes that broadcasting the tensors gives.
Sizes broadcast_sizes(const std::vector<const TensorArgument*>& tensors);

/// A layer that is known by the bytes that it reads and writes, each tensor in elements of `type`.
Layers traffic_layer(const OperatorCall& call, const std::vector<const TensorArgument*>& reads,
                     const Sizes& writes, DataType type, std::uint64_t extra_byte_an_element = 0);

/// How a kernel that works element by element meets the tensors in memory: it goes in the order of
/// the first one, that of the result or of the operand whose order the result takes. None where
/// they lie alike without gaps, as most do, and where strides are not stated or the sizes differ.
std::optional<Access> access_of(const std::vector<const TensorArgument*>& tensors);

/// fp32 that ran through TF32 units is tf32.
DataType multiplied_type(const OperatorCall& call, DataType type);

}  // namespace roofline
