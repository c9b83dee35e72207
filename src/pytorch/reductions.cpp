// Pools, reductions, resizes, and norms.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/recording.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

Layers global_average(const TensorArgument& input, Pass pass) {
  LayerSpec spec = named_layer(LayerKind::global_avg_pool, "global_avg_pool",
                               sizes_text(input.sizes), *input.type, pass);
  spec.input = operand_of(input, input.sizes);
  spec.layout = input.layout();
  return {spec};
}

bool is_one_position(const Sizes& sizes) { return element_count(sizes) == 1; }

Sizes with_positions(const TensorArgument& image, const Sizes& positions) {
  Sizes sizes(image.sizes.begin(), image.sizes.begin() + 2);
  sizes.insert(sizes.end(), positions.begin(), positions.end());
  return sizes;
}

/// "[-1, -2]"; all axes without any.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes)
    if (const auto at = axis_at(axis, rank)) reduced[*at] = true;
  return reduced;
}

/// `from`: the tensor that is read; its layout is the other's.
Layers upsample_layer(const OperatorCall& call, const TensorArgument& from, const Sizes& input,
                      const Sizes& output) {
  LayerSpec spec =
      named_layer(LayerKind::upsample, "upsample",
                  sizes_text(input) + " to " + sizes_text(Sizes(output.begin() + 2, output.end())),
                  *from.type, call.pass());
  spec.input = operand_of(from, input);
  spec.layout = from.layout();
  spec.interpolation = mentions(call.name, {"bicubic"})   ? Interpolation::bicubic
                       : mentions(call.name, {"nearest"}) ? Interpolation::nearest
                                                          : Interpolation::bilinear;
  spec.output = output;
  return {spec};
}

Layers pool(const OperatorCall& call) {
  const auto input = image_of(call["input"].tensor(), call.name);
  const Sizes kernel = call["kernel"].integers();
  if (!input || kernel.empty()) return {};
  const Sizes stride = call["stride"].integers();
  LayerSpec spec = named_layer(call.kind, info(call.kind).name,
                               sizes_text(input->sizes) + " k" + sizes_text(kernel) + " s" +
                                   sizes_text(stride.empty() ? kernel : stride),
                               *input->type, call.pass());
  spec.rank = static_cast<std::uint8_t>(input->sizes.size() - 2);
  spec.input = operand_of(*input, input->sizes);
  spec.layout = input->layout();
  spec.kernel_size = axes_of(kernel);
  spec.stride = axes_of(stride);
  spec.padding = axes_of(call["padding"].integers());
  spec.dilation = axes_of(call["dilation"].integers());
  spec.ceil_mode = call["ceil"].flag().value_or(false);
  return {spec};
}

Layers adaptive_pool(const OperatorCall& call) {
  const auto input = image_of(call["input"].tensor(), call.name);
  const Sizes wanted = call["sizes"].integers();
  if (!input || wanted.empty()) return {};
  if (is_one_position(wanted)) return global_average(*input, Pass::fwd);
  return traffic_layer(call, {&*input}, with_positions(*input, wanted), *input->type);
}

Layers adaptive_pool_gradient(const OperatorCall& call) {
  const auto gradient = image_of(call["gradient"].tensor(), call.name);
  const auto input = image_of(call["input"].tensor(), call.name);
  if (!gradient || !input) return {};
  if (is_one_position(Sizes(gradient->sizes.begin() + 2, gradient->sizes.end())))
    return global_average(*input, Pass::dgrad);
  return traffic_layer(call, {&*gradient}, input->sizes, *input->type);
}

Layers reduction(const OperatorCall& call) {
  if (call["axes"].tensor() != nullptr) return broadcast_traffic(call);  // of two tensors
  const TensorArgument* input = call["input"].typed_tensor();
  if (input == nullptr || element_count(input->sizes) == 0) return {};
  const std::vector<bool> reduced =
      reduced_axes(call["axes"].signed_integers(), input->sizes.size());
  Sizes result = input->sizes;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (reduced[i]) result[i] = 1;
  LayerSpec spec =
      named_layer(LayerKind::reduce, base_name(call.name),
                  sizes_text(input->sizes) + " to " + sizes_text(result), *input->type);
  spec.input = operand_of(*input, input->stored_sizes());
  spec.output = whole_operand(result).sizes;
  if (input->layout() == Layout::nhwc) spec.layout = Layout::nhwc;
  return {spec};
}

