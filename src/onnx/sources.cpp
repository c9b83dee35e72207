// Tensors that follow from no other's elements: constants, sizes, counts, random numbers.

#include <algorithm>
#include <cmath>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// A Constant states a tensor, a number or a list of numbers, in an attribute of one of these
/// names.
std::optional<Sizes> constant_sizes(Node& node) {
  int& type = node.outputs[0]->type;
  if (const TensorProto* tensor = tensor_attribute(node, "value")) {
    type = tensor->type;
    return tensor->sizes;
  }
  for (const std::string_view name : {"value_float", "value_floats", "value_int", "value_ints"}) {
    const AttributeProto* stated = find_attribute(node, name);
    if (stated == nullptr) continue;
    type = name.starts_with("value_float") ? element::float32 : element::int64;
    if (!name.ends_with('s')) return Sizes{};
    return Sizes{static_cast<std::int64_t>(stated->ints.size() + stated->floats.size())};
  }
  return std::nullopt;
}

std::optional<Numbers> fold_constant(const Node& node) {
  if (const TensorProto* tensor = tensor_attribute(node, "value")) return tensor->numbers;
  for (const char* name : {"value_float", "value_floats", "value_int", "value_ints"}) {
    const AttributeProto* stated = find_attribute(node, name);
    if (stated == nullptr) continue;
    if (stated->f) return Numbers{*stated->f};
    if (stated->i) return Numbers{static_cast<double>(*stated->i)};
    if (!stated->floats.empty()) return stated->floats;
    return Numbers(stated->ints.begin(), stated->ints.end());
  }
  return std::nullopt;
}

/// Filled with one number; zero of type float where none is stated.
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

/// Numbers from a start up to an end, by steps.
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

/// The sizes that Shape tells: of all axes, or of those from "start" up to "end".
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

std::optional<Numbers> fold_size(const Node& node) {
  return Numbers{static_cast<double>(product_or_throw(sizes_of(node, 0)))};
}

// Stated sizes, in a stated type.

void set_stated_type(Node& node, int otherwise) {
  node.outputs[0]->type = static_cast<int>(int_attribute(node, "dtype", otherwise));
}

std::optional<Sizes> same_sizes(Node& node) {
  set_stated_type(node, type_at(node, 0));
  return sizes_of(node, 0);
}

std::optional<Sizes> random_sizes(Node& node) {
  set_stated_type(node, element::float32);
  return ints_attribute(node, "shape");
}

constexpr Operator source_rows[] = {
    {.name = "Constant", .needs = 0, .sizes = constant_sizes, .fold = fold_constant},
    {.name = "ConstantOfShape", .sizes = filled_sizes, .fold = fold_filled},
    {.name = "Range", .needs = 3, .sizes = range_sizes, .fold = fold_range},
    {.name = "Shape",
     .sizes = shape_sizes,
     .type = element::int64,
     .fold = fold_shape,
     .reads_sizes_only = true},
    {.name = "Size",
     .sizes = [](Node& /*node*/) { return std::optional(Sizes{}); },
     .type = element::int64,
     .fold = fold_size,
     .reads_sizes_only = true},
    {.name = "Bernoulli EyeLike RandomNormalLike RandomUniformLike", .sizes = same_sizes},
    {.name = "RandomNormal RandomUniform", .needs = 0, .sizes = random_sizes},
};

}  // namespace

std::span<const Operator> source_operators() { return source_rows; }

}  // namespace roofline::onnx_graph
