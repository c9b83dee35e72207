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

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "kernel/grouped/grouped_formulas.hpp"
#include "kernel/plans.hpp"
#include "model/window_reads.hpp"

namespace roofline {
namespace {

/// cuDNN's kernels for groups on tensor cores, in 16 bits with channels last, have a longest
/// window.
bool has_group_kernels(const Window& window) { return window.kernel[2] <= 127; }

ConvolutionProblem convolution_problem(const PlanRequest& request, bool nhwc) {
  const Layer& layer = request.layer;
  const auto [input, output, pass] = mirror_of(layer);
  ConvolutionProblem problem;
  problem.layer = &layer;
  problem.input = input;
  problem.output = output;
  problem.pass = pass;
  problem.nhwc = nhwc;
  problem.copied = nhwc != is_nhwc(layer);
  problem.by_cudnn = has_cudnn(request.model.machine);
  problem.by_tensor_cores = is_tensor_engine(request.engine);
  problem.element_byte = element_byte(layer.dtypes.input);
  problem.batch = static_cast<double>(input->batch);
  problem.groups = static_cast<double>(layer.groups);
  problem.group_in = static_cast<double>(input->channels) / problem.groups;
  problem.group_out = static_cast<double>(output->channels) / problem.groups;
  problem.taps = product(layer.window->kernel);
  problem.stride = product(layer.window->stride);
  problem.input_positions = product(input->spatial);
  problem.output_positions = product(output->spatial);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double phases =
        problem.pass == Pass::dgrad ? static_cast<double>(layer.window->stride[axis]) : 1;
    problem.phase_taps *= divide_up(static_cast<double>(layer.window->kernel[axis]), phases);
    const double valid = static_cast<double>(taps_reading(windows_along(layer, axis))) /
                         static_cast<double>(output->spatial[axis]);
    problem.valid_taps *= valid;
    if (axis < 2) problem.valid_rows *= valid;
  }
  // In NCHW these kernels fetch whole images: one access covers more than a row.
  problem.streams = streams_of(layer, request.counts);
  problem.streams.read_byte += skipped_byte(layer, is_nhwc(layer) ? 3 : 0);
  return problem;
}

/// In the layer's own layout and, with copies, in the other one. cuDNN has kernels for groups of
/// channels on tensor cores in NHWC alone, on vector units in NCHW alone but for weight gradients
/// of images.
std::vector<ConvolutionProblem> problems_of(const PlanRequest& request) {
  const Layer& layer = request.layer;
  const bool own = is_nhwc(layer);
  const bool on_tensor = is_tensor_engine(request.engine);
  const bool has_other =
      on_tensor ? !own : own && (layer.pass != Pass::wgrad || layer.window->rank == 3);
  const bool copies = has_cudnn(request.model.machine) && !is_depthwise(layer) && has_other &&
                      has_group_kernels(*layer.window);
  std::vector<ConvolutionProblem> problems;
  const bool has_own = !copies || element_byte(layer.dtypes.input) > 2;
  if (has_own) problems.push_back(convolution_problem(request, own));
  if (copies) problems.push_back(convolution_problem(request, !own));
  return problems;
}

bool packs(const ConvolutionProblem& problem) {
  const auto in = static_cast<std::uint64_t>(problem.group_in);
  return problem.group_in == problem.group_out && std::has_single_bit(in) && in >= 4;
}

/// On tensor cores, wide groups with long windows of lines and, unless they fill their tiles, of
/// images run one after the other (kernels cutlass_tensorop_f16_s16816fprop_analytic).
bool has_long_window(const ConvolutionProblem& problem) {
  const bool is_image = problem.layer->window->rank == 2;
  const bool by_parts = is_line(*problem.layer) || (is_image && !packs(problem));
  return problem.by_cudnn && problem.is_16bit() && by_parts && problem.pass == Pass::fwd &&
         problem.taps > 25 && problem.taps * problem.group_in > 1536;
}

/// Pieces of 16 bytes on both sides.
bool has_whole_vectors(const ConvolutionProblem& problem) {
  const double piece = 16 / problem.element_byte;
  return std::fmod(problem.group_in, piece) == 0 && std::fmod(problem.group_out, piece) == 0;
}

/// Two or three groups of whole vectors run one after the other where they lie (kernels
/// cutlass_tensorop).
bool runs_whole(const ConvolutionProblem& problem) {
  return problem.by_cudnn && problem.is_16bit() && problem.pass != Pass::wgrad &&
         problem.groups <= 3 && has_whole_vectors(problem) && !packs(problem);
}

/// cuDNN generates a batched kernel for wide groups of 16-bit channels in whole vectors.
bool batches(const ConvolutionProblem& problem) {
  const bool pointwise =
      problem.taps == 1 && problem.pass == Pass::fwd && problem.group_in > packed_tile;
  const double narrower = std::min(problem.group_in, problem.group_out);
  return problem.is_16bit() && has_whole_vectors(problem) &&
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
  const bool known = w.rank == 2 && w.kernel[1] == size && (size == 3 || size == 5 || size == 7);
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

/// PyTorch leaves lines and small square windows in fp16 and NCHW to cuDNN (PyTorch 2.11,
/// use_cudnn_depthwise and the kernel names of 130 convolutions).
bool is_left_to_cudnn(const ConvolutionProblem& problem) {
  const Window& w = *problem.layer->window;
  if (!problem.by_cudnn || problem.layer->dtypes.input != DataType::fp16 || problem.groups < 32 ||
      product(w.dilation) > 1)
    return false;
  if (is_line(*problem.layer)) return problem.stride == 1;
  const std::uint64_t size = w.kernel[2];
  const std::uint64_t width = problem.input->spatial[2];
  const bool is_small = size == 1 || size == 3 || size == 5;
  if (w.rank == 3 || w.kernel[1] != size || w.stride[1] != w.stride[2] || !is_small || width < 7)
    return false;
  if (w.stride[2] != 2) return w.stride[2] == 1;
  if (problem.batch == 1) return size > 1 || width <= 28;
  return size > 1 ? problem.groups >= 512 || (problem.groups >= 256 && width >= 28)
                  : problem.batch <= 16 && problem.groups >= 128 && width == 7;
}

bool is_picked(const ConvolutionProblem& problem) {
  return problem.by_cudnn && problem.layer->kernels == KernelSource::heuristic;
}

/// cuDNN has an engine that walks from place to place (convolveNd_wgrad_engine). Its heuristic
/// takes it for all 12 such layers of 7,000 on an H100, and for no other.
bool walks_places(const ConvolutionProblem& problem) {
  return problem.by_cudnn && problem.nhwc && problem.is_16bit() && problem.pass == Pass::wgrad &&
         problem.layer->window->rank == 3 && is_depthwise(*problem.layer) && problem.groups > 32 &&
         problem.taps <= 32;
}

/// In fp32 it copies each group's channels out and in (genericTranspose_kernel).
bool copies_groups(const ConvolutionProblem& problem) {
  return is_picked(problem) && !problem.nhwc && !problem.by_tensor_cores &&
         problem.pass == Pass::fwd && problem.taps > 1 &&
         std::min(problem.group_in, problem.group_out) >= 4;
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
  add([&f] { return f.wgrad_by_places(); }, walks_places(problem));
  if (is_picked(problem) && walks_places(problem)) return all;
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
    const Window& w = *problem.layer->window;
    const bool left = is_left_to_cudnn(problem);
    const bool is_odd = w.kernel[2] % 2;
    const bool of_line = is_line(*problem.layer);
    const bool is_line_wgrad = of_line && pass == Pass::wgrad;
    add([&f] { return f.cudnn_nchw(); },
        left && (pass == Pass::wgrad ? !of_line : problem.group_out == 1 && is_odd));
    add([&f] { return f.cudnn_line_wgrad(); }, left && is_line_wgrad);
    add([&f] { return f.general(); }, left && !is_line_wgrad);
    // PyTorch leaves strided layers to cuDNN where cuDNN was faster.
    const bool own = !left || problem.stride > 1;
    add([&f] { return f.forward_nchw(); }, own && pass == Pass::fwd);
    add([&f] { return f.dgrad_nchw(); }, own && pass == Pass::dgrad);
    add([&f] { return f.is_volume() ? f.wgrad_volume() : f.wgrad_nchw(); },
        own && pass == Pass::wgrad);
  } else if (has_long_window(problem)) {
    if (has_group_kernels(*problem.layer->window))
      add_groups(Algorithm::group_by_group_nhwc, constants.long_window_16bit);
    else
      add(general);
  } else if (problem.nhwc) {
    const bool is_packed = packs(problem) && problem.by_tensor_cores;
    add(packed, is_packed);
    add(repacked, !packs(problem) && problem.by_tensor_cores &&
                      std::max(problem.group_in, problem.group_out) <= 4 * packed_tile);
    add_groups(Algorithm::group_by_group_nhwc,
               (problem.is_16bit() ? constants.group_16bit : constants.group_32bit)[pass],
               problem.copied ? nullptr : &constants.repack_element_clock);
    if (runs_whole(problem) && !batches(problem))
      add_groups(Algorithm::group_by_group_nhwc, constants.whole_16bit);
    add([&f] { return f.batched(f.constants.batched_16bit[f.problem.pass]); },
        batches(problem) && !packs(problem));
    add(general, !is_packed);
  } else {
    add(general);
    add_groups(Algorithm::group_by_group_nchw, constants.group_nchw[pass]);
    if (pass == Pass::dgrad && std::min(problem.group_in, problem.group_out) >= 20)
      add_groups(Algorithm::group_by_group_small_nchw, constants.small_nchw_dgrad);
    if (pass == Pass::wgrad && problem.stride == 1 && problem.taps > 1 && !f.is_volume())
      add_groups(Algorithm::group_by_group_winograd, constants.winograd_nchw_wgrad);
  }
  return all;
}

template <class Number>
ThroughputWork<Number> with_copies(ThroughputWork<Number> work, const GroupedFormulas<Number>& f) {
  if (f.problem.copied || copies_groups(f.problem))
    work.copy_clocks =
        work.copy_clocks + (Number(f.problem.input_element()) + f.problem.output_element()) *
                               f.eval(f.problem.copied ? f.constants.layout_element_clock
                                                       : f.constants.generic_element_clock);
  return work;
}

struct GroupedChoice {
  ConvolutionProblem problem;
  std::size_t candidate = 0;  ///< in candidates_of()
};

/// As by autotuning.
GroupedChoice fastest_candidate(const PlanRequest& request) {
  const ResolvedModel& model = request.model;
  Planning eval;
  const auto rates = machine_rates(model.machine, eval);
  GroupedChoice best;
  double best_s = std::numeric_limits<double>::infinity();
  for (const ConvolutionProblem& problem : problems_of(request)) {
    const GroupedFormulas<double> formulas{problem, model.constants->values.grouped, model, rates,
                                           eval};
    const auto candidates = candidates_of(formulas);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto work = with_copies(candidates[i](), formulas);
      const double each_s = throughput_time(work, rates, model.memory, request.cache, eval).total_s;
      if (each_s < best_s) {
        best = {problem, i};
        best_s = each_s;
      }
    }
  }
  return best;
}

}  // namespace

template <class Number>
Works<Number> grouped_works(const PlanRequest& request, const MachineRates<Number>& rates,
                            Eval<Number>& eval) {
  const ResolvedModel& model = request.model;
  const auto [problem, candidate] = fastest_candidate(request);
  const GroupedFormulas<Number> formulas{problem, model.constants->values.grouped, model, rates,
                                         eval};
  return {with_copies(candidates_of(formulas)[candidate](), formulas)};
}

template Works<double> grouped_works(const PlanRequest&, const MachineRates<double>&, Planning&);
template Works<Explained> grouped_works(const PlanRequest&, const MachineRates<Explained>&,
                                        Explaining&);

}  // namespace roofline
