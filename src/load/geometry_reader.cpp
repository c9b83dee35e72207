#include "load/geometry_reader.hpp"

#include <algorithm>
#include <array>

#include "load/operand_reader.hpp"
#include "load/shape_reader.hpp"
#include "model/checked.hpp"
#include "model/shapes.hpp"
#include "roofline/counts.hpp"

namespace roofline {
namespace {

/// A window parameter in its two spellings: one key for all axes, or a key for each of height and
/// width. Absent where neither is given.
std::optional<Axes> read_window_axes(ObjectReader& object, std::uint8_t rank, std::string_view key,
                                     std::string_view height_key, std::string_view width_key,
                                     std::uint64_t least, std::uint64_t neutral) {
  const auto all = object.take(key);
  const auto height = object.take(height_key);
  const auto width = object.take(width_key);
  if (all && (height || width))
    all->fail("expected one spelling, got this and " +
              std::string(height ? height_key : width_key));
  if (all) return read_axes(*all, rank, least, neutral);
  if (!height && !width) return std::nullopt;
  if (rank == 3)
    (height ? height : width)->fail("expected " + std::string(key) + ": [d, h, w] for a 3-D layer");
  if (rank == 1 && height) height->fail("expected only the width of a 1-D layer");
  return Axes{neutral, height ? height->integer(least) : neutral,
              width ? width->integer(least) : neutral};
}

/// The rank that the type name or the number of kernel sizes fixes; 2 for any other convolution.
std::optional<std::uint8_t> window_rank(const ObjectReader& object,
                                        std::optional<std::uint8_t> type_rank) {
  if (type_rank) return type_rank;
  const auto kernel = object.value().node().find("kernel_size");
  if (kernel != object.value().node().end() && kernel->is_array() && kernel->size() >= 1 &&
      kernel->size() <= 3)
    return static_cast<std::uint8_t>(kernel->size());
  return std::nullopt;
}

void read_kernel(ObjectReader& object, Window& window) {
  const auto kernel = read_window_axes(object, window.rank, "kernel_size", "r", "s", 1, 1);
  if (!kernel)
    object.fail_missing("kernel_size",
                        "an integer >= 1 or a list of " + std::to_string(window.rank));
  window.kernel = *kernel;
}

/// Padding: a number, a number an axis, begins and then ends, "same" or "valid".
void read_padding(ObjectReader& object, const Shape& input, Window& window) {
  const auto value = object.take("padding");
  if (!value || !(value->is_string() || (value->is_array() && value->size() == 2U * window.rank))) {
    const auto padding = read_window_axes(object, window.rank, "padding", "pad_h", "pad_w", 0, 0);
    if (padding) window.pad_begin = window.pad_end = *padding;
    return;
  }
  for (const std::string_view key : {"pad_h", "pad_w"})
    if (const auto other = object.take(key))
      other->fail("expected one spelling, got this and padding");
  const std::size_t first = 3U - window.rank;
  if (value->is_array()) {
    for (std::size_t i = 0; i < window.rank; ++i) {
      window.pad_begin[first + i] = value->at(i).integer(0);
      window.pad_end[first + i] = value->at(window.rank + i).integer(0);
    }
    return;
  }
  const std::string word = value->text();
  if (word != "same" && word != "valid") value->fail_expected("numbers, \"same\" or \"valid\"");
  if (word == "same")
    for (std::size_t axis = first; axis < 3; ++axis)
      set_same_padding(window, axis, input.spatial[axis]);
}

void read_window(ObjectReader& object, const Layer& layer, const Shape& input, Window& window) {
  const bool pool = info(layer.kind).family == KindFamily::pool;
  read_kernel(object, window);
  window.stride = pool ? window.kernel : Axes{1, 1, 1};
  if (const auto stride =
          read_window_axes(object, window.rank, "stride", "stride_h", "stride_w", 1, 1))
    window.stride = *stride;
  if (const auto dilation =
          read_window_axes(object, window.rank, "dilation", "dil_h", "dil_w", 1, 1))
    window.dilation = *dilation;
  read_padding(object, input, window);
  if (pool)
    if (const auto ceil_mode = object.take("ceil_mode")) window.ceil_mode = ceil_mode->boolean();
  if (layer.kind == LayerKind::conv_transpose)
    if (const auto extra = object.take("output_padding"))
      window.output_padding = read_axes(*extra, window.rank, 0, 0);
}

/// The spatial output of a window; fails where the kernel does not fit.
void slide_window(const ObjectReader& object, Layer& layer) {
  const Shape& in = layer.inputs.front().shape;
  layer.output.spatial_rank = layer.window.rank;
  for (std::size_t axis = 3U - layer.window.rank; axis < 3; ++axis) {
    const bool transposed = layer.kind == LayerKind::conv_transpose;
    const std::uint64_t size = transposed
                                   ? transposed_output_size(layer.window, axis, in.spatial[axis])
                                   : window_output_size(layer.window, axis, in.spatial[axis]);
    if (size == 0 && transposed)
      object.fail_at("padding",
                     "expected an output of at least 1, got padding that leaves nothing of the " +
                         axis_name(axis));
    if (size == 0)
      object.fail_at("kernel_size",
                     "expected a kernel that fits the padded input, got one that spans " +
                         std::to_string(kernel_extent(layer.window, axis)) + " where the " +
                         axis_name(axis) + " with padding is " +
                         std::to_string(in.spatial[axis] + layer.window.pad_begin[axis] +
                                        layer.window.pad_end[axis]));
    layer.output.spatial[axis] = size;
  }
}

/// A window's operand; an inherited one must have the window's rank.
void read_windowed_operand(ObjectReader& object, std::optional<std::uint8_t> rank,
                           const LayerScope& scope, Layer& layer) {
  layer.inputs = {read_operand(object, scope, rank, Features::first)};
  const Shape& shape = layer.inputs.front().shape;
  layer.window.rank = rank.value_or(shape.spatial_rank == 0 ? std::uint8_t{2} : shape.spatial_rank);
  if (shape.spatial_rank != layer.window.rank)
    object.value().fail("expected an input with " + std::to_string(layer.window.rank) +
                        " spatial sizes, got " + to_text(shape) + "; the type can be given as " +
                        std::string(info(layer.kind).name) + std::to_string(shape.spatial_rank) +
                        "d");
  layer.output.batch = shape.batch;
}

std::uint64_t read_groups(ObjectReader& object, std::uint64_t in_channels) {
  const auto groups = object.take("groups");
  const auto depthwise = object.take("depthwise");
  if (groups && depthwise) depthwise->fail("expected one spelling, got this and groups");
  if (depthwise) return depthwise->boolean() ? in_channels : 1;
  return groups ? groups->integer(1) : 1;
}

void read_conv(ObjectReader& object, std::optional<std::uint8_t> rank, const LayerScope& scope,
               Layer& layer) {
  read_windowed_operand(object, window_rank(object, rank).value_or(2), scope, layer);
  const Shape& in = layer.inputs.front().shape;
  read_window(object, layer, in, layer.window);
  layer.groups = read_groups(object, in.channels);
  if (in.channels % layer.groups != 0)
    object.fail_at("groups", "expected a divisor of the " + std::to_string(in.channels) +
                                 " input channels, got " + std::to_string(layer.groups));
  const auto out_channels = object.take_one_of({"out_channels", "k"});
  if (!out_channels) object.fail_missing("out_channels", "an integer >= 1");
  layer.output.channels = out_channels->integer(1);
  if (layer.output.channels % layer.groups != 0)
    out_channels->fail("expected a multiple of the " + std::to_string(layer.groups) +
                       " groups, got " + std::to_string(layer.output.channels));
  if (const auto bias = object.take("bias")) layer.bias = bias->boolean();
  slide_window(object, layer);
}

void read_pool(ObjectReader& object, std::optional<std::uint8_t> rank, const LayerScope& scope,
               Layer& layer) {
  read_windowed_operand(object, window_rank(object, rank), scope, layer);
  const Shape& in = layer.inputs.front().shape;
  layer.output.channels = in.channels;
  read_window(object, layer, in, layer.window);
  slide_window(object, layer);
}

/// Positions stay, or an input whose elements make up in_features is flattened. in_features beside
/// a batch says all there is to say of the input.
void read_linear(ObjectReader& object, const LayerScope& scope, Layer& layer) {
  const auto in_features = object.take("in_features");
  Operand operand;
  const bool stands_alone = scope.previous == nullptr || object.has("batch") || object.has("n");
  if (in_features && stands_alone && !object.has("input")) {
    operand.shape.channels = in_features->integer(1);
    operand.shape.batch = read_batch(object, scope, std::nullopt);
  } else {
    operand = read_operand(object, scope, std::nullopt, Features::last);
  }
  Shape& in = operand.shape;
  Shape one = in;
  one.batch = 1;
  const std::uint64_t whole = elements(one);
  const bool has_positions = object.has("input") && operand.producer == std::nullopt;
  const std::uint64_t features = in_features     ? in_features->integer(1)
                                 : has_positions ? in.channels
                                                 : whole;
  if (features == whole) {
    in = {in.batch, whole, {1, 1, 1}, 0};
  } else if (features != in.channels) {
    in_features->fail("expected " + std::to_string(whole) + ", the elements of the input " +
                      to_text(in) + ", or " + std::to_string(in.channels) +
                      ", its features a position, got " + std::to_string(features));
  }
  layer.inputs = {operand};
  layer.output = in;
  layer.output.channels = object.require("out_features", "an integer >= 1").integer(1);
  if (const auto bias = object.take("bias")) layer.bias = bias->boolean();
}

/// m x k times k x n, `batch` products. The products are the layer's own: --batch leaves them.
void read_matmul(ObjectReader& object, const LayerScope& scope, Layer& layer) {
  const std::uint64_t m = object.require("m", "an integer >= 1").integer(1);
  const std::uint64_t n = object.require("n", "an integer >= 1").integer(1);
  const std::uint64_t k = object.require("k", "an integer >= 1").integer(1);
  const auto stated = object.take("batch");
  const std::uint64_t batch =
      stated ? stated->integer(1)
             : scope.defaults.batch_override.value_or(scope.file_batch.value_or(1));
  layer.inputs = {{{batch, k, {1, 1, m}, 1}, std::nullopt, false}};
  layer.output = {batch, n, {1, 1, m}, 1};
}

/// NumPy's rule, axis by axis: equal sizes, or one of them is 1.
void broadcast(std::uint64_t& size, std::uint64_t other, const Value& operand, const Shape& shape,
               const Shape& so_far) {
  if (size != other && size != 1 && other != 1)
    operand.fail("expected a shape that broadcasts with " + to_text(so_far) + ", got " +
                 to_text(shape));
  size = std::max(size, other);
}

void read_combine(ObjectReader& object, const LayerScope& scope, Layer& layer) {
  layer.inputs = read_operands(object, scope);
  const Value list = *object.take("inputs");
  layer.output = layer.inputs.front().shape;
  for (std::size_t i = 1; i < layer.inputs.size(); ++i) {
    const Shape& shape = layer.inputs[i].shape;
    const Shape so_far = layer.output;
    Shape& out = layer.output;
    out.spatial_rank = std::max(out.spatial_rank, shape.spatial_rank);
    broadcast(out.batch, shape.batch, list.at(i), shape, so_far);
    if (layer.kind == LayerKind::concat)
      out.channels = checked_add(out.channels, shape.channels);
    else
      broadcast(out.channels, shape.channels, list.at(i), shape, so_far);
    for (std::size_t axis = 0; axis < 3; ++axis)
      broadcast(out.spatial[axis], shape.spatial[axis], list.at(i), shape, so_far);
    if (layer.kind == LayerKind::concat &&
        (out.spatial != so_far.spatial || shape.spatial != so_far.spatial))
      list.at(i).fail("expected the sizes of " + to_text(so_far) + " beside the channels, got " +
                      to_text(shape));
  }
}

void read_upsample(ObjectReader& object, const LayerScope& scope, Layer& layer) {
  layer.inputs = {read_operand(object, scope, std::nullopt, Features::first)};
  layer.output = layer.inputs.front().shape;
  const Value factor = object.require("scale_factor", "an integer >= 1 or a list");
  const Axes factors = read_axes(factor, layer.output.spatial_rank, 1, 1);
  for (std::size_t axis = 0; axis < 3; ++axis)
    layer.output.spatial[axis] = checked_mul(layer.output.spatial[axis], factors[axis]);
}

/// Kinds whose output follows from their input alone.
void read_simple(ObjectReader& object, const LayerScope& scope, Layer& layer) {
  const Features features = layer.kind == LayerKind::layer_norm ? Features::last : Features::first;
  layer.inputs = {read_operand(object, scope, std::nullopt, features)};
  layer.output = layer.inputs.front().shape;
  if (layer.kind == LayerKind::global_avg_pool) {
    layer.output.spatial = {1, 1, 1};
  } else if (layer.kind == LayerKind::flatten) {
    Shape one = layer.output;
    one.batch = 1;
    layer.output = {layer.output.batch, elements(one), {1, 1, 1}, 0};
  }
}

}  // namespace

void read_geometry(ObjectReader& object, std::optional<std::uint8_t> rank, const LayerScope& scope,
                   Layer& layer) {
  switch (layer.kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose: return read_conv(object, rank, scope, layer);
    case LayerKind::max_pool:
    case LayerKind::avg_pool: return read_pool(object, rank, scope, layer);
    case LayerKind::linear: return read_linear(object, scope, layer);
    case LayerKind::matmul: return read_matmul(object, scope, layer);
    case LayerKind::add:
    case LayerKind::mul:
    case LayerKind::concat: return read_combine(object, scope, layer);
    case LayerKind::upsample: return read_upsample(object, scope, layer);
    default: return read_simple(object, scope, layer);
  }
}

std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted) {
  const Window& window = layer.window;
  if (layer.kind != LayerKind::conv || window.stride[axis] != 1) return "";
  const std::uint64_t unpadded = layer.inputs.front().shape.spatial[axis];
  const std::uint64_t needed = wanted + kernel_extent(window, axis) - 1;
  if (needed < unpadded || (needed - unpadded) % 2 != 0) return "";
  return "; padding " + std::to_string((needed - unpadded) / 2) + " gives " +
         std::to_string(wanted);
}

}  // namespace roofline
