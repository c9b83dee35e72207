#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/evaluator.hpp"
#include "cli/output.hpp"
#include "model/gpu_names.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

/// "80 SMs and 34.1 GB"; empty if unknown.
std::string hardware_of(const RecordedGpu& gpu) {
  if (!gpu.sm_count || !gpu.memory_byte) return "";
  return fmt::format("{} SMs and {:.1f} GB", *gpu.sm_count,
                     static_cast<double>(*gpu.memory_byte) * 1e-9);
}

std::string recorded_name(const RecordedGpu& gpu) {
  return gpu.name.empty() ? "a GPU without a name" : in_quotes(gpu.name);
}

std::string unknown_gpu(const RecordedGpu& recorded, const std::vector<Gpu>& alike) {
  const std::string hardware = hardware_of(recorded);
  if (recorded.name.empty() && hardware.empty())
    return "expected a recording that names its GPU, got none: say which it was with --gpu";
  const std::string names = joined(each_of(alike, &Gpu::name));
  return concat("recorded on ", recorded_name(recorded), ", which is in no list of GPUs",
                names.empty() ? "" : "; its " + hardware + " are those of " + names,
                ": say which it was with --gpu");
}

}  // namespace

void SkippedGpus::add(const std::string& gpu, const InputError& why) {
  gpus.push_back(gpu);
  if (!first) first = hinted(why);
}

std::string SkippedGpus::text() const {
  constexpr std::size_t most_named = 8;
  const bool is_one = gpus.size() == 1;
  return concat(where, ": ", gpus.size(), is_one ? " GPU is" : " GPUs are", " left out",
                of_records ? " of layers without a peak or memory for them there: " : ": ",
                some_of(gpus, most_named),
                of_records ? "" : (is_one ? ": " : "; of the first: ") + first->message);
}

Contexts::Contexts(const Request& request) : request_(request) {
  for (std::size_t i = 0; i < request.analysis.size(); ++i) named_.push_back(named(i));
  say_assumed();
}

OnGpus Contexts::named(std::size_t framework) const {
  OnGpus on;
  SkippedGpus skipped{"--gpu"};
  const AnalysisOptions& options = request_.stated(framework);
  for (const AskedGpu& asked : request_.gpus) {
    if (request_.pairing == Pairing::gpu_and_as_set && !asked.is_selected)
      on.contexts.push_back(unwrap(context_of(asked.gpu, false, options)));
    Expected<Context> context = context_of(asked.gpu, true, options);
    if (!context && asked.is_selected)
      skipped.add(asked.gpu.name, context.error());
    else
      on.contexts.push_back(unwrap(std::move(context)));
  }
  if (on.contexts.empty() && skipped.first) raise(*skipped.first);
  if (skipped.first) note(skipped.text());
  return on;
}

std::size_t Contexts::count() const {
  std::size_t most = 0;
  for (const OnGpus& on : named_) most = std::max(most, on.contexts.size());
  return most;
}

bool Contexts::is_selected(const Context& context) const {
  return std::ranges::any_of(request_.gpus, [&](const AskedGpu& asked) {
    return asked.is_selected && asked.gpu.name == context.gpu.name;
  });
}

Expected<Context> Contexts::context_of(Gpu gpu, bool as_set, const AnalysisOptions& options) const {
  if (as_set) {
    Expected<Gpu> other = with_settings(std::move(gpu), request_.gpu_settings);
    if (!other) return other.error();
    gpu = *std::move(other);
  }
  return make_context(std::move(gpu), options);
}

/// One note for GPUs with the same assumption.
void Contexts::say_assumed() const {
  constexpr std::size_t most_named = 4;
  std::map<std::string, std::vector<std::string>> assumed;
  for (const OnGpus& on : named_)
    for (const Context& context : on.contexts) {
      if (context.assumptions.empty()) continue;
      add_new(assumed[joined(context.assumptions, "; ")], context.gpu.name);
    }
  for (const auto& [text, gpus] : assumed) note(some_of(gpus, most_named) + ": " + text);
}

template <class Make>
const OnGpus& Contexts::made_once(const std::string& key, const Make& make) {
  const std::lock_guard lock(mutex_);
  const auto found = made_.find(key);
  return found != made_.end() ? found->second : made_.emplace(key, make()).first->second;
}

/// The named GPUs under other options than stated ones.
OnGpus Contexts::named_under(const AnalysisOptions& options) const {
  OnGpus on;
  for (const Context& named : named_.front().contexts) {
    const Gpu& gpu = named.gpu;
    const Context& context = on.contexts.emplace_back(unwrap(context_of(gpu, false, options)));
    for (const std::string& text : context.assumptions)
      if (!contains(named.assumptions, text)) on.notes.push_back(gpu.name + ": " + text);
  }
  return on;
}

/// By the framework of an earlier run.
OnGpus Contexts::named_for(Framework framework, std::optional<LaunchProtocol> launch) const {
  AnalysisOptions options = with_defaults(request_.stated(), framework);
  if (launch) options.launch = launch;
  options.fused_attention = !options.training;
  const bool fuses =
      options.fusion == FusionKind::epilogue || options.fusion == FusionKind::pointwise;
  if (fuses && options.training)
    throw InputError(concat("ran by ", info(framework).meaning,
                            ", which is for inference: expected --pass fwd, or the framework that "
                            "trains it by --framework"));
  return named_under(options);
}

