// Moves: copies, joins, resizes, picks and puts, as operations of the table. Whichever a library's
// kernel does not read whole is an operand in the sizes that it reads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

/// By the bytes that it reads and writes.
Operations traffic_on(const OperatorCall& call, const std::vector<const TensorArgument*>& reads,
                      const Sizes& writes, DataType type) {
  Operation operation{.row = call.row,
                      .results = {{.sizes = writes, .type = type}},
                      .called = base_name(call.name)};
  operation.attributes.computed_in = type;
  for (const TensorArgument* read : reads) operation.operands.push_back(*read);
  return {std::move(operation)};
}

Operations copy_on(const OperatorCall& call, const TensorArgument& from, const Sizes& result) {
  return {{.row = find_row("copy"),
           .operands = {from},
           .results = {{.sizes = result, .type = from.type}},
           .called = base_name(call.name)}};
}

Operations picked_elements(const OperatorCall& call, const TensorArgument& from,
                           const Sizes& picked, const TensorArgument& index, const Sizes& result) {
  const TensorArgument read = with_sizes(from, picked);
  return traffic_on(call, {&read, &index}, result, *from.type);
}

Operations picked_rows(const OperatorCall& call, const TensorArgument& table,
                       const Sizes& indices) {
  Operation operation{
      .row = find_row("gather"), .operands = {table}, .called = base_name(call.name)};
  operation.attributes.axes = {0};
  operation.attributes.rows_are_matrix = true;
  Sizes result = indices;
  result.insert(result.end(), table.sizes.begin() + 1, table.sizes.end());
  operation.results = {{.sizes = std::move(result)}};
  return {std::move(operation)};
}

Operations copy_between(const OperatorCall& call) {
  const TensorArgument* to = call["to"].typed_tensor();
  const TensorArgument* from = call["from"].tensor();
  if (to == nullptr) return {};
  Operation operation{.row = call.row, .results = {*to}};
  if (from == nullptr) {  // a number that fills the tensor
    operation.row = find_row("fill");
    operation.called = base_name(call.name);
  } else {
    const bool same_layout = from->strides == to->strides || from->sizes != to->sizes;
    operation.operands = {*from};
    operation.called = same_layout ? "copy" : "transpose";
  }
  return {std::move(operation)};
}

/// Same size, other order.
Operations copy_of_same_size(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  return input != nullptr ? copy_on(call, *input, input->sizes) : Operations{};
}

/// Amounts before and after each axis, the last axis first.
Operations pad(const OperatorCall& call) {
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
  return copy_on(call, *input, result);
}

