#include "roofline/context.hpp"

#include <string>
#include <utility>

#include "kernel/rates.hpp"
#include "model/gpu_names.hpp"
#include "model/requests.hpp"
#include "model/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The measured rate for this kind of memory; for pinned memory, else the link's rate.
std::optional<double> host_copy_byte_per_s(const Gpu& gpu, HostMemory memory) {
  if (memory == HostMemory::pageable) return gpu.host_pageable_byte_per_s;
  return gpu.host_pinned_byte_per_s ? gpu.host_pinned_byte_per_s : gpu.host_link_byte_per_s;
}

bool is_nvidia(const Gpu& gpu) { return gpu.vendor == "NVIDIA"; }

void check_options(const AnalysisOptions& options) {
  check_enumerator("AnalysisOptions::framework", options.framework);
  check_enumerator("AnalysisOptions::engine.convolutions", options.engine.convolutions);
  check_enumerator("AnalysisOptions::engine.products", options.engine.products);
  check_enumerator("AnalysisOptions::ceilings", options.ceilings);
  check_enumerator("AnalysisOptions::fusion", options.fusion);
  check_enumerator("AnalysisOptions::layout", options.layout);
  check_enumerator("AnalysisOptions::host_copies", options.host_copies);
  check_enumerator("AnalysisOptions::cache", options.cache);
  check_enumerator("AnalysisOptions::tuning", options.tuning);
  check_enumerator("AnalysisOptions::optimizer", options.optimizer);
  check_enumerator("AnalysisOptions::launch", options.launch);
}

void check(const Gpu& gpu, const AnalysisOptions& options) {
  if (options.ceilings == CeilingKind::sustained && !gpu.sustained)
    throw InputError(
        gpu.name +
        " has no sustained ceilings: measure them and give them as \"sustained\" in a GPU file of "
        "your own");
  if (options.host_copies && !host_copy_byte_per_s(gpu, *options.host_copies))
    throw InputError(gpu.name + " states no " +
                     (*options.host_copies == HostMemory::pageable
                          ? "host_pageable_gb_per_s"
                          : "host_pinned_gb_per_s or host_link_gb_per_s") +
                     ": give it in a GPU file of your own");
  if (options.framework && info(*options.framework).only_nvidia && !is_nvidia(gpu))
    throw InputError(std::string(info(*options.framework).meaning) +
                     " runs on NVIDIA's GPUs, and " + gpu.name +
                     (gpu.vendor.empty() ? " states no vendor" : " is " + gpu.vendor + "'s"));
}

/// The host time of a 2-D convolution, about the mean operator's of a network that classifies:
/// medians over networks are 23 us beside two H200s and 30 us beside an H100 (PyTorch 2.11).
constexpr double usual_host_operator_s = 25e-6;

Launch launch_under(const Gpu& gpu, const AnalysisOptions& options,
                    std::vector<std::string>& assumptions) {
  // Engines launch kernels one by one by default, as their throughputs at small batches show.
  const LaunchProtocol protocol = options.launch.value_or(
      options.fusion == FusionKind::epilogue ? LaunchProtocol::stream : LaunchProtocol::graph);
  if (protocol == LaunchProtocol::eager && !gpu.host_operator_s)
    assumptions.push_back(
        "host_operator_us is not stated: " + number_text(usual_host_operator_s * 1e6) +
        " us an operator are assumed, between 23 and 30 of hosts of an H200 and an H100");
  Launch launch;
  launch.protocol = protocol;
  launch.host_operator_s = gpu.host_operator_s.value_or(usual_host_operator_s);
  launch.is_assumed = protocol == LaunchProtocol::eager && !gpu.host_operator_s;
  launch.runs_engine = options.fusion == FusionKind::epilogue;
  return launch;
}

/// Frameworks choose TF32 by default only on NVIDIA's GPUs.
AnalysisOptions on_gpu(AnalysisOptions options, const Gpu& gpu) {
  if (options.framework == Framework::deployed)
    options =
        with_defaults(options, is_nvidia(gpu) ? Framework::tensorrt : Framework::torch_compile);
  if (options.framework && options.engine == info(*options.framework).engine && !is_nvidia(gpu))
    options.engine = {};
  return options;
}

