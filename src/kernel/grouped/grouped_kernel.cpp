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
// Rows of configs/kernels say which kernels there are for a layer. The fastest runs, as by
// autotuning.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/chosen_row.hpp"
#include "kernel/fastest.hpp"
#include "kernel/grouped/grouped_formulas.hpp"
#include "kernel/plans.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// In the layer's own layout and, with copies, in the other one. cuDNN has kernels for groups of
/// channels on tensor cores in NHWC alone, on vector units in NCHW alone but for weight gradients
/// of images.
std::vector<KernelLayout> layouts_of(const PlanRequest& request) {
  const Problem& problem = request.problem;
  const Layer& layer = *problem.layer;
  const bool own = problem.nhwc;
  const bool on_tensor = is_tensor_engine(request.engine);
  const bool has_other =
      on_tensor ? !own : own && (layer.pass != Pass::wgrad || layer.window->rank == 3);
  const bool copies = has_cudnn(request.model.machine) && !is_depthwise(layer) && has_other &&
                      has_row(request.model.constants->choices, request.model.library,
                              LibraryKernel::layout_copy, choice_facts(problem, own, on_tensor));
  std::vector<KernelLayout> layouts;
  if (!copies || !problem.is_16bit()) layouts.push_back({own, false});
  if (copies) layouts.push_back({!own, true});
  return layouts;
}

double packed_width(const Problem& problem) {
  const auto wider = static_cast<std::uint64_t>(std::max(problem.group_in, problem.group_out));
  return problem.group_in == 1 ? 4 : std::max(4.0, static_cast<double>(std::bit_ceil(wider)));
}

/// Without copies around the kernel.
template <class Number>
KernelWork<Number> kernel_work(LibraryKernel kernel, const GroupedFormulas<Number>& f) {
  const Problem& problem = f.problem;
  const GroupedConstants& constants = f.constants;
  const Pass pass = problem.pass;
  const bool is_16bit = problem.is_16bit();
  switch (kernel) {
    case LibraryKernel::places_wgrad: return f.wgrad_by_places();
    case LibraryKernel::depthwise_tiled:
      return f.tiled(Algorithm::depthwise_tiled_nhwc,
                     (is_16bit ? constants.tiled_16bit : constants.tiled_32bit)[pass]);
    case LibraryKernel::depthwise_wide:
      return f.tiled(Algorithm::depthwise_wide_nhwc, constants.large_tile_16bit_dgrad);
    case LibraryKernel::depthwise_untiled: return f.untiled_dgrad();
    case LibraryKernel::depthwise_general: return f.general_depthwise();
    case LibraryKernel::depthwise_small: return f.cudnn_nchw();
    case LibraryKernel::depthwise_line: return f.cudnn_line_wgrad();
    case LibraryKernel::framework_fwd: return f.forward_nchw();
    case LibraryKernel::framework_dgrad: return f.dgrad_nchw();
    case LibraryKernel::framework_wgrad: return f.is_volume() ? f.wgrad_volume() : f.wgrad_nchw();
    case LibraryKernel::packed: return f.packed(problem.group_in, false);
    case LibraryKernel::repacked: return f.packed(packed_width(problem), true);
    case LibraryKernel::each_group:
      return f.group_by_group(Algorithm::group_by_group_nhwc,
                              (is_16bit ? constants.group_16bit : constants.group_32bit)[pass],
                              f.layout.copied ? nullptr : &constants.repack_element_clock);
    case LibraryKernel::each_group_long:
      return f.group_by_group(Algorithm::group_by_group_nhwc, constants.long_window_16bit);
    case LibraryKernel::each_group_whole:
      return f.group_by_group(Algorithm::group_by_group_nhwc, constants.whole_16bit);
    case LibraryKernel::batched: return f.batched(constants.batched_16bit[pass]);
    case LibraryKernel::each_group_nchw:
      return f.group_by_group(Algorithm::group_by_group_nchw, constants.group_nchw[pass]);
    case LibraryKernel::each_group_small_nchw:
      return f.group_by_group(Algorithm::group_by_group_small_nchw, constants.small_nchw_dgrad);
    case LibraryKernel::each_group_winograd:
      return f.group_by_group(Algorithm::group_by_group_winograd, constants.winograd_nchw_wgrad);
    case LibraryKernel::each_group_scattered: return f.scattered();
    case LibraryKernel::each_group_streams: return f.groups_on_tensor_cores();
    case LibraryKernel::each_group_vector:
      return f.side_by_side(Algorithm::group_by_group_nchw, constants.streams_vector, 32);
    case LibraryKernel::general:
    case LibraryKernel::layout_copy:
    case LibraryKernel::group_copy:
    case LibraryKernel::folded:
    case LibraryKernel::vector_fallback:
    case LibraryKernel::vector_direct:
    case LibraryKernel::image_scatter:
    case LibraryKernel::image_scatter_wide:
    case LibraryKernel::index_table:
    case LibraryKernel::half_scatter: break;
  }
  return f.general();
}

