#include "model/kernel/depthwise_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "model/kernel/convolution_problem.hpp"
#include "model/kernel/rounding.hpp"

namespace roofline {
namespace {

constexpr double warp_size = 32;

/// cuDNN's fast depthwise kernels know square windows of 3, 5 and 7; with 16 bits also a dilation
/// of 2, and with TF32 no weight gradient of 7 or of channels off four (kernel names measured).
bool has_tiled_kernel(const ConvolutionProblem& p) {
  const Window& w = p.layer->window;
  const std::uint64_t size = w.kernel[2];
  const bool known =
      w.kernel[0] == 1 && w.kernel[1] == size && (size == 3 || size == 5 || size == 7);
  const std::uint64_t most_dilation = p.half && size == 3 ? 2 : 1;
  const bool lacking = !p.half && p.pass == 2 && (size == 7 || std::fmod(p.groups, 4) != 0);
  return known && !lacking && w.dilation[1] <= most_dilation && w.dilation[2] <= most_dilation &&
         p.group_out == 1;
}

/// The data gradient's kernel with large tiles (names sm90_xmma_depthwise_convolution_dgrad).
bool has_wide_dgrad(const ConvolutionProblem& p) {
  return p.half && p.pass == 1 && p.stride == 1 && has_tiled_kernel(p) &&
         p.layer->window.kernel[2] <= 5;
}

double outputs_made(const ConvolutionProblem& p) {
  return p.pass == 1 ? p.input_element() : p.output_element();
}

/// Elements that tiles of 4 x 8 compute for one that exists.
double tile_waste(const ConvolutionProblem& p) {
  const Shape& made = p.pass == 1 ? *p.input : *p.output;
  const auto rows = static_cast<double>(made.spatial[1]);
  const auto columns = static_cast<double>(made.spatial[2]);
  return divide_up(rows, 4) * 4 / rows * (divide_up(columns, 8) * 8 / columns);
}

/// Bytes that tiles fetch from L2 beyond the tensors: each tile of 4 x 8 elements (2 x 4 of four
/// bytes) brings its window's border along. Counters: x1.8 of the input for a window of 3 with
/// 16 bits, x3.3 with TF32.
double halo_byte(const ConvolutionProblem& p) {
  const Window& w = p.layer->window;
  const double rows = p.half ? 4 : 2;
  const double columns = p.half ? 8 : 4;
  const auto reach = static_cast<double>((w.kernel[2] - 1) * w.dilation[2]);
  const auto stride = static_cast<double>(w.stride[2]);
  const double tile = rows * columns * stride * stride;
  const double fetched = (rows * stride + reach) * (columns * stride + reach);
  return (fetched / tile - 1) * p.input_element() * p.element_byte;
}

ThroughputKernel tiled_kernel(const ConvolutionProblem& p, const GroupedConstants& k) {
  const DirectKernel& tiled = (p.half ? k.tiled_half : k.tiled_single)[p.pass];
  const double steps = p.pass == 2 ? std::sqrt(p.output_plane) : p.taps;
  const double strided = p.half ? k.strided_wgrad_half : k.strided_wgrad_single;
  const double made = outputs_made(p);
  const double macs = made * p.taps * (p.pass == 2 && p.stride > 1 ? strided : 1);
  return timed(
      direct_work(tiled,
                  {Algorithm::depthwise_tiled_nhwc, steps, macs, made, tile_waste(p), halo_byte(p)},
                  p),
      p);
}

ThroughputKernel wide_kernel(const ConvolutionProblem& p, const GroupedConstants& k) {
  const double made = outputs_made(p);
  return timed(direct_work(k.wide_half_dgrad,
                           {Algorithm::depthwise_wide_nhwc, p.taps, made * p.taps, made,
                            tile_waste(p), halo_byte(p)},
                           p),
               p);
}

ThroughputKernel inner_kernel(const ConvolutionProblem& p, const GroupedConstants& k) {
  ThroughputKernel best;
  const double made = outputs_made(p);
  if (has_tiled_kernel(p)) keep_faster(best, tiled_kernel(p, k));
  if (has_wide_dgrad(p)) keep_faster(best, wide_kernel(p, k));
  if (p.pass == 1 && p.group_out == 1) {
    const DirectWork untiled{Algorithm::depthwise_dgrad_nhwc, p.taps, made * p.taps, made};
    keep_faster(best, timed(direct_work(k.untiled_dgrad, untiled, p), p));
  }
  const DirectWork general{Algorithm::grouped_direct_nhwc, p.pass == 2 ? 0 : p.valid_taps,
                           made * p.valid_taps * (p.pass == 1 ? p.group_out : 1), made};
  keep_faster(best, timed(direct_work(k.general_inner[p.pass], general, p), p));
  keep_faster(best, packed_kernel(p, k, 4, true));
  return best;
}

/// PyTorch's weight gradient: a block for each tap of each channel; each of its warps takes images
/// in turn, 32 positions a step. Batch 1 leaves one warp a block.
ThroughputKernel plane_wgrad(const ConvolutionProblem& p, const GroupedConstants& k) {
  const double blocks = p.groups * p.group_out * p.taps;
  const double warps = std::min(p.batch, 8.0);
  const double steps_an_image = divide_up(p.output_plane, warp_size);
  const double steps_a_warp = divide_up(p.batch, warps) * steps_an_image;
  ThroughputWork work = start_of(Algorithm::depthwise_wgrad_nchw, k.plane_wgrad_start_s, p);
  work.blocks = blocks;
  work.threads = warps * warp_size;
  work.clocks.add("blocks", blocks, k.plane_wgrad_block_clock);
  work.clocks.add("images", blocks * p.batch, k.plane_wgrad_image_clock);
  work.clocks.add("steps", blocks * p.batch * steps_an_image, k.plane_wgrad_step_clock);
  // The chain of one block hides once several blocks share the SM.
  work.floor_s.add("steps of a warp", steps_a_warp, k.plane_wgrad_step_s);
  work.useful_share = p.output_plane / (steps_an_image * warp_size);
  return timed(work, p);
}

ThroughputKernel plane_dgrad(const ConvolutionProblem& p, const DirectKernel& kernel) {
  // Every tap is tested, also those that a stride or the border rules out.
  const double outputs = p.input_element() * p.group_out;
  const DirectWork work{Algorithm::depthwise_dgrad_nchw, p.taps * p.group_out, outputs * p.taps,
                        outputs};
  return timed(direct_work(kernel, work, p), p);
}

ThroughputKernel plane_kernel(const ConvolutionProblem& p, const GroupedConstants& k) {
  if (p.pass == 2) return plane_wgrad(p, k);
  const bool unrolled = p.layer->window.kernel[2] <= 5;
  if (p.pass == 1) return plane_dgrad(p, unrolled ? k.plane_dgrad : k.plane_dgrad_wide);
  const DirectWork direct{Algorithm::depthwise_forward_nchw, p.valid_taps,
                          p.output_element() * p.valid_taps, p.output_element()};
  ThroughputWork work = direct_work(unrolled ? k.plane_forward : k.plane_forward_wide, direct, p);
  // Each window row is a loop of its own.
  work.clocks.add("window rows", p.output_element() * p.valid_rows,
                  unrolled ? k.plane_row_clock : k.plane_wide_row_clock);
  return timed(work, p);
}

}  // namespace

ThroughputKernel depthwise_kernel(const ConvolutionProblem& p, const GroupedConstants& k) {
  return p.inner ? inner_kernel(p, k) : plane_kernel(p, k);
}

ThroughputKernel grouped_kernel(const Layer& layer, const Counts& counts, Engine engine,
                                const ResolvedModel& model, CacheState cache) {
  const GroupedConstants& constants = model.constants->values.grouped;
  const ConvolutionProblem problem = convolution_problem(layer, counts, engine, model, cache);
  return problem.group_in == 1 ? depthwise_kernel(problem, constants)
                               : grouped_gemm_kernel(problem, constants);
}

}  // namespace roofline
