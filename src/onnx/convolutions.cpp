// Convolutions and pools: sliding windows with all defaults and padding rules.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/infer/shapes.hpp"
#include "model/text.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

using Numbers64 = std::vector<std::uint64_t>;

/// An attribute of `count` numbers of at least `least`; nullopt if missing.
std::optional<Numbers64> window_numbers(const Node& node, const char* name, std::size_t count,
                                        std::int64_t least) {
  const auto stated = ints_attribute(node, name);
  if (!stated) return std::nullopt;
  if (stated->size() != count) fail(concat(name, ": expected ", count, " numbers"), *stated);
  constexpr std::int64_t largest = 1LL << 40;
  for (const std::int64_t number : *stated)
    if (number < least || number > largest)
      fail(concat(name, ": expected an integer from ", least, " to ", largest), number);
  return Numbers64(stated->begin(), stated->end());
}

void read_axes(const Node& node, const char* name, std::size_t rank, std::int64_t least,
               Axes& axes) {
  if (const auto numbers = window_numbers(node, name, rank, least))
    std::copy(numbers->begin(), numbers->end(), axes.end() - static_cast<std::ptrdiff_t>(rank));
}

/// Pads a transposed convolution for an output of `wanted`; output padding adds the rest.
void pad_to_output(Window& window, std::size_t axis, std::uint64_t in, std::uint64_t wanted,
                   bool more_at_start) {
  window.pad_begin[axis] = window.pad_end[axis] = 0;
  const std::uint64_t unpadded = transposed_output_size(window, axis, in);
  if (wanted > unpadded) {
    window.output_padding[axis] += wanted - unpadded;
    return;
  }
  const std::uint64_t total = unpadded - wanted;
  window.pad_begin[axis] = more_at_start ? total - total / 2 : total / 2;
  window.pad_end[axis] = total - window.pad_begin[axis];
}

bool is_pool(const Node& node) {
  return node.row->kind == LayerKind::max_pool || node.row->kind == LayerKind::avg_pool;
}
bool is_transposed(const Node& node) { return node.row->kind == LayerKind::conv_transpose; }

void set_padding(const Node& node, const Sizes& in, Window& window) {
  const std::size_t rank = window.rank;
  const std::string rule = text_attribute(node, "auto_pad", "NOTSET");
  const bool upper = rule == "SAME_UPPER";
  const bool same = upper || rule == "SAME_LOWER";
  if (!same && rule != "NOTSET" && rule != "VALID")
    fail("auto_pad: expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", in_quotes(rule));
  const bool is_stated = !same && rule != "VALID";
  if (const auto pads = is_stated ? window_numbers(node, "pads", 2 * rank, 0) : std::nullopt) {
    const auto middle = pads->begin() + window.rank;
    std::copy(pads->begin(), middle, window.pad_begin.end() - window.rank);
    std::copy(middle, pads->end(), window.pad_end.end() - window.rank);
  }
  Axes wanted{0, 0, 0};
  if (is_transposed(node)) read_axes(node, "output_shape", rank, 1, wanted);
  for (std::size_t axis = 3 - rank; axis < 3; ++axis) {
    const auto size = static_cast<std::uint64_t>(in[axis + rank - 1]);
    if (is_transposed(node)) {
      if (same && wanted[axis] == 0) wanted[axis] = size * window.stride[axis];
      if (wanted[axis] != 0) pad_to_output(window, axis, size, wanted[axis], !upper);
    } else if (same) {
      set_same_padding(window, axis, size);
    }
  }
  if (same && !upper && !is_transposed(node)) std::swap(window.pad_begin, window.pad_end);
}

bool has_bias(const Node& node) {
  if (node.op == "DeformConv") return node.input(3) != nullptr;
  return node.op != "ConvInteger" && node.input(2) != nullptr;
}

const Sizes& weight_sizes(const Node& node, const Sizes& in) {
  const Sizes* weights = sizes_at(node, 1);
  if (weights == nullptr) fail("expected weights of known sizes", "none");
  if (weights->size() != in.size())
    fail("expected weights with as many axes as the operand " + integers_text(in), *weights);
  if (std::ranges::count(*weights, 0) != 0) fail("expected weights without empty axes", *weights);
  return *weights;
}

std::int64_t result_channels(const Node& node, const Sizes& in) {
  if (is_pool(node)) return in[1];
  const Sizes& weights = weight_sizes(node, in);
  const std::int64_t groups = int_attribute(node, "group", 1);
  const std::int64_t of_groups = product_or_throw({weights[1], groups});
  if (groups < 1 || (is_transposed(node) ? weights[0] : of_groups) != in[1])
    fail(concat("expected weights for the ", in[1], " channels of the operand in ", groups,
                " groups"),
         weights);
  return is_transposed(node) ? of_groups : weights[0];
}

