#include <algorithm>
#include <optional>

#include "pytorch/operator_readers.hpp"

namespace roofline {
namespace {

struct Convolution {
  const TensorArgument* input = nullptr;
  const TensorArgument* weight = nullptr;
  Sizes stride;
  Sizes padding;
  Sizes dilation;
  Sizes output_padding;
  std::uint64_t groups = 1;
  bool is_transposed = false;
  bool has_bias = false;
};

Convolution convolution_in(const OperatorArguments& arguments, const OperatorRow& row) {
  Convolution conv;
  conv.input = arguments.tensor(row.at.input);
  conv.weight = arguments.tensor(row.at.weight);
  conv.stride = arguments.integers(row.at.stride);
  conv.padding = arguments.integers(row.at.padding);
  conv.dilation = arguments.integers(row.at.dilation);
  if (conv.dilation.empty()) conv.dilation = {1};
  conv.output_padding = arguments.integers(row.at.output_padding);
  const Sizes groups = arguments.integers(row.at.groups);
  if (groups.size() == 1) conv.groups = groups.front();
  conv.is_transposed = arguments.flag(row.at.flag).value_or(row.kind == LayerKind::conv_transpose);
  conv.has_bias = arguments.tensor(row.at.bias) != nullptr;
  return conv;
}

/// "32x3x224x224 to 64 k7 s2".
std::string shape_text(const Convolution& conv, std::uint64_t out_channels) {
  const auto each = [](const Sizes& numbers) {
    const bool same = std::equal(numbers.begin() + 1, numbers.end(), numbers.begin());
    return same ? std::to_string(numbers.front()) : sizes_text(numbers);
  };
  const Sizes kernel(conv.weight->sizes.begin() + 2, conv.weight->sizes.end());
  std::string text =
      sizes_text(conv.input->sizes) + " to " + std::to_string(out_channels) + " k" + each(kernel);
  const auto add = [&](std::string_view mark, const Sizes& numbers) {
    if (std::any_of(numbers.begin(), numbers.end(), [](std::uint64_t n) { return n != 1; }))
      text += " " + std::string(mark) + each(numbers);
  };
  add("s", conv.stride);
  add("d", conv.dilation);
  if (conv.groups > 1) text += " g" + std::to_string(conv.groups);
  return text;
}

bool fits(const Convolution& conv) {
  if (!is_image(conv.input) || conv.weight == nullptr) return false;
  const std::size_t rank = conv.input->sizes.size();
  const auto is_for_axes = [&](const Sizes& numbers) {
    return numbers.size() == 1 || numbers.size() + 2 == rank;
  };
  return conv.weight->sizes.size() == rank && conv.groups > 0 &&
         element_count(conv.weight->sizes) > 0 && is_for_axes(conv.stride) &&
         is_for_axes(conv.padding) && is_for_axes(conv.dilation);
}

/// The layer in one of its passes. A weight is [out, in / groups, kernel...]; a transposed
/// convolution's is [in, out / groups, kernel...].
Layers convolution_layer(const OperatorCall& call, const Convolution& conv, Pass pass = Pass::fwd) {
  if (!fits(conv)) return {};
  const Sizes& weight = conv.weight->sizes;
  const std::uint64_t out_channels = conv.is_transposed ? weight[1] * conv.groups : weight[0];
  const auto axes = static_cast<std::uint8_t>(weight.size() - 2);
  LayerSpec spec = named_layer(
      conv.is_transposed ? LayerKind::conv_transpose : LayerKind::conv,
      std::string(conv.is_transposed ? "conv_transpose" : "conv") + std::to_string(axes) + "d",
      shape_text(conv, out_channels), multiplied_type(call, *conv.input->type), pass);
  spec.layout = conv.input->layout();
  // A layout that the library does not want costs copies around its kernel: the name shows it.
  if (spec.layout && *spec.layout != usual_layout(*spec.dtypes.input))
    *spec.name += *spec.layout == Layout::nchw ? " channels first" : " channels last";
  spec.rank = axes;
  spec.input = operand_of(*conv.input, conv.input->sizes);
  spec.out_channels = out_channels;
  spec.kernel_size = axes_of(Sizes(weight.begin() + 2, weight.end()));
  spec.stride = axes_of(conv.stride);
  spec.padding = axes_of(conv.padding);
  spec.dilation = axes_of(conv.dilation);
  spec.output_padding = axes_of(conv.is_transposed ? conv.output_padding : Sizes{});
  spec.groups = conv.groups;
  spec.bias = conv.has_bias;
  return {spec};
}

}  // namespace

Layers convolution(const OperatorCall& call, const OperatorRow& row) {
  return convolution_layer(call, convolution_in(*call.arguments, row));
}

/// Each channel is a group, which is no argument.
Layers depthwise_convolution(const OperatorCall& call, const OperatorRow& row) {
  Convolution conv = convolution_in(*call.arguments, row);
  if (conv.input != nullptr && conv.input->sizes.size() > 1) conv.groups = conv.input->sizes[1];
  return convolution_layer(call, conv);
}

/// The last argument is a mask that asks for the gradients of input, weight and bias. That of the
/// bias is a sum that runs as an operator of its own.
Layers convolution_gradients(const OperatorCall& call, const OperatorRow& row) {
  constexpr std::size_t mask_at = 10;
  const Convolution conv = convolution_in(*call.arguments, row);
  const std::vector<bool> mask = call.arguments->flags(mask_at);
  Layers layers;
  for (const auto& [index, pass] : {std::pair{0U, Pass::dgrad}, {1U, Pass::wgrad}}) {
    if (index >= mask.size() || !mask[index]) continue;
    const Layers own = convolution_layer(call, conv, pass);
    layers.insert(layers.end(), own.begin(), own.end());
  }
  return layers;
}

}  // namespace roofline