Ceilings ceilings_of(const Gpu& gpu, const AnalysisOptions& options) {
  Ceilings ceilings{gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s, options.ceilings, {}, {}};
  if (options.ceilings == CeilingKind::sustained) {
    ceilings.sustained_flop_per_s = gpu.sustained->peak_flop_per_s;
    ceilings.sustained_byte_per_s = gpu.sustained->bandwidth_byte_per_s;
  }
  // Engines without a measurement keep their datasheet peak.
  for (const Engine engine : enumerators<Engine>)
    if (ceilings.sustained_flop_per_s[engine])
      ceilings.peak_flop_per_s[engine] = ceilings.sustained_flop_per_s[engine];
  ceilings.bandwidth_byte_per_s =
      ceilings.sustained_byte_per_s.value_or(ceilings.bandwidth_byte_per_s);
  return ceilings;
}

std::string assumed_release(const LibraryRelease& assumed, const LibraryRelease& newest) {
  std::string text = "kernels for groups are those of " + assumed.text() + ", as --assume says";
  if (newest.release.is_stated() && assumed.release > newest.release)
    text += ": later than " + newest.release.text() + ", the newest that data shows here";
  return text;
}

Context context_of(Gpu gpu, const AnalysisOptions& stated) {
  check_options(stated);
  check_gpu(gpu);
  const AnalysisOptions options = on_gpu(stated, gpu);
  check(gpu, options);
  const KernelModel newest = kernel_model_of(gpu).value();
  const KernelModel datasheet = options.library ? with_library(newest, *options.library) : newest;
  const Ceilings ceilings = ceilings_of(gpu, options);
  const auto copy_byte_per_s =
      options.host_copies ? host_copy_byte_per_s(gpu, *options.host_copies) : std::nullopt;
  std::vector<std::string> assumptions = datasheet.assumptions();
  if (options.library) assumptions.push_back(assumed_release(*options.library, library_of(newest)));
  const Launch launch = launch_under(gpu, options, assumptions);
  if (options.tuning == Tuning::heuristic && !has_cudnn(datasheet.resolved().machine))
    throw InputError("what the library of " + gpu.name +
                     " picks by its heuristic was not measured: expected --tuning best");
  Context context{
      std::move(gpu),
      options,
      ceilings,
      copy_byte_per_s,
      launch,
      with_sustained(datasheet, ceilings.sustained_flop_per_s, ceilings.sustained_byte_per_s),
      std::move(assumptions)};
  context.gpu_names = normal_gpu_names(context.gpu);
  return context;
}

}  // namespace

AnalysisOptions options_of(Framework framework) {
  AnalysisOptions options;
  options.framework = framework;
  options.fused_attention = true;
  if (framework == Framework::deployed) return options;
  const FrameworkInfo defaults = info(framework);
  options.engine = defaults.engine;
  options.fusion = defaults.fusion;
  options.layout = defaults.layout;
  options.launch = defaults.launch;
  return options;
}

AnalysisOptions with_defaults(AnalysisOptions options, Framework framework) {
  const AnalysisOptions own = options_of(framework);
  options.framework = framework;
  if (options.engine == EngineChoices{}) options.engine = own.engine;
  if (options.fusion == FusionKind::none) options.fusion = own.fusion;
  if (!options.layout) options.layout = own.layout;
  if (!options.launch) options.launch = own.launch;
  return options;
}

Expected<Context> make_context(Gpu gpu, const AnalysisOptions& options) {
  return expected([&] { return context_of(std::move(gpu), options); });
}

Roofs roofs_of(const Context& context) {
  const ResolvedModel& model = context.kernel.resolved();
  Planning eval;
  const auto rates = machine_rates(model.machine, eval);
  Roofs roofs{context.gpu.peak_flop_per_s,
              context.gpu.bandwidth_byte_per_s,
              {},
              dram_byte_per_s(model.memory, eval),
              l2_byte_per_s(model.memory, rates, eval)};
  for (const Engine engine : enumerators<Engine>)
    if (const auto& each = model.engines[engine])
      roofs.practical_flop_per_s[engine] = practical_flop_per_s(*each);
  return roofs;
}

Launch launch_of(RunsAs runs_as, const Context& context) {
  if (!is_fixed(runs_as)) return context.launch;
  // A clock around an engine's layer includes gaps, a kernel's own duration does not.
  return {runs_as == RunsAs::recording ? LaunchProtocol::kernel : LaunchProtocol::graph, 0};
}

}  // namespace roofline
