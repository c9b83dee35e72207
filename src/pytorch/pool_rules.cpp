#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

// Pools, means, sums and resizes.

namespace roofline {
namespace {

bool is_image(const TensorArgument* tensor) {
  return tensor != nullptr && tensor->type && tensor->sizes.size() >= 3 &&
         tensor->sizes.size() <= 5 && element_count(tensor->sizes) > 0;
}

/// The arguments of a pool from its kernel size on.
struct PoolArguments {
  std::size_t kernel = 1;
  bool has_dilation = false;
};

std::vector<LayerSpec> pool_layer(LayerKind kind, const OperatorArguments& a,
                                  const TensorArgument* input, const PoolArguments& at, Pass pass) {
  const Sizes kernel = a.integers(at.kernel);
  if (!is_image(input) || kernel.empty()) return {};
  const Sizes stride = a.integers(at.kernel + 1);
  const std::size_t ceil = at.kernel + (at.has_dilation ? 4 : 3);
  LayerSpec spec = named_layer(kind, info(kind).name,
                               sizes_text(input->sizes) + " k" + sizes_text(kernel) + " s" +
                                   sizes_text(stride.empty() ? kernel : stride),
                               *input->type, pass);
  spec.rank = static_cast<std::uint8_t>(input->sizes.size() - 2);
  spec.input = whole_operand(input->sizes);
  spec.layout = input->layout();
  spec.kernel_size = axes_of(kernel);
  spec.stride = axes_of(stride);
  spec.padding = axes_of(a.integers(at.kernel + 2));
  if (at.has_dilation) spec.dilation = axes_of(a.integers(at.kernel + 3));
  spec.ceil_mode = a.flag(ceil).value_or(false);
  return {spec};
}

/// (input, kernel, stride, padding, dilation, ceil_mode).
std::vector<LayerSpec> max_pool(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return pool_layer(LayerKind::max_pool, a, a.tensor(0), {1, true}, Pass::fwd);
}

/// (gradient, input, kernel, stride, padding, dilation, ceil_mode, indices).
std::vector<LayerSpec> max_pool_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return pool_layer(LayerKind::max_pool, a, a.tensor(1), {2, true}, Pass::dgrad);
}

/// (input, kernel, stride, padding, ceil_mode, ...).
std::vector<LayerSpec> avg_pool(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return pool_layer(LayerKind::avg_pool, a, a.tensor(0), {1, false}, Pass::fwd);
}

std::vector<LayerSpec> avg_pool_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return pool_layer(LayerKind::avg_pool, a, a.tensor(1), {2, false}, Pass::dgrad);
}

std::vector<LayerSpec> global_average(const TensorArgument& input, Pass pass) {
  LayerSpec spec = named_layer(LayerKind::global_avg_pool, "global_avg_pool",
                               sizes_text(input.sizes), *input.type, pass);
  spec.input = whole_operand(input.sizes);
  spec.layout = input.layout();
  return {spec};
}

bool is_one_position(const Sizes& sizes) { return element_count(sizes) == 1; }

/// (input, output size): one mean of each plane, or bytes moved.
std::vector<LayerSpec> adaptive_avg_pool(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  const Sizes wanted = call.arguments->integers(1);
  if (!is_image(input) || wanted.empty()) return {};
  if (is_one_position(wanted)) return global_average(*input, Pass::fwd);
  Sizes result(input->sizes.begin(), input->sizes.begin() + 2);
  result.insert(result.end(), wanted.begin(), wanted.end());
  return traffic_layer(call, {{input}, result}, *input->type);
}

/// (gradient, input).
std::vector<LayerSpec> adaptive_avg_pool_backward(const OperatorCall& call) {
  const TensorArgument* gradient = call.arguments->tensor(0);
  const TensorArgument* input = call.arguments->tensor(1);
  if (gradient == nullptr || !is_image(input)) return {};
  if (is_one_position(Sizes(gradient->sizes.begin() + 2, gradient->sizes.end())))
    return global_average(*input, Pass::dgrad);
  return traffic_layer(call, {{gradient}, input->sizes}, *input->type);
}

/// Which axes go: "[-1, -2]"; all where none are named.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes) {
    const std::int64_t at = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
    if (at >= 0 && at < static_cast<std::int64_t>(rank))
      reduced[static_cast<std::size_t>(at)] = true;
  }
  return reduced;
}

std::vector<LayerSpec> reduction(const OperatorCall& call, std::size_t axes_at) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (input == nullptr || !input->type || element_count(input->sizes) == 0) return {};
  const std::vector<bool> reduced =
      reduced_axes(call.arguments->signed_integers(axes_at), input->sizes.size());
  Sizes result = input->sizes;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (reduced[i]) result[i] = 1;
  LayerSpec spec =
      named_layer(LayerKind::reduce, base_name(call.name),
                  sizes_text(input->sizes) + " to " + sizes_text(result), *input->type);
  spec.input = whole_operand(input->stored_sizes());
  spec.output = whole_operand(result).sizes;
  if (input->layout() == Layout::nhwc) spec.layout = Layout::nhwc;
  return {spec};
}

