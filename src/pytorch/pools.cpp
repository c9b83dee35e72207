#include "pytorch/operator_readers.hpp"

// Pools, means, sums and resizes.

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

/// Images and channels of a tensor, with other positions.
Sizes with_positions(const TensorArgument& image, const Sizes& positions) {
  Sizes sizes(image.sizes.begin(), image.sizes.begin() + 2);
  sizes.insert(sizes.end(), positions.begin(), positions.end());
  return sizes;
}

/// Which axes go: "[-1, -2]"; all where none are named.
std::vector<bool> reduced_axes(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> reduced(rank, axes.empty());
  for (const std::int64_t axis : axes)
    if (const auto at = axis_at(axis, rank)) reduced[*at] = true;
  return reduced;
}

Interpolation interpolation_of(std::string_view operator_name) {
  if (operator_name.find("bicubic") != std::string_view::npos) return Interpolation::bicubic;
  return operator_name.find("nearest") != std::string_view::npos ? Interpolation::nearest
                                                                 : Interpolation::bilinear;
}

/// `from`: the tensor that is read, in whose layout the other one is.
Layers upsample_layer(const OperatorCall& call, const TensorArgument& from, const Sizes& input,
                      const Sizes& output) {
  LayerSpec spec =
      named_layer(LayerKind::upsample, "upsample",
                  sizes_text(input) + " to " + sizes_text(Sizes(output.begin() + 2, output.end())),
                  *from.type, pass_of(call));
  spec.input = operand_of(from, input);
  spec.layout = from.layout();
  spec.interpolation = interpolation_of(call.name);
  spec.output = output;
  return {spec};
}

}  // namespace

Layers pool(const OperatorCall& call, const OperatorRow& row) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* input = a.tensor(row.at.input);
  const Sizes kernel = a.integers(row.at.kernel);
  if (!is_image(input) || kernel.empty()) return {};
  const Sizes stride = a.integers(row.at.stride);
  LayerSpec spec = named_layer(row.kind, info(row.kind).name,
                               sizes_text(input->sizes) + " k" + sizes_text(kernel) + " s" +
                                   sizes_text(stride.empty() ? kernel : stride),
                               *input->type, pass_of(call));
  spec.rank = static_cast<std::uint8_t>(input->sizes.size() - 2);
  spec.input = operand_of(*input, input->sizes);
  spec.layout = input->layout();
  spec.kernel_size = axes_of(kernel);
  spec.stride = axes_of(stride);
  spec.padding = axes_of(a.integers(row.at.padding));
  spec.dilation = axes_of(a.integers(row.at.dilation));
  spec.ceil_mode = a.flag(row.at.flag).value_or(false);
  return {spec};
}

/// One mean of each plane, or bytes moved.
Layers adaptive_pool(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* input = call.arguments->tensor(row.at.input);
  const Sizes wanted = call.arguments->integers(row.at.axes);
  if (!is_image(input) || wanted.empty()) return {};
  if (is_one_position(wanted)) return global_average(*input, Pass::fwd);
  return traffic_layer(call, {input}, with_positions(*input, wanted), *input->type);
}

/// (gradient, input).
Layers adaptive_pool_gradient(const OperatorCall& call, const OperatorRow&) {
  const TensorArgument* gradient = call.arguments->tensor(0);
  const TensorArgument* input = call.arguments->tensor(1);
  if (gradient == nullptr || !is_image(input)) return {};
  if (is_one_position(Sizes(gradient->sizes.begin() + 2, gradient->sizes.end())))
    return global_average(*input, Pass::dgrad);
  return traffic_layer(call, {gradient}, input->sizes, *input->type);
}

Layers reduction(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* input = typed_tensor(call, row.at.input);
  if (input == nullptr || element_count(input->sizes) == 0) return {};
  const std::vector<bool> reduced =
      reduced_axes(call.arguments->signed_integers(row.at.axes), input->sizes.size());
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

/// A mean over the positions of an image is a global average pool.
Layers mean(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* input = call.arguments->tensor(row.at.input);
  if (is_image(input) && input->sizes.size() >= 4) {
    std::vector<bool> positions(input->sizes.size(), true);
    positions[0] = positions[1] = false;
    if (reduced_axes(call.arguments->signed_integers(row.at.axes), input->sizes.size()) ==
        positions)
      return global_average(*input, Pass::fwd);
  }
  return reduction(call, row);
}

Layers upsample(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* input = call.arguments->tensor(row.at.input);
  const Sizes wanted = call.arguments->integers(row.at.axes);
  if (!is_image(input) || wanted.size() + 2 != input->sizes.size()) return {};
  return upsample_layer(call, *input, input->sizes, with_positions(*input, wanted));
}

/// From the gradient of the result to that of the input, whose sizes are an argument.
Layers upsample_gradient(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* gradient = call.arguments->tensor(row.at.input);
  const Sizes input = call.arguments->integers(row.at.axes);
  if (!is_image(gradient) || input.size() != gradient->sizes.size()) return {};
  return upsample_layer(call, *gradient, input, gradient->sizes);
}

}  // namespace roofline
