// Grouped convolutions as matrix products; see depthwise_kernel.hpp.

#include <bit>

#include "model/kernel/convolution_problem.hpp"
#include "model/kernel/plan_parts.hpp"

namespace roofline {
namespace {

constexpr double packed_tile = 64;  ///< channels of a packed tile
constexpr double k_step = 32;
constexpr double batched_tile = 128;

struct GemmShape {
  double rows;     ///< M
  double columns;  ///< N
  double depth;    ///< K
};

/// The product of one group.
GemmShape gemm_of_group(const ConvolutionProblem& p) {
  if (p.pass == 0) return {p.positions(), p.group_out, p.group_in * p.taps};
  if (p.pass == 1) return {p.positions(), p.group_in, p.group_out * p.taps};
  return {p.group_out, p.group_in * p.taps, p.positions()};
}

/// Group by group: each a product of its own, with slices copied out and in where channels are
/// innermost.
KernelPlan plan_group_by_group(const ConvolutionProblem& p, const GroupKernel& kernel,
                               Algorithm algorithm, double repack_element_clock = 0) {
  const GemmShape gemm = gemm_of_group(p);
  const bool winograd = algorithm == Algorithm::group_by_group_winograd;
  const double column_tile = p.inner || winograd ? 64 : 32;
  const double flops = 2 * round_up(gemm.rows, winograd ? 64 : 32) *
                       round_up(gemm.columns, column_tile) * round_up(gemm.depth, 8);
  const double rate = kernel.flop_per_clock_per_sm * p.model->machine.issue_clock_per_s;
  // A weight gradient's depth is split over blocks beyond some steps.
  const double steps = std::min(gemm.depth / k_step, p.pass == 2 ? 32.0 : 1e9);
  const double group_s = kernel.start_s + steps * kernel.step_s + flops / rate;
  ConvolutionWork work;
  work.algorithm = algorithm;
  work.kernels = p.groups * kernel.launches;
  work.math_s = p.groups * group_s;
  work.steps_s = repack_element_clock * (p.input_element() + p.output_element()) /
                 p.model->machine.issue_clock_per_s;
  work.tile_utilization = 2 * gemm.rows * gemm.columns * gemm.depth / std::max(flops, 1.0);
  if (p.inner) work.reread_l2_byte = p.streams.read_byte + p.streams.write_byte;
  work.efficiency = p.inner ? 0.5 : 1;  // the copies move everything a second time
  return finish(work, p);
}

/// One launch over all groups with tiles of 128 x 128: few groups of many channels.
KernelPlan plan_batched(const ConvolutionProblem& p, const GroupKernel& kernel) {
  const GemmShape gemm = gemm_of_group(p);
  const double blocks =
      divide_up(gemm.rows, batched_tile) * divide_up(gemm.columns, batched_tile) * p.groups;
  // Each tap's channels start a new step.
  const double steps =
      p.pass == 2 ? divide_up(gemm.depth, k_step) : p.taps * divide_up(gemm.depth / p.taps, k_step);
  const double waves = divide_up(blocks, p.model->machine.sm_count);
  const double step_clock = 2 * batched_tile * batched_tile * k_step / kernel.flop_per_clock_per_sm;
  ConvolutionWork work;
  work.algorithm = Algorithm::grouped_batched_gemm;
  work.blocks = blocks;
  work.kernels = kernel.launches;
  work.start_s = kernel.start_s;
  work.math_s = steps * std::max(kernel.step_s, waves * step_clock / p.model->machine.clock_hz);
  work.tile_utilization =
      gemm.rows * gemm.columns / (blocks / p.groups * batched_tile * batched_tile);
  return finish(work, p);
}

bool packs(const ConvolutionProblem& p) {
  const auto in = static_cast<std::uint64_t>(p.group_in);
  return p.group_in == p.group_out && std::has_single_bit(in) && in >= 4;
}

/// cuDNN generates a batched kernel for wide groups of 16-bit channels in whole 16-byte pieces.
bool batches(const ConvolutionProblem& p) {
  const double piece = 16 / p.element_byte;
  const bool pointwise = p.taps == 1 && p.pass == 0 && p.group_in > packed_tile;
  const double narrower = std::min(p.group_in, p.group_out);
  return p.half && std::fmod(p.group_in, piece) == 0 && (pointwise || narrower >= batched_tile);
}

/// Whether channels of a group start at whole 16-byte pieces; if not, they are copied apart.
bool aligned(const ConvolutionProblem& p) {
  const double piece = 16 / p.element_byte;
  return std::fmod(p.group_in, piece) == 0 && std::fmod(p.group_out, piece) == 0;
}

double general_chain(const ConvolutionProblem& p) {
  if (p.pass == 0) return p.valid_taps * p.group_in;
  if (p.pass == 1) return p.valid_taps * p.group_out;
  return 0;
}

KernelPlan plan_general(const ConvolutionProblem& p, const DirectKernel& kernel) {
  const double macs = p.pass == 1 ? p.input_element() * p.taps * p.group_out
                                  : p.output_element() * p.taps * p.group_in;
  const double outputs = p.pass == 1 ? p.input_element() : p.output_element();
  return plan_direct(kernel,
                     p.inner ? Algorithm::grouped_direct_nhwc : Algorithm::grouped_direct_nchw,
                     general_chain(p), macs, outputs, p);
}

/// The rate that kernels over packed channels run against: that of the units which multiply dense
/// matrices of the type.
double dense_flop_per_s(const ConvolutionProblem& p) {
  const auto type = static_cast<std::size_t>(p.layer->dtypes.input);
  const Engine engine = p.model->dense_engine[type].value_or(Engine::fp32);
  const std::optional<EngineModel>& dense = engine_model(*p.model, engine);
  return dense ? dense->rate_flop_per_s : 1e12;
}

/// K steps that one block of a packed kernel walks: a tap each; over positions for a weight
/// gradient, which splits them over up to twelve blocks once they are many.
double packed_steps(const ConvolutionProblem& p) {
  if (p.pass != 2) return p.taps;
  const double steps = divide_up(p.positions(), packed_tile);
  return steps / std::clamp(divide_up(steps, 48), 1.0, 12.0);
}

}  // namespace

KernelPlan plan_packed(const ConvolutionProblem& p, const ConvolutionConstants& k, double width,
                       bool repack) {
  const bool strided_single = p.pass == 1 && p.stride > 1 && !p.half;
  const PackedKernel& kernel =
      strided_single ? k.packed_single_strided : (p.half ? k.packed_half : k.packed_single)[p.pass];
  const double widened = width * p.groups;
  double taps = p.taps;
  if (p.pass == 1 && p.stride > 1) taps *= k.packed_strided_share;
  // Each tap fetches its pixels' channels again; weights come along in the same shape.
  // A group wider than a tile is fetched for each of its tiles.
  const double fetched =
      p.positions() * taps * widened * p.element_byte * divide_up(width, packed_tile);
  ConvolutionWork work;
  work.algorithm =
      repack ? Algorithm::grouped_packed_gemm_repacked : Algorithm::grouped_packed_gemm;
  work.kernels = repack ? 4 : 1;
  work.start_s = kernel.start_s;
  work.steps_s = packed_steps(p) * kernel.step_s;
  work.reread_l2_byte = std::max(0.0, fetched - p.streams.read_byte);
  work.fetch_s = fetched / (kernel.fetch_byte_per_clock_per_sm * p.model->machine.sm_count *
                            p.model->machine.clock_hz);
  const double flops =
      2 * p.positions() * p.taps * round_up(widened, packed_tile) * std::max(width, packed_tile);
  work.math_s = flops / dense_flop_per_s(p);
  work.tile_utilization = p.group_in / std::max(width, packed_tile);
  work.efficiency = kernel.efficiency;
  work.blocks = divide_up(p.positions(), packed_tile) * divide_up(widened, packed_tile);
  work.threads = 128;
  if (repack) {
    work.start_s += k.repack_start_s;
    // The layout change writes padded channels out in one direction and reads them in the other.
    const double elements =
        p.input_element() / p.group_in * width + p.output_element() / p.group_out * width;
    work.steps_s += elements * k.repack_element_clock / p.model->machine.issue_clock_per_s;
  }
  return finish(work, p);
}

KernelPlan plan_grouped_gemm(const ConvolutionProblem& p, const ConvolutionConstants& k) {
  KernelPlan best;
  if (!p.inner) {
    keep_faster(best, plan_general(p, k.general_plane[p.pass]));
    keep_faster(best,
                plan_group_by_group(p, k.group_plane[p.pass], Algorithm::group_by_group_nchw));
    if (p.pass == 1 && std::min(p.group_in, p.group_out) >= 20)
      keep_faster(
          best, plan_group_by_group(p, k.small_plane_dgrad, Algorithm::group_by_group_small_nchw));
    const bool winograd = p.pass == 2 && p.stride == 1 && p.taps > 1;
    if (winograd)
      keep_faster(
          best, plan_group_by_group(p, k.winograd_plane_wgrad, Algorithm::group_by_group_winograd));
    return best;
  }
  if (packs(p)) {
    keep_faster(best, plan_packed(p, k, p.group_in, false));
    return best;
  }
  const double wider = std::max(p.group_in, p.group_out);
  if (wider <= 4 * packed_tile) {
    const auto width = std::bit_ceil(static_cast<std::uint64_t>(wider));
    keep_faster(best, plan_packed(p, k, std::max(4.0, static_cast<double>(width)), true));
  }
  keep_faster(best,
              plan_group_by_group(p, (p.half ? k.group_half : k.group_single)[p.pass],
                                  Algorithm::group_by_group_nhwc,
                                  aligned(p) ? k.slice_element_clock : k.repack_element_clock));
  if (batches(p)) keep_faster(best, plan_batched(p, k.batched_half[p.pass]));
  keep_faster(best, plan_general(p, k.general_inner[p.pass]));
  return best;
}

}  // namespace roofline