/// A mean over an image's positions is a global average pool.
Layers mean(const OperatorCall& call) {
  const TensorArgument* input = call["input"].tensor();
  const std::size_t rank = input != nullptr ? input->rank() : 0;
  if (rank >= 4 && image_of(input, rank - 2)) {
    std::vector<bool> positions(rank, true);
    positions[0] = positions[1] = false;
    if (reduced_axes(call["axes"].signed_integers(), rank) == positions)
      return global_average(*input, Pass::fwd);
  }
  return reduction(call);
}

/// Programs state the result, and may ask for it by factors.
Layers resize(const OperatorCall& call) {
  const auto input = image_of(call["input"].tensor(), call.name);
  if (!input) return {};
  const Sizes result = call.result.value_or(with_positions(*input, call["sizes"].integers()));
  if (result.size() != input->sizes.size()) return {};
  return upsample_layer(call, *input, input->sizes, result);
}

/// The input's sizes are an argument.
Layers resize_gradient(const OperatorCall& call) {
  const auto gradient = image_of(call["gradient"].tensor(), call.name);
  const Sizes input = call["sizes"].integers();
  if (!gradient || input.size() != gradient->sizes.size()) return {};
  return upsample_layer(call, *gradient, input, gradient->sizes);
}

Layers norm_layer(LayerKind kind, std::string_view what, const TensorArgument* input,
                  const TensorArgument* weight, Pass pass = Pass::fwd) {
  if (input == nullptr || !input->type || element_count(input->sizes) == 0) return {};
  LayerSpec spec = named_layer(kind, what, sizes_text(input->sizes), *input->type, pass);
  spec.input = operand_of(*input, input->sizes);
  // Instance and group norms copy into NCHW by operators of their own.
  if (kind == LayerKind::batch_norm)
    spec.layout = input->layout();
  else if (info(kind).features == Features::first)
    spec.layout = Layout::nchw;
  if (weight != nullptr) spec.dtypes.weight = weight->type;
  return {spec};
}

/// Rows of the normalised sizes, or else of the weight's.
Layers norm_of_rows(LayerKind kind, const TensorArgument* input, const TensorArgument* weight,
                    Sizes normalized = {}, Pass pass = Pass::fwd) {
  if (normalized.empty() && weight != nullptr) normalized = weight->sizes;
  const std::uint64_t features = normalized.empty() ? 0 : element_count(normalized);
  Layers layers = norm_layer(kind, info(kind).name, input, weight, pass);
  if (layers.empty() || features == 0) return {};
  const std::uint64_t elements = element_count(input->sizes);
  if (elements % features != 0) return {};
  layers.front().input = operand_of(*input, {elements / features, features});
  layers.front().normalized_shape = {features};
  return layers;
}

/// An instance norm runs as a batch norm of one image with all images' channels. The flag of
/// training makes it compute the batch's mean and deviation.
Layers norm_of_batch(const OperatorCall& call) {
  const TensorArgument* weight = call["weight"].tensor();
  const Caller* instance = call.caller("aten::instance_norm");
  if (instance != nullptr && mentions(call.argument_names, {"training"}))
    return norm_layer(LayerKind::instance_norm, "instance_norm",
                      argument_at(*instance->arguments, 0).tensor(), weight);
  // An overload without running statistics has the flag two arguments earlier.
  const bool training =
      call["training"].flag().value_or(argument_at(*call.arguments, 3).flag().value_or(false));
  Layers layers = norm_layer(call.kind, training ? "batch_norm training" : info(call.kind).name,
                             call["input"].tensor(), weight, call.pass());
  for (LayerSpec& layer : layers) layer.batch_statistics = training;
  return layers;
}

Layers norm_of_sizes(const OperatorCall& call) {
  return norm_of_rows(call.kind, call["input"].tensor(), call["weight"].tensor(),
                      call["sizes"].integers(), call.pass());
}

Layers norm_of_groups(const OperatorCall& call) {
  const auto groups = call["groups"].integer();
  Layers layers = norm_layer(call.kind, "group_norm", call["input"].tensor(),
                             call["weight"].tensor(), call.pass());
  if (layers.empty() || groups.value_or(0) <= 0) return {};
  layers.front().groups = static_cast<std::uint64_t>(*groups);
  *layers.front().name += " g" + std::to_string(*groups);
  return layers;
}

