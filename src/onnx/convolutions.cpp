// Convolutions and pools: sliding windows, with every attribute's default and padding rule worked
// out.

#include <algorithm>

#include "model/infer/window.hpp"
#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr std::int64_t largest_size = 1LL << 40;

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

bool is_pool(const Node& node) {
  return node.row->kind == LayerKind::max_pool || node.row->kind == LayerKind::avg_pool;
}
bool is_transposed(const Node& node) { return node.row->kind == LayerKind::conv_transpose; }

/// Which input holds the weights.
std::size_t weight_input(const Node& node) { return node.op == "QLinearConv" ? 3 : 1; }

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
  if (is_pool(node)) return in[1];
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

/// The window of operands whose sizes are known and have at most three spatial axes. Throws
/// NodeError where an attribute makes no sense.
Window window_of(const Node& node) {
  const Sizes& in = image_sizes(node);
  Window window;
  window.rank = static_cast<std::uint8_t>(in.size() - 2);
  if (!is_pool(node)) {
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

void infer_window(Node& node) {
  if (sizes_at(node, 0) == nullptr) return;
  int type = type_at(node, 0);
  if (node.op == "ConvInteger") type = element::int32;
  if (node.op == "QLinearConv" && type_at(node, 7) != 0) type = type_at(node, 7);
  const Sizes sizes = window_result(node);
  set_result(node, 0, sizes, type);
  set_result(node, 1, sizes, element::int64);  // MaxPool's indices
}

/// Each channel's last positions, which stand before the first ones in the next call.
void infer_causal(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* weights = sizes_at(node, 1);
  if (in == nullptr || weights == nullptr || in->size() != 3 || weights->size() != 3) return;
  const std::int64_t kept = std::max<std::int64_t>(0, weights->back() - 1);
  node.made["pads"] = {kept, 0};
  node.made["group"] = {(*in)[1]};
  infer_window(node);
  set_result(node, 1, {(*in)[0], (*in)[1], kept}, type_at(node, 0));
}

void infer_global_pool(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  Sizes out = *in;
  for (std::size_t axis = 2; axis < out.size(); ++axis) out[axis] = 1;
  set_result(node, 0, out, type_at(node, 0));
}

/// The pool's operand again, of its results and where they stood.
void infer_unpool(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto kernel = ints_attribute(node, "kernel_shape");
  if (in == nullptr || !kernel || kernel->size() + 2 != in->size()) return;
  if (const auto stated = integers(node.input(2)))
    return set_result(node, 0, *stated, type_at(node, 0));
  const std::size_t rank = kernel->size();
  const Sizes strides = ints_attribute(node, "strides").value_or(Sizes(rank, 1));
  const Sizes pads = ints_attribute(node, "pads").value_or(Sizes(2 * rank, 0));
  if (strides.size() != rank || pads.size() != 2 * rank) return;
  Sizes out = *in;
  for (std::size_t i = 0; i < rank; ++i) {
    std::int64_t& size = out[2 + i];
    if (__builtin_mul_overflow(size - 1, strides[i], &size) ||
        __builtin_add_overflow(size, (*kernel)[i], &size) ||
        __builtin_sub_overflow(size, pads[i], &size) ||
        __builtin_sub_overflow(size, pads[rank + i], &size))
      throw OverflowError();
  }
  set_result(node, 0, out, type_at(node, 0));
}

/// Windows of an image, as many as there are regions: [regions, C, sizes...].
void infer_regions(Node& node, const Sizes& sizes) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* regions = sizes_at(node, 1);
  if (in == nullptr || regions == nullptr || in->size() < 2 || regions->empty()) return;
  Sizes out{regions->front(), (*in)[1]};
  out.insert(out.end(), sizes.begin(), sizes.end());
  set_result(node, 0, out, type_at(node, 0));
}

void infer_roi_align(Node& node) {
  infer_regions(node,
                {int_attribute(node, "output_height", 1), int_attribute(node, "output_width", 1)});
}

void infer_roi_pool(Node& node) {
  if (const auto sizes = ints_attribute(node, "pooled_shape")) infer_regions(node, *sizes);
}

AxesSpec axes_spec(const Axes& axes, std::size_t rank) {
  AxesSpec spec;
  spec.numbers.assign(axes.end() - static_cast<std::ptrdiff_t>(rank), axes.end());
  spec.is_list = true;
  return spec;
}

void set_window(const Window& window, LayerSpec& spec) {
  spec.kernel_size = axes_spec(window.kernel, window.rank);
  spec.stride = axes_spec(window.stride, window.rank);
  spec.dilation = axes_spec(window.dilation, window.rank);
  spec.padding = axes_spec(window.pad_begin, window.rank);
  const AxesSpec ends = axes_spec(window.pad_end, window.rank);
  if (ends.numbers != spec.padding.numbers)
    spec.padding.numbers.insert(spec.padding.numbers.end(), ends.numbers.begin(),
                                ends.numbers.end());
}

const Value* bias_of_convolution(const Node& node) {
  if (node.op == "QLinearConv") return node.input(8);
  if (node.op == "DeformConv") return node.input(3);
  return node.op == "ConvInteger" ? nullptr : node.input(2);
}

void emit_convolution(Emitter& emitter, const Node& node) {
  const Window window = window_of(node);
  const Value& weights = *node.input(weight_input(node));
  LayerSpec& spec = emitter.add(node, node.row->kind);
  spec.dtypes.weight = emitter.type_of(weights);
  spec.input = Emitter::operand(*node.input(0));
  spec.out_channels = static_cast<std::uint64_t>((*node.outputs[0]->sizes)[1]);
  set_window(window, spec);
  if (is_transposed(node)) spec.output_padding = axes_spec(window.output_padding, window.rank);
  spec.groups = static_cast<std::uint64_t>(int_attribute(node, "group", 1));
  spec.bias = bias_of_convolution(node) != nullptr;
  emitter.uses_weights(weights);
  emitter.writes(node.outputs[0]);
}

void emit_pool(Emitter& emitter, const Node& node) {
  const Window window = window_of(node);
  LayerSpec& spec = emitter.add(node, node.row->kind);
  spec.input = Emitter::operand(*node.input(0));
  set_window(window, spec);
  spec.ceil_mode = window.ceil_mode;
  for (Value* result : node.outputs) emitter.writes(result);
}

void emit_global_pool(Emitter& emitter, const Node& node) {
  const std::size_t rank = node.input(0)->sizes->size();
  if (rank < 3 || rank > 5) return emit_reduction(emitter, node);
  emit_global_average(emitter, node);
}

constexpr Operator convolution{
    .sizes = infer_window, .layer = emit_convolution, .kind = LayerKind::conv};
constexpr Operator pool{.sizes = infer_window, .layer = emit_pool};

constexpr Operator convolution_rows[] = {
    row("Conv", convolution),
    row("ConvInteger", convolution),
    row("ConvTranspose", convolution, LayerKind::conv_transpose),
    row("DeformConv", convolution),
    row("FusedConv", convolution),
    row("QLinearConv", convolution),
    row("AveragePool", pool, LayerKind::avg_pool),
    row("LpPool", pool, LayerKind::avg_pool),
    row("MaxPool", pool, LayerKind::max_pool),
    {.name = "CausalConvWithState",
     .sizes = infer_causal,
     .layer = emit_convolution,
     .kind = LayerKind::conv},
    {.name = "GlobalAveragePool", .sizes = infer_global_pool, .layer = emit_global_pool},
    {.name = "GlobalLpPool", .sizes = infer_global_pool, .layer = emit_reduction},
    {.name = "GlobalMaxPool", .sizes = infer_global_pool, .layer = emit_reduction},
    {.name = "MaxRoiPool", .sizes = infer_roi_pool},
    {.name = "MaxUnpool", .sizes = infer_unpool},
    {.name = "RoiAlign", .sizes = infer_roi_align},
};

}  // namespace

std::span<const Operator> convolution_operators() { return convolution_rows; }

}  // namespace roofline::onnx_graph