/// (input, axes, keepdim, ...).
std::vector<LayerSpec> reduce(const OperatorCall& call) { return reduction(call, 1); }

/// (input, order, axes, keepdim, ...).
std::vector<LayerSpec> vector_norm(const OperatorCall& call) { return reduction(call, 2); }

/// A mean over the positions of an image is a global average pool.
std::vector<LayerSpec> mean(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (is_image(input) && input->sizes.size() >= 4) {
    std::vector<bool> positions(input->sizes.size(), true);
    positions[0] = positions[1] = false;
    if (reduced_axes(call.arguments->signed_integers(1), input->sizes.size()) == positions)
      return global_average(*input, Pass::fwd);
  }
  return reduce(call);
}

Interpolation interpolation_of(std::string_view operator_name) {
  if (operator_name.find("bicubic") != std::string_view::npos) return Interpolation::bicubic;
  return operator_name.find("nearest") != std::string_view::npos ? Interpolation::nearest
                                                                 : Interpolation::bilinear;
}

/// `from`: the tensor that is read, in whose layout the other one is.
std::vector<LayerSpec> upsample_layer(const OperatorCall& call, const TensorArgument& from,
                                      const Sizes& input, const Sizes& output, Pass pass) {
  LayerSpec spec =
      named_layer(LayerKind::upsample, "upsample",
                  sizes_text(input) + " to " + sizes_text(Sizes(output.begin() + 2, output.end())),
                  *from.type, pass);
  spec.input = whole_operand(input);
  spec.layout = from.layout();
  spec.interpolation = interpolation_of(call.name);
  spec.output = output;
  return {spec};
}

/// (input, output size, ...).
std::vector<LayerSpec> upsample(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  const Sizes wanted = call.arguments->integers(1);
  if (!is_image(input) || wanted.size() + 2 != input->sizes.size()) return {};
  Sizes output(input->sizes.begin(), input->sizes.begin() + 2);
  output.insert(output.end(), wanted.begin(), wanted.end());
  return upsample_layer(call, *input, input->sizes, output, Pass::fwd);
}

/// (gradient, output size, input size, ...).
std::vector<LayerSpec> upsample_backward(const OperatorCall& call) {
  const TensorArgument* gradient = call.arguments->tensor(0);
  const Sizes input = call.arguments->integers(2);
  if (!is_image(gradient) || input.size() != gradient->sizes.size()) return {};
  return upsample_layer(call, *gradient, input, gradient->sizes, Pass::dgrad);
}

constexpr NamedRule pool_table[] = {
    {"max_pool2d_with_indices", max_pool},
    {"max_pool3d_with_indices", max_pool},
    {"max_pool2d_with_indices_backward", max_pool_backward},
    {"max_pool3d_with_indices_backward", max_pool_backward},
    {"avg_pool2d", avg_pool},
    {"avg_pool3d", avg_pool},
    {"avg_pool2d_backward", avg_pool_backward},
    {"avg_pool3d_backward", avg_pool_backward},
    {"_adaptive_avg_pool2d", adaptive_avg_pool},
    {"_adaptive_avg_pool3d", adaptive_avg_pool},
    {"adaptive_max_pool2d", adaptive_avg_pool},
    {"_adaptive_avg_pool2d_backward", adaptive_avg_pool_backward},
    {"_adaptive_avg_pool3d_backward", adaptive_avg_pool_backward},
    {"mean", mean},
    {"sum", reduce},
    {"nansum", reduce},
    {"prod", reduce},
    {"amax", reduce},
    {"amin", reduce},
    {"max", reduce},
    {"min", reduce},
    {"argmax", reduce},
    {"argmin", reduce},
    {"any", reduce},
    {"all", reduce},
    {"std", reduce},
    {"var", reduce},
    {"var_mean", reduce},
    {"logsumexp", reduce},
    {"linalg_vector_norm", vector_norm},
    {"norm", vector_norm},
    {"upsample_nearest1d", upsample},
    {"upsample_nearest2d", upsample},
    {"upsample_nearest3d", upsample},
    {"_upsample_nearest_exact2d", upsample},
    {"upsample_bilinear2d", upsample},
    {"upsample_bicubic2d", upsample},
    {"upsample_linear1d", upsample},
    {"upsample_trilinear3d", upsample},
    {"_upsample_bilinear2d_aa", upsample},
    {"upsample_nearest1d_backward", upsample_backward},
    {"upsample_nearest2d_backward", upsample_backward},
    {"upsample_nearest3d_backward", upsample_backward},
    {"_upsample_nearest_exact2d_backward", upsample_backward},
    {"upsample_bilinear2d_backward", upsample_backward},
    {"upsample_bicubic2d_backward", upsample_backward},
    {"upsample_linear1d_backward", upsample_backward},
    {"upsample_trilinear3d_backward", upsample_backward},
};

}  // namespace

std::span<const NamedRule> pool_rules() { return pool_table; }

}  // namespace roofline
