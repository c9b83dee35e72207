// Grouped convolutions as matrix products; see depthwise_kernel.hpp.

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/kernel/convolution_problem.hpp"
#include "model/kernel/rounding.hpp"

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

/// The rate that kernels of whole groups or packed channels run against: that of the units which
/// multiply dense matrices of the type.
double dense_flop_per_s(const ConvolutionProblem& p) {
  const auto type = static_cast<std::size_t>(p.layer->dtypes.input);
  const Engine engine = p.model->dense_engine[type].value_or(Engine::fp32);
  const std::optional<EngineModel>& dense = engine_model(*p.model, engine);
  return dense ? dense->rate_flop_per_s : 1e12;
}

/// Group by group: each a product of its own, with slices copied out and in where channels are
/// innermost.
ThroughputKernel group_by_group(const ConvolutionProblem& p, const GroupKernel& kernel,
                                Algorithm algorithm, double repack_element_clock = 0) {
  const GemmShape gemm = gemm_of_group(p);
  const bool winograd = algorithm == Algorithm::group_by_group_winograd;
  const double column_tile = p.inner || winograd ? 64 : 32;
  const double flop = 2 * round_up(gemm.rows, winograd ? 64 : 32) *
                      round_up(gemm.columns, column_tile) * round_up(gemm.depth, 8);
  // A weight gradient's depth is split over blocks beyond some steps.
  const double steps = std::min(gemm.depth / k_step, p.pass == 2 ? 32.0 : 1e9);
  ThroughputWork work = start_of(algorithm, kernel.start_s, p);
  work.start_s = 0;
  work.kernels = p.groups * kernel.launches;
  work.serial_s.add("groups", p.groups, kernel.start_s);
  work.serial_s.add("steps of all groups", p.groups * steps, kernel.step_s);
  work.flop = p.groups * flop;
  work.flop_per_s = kernel.flop_per_clock_per_sm * p.model->machine.issue_clock_per_s;
  // Parts without tensor cores run these types no faster than their vector units.
  if (!winograd) work.flop_per_s = std::min(work.flop_per_s, dense_flop_per_s(p));
  work.useful_share = 2 * gemm.rows * gemm.columns * gemm.depth / flop;
  work.copy_clocks.add("elements", p.input_element() + p.output_element(), repack_element_clock);
  if (p.inner) work.reread_l2_byte = p.streams.read_byte + p.streams.write_byte;
  work.moves = p.inner ? 2 : 1;  // the copies move everything a second time
  return timed(work, p);
}

/// One launch over all groups with tiles of 128 x 128: few groups of many channels.
ThroughputKernel batched(const ConvolutionProblem& p, const GroupKernel& kernel) {
  const Machine& machine = p.model->machine;
  const GemmShape gemm = gemm_of_group(p);
  const double blocks =
      divide_up(gemm.rows, batched_tile) * divide_up(gemm.columns, batched_tile) * p.groups;
  // Each tap's channels start a new step.
  const double steps =
      p.pass == 2 ? divide_up(gemm.depth, k_step) : p.taps * divide_up(gemm.depth / p.taps, k_step);
  ThroughputWork work = start_of(Algorithm::grouped_batched_gemm, kernel.start_s, p);
  work.blocks = blocks;
  work.kernels = kernel.launches;
  work.flop = blocks * steps * 2 * batched_tile * batched_tile * k_step;
  work.flop_per_s = kernel.flop_per_clock_per_sm * machine.clock_hz * machine.sm_count;
  work.idle = divide_up(blocks, machine.sm_count) * machine.sm_count / blocks;
  work.floor_s.add("steps of a block", steps, kernel.step_s);
  work.useful_share = gemm.rows * gemm.columns / (blocks / p.groups * batched_tile * batched_tile);
  return timed(work, p);
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

ThroughputKernel general(const ConvolutionProblem& p, const DirectKernel& kernel) {
  const double macs = p.pass == 1 ? p.input_element() * p.taps * p.group_out
                                  : p.output_element() * p.taps * p.group_in;
  const double outputs = p.pass == 1 ? p.input_element() : p.output_element();
  const Algorithm algorithm =
      p.inner ? Algorithm::grouped_direct_nhwc : Algorithm::grouped_direct_nchw;
  return timed(direct_work(kernel, {algorithm, general_chain(p), macs, outputs}, p), p);
}

/// K steps that one block of a packed kernel walks: a tap each; over positions for a weight
/// gradient, which splits them over up to twelve blocks once they are many.
double packed_steps(const ConvolutionProblem& p) {
  if (p.pass != 2) return p.taps;
  const double steps = divide_up(p.positions(), packed_tile);
  return steps / std::clamp(divide_up(steps, 48), 1.0, 12.0);
}

}  // namespace

