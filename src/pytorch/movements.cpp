#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

Layers copy_layer(std::string_view what, const TensorArgument& from, const Sizes& result,
                  DataType result_type) {
  if (!from.type || element_count(from.sizes) == 0 || element_count(result) == 0) return {};
  std::string text = sizes_text(result);
  if (*from.type != result_type)
    text += " " + std::string(name_of(*from.type)) + " to " + std::string(name_of(result_type));
  LayerSpec spec = named_layer(LayerKind::copy, what, text, *from.type);
  spec.dtypes.output = result_type;
  spec.input = operand_of(from, from.stored_sizes());
  spec.output = whole_operand(result).sizes;
  return {spec};
}

Layers picked_elements(const OperatorCall& call, const TensorArgument& from, const Sizes& picked,
                       const TensorArgument& index, const Sizes& result) {
  const TensorArgument read = with_sizes(from, picked);
  return traffic_layer(call, {&read, &index}, result, *from.type);
}

Layers picked_rows(const OperatorCall& call, const TensorArgument& table, const Sizes& indices) {
  const std::uint64_t features = element_count(Sizes(table.sizes.begin() + 1, table.sizes.end()));
  const std::uint64_t rows = element_count(indices);
  if (table.sizes.front() == 0 || rows == 0 || features == 0) return {};
  Sizes result = indices;
  result.insert(result.end(), table.sizes.begin() + 1, table.sizes.end());
  LayerSpec spec =
      named_layer(LayerKind::gather, base_name(call.name), sizes_text(result), *table.type);
  spec.input = operand_of(table, {table.sizes.front(), features});
  spec.output = {rows, features};
  return {spec};
}

Layers copy_between(const OperatorCall& call) {
  const TensorArgument* to = call["to"].typed_tensor();
  const TensorArgument* from = call["from"].tensor();
  if (to == nullptr) return {};
  if (from == nullptr)
    return traffic_layer(call, {}, to->sizes, *to->type);  // a number that fills the tensor
  const bool same_layout = from->strides == to->strides || from->sizes != to->sizes;
  Layers layers = copy_layer(same_layout ? "copy" : "transpose", *from, to->sizes, *to->type);
  for (LayerSpec& layer : layers) layer.access = access_of({to, from});
  return layers;
}

/// Same size, other order.
Layers copy_of_same_size(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  if (input == nullptr) return {};
  return copy_layer(base_name(call.name), *input, input->sizes, *input->type);
}

/// Amounts before and after each axis, the last axis first.
Layers pad(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  const std::vector<std::int64_t> amounts = call["amounts"].signed_integers();
  if (input == nullptr || amounts.size() > 2 * input->sizes.size()) return {};
  Sizes result = input->sizes;
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    std::uint64_t& size = result[result.size() - 1 - i / 2];
    const std::int64_t padded = static_cast<std::int64_t>(size) + amounts[i] + amounts[i + 1];
    if (padded <= 0) return {};
    size = static_cast<std::uint64_t>(padded);
  }
  return copy_layer(base_name(call.name), *input, result, *input->type);
}

