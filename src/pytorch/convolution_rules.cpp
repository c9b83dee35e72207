#include <algorithm>
#include <limits>
#include <optional>

#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

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
  std::vector<Sizes> results = {};  ///< what its result's sizes may be
};

struct AxisWindow {
  std::uint64_t stride = 1;
  std::uint64_t padding = 0;
};

/// The smallest stride with which a padding of less than the kernel gives the output: FLOP and
/// bytes depend on the output's size alone, so that a choice among several changes neither.
std::optional<AxisWindow> window_of(std::uint64_t input, std::uint64_t kernel,
                                    std::uint64_t output) {
  constexpr std::uint64_t most_padding = 1024;
  std::optional<AxisWindow> found;
  if (output == 0 || input > std::numeric_limits<std::uint32_t>::max()) return found;
  for (std::uint64_t padding = 0; padding < std::min(kernel, most_padding); ++padding) {
    if (input + 2 * padding < kernel) continue;
    const std::uint64_t last_begin = input + 2 * padding - kernel;
    const std::uint64_t stride = last_begin / output + 1;
    if (last_begin / stride + 1 == output && (!found || stride < found->stride))
      found = AxisWindow{stride, padding};
  }
  return found;
}

/// Older profilers record no strides: sizes of input, weight and result tell them.
void infer_windows(Convolution& conv) {
  if (conv.input == nullptr || conv.weight == nullptr || conv.is_transposed) return;
  const Sizes& input = conv.input->sizes;
  const Sizes& weight = conv.weight->sizes;
  if (input.size() < 3 || weight.size() != input.size() || weight[1] == 0) return;
  for (const Sizes& result : conv.results) {
    if (result.size() != input.size() || result[0] != input[0] || result[1] != weight[0]) continue;
    Sizes strides;
    Sizes paddings;
    for (std::size_t axis = 2; axis < input.size(); ++axis)
      if (const auto window = window_of(input[axis], weight[axis], result[axis])) {
        strides.push_back(window->stride);
        paddings.push_back(window->padding);
      }
    if (strides.size() + 2 != input.size()) continue;
    conv.stride = strides;
    conv.padding = paddings;
    conv.dilation = Sizes(strides.size(), 1);
    conv.groups = input[1] / weight[1];
    return;
  }
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
  if (conv.input == nullptr || conv.weight == nullptr || !conv.input->type) return false;
  const std::size_t rank = conv.input->sizes.size();
  const auto is_for_axes = [&](const Sizes& numbers) {
    return numbers.size() == 1 || numbers.size() + 2 == rank;
  };
  return rank >= 3 && rank <= 5 && conv.weight->sizes.size() == rank && conv.groups > 0 &&
         element_count(conv.input->sizes) > 0 && element_count(conv.weight->sizes) > 0 &&
         is_for_axes(conv.stride) && is_for_axes(conv.padding) && is_for_axes(conv.dilation);
}

