// Resizes.

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

Sizes with_positions(const TensorArgument& image, const Sizes& positions) {
  Sizes sizes(image.sizes.begin(), image.sizes.begin() + 2);
  sizes.insert(sizes.end(), positions.begin(), positions.end());
  return sizes;
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

}  // namespace

std::span<const CallRow> reduction_operators() {
  using enum LayerKind;
  static constexpr CallRow rows[] = {
      {"upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact2d "
       "upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d "
       "_upsample_bilinear2d_aa",
       resize, upsample, "input sizes"},
      {"upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward "
       "_upsample_nearest_exact2d_backward upsample_bilinear2d_backward "
       "upsample_bicubic2d_backward upsample_linear1d_backward upsample_trilinear3d_backward",
       resize_gradient, upsample, "gradient - sizes"},
  };
  return rows;
}

}  // namespace roofline
