#pragma once

// What the rows of the table of operators name: readers, by family, and the pieces of LayerSpecs
// that they have in common. Tensors become operands of two to five sizes, as the model counts them;
// a layer's name says the shapes as they were stated.

#include <optional>
#include <string>

#include "pytorch/operator_table.hpp"

namespace roofline {

// convolutions.cpp
Layers convolution(const OperatorCall& call, const OperatorRow& row);
Layers depthwise_convolution(const OperatorCall& call, const OperatorRow& row);
Layers convolution_gradients(const OperatorCall& call, const OperatorRow& row);

// products.cpp
Layers matrix_product(const OperatorCall& call, const OperatorRow& row);
Layers batched_product(const OperatorCall& call, const OperatorRow& row);
Layers linear(const OperatorCall& call, const OperatorRow& row);
Layers attention(const OperatorCall& call, const OperatorRow& row);
Layers attention_heads_third(const OperatorCall& call, const OperatorRow& row);
Layers fused_experts(const OperatorCall& call, const OperatorRow& row);

// functions.cpp
Layers function(const OperatorCall& call, const OperatorRow& row);
Layers clamp(const OperatorCall& call, const OperatorRow& row);
Layers softmax(const OperatorCall& call, const OperatorRow& row);
Layers function_of_several(const OperatorCall& call, const OperatorRow& row);
Layers combination(const OperatorCall& call, const OperatorRow& row);
Layers comparison(const OperatorCall& call, const OperatorRow& row);
Layers dropout(const OperatorCall& call, const OperatorRow& row);
Layers filling(const OperatorCall& call, const OperatorRow& row);

// norms.cpp
Layers batch_norm(const OperatorCall& call, const OperatorRow& row);
Layers layer_norm(const OperatorCall& call, const OperatorRow& row);
Layers group_norm(const OperatorCall& call, const OperatorRow& row);
Layers rms_norm(const OperatorCall& call, const OperatorRow& row);
Layers custom_norm(const OperatorCall& call, const OperatorRow& row);
Layers fused_add_norm(const OperatorCall& call, const OperatorRow& row);

// pools.cpp
Layers pool(const OperatorCall& call, const OperatorRow& row);
Layers adaptive_pool(const OperatorCall& call, const OperatorRow& row);
Layers adaptive_pool_gradient(const OperatorCall& call, const OperatorRow& row);
Layers reduction(const OperatorCall& call, const OperatorRow& row);
Layers mean(const OperatorCall& call, const OperatorRow& row);
Layers upsample(const OperatorCall& call, const OperatorRow& row);
Layers upsample_gradient(const OperatorCall& call, const OperatorRow& row);

// movements.cpp
Layers copy(const OperatorCall& call, const OperatorRow& row);
Layers copy_of_same_size(const OperatorCall& call, const OperatorRow& row);
Layers pad(const OperatorCall& call, const OperatorRow& row);
Layers pad_gradient(const OperatorCall& call, const OperatorRow& row);
Layers gather(const OperatorCall& call, const OperatorRow& row);
Layers index_select(const OperatorCall& call, const OperatorRow& row);
Layers embedding(const OperatorCall& call, const OperatorRow& row);
Layers embedding_gradient(const OperatorCall& call, const OperatorRow& row);
Layers picked_loss(const OperatorCall& call, const OperatorRow& row);
Layers concat(const OperatorCall& call, const OperatorRow& row);
Layers rotary_embedding(const OperatorCall& call, const OperatorRow& row);
Layers write_cache(const OperatorCall& call, const OperatorRow& row);

/// Pass::dgrad where the operator's name says that it computes a gradient.
Pass pass_of(const OperatorCall& call);

/// A layer of that kind with a name that begins with `what` and these sizes.
LayerSpec named_layer(LayerKind kind, std::string_view what, const std::string& shape_text,
                      DataType type, Pass pass = Pass::fwd);

/// A layer that reads and writes one value.
LayerSpec layer_of_one_value(LayerKind kind, const OperatorCall& call);

/// A tensor whose type the model knows; null where the argument is none.
const TensorArgument* typed_tensor(const OperatorCall& call, std::size_t i);

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