template <class Number>
struct GroupedWork {
  KernelWork<Number> product;
  std::optional<KernelWork<Number>> copies;  ///< before and after it
};

template <class Number>
GroupedWork<Number> grouped_work(LibraryKernel kernel, const GroupedFormulas<Number>& f) {
  GroupedWork<Number> work{kernel_work(kernel, f), {}};
  f.copy_groups(work.product);
  const bool widens = kernel == LibraryKernel::repacked;
  const double width = widens ? packed_width(f.problem) : 0.0;
  // Products on streams copy each group on its stream.
  if (f.layout.copied && kernel != LibraryKernel::each_group_streams)
    work.copies = f.layout_copies(width);
  else if (widens)
    work.copies = f.widening_copies(width);
  return work;
}

/// Kernels that compute a layer's groups; others copy, or are of layers of one group.
bool computes_groups(LibraryKernel kernel) { return kernel < LibraryKernel::layout_copy; }

struct GroupedChoice {
  KernelLayout layout;
  const ChoiceRow* row = nullptr;
};

/// The fastest kernel of the rows for the heuristic, or of those for autotuning.
Fastest<GroupedChoice> fastest_of_rows(const PlanRequest& request, bool by_heuristic) {
  const Problem& problem = request.problem;
  const ResolvedModel& model = request.model;
  Planning eval;
  const auto rates = machine_rates(model.machine, eval);
  Fastest<GroupedChoice> fastest;
  const auto time_of = [&](const GroupedWork<double>& work) {
    double time_s = work_s(work.product, rates, model.memory, request.cache);
    if (work.copies && fastest.may_be(time_s))
      time_s += work_s(*work.copies, rates, model.memory, CacheState::warm);
    return time_s;
  };
  for (const KernelLayout& layout : layouts_of(request)) {
    ChoiceFacts facts = choice_facts(problem, layout.nhwc, is_tensor_engine(request.engine));
    facts.set(ChoiceWord::heuristic, by_heuristic);
    GroupedFormulas<double> formulas{
        problem, layout, request.engine, model.constants->values.grouped, model, rates, eval};
    for_rows(model.constants->choices, model.library, facts, [&](const ChoiceRow& row) {
      if (row.kernel == LibraryKernel::group_copy) formulas.layout.copies_groups = true;
      if (computes_groups(row.kernel))
        fastest.consider(GroupedChoice{formulas.layout, &row},
                         time_of(grouped_work(row.kernel, formulas)));
      return false;
    });
  }
  return fastest;
}

/// Autotuning would find a kernel of the heuristic that is faster.
GroupedChoice chosen_kernel(const PlanRequest& request) {
  Fastest<GroupedChoice> fastest = fastest_of_rows(request, false);
  if (request.problem.kernels == KernelSource::heuristic) {
    const auto picked = fastest_of_rows(request, true);
    if (picked.time_s() > fastest.time_s()) fastest = picked;
  }
  if (!fastest.found())
    throw InputError("expected a row of " + request.model.constants->name +
                     " (\"choices\") that takes the convolution's groups, got none");
  return *fastest.found();
}

/// Without a kernel for its groups on tensor cores a library computes them on vector units, and
/// packs depthwise ones into tensor cores' tiles where it may.
Engine engine_of_groups(Algorithm algorithm, const PlanRequest& request) {
  switch (algorithm) {
    case Algorithm::grouped_packed_gemm:
    case Algorithm::grouped_packed_gemm_repacked:
      if (request.problem.groups_fill_tiles() && is_tensor_engine(request.engine))
        return request.engine;
      return request.model.dense_engine[request.layer.dtypes.input].value_or(request.engine);
    case Algorithm::grouped_direct_nhwc:
    case Algorithm::grouped_direct_nchw:
    case Algorithm::group_by_group_nchw:
    case Algorithm::group_by_group_small_nchw:
    case Algorithm::group_by_group_winograd:
      return is_tensor_engine(request.engine) ? Engine::fp32 : request.engine;
    default: return request.engine;
  }
}

}  // namespace

template <class Number>
Works<Number> grouped_works(const PlanRequest& request, const MachineRates<Number>& rates,
                            Eval<Number>& eval) {
  const ResolvedModel& model = request.model;
  const auto [layout, row] = chosen_kernel(request);
  const GroupedFormulas<Number> formulas{
      request.problem, layout, request.engine, model.constants->values.grouped, model, rates, eval};
  name_row(*row, *model.constants, eval);
  const GroupedWork<Number> work = grouped_work(row->kernel, formulas);
  Works<Number> works{work.product};
  works.front().engine = engine_of_groups(works.front().algorithm, request);
  if (work.copies) works.push_back(*work.copies);
  return works;
}

template Works<double> grouped_works(const PlanRequest&, const MachineRates<double>&, Planning&);
template Works<Explained> grouped_works(const PlanRequest&, const MachineRates<Explained>&,
                                        Explaining&);

}  // namespace roofline
