#include "load/trace/layer_parts.hpp"
#include "load/trace/rules.hpp"

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

/// Fused attention reads queries, keys and values once and writes a result of the queries' shape;
/// the scores stay on the chip. Its products are not counted: the model has no such layer.
std::vector<LayerSpec> attention(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* query = a.tensor(0);
  const TensorArgument* value = a.tensor(2);
  if (query == nullptr || a.tensor(1) == nullptr || value == nullptr || !query->type) return {};
  Sizes result = query->sizes;
  result.back() = value->sizes.back();
  auto layers = traffic_layer(call, {{query, a.tensor(1), value}, result}, *query->type);
  for (LayerSpec& layer : layers) layer.name = "attention " + sizes_text(query->sizes);
  return layers;
}

/// (grad, query, key, value, result, ...): writes the gradients of the three.
std::vector<LayerSpec> attention_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  std::vector<const TensorArgument*> reads;
  for (std::size_t i = 0; i < a.count() && reads.size() < 5; ++i)
    if (const TensorArgument* tensor = a.tensor(i); tensor != nullptr && tensor->sizes.size() >= 3)
      reads.push_back(tensor);
  if (reads.size() < 5 || !reads[0]->type) return {};
  std::uint64_t written = 0;
  for (std::size_t i = 1; i < 4; ++i) written += element_count(reads[i]->sizes);
  auto layers = traffic_layer(call, {reads, {written}}, *reads[0]->type);
  for (LayerSpec& layer : layers) layer.name = "attention backward " + sizes_text(reads[0]->sizes);
  return layers;
}

constexpr NamedRule rules[] = {
    {"mm", mm},
    {"_int_mm", mm},
    {"_scaled_mm", mm},
    {"addmm", addmm},
    {"_addmm_activation", addmm},
    {"bmm", bmm},
    {"baddbmm", baddbmm},
    {"linear", linear},
    {"_cudnn_attention_forward", attention},
    {"_scaled_dot_product_cudnn_attention", attention},
    {"_flash_attention_forward", attention},
    {"_scaled_dot_product_flash_attention", attention},
    {"_efficient_attention_forward", attention},
    {"_scaled_dot_product_efficient_attention", attention},
    {"_cudnn_attention_backward", attention_backward},
    {"_scaled_dot_product_cudnn_attention_backward", attention_backward},
    {"_flash_attention_backward", attention_backward},
    {"_scaled_dot_product_flash_attention_backward", attention_backward},
    {"_efficient_attention_backward", attention_backward},
    {"_scaled_dot_product_efficient_attention_backward", attention_backward},
};

}  // namespace

std::span<const NamedRule> product_rules() { return rules; }

}  // namespace roofline