/// Throws NodeError for an invalid window.
Window window_of(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  if (in.size() < 3 || in.size() > most_operand_sizes)
    fail("expected an operand [N, C, ...] with 1 to 3 spatial sizes", in);
  Window window;
  window.rank = static_cast<std::uint8_t>(in.size() - 2);
  const auto stated = ints_attribute(node, "kernel_shape");
  if (!is_pool(node)) {
    const Sizes& weights = weight_sizes(node, in);
    const Sizes kernel(weights.begin() + 2, weights.end());
    if (stated.value_or(kernel) != kernel)
      fail("kernel_shape: expected " + integers_text(kernel) + ", as the weights have", *stated);
    std::copy(kernel.begin(), kernel.end(), window.kernel.end() - window.rank);
  } else if (!stated) {
    fail(concat("kernel_shape: expected ", window.rank, " numbers"), "none");
  } else {
    read_axes(node, "kernel_shape", window.rank, 1, window.kernel);
  }
  read_axes(node, "strides", window.rank, 1, window.stride);
  read_axes(node, "dilations", window.rank, 1, window.dilation);
  read_axes(node, "output_padding", window.rank, 0, window.output_padding);
  set_padding(node, in, window);
  window.ceil_mode = is_pool(node) && int_attribute(node, "ceil_mode", 0) != 0;
  return window;
}

std::optional<Sizes> window_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const Window window = window_of(node);
  Sizes out{in[0], result_channels(node, in)};
  for (std::size_t axis = 3U - window.rank; axis < 3; ++axis) {
    const auto size = static_cast<std::uint64_t>(in[axis + window.rank - 1]);
    const std::uint64_t result = is_transposed(node) ? transposed_output_size(window, axis, size)
                                                     : window_output_size(window, axis, size);
    if (result == 0 && size != 0)
      throw NodeError{concat("expected a window that fits the padded operand, got one that spans ",
                             kernel_extent(window, axis), " on ", integers_text(in))};
    out.push_back(static_cast<std::int64_t>(result));
  }
  set_result(node, 1, out, element::int64);  // MaxPool's indices
  return out;
}

/// One window for each region: [regions, C, height, width].
std::optional<Sizes> region_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const Sizes& regions = sizes_of(node, 1);
  if (in.size() < 2 || regions.empty()) return std::nullopt;
  return Sizes{regions[0], in[1], int_attribute(node, "output_height", 1),
               int_attribute(node, "output_width", 1)};
}

AxesSpec spec_of(const Axes& axes, const Window& window) {
  return axes_list(Numbers64(axes.end() - window.rank, axes.end()));
}

Operation windowed(const Emitter& emitter, const Node& node, const Window& window) {
  Operation operation = operation_of(emitter, node, {});
  Attributes& attributes = operation.attributes;
  attributes.kernel = spec_of(window.kernel, window);
  attributes.stride = spec_of(window.stride, window);
  attributes.dilation = spec_of(window.dilation, window);
  attributes.padding = spec_of(window.pad_begin, window);
  attributes.ceil_mode = window.ceil_mode;
  const Numbers64 ends = spec_of(window.pad_end, window).numbers;
  Numbers64& padding = attributes.padding.numbers;
  if (ends != padding) padding.insert(padding.end(), ends.begin(), ends.end());
  return operation;
}

std::optional<Operation> convolved(const Emitter& emitter, const Node& node) {
  const Window window = window_of(node);
  Operation operation = windowed(emitter, node, window);
  Attributes& attributes = operation.attributes;
  attributes.channels = static_cast<std::uint64_t>((*node.outputs[0]->sizes)[1]);
  if (is_transposed(node)) attributes.output_padding = spec_of(window.output_padding, window);
  attributes.groups = static_cast<std::uint64_t>(int_attribute(node, "group", 1));
  attributes.bias = has_bias(node);
  return operation;
}

/// ONNX has a bias before the mask, and either may be missing.
std::optional<Operation> deformed(const Emitter& emitter, const Node& node) {
  auto operation = convolved(emitter, node);
  if (!operation || operation->operands.size() < 3) return std::nullopt;
  std::vector<Tensor>& operands = operation->operands;
  if (operands.size() > 3) operands.erase(operands.begin() + 3);
  if (operands.size() > 3 && !has_elements(node.input(4))) operands.pop_back();
  return operation;
}

std::optional<Operation> pooled(const Emitter& emitter, const Node& node) {
  return windowed(emitter, node, window_of(node));
}

std::vector<Traffic> indices(const Node& node) {
  Value* written = node.outputs.size() > 1 ? node.outputs[1] : nullptr;
  if (!is_read(written)) return {};
  return {{.part = "indices", .written = {written}}};
}

constexpr Operator convolution{.sizes = window_sizes, .state = convolved, .kind = LayerKind::conv};
constexpr Operator pool{.sizes = window_sizes, .state = pooled};

constexpr Operator convolution_rows[] = {
    rows_of("convolution", convolution),
    rows_of("deformable_convolution", {.needs = 3, .sizes = window_sizes, .state = deformed}),
    row("ConvInteger", convolution, element::int32),
    rows_of("transposed_convolution", convolution, LayerKind::conv_transpose),
    rows_of("avg_pool", pool, LayerKind::avg_pool),
    rows_of("max_pool", pool, indices, LayerKind::max_pool),
    row("RoiAlign", {.needs = 2}, region_sizes),
};

}  // namespace

std::span<const Operator> convolution_operators() { return convolution_rows; }

}  // namespace roofline::onnx_graph
