// Adaptive pools and resizes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/recording.hpp"
#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

/// An average or a maximum of all positions.
Layers of_image(const OperatorCall& call, const TensorArgument& image, Pass pass) {
  const bool is_max = call.kind == LayerKind::max_pool;
  const OperatorRow* row = find_row(is_max ? "global_max_pool" : "global_avg_pool");
  return row->build({.row = row, .operands = {image}, .pass = pass, .called = row->name});
}

bool is_one_position(const Sizes& sizes) { return element_count(sizes) == 1; }

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

Layers adaptive_pool(const OperatorCall& call) {
  const auto input = image_of(call["input"].tensor(), call.name);
  const Sizes wanted = call["sizes"].integers();
  if (!input || wanted.empty()) return {};
  if (is_one_position(wanted)) return of_image(call, *input, Pass::fwd);
  return traffic_layer(call, {&*input}, with_positions(*input, wanted), *input->type);
}

Layers adaptive_pool_gradient(const OperatorCall& call) {
  const auto gradient = image_of(call["gradient"].tensor(), call.name);
  const auto input = image_of(call["input"].tensor(), call.name);
  if (!gradient || !input) return {};
  if (is_one_position(Sizes(gradient->sizes.begin() + 2, gradient->sizes.end())))
    return of_image(call, *input, Pass::dgrad);
  return traffic_layer(call, {&*gradient}, input->sizes, *input->type);
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

/// The sum goes to the residual, its norm to the input.
Layers fused_add_norm(const OperatorCall& call) {
  const TensorArgument* x = call["input"].typed_tensor();
  const TensorArgument* residual = call["residual"].tensor();
  const TensorArgument* weight = call["weight"].tensor();
  if (x == nullptr || residual == nullptr || weight == nullptr) return {};
  return traffic_layer(call, {x, residual, weight}, {2 * element_count(x->sizes)}, *x->type);
}

}  // namespace

std::span<const CallRow> reduction_operators() {
  using enum LayerKind;
  static constexpr CallRow rows[] = {
      {"_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
       "adaptive_avg_pool3d",
       adaptive_pool, global_avg_pool, "input sizes"},
      {"adaptive_max_pool2d", adaptive_pool, max_pool, "input sizes"},
      {"_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward", adaptive_pool_gradient,
       global_avg_pool, "gradient input"},
      {"upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact2d "
       "upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d "
       "_upsample_bilinear2d_aa",
       resize, upsample, "input sizes"},
      {"upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward "
       "_upsample_nearest_exact2d_backward upsample_bilinear2d_backward "
       "upsample_bicubic2d_backward upsample_linear1d_backward upsample_trilinear3d_backward",
       resize_gradient, upsample, "gradient - sizes"},
      {"::fused_add_rms_norm ::fused_add_rmsnorm", fused_add_norm, other, "input residual weight"},
  };
  return rows;
}

}  // namespace roofline
