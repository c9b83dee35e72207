#include <algorithm>

#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

// Operators of others than PyTorch: those of servers of language models whose operands say too much
// or too little of their traffic, and for all the rest the bytes of their operands.

namespace roofline {
namespace {

/// (x, residual, weight, ...): the sum of both goes to residual, its norm to x.
std::vector<LayerSpec> fused_add_norm(const OperatorCall& call) {
  const TensorArgument* x = call.arguments->tensor(0);
  const TensorArgument* residual = call.arguments->tensor(1);
  const TensorArgument* weight = call.arguments->tensor(2);
  if (x == nullptr || residual == nullptr || weight == nullptr || !x->type) return {};
  return traffic_layer(call, {{x, residual, weight}, {2 * element_count(x->sizes)}}, *x->type);
}

/// (positions, query, key, head size, table of cosines and sines, ...): queries and keys are turned
/// in place, each position by its row of the table.
std::vector<LayerSpec> rotary_embedding(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* positions = a.tensor(0);
  const TensorArgument* query = a.tensor(1);
  const TensorArgument* key = a.tensor(2);
  const TensorArgument* table = a.tensor(4);
  if (positions == nullptr || query == nullptr || key == nullptr || table == nullptr ||
      !query->type || table->sizes.size() != 2)
    return {};
  TensorArgument rows = *table;
  rows.sizes = {element_count(positions->sizes), table->sizes[1]};
  rows.strides.clear();
  const std::uint64_t turned = element_count(query->sizes) + element_count(key->sizes);
  return traffic_layer(call, {{query, key, positions, &rows}, {turned}}, *query->type);
}

/// (key, value, their caches, slots, ...): each key and value goes to its slot.
std::vector<LayerSpec> write_cache(const OperatorCall& call) {
  const TensorArgument* key = call.arguments->tensor(0);
  const TensorArgument* value = call.arguments->tensor(1);
  if (key == nullptr || value == nullptr || !key->type) return {};
  const std::uint64_t written = element_count(key->sizes) + element_count(value->sizes);
  return traffic_layer(call, {{key, value}, {written}}, *key->type);
}

/// A result as large as the first tensor, its elements elsewhere or changed.
std::vector<LayerSpec> as_large(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (input == nullptr || !input->type) return {};
  return traffic_layer(call, {tensors_of(call), input->sizes}, *input->type);
}

/// Elements of one byte from or to those of four; scales of a row stand in it.
std::vector<LayerSpec> to_byte(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (input == nullptr || input->type != DataType::fp32) return {};
  return traffic_layer(call, {{input}, {(element_count(input->sizes) + 3) / 4}}, DataType::fp32);
}
std::vector<LayerSpec> from_byte(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (input == nullptr || input->type != DataType::int8) return {};
  return traffic_layer(call, {{input}, {element_count(input->sizes)}}, DataType::fp32);
}

/// (permutation, lengths, values, ...): the values, most of all, are written elsewhere.
std::vector<LayerSpec> permute_sparse(const OperatorCall& call) {
  const TensorArgument* lengths = call.arguments->tensor(1);
  const TensorArgument* values = call.arguments->tensor(2);
  if (lengths == nullptr || values == nullptr || !values->type) return {};
  return traffic_layer(
      call, {tensors_of(call), {element_count(lengths->sizes) + element_count(values->sizes)}},
      *values->type);
}

constexpr NamedRule custom_table[] = {
    {"permute_pooled_embs_auto_grad", as_large},
    {"permute_pooled_embs", as_large},
    {"recat_embedding_grad_output_mixed_D_batch", as_large},
    {"permute_sparse_features", permute_sparse},
    {"permute_2D_sparse_data", permute_sparse},
    {"FloatToHFP8Quantized", to_byte},
    {"FloatToFP8RowwiseQuantized", to_byte},
    {"HFP8QuantizedToFloat", from_byte},
    {"FP8RowwiseQuantizedToFloat", from_byte},
    {"fused_add_rms_norm", fused_add_norm},
    {"fused_add_rmsnorm", fused_add_norm},
    {"rotary_embedding", rotary_embedding},
    {"reshape_and_cache", write_cache},
    {"reshape_and_cache_flash", write_cache},
};

/// A pointwise kernel of torch.compile whose operands are one tensor and vectors writes that tensor
/// in place: nothing else could take its results.
Sizes written_in_place(const OperatorCall& call,
                       const std::vector<const TensorArgument*>& operands) {
  if (!call.name.starts_with("triton_poi_")) return {1};
  std::uint64_t largest = 0;
  std::uint64_t next = 0;
  const TensorArgument* tensor = nullptr;
  for (const TensorArgument* each : operands) {
    const std::uint64_t elements = element_count(each->sizes);
    next = std::max(next, std::min(largest, elements));
    if (elements > largest) tensor = each;
    largest = std::max(largest, elements);
  }
  constexpr std::uint64_t vector_share = 8;
  return tensor != nullptr && next < largest / vector_share ? tensor->sizes : Sizes{1};
}

/// Its list is all that it reads.
bool lacks_joined(const OperatorCall& call) {
  return base_name(call.name) == "cat" || base_name(call.name) == "_cat";
}

/// Tensors without axes hold a value each.
std::vector<LayerSpec> one_value(const OperatorCall& call) {
  for (std::size_t i = 0; i < call.arguments->count(); ++i) {
    if (!call.arguments->is_tensor(i)) continue;
    LayerSpec spec =
        named_layer(LayerKind::other, base_name(call.name), "of one value", DataType::fp32);
    spec.inputs = {whole_operand({1})};
    spec.output = whole_operand({1}).sizes;
    return {spec};
  }
  return {};
}

}  // namespace

std::span<const NamedRule> custom_rules() { return custom_table; }

std::vector<LayerSpec> operand_traffic(const OperatorCall& call) {
  std::vector<const TensorArgument*> operands = tensors_of(call);
  for (std::size_t i = 0; i < call.arguments->count(); ++i)
    for (const TensorArgument& tensor : call.arguments->tensors(i))
      if (call.arguments->is_tensor_list(i)) operands.push_back(&tensor);
  const bool all_known =
      std::all_of(operands.begin(), operands.end(),
                  [](const TensorArgument* tensor) { return tensor->type.has_value(); });
  if (!all_known || lacks_joined(call)) return {};
  if (operands.empty()) return one_value(call);
  std::vector<LayerSpec> layers =
      traffic_layer(call, {operands, written_in_place(call, operands)}, *operands.front()->type);
  for (LayerSpec& layer : layers)
    layer.name = std::string(call.name) + " " + sizes_text(operands.front()->sizes);
  return layers;
}

}  // namespace roofline
