// Selects elements by place, index or value; and tensors made of no elements. A count that depends
// on data is the most possible.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

struct Slice {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

Slice slice_of(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) fail("steps: expected a number that is not 0", "0");
  constexpr std::int64_t longest_step = 1LL << 31;
  step = std::clamp(step, -longest_step, longest_step);
  if (size == 0) return {0, step, 0};
  if (start < 0) start += size;
  if (end < 0) end += size;
  const std::int64_t low = step < 0 ? -1 : 0;
  const std::int64_t high = step < 0 ? size - 1 : size;
  start = std::max<std::int64_t>(0, std::min(start, high));
  end = std::max(low, std::min(end, size));
  const std::int64_t span = step < 0 ? start - end : end - start;
  return {start, step, span <= 0 ? 0 : (span - 1) / std::abs(step) + 1};
}

/// One for each axis; nullopt if bounds depend on data. Throws NodeError.
std::optional<std::vector<Slice>> slices_of(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto starts = ints_attribute_or_input(node, "starts", 1);
  const auto ends = ints_attribute_or_input(node, "ends", 2);
  const auto axes = ints_attribute_or_input(node, "axes", 3);
  const auto steps = integers(node.input(4));
  if (!starts || !ends || (node.input(3) != nullptr && !axes)) return std::nullopt;
  std::vector<Slice> slices;
  for (const std::int64_t size : in) slices.push_back({0, 1, size});
  for (std::size_t i = 0; i < starts->size(); ++i) {
    if (i >= ends->size() || (axes && i >= axes->size()) || (steps && i >= steps->size()))
      fail("expected as many ends, axes and steps as starts",
           integers_text(*starts) + " and " + integers_text(*ends));
    const std::size_t axis =
        axis_or_throw(axes ? (*axes)[i] : static_cast<std::int64_t>(i), in.size());
    slices[axis] = slice_of(in[axis], (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1);
  }
  return slices;
}

std::optional<Sizes> slice_sizes(Node& node) {
  const auto slices = slices_of(node);
  node.is_largest = !slices;
  if (!slices) return sizes_of(node, 0);
  return each_of(*slices, &Slice::count);
}

std::optional<Numbers> fold_slice(const Node& node) {
  const auto slices = slices_of(node);
  if (!slices) return std::nullopt;
  return of_each_index(node, [&](Sizes index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] = slices->at(axis).first + index[axis] * slices->at(axis).step;
    return element_at(node, 0, index);
  });
}

/// A whole axis in order is a view.
std::optional<Operation> sliced(const Emitter& emitter, const Node& node) {
  const auto steps = integers(node.input(4));
  const bool is_forward =
      !steps || std::ranges::all_of(*steps, [](std::int64_t step) { return step > 0; });
  const Sizes& result = *node.outputs[0]->sizes;
  return is_forward && sizes_of(node, 0) == result ? view_of(node) : copy_of(emitter, node, result);
}

std::optional<Sizes> gather_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, 0, in.size());
  return chained(chained(part(in, 0, axis), sizes_of(node, 1)), part(in, axis + 1));
}

std::optional<Numbers> fold_gather(const Node& node) {
  const Sizes& data = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, 0, data.size());
  const std::size_t behind = axis + sizes_of(node, 1).size();
  return of_each_index(node, [&](const Sizes& index) {
    const std::int64_t chosen = whole_number(element_at(node, 1, part(index, axis, behind)));
    const std::int64_t row = chosen < 0 ? chosen + data[axis] : chosen;
    return element_at(node, 0, chained(chained(part(index, 0, axis), {row}), part(index, behind)));
  });
}

/// Reads only the chosen slices; rows with their indices, unless these are known as a slice's are.
std::optional<Operation> gathered(const Emitter& emitter, const Node& node) {
  const Value& table = *node.input(0);
  const Sizes& sizes = *table.sizes;
  const bool is_table = table.learned == product_or_throw(sizes);
  if (!is_table && node.input(1)->numbers) return copy_of(emitter, node, *node.outputs[0]->sizes);
  const std::size_t axis = axis_of(node, 0, sizes.size());
  Operation operation = operation_of(emitter, node, {.axes = {1}});
  operation.operands = {emitter.typed(table, {1, product_or_throw(part(sizes, 0, axis + 1)),
                                              product_or_throw(part(sizes, axis + 1))})};
  return operation;
}

std::optional<Sizes> like_second(Node& node) { return sizes_of(node, 1); }

std::optional<Operation> picked_elements(const Emitter& emitter, const Node& node) {
  const Value& indices = *node.input(1);
  auto operation = bytes_of(emitter, node);
  operation->operands = {emitter.typed(*node.input(0), *indices.sizes),
                         emitter.typed(indices, *indices.sizes)};
  return operation;
}

/// Indices of elements that are not 0: all of them, if that depends on data.
std::optional<Sizes> non_zero_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto& numbers = node.input(0)->numbers;
  node.is_largest = !numbers;
  const std::int64_t count = numbers
                                 ? std::ranges::count_if(*numbers, [](double x) { return x != 0; })
                                 : product_or_throw(in);
  return Sizes{static_cast<std::int64_t>(in.size()), count};
}

/// [boxes, 4] candidates and [batch, classes, boxes] scores: the most that each class keeps.
std::optional<Sizes> non_max_suppression_sizes(Node& node) {
  const Sizes& scores = sizes_of(node, 1);
  if (scores.size() != 3) return std::nullopt;
  const std::int64_t most = std::max<std::int64_t>(0, integer(node.input(2)).value_or(scores[2]));
  node.is_largest = true;
  return Sizes{product_or_throw({scores[0], scores[1], std::min(scores[2], most)}), 3};
}

