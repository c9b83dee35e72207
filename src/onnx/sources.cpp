// Tensors that follow from no other's elements: constants, sizes, counts, random numbers.

#include <algorithm>
#include <cmath>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// The tensor or numbers that a Constant states.
void infer_constant(Node& node) {
  const auto count = [&](const AttributeProto& attribute) {
    return static_cast<std::int64_t>(attribute.ints.size() + attribute.floats.size());
  };
  if (node.proto == nullptr || node.proto->attributes.size() != 1) return;
  const AttributeProto* attribute = find_attribute(node, node.proto->attributes.front().name);
  if (attribute == nullptr) return;
  const std::string& name = node.proto->attributes.front().name;
  if (attribute->tensor != nullptr)
    set_result(node, 0, attribute->tensor->sizes, attribute->tensor->type);
  else if (name == "value_float")
    set_result(node, 0, {}, element::float32);
  else if (name == "value_int")
    set_result(node, 0, {}, element::int64);
  else if (name == "value_floats")
    set_result(node, 0, {count(*attribute)}, element::float32);
  else if (name == "value_ints")
    set_result(node, 0, {count(*attribute)}, element::int64);
}

std::optional<Numbers> fold_constant(const Node& node) {
  const AttributeProto* value = find_attribute(node, "value");
  if (value != nullptr && value->tensor != nullptr) return value->tensor->numbers;
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
void infer_constant_of_shape(Node& node) {
  const auto shape = integers(node.input(0));
  const auto* value = find_attribute(node, "value");
  const bool is_stated = value != nullptr && value->tensor != nullptr;
  const int type = is_stated ? value->tensor->type : static_cast<int>(element::float32);
  if (shape) set_result(node, 0, *shape, type);
}

std::optional<Numbers> fold_constant_of_shape(const Node& node) {
  const auto* value = find_attribute(node, "value");
  const auto fill = value != nullptr && value->tensor != nullptr ? value->tensor->numbers
                                                                 : std::optional(Numbers{0});
  if (!fill || fill->empty()) return std::nullopt;
  return Numbers(static_cast<std::size_t>(*product(*node.outputs[0]->sizes)), fill->front());
}

void infer_range(Node& node) {
  for (const Value* input : node.inputs)
    if (input == nullptr || !input->numbers || input->numbers->size() != 1) return;
  if (node.inputs.size() != 3) return;
  const double span = node.inputs[1]->numbers->front() - node.inputs[0]->numbers->front();
  const double step = node.inputs[2]->numbers->front();
  if (step == 0) throw NodeError{"delta: expected a number that is not 0, got 0"};
  set_result(node, 0, {std::max<std::int64_t>(0, whole_number(std::ceil(span / step)))},
             type_at(node, 0));
}

std::optional<Numbers> fold_range(const Node& node) {
  const double start = numbers_of(node, 0).at(0);
  const double step = numbers_of(node, 2).at(0);
  Numbers out;
  for (std::int64_t i = 0; i < node.outputs[0]->sizes->at(0); ++i)
    out.push_back(start + static_cast<double>(i) * step);
  return out;
}

/// The axes that Shape tells the sizes of.
std::pair<std::int64_t, std::int64_t> shape_bounds(const Node& node, const Sizes& sizes) {
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t stated = int_attribute(node, name, otherwise);
    return std::clamp<std::int64_t>(stated < 0 ? stated + rank : stated, 0, rank);
  };
  const std::int64_t start = bound("start", 0);
  return {start, std::max(start, bound("end", rank))};
}

void infer_shape(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const auto [start, end] = shape_bounds(node, *in);
  set_result(node, 0, {end - start}, element::int64);
}

std::optional<Numbers> fold_shape(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto [start, end] = shape_bounds(node, in);
  return Numbers(in.begin() + start, in.begin() + end);
}

void infer_size(Node& node) {
  if (sizes_at(node, 0) != nullptr) set_result(node, 0, {}, element::int64);
}

std::optional<Numbers> fold_size(const Node& node) {
  return Numbers{static_cast<double>(product_or_throw(sizes_of(node, 0)))};
}

// Of stated sizes, in a stated type.

int stated_type(const Node& node, const char* attribute, int otherwise) {
  return static_cast<int>(int_attribute(node, attribute, otherwise));
}

void infer_like_shape(Node& node) {
  if (const Sizes* in = sizes_at(node, 0))
    set_result(node, 0, *in, stated_type(node, "dtype", type_at(node, 0)));
}

