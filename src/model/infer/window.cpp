#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/infer/shapes.hpp"
#include "model/layer_kind.hpp"
#include "model/sizes.hpp"
#include "model/text.hpp"

namespace roofline {

std::uint64_t kernel_extent(const Window& window, std::size_t axis) {
  return checked_add(checked_mul(window.dilation[axis], window.kernel[axis] - 1), 1);
}

std::uint64_t window_output_size(const Window& window, std::size_t axis, std::uint64_t input_size) {
  const std::uint64_t extent = kernel_extent(window, axis);
  const std::uint64_t padded =
      checked_add(input_size, window.pad_begin[axis], window.pad_end[axis]);
  if (extent > padded) return 0;
  const std::uint64_t stride = window.stride[axis];
  const std::uint64_t steps = (padded - extent) / stride;
  const bool partial = (padded - extent) % stride != 0;
  if (window.ceil_mode && partial &&
      checked_mul(steps + 1, stride) < input_size + window.pad_begin[axis])
    return steps + 2;
  return steps + 1;
}

std::uint64_t transposed_output_size(const Window& window, std::size_t axis,
                                     std::uint64_t input_size) {
  const std::uint64_t full = checked_add(checked_mul(input_size - 1, window.stride[axis]),
                                         kernel_extent(window, axis), window.output_padding[axis]);
  const std::uint64_t padding = checked_add(window.pad_begin[axis], window.pad_end[axis]);
  return full > padding ? full - padding : 0;
}

void set_same_padding(Window& window, std::size_t axis, std::uint64_t input_size) {
  const std::uint64_t stride = window.stride[axis];
  const std::uint64_t output_size = (input_size - 1) / stride + 1;
  const std::uint64_t needed =
      checked_add(checked_mul(output_size - 1, stride), kernel_extent(window, axis));
  const std::uint64_t total = needed > input_size ? needed - input_size : 0;
  window.pad_begin[axis] = total / 2;
  window.pad_end[axis] = total - total / 2;
}

namespace {

constexpr AxesFields kernel_axes{"kernel_size", "r", "s"};
constexpr AxesFields stride_fields{"stride", "stride_h", "stride_w"};
constexpr AxesFields dilation_fields{"dilation", "dil_h", "dil_w"};
constexpr AxesFields padding_fields{"padding", "pad_h", "pad_w"};
/// A field without a spelling by height and width.
constexpr AxesFields alone(std::string_view field) { return {field, field, field}; }

/// The rank fixed by the type or the number of kernel sizes.
std::optional<std::uint8_t> window_rank(const LayerSpec& spec) {
  if (spec.rank) return spec.rank;
  const std::size_t sizes = spec.kernel_size.numbers.size();
  if (spec.kernel_size.is_list && sizes >= 1 && sizes <= 3) return static_cast<std::uint8_t>(sizes);
  return std::nullopt;
}

/// Sets a window's operand and returns its rank. An inherited operand must have the window's rank.
std::uint8_t set_operand(const LayerSpec& spec, std::optional<std::uint8_t> rank,
                         const LayerScope& scope, Layer& layer) {
  layer.inputs = {infer_operand(spec, scope, rank)};
  const Shape& shape = layer.inputs.front().shape;
  const std::uint8_t own =
      rank.value_or(shape.spatial_rank == 0 ? std::uint8_t{2} : shape.spatial_rank);
  if (shape.spatial_rank != own)
    fail_layer(concat("expected an input with ", own, " spatial sizes, got ", to_text(shape),
                      "; the type can be given as ", info(layer.kind).name, shape.spatial_rank,
                      "d"));
  layer.output.batch = shape.batch;
  return own;
}

void require_positive(const Axes& axes, const AxesFields& fields) {
  for (const std::uint64_t number : axes)
    if (number == 0) fail(fields.all, "expected an integer >= 1, got 0");
}

void set_padding(const LayerSpec& spec, const Shape& input, Window& window) {
  const AxesSpec& padding = spec.padding;
  const std::size_t first = 3U - window.rank;
  if (padding.rule != PaddingRule::numbers) {
    if (padding.height || padding.width) fail_twice(padding.height ? "pad_h" : "pad_w", "padding");
    if (padding.rule == PaddingRule::valid) return;
    for (std::size_t axis = first; axis < 3; ++axis)
      set_same_padding(window, axis, input.spatial[axis]);
    if (padding.rule == PaddingRule::same_lower) std::swap(window.pad_begin, window.pad_end);
    return;
  }
  if (window.rank > 0 && padding.numbers.size() == std::size_t{2} * window.rank) {
    if (padding.height || padding.width) fail_twice(padding.height ? "pad_h" : "pad_w", "padding");
    for (std::size_t i = 0; i < window.rank; ++i) {
      window.pad_begin[first + i] = padding.numbers[i];
      window.pad_end[first + i] = padding.numbers[window.rank + i];
    }
    return;
  }
  if (const auto numbers = read_axes(padding, window.rank, padding_fields, 0))
    window.pad_begin = window.pad_end = *numbers;
}

Window stated_window(const LayerSpec& spec, std::uint8_t rank, const Layer& layer) {
  Window window;
  window.rank = rank;
  const auto kernel = read_axes(spec.kernel_size, window.rank, kernel_axes, 1);
  if (!kernel) fail_missing("kernel_size", concat("an integer >= 1 or a list of ", window.rank));
  window.kernel = *kernel;
  const bool pool = info(layer.kind).family == KindFamily::pool;
  window.stride = read_axes(spec.stride, window.rank, stride_fields, 1)
                      .value_or(pool ? window.kernel : Axes{1, 1, 1});
  window.dilation =
      read_axes(spec.dilation, window.rank, dilation_fields, 1).value_or(Axes{1, 1, 1});
  require_positive(window.kernel, kernel_axes);
  require_positive(window.stride, stride_fields);
  require_positive(window.dilation, dilation_fields);
  set_padding(spec, layer.inputs.front().shape, window);
  window.ceil_mode = spec.ceil_mode;
  window.output_padding = read_axes(spec.output_padding, window.rank, alone("output_padding"), 0)
                              .value_or(Axes{0, 0, 0});
  return window;
}

/// Equal windows side by side that cover the input; PyTorch's overlap by up to one element where
/// the result's size is no divisor.
Window adaptive_window(const LayerSpec& spec, std::uint8_t rank, const Shape& in) {
  if (!spec.kernel_size.empty()) fail_twice("output_size", "kernel_size");
  Window window;
  window.rank = rank;
  const Axes sizes = *read_axes(spec.output_size, rank, alone("output_size"), 1);
  require_positive(sizes, alone("output_size"));
  for (std::size_t axis = 3U - rank; axis < 3; ++axis) {
    if (sizes[axis] > in.spatial[axis])
      fail("output_size", concat("expected at most ", in.spatial[axis], ", the input's ",
                                 axis_name(axis), ", got ", sizes[axis]));
    window.stride[axis] = in.spatial[axis] / sizes[axis];
    window.kernel[axis] = in.spatial[axis] - (sizes[axis] - 1) * window.stride[axis];
  }
  return window;
}

/// Shares the window of one of the preceding layers: a network has only a few different ones.
SharedValue<Window> shared(const Window& window, const std::vector<Layer>& before) {
  constexpr std::size_t shortly = 8;
  const std::size_t count = std::min(shortly, before.size());
  for (std::size_t i = 1; i <= count; ++i)
    if (const SharedValue<Window>& other = before[before.size() - i].window; other == window)
      return other;
  return window;
}

[[noreturn]] void fail_to_fit(const Layer& layer, std::size_t axis) {
  const Shape& in = layer.inputs.front().shape;
  if (layer.kind == LayerKind::conv_transpose)
    fail("padding", "expected an output of at least 1, got padding that leaves nothing of the " +
                        axis_name(axis));
  fail("kernel_size",
       concat("expected a kernel that fits the padded input, got one that spans ",
              kernel_extent(*layer.window, axis), " where the ", axis_name(axis),
              " with padding is ",
              in.spatial[axis] + layer.window->pad_begin[axis] + layer.window->pad_end[axis]));
}

void slide_window(Layer& layer) {
  const Shape& in = layer.inputs.front().shape;
  layer.output.spatial_rank = layer.window->rank;
  for (std::size_t axis = 3U - layer.window->rank; axis < 3; ++axis) {
    const std::uint64_t size = layer.kind == LayerKind::conv_transpose
                                   ? transposed_output_size(*layer.window, axis, in.spatial[axis])
                                   : window_output_size(*layer.window, axis, in.spatial[axis]);
    if (size == 0) fail_to_fit(layer, axis);
    layer.output.spatial[axis] = size;
  }
}

std::uint64_t groups_of(const LayerSpec& spec, std::uint64_t in_channels) {
  if (spec.depthwise && spec.groups.value_or(in_channels) != in_channels)
    fail_twice("depthwise", "groups");
  if (spec.depthwise) return in_channels;
  const std::uint64_t groups = spec.groups.value_or(1);
  if (groups == 0) fail("groups", "expected an integer >= 1, got 0");
  return groups;
}

void slide_filters(const LayerSpec& spec, std::uint8_t rank, const LayerScope& scope,
                   Layer& layer) {
  const Shape& in = layer.inputs.front().shape;
  layer.window = shared(stated_window(spec, rank, layer), scope.layers);
  layer.groups = groups_of(spec, in.channels);
  if (in.channels % layer.groups != 0)
    fail("groups",
         concat("expected a divisor of the ", in.channels, " input channels, got ", layer.groups));
  if (!spec.out_channels && !spec.depthwise) fail_missing("out_channels", "an integer >= 1");
  layer.output.channels = spec.out_channels.value_or(in.channels);
  if (layer.output.channels == 0 || layer.output.channels % layer.groups != 0)
    fail("out_channels", concat("expected a multiple of the ", layer.groups, " groups, got ",
                                layer.output.channels));
  slide_window(layer);
}

}  // namespace

void infer_convolution(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  const std::uint8_t rank = set_operand(spec, window_rank(spec).value_or(2), scope, layer);
  slide_filters(spec, rank, scope, layer);
}

/// Images, offsets [N, 2 groups taps, height, width] of the result's positions, and maybe a mask
/// with half as many channels.
void infer_deformable(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  constexpr std::uint8_t rank = 2;
  layer.inputs = infer_operands(spec.inputs, "inputs", spec, scope, rank);
  if (layer.inputs.size() != 2 && layer.inputs.size() != 3)
    fail("inputs", concat("expected two or three operands, images, offsets and maybe a mask, each "
                          "[N, channels, height, width], got ",
                          layer.inputs.size()));
  layer.output.batch = layer.inputs.front().shape.batch;
  slide_filters(spec, rank, scope, layer);
  const std::uint64_t taps = checked_product(layer.window->kernel);
  const std::uint64_t pairs = layer.inputs[1].shape.channels / 2;
  const std::uint64_t channels = layer.inputs.front().shape.channels;
  if (pairs == 0 || pairs % taps != 0 || channels % (pairs / taps) != 0 ||
      layer.inputs[1].shape.channels % 2 != 0)
    fail("inputs",
         concat("expected offsets with two channels for each of ", taps,
                " taps, in groups that divide the images' ", channels, " channels, got ",
                layer.inputs[1].shape.channels),
         {1});
  for (std::size_t i = 1; i < layer.inputs.size(); ++i) {
    Shape wanted = layer.output;
    wanted.channels = i == 1 ? 2 * pairs : pairs;
    if (layer.inputs[i].shape != wanted)
      fail("inputs",
           concat("expected ", to_text(wanted), ", a place of each tap for each of the result's ",
                  "positions, got ", to_text(layer.inputs[i].shape)),
           {i});
  }
}

void infer_pool(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  const std::uint8_t rank = set_operand(spec, window_rank(spec), scope, layer);
  const Shape& in = layer.inputs.front().shape;
  layer.output.channels = in.channels;
  if (!spec.output_size.empty() && layer.kind == LayerKind::global_avg_pool)
    layer.kind = LayerKind::avg_pool;
  layer.window = shared(
      spec.output_size.empty() ? stated_window(spec, rank, layer) : adaptive_window(spec, rank, in),
      scope.layers);
  slide_window(layer);
}

std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted) {
  const Window& window = *layer.window;
  if (layer.kind != LayerKind::conv || window.stride[axis] != 1) return "";
  const std::uint64_t unpadded = layer.inputs.front().shape.spatial[axis];
  const std::uint64_t needed = wanted + kernel_extent(window, axis) - 1;
  if (needed < unpadded || (needed - unpadded) % 2 != 0) return "";
  return concat("; padding ", (needed - unpadded) / 2, " gives ", wanted);
}

}  // namespace roofline