Layers pick_elements(const OperatorCall& call) {
  const TensorArgument* from = call["from"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  if (from == nullptr || index == nullptr) return {};
  return picked_elements(call, *from, index->sizes, *index, index->sizes);
}

Layers pick_slices(const OperatorCall& call) {
  const TensorArgument* from = call["from"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  if (from == nullptr || index == nullptr) return {};
  const auto at = axis_at(call["axis"].integer(), from->sizes.size());
  if (!at) return {};
  if (*at == 0) return picked_rows(call, *from, index->sizes);
  Sizes picked = from->sizes;
  picked[*at] = element_count(index->sizes);
  return picked_elements(call, *from, picked, *index, picked);
}

Layers pick_rows(const OperatorCall& call) {
  const TensorArgument* table = call["from"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  if (table == nullptr || index == nullptr || table->sizes.size() != 2) return {};
  return picked_rows(call, *table, index->sizes);
}

/// The picked elements, each read or written once: all elements of the axes that have an index in
/// turns, by the indices' common shape; all of the tensor by a mask.
std::uint64_t picked_count(const TensorArgument& table, const Argument& indices) {
  std::vector<const TensorArgument*> own;
  for (const TensorArgument& index : indices.tensors) own.push_back(&index);
  std::uint64_t count = element_count(broadcast_sizes(own));
  // "[False, True]": whether each axis has an index; without it the first have.
  std::vector<bool> has_index = indices.flags();
  has_index.resize(std::max(has_index.size(), own.size()), indices.value.empty());
  for (std::size_t axis = 0; axis < table.rank(); ++axis)
    if (axis >= has_index.size() || !has_index[axis]) count *= table.sizes[axis];
  const bool has_mask = std::ranges::any_of(
      own, [](const TensorArgument* index) { return index->type_name == "bool"; });
  return has_mask ? element_count(table.sizes) : count;
}

std::vector<const TensorArgument*> with_indices(const TensorArgument& first,
                                                const Argument& indices) {
  std::vector<const TensorArgument*> reads{&first};
  for (const TensorArgument& index : indices.tensors) reads.push_back(&index);
  return reads;
}

/// Programs state the result, which depends on data for a mask.
Layers pick_by_indices(const OperatorCall& call) {
  const TensorArgument* table = call["from"].typed_tensor();
  const Argument& indices = call["indices"];
  if (table == nullptr || !indices.is_list || indices.tensors.empty()) return {};
  const Sizes result = call.result.value_or(Sizes{picked_count(*table, indices)});
  const TensorArgument picked = with_sizes(*table, {element_count(result)});
  return traffic_layer(call, with_indices(picked, indices), result, *table->type);
}

/// In place: the values go to the picked elements, and are added to them if they accumulate.
Layers put_by_indices(const OperatorCall& call) {
  const TensorArgument* table = call["to"].typed_tensor();
  const Argument& indices = call["indices"];
  if (table == nullptr || !indices.is_list || indices.tensors.empty() ||
      !call["values"].is_tensor())
    return {};
  const std::uint64_t count = picked_count(*table, indices);
  std::vector<const TensorArgument*> reads = with_indices(call["values"].tensors.front(), indices);
  const TensorArgument sums = with_sizes(*table, {count});
  if (call["accumulate"].flag().value_or(false)) reads.push_back(&sums);
  return traffic_layer(call, reads, {count}, *table->type);
}

/// Patches of an image as columns [N, C * kernel, patches].
Layers patches(const OperatorCall& call) {
  const auto image = image_of(call["input"].tensor(), 2);
  const auto axis = [&](std::string_view name, std::size_t i) {
    const Sizes numbers = call[name].integers();
    return numbers.empty() ? 1 : numbers[std::min(i, numbers.size() - 1)];
  };
  if (!image || call["kernel"].integers().empty()) return {};
  Sizes result{image->sizes[0], image->sizes[1], 1};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint64_t reach = axis("dilation", i) * (axis("kernel", i) - 1) + 1;
    const std::uint64_t padded = image->sizes[i + 2] + 2 * axis("padding", i);
    if (padded < reach || axis("stride", i) == 0) return {};
    result[1] *= axis("kernel", i);
    result[2] *= (padded - reach) / axis("stride", i) + 1;
  }
  return traffic_layer(call, {&*image}, result, *image->type);
}

/// The sums of columns in an image.
Layers image_of_patches(const OperatorCall& call) {
  const TensorArgument* columns = call["input"].typed_tensor();
  const Sizes positions = call["sizes"].integers();
  const std::uint64_t kernel = element_count(call["kernel"].integers());
  if (columns == nullptr || columns->rank() < 2 || positions.empty() || kernel == 0) return {};
  Sizes result(columns->sizes.begin(), columns->sizes.end() - 1);
  result.back() /= kernel;
  result.insert(result.end(), positions.begin(), positions.end());
  return traffic_layer(call, {columns}, result, *columns->type);
}

constexpr std::string_view look_up_arguments =
    "- table - - - begins - all_rows - - - index offsets - weights - - - - - states";

/// In place: slices of `from`, or a value, go to those that the index names, or are added to them.
Layers put_slices(const OperatorCall& call) {
  const TensorArgument* to = call["to"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  const auto at = axis_at(call["axis"].integer().value_or(0), to == nullptr ? 0 : to->rank());
  if (index == nullptr || !at) return {};
  const TensorArgument* from = call["from"].tensor();
  if (base_name(call.name) == "index_add" && from != nullptr && *at == 0 && to->sizes[0] > 0) {
    const std::uint64_t features = element_count(to->sizes) / to->sizes[0];
    LayerSpec spec =
        named_layer(LayerKind::scatter, "index_add", sizes_text(from->sizes), *to->type);
    spec.input = operand_of(*from, {element_count(index->sizes), features});
    spec.output = {to->sizes[0], features};
    return {spec};
  }
  Sizes put = index->sizes;
  if (mentions(call.name, {"index_"})) (put = to->sizes)[*at] = element_count(index->sizes);
  const TensorArgument sums = with_sizes(*to, put);
  std::vector<const TensorArgument*> reads{index};
  if (from != nullptr) reads.insert(reads.begin(), from);
  if (mentions(call.name, {"add", "reduce"})) reads.push_back(&sums);
  return traffic_layer(call, reads, put, *to->type);
}

/// Rows of a table, summed for each bag.
Layers summed_rows(const OperatorCall& call, const TensorArgument& table, std::uint64_t row,
                   DataType sum_type) {
  const TensorArgument* index = call["index"].tensor();
  const TensorArgument* offsets = call["offsets"].tensor();
  if (index == nullptr || offsets == nullptr || element_count(offsets->sizes) == 0) return {};
  const TensorArgument rows = with_sizes(table, {element_count(index->sizes), row});
  std::vector<const TensorArgument*> reads{&rows, index, offsets};
  if (const TensorArgument* weights = call["weights"].tensor())
    if (element_count(weights->sizes) > 0) reads.push_back(weights);
  const bool has_end = call["has_end"].flag().value_or(true);
  const std::uint64_t bags = element_count(offsets->sizes) - (has_end ? 1 : 0);
  return traffic_layer(call, reads, {bags, row}, sum_type);
}

Layers embedding_bag(const OperatorCall& call) {
  const TensorArgument* table = call["table"].typed_tensor();
  if (table == nullptr || table->rank() != 2) return {};
  return summed_rows(call, *table, table->sizes[1], *table->type);
}

/// FBGEMM's tables, one behind the other: the mean row of all together, or, if the recording has
/// no values, all elements over the optimizer's, one a row. 0 if unknown.
std::uint64_t mean_row(const OperatorCall& look_up) {
  const TensorArgument* table = look_up["table"].typed_tensor();
  const TensorArgument* begins = look_up["begins"].tensor();
  const TensorArgument* states = look_up["states"].tensor();
  if (table == nullptr || begins == nullptr || element_count(begins->sizes) == 0) return 0;
  if (const Sizes all = look_up["all_rows"].integers(); all.size() == 1)
    return all.front() / element_count(begins->sizes);
  const std::uint64_t rows = states != nullptr ? element_count(states->sizes) : 0;
  return rows > 0 ? element_count(table->sizes) / rows : 0;
}

Layers look_up(const OperatorCall& call) {
  const std::uint64_t row = mean_row(call);
  return row > 0 ? summed_rows(call, *call["table"].typed_tensor(), row, DataType::fp32) : Layers{};
}

/// Reads the bags' gradients, and reads and writes the rows of its look-up.
Layers look_up_gradient(const OperatorCall& call) {
  if (call.forward == nullptr) return {};
  OperatorCall forward = call;
  forward.arguments = call.forward;
  forward.argument_names = look_up_arguments;
  const TensorArgument* gradient = argument_at(*call.arguments, 0).typed_tensor();
  const TensorArgument* index = forward["index"].tensor();
  if (gradient == nullptr || gradient->rank() != 2 || index == nullptr || mean_row(forward) == 0)
    return {};
  const TensorArgument& table = *forward["table"].typed_tensor();
  const std::uint64_t row = gradient->sizes[1] / element_count(forward["begins"].tensor()->sizes);
  const TensorArgument rows = with_sizes(table, {element_count(index->sizes), row});
  return traffic_layer(call, {gradient, &rows, index}, rows.sizes, *table.type);
}

/// Adds the gradient's rows to those of the weight.
Layers embedding_gradient(const OperatorCall& call) {
  const TensorArgument* gradient = call["gradient"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  if (gradient == nullptr || index == nullptr) return {};
  const Sizes rows{element_count(index->sizes), gradient->sizes.back()};
  return traffic_layer(call, {gradient, index}, rows, *gradient->type);
}

/// Picks one value of each row.
Layers picked_loss(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* target = call["target"].tensor();
  if (input == nullptr || target == nullptr) return {};
  return picked_elements(call, *input, target->sizes, *target,
                         call.pass() == Pass::fwd ? Sizes{1} : target->sizes);
}

/// Channels of `outer` images, for any axis.
Layers join(const OperatorCall& call) {
  std::vector<const TensorArgument*> tensors;
  for (const TensorArgument& tensor : argument_at(*call.arguments, 0).tensors)
    if (element_count(tensor.sizes) > 0 && !tensor.sizes.empty()) tensors.push_back(&tensor);
  if (tensors.empty() || !call.list_type) return {};
  const std::size_t rank = tensors.front()->sizes.size();
  const auto at = axis_at(call["axis"].integer().value_or(0), rank);
  if (!at) return {};
  if (tensors.size() == 1) {
    TensorArgument only = *tensors.front();
    only.type = call.list_type;
    return copy_layer("concat", only, only.sizes, *call.list_type);
  }
  Sizes result = tensors.front()->sizes;
  LayerSpec spec = named_layer(LayerKind::concat, "concat", "", *call.list_type);
  std::uint64_t joined = 0;
  for (const TensorArgument* tensor : tensors) {
    if (tensor->sizes.size() != rank) return {};
    const auto middle = tensor->sizes.begin() + static_cast<std::ptrdiff_t>(*at);
    joined += *middle;
    const std::uint64_t outer = element_count(Sizes(tensor->sizes.begin(), middle));
    const bool joins_channels = *at == 1 && rank <= most_operand_sizes;
    const Sizes joined_sizes{outer, element_count(Sizes(middle, tensor->sizes.end()))};
    spec.inputs.push_back(operand_of(*tensor, joins_channels ? tensor->sizes : joined_sizes));
  }
  result[*at] = joined;
  spec.name = "concat of " + std::to_string(tensors.size()) + " to " + sizes_text(result);
  return {spec};
}

/// Rotates queries and keys in place by each position's row in a table of cosines and sines.
Layers rotary_embedding(const OperatorCall& call) {
  const TensorArgument* positions = call["positions"].tensor();
  const TensorArgument* query = call["query"].typed_tensor();
  const TensorArgument* key = call["key"].tensor();
  const TensorArgument* table = call["table"].tensor();
  if (positions == nullptr || query == nullptr || key == nullptr || table == nullptr ||
      table->sizes.size() != 2)
    return {};
  const TensorArgument rows =
      with_sizes(*table, {element_count(positions->sizes), table->sizes[1]});
  const std::uint64_t turned = element_count(query->sizes) + element_count(key->sizes);
  return traffic_layer(call, {query, key, positions, &rows}, {turned}, *query->type);
}

/// Each key and value goes to its slot of a cache.
Layers write_cache(const OperatorCall& call) {
  const TensorArgument* key = call["key"].typed_tensor();
  const TensorArgument* value = call["value"].tensor();
  if (key == nullptr || value == nullptr) return {};
  const std::uint64_t written = element_count(key->sizes) + element_count(value->sizes);
  return traffic_layer(call, {key, value}, {written}, *key->type);
}

}  // namespace

std::span<const CallRow> movement_operators() {
  using enum LayerKind;
  static constexpr CallRow rows[] = {
      {"copy _copy_from", copy_between, copy, "to from"},
      {"roll flip clone contiguous pixel_shuffle pixel_unshuffle", copy_of_same_size, copy},
      {"reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d "
       "replication_pad3d constant_pad_nd",
       pad, copy, "input amounts"},
      {"gather", pick_elements, other, "from axis index"},
      {"index_select", pick_slices, other, "from axis index"},
      {"index", pick_by_indices, LayerKind::gather, "from indices"},
      {"index_put _index_put_impl", put_by_indices, other, "to indices values accumulate"},
      {"im2col", patches, other, "input kernel dilation padding stride"},
      {"col2im", image_of_patches, other, "input sizes kernel"},
      {"embedding", pick_rows, LayerKind::gather, "from index"},
      {"embedding_dense_backward _embedding_bag_dense_backward", embedding_gradient, other,
       "gradient index"},
      {"index_add index_copy index_reduce", put_slices, other, "to axis index from"},
      {"index_fill", put_slices, other, "to axis index"},
      {"scatter scatter_add scatter_reduce", put_slices, other, "to axis index from"},
      {"_embedding_bag _embedding_bag_forward_only", embedding_bag, other,
       "table index offsets - - - weights has_end"},
      {"::split_embedding_codegen_lookup_rowwise_adagrad_function "
       "::split_embedding_codegen_lookup_sgd_function "
       "::split_embedding_codegen_lookup_adagrad_function "
       "::split_embedding_codegen_lookup_adam_function "
       "::split_embedding_codegen_lookup_none_function",
       look_up, other, look_up_arguments},
      {"::CppNode<SplitLookupFunction_rowwise_adagrad_Op> ::CppNode<SplitLookupFunction_sgd_Op> "
       "::CppNode<SplitLookupFunction_adagrad_Op> ::CppNode<SplitLookupFunction_adam_Op>",
       look_up_gradient, other, "gradient"},
      {"nll_loss_forward nll_loss2d_forward", picked_loss, other, "input target"},
      {"nll_loss_backward nll_loss2d_backward", picked_loss, other, "- input target"},
      {"cat _cat concat concatenate", join, LayerKind::concat, "- axis"},
      {"::rotary_embedding", rotary_embedding, other, "positions query key - table"},
      {"::reshape_and_cache ::reshape_and_cache_flash ::store_cache", write_cache, other,
       "key value"},
  };
  return rows;
}

}  // namespace roofline
