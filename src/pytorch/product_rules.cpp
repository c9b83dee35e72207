#include <algorithm>

#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

namespace roofline {
namespace {

bool is_matrix(const TensorArgument* tensor) {
  return tensor != nullptr && tensor->sizes.size() == 2 && tensor->type &&
         element_count(tensor->sizes) > 0;
}

DataType result_type(const TensorArgument& operand) { return *operand.type; }

std::vector<LayerSpec> linear_layer(const OperatorCall& call, std::uint64_t rows,
                                    std::uint64_t in_features, std::uint64_t out_features,
                                    DataType type, bool bias, Pass pass) {
  const Sizes input{rows, in_features};
  LayerSpec spec = named_layer(LayerKind::linear, "linear",
                               sizes_text(input) + " to " + std::to_string(out_features),
                               multiplied_type(call, type), pass);
  spec.input = whole_operand(input);
  spec.in_features = in_features;
  spec.out_features = out_features;
  spec.bias = bias;
  return {spec};
}

std::vector<LayerSpec> matmul_layer(const OperatorCall& call, const TensorArgument& a,
                                    const TensorArgument& b) {
  LayerSpec spec =
      named_layer(LayerKind::matmul, "matmul", sizes_text(a.sizes) + " by " + sizes_text(b.sizes),
                  multiplied_type(call, *a.type));
  spec.inputs = {whole_operand(a.sizes), whole_operand(b.sizes)};
  return {spec};
}

/// A product of two matrices that computes a gradient of a linear layer: grad x weight, or
/// transposed(grad) x input.
std::vector<LayerSpec> linear_backward(const OperatorCall& call, const TensorArgument& a,
                                       const TensorArgument& b) {
  const bool weight_gradient = a.is_transposed();
  const std::uint64_t rows = weight_gradient ? a.sizes[1] : a.sizes[0];
  const std::uint64_t out_features = weight_gradient ? a.sizes[0] : a.sizes[1];
  return linear_layer(call, rows, b.sizes[1], out_features, result_type(a), false,
                      weight_gradient ? Pass::wgrad : Pass::dgrad);
}

std::vector<LayerSpec> matrix_product(const OperatorCall& call, const TensorArgument* a,
                                      const TensorArgument* b, bool bias) {
  if (!is_matrix(a) || !is_matrix(b) || a->sizes[1] != b->sizes[0]) return {};
  if (call.caller("AddmmBackward0") != nullptr || call.caller("MmBackward0") != nullptr)
    return linear_backward(call, *a, *b);
  if (bias || call.caller("aten::linear") != nullptr)
    return linear_layer(call, a->sizes[0], a->sizes[1], b->sizes[1], result_type(*a), bias,
                        Pass::fwd);
  return matmul_layer(call, *a, *b);
}

std::vector<LayerSpec> mm(const OperatorCall& call) {
  return matrix_product(call, call.arguments->tensor(0), call.arguments->tensor(1), false);
}

/// (bias, a, b, ...): what is added is a vector, or a matrix as large as the result.
std::vector<LayerSpec> addmm(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* added = a.tensor(0);
  return matrix_product(call, a.tensor(1), a.tensor(2),
                        added != nullptr && added->sizes.size() == 1);
}

std::vector<LayerSpec> batched(const OperatorCall& call, const TensorArgument* a,
                               const TensorArgument* b) {
  if (a == nullptr || b == nullptr || a->sizes.size() != 3 || b->sizes.size() != 3 || !a->type ||
      a->sizes[2] != b->sizes[1] || element_count(a->sizes) == 0 || element_count(b->sizes) == 0)
    return {};
  return matmul_layer(call, *a, *b);
}

std::vector<LayerSpec> bmm(const OperatorCall& call) {
  return batched(call, call.arguments->tensor(0), call.arguments->tensor(1));
}

std::vector<LayerSpec> baddbmm(const OperatorCall& call) {
  return batched(call, call.arguments->tensor(1), call.arguments->tensor(2));
}

/// (input, weight, bias): where no product runs as an operator of its own.
std::vector<LayerSpec> linear(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* input = a.tensor(0);
  const TensorArgument* weight = a.tensor(1);
  if (input == nullptr || !is_matrix(weight) || !input->type ||
      input->sizes.back() != weight->sizes[1] || element_count(input->sizes) == 0)
    return {};
  return linear_layer(call, element_count(input->sizes) / weight->sizes[1], weight->sizes[1],
                      weight->sizes[0], *input->type, a.tensor(2) != nullptr, Pass::fwd);
}

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

/// Queries, keys and values from argument `first` on. Whether they are causal is a flag, or the
/// type of a mask, where 1 and 2 are causal ones.
std::vector<LayerSpec> attention_layer(const OperatorCall& call, std::size_t first,
                                       std::size_t causal, HeadAxis axis, Pass pass) {
  const OperatorArguments& a = *call.arguments;
  std::vector<OperandSpec> operands;
  for (std::size_t i = first; i < first + 3; ++i) {
    const std::optional<Sizes> sizes = head_sizes(a.tensor(i), axis);
    if (!sizes) return {};
    operands.push_back(whole_operand(*sizes));
  }
  if (!a.tensor(first)->type) return {};
  const Sizes& query = operands[0].sizes;
  const Sizes& key = operands[1].sizes;
  const std::string keys = key[2] == query[2] ? "" : " to " + std::to_string(key[2]);
  LayerSpec spec = named_layer(LayerKind::attention, "attention", sizes_text(query) + keys,
                               multiplied_type(call, *a.tensor(first)->type), pass);
  spec.inputs = std::move(operands);
  spec.backend = backend_of(call.name);
  // The mask follows the values, where the operator takes one there.
  spec.masked = spec.backend != AttentionBackend::flash &&
                (pass == Pass::fwd || spec.backend == AttentionBackend::efficient) &&
                a.tensor(first + 3) != nullptr;
  spec.causal = a.flag(causal).value_or(a.integer(causal).value_or(0) != 0);
  return {spec};
}

template <std::size_t Causal, HeadAxis Axis = HeadAxis::second>
std::vector<LayerSpec> attention(const OperatorCall& call) {
  return attention_layer(call, 0, Causal, Axis, Pass::fwd);
}

/// After the gradient of the result.
template <std::size_t Causal, HeadAxis Axis = HeadAxis::second>
std::vector<LayerSpec> attention_backward(const OperatorCall& call) {
  return attention_layer(call, 1, Causal, Axis, Pass::dgrad);
}

constexpr NamedRule product_table[] = {
    {"mm", mm},
    {"_int_mm", mm},
    {"_scaled_mm", mm},
    {"addmm", addmm},
    {"_addmm_activation", addmm},
    {"bmm", bmm},
    {"baddbmm", baddbmm},
    {"linear", linear},
    {"_cudnn_attention_forward", attention<10>},
    {"_scaled_dot_product_cudnn_attention", attention<6>},
    {"_flash_attention_forward", attention<8, HeadAxis::third>},
    {"_scaled_dot_product_flash_attention", attention<4>},
    {"_efficient_attention_forward", attention<9, HeadAxis::third>},
    {"_scaled_dot_product_efficient_attention", attention<6>},
    {"_cudnn_attention_backward", attention_backward<14>},
    {"_scaled_dot_product_cudnn_attention_backward", attention_backward<14>},
    {"_flash_attention_backward", attention_backward<11, HeadAxis::third>},
    {"_scaled_dot_product_flash_attention_backward", attention_backward<11>},
    {"_efficient_attention_backward", attention_backward<14, HeadAxis::third>},
    {"_scaled_dot_product_efficient_attention_backward", attention_backward<11>},
};

/// (tokens [T, H], weights [E, 2 I, H], weights [E, H, I], shares of the experts asked [T, K],
/// ...): each token goes through K of E experts, to 2 I features and from I of them back, as a
/// product with 3 I columns for the rows of each expert.
std::vector<LayerSpec> fused_experts(const OperatorCall& call) {
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

constexpr NamedRule custom_product_table[] = {
    {"_flash_attn_forward", attention<5, HeadAxis::third>},
    {"_flash_attn_backward", attention_backward<11, HeadAxis::third>},
    {"inplace_fused_experts", fused_experts},
    {"outplace_fused_experts", fused_experts},
};

}  // namespace

std::span<const NamedRule> product_rules() { return product_table; }
std::span<const NamedRule> custom_product_rules() { return custom_product_table; }

}  // namespace roofline
