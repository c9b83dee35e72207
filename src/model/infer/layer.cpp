#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/infer/shapes.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/sizes.hpp"
#include "model/text.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

namespace {

void check_equal(std::uint64_t got, std::uint64_t expected, const std::string& what,
                 std::size_t operand) {
  if (got == expected) return;
  fail("inputs", concat("expected ", expected, " ", what, ", got ", got), {operand});
}

std::uint64_t required(std::string_view field, std::optional<std::uint64_t> number) {
  if (!number || *number == 0) fail_missing(field, "an integer >= 1");
  return *number;
}

/// Scaled dot-product attention, softmax(Q K^T / sqrt(d)) V in one kernel. Queries are [N, heads,
/// length, features]; keys and values may have fewer heads, each shared by several query heads.
void infer_attention(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  layer.inputs = infer_operands(spec.inputs, "inputs", spec, scope, 2);
  if (layer.inputs.size() != 3)
    fail("inputs", concat("expected three operands, queries, keys and values, each [N, heads, "
                          "length, features], got ",
                          layer.inputs.size()));
  for (std::size_t i = 0; i < 3; ++i)
    if (layer.inputs[i].shape.spatial_rank != 2)
      fail("inputs", "expected [N, heads, length, features], got " + to_text(layer.inputs[i].shape),
           {i});
  const Heads query = heads_of(layer.inputs[0].shape);
  const Heads key = heads_of(layer.inputs[1].shape);
  const Heads value = heads_of(layer.inputs[2].shape);
  check_equal(key.batch, query.batch, "in the batch, as the queries have", 1);
  check_equal(value.batch, query.batch, "in the batch, as the queries have", 2);
  check_equal(key.features, query.features, "features a key, as the queries have", 1);
  check_equal(value.heads, key.heads, "heads, as the keys have", 2);
  check_equal(value.length, key.length, "values, one a key", 2);
  if (query.heads % key.heads != 0)
    fail("inputs",
         concat("expected a number of heads that divides the queries' ", query.heads, ", got ",
                key.heads),
         {1});
  layer.output = layer.inputs[0].shape;
  layer.output.channels = value.features;
}

/// Whether `count` elements are the last sizes of the shape, as PyTorch orders them: features last
/// if the source has them last, else first.
bool are_last_sizes(std::uint64_t count, const Shape& shape) {
  std::uint64_t last_positions = 1;
  for (std::size_t i = 3; i-- > 3U - shape.spatial_rank;) {
    last_positions = checked_mul(last_positions, shape.spatial[i]);
    if (count == last_positions || count == checked_mul(last_positions, shape.channels))
      return true;
  }
  return count == shape.channels;
}

/// Layer and RMS norms span the features of each position (transformers, and ConvNeXt's image
/// norms), or the last sizes, up to all but the batch.
void infer_norm(const LayerSpec& spec, Layer& layer) {
  const Shape& shape = layer.output;
  const std::uint64_t features = shape.channels;
  const std::uint64_t positions = checked_product(shape.spatial);
  if (layer.kind == LayerKind::instance_norm) {
    layer.norm_elements = positions;
  } else if (layer.kind == LayerKind::group_norm) {
    const std::uint64_t groups = required("groups", spec.groups);
    if (features % groups != 0)
      fail("groups", concat("expected a divisor of the ", features, " channels, got ", groups));
    layer.norm_elements = checked_mul(features / groups, positions);
  } else if (layer.kind != LayerKind::batch_norm) {
    const std::uint64_t all = checked_mul(features, positions);
    layer.norm_elements =
        spec.normalized_shape.empty() ? features : checked_product(spec.normalized_shape);
    if (!are_last_sizes(layer.norm_elements, shape))
      fail("normalized_shape",
           concat("expected [", features, "], the features of the input ", to_text(shape),
                  ", or all its ", all, " elements but the batch, got ",
                  list_text(spec.normalized_shape)));
  }
}

Shape one_image(const Shape& shape) {
  Shape one = shape;
  one.batch = 1;
  return one;
}

/// The stated input, or the one before; in_features and a batch describe a whole input, too.
Operand infer_features(const LayerSpec& spec, const LayerScope& scope) {
  const bool stands_alone = scope.previous_copies == 0 || spec.batch;
  if (!spec.in_features || !stands_alone || spec.input || !spec.input_size.empty())
    return infer_operand(spec, scope, std::nullopt);
  Operand operand;
  operand.shape.channels = *spec.in_features;
  operand.shape.batch = infer_batch(spec, scope, std::nullopt);
  return operand;
}

/// Flattens an input with in_features elements.
void infer_linear(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  Operand operand = infer_features(spec, scope);
  Shape& in = operand.shape;
  const std::uint64_t whole = elements(one_image(in));
  const bool has_positions = spec.input && !spec.input->sizes.empty();
  const std::uint64_t features = spec.in_features.value_or(has_positions ? in.channels : whole);
  if (features == whole) {
    in = {in.batch, whole, {1, 1, 1}, 0};
  } else if (features != in.channels) {
    fail("in_features", concat("expected ", whole, ", the elements of the input ", to_text(in),
                               ", or ", in.channels, ", its features a position, got ", features));
  }
  layer.inputs = {operand};
  layer.output = in;
  layer.output.channels = required("out_features", spec.out_features);
}

/// The input is [N, steps, features], or [steps, N, features] where batch_first is false.
void infer_recurrent(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  Operand operand = infer_features(spec, scope);
  Shape& in = operand.shape;
  if (in.spatial_rank > 1)
    fail(spec.input ? "input" : "", "expected [N, steps, features], got " + to_text(in));
  if (spec.in_features.value_or(in.channels) != in.channels)
    fail("in_features",
         concat("expected ", in.channels, ", the features of a step, got ", *spec.in_features));
  if (spec.batch_first == false) std::swap(in.batch, in.spatial[2]);
  in.spatial_rank = 1;
  layer.inputs = {operand};
  layer.output = in;
  layer.output.channels = checked_mul(required("hidden_size", spec.hidden_size),
                                      layer.bidirectional ? std::uint64_t{2} : 1);
}

Operand matrix(std::uint64_t products, std::uint64_t rows, std::uint64_t columns) {
  return {{products, columns, {1, 1, rows}, 1}};
}

/// Sizes of one product, after the axes of products.
constexpr std::size_t matrix_axes = 2;

/// Products of two matrices, by NumPy's rule or, with axes joined, if each matrix of one serves as
/// many of the other's.
std::uint64_t product_count(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  const std::uint64_t of_a = checked_product(a);
  const std::uint64_t of_b = checked_product(b);
  std::uint64_t products = 1;
  for (std::size_t back = 1; back <= std::max(a.size(), b.size()); ++back) {
    const std::uint64_t own = back <= a.size() ? a[a.size() - back] : 1;
    const std::uint64_t other = back <= b.size() ? b[b.size() - back] : 1;
    if (own != other && own != 1 && other != 1) {
      products = std::max(of_a, of_b);
      if (products % std::min(of_a, of_b) == 0) return products;
      fail("inputs",
           concat("expected a number of products that divides the other matrix', ", of_a,
                  ", or is a multiple of it, got ", of_b),
           {1});
    }
    products = checked_mul(products, std::max(own, other));
  }
  return products;
}

/// Both matrices as shapes, [..., m, k] and [..., k, n]; all axes before the last two are products.
/// A matrix with fewer products than the other is shared by them.
void infer_matmul_shapes(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  if (spec.inputs.size() != 2)
    fail("inputs",
         concat("expected two matrices, [..., m, k] and [..., k, n], got ", spec.inputs.size()));
  for (std::size_t i = 0; i < 2; ++i) {
    const OperandSpec& stated = spec.inputs[i];
    if (stated.sizes.size() < matrix_axes)
      fail("inputs",
           "expected the shape of a matrix, [..., rows, columns], got " + list_text(stated.sizes),
           {i});
    const auto ends = std::span(stated.sizes).last<matrix_axes>();
    const auto before = std::span(stated.sizes).first(stated.sizes.size() - matrix_axes);
    Operand operand = matrix(checked_product(before), ends[0], ends[1]);
    if (!stated.layer.empty() && !scope.network.record)
      operand.producer = scope.names.find(stated.layer, scope.copy, scope.copies, "inputs", {i});
    operand.is_parameter = stated.is_parameter;
    operand.parameters = stated.parameters;
    layer.inputs.push_back(operand);
  }
  const std::vector<std::uint64_t>& a = spec.inputs[0].sizes;
  const std::vector<std::uint64_t>& b = spec.inputs[1].sizes;
  Shape& first = layer.inputs[0].shape;
  if (b[b.size() - 2] != first.channels)
    fail("inputs",
         concat("expected ", first.channels, " rows, the columns of the first matrix, got ",
                b[b.size() - 2]),
         {1, b.size() - 2});
  const std::uint64_t products = product_count(std::span(a).first(a.size() - matrix_axes),
                                               std::span(b).first(b.size() - matrix_axes));
  // Each matrix with each: one of them counts for every product.
  if (products > std::max(first.batch, layer.inputs[1].shape.batch)) first.batch = products;
  layer.output = matrix(products, first.spatial[2], b.back()).shape;
}

/// m x k times k x n, `batch` products. --batch does not change the number of products.
void infer_matmul(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  if (!spec.inputs.empty()) return infer_matmul_shapes(spec, scope, layer);
  const std::uint64_t m = required("m", spec.m);
  const std::uint64_t n = required("n", spec.n);
  const std::uint64_t k = required("k", spec.k);
  const std::uint64_t batch =
      spec.batch.value_or(scope.defaults.batch_override.value_or(scope.network.batch.value_or(1)));
  layer.inputs = {matrix(batch, m, k), matrix(batch, k, n)};
  layer.output = matrix(batch, m, n).shape;
}

/// NumPy's rule per axis: equal sizes, or one of them is 1.
void broadcast(std::uint64_t& size, std::uint64_t other, std::size_t operand, const Shape& shape,
               const Shape& so_far) {
  if (size != other && size != 1 && other != 1)
    fail("inputs",
         "expected a shape that broadcasts with " + to_text(so_far) + ", got " + to_text(shape),
         {operand});
  size = std::max(size, other);
}

/// Whether each size is 1 or the result's.
bool broadcasts_to(const Shape& shape, const Shape& result) {
  const auto fits = [](std::uint64_t size, std::uint64_t wanted) {
    return size == 1 || size == wanted;
  };
  return fits(shape.batch, result.batch) && fits(shape.channels, result.channels) &&
         std::equal(shape.spatial.begin(), shape.spatial.end(), result.spatial.begin(), fits);
}

void infer_combination(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  layer.inputs = infer_operands(spec.inputs, "inputs", spec, scope);
  layer.output = layer.inputs.front().shape;
  const bool concat = layer.kind == LayerKind::concat;
  for (std::size_t i = 1; i < layer.inputs.size(); ++i) {
    const Shape& shape = layer.inputs[i].shape;
    const Shape so_far = layer.output;
    Shape& out = layer.output;
    out.spatial_rank = std::max(out.spatial_rank, shape.spatial_rank);
    broadcast(out.batch, shape.batch, i, shape, so_far);
    if (concat)
      out.channels = checked_add(out.channels, shape.channels);
    else
      broadcast(out.channels, shape.channels, i, shape, so_far);
    for (std::size_t axis = 0; axis < 3; ++axis)
      broadcast(out.spatial[axis], shape.spatial[axis], i, shape, so_far);
    if (concat && (out.spatial != so_far.spatial || shape.spatial != so_far.spatial))
      fail("inputs",
           "expected the sizes of " + to_text(so_far) + " beside the channels, got " +
               to_text(shape),
           {i});
  }
}

void infer_upsample(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  layer.inputs = {infer_operand(spec, scope, spec.rank)};
  layer.output = layer.inputs.front().shape;
  constexpr AxesFields fields{"scale_factor", "scale_factor", "scale_factor"};
  const auto factors = read_axes(spec.scale_factor, layer.output.spatial_rank, fields, 1);
  if (!factors && spec.output.empty()) fail_missing("scale_factor", "an integer >= 1 or a list");
  if (!factors) {
    layer.output = read_shape(spec.output, {layer.output.spatial_rank}, "output").shape;
    layer.output.batch = layer.inputs.front().shape.batch;
    return;
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    layer.output.spatial[axis] = checked_mul(layer.output.spatial[axis], (*factors)[axis]);
}

/// Windows of an image as columns [N, C x taps, windows].
void check_columns(const Layer& layer) {
  if (!is_any(layer.kind, LayerKind::im2col, LayerKind::col2im)) return;
  const bool apart = layer.kind == LayerKind::im2col;
  const Shape& input = layer.inputs.front().shape;
  const Shape& image = apart ? input : layer.output;
  const Shape& columns = apart ? layer.output : input;
  if (columns.batch == image.batch && columns.channels % image.channels == 0) return;
  fail("output",
       concat("expected an image [N, C, H, W] and its windows as columns [N, C x taps, ",
              apart ? "" : "1, ", "windows], got ", to_text(layer.output), " of ", to_text(input)));
}

/// Kinds with the stated result shape, else the operand's.
void infer_movement(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  if (layer.work->flops && !layer.work->bytes)
    fail_missing("bytes", "an integer >= 1, all that is read and written, beside flops");
  if (layer.work->bytes && spec.inputs.empty())
    layer.inputs = {Operand{}};
  else if (takes(spec.kind, "inputs"))
    layer.inputs = infer_operands(spec.inputs, "inputs", spec, scope);
  else
    layer.inputs = {infer_operand(spec, scope, std::nullopt)};
  layer.output = layer.inputs.front().shape;
  if (spec.output.empty() && !layer.pad_mode) return;
  if (spec.output.empty()) fail_missing("output", "the padded sizes, beside pad_mode");
  const StatedShape stated =
      read_shape(spec.output, {std::nullopt, info(spec.kind).features, true}, "output");
  layer.output = stated.shape;
  const std::uint64_t written_for = scope.network.batch.value_or(1);
  if (scope.defaults.batch_override && stated.has_batch && stated.shape.batch % written_for == 0)
    layer.output.batch =
        checked_mul(stated.shape.batch / written_for, *scope.defaults.batch_override);
  if (layer.pad_mode && elements(layer.output) <= elements(layer.inputs.front().shape))
    fail("output", concat("expected sizes beyond the input's ", to_text(layer.inputs.front().shape),
                          ", as pad_mode pads it, got ", to_text(layer.output)));
  check_columns(layer);
}

/// Indices have any shape; the table is the second operand.
void infer_embedding(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  const Operand indices = infer_operand(spec, scope, std::nullopt);
  const std::uint64_t rows = required("num_embeddings", spec.num_embeddings);
  const std::uint64_t features = required("embedding_dim", spec.embedding_dim);
  Operand table{{1, features, {1, 1, rows}, 1}, std::nullopt, true};
  layer.inputs = {indices, table};
  layer.output = {indices.shape.batch, features, {1, 1, elements(one_image(indices.shape))}, 1};
}

/// Spatial axes in a type's name, such as "InstanceNorm1d". BatchNorm1d also takes [N, C].
std::optional<std::uint8_t> stated_rank(const LayerSpec& spec) {
  const bool is_matrix = spec.input && spec.input->sizes.size() == 2;
  if (spec.kind == LayerKind::batch_norm && is_matrix) return std::nullopt;
  return spec.rank;
}

/// The size of an axis of [N, C, positions...].
std::uint64_t& size_at(Shape& shape, std::size_t axis) {
  if (axis == 0) return shape.batch;
  if (axis == 1) return shape.channels;
  return shape.spatial[axis + 1 - shape.spatial_rank];
}

std::size_t axis_of(const Shape& shape, std::int64_t stated) {
  const std::int64_t axes = shape.spatial_rank + 2;
  const std::int64_t axis = stated < 0 ? stated + axes : stated;
  if (axis < 0 || axis >= axes)
    fail("axis", concat("expected an axis of ", to_text(shape), ", ", -axes, " to ", axes - 1,
                        ", got ", stated));
  return static_cast<std::size_t>(axis);
}

/// The axis' elements become channels, the axes behind it positions, those before it the batch.
Shape along_axis(Shape shape, std::size_t axis) {
  if (axis == 1) return shape;
  Shape along;
  for (std::size_t at = 0; at < shape.spatial_rank + std::size_t{2}; ++at) {
    std::uint64_t& joined = at < axis    ? along.batch
                            : at == axis ? along.channels
                                         : along.spatial[2];
    joined = checked_mul(joined, size_at(shape, at));
  }
  along.spatial_rank = along.spatial[2] > 1 ? 1 : 0;
  return along;
}

/// Softmax and gated linear units, which multiply one half of the axis by the sigmoid of the other.
/// Without an axis, features lie next to each other, as behind a product; "Softmax2d" is of images.
void infer_along_axis(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  Operand operand = infer_operand(spec, scope, stated_rank(spec));
  const std::size_t axis = spec.axis ? axis_of(operand.shape, *spec.axis) : 1;
  operand.shape = along_axis(operand.shape, axis);
  layer.output = operand.shape;
  layer.inputs = {operand};
  if ((spec.axis || spec.rank) && checked_product(operand.shape.spatial) > 1)
    layer.access = Access::transposed;
  if (layer.kind != LayerKind::glu) return;
  std::uint64_t& size = layer.output.channels;
  if (size % 2 != 0)
    fail("input", concat("expected an even number to halve along axis ", axis, ", got ", size));
  size /= 2;
}

/// Kinds whose output follows from their input alone.
void infer_simple(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  layer.inputs = {infer_operand(spec, scope, stated_rank(spec))};
  layer.output = layer.inputs.front().shape;
  if (layer.kind == LayerKind::global_avg_pool)
    layer.output.spatial = {1, 1, 1};
  else if (layer.kind == LayerKind::flatten)
    layer.output = {layer.output.batch, elements(one_image(layer.output)), {1, 1, 1}, 0};
}

/// Whether the result is larger than one element a channel.
bool is_adaptive(const LayerSpec& spec) {
  return std::ranges::any_of(spec.output_size.numbers,
                             [](std::uint64_t size) { return size != 1; });
}

void infer_shapes(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  if (layer.kind == LayerKind::linear) return infer_linear(spec, scope, layer);
  if (layer.kind == LayerKind::matmul) return infer_matmul(spec, scope, layer);
  switch (info(layer.kind).family) {
    case KindFamily::contraction: return infer_convolution(spec, scope, layer);
    case KindFamily::attention: return infer_attention(spec, scope, layer);
    case KindFamily::deformable: return infer_deformable(spec, scope, layer);
    case KindFamily::recurrent: return infer_recurrent(spec, scope, layer);
    case KindFamily::combine: return infer_combination(spec, scope, layer);
    case KindFamily::movement: return infer_movement(spec, scope, layer);
    case KindFamily::lookup: return infer_embedding(spec, scope, layer);
    case KindFamily::resize: return infer_upsample(spec, scope, layer);
    case KindFamily::pool:
      return has_window(layer.kind) || is_adaptive(spec) ? infer_pool(spec, scope, layer)
                                                         : infer_simple(spec, scope, layer);
    case KindFamily::norm: infer_simple(spec, scope, layer); return infer_norm(spec, layer);
    case KindFamily::activation:
      return is_any(layer.kind, LayerKind::softmax, LayerKind::glu)
                 ? infer_along_axis(spec, scope, layer)
                 : infer_simple(spec, scope, layer);
    case KindFamily::transfer:
    case KindFamily::free: return infer_simple(spec, scope, layer);
  }
}

void add_fused(const LayerSpec& spec, const LayerScope& scope, Layer& layer) {
  if (spec.fused.empty()) return;
  const std::vector<Operand> fused = infer_operands(spec.fused, "fused", spec, scope);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    if (!broadcasts_to(fused[i].shape, layer.output))
      fail("fused",
           "expected a shape that broadcasts to the result " + to_text(layer.output) + ", got " +
               to_text(fused[i].shape),
           {i});
    layer.inputs.push_back(fused[i]);
  }
}

void check_size(const Layer& layer, std::size_t axis, std::uint64_t stated, std::string_view field,
                const std::vector<std::size_t>& index) {
  const std::uint64_t computed = layer.output.spatial[axis];
  if (stated == computed) return;
  fail(field,
       concat("expected ", computed, ", the computed output ", axis_name(axis), ", got ", stated,
              padding_hint(layer, axis, stated)),
       index);
}

void check_output(const LayerSpec& spec, const LayerScope& scope, const Layer& layer) {
  if (spec.output_height) check_size(layer, 1, *spec.output_height, "p", {});
  if (spec.output_width) check_size(layer, 2, *spec.output_width, "q", {});
  if (spec.output.empty() || info(layer.kind).family == KindFamily::movement) return;
  const std::uint8_t rank = layer.output.spatial_rank;
  const bool last = info(layer.kind).features == Features::last;
  const StatedShape stated =
      read_shape(spec.output, {rank, info(layer.kind).features, false}, "output");
  // --batch may have replaced the stated output's batch.
  if (stated.has_batch && stated.shape.batch != layer.output.batch &&
      !scope.defaults.batch_override)
    fail("output",
         concat("expected ", layer.output.batch, ", the layer's batch, got ", stated.shape.batch),
         {0});
  const std::size_t first = stated.has_batch ? 1 : 0;
  const std::size_t channels_at = last ? spec.output.size() - 1 : first;
  if (stated.shape.channels != layer.output.channels)
    fail("output",
         concat("expected ", layer.output.channels, ", the computed output channels, got ",
                stated.shape.channels),
         {channels_at});
  for (std::size_t i = 0; i < rank; ++i)
    check_size(layer, 3U - rank + i, stated.shape.spatial[3U - rank + i], "output",
               {(last ? first : first + 1) + i});
}

/// A requested type, but no framework has norms in floats of fewer than 16 bits.
DataType requested_type(LayerKind kind, DataType type) {
  const bool is_short_float =
      info(type).bits < 16 && type != DataType::int8 && type != DataType::int4;
  return is_short_float && info(kind).family == KindFamily::norm ? DataType::fp16 : type;
}

/// Readers state the type that is requested of a model's tensors.
DataTypes infer_types(const LayerSpec& spec, const LayerScope& scope) {
  const LayerDefaults& defaults = scope.defaults;
  const auto stated = [&](DataType type) {
    const bool is_requested = defaults.dtype_given && type == defaults.dtype;
    return is_requested ? requested_type(spec.kind, type) : type;
  };
  const DataType of_network = scope.network.dtype.value_or(defaults.dtype);
  const DataType input = stated(spec.dtypes.input.value_or(requested_type(spec.kind, of_network)));
  return {input, stated(spec.dtypes.weight.value_or(input)),
          stated(spec.dtypes.output.value_or(input))};
}

/// The last pass has the largest counts, except for elements skipped by windows.
void check_counts(Layer& layer) {
  const Pass own = std::exchange(layer.pass, Pass::wgrad);
  const Bytes last = count(layer).bytes;
  layer.pass = own;
  if (!has_window(layer.kind)) return;
  const DataTypes& types = layer.dtypes;
  const std::uint64_t unread = stored_byte(elements(layer.inputs.front().shape), types.input) -
                               stored_byte(elements_read(layer, 0), types.input);
  const std::uint64_t written = stored_byte(elements(layer.output), types.output);
  static_cast<void>(checked_add(last.input, unread, last.weight, written));
}

}  // namespace

