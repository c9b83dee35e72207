#include <algorithm>
#include <optional>

#include "pytorch/operator_table.hpp"

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

Convolution convolution_in(const OperatorCall& call) {
  Convolution conv;
  conv.input = call["input"].tensor();
  conv.weight = call["weight"].tensor();
  conv.stride = call["stride"].integers();
  conv.padding = call["padding"].integers();
  conv.dilation = call["dilation"].integers();
  if (conv.dilation.empty()) conv.dilation = {1};
  conv.output_padding = call["output_padding"].integers();
  const Sizes groups = call["groups"].integers();
  if (groups.size() == 1) conv.groups = groups.front();
  conv.is_transposed = call["transposed"].flag().value_or(call.kind == LayerKind::conv_transpose);
  conv.has_bias = call["bias"].tensor() != nullptr;
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

Layers convolution(const OperatorCall& call) {
  return convolution_layer(call, convolution_in(call));
}

/// Each channel is a group, which is no argument.
Layers depthwise_convolution(const OperatorCall& call) {
  Convolution conv = convolution_in(call);
  if (conv.input != nullptr && conv.input->sizes.size() > 1) conv.groups = conv.input->sizes[1];
  return convolution_layer(call, conv);
}

/// The mask asks for the gradients of input, weight and bias. That of the bias is a sum that runs
/// as an operator of its own.
Layers convolution_gradients(const OperatorCall& call) {
  const Convolution conv = convolution_in(call);
  const std::vector<bool> mask = call["mask"].flags();
  Layers layers;
  for (const auto& [index, pass] : {std::pair{0U, Pass::dgrad}, {1U, Pass::wgrad}}) {
    if (index >= mask.size() || !mask[index]) continue;
    const Layers own = convolution_layer(call, conv, pass);
    layers.insert(layers.end(), own.begin(), own.end());
  }
  return layers;
}

}  // namespace

/// The libraries' own operators, as convolutions run as one of these.
std::span<const OperatorRow> convolution_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      {"cudnn_convolution", convolution, conv, "input weight padding stride dilation groups"},
      {"miopen_convolution miopen_depthwise_convolution mkldnn_convolution", convolution, conv,
       "input weight bias padding stride dilation groups"},
      {"cudnn_convolution_transpose", convolution, conv_transpose,
       "input weight padding output_padding stride dilation groups"},
      {"miopen_convolution_transpose", convolution, conv_transpose,
       "input weight - padding output_padding stride dilation groups"},
      {"cudnn_convolution_relu miopen_convolution_relu conv2d", convolution, conv,
       "input weight bias stride padding dilation groups"},
      {"conv_transpose2d", convolution, conv_transpose,
       "input weight bias stride padding output_padding groups dilation"},
      {"convolution", convolution, conv,
       "input weight bias stride padding dilation transposed output_padding groups"},
      {"cudnn_convolution_add_relu miopen_convolution_add_relu", convolution, conv,
       "input weight - - bias stride padding dilation groups"},
      {"_conv_depthwise2d conv_depthwise3d", depthwise_convolution, conv,
       "input weight - bias stride padding dilation"},
      {"_slow_conv2d_forward slow_conv_dilated2d slow_conv_dilated3d thnn_conv2d_forward",
       convolution, conv, "input weight - bias stride padding dilation"},
      {"convolution_backward", convolution_gradients, conv,
       "- input weight - stride padding dilation transposed output_padding groups mask"},
  };
  return rows;
}

}  // namespace roofline
