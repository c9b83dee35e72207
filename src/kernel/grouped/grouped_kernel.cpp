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
#include <functional>
#include <limits>
#include <vector>

#include "kernel/grouped/grouped_formulas.hpp"
#include "kernel/plans.hpp"
#include "model/window_reads.hpp"

namespace roofline {
namespace {

/// Limit of cuDNN's group kernels on tensor cores, in 16 bits with channels last.
constexpr double most_group_taps = 127;

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
  const bool by_cudnn = problem.by_cudnn = has_cudnn(machine);
  // On tensor cores, wide groups with long windows run one after the other, with longer ones not at
  // all (kernels cutlass_tensorop_f16_s16816fprop_analytic, implicit_convolve_sgemm).
  problem.has_long_window = by_cudnn && problem.is_16bit() && problem.pass == Pass::fwd &&
                            problem.taps > 25 && problem.taps * problem.group_in > 1536;
  problem.copied = by_cudnn && !is_nhwc(layer) && problem.is_16bit() && problem.group_in > 1 &&
                   problem.taps <= most_group_taps;
  problem.nhwc = is_nhwc(layer) || problem.copied;
  problem.stride = product(layer.window->stride);
  problem.input_positions = product(input->spatial);
  problem.output_positions = product(output->spatial);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double valid = static_cast<double>(taps_reading(windows_along(layer, axis))) /
                         static_cast<double>(output->spatial[axis]);
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

/// PyTorch leaves one axis of 32 channels and more in fp16 to cuDNN.
bool has_line_kernel(const ConvolutionProblem& problem) {
  return problem.layer->window->rank == 1 && problem.layer->dtypes.input == DataType::fp16 &&
         problem.pass != Pass::wgrad && problem.stride == 1 && problem.group_out == 1 &&
         problem.groups >= 32 && problem.by_cudnn;
}

/// Makes the work of a kernel which the library may choose.
template <class Number>
using Candidate = std::function<ThroughputWork<Number>()>;

template <class Number>
std::vector<Candidate<Number>> candidates_of(const GroupedFormulas<Number>& f) {
  const ConvolutionProblem& problem = f.problem;
  const GroupedConstants& constants = f.constants;
  const Pass pass = problem.pass;
  std::vector<Candidate<Number>> all;
  const auto add = [&all](const auto& work, bool there_is = true) {
    if (there_is) all.push_back(work);
  };
  const auto add_groups = [&](Algorithm algorithm, const GroupKernel& kernel,
                              const double* copy_clock = nullptr) {
    add([=, &f, &kernel] { return f.group_by_group(algorithm, kernel, copy_clock); });
  };
  const auto general = [&f] {
    return f.problem.group_in == 1 ? f.general_depthwise() : f.general();
  };
  const auto packed = [&f] { return f.packed(f.problem.group_in, false); };
  const auto repacked = [&f] { return f.packed(packed_width(f.problem), true); };
  const bool depthwise = problem.group_in == 1;
  if (depthwise && problem.nhwc) {
    const DirectKernel& tiled =
        (problem.is_16bit() ? constants.tiled_16bit : constants.tiled_32bit)[pass];
    const DirectKernel& wide = constants.large_tile_16bit_dgrad;
    add([&] { return f.tiled(Algorithm::depthwise_tiled_nhwc, tiled); }, has_tiled_kernel(problem));
    add([&] { return f.tiled(Algorithm::depthwise_wide_nhwc, wide); }, has_wide_dgrad(problem));
    add([&f] { return f.untiled_dgrad(); }, pass == Pass::dgrad && problem.group_out == 1);
    add(general);
    add(repacked);
  } else if (depthwise) {
    add([&f] { return f.forward_nchw(); }, pass == Pass::fwd);
    add([&f] { return f.dgrad_nchw(); }, pass == Pass::dgrad);
    add([&f] { return f.wgrad_nchw(); }, pass == Pass::wgrad);
    add([&f] { return f.line_nchw(); }, has_line_kernel(problem));
  } else if (problem.has_long_window) {
    if (problem.taps <= most_group_taps)
      add_groups(Algorithm::group_by_group_nhwc, constants.long_window_16bit);
    else
      add(general);
  } else if (problem.nhwc) {
    add(packed, packs(problem));
    add(repacked,
        !packs(problem) && std::max(problem.group_in, problem.group_out) <= 4 * packed_tile);
    add_groups(Algorithm::group_by_group_nhwc,
               (problem.is_16bit() ? constants.group_16bit : constants.group_32bit)[pass],
               problem.copied ? nullptr : &constants.repack_element_clock);
    add([&f] { return f.batched(f.constants.batched_16bit[f.problem.pass]); },
        batches(problem) && !packs(problem));
    add(general, !packs(problem));
  } else {
    add(general);
    add_groups(Algorithm::group_by_group_nchw, constants.group_nchw[pass]);
    if (pass == Pass::dgrad && std::min(problem.group_in, problem.group_out) >= 20)
      add_groups(Algorithm::group_by_group_small_nchw, constants.small_nchw_dgrad);
    if (pass == Pass::wgrad && problem.stride == 1 && problem.taps > 1)
      add_groups(Algorithm::group_by_group_winograd, constants.winograd_nchw_wgrad);
  }
  return all;
}

/// The index in candidates_of(), as by autotuning.
std::size_t fastest_candidate(const ConvolutionProblem& problem, const ResolvedModel& model,
                              CacheState cache) {
  Planning eval;
  const auto rates = machine_rates(model.machine, eval);
  const GroupedFormulas<double> formulas{problem, model.constants->values.grouped, model, rates,
                                         eval};
  const auto candidates = candidates_of(formulas);
  if (candidates.size() == 1) return 0;
  std::size_t best = 0;
  double best_s = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double each_s =
        throughput_time(candidates[i](), rates, model.memory, cache, eval).total_s;
    if (each_s < best_s) best = i, best_s = each_s;
  }
  return best;
}

}  // namespace

template <class Number>
Works<Number> grouped_works(const PlanRequest& request, const MachineRates<Number>& rates,
                            Eval<Number>& eval) {
  const ResolvedModel& model = request.model;
  const ConvolutionProblem problem =
      convolution_problem(request.layer, request.counts, model.machine);
  const GroupedFormulas<Number> formulas{problem, model.constants->values.grouped, model, rates,
                                         eval};
  auto work = candidates_of(formulas)[fastest_candidate(problem, model, request.cache)]();
  if (problem.copied)
    work.copy_clocks =
        work.copy_clocks + (Number(problem.input_element()) + problem.output_element()) *
                               eval(formulas.constants.layout_element_clock);
  return {work};
}

template Works<double> grouped_works(const PlanRequest&, const MachineRates<double>&, Planning&);
template Works<Explained> grouped_works(const PlanRequest&, const MachineRates<Explained>&,
                                        Explaining&);

}  // namespace roofline