ThroughputKernel packed_kernel(const ConvolutionProblem& p, const GroupedConstants& k, double width,
                               bool repack) {
  const Machine& machine = p.model->machine;
  const bool strided_single = p.pass == 1 && p.stride > 1 && !p.half;
  const PackedKernel& kernel =
      strided_single ? k.packed_single_strided : (p.half ? k.packed_half : k.packed_single)[p.pass];
  const double widened = width * p.groups;
  double taps = p.taps;
  if (p.pass == 1 && p.stride > 1) taps *= k.packed_strided_share;
  ThroughputWork work =
      start_of(repack ? Algorithm::grouped_packed_gemm_repacked : Algorithm::grouped_packed_gemm,
               kernel.start_s, p);
  if (repack) work.start_s += k.repack_start_s;
  work.kernels = repack ? 4 : 1;
  work.steps.add("steps of a block", packed_steps(p), kernel.step_round);
  // Each tap fetches its pixels' channels again; weights come along in the same shape.
  // A group wider than a tile is fetched for each of its tiles.
  work.fetch_byte = p.positions() * taps * widened * p.element_byte * divide_up(width, packed_tile);
  work.fetch_byte_per_s = kernel.fetch_byte_per_clock_per_sm * machine.sm_count * machine.clock_hz;
  work.reread_l2_byte = std::max(0.0, work.fetch_byte - p.streams.read_byte);
  work.flop =
      2 * p.positions() * p.taps * round_up(widened, packed_tile) * std::max(width, packed_tile);
  work.flop_per_s = std::max(dense_flop_per_s(p), 1.0);
  work.useful_share = p.group_in / std::max(width, packed_tile);
  work.in_flight_byte = kernel.in_flight_byte * machine.sm_count;
  work.blocks = divide_up(p.positions(), packed_tile) * divide_up(widened, packed_tile);
  work.threads = 128;
  // The layout change writes padded channels out in one direction and reads them in the other.
  if (repack)
    work.copy_clocks.add(
        "elements",
        p.input_element() / p.group_in * width + p.output_element() / p.group_out * width,
        k.repack_element_clock);
  return timed(work, p);
}

ThroughputKernel grouped_gemm_kernel(const ConvolutionProblem& p, const GroupedConstants& k) {
  ThroughputKernel best;
  if (!p.inner) {
    keep_faster(best, general(p, k.general_plane[p.pass]));
    keep_faster(best, group_by_group(p, k.group_plane[p.pass], Algorithm::group_by_group_nchw));
    if (p.pass == 1 && std::min(p.group_in, p.group_out) >= 20)
      keep_faster(best,
                  group_by_group(p, k.small_plane_dgrad, Algorithm::group_by_group_small_nchw));
    const bool winograd = p.pass == 2 && p.stride == 1 && p.taps > 1;
    if (winograd)
      keep_faster(best,
                  group_by_group(p, k.winograd_plane_wgrad, Algorithm::group_by_group_winograd));
    return best;
  }
  if (packs(p)) return packed_kernel(p, k, p.group_in, false);
  const double wider = std::max(p.group_in, p.group_out);
  if (wider <= 4 * packed_tile) {
    const auto width = std::bit_ceil(static_cast<std::uint64_t>(wider));
    keep_faster(best, packed_kernel(p, k, std::max(4.0, static_cast<double>(width)), true));
  }
  keep_faster(best, group_by_group(p, (p.half ? k.group_half : k.group_single)[p.pass],
                                   Algorithm::group_by_group_nhwc,
                                   aligned(p) ? k.slice_element_clock : k.repack_element_clock));
  if (batches(p)) keep_faster(best, batched(p, k.batched_half[p.pass]));
  keep_faster(best, general(p, k.general_inner[p.pass]));
  return best;
}

}  // namespace roofline
