// Convolutions of several groups, all three passes.
//
// Depthwise (one input channel per group): a direct kernel makes each output from its window, tap
// by tap, on vector units. Small layers take the unhidden chain of tap loads, large ones the larger
// of memory and multiply-adds. cuDNN (NHWC) has fast kernels for windows of 3, 5 and 7 and a
// general, slower one; PyTorch (fp32, NCHW) has its own, whose weight gradient runs one block per
// tap of a channel.
//
// Grouped: in NHWC with a power of two of channels per group, up to 64, cuDNN packs groups into
// tensor-core tiles and is bound by fetching the window's taps repeatedly; others are padded to one
// (two layout changes), run group by group, or in one batched launch. In NCHW (fp32) it runs group
// by group or a general direct kernel.
//
// The fastest candidate runs, as by autotuning.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernel/grouped/grouped_formulas.hpp"
#include "kernel/plans.hpp"

namespace roofline {
namespace {

/// For longer windows, one tap stands for several: 2^32 taps would take seconds.
constexpr std::uint64_t most_taps = std::uint64_t{1} << 20;

/// Limit of cuDNN's group kernels on tensor cores, in 16 bits with channels last.
constexpr double most_group_taps = 127;

/// Mean number of window taps along one axis inside the input, over all outputs.
double valid_taps_of_axis(const Window& window, std::size_t axis, std::uint64_t input,
                          std::uint64_t output) {
  const std::uint64_t stride = window.stride[axis];
  const std::uint64_t pad = window.pad_begin[axis];
  const std::uint64_t last_input = pad + input - 1;  // counted from the start of the padding
  const std::uint64_t last_output = output - 1;
  const std::uint64_t taps = window.kernel[axis];
  const std::uint64_t step = (taps - 1) / most_taps + 1;
  double pairs = 0;
  for (std::uint64_t tap = 0; tap < taps; tap += step) {
    // Outputs o with pad <= o * stride + offset <= last_input.
    const std::uint64_t offset = tap * window.dilation[axis];
    if (offset > last_input) continue;
    const std::uint64_t first = offset >= pad ? 0 : (pad - offset - 1) / stride + 1;
    const std::uint64_t last = std::min(last_output, (last_input - offset) / stride);
    if (first > last) continue;
    pairs +=
        static_cast<double>(std::min(step, taps - tap)) * static_cast<double>(last - first + 1);
  }
  return pairs / static_cast<double>(output);
}

ConvolutionProblem convolution_problem(const Layer& layer, const Counts& counts,
                                       const Machine& machine) {
  const auto [input, output, pass] = mirror_of(layer);
  ConvolutionProblem problem;
  problem.layer = &layer;
  problem.input = input;
  problem.output = output;
  problem.pass = pass;
  problem.element_byte = element_byte(layer.dtypes.input);
  problem.batch = static_cast<double>(input->batch);
  problem.groups = static_cast<double>(layer.groups);
  problem.group_in = static_cast<double>(input->channels) / problem.groups;
  problem.group_out = static_cast<double>(output->channels) / problem.groups;
  problem.taps = product(layer.window->kernel);
  const bool by_cudnn = has_cudnn(machine);
  // On tensor cores, wide groups with long windows run one after the other, with longer ones not at
  // all (kernels cutlass_tensorop_f16_s16816fprop_analytic, implicit_convolve_sgemm).
  problem.has_long_window = by_cudnn && problem.is_16bit() && problem.pass == Pass::fwd &&
                            problem.taps > 25 && problem.taps * problem.group_in > 1536;
  problem.copied = by_cudnn && !is_nhwc(layer) && problem.is_16bit() && problem.group_in > 1 &&
                   problem.taps <= most_group_taps;
  problem.nhwc = is_nhwc(layer) || problem.copied;
  problem.stride = product(layer.window->stride);
  problem.input_positions = spatial_size(*input);
  problem.output_positions = spatial_size(*output);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double valid =
        valid_taps_of_axis(*layer.window, axis, input->spatial[axis], output->spatial[axis]);
    problem.valid_taps *= valid;
    if (axis < 2) problem.valid_rows *= valid;
  }
  // In NCHW these kernels fetch whole images: one access covers more than a row.
  problem.streams = streams_of(layer, counts);
  problem.streams.read_byte += skipped_byte(layer, is_nhwc(layer) ? 3 : 0);
  return problem;
}

bool packs(const ConvolutionProblem& problem) {
  const auto in = static_cast<std::uint64_t>(problem.group_in);
  return problem.group_in == problem.group_out && std::has_single_bit(in) && in >= 4;
}

/// cuDNN generates a batched kernel for wide groups of 16-bit channels in whole 16-byte pieces.
bool batches(const ConvolutionProblem& problem) {
  const double piece = 16 / problem.element_byte;
  const bool pointwise =
      problem.taps == 1 && problem.pass == Pass::fwd && problem.group_in > packed_tile;
  const double narrower = std::min(problem.group_in, problem.group_out);
  return problem.is_16bit() && std::fmod(problem.group_in, piece) == 0 &&
         (pointwise || narrower >= batched_tile);
}

double packed_width(const ConvolutionProblem& problem) {
  const auto wider = static_cast<std::uint64_t>(std::max(problem.group_in, problem.group_out));
  return problem.group_in == 1 ? 4 : std::max(4.0, static_cast<double>(std::bit_ceil(wider)));
}

/// cuDNN's fast depthwise kernels cover square windows of 3, 5 and 7; with 16 bits also a dilation
/// of 2; with TF32 no weight gradient of 7 or of channels off multiples of four (kernel names).
bool has_tiled_kernel(const ConvolutionProblem& problem) {
  const Window& w = *problem.layer->window;
  const std::uint64_t size = w.kernel[2];
  const bool known =
      w.kernel[0] == 1 && w.kernel[1] == size && (size == 3 || size == 5 || size == 7);
  const std::uint64_t most_dilation = problem.is_16bit() && size == 3 ? 2 : 1;
  const bool lacking = !problem.is_16bit() && problem.pass == Pass::wgrad &&
                       (size == 7 || std::fmod(problem.groups, 4) != 0);
  return known && !lacking && w.dilation[1] <= most_dilation && w.dilation[2] <= most_dilation &&
         problem.group_out == 1;
}

/// The data gradient's kernel with large tiles (names sm90_xmma_depthwise_convolution_dgrad).
bool has_wide_dgrad(const ConvolutionProblem& problem) {
  return problem.is_16bit() && problem.pass == Pass::dgrad && problem.stride == 1 &&
         has_tiled_kernel(problem) && problem.layer->window->kernel[2] <= 5;
}

std::vector<Algorithm> candidates_of(const ConvolutionProblem& problem) {
  std::vector<Algorithm> all;
  const auto add = [&all](Algorithm algorithm, bool there_is = true) {
    if (there_is) all.push_back(algorithm);
  };
  const bool depthwise = problem.group_in == 1;
  if (depthwise && problem.nhwc) {
    add(Algorithm::depthwise_tiled_nhwc, has_tiled_kernel(problem));
    add(Algorithm::depthwise_wide_nhwc, has_wide_dgrad(problem));
    add(Algorithm::depthwise_dgrad_nhwc, problem.pass == Pass::dgrad && problem.group_out == 1);
    add(Algorithm::grouped_direct_nhwc);
    add(Algorithm::grouped_packed_gemm_repacked);
  } else if (depthwise) {
    add(Algorithm::depthwise_forward_nchw, problem.pass == Pass::fwd);
    add(Algorithm::depthwise_dgrad_nchw, problem.pass == Pass::dgrad);
    add(Algorithm::depthwise_wgrad_nchw, problem.pass == Pass::wgrad);
  } else if (problem.has_long_window) {
    add(problem.taps <= most_group_taps ? Algorithm::group_by_group_nhwc
        : problem.nhwc                  ? Algorithm::grouped_direct_nhwc
                                        : Algorithm::grouped_direct_nchw);
  } else if (problem.nhwc) {
    add(Algorithm::grouped_packed_gemm, packs(problem));
    add(Algorithm::grouped_packed_gemm_repacked,
        !packs(problem) && std::max(problem.group_in, problem.group_out) <= 4 * packed_tile);
    add(Algorithm::group_by_group_nhwc);
    add(Algorithm::grouped_batched_gemm, batches(problem) && !packs(problem));
    add(Algorithm::grouped_direct_nhwc, !packs(problem));
  } else {
    add(Algorithm::grouped_direct_nchw);
    add(Algorithm::group_by_group_nchw);
    add(Algorithm::group_by_group_small_nchw,
        problem.pass == Pass::dgrad && std::min(problem.group_in, problem.group_out) >= 20);
    add(Algorithm::group_by_group_winograd,
        problem.pass == Pass::wgrad && problem.stride == 1 && problem.taps > 1);
  }
  return all;
}

template <class Eval>
ThroughputWork<NumberOf<Eval>> work_of(Algorithm algorithm, const GroupedFormulas<Eval>& f) {
  const ConvolutionProblem& problem = f.problem;
  const GroupedConstants& constants = f.constants;
  switch (algorithm) {
    case Algorithm::depthwise_tiled_nhwc: return f.tiled();
    case Algorithm::depthwise_wide_nhwc: return f.wide_dgrad();
    case Algorithm::depthwise_dgrad_nhwc: return f.untiled_dgrad();
    case Algorithm::depthwise_forward_nchw: return f.forward_nchw();
    case Algorithm::depthwise_dgrad_nchw: return f.dgrad_nchw();
    case Algorithm::depthwise_wgrad_nchw: return f.wgrad_nchw();
    case Algorithm::grouped_packed_gemm: return f.packed(problem.group_in, false);
    case Algorithm::grouped_packed_gemm_repacked: return f.packed(packed_width(problem), true);
    case Algorithm::grouped_batched_gemm: return f.batched(constants.batched_16bit[problem.pass]);
    case Algorithm::group_by_group_nhwc:
      if (problem.has_long_window) return f.group_by_group(algorithm, constants.long_window_16bit);
      return f.group_by_group(
          algorithm,
          (problem.is_16bit() ? constants.group_16bit : constants.group_32bit)[problem.pass],
          &constants.repack_element_clock);
    case Algorithm::group_by_group_nchw:
      return f.group_by_group(algorithm, constants.group_nchw[problem.pass]);
    case Algorithm::group_by_group_small_nchw:
      return f.group_by_group(algorithm, constants.small_nchw_dgrad);
    case Algorithm::group_by_group_winograd:
      return f.group_by_group(algorithm, constants.winograd_nchw_wgrad);
    default: return problem.group_in == 1 ? f.general_depthwise() : f.general();
  }
}

/// As by autotuning.
Algorithm fastest_kernel(const ConvolutionProblem& problem, const ResolvedModel& model,
                         CacheState cache) {
  const std::vector<Algorithm> candidates = candidates_of(problem);
  if (candidates.size() == 1) return candidates.front();
  Planning eval;
  const auto rates = machine_rates(model.machine, eval);
  const GroupedFormulas<Planning> formulas{problem, model.constants->values.grouped, model, rates,
                                           eval};
  Algorithm best{};
  double best_s = std::numeric_limits<double>::infinity();
  for (const Algorithm each : candidates) {
    const double each_s =
        throughput_time(work_of(each, formulas), rates, model.memory, cache, eval).total_s;
    if (each_s < best_s) best = each, best_s = each_s;
  }
  return best;
}

}  // namespace

template <class Eval>
Works<Eval> grouped_works(const PlanRequest& request, const MachineRates<NumberOf<Eval>>& rates,
                          Eval& eval) {
  using Number = NumberOf<Eval>;
  const ResolvedModel& model = request.model;
  const ConvolutionProblem problem =
      convolution_problem(request.layer, request.counts, model.machine);
  const GroupedFormulas<Eval> formulas{problem, model.constants->values.grouped, model, rates,
                                       eval};
  auto work = work_of(fastest_kernel(problem, model, request.cache), formulas);
  if (problem.copied)
    work.copy_clocks =
        work.copy_clocks + (Number(problem.input_element()) + problem.output_element()) *
                               eval(formulas.constants.layout_element_clock);
  return {work};
}

template Works<Planning> grouped_works(const PlanRequest&, const MachineRates<double>&, Planning&);
template Works<Explaining> grouped_works(const PlanRequest&, const MachineRates<Explained>&,
                                         Explaining&);

}  // namespace roofline