const OnGpus& Contexts::under(Framework framework, std::optional<LaunchProtocol> launch) {
  return made_once(concat("ran by ", framework, launch ? name_of(*launch) : ""),
                   [&] { return named_for(framework, launch); });
}

const OnGpus& Contexts::of(const Network& network, std::size_t framework) {
  const OnGpus& named = named_[framework];
  const bool is_named = !named.contexts.empty();
  if (const auto earlier = network.framework; is_named && earlier && !request_.stated().framework)
    return under(*earlier);
  if (is_named) return named;
  if (network.recording) {
    const RecordedGpu& gpu = network.recording->gpu;
    return made_once(fmt::format("{} recorded on {}/{}", framework, gpu.name, hardware_of(gpu)),
                     [&] { return recorded_on(gpu, network.source, framework); });
  }
  if (request_.needs.gpu)
    throw UsageError("no GPU: give one with --gpu, such as --gpu v100 (roofline gpus lists all)");
  return named;
}

bool Contexts::takes(const std::string& input, std::size_t gpu) const {
  return request_.pairing != Pairing::input_and_gpu || count() != 2 ||
         input == request_.inputs[gpu];
}

/// Whether the recording names another GPU than --gpu. The user's own GPU file matches any name.
bool Contexts::names_another(const RecordedGpu& recorded) const {
  const auto& [word, gpu, is_selected] = request_.gpus.front();
  if (recorded.name.empty() || answers_to(gpu, recorded.name)) return false;
  return !request_.catalogue->path_of(word) && request_.catalogue->find(recorded.name);
}

std::string Contexts::set_measured_gpu(Network& network, const OnGpus& on) const {
  const std::vector<Context>& gpus = on.contexts;
  const std::string_view only_named = request_.only_gpu();
  if (const auto& recording = network.recording; recording && !gpus.empty()) {
    const bool is_here =
        named_.front().contexts.empty() || (!only_named.empty() && !names_another(recording->gpu));
    if (!is_here && only_named.empty()) return "";
    if (!is_here)
      return network.source + ": recorded on " + recorded_name(recording->gpu) + ", not on " +
             std::string(only_named) + ": expected times alone are shown";
    for (Layer& layer : network.layers)
      layer.measured.change([&](Measured& time) { time.gpu = gpus.front().gpu.name; });
    return "";
  }
  std::string measured_on = request_.measured_gpu;
  if (request_.pairing == Pairing::input_and_gpu && count() == 2)
    measured_on = named_.front().contexts[takes(network.source, 0) ? 0 : 1].gpu.name;
  else if (measured_on.empty())
    measured_on = only_named;
  roofline::set_measured_gpu(network, measured_on);
  const bool is_unknown =
      !gpus.empty() && std::ranges::any_of(network.layers, [](const Layer& layer) {
        return layer.measured->is_known() && layer.measured->gpu.empty();
      });
  if (!is_unknown) return "";
  return network.source +
         ": its measured times name no GPU and are compared with none: say which with "
         "--assume measured-gpu=..., or in the file as \"gpu\"";
}

OnGpus Contexts::of(const KernelRecording& recording) {
  if (count() > 1)
    throw InputError(recording.source, "",
                     concat("expected the one GPU that the kernels were recorded on, got ", count(),
                            " by --gpu"));
  if (count() == 1 && names_another(recording.gpu))
    throw InputError(recording.source, "",
                     concat("recorded on ", recorded_name(recording.gpu),
                            ", expected that GPU or none by --gpu, got ",
                            named_.front().contexts.front().gpu.name));
  if (count() == 1) return named_.front();
  if (!recording.has_counters()) return {};
  if (recording.gpu.name.empty())
    return {.notes = {recording.source + ": the recording does not name its GPU: --gpu draws the "
                                         "roofs over its kernels"}};
  try {
    return recorded_on(recording.gpu, recording.source, 0);
  } catch (const InputError& error) {
    return {.notes = {std::string(error.what()) + ", to have the roofs over its kernels"}};
  }
}

OnGpus Contexts::recorded_on(const RecordedGpu& recorded, const std::string& source,
                             std::size_t framework) const {
  OnGpus on;
  for (const InputError& problem : request_.catalogue->problems_besides({recorded.name}))
    on.notes.push_back(std::string(problem.what()) + " (ignored: no GPU of this run)");
  std::vector<Gpu> gpus = unwrap(request_.catalogue->find_recorded(recorded));
  if (gpus.size() != 1) throw InputError(source, "", unknown_gpu(recorded, gpus));
  Gpu& gpu = gpus.front();
  if (!answers_to(gpu, recorded.name))
    on.notes.push_back(source + ": recorded on " + recorded_name(recorded) + "; its " +
                       hardware_of(recorded) + " are those of " + gpu.name +
                       ", unless --gpu says otherwise");
  if (request_.constants != nullptr) gpu.constants = request_.constants;
  Context context = unwrap(context_of(std::move(gpu), true, request_.stated(framework)));
  if (const std::string text = joined(context.assumptions, "; "); !text.empty())
    on.notes.push_back(context.gpu.name + ": " + text);
  on.contexts.push_back(std::move(context));
  return on;
}

}  // namespace roofline
