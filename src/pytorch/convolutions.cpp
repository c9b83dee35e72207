#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

/// "32x3x224x224 to 64 k7 s2".
std::string shape_text(const LayerSpec& conv) {
  const auto each = [](const Sizes& numbers) {
    const bool same = std::equal(numbers.begin() + 1, numbers.end(), numbers.begin());
    return same ? std::to_string(numbers.front()) : sizes_text(numbers);
  };
  std::string text = sizes_text(conv.input->sizes) + " to " + std::to_string(*conv.out_channels) +
                     " k" + each(conv.kernel_size.numbers);
  const auto add = [&](std::string_view mark, const Sizes& numbers) {
    if (std::ranges::any_of(numbers, [](std::uint64_t n) { return n != 1; }))
      text += " " + std::string(mark) + each(numbers);
  };
  add("s", conv.stride.numbers);
  add("d", conv.dilation.numbers);
  if (*conv.groups > 1) text += " g" + std::to_string(*conv.groups);
  return text;
}

/// One for all axes or one each; nullopt if they do not fit the image.
std::optional<Sizes> window_numbers(const Argument& argument, const TensorArgument& image) {
  const Sizes numbers = argument.integers();
  const bool fits = numbers.size() == 1 || numbers.size() + 2 == image.rank();
  return fits ? std::optional(numbers) : std::nullopt;
}

/// A weight is [out, in / groups, kernel...]; a transposed convolution's is [in, out / groups,
/// kernel...].
Layers convolution_layer(const OperatorCall& call, std::uint64_t groups, Pass pass = Pass::fwd) {
  const TensorArgument* filter = call["weight"].tensor();
  if (filter == nullptr || filter->rank() < 3 || element_count(filter->sizes) == 0) return {};
  const auto input = image_of(call["input"].tensor(), filter->rank() - 2);
  if (!input || groups == 0) return {};
  const auto stride = window_numbers(call["stride"], *input);
  const auto padding = window_numbers(call["padding"], *input);
  const auto dilation =
      call["dilation"].integers().empty() ? Sizes{1} : window_numbers(call["dilation"], *input);
  if (!stride || !padding || !dilation) return {};
  const Sizes& weight = filter->sizes;
  const bool is_transposed =
      call["transposed"].flag().value_or(call.kind == LayerKind::conv_transpose);
  const auto axes = static_cast<std::uint8_t>(weight.size() - 2);
  LayerSpec spec = named_layer(
      is_transposed ? LayerKind::conv_transpose : LayerKind::conv,
      std::string(is_transposed ? "conv_transpose" : "conv") + std::to_string(axes) + "d", "",
      multiplied_type(call, *input->type), pass);
  spec.layout = input->layout();
  spec.rank = axes;
  spec.input = operand_of(*input, input->sizes);
  spec.out_channels = is_transposed ? weight[1] * groups : weight[0];
  spec.kernel_size = axes_of(Sizes(weight.begin() + 2, weight.end()));
  spec.stride = axes_of(*stride);
  spec.padding = axes_of(*padding);
  spec.dilation = axes_of(*dilation);
  spec.output_padding = axes_of(is_transposed ? call["output_padding"].integers() : Sizes{});
  spec.groups = groups;
  spec.bias = call["bias"].tensor() != nullptr;
  *spec.name += " " + shape_text(spec);
  // Names a layout for which the library copies around its kernel.
  if (spec.layout && *spec.layout != usual_layout(*spec.dtypes.input))
    *spec.name += *spec.layout == Layout::nchw ? " channels first" : " channels last";
  return {spec};
}

std::uint64_t groups_of(const OperatorCall& call) {
  const Sizes groups = call["groups"].integers();
  return groups.size() == 1 ? groups.front() : 1;
}

Layers convolution(const OperatorCall& call) { return convolution_layer(call, groups_of(call)); }

/// Each channel is a group, which is no argument.
Layers depthwise_convolution(const OperatorCall& call) {
  const TensorArgument* input = call["input"].tensor();
  return input != nullptr && input->rank() > 1 ? convolution_layer(call, input->sizes[1])
                                               : Layers{};
}

/// The mask selects gradients of input, weight and bias; the bias' sum is an operator of its own.
Layers convolution_gradients(const OperatorCall& call) {
  const std::vector<bool> mask = call["mask"].flags();
  Layers layers;
  for (const auto& [index, pass] : {std::pair{0U, Pass::dgrad}, {1U, Pass::wgrad}}) {
    if (index >= mask.size() || !mask[index]) continue;
    const Layers own = convolution_layer(call, groups_of(call), pass);
    layers.insert(layers.end(), own.begin(), own.end());
  }
  return layers;
}

}  // namespace

/// Libraries' operators only, since each convolution runs as one of these.
std::span<const CallRow> convolution_operators() {
  using enum LayerKind;
  static constexpr CallRow rows[] = {
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
