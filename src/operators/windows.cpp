// Functions of windows on images [N, C, positions...]: convolutions and pools.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "operators/building.hpp"
#include "operators/operation.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

/// An image with a window of as many axes; nullopt for other operands.
std::optional<LayerSpec> windowed(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  const std::size_t rank = first_sizes(operation).size();
  const AxesSpec& kernel = attributes.kernel;
  if (rank < 3 || rank > most_operand_sizes || kernel.numbers.empty() ||
      (kernel.is_list && kernel.numbers.size() + 2 != rank))
    return std::nullopt;
  auto spec = layer_of(operation, operation.row->kind, first_sizes(operation));
  if (!spec) return std::nullopt;
  spec->rank = static_cast<std::uint8_t>(rank - 2);
  spec->layout = operation.operands.front().layout();
  spec->kernel_size = kernel;
  spec->stride = attributes.stride;
  spec->padding = attributes.padding;
  spec->dilation = attributes.dilation;
  return spec;
}

Layers convolution(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  auto spec = windowed(operation);
  if (!spec) return {};
  spec->out_channels = attributes.channels;
  spec->output_padding = attributes.output_padding;
  spec->groups = attributes.groups;
  spec->bias = attributes.bias;
  set_weight_type(operation, *spec);
  return named(operation, *spec);
}

/// Images, weights, offsets, and maybe a mask.
Layers deformable(const Operation& operation) {
  const std::vector<Tensor>& operands = operation.operands;
  if (operands.size() < 3 || operands[2].rank() != 4) return {};
  Layers layers = convolution(operation);
  for (LayerSpec& spec : layers) {
    spec.inputs = {*spec.input};
    for (std::size_t i = 2; i < operands.size(); ++i)
      spec.inputs.push_back(operand_of(operands[i], operands[i].sizes));
    spec.input.reset();
  }
  return layers;
}

Layers pool(const Operation& operation) {
  auto spec = windowed(operation);
  if (!spec) return {};
  spec->ceil_mode = operation.attributes.ceil_mode;
  return named(operation, *spec);
}

}  // namespace

std::span<const OperatorRow> window_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      // PyTorch's are its libraries', since each convolution runs as one of these.
      {"convolution", convolution, conv, "Conv FusedConv ConvInteger",
       "cudnn_convolution: input weight padding stride dilation groups;"
       "miopen_convolution miopen_depthwise_convolution mkldnn_convolution: "
       "input weight bias padding stride dilation groups;"
       "cudnn_convolution_relu miopen_convolution_relu conv2d: "
       "input weight bias stride padding dilation groups;"
       "convolution: input weight bias stride padding dilation transposed output_padding groups;"
       "cudnn_convolution_add_relu miopen_convolution_add_relu: "
       "input weight - - bias stride padding dilation groups;"
       "_conv_depthwise2d conv_depthwise3d _slow_conv2d_forward slow_conv_dilated2d "
       "slow_conv_dilated3d thnn_conv2d_forward: input weight - bias stride padding dilation;"
       "convolution_backward: - input weight - stride padding dilation transposed output_padding "
       "groups mask",
       "Convolution ConvActPool"},
      {"transposed_convolution", convolution, conv_transpose, "ConvTranspose",
       "cudnn_convolution_transpose: input weight padding output_padding stride dilation groups;"
       "miopen_convolution_transpose: "
       "input weight - padding output_padding stride dilation groups;"
       "conv_transpose2d: input weight bias stride padding output_padding groups dilation",
       "Deconvolution"},
      {"deformable_convolution", deformable, deform_conv, "DeformConv",
       "::deform_conv2d: input weight offset mask bias stride_h stride_w pad_h pad_w dilation_h "
       "dilation_w groups offset_groups use_mask"},
      {"max_pool", pool, max_pool, "MaxPool",
       "max_pool2d_with_indices max_pool3d_with_indices max_pool1d max_pool2d max_pool3d: "
       "input kernel stride padding dilation ceil;"
       "max_pool2d_with_indices_backward max_pool3d_with_indices_backward: "
       "- input kernel stride padding dilation ceil",
       "Pooling"},
      {"avg_pool", pool, avg_pool, "AveragePool LpPool",
       "avg_pool1d avg_pool2d avg_pool3d: input kernel stride padding ceil;"
       "avg_pool2d_backward avg_pool3d_backward: - input kernel stride padding ceil"},
  };
  return rows;
}

}  // namespace roofline