/// The layer in one of its passes. A weight is [out, in / groups, kernel...]; a transposed
/// convolution's is [in, out / groups, kernel...].
std::vector<LayerSpec> convolution_layer(const OperatorCall& call, Convolution conv,
                                         Pass pass = Pass::fwd) {
  if (conv.results.empty()) conv.results = call.results;
  if (conv.stride.empty()) infer_windows(conv);
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
  spec.input = whole_operand(conv.input->sizes);
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

std::uint64_t group_count(const OperatorArguments& arguments, std::size_t i) {
  const Sizes numbers = arguments.integers(i);
  return numbers.size() == 1 ? numbers.front() : 1;
}

/// (input, weight, padding, stride, dilation, groups, ...); before PyTorch 1.8 and with MIOpen a
/// bias stands third.
std::vector<LayerSpec> cudnn_convolution(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const std::size_t next = a.integers(2).empty() ? 3 : 2;
  return convolution_layer(call, {a.tensor(0),
                                  a.tensor(1),
                                  a.integers(next + 1),
                                  a.integers(next),
                                  a.integers(next + 2),
                                  {},
                                  group_count(a, next + 3),
                                  false,
                                  next == 3 && a.tensor(2) != nullptr});
}

/// (input, weight, padding, output_padding, stride, dilation, groups, ...).
std::vector<LayerSpec> cudnn_convolution_transpose(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const std::size_t next = a.integers(2).empty() ? 3 : 2;
  return convolution_layer(
      call, {a.tensor(0), a.tensor(1), a.integers(next + 2), a.integers(next), a.integers(next + 3),
             a.integers(next + 1), group_count(a, next + 4), true, false});
}

/// (input, weight, bias, stride, padding, dilation, groups): bias and ReLU in the same kernel.
std::vector<LayerSpec> cudnn_convolution_relu(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return convolution_layer(call, {a.tensor(0),
                                  a.tensor(1),
                                  a.integers(3),
                                  a.integers(4),
                                  a.integers(5),
                                  {},
                                  group_count(a, 6),
                                  false,
                                  a.tensor(2) != nullptr});
}

/// (input, weight, residual, alpha, bias, stride, padding, dilation, groups).
std::vector<LayerSpec> cudnn_convolution_add_relu(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return convolution_layer(call, {a.tensor(0),
                                  a.tensor(1),
                                  a.integers(5),
                                  a.integers(6),
                                  a.integers(7),
                                  {},
                                  group_count(a, 8),
                                  false,
                                  a.tensor(4) != nullptr});
}

/// (input, weight, kernel_size, bias, stride, padding[, dilation]): PyTorch's own kernels.
std::vector<LayerSpec> own_convolution(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  Sizes dilation = a.integers(6);
  if (dilation.empty()) dilation = {1};
  Convolution conv{a.tensor(0), a.tensor(1), a.integers(4), a.integers(5),         dilation,
                   {},          1,           false,         a.tensor(3) != nullptr};
  const bool is_depthwise = call.name.find("depthwise") != std::string_view::npos;
  if (is_depthwise && conv.input != nullptr && conv.input->sizes.size() > 1)
    conv.groups = conv.input->sizes[1];
  return convolution_layer(call, conv);
}

/// (grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
/// groups, output_mask): the mask asks for the gradients of input, weight and bias. That of the
/// bias is a sum that runs as an operator of its own.
std::vector<LayerSpec> convolution_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const Convolution conv{a.tensor(1),   a.tensor(2),   a.integers(4),     a.integers(5),
                         a.integers(6), a.integers(8), group_count(a, 9), a.flag(7).value_or(false),
                         false};
  const std::vector<bool> mask = a.flags(10);
  std::vector<LayerSpec> layers;
  for (const auto& [index, pass] : {std::pair{0U, Pass::dgrad}, {1U, Pass::wgrad}}) {
    if (index >= mask.size() || !mask[index]) continue;
    const std::vector<LayerSpec> own = convolution_layer(call, conv, pass);
    layers.insert(layers.end(), own.begin(), own.end());
  }
  return layers;
}

/// One gradient, before PyTorch 1.11 an operator of its own within one of (input, gradient, weight,
/// padding, stride, dilation, groups, ...).
template <Pass pass>
std::vector<LayerSpec> one_gradient(const OperatorCall& call) {
  for (const Caller& caller : call.callers) {
    if (!caller.name.ends_with("convolution_backward")) continue;
    const OperatorArguments& a = *caller.arguments;
    Convolution conv{a.tensor(0), a.tensor(2),       a.integers(4), a.integers(3), a.integers(5),
                     {},          group_count(a, 6), false,         false};
    if (const TensorArgument* gradient = a.tensor(1)) conv.results = {gradient->sizes};
    return convolution_layer(call, conv, pass);
  }
  return {};
}

constexpr NamedRule convolution_table[] = {
    {"cudnn_convolution", cudnn_convolution},
    {"miopen_convolution", cudnn_convolution},
    {"miopen_depthwise_convolution", cudnn_convolution},
    {"cudnn_convolution_transpose", cudnn_convolution_transpose},
    {"miopen_convolution_transpose", cudnn_convolution_transpose},
    {"cudnn_convolution_relu", cudnn_convolution_relu},
    {"miopen_convolution_relu", cudnn_convolution_relu},
    {"cudnn_convolution_add_relu", cudnn_convolution_add_relu},
    {"miopen_convolution_add_relu", cudnn_convolution_add_relu},
    {"_conv_depthwise2d", own_convolution},
    {"conv_depthwise3d", own_convolution},
    {"_slow_conv2d_forward", own_convolution},
    {"slow_conv_dilated2d", own_convolution},
    {"slow_conv_dilated3d", own_convolution},
    {"thnn_conv2d_forward", own_convolution},
    {"cudnn_convolution_backward_input", one_gradient<Pass::dgrad>},
    {"cudnn_convolution_backward_weight", one_gradient<Pass::wgrad>},
    {"miopen_convolution_backward_input", one_gradient<Pass::dgrad>},
    {"miopen_convolution_backward_weight", one_gradient<Pass::wgrad>},
    {"convolution_backward", convolution_backward},
};

}  // namespace

std::span<const NamedRule> convolution_rules() { return convolution_table; }

}  // namespace roofline
