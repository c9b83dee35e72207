#include "roofline/context.hpp"

#include <utility>

#include "model/expected.hpp"
#include "model/kernel/machine/memory_traffic.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The rate of copies over the host link: the part's measured one for this kind of memory; for
/// pinned memory else the link's own.
std::optional<double> host_copy_byte_per_s(const Gpu& gpu, HostMemory memory) {
  if (memory == HostMemory::pageable) return gpu.host_pageable_byte_per_s;
  return gpu.host_pinned_byte_per_s ? gpu.host_pinned_byte_per_s : gpu.host_link_byte_per_s;
}

/// Refuses what the options ask of a GPU that does not state it.
void check(const Gpu& gpu, const AnalysisOptions& options) {
  if (options.ceilings == CeilingKind::sustained && !gpu.sustained)
    throw InputError(
        gpu.name +
            " has no sustained ceilings: measure them and give them as what it reaches, or as "
            "\"sustained\" in a GPU file of your own",
        Remedy::ceilings);
  if (options.host_copies && !host_copy_byte_per_s(gpu, *options.host_copies))
    throw InputError(gpu.name + " states no " +
                     (*options.host_copies == HostMemory::pageable
                          ? "host_pageable_gb_per_s"
                          : "host_pinned_gb_per_s or host_link_gb_per_s") +
                     ": give it in a GPU file of your own");
  if (options.launch == LaunchProtocol::eager && !gpu.host_operator_s)
    throw InputError(gpu.name +
                     " states no host_operator_us, what an operator takes the host: give it in a "
                     "GPU file of your own");
}

/// Engines enqueue their kernels one by one unless they are asked to capture them, and their
/// published throughputs at small batches show it.
LaunchProtocol default_launch(FusionKind fusion) {
  return fusion == FusionKind::epilogue ? LaunchProtocol::stream : LaunchProtocol::graph;
}

Ceilings ceilings_of(const Gpu& gpu, const AnalysisOptions& options) {
  Ceilings ceilings{gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s, options.ceilings, {}, {}};
  if (options.ceilings == CeilingKind::sustained) {
    ceilings.sustained_flop_per_s = gpu.sustained->peak_flop_per_s;
    ceilings.sustained_byte_per_s = gpu.sustained->bandwidth_byte_per_s;
  }
  if (options.bandwidth_byte_per_s) ceilings.sustained_byte_per_s = options.bandwidth_byte_per_s;
  if (options.peak_flop_per_s || options.bandwidth_byte_per_s) ceilings.kind = CeilingKind::user;
  // An engine that was not measured keeps its datasheet peak.
  for (const Engine engine : enumerators<Engine>)
    if (ceilings.sustained_flop_per_s[engine])
      ceilings.peak_flop_per_s[engine] = ceilings.sustained_flop_per_s[engine];
  ceilings.bandwidth_byte_per_s =
      ceilings.sustained_byte_per_s.value_or(ceilings.bandwidth_byte_per_s);
  return ceilings;
}

Context context_of(Gpu gpu, const AnalysisOptions& options) {
  check(gpu, options);
  const KernelModel datasheet = kernel_model_of(gpu).value();
  const Ceilings ceilings = ceilings_of(gpu, options);
  const auto copy_byte_per_s =
      options.host_copies ? host_copy_byte_per_s(gpu, *options.host_copies) : std::nullopt;
  const auto under = [&](const EngineRates& sustained) {
    return with_sustained(datasheet, sustained, ceilings.sustained_byte_per_s);
  };
  const Launch launch{options.launch.value_or(default_launch(options.fusion)),
                      gpu.host_operator_s.value_or(0)};
  Context context{std::move(gpu),
                  options,
                  ceilings,
                  copy_byte_per_s,
                  launch,
                  under(ceilings.sustained_flop_per_s),
                  {}};
  if (options.peak_flop_per_s)
    for (const Engine engine : enumerators<Engine>)
      context.kernel_by_engine.push_back(under(ceilings_for(context, engine).sustained_flop_per_s));
  return context;
}

}  // namespace

Expected<Context> make_context(Gpu gpu, const AnalysisOptions& options) {
  return expected([&] { return context_of(std::move(gpu), options); });
}

Ceilings ceilings_for(const Context& context, Engine engine) {
  Ceilings ceilings = context.ceilings;
  if (!context.options.peak_flop_per_s) return ceilings;
  ceilings.peak_flop_per_s[engine] = context.options.peak_flop_per_s;
  ceilings.sustained_flop_per_s[engine] = context.options.peak_flop_per_s;
  return ceilings;
}

Roofs roofs_for(const Context& context, Engine engine) {
  const ResolvedModel& model = kernel_model_for(context, engine).resolved();
  Planning trace;
  const auto rates = machine_rates(model.machine, trace);
  Roofs roofs{context.gpu.peak_flop_per_s,
              context.gpu.bandwidth_byte_per_s,
              {},
              dram_byte_per_s(model.memory, trace),
              l2_byte_per_s(model.memory, rates, trace)};
  for (const Engine engine_of_part : enumerators<Engine>)
    if (const auto& each = model.engines[engine_of_part])
      roofs.practical_flop_per_s[engine_of_part] = practical_flop_per_s(*each);
  return roofs;
}

Launch launch_of(const std::shared_ptr<const TraceSummary>& recording, const Context& context) {
  if (recording == nullptr) return context.launch;
  return {recording->times_hold_launches ? LaunchProtocol::graph : LaunchProtocol::kernel, 0};
}

const KernelModel& kernel_model_for(const Context& context, Engine engine) {
  return context.kernel_by_engine.empty() ? context.kernel
                                          : context.kernel_by_engine[index_of(engine)];
}

}  // namespace roofline