std::optional<Sizes> top_k_sizes(Node& node) {
  Sizes out = sizes_of(node, 0);
  std::int64_t& size = out[axis_of(node, -1, out.size())];
  const bool is_attribute = find_attribute(node, "k") != nullptr;
  const auto k =
      is_attribute ? std::optional(int_attribute(node, "k", size)) : integer(node.input(1));
  node.is_largest = !k;
  size = std::clamp<std::int64_t>(k.value_or(size), 0, size);
  set_result(node, 1, out, element::int64);
  return out;
}

std::optional<Sizes> one_hot_sizes(Node& node) {
  const auto depth = integer(node.input(1));
  if (!depth) return std::nullopt;
  Sizes out = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, -1, out.size() + 1);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), *depth);
  node.outputs[0]->type = type_at(node, 2);
  return out;
}

/// A tensor, a number or a list, by the attribute's name.
std::optional<TensorProto> stated_constant(const Node& node) {
  if (const TensorProto* tensor = tensor_attribute(node, "value")) return *tensor;
  for (const std::string_view name : {"value_float", "value_floats", "value_int", "value_ints"}) {
    const AttributeProto* stated = find_attribute(node, name);
    if (stated == nullptr) continue;
    TensorProto tensor;
    tensor.type = name.starts_with("value_float") ? element::float32 : element::int64;
    Numbers& numbers = tensor.numbers.emplace(stated->ints.begin(), stated->ints.end());
    numbers.insert(numbers.end(), stated->floats.begin(), stated->floats.end());
    if (name.ends_with('s'))
      tensor.sizes = {static_cast<std::int64_t>(numbers.size())};
    else
      numbers = {stated->f.value_or(static_cast<double>(stated->i.value_or(0)))};
    return tensor;
  }
  return std::nullopt;
}

std::optional<Sizes> constant_sizes(Node& node) {
  const auto stated = stated_constant(node);
  if (!stated) return std::nullopt;
  node.outputs[0]->type = stated->type;
  return stated->sizes;
}

std::optional<Numbers> fold_constant(const Node& node) { return stated_constant(node)->numbers; }

/// Zero of type float by default.
std::optional<Sizes> filled_sizes(Node& node) {
  const TensorProto* value = tensor_attribute(node, "value");
  node.outputs[0]->type = value != nullptr ? value->type : static_cast<int>(element::float32);
  return integers(node.input(0));
}

std::optional<Numbers> fold_filled(const Node& node) {
  const TensorProto* value = tensor_attribute(node, "value");
  const auto fill = value != nullptr ? value->numbers : std::optional(Numbers{0});
  if (!fill || fill->empty()) return std::nullopt;
  return Numbers(static_cast<std::size_t>(*product(*node.outputs[0]->sizes)), fill->front());
}

std::optional<Sizes> range_sizes(Node& node) {
  const auto start = constant_scalar(node.input(0));
  const auto end = constant_scalar(node.input(1));
  const auto step = constant_scalar(node.input(2));
  if (!start || !end || !step) return std::nullopt;
  if (*step == 0) fail("delta: expected a number that is not 0", "0");
  return Sizes{std::max<std::int64_t>(0, whole_number(std::ceil((*end - *start) / *step)))};
}

std::optional<Numbers> fold_range(const Node& node) {
  const double start = numbers_of(node, 0).at(0);
  const double step = numbers_of(node, 2).at(0);
  Numbers out;
  for (std::int64_t i = 0; i < node.outputs[0]->sizes->at(0); ++i)
    out.push_back(start + static_cast<double>(i) * step);
  return out;
}

/// Shape: all axes, or those from "start" up to "end".
Sizes told_sizes(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t stated = int_attribute(node, name, otherwise);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(stated < 0 ? stated + rank : stated, 0, rank));
  };
  const std::size_t start = bound("start", 0);
  return part(in, start, std::max(start, bound("end", rank)));
}

std::optional<Sizes> shape_sizes(Node& node) {
  return Sizes{static_cast<std::int64_t>(told_sizes(node).size())};
}

std::optional<Numbers> fold_shape(const Node& node) {
  const Sizes told = told_sizes(node);
  return Numbers(told.begin(), told.end());
}

std::optional<Sizes> scalar_sizes(Node& /*node*/) { return Sizes{}; }

std::optional<Numbers> fold_size(const Node& node) {
  return Numbers{static_cast<double>(product_or_throw(sizes_of(node, 0)))};
}

constexpr Operator selection_rows[] = {
    row("Gather", {.needs = 2}, gather_sizes, fold_gather, gathered),
    row("GatherElements", {.needs = 2}, like_second, picked_elements),
    row("NonMaxSuppression", {.needs = 2}, non_max_suppression_sizes, element::int64),
    row("NonZero", {}, non_zero_sizes, element::int64),
    row("OneHot", {}, one_hot_sizes),
    row("Slice", {}, slice_sizes, fold_slice, sliced),
    row("TopK", {}, top_k_sizes),
    row("Scatter ScatterElements ScatterND", {}, like_first, bytes_of),
    row("Constant", {.needs = 0}, constant_sizes, fold_constant),
    row("ConstantOfShape", {}, filled_sizes, fold_filled),
    row("Range", {.needs = 3}, range_sizes, fold_range),
    row("Shape", {.reads_sizes_only = true}, shape_sizes, element::int64, fold_shape),
    row("Size", {.reads_sizes_only = true}, scalar_sizes, element::int64, fold_size),
    row("Bernoulli EyeLike RandomNormalLike RandomUniformLike", {}, like_first),
};

}  // namespace

std::span<const Operator> selection_operators() { return selection_rows; }

}  // namespace roofline::onnx_graph
