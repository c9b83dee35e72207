#include <algorithm>

#include "pytorch/access.hpp"
#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

// What moves data: copies, casts, joins, gathers, pads.

namespace roofline {
namespace {

std::vector<LayerSpec> copy_layer(std::string_view what, const TensorArgument& from,
                                  const Sizes& result, DataType result_type) {
  if (!from.type || element_count(from.sizes) == 0 || element_count(result) == 0) return {};
  std::string text = sizes_text(result);
  if (*from.type != result_type)
    text += " " + std::string(name_of(*from.type)) + " to " + std::string(name_of(result_type));
  LayerSpec spec = named_layer(LayerKind::copy, what, text, *from.type);
  spec.dtypes.output = result_type;
  spec.input = whole_operand(from.stored_sizes());
  spec.output = whole_operand(result).sizes;
  return {spec};
}

/// (to, from, ...): a cast, a change of layout, or both.
std::vector<LayerSpec> copy(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* to = a.tensor(0);
  const TensorArgument* from = a.tensor(1);
  if (to == nullptr || !to->type) return {};
  if (from == nullptr)
    return traffic_layer(call, {{}, to->sizes}, *to->type);  // a number, spread over the tensor
  const bool same_layout = from->strides == to->strides || from->sizes != to->sizes;
  auto layers = copy_layer(same_layout ? "copy" : "transpose", *from, to->sizes, *to->type);
  for (LayerSpec& layer : layers) layer.access = access_of({to, from});
  return layers;
}

/// A result as large as the input, its elements elsewhere.
std::vector<LayerSpec> same_size(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (input == nullptr || !input->type) return {};
  return copy_layer(base_name(call.name), *input, input->sizes, *input->type);
}

/// (input, [before and after, last axis first], ...).
std::vector<LayerSpec> pad(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  const std::vector<std::int64_t> amounts = call.arguments->signed_integers(1);
  if (input == nullptr || !input->type || amounts.size() > 2 * input->sizes.size()) return {};
  Sizes result = input->sizes;
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    std::uint64_t& size = result[result.size() - 1 - i / 2];
    const std::int64_t padded = static_cast<std::int64_t>(size) + amounts[i] + amounts[i + 1];
    if (padded <= 0) return {};
    size = static_cast<std::uint64_t>(padded);
  }
  return copy_layer(base_name(call.name), *input, result, *input->type);
}

/// (gradient, input, amounts).
std::vector<LayerSpec> pad_backward(const OperatorCall& call) {
  const TensorArgument* gradient = call.arguments->tensor(0);
  const TensorArgument* input = call.arguments->tensor(1);
  if (gradient == nullptr || input == nullptr || !gradient->type) return {};
  return copy_layer(base_name(call.name), *gradient, input->sizes, *gradient->type);
}

/// (from, axis, index): as many elements as the index has are read and written, beside the index.
std::vector<LayerSpec> gather(const OperatorCall& call) {
  const TensorArgument* from = call.arguments->tensor(0);
  const TensorArgument* index = call.arguments->tensor(2);
  if (from == nullptr || index == nullptr || !from->type) return {};
  TensorArgument gathered = *from;
  gathered.sizes = index->sizes;
  gathered.strides.clear();
  return traffic_layer(call, {{&gathered, index}, index->sizes}, *from->type);
}

/// Whole rows of a table, as many as there are indices.
std::vector<LayerSpec> picked_rows(const OperatorCall& call, const TensorArgument& table,
                                   const Sizes& indices) {
  const std::uint64_t features = element_count(Sizes(table.sizes.begin() + 1, table.sizes.end()));
  const std::uint64_t rows = element_count(indices);
  if (table.sizes.front() == 0 || rows == 0 || features == 0) return {};
  Sizes result = indices;
  result.insert(result.end(), table.sizes.begin() + 1, table.sizes.end());
  LayerSpec spec =
      named_layer(LayerKind::gather, base_name(call.name), sizes_text(result), *table.type);
  spec.input = whole_operand({table.sizes.front(), features});
  spec.output = {rows, features};
  return {spec};
}

/// (from, axis, index): whole slices of the axis that the index names.
std::vector<LayerSpec> index_select(const OperatorCall& call) {
  const TensorArgument* from = call.arguments->tensor(0);
  const TensorArgument* index = call.arguments->tensor(2);
  const auto axis = call.arguments->integer(1);
  if (from == nullptr || index == nullptr || !from->type || !axis) return {};
  const auto rank = static_cast<std::int64_t>(from->sizes.size());
  const std::int64_t at = *axis < 0 ? *axis + rank : *axis;
  if (at < 0 || at >= rank) return {};
  if (at == 0) return picked_rows(call, *from, index->sizes);
  TensorArgument gathered = *from;
  gathered.sizes[static_cast<std::size_t>(at)] = element_count(index->sizes);
  gathered.strides.clear();
  return traffic_layer(call, {{&gathered, index}, gathered.sizes}, *from->type);
}

/// (weight, indices, ...): a row of the weight for each index.
std::vector<LayerSpec> embedding(const OperatorCall& call) {
  const TensorArgument* weight = call.arguments->tensor(0);
  const TensorArgument* indices = call.arguments->tensor(1);
  if (weight == nullptr || indices == nullptr || !weight->type || weight->sizes.size() != 2)
    return {};
  return picked_rows(call, *weight, indices->sizes);
}

/// (gradient, indices, rows, ...): the gradient's rows are added up into those of the weight.
std::vector<LayerSpec> embedding_backward(const OperatorCall& call) {
  const TensorArgument* gradient = call.arguments->tensor(0);
  const TensorArgument* indices = call.arguments->tensor(1);
  if (gradient == nullptr || indices == nullptr || !gradient->type) return {};
  return traffic_layer(call, {{gradient, indices}, gradient->sizes}, *gradient->type);
}

/// (probabilities, target, ...): one value a row is picked.
std::vector<LayerSpec> picked_loss(const OperatorCall& call, std::size_t input_at) {
  const TensorArgument* input = call.arguments->tensor(input_at);
  const TensorArgument* target = call.arguments->tensor(input_at + 1);
  if (input == nullptr || target == nullptr || !input->type) return {};
  TensorArgument picked = *input;
  picked.sizes = target->sizes;
  picked.strides.clear();
  return traffic_layer(call, {{&picked, target}, input_at == 0 ? Sizes{1} : target->sizes},
                       *input->type);
}

std::vector<LayerSpec> nll_loss(const OperatorCall& call) { return picked_loss(call, 0); }
std::vector<LayerSpec> nll_loss_backward(const OperatorCall& call) { return picked_loss(call, 1); }

/// The gradients of pieces are joined to that of the whole.
bool joins_gradients(std::string_view caller) {
  return (caller.starts_with("Split") || caller.starts_with("Unbind")) &&
         caller.find("Backward") != std::string_view::npos;
}

/// Where the trace holds no shapes of the list: by the result, or by the gradients that it joins.
std::vector<LayerSpec> concat_of_unknown(const OperatorCall& call) {
  TensorArgument result;
  result.type = call.list_type;
  if (!call.results.empty()) result.sizes = call.results.front();
  for (const Caller& caller : call.callers) {
    if (!result.sizes.empty() || !joins_gradients(caller.name)) continue;
    std::uint64_t elements = 0;
    for (std::size_t i = 0; i < caller.arguments->count(); ++i)
      if (const TensorArgument* piece = caller.arguments->tensor(i))
        elements += element_count(piece->sizes);
    result.sizes = {elements};
  }
  if (!result.type || result.sizes.empty()) return {};
  return copy_layer("concat", result, result.sizes, *result.type);
}

/// (tensors, axis): as channels of `outer` images, whatever the axis.
std::vector<LayerSpec> concat(const OperatorCall& call) {
  if (call.arguments->tensors(0).empty()) return concat_of_unknown(call);
  const auto axis = call.arguments->integer(1);
  std::vector<const TensorArgument*> tensors;
  for (const TensorArgument& tensor : call.arguments->tensors(0))
    if (element_count(tensor.sizes) > 0 && !tensor.sizes.empty()) tensors.push_back(&tensor);
  if (tensors.empty() || !axis || !call.list_type) return {};
  const auto rank = static_cast<std::int64_t>(tensors.front()->sizes.size());
  const std::int64_t at = *axis < 0 ? *axis + rank : *axis;
  if (at < 0 || at >= rank) return {};
  if (tensors.size() == 1) {
    TensorArgument only = *tensors.front();
    only.type = call.list_type;
    return copy_layer("concat", only, only.sizes, *call.list_type);
  }
  Sizes result = tensors.front()->sizes;
  LayerSpec spec = named_layer(LayerKind::concat, "concat", "", *call.list_type);
  std::uint64_t joined = 0;
  for (const TensorArgument* tensor : tensors) {
    if (static_cast<std::int64_t>(tensor->sizes.size()) != rank) return {};
    const auto middle = tensor->sizes.begin() + at;
    joined += *middle;
    if (at == 1 && rank >= 2 && rank <= 5) {
      spec.inputs.push_back(whole_operand(tensor->sizes));
    } else {
      const std::uint64_t outer = element_count(Sizes(tensor->sizes.begin(), middle));
      spec.inputs.push_back(
          whole_operand({outer, element_count(Sizes(middle, tensor->sizes.end()))}));
    }
  }
  result[static_cast<std::size_t>(at)] = joined;
  spec.name = "concat of " + std::to_string(tensors.size()) + " to " + sizes_text(result);
  return {spec};
}

constexpr NamedRule movement_table[] = {
    {"copy", copy},
    {"_copy_from", copy},
    {"roll", same_size},
    {"flip", same_size},
    {"clone", same_size},
    {"contiguous", same_size},
    {"pixel_shuffle", same_size},
    {"pixel_unshuffle", same_size},
    {"reflection_pad1d", pad},
    {"reflection_pad2d", pad},
    {"reflection_pad3d", pad},
    {"replication_pad1d", pad},
    {"replication_pad2d", pad},
    {"replication_pad3d", pad},
    {"constant_pad_nd", pad},
    {"reflection_pad1d_backward", pad_backward},
    {"reflection_pad2d_backward", pad_backward},
    {"replication_pad2d_backward", pad_backward},
    {"gather", gather},
    {"index_select", index_select},
    {"embedding", embedding},
    {"embedding_dense_backward", embedding_backward},
    {"nll_loss_forward", nll_loss},
    {"nll_loss2d_forward", nll_loss},
    {"nll_loss_backward", nll_loss_backward},
    {"nll_loss2d_backward", nll_loss_backward},
    {"cat", concat},
    {"_cat", concat},
};

}  // namespace

std::span<const NamedRule> movement_rules() { return movement_table; }

}  // namespace roofline