Operations pick_elements(const OperatorCall& call) {
  const TensorArgument* from = call["from"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  if (from == nullptr || index == nullptr) return {};
  return picked_elements(call, *from, index->sizes, *index, index->sizes);
}

Operations pick_slices(const OperatorCall& call) {
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

Operations pick_rows(const OperatorCall& call) {
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
Operations pick_by_indices(const OperatorCall& call) {
  const TensorArgument* table = call["from"].typed_tensor();
  const Argument& indices = call["indices"];
  if (table == nullptr || !indices.is_list || indices.tensors.empty()) return {};
  const Sizes result = call.result.value_or(Sizes{picked_count(*table, indices)});
  const TensorArgument picked = with_sizes(*table, {element_count(result)});
  return traffic_on(call, with_indices(picked, indices), result, *table->type);
}

/// In place: the values go to the picked elements, and are added to them if they accumulate.
Operations put_by_indices(const OperatorCall& call) {
  const TensorArgument* table = call["to"].typed_tensor();
  const Argument& indices = call["indices"];
  if (table == nullptr || !indices.is_list || indices.tensors.empty() ||
      !call["values"].is_tensor())
    return {};
  const std::uint64_t count = picked_count(*table, indices);
  std::vector<const TensorArgument*> reads = with_indices(call["values"].tensors.front(), indices);
  const TensorArgument sums = with_sizes(*table, {count});
  if (call["accumulate"].flag().value_or(false)) reads.push_back(&sums);
  return traffic_on(call, reads, {count}, *table->type);
}

/// Patches of an image as columns [N, C * kernel, patches].
Operations patches(const OperatorCall& call) {
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
  return traffic_on(call, {&*image}, result, *image->type);
}

/// The sums of columns in an image.
Operations image_of_patches(const OperatorCall& call) {
  const TensorArgument* columns = call["input"].typed_tensor();
  const Sizes positions = call["sizes"].integers();
  const std::uint64_t kernel = element_count(call["kernel"].integers());
  if (columns == nullptr || columns->rank() < 2 || positions.empty() || kernel == 0) return {};
  Sizes result(columns->sizes.begin(), columns->sizes.end() - 1);
  result.back() /= kernel;
  result.insert(result.end(), positions.begin(), positions.end());
  return traffic_on(call, {columns}, result, *columns->type);
}

/// In place: slices of `from`, or a value, go to those that the index names, or are added to them.
Operations put_slices(const OperatorCall& call) {
  const TensorArgument* to = call["to"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  const auto at = axis_at(call["axis"].integer().value_or(0), to == nullptr ? 0 : to->rank());
  if (index == nullptr || !at) return {};
  const TensorArgument* from = call["from"].tensor();
  if (base_name(call.name) == "index_add" && from != nullptr && *at == 0 && to->sizes[0] > 0) {
    Operation operation{.row = find_row("index_add"),
                        .operands = {*from},
                        .results = {{.sizes = to->sizes}},
                        .called = "index_add"};
    operation.operands.front().type = to->type;
    return {std::move(operation)};
  }
  Sizes put = index->sizes;
  if (mentions(call.name, {"index_"})) (put = to->sizes)[*at] = element_count(index->sizes);
  const TensorArgument sums = with_sizes(*to, put);
  std::vector<const TensorArgument*> reads{index};
  if (from != nullptr) reads.insert(reads.begin(), from);
  if (mentions(call.name, {"add", "reduce"})) reads.push_back(&sums);
  Operations operations = traffic_on(call, reads, put, *to->type);
  operations.front().row = find_row("scatter");
  return operations;
}

/// Rows of a table, summed for each bag.
Operations summed_rows(const OperatorCall& call, const TensorArgument& table, std::uint64_t row,
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
  return traffic_on(call, reads, {bags, row}, sum_type);
}

Operations embedding_bag(const OperatorCall& call) {
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

Operations look_up(const OperatorCall& call) {
  const std::uint64_t row = mean_row(call);
  if (row == 0) return {};
  return summed_rows(call, *call["table"].typed_tensor(), row, DataType::fp32);
}

/// Reads the bags' gradients, and reads and writes the rows of its look-up.
Operations look_up_gradient(const OperatorCall& call) {
  if (call.forward == nullptr) return {};
  OperatorCall forward = call;
  forward.arguments = call.forward;
  forward.argument_names =
      find_operator("fbgemm::split_embedding_codegen_lookup_sgd_function")->arguments;
  const TensorArgument* gradient = argument_at(*call.arguments, 0).typed_tensor();
  const TensorArgument* index = forward["index"].tensor();
  if (gradient == nullptr || gradient->rank() != 2 || index == nullptr || mean_row(forward) == 0)
    return {};
  const TensorArgument& table = *forward["table"].typed_tensor();
  const std::uint64_t row = gradient->sizes[1] / element_count(forward["begins"].tensor()->sizes);
  const TensorArgument rows = with_sizes(table, {element_count(index->sizes), row});
  return traffic_on(call, {gradient, &rows, index}, rows.sizes, *table.type);
}

/// Adds the gradient's rows to those of the weight.
Operations embedding_gradient(const OperatorCall& call) {
  const TensorArgument* gradient = call["gradient"].typed_tensor();
  const TensorArgument* index = call["index"].tensor();
  if (gradient == nullptr || index == nullptr) return {};
  const Sizes rows{element_count(index->sizes), gradient->sizes.back()};
  return traffic_on(call, {gradient, index}, rows, *gradient->type);
}

/// Picks one value of each row.
Operations picked_loss(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* target = call["target"].tensor();
  if (input == nullptr || target == nullptr) return {};
  return picked_elements(call, *input, target->sizes, *target,
                         call.pass() == Pass::fwd ? Sizes{1} : target->sizes);
}

Operations join(const OperatorCall& call) {
  Operation operation{.row = call.row, .called = "concat"};
  for (Tensor tensor : argument_at(*call.arguments, 0).tensors) {
    if (element_count(tensor.sizes) == 0 || tensor.sizes.empty()) continue;
    tensor.type = call.list_type;
    operation.operands.push_back(std::move(tensor));
  }
  if (operation.operands.empty() || !call.list_type) return {};
  Tensor result{.sizes = operation.operands.front().sizes};
  const auto at = axis_at(call["axis"].integer().value_or(0), result.rank());
  if (!at) return {};
  operation.attributes.axes = {*at};
  operation.attributes.computed_in = call.list_type;
  operation.results = {std::move(result)};
  return {std::move(operation)};
}

Sizes with_positions(const TensorArgument& image, const Sizes& positions) {
  Sizes sizes(image.sizes.begin(), image.sizes.begin() + 2);
  sizes.insert(sizes.end(), positions.begin(), positions.end());
  return sizes;
}

/// `from`: the tensor that is read; its layout is the other's.
Operations resize_on(const OperatorCall& call, Tensor from, const Sizes& input,
                     const Sizes& output) {
  from.stated_layout = from.layout();
  from.sizes = input;
  Operation operation{.row = call.row,
                      .operands = {std::move(from)},
                      .results = {{.sizes = output}},
                      .pass = call.pass(),
                      .called = base_name(call.name)};
  operation.attributes.interpolation = mentions(call.name, {"bicubic"})   ? Interpolation::bicubic
                                       : mentions(call.name, {"nearest"}) ? Interpolation::nearest
                                                                          : Interpolation::bilinear;
  return {std::move(operation)};
}

/// Programs state the result, and may ask for it by factors. A gradient's argument is the sizes of
/// the input.
Operations resize(const OperatorCall& call) {
  const auto image = image_of(call["input"].tensor(), call.name);
  const auto gradient = image_of(call["gradient"].tensor(), call.name);
  const Sizes stated = call["sizes"].integers();
  if (gradient)
    return stated.size() == gradient->rank() ? resize_on(call, *gradient, stated, gradient->sizes)
                                             : Operations{};
  if (!image) return {};
  const Sizes result = call.result.value_or(with_positions(*image, stated));
  return result.size() == image->rank() ? resize_on(call, *image, image->sizes, result)
                                        : Operations{};
}

/// Rotates queries and keys in place by each position's row in a table of cosines and sines.
Operations rotary_embedding(const OperatorCall& call) {
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
  return traffic_on(call, {query, key, positions, &rows}, {turned}, *query->type);
}

/// Each key and value goes to its slot of a cache.
Operations write_cache(const OperatorCall& call) {
  const TensorArgument* key = call["key"].typed_tensor();
  const TensorArgument* value = call["value"].tensor();
  if (key == nullptr || value == nullptr) return {};
  const std::uint64_t written = element_count(key->sizes) + element_count(value->sizes);
  return traffic_on(call, {key, value}, {written}, *key->type);
}

struct Mover {
  std::string_view row;
  Operations (*operations)(const OperatorCall& call);
};

constexpr Mover movers[] = {
    {"copy", copy_between},
    {"copy_in_order", copy_of_same_size},
    {"pad", pad},
    {"concat", join},
    {"resize", resize},
    {"gather", pick_rows},
    {"gather_elements", pick_elements},
    {"index_select", pick_slices},
    {"index", pick_by_indices},
    {"index_put", put_by_indices},
    {"index_add", put_slices},
    {"scatter", put_slices},
    {"patches", patches},
    {"image_of_patches", image_of_patches},
    {"gradient_of_rows", embedding_gradient},
    {"sums_of_rows", embedding_bag},
    {"look_up", look_up},
    {"look_up_gradient", look_up_gradient},
    {"picked_loss", picked_loss},
    {"rotary_embedding", rotary_embedding},
    {"cache", write_cache},
};

}  // namespace

auto mover_of(const OperatorRow& row) -> Operations (*)(const OperatorCall& call) {
  const auto* mover = std::ranges::find(movers, row.name, &Mover::row);
  return mover != std::end(movers) ? mover->operations : nullptr;
}

}  // namespace roofline