void infer_random(Node& node) {
  if (const auto shape = ints_attribute(node, "shape"))
    set_result(node, 0, *shape, stated_type(node, "dtype", element::float32));
}

void infer_multinomial(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in != nullptr && in->size() == 2)
    set_result(node, 0, {in->front(), int_attribute(node, "sample_size", 1)},
               stated_type(node, "dtype", element::int32));
}

/// Windows of signals, and their transforms.
void infer_window_function(Node& node) {
  if (const auto size = integers(node.input(0)); size && size->size() == 1)
    set_result(node, 0, *size, stated_type(node, "output_datatype", element::float32));
}

/// Frequencies of a real signal: half of them are the others' mirror.
std::int64_t frequencies(const Node& node, std::int64_t length, std::int64_t one_sided) {
  return int_attribute(node, "onesided", one_sided) != 0 ? length / 2 + 1 : length;
}

/// [..., 2] complex numbers along an axis, which is an operand from set 20 on.
void infer_fourier(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr || in->empty()) return;
  const auto stated = integers(node.input(2));
  const std::int64_t axis = stated && stated->size() == 1
                                ? stated->front()
                                : int_attribute(node, "axis", node.row->first_set < 20 ? 1 : -2);
  const auto length = integers(node.input(1));
  Sizes out = *in;
  std::int64_t& size = out[axis_or_throw(axis, in->size())];
  size = frequencies(node, length && length->size() == 1 ? length->front() : size, 0);
  out.back() = 2;
  set_result(node, 0, out, type_at(node, 0));
}

/// [batch, frames, frequencies, 2] of a signal [batch, length, ...] in frames of a window.
void infer_short_fourier(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* window = sizes_at(node, 2);
  const auto step = integers(node.input(1));
  const auto stated = integers(node.input(3));
  if (in == nullptr || in->size() < 2 || !step || step->size() != 1 || step->front() < 1) return;
  if (!(stated && stated->size() == 1) && (window == nullptr || window->size() != 1)) return;
  const std::int64_t length = stated ? stated->front() : window->front();
  if (length < 1 || length > (*in)[1]) return;
  set_result(node, 0,
             {(*in)[0], ((*in)[1] - length) / step->front() + 1, frequencies(node, length, 1), 2},
             type_at(node, 0));
}

void infer_mel_weights(Node& node) {
  const auto bins = integers(node.input(0));
  const auto length = integers(node.input(1));
  if (bins && length && bins->size() == 1 && length->size() == 1 && length->front() >= 0)
    set_result(node, 0, {length->front() / 2 + 1, bins->front()},
               stated_type(node, "output_datatype", element::float32));
}

constexpr Operator source_rows[] = {
    {.name = "Constant", .sizes = infer_constant, .fold = fold_constant, .needs = 0},
    {.name = "ConstantOfShape",
     .sizes = infer_constant_of_shape,
     .fold = fold_constant_of_shape,
     .needs = 0},
    {.name = "Range", .sizes = infer_range, .fold = fold_range, .needs = 3},
    {.name = "Shape", .sizes = infer_shape, .fold = fold_shape, .reads_sizes_only = true},
    {.name = "Size", .sizes = infer_size, .fold = fold_size, .reads_sizes_only = true},
    {.name = "Bernoulli", .sizes = infer_like_shape},
    {.name = "BlackmanWindow", .sizes = infer_window_function},
    {.name = "DFT", .first_set = 17, .sizes = infer_fourier},
    {.name = "DFT", .first_set = 20, .sizes = infer_fourier},
    {.name = "EyeLike", .sizes = infer_like_shape},
    {.name = "HammingWindow", .sizes = infer_window_function},
    {.name = "HannWindow", .sizes = infer_window_function},
    {.name = "MelWeightMatrix", .sizes = infer_mel_weights},
    {.name = "Multinomial", .sizes = infer_multinomial},
    {.name = "RandomNormal", .sizes = infer_random},
    {.name = "RandomNormalLike", .sizes = infer_like_shape},
    {.name = "RandomUniform", .sizes = infer_random},
    {.name = "RandomUniformLike", .sizes = infer_like_shape},
    {.name = "STFT", .sizes = infer_short_fourier},
};

}  // namespace

std::span<const Operator> source_operators() { return source_rows; }

}  // namespace roofline::onnx_graph