/// ([result,] input, weight, ...), in libraries other than PyTorch.
Layers custom_norm(const OperatorCall& call) {
  const TensorArgument* first = argument_at(*call.arguments, 0).tensor();
  const TensorArgument* second = argument_at(*call.arguments, 1).tensor();
  if (first == nullptr || second == nullptr) return {};
  const bool has_result = first->sizes == second->sizes;
  return has_result ? norm_of_rows(call.kind, second, argument_at(*call.arguments, 2).tensor())
                    : norm_of_rows(call.kind, first, second);
}

/// The sum goes to the residual, its norm to the input.
Layers fused_add_norm(const OperatorCall& call) {
  const TensorArgument* x = call["input"].typed_tensor();
  const TensorArgument* residual = call["residual"].tensor();
  const TensorArgument* weight = call["weight"].tensor();
  if (x == nullptr || residual == nullptr || weight == nullptr) return {};
  return traffic_layer(call, {x, residual, weight}, {2 * element_count(x->sizes)}, *x->type);
}

}  // namespace

std::span<const OperatorRow> reduction_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      {"max_pool2d_with_indices max_pool3d_with_indices max_pool1d max_pool2d max_pool3d", pool,
       max_pool, "input kernel stride padding dilation ceil"},
      {"max_pool2d_with_indices_backward max_pool3d_with_indices_backward", pool, max_pool,
       "- input kernel stride padding dilation ceil"},
      {"avg_pool1d avg_pool2d avg_pool3d", pool, avg_pool, "input kernel stride padding ceil"},
      {"avg_pool2d_backward avg_pool3d_backward", pool, avg_pool,
       "- input kernel stride padding ceil"},
      {"_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d adaptive_avg_pool1d "
       "adaptive_avg_pool2d adaptive_avg_pool3d",
       adaptive_pool, global_avg_pool, "input sizes"},
      {"_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward", adaptive_pool_gradient,
       global_avg_pool, "gradient input"},
      {"mean", mean, reduce, "input axes"},
      {"sum nansum prod amax amin max min argmax argmin any all std var var_mean logsumexp",
       reduction, reduce, "input axes"},
      {"linalg_vector_norm norm", reduction, reduce, "input - axes"},
      {"upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact2d "
       "upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d "
       "_upsample_bilinear2d_aa",
       resize, upsample, "input sizes"},
      {"upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward "
       "_upsample_nearest_exact2d_backward upsample_bilinear2d_backward "
       "upsample_bicubic2d_backward upsample_linear1d_backward upsample_trilinear3d_backward",
       resize_gradient, upsample, "gradient - sizes"},

      {"native_batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit "
       "_batch_norm_with_update batch_norm",
       norm_of_batch, batch_norm, "input weight - - - training"},
      {"_native_batch_norm_legit_no_training _batch_norm_no_update", norm_of_batch, batch_norm,
       "input weight"},
      {"native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
       "batch_norm_backward",
       norm_of_batch, batch_norm, "input - weight"},
      {"instance_norm", norm_of_batch, instance_norm, "input weight"},
      {"native_layer_norm layer_norm", norm_of_sizes, layer_norm, "input sizes weight"},
      {"native_layer_norm_backward", norm_of_sizes, layer_norm, "input - sizes - - weight"},
      {"native_group_norm", norm_of_groups, group_norm, "input weight - - - - groups"},
      {"group_norm", norm_of_groups, group_norm, "input groups weight"},
      {"native_group_norm_backward", norm_of_groups, group_norm, "input - - - weight - - - groups"},
      {"_fused_rms_norm rms_norm", norm_of_sizes, rms_norm, "input sizes weight"},
      {"::rms_norm ::rmsnorm ::rmsnorm2d_fwd", custom_norm, rms_norm, "input weight"},
      {"::layernorm2d_fwd", custom_norm, layer_norm, "input weight"},
      {"::fused_add_rms_norm ::fused_add_rmsnorm", fused_add_norm, other, "input residual weight"},
  };
  return rows;
}

}  // namespace roofline
