#include "load/onnx/window.hpp"

#include <algorithm>
#include <array>

#include "model/shapes.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr std::int64_t largest_size = 1LL << 40;

template <std::size_t Count>
bool is_one_of(const std::string& op, const std::array<std::string_view, Count>& names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

/// A list of one number an axis.
void read_axes(const Node& node, const char* name, std::size_t rank, std::int64_t least,
               Axes& axes) {
  const auto numbers = ints_attribute(node, name);
  if (!numbers) return;
  if (numbers->size() != rank)
    throw NodeError{std::string(name) + ": expected " + std::to_string(rank) + " numbers, got " +
                    list_text(*numbers)};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t number = (*numbers)[i];
    if (number < least || number > largest_size)
      throw NodeError{std::string(name) + ": expected an integer >= " + std::to_string(least) +
                      ", got " + std::to_string(number)};
    axes[3 - rank + i] = static_cast<std::uint64_t>(number);
  }
}

void read_pads(const Node& node, std::size_t rank, Window& window) {
  const auto numbers = ints_attribute(node, "pads");
  if (!numbers) return;
  if (numbers->size() != 2 * rank)
    throw NodeError{"pads: expected " + std::to_string(2 * rank) + " numbers, got " +
                    list_text(*numbers)};
  for (std::size_t i = 0; i < 2 * rank; ++i) {
    const std::int64_t number = (*numbers)[i];
    if (number < 0 || number > largest_size)
      throw NodeError{"pads: expected an integer >= 0, got " + std::to_string(number)};
    (i < rank ? window.pad_begin : window.pad_end)[3 - rank + i % rank] =
        static_cast<std::uint64_t>(number);
  }
}

/// The padding with which a transposed convolution has an output of that size; what padding cannot
/// give is added to the output.
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

void set_padding(const Node& node, const Sizes& in, Window& window) {
  const std::size_t rank = window.rank;
  const std::string rule = text_attribute(node, "auto_pad", "NOTSET");
  const bool upper = rule == "SAME_UPPER";
  const bool same = upper || rule == "SAME_LOWER";
  if (!same && rule != "VALID") read_pads(node, rank, window);
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

const Sizes& sizes_of_input(const Node& node, std::size_t input, const char* what) {
  const Value* value = node.input(input);
  if (value == nullptr || !value->sizes)
    throw NodeError{std::string("expected ") + what + " of known sizes, got none"};
  return *value->sizes;
}

const Sizes& image_sizes(const Node& node) {
  const Sizes& in = sizes_of_input(node, 0, "an operand");
  if (in.size() < 3 || in.size() > 5)
    throw NodeError{"expected an operand [N, C, ...] with 1 to 3 spatial sizes, got " +
                    list_text(in)};
  return in;
}

const Sizes& weight_sizes(const Node& node, const Sizes& in) {
  const Sizes& weights = sizes_of_input(node, weight_input(node), "weights");
  if (weights.size() != in.size())
    throw NodeError{"expected weights with as many axes as the operand " + list_text(in) +
                    ", got " + list_text(weights)};
  if (std::count(weights.begin(), weights.end(), 0) != 0)
    throw NodeError{"expected weights without empty axes, got " + list_text(weights)};
  return weights;
}

std::int64_t result_channels(const Node& node, const Sizes& in) {
  if (!is_convolution(node)) return in[1];
  const Sizes& weights = weight_sizes(node, in);
  const std::int64_t groups = int_attribute(node, "group", 1);
  if (groups < 1) throw NodeError{"group: expected an integer >= 1, got " + std::to_string(groups)};
  if (is_transposed(node)) {
    if (weights[0] != in[1])
      throw NodeError{"expected weights for the " + std::to_string(in[1]) +
                      " channels of the operand, got " + list_text(weights)};
    return product_or_throw({weights[1], groups});
  }
  if (weights[1] > in[1] || product_or_throw({weights[1], groups}) != in[1])
    throw NodeError{"expected weights for the " + std::to_string(in[1]) +
                    " channels of the operand in " + std::to_string(groups) + " groups, got " +
                    list_text(weights)};
  return weights[0];
}

}  // namespace

bool is_convolution(const Node& node) {
  constexpr std::array<std::string_view, 6> names{"Conv",        "ConvTranspose", "QLinearConv",
                                                  "ConvInteger", "FusedConv",     "DeformConv"};
  return is_one_of(node.op, names);
}

bool is_transposed(const Node& node) { return node.op == "ConvTranspose"; }

bool is_pool(const Node& node) {
  constexpr std::array<std::string_view, 3> names{"MaxPool", "AveragePool", "LpPool"};
  return is_one_of(node.op, names);
}

std::size_t weight_input(const Node& node) { return node.op == "QLinearConv" ? 3 : 1; }

Window window_of(const Node& node) {
  const Sizes& in = image_sizes(node);
  Window window;
  window.rank = static_cast<std::uint8_t>(in.size() - 2);
  if (is_convolution(node)) {
    const Sizes& weights = weight_sizes(node, in);
    for (std::size_t i = 0; i < window.rank; ++i)
      window.kernel[3U - window.rank + i] = static_cast<std::uint64_t>(weights[2 + i]);
  } else if (!ints_attribute(node, "kernel_shape")) {
    throw NodeError{"kernel_shape: expected " + std::to_string(window.rank) + " numbers, got none"};
  }
  read_axes(node, "kernel_shape", window.rank, 1, window.kernel);
  read_axes(node, "strides", window.rank, 1, window.stride);
  read_axes(node, "dilations", window.rank, 1, window.dilation);
  read_axes(node, "output_padding", window.rank, 0, window.output_padding);
  set_padding(node, in, window);
  window.ceil_mode = is_pool(node) && int_attribute(node, "ceil_mode", 0) != 0;
  return window;
}

Sizes window_result(const Node& node) {
  const Sizes& in = image_sizes(node);
  const Window window = window_of(node);
  Sizes out{in[0], result_channels(node, in)};
  for (std::size_t axis = 3U - window.rank; axis < 3; ++axis) {
    const auto size = static_cast<std::uint64_t>(in[axis + window.rank - 1]);
    const std::uint64_t result = is_transposed(node) ? transposed_output_size(window, axis, size)
                                                     : window_output_size(window, axis, size);
    if (result == 0 && size != 0)
      throw NodeError{"expected a window that fits the padded operand, got one that spans " +
                      std::to_string(kernel_extent(window, axis)) + " on " + list_text(in)};
    out.push_back(static_cast<std::int64_t>(result));
  }
  return out;
}

}  // namespace roofline::onnx_graph
