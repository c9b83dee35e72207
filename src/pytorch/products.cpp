#include <algorithm>

#include "pytorch/operator_readers.hpp"

namespace roofline {
namespace {

bool is_matrix(const TensorArgument* tensor) {
  return tensor != nullptr && tensor->sizes.size() == 2 && tensor->type &&
         element_count(tensor->sizes) > 0;
}

Layers linear_layer(const OperatorCall& call, const TensorArgument& from, std::uint64_t rows,
                    std::uint64_t in_features, std::uint64_t out_features, bool bias, Pass pass) {
  const Sizes input{rows, in_features};
  LayerSpec spec = named_layer(LayerKind::linear, "linear",
                               sizes_text(input) + " to " + std::to_string(out_features),
                               multiplied_type(call, *from.type), pass);
  spec.input = operand_of(from, input);
  spec.in_features = in_features;
  spec.out_features = out_features;
  spec.bias = bias;
  return {spec};
}

Layers matmul_layer(const OperatorCall& call, const TensorArgument& a, const TensorArgument& b) {
  LayerSpec spec =
      named_layer(LayerKind::matmul, "matmul", sizes_text(a.sizes) + " by " + sizes_text(b.sizes),
                  multiplied_type(call, *a.type));
  spec.inputs = {operand_of(a, a.sizes), operand_of(b, b.sizes)};
  return {spec};
}

/// A product of two matrices that computes a gradient of a linear layer: grad x weight, or
/// transposed(grad) x input.
Layers linear_gradient(const OperatorCall& call, const TensorArgument& a, const TensorArgument& b) {
  const bool weight_gradient = a.is_transposed();
  const std::uint64_t rows = weight_gradient ? a.sizes[1] : a.sizes[0];
  const std::uint64_t out_features = weight_gradient ? a.sizes[0] : a.sizes[1];
  return linear_layer(call, a, rows, b.sizes[1], out_features, false,
                      weight_gradient ? Pass::wgrad : Pass::dgrad);
}

}  // namespace

/// What is added is a vector, the bias of a linear layer, or a matrix as large as the result.
Layers matrix_product(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* a = call.arguments->tensor(row.at.input);
  const TensorArgument* b = call.arguments->tensor(row.at.weight);
  const TensorArgument* added = call.arguments->tensor(row.at.bias);
  if (!is_matrix(a) || !is_matrix(b) || a->sizes[1] != b->sizes[0]) return {};
  if (call.caller("AddmmBackward0") != nullptr || call.caller("MmBackward0") != nullptr)
    return linear_gradient(call, *a, *b);
  const bool has_bias = added != nullptr && added->sizes.size() == 1;
  if (has_bias || call.caller("aten::linear") != nullptr)
    return linear_layer(call, *a, a->sizes[0], a->sizes[1], b->sizes[1], has_bias, Pass::fwd);
  return matmul_layer(call, *a, *b);
}

Layers batched_product(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* a = typed_tensor(call, row.at.input);
  const TensorArgument* b = call.arguments->tensor(row.at.weight);
  if (a == nullptr || b == nullptr || a->sizes.size() != 3 || b->sizes.size() != 3 ||
      a->sizes[2] != b->sizes[1] || element_count(a->sizes) == 0 || element_count(b->sizes) == 0)
    return {};
  return matmul_layer(call, *a, *b);
}

/// Where no product runs as an operator of its own.
Layers linear(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* input = typed_tensor(call, row.at.input);
  const TensorArgument* weight = call.arguments->tensor(row.at.weight);
  if (input == nullptr || !is_matrix(weight) || input->sizes.back() != weight->sizes[1] ||
      element_count(input->sizes) == 0)
    return {};
  return linear_layer(call, *input, element_count(input->sizes) / weight->sizes[1],
                      weight->sizes[1], weight->sizes[0],
                      call.arguments->tensor(row.at.bias) != nullptr, Pass::fwd);
}

namespace {

/// Whether the axes of queries, keys and values are [N, heads, length, features] or [N, length,
/// heads, features].
enum class HeadAxis : std::uint8_t { second, third };

std::optional<Sizes> head_sizes(const TensorArgument* tensor, HeadAxis axis) {
  if (tensor == nullptr || tensor->sizes.size() != 4 || element_count(tensor->sizes) == 0)
    return std::nullopt;
  Sizes sizes = tensor->sizes;
  if (axis == HeadAxis::third) std::swap(sizes[1], sizes[2]);
  return sizes;
}

std::optional<AttentionBackend> backend_of(std::string_view operator_name) {
  for (const AttentionBackend backend : enumerators<AttentionBackend>)
    if (operator_name.find(name_of(backend)) != std::string_view::npos) return backend;
  return std::nullopt;
}

Layers attention_layer(const OperatorCall& call, const OperatorRow& row, HeadAxis axis) {
  const OperatorArguments& a = *call.arguments;
  const std::size_t first = row.at.input;
  std::vector<OperandSpec> operands;
  for (std::size_t i = first; i < first + 3; ++i) {
    const std::optional<Sizes> sizes = head_sizes(a.tensor(i), axis);
    if (!sizes) return {};
    operands.push_back(operand_of(*a.tensor(i), *sizes));
  }
  if (!a.tensor(first)->type) return {};
  const Sizes& query = operands[0].sizes;
  const Sizes& key = operands[1].sizes;
  const std::string keys = key[2] == query[2] ? "" : " to " + std::to_string(key[2]);
  const Pass pass = pass_of(call);
  LayerSpec spec = named_layer(LayerKind::attention, "attention", sizes_text(query) + keys,
                               multiplied_type(call, *a.tensor(first)->type), pass);
  spec.inputs = std::move(operands);
  spec.backend = backend_of(call.name);
  // The mask follows the values, where the operator takes one there.
  spec.masked = spec.backend != AttentionBackend::flash &&
                (pass == Pass::fwd || spec.backend == AttentionBackend::efficient) &&
                a.tensor(first + 3) != nullptr;
  // Causal is a flag, or the type of a mask, where 1 and 2 are causal ones.
  spec.causal = a.flag(row.at.flag).value_or(a.integer(row.at.flag).value_or(0) != 0);
  return {spec};
}

}  // namespace

/// Queries, keys and values stand one behind the other.
Layers attention(const OperatorCall& call, const OperatorRow& row) {
  return attention_layer(call, row, HeadAxis::second);
}

Layers attention_heads_third(const OperatorCall& call, const OperatorRow& row) {
  return attention_layer(call, row, HeadAxis::third);
}

/// The arguments are tokens [T, H], weights [E, 2 I, H] and [E, H, I], and the shares of the
/// experts asked [T, K]. Each token goes through K of E experts, to 2 I features and from I of them
/// back, as a product with 3 I columns for the rows of each expert.
Layers fused_experts(const OperatorCall& call, const OperatorRow&) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* tokens = a.tensor(0);
  const TensorArgument* up = a.tensor(1);
  const TensorArgument* down = a.tensor(2);
  const TensorArgument* shares = a.tensor(3);
  if (!is_matrix(tokens) || up == nullptr || down == nullptr || shares == nullptr ||
      up->sizes.size() != 3 || down->sizes.size() != 3 || !up->type ||
      up->sizes[2] != tokens->sizes[1] || down->sizes[1] != tokens->sizes[1])
    return {};
  const std::uint64_t rows = element_count(shares->sizes);
  const std::uint64_t experts = std::min(up->sizes[0], rows);
  if (experts == 0) return {};
  // Weights in fp8 are multiplied by tokens in fp8.
  const DataType type = up->type == DataType::fp8 ? DataType::fp8 : *tokens->type;
  LayerSpec spec = named_layer(LayerKind::matmul, base_name(call.name),
                               sizes_text(tokens->sizes) + " through " + std::to_string(experts) +
                                   " experts of " + std::to_string(down->sizes[2]),
                               type);
  spec.dtypes.weight = up->type;
  spec.batch = experts;
  spec.m = (rows + experts - 1) / experts;
  spec.n = up->sizes[1] + down->sizes[2];
  spec.k = tokens->sizes[1];
  return {spec};
}

}  // namespace roofline