Layer infer_layer(const LayerSpec& spec, std::string name, const LayerScope& scope) {
  Layer layer;
  static_cast<LayerTraits&>(layer) = spec;
  layer.name = std::move(name);
  layer.kind = spec.kind;
  layer.dtypes = infer_types(spec, scope);
  layer.pass = spec.pass.value_or(scope.defaults.pass);
  layer.states_pass = spec.pass.has_value();
  if (layer.measured->is_known())
    layer.measured.change([&](Measured& measured) { measured.pass = layer.pass; });
  if (spec.batch == std::uint64_t{0}) fail("batch", "expected an integer >= 1, got 0");
  try {
    infer_shapes(spec, scope, layer);
    add_fused(spec, scope, layer);
    check_output(spec, scope, layer);
    for (Operand& operand : layer.inputs)
      if (operand.type == usual_type(operand, layer)) operand.type.reset();
    check_counts(layer);
  } catch (const OverflowError& error) {
    fail_layer(std::string(error.what()) + " in layer " + in_quotes(layer.name));
  }
  if (layer.groups == 1 && info(layer.kind).family == KindFamily::contraction)
    layer.mapping = scope.defaults.mapping;
  if (spec.mapping) layer.mapping = *spec.mapping;
  return layer;
}

}  // namespace roofline
