#include "cli/contexts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "load/kernel_model.hpp"
#include "model/gpu_names.hpp"
#include "model/text.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

/// What is wrong with files in the person's own folder that none of these names means.
std::vector<std::string> problems_besides(const Catalogue& catalogue,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> notes;
  for (const InputError& problem : catalogue.problems_besides(names))
    notes.push_back(std::string(problem.what()) + " (ignored: no GPU of this run)");
  return notes;
}

/// The constants of --kernel-model; null without one.
SharedConstants stated_constants(const std::string& path) {
  return path.empty() ? nullptr : load_constants(unwrap(read_text(path)), path);
}

/// "80 SMs and 34.1 GB"; empty where neither is known.
std::string hardware_of(const RecordedGpu& gpu) {
  if (!gpu.sm_count || !gpu.memory_byte) return "";
  return fmt::format("{} SMs and {:.1f} GB", *gpu.sm_count,
                     static_cast<double>(*gpu.memory_byte) * 1e-9);
}

std::string recorded_name(const RecordedGpu& gpu) {
  return gpu.name.empty() ? "a GPU without a name" : '"' + gpu.name + '"';
}

/// Why a recording has no GPU to be evaluated on.
std::string unknown_gpu(const RecordedGpu& recorded, const std::vector<Gpu>& alike) {
  const std::string hardware = hardware_of(recorded);
  if (recorded.name.empty() && hardware.empty())
    return "expected a recording that names its GPU, got none: say which it was with --gpu";
  std::string names;
  for (const Gpu& gpu : alike) add_item(names, gpu.name);
  return "recorded on " + recorded_name(recorded) + ", which is in no list of GPUs" +
         (names.empty() ? "" : "; its " + hardware + " are those of " + names) +
         ": say which it was with --gpu";
}

/// Whether GPUs or batches are to be chosen and nothing is said of how networks run: then as people
/// deploy them.
bool chooses_deployed(const Options& options) {
  const AnalysisOptions& asked = options.analysis;
  const bool chooses = options.report.filter.ranks_gpus() || !options.batch_goals.empty();
  return chooses && options.pass == Pass::fwd && !asked.framework && !options.fusion &&
         !asked.launch && !options.layout && asked.engine == EngineChoices{};
}

/// The options, run by that framework.
AnalysisOptions run_by(Framework framework, AnalysisOptions options) {
  const AnalysisOptions own = options_of(framework);
  options.framework = framework;
  options.engine = own.engine;
  options.fusion = own.fusion;
  options.fused_attention = own.fused_attention;
  options.layout = own.layout;
  options.launch = own.launch;
  return options;
}

AnalysisOptions deployed_on(const Gpu& gpu, const AnalysisOptions& options) {
  return run_by(gpu.vendor == "NVIDIA" ? Framework::tensorrt : Framework::torch_compile, options);
}

/// Whether the GPU as it is stands against the GPU as it is set: where nothing else would be
/// compared.
bool compares_settings(const Options& options) {
  return options.report.compare && !options.gpu_settings.empty() && options.inputs.size() == 1 &&
         options.gpus.size() == 1 && options.settings.size() == 1;
}

/// Whether the first input on the first GPU stands against the second on the second.
bool pairs_inputs(const Options& options) {
  return options.report.compare && options.inputs.size() == 2 && options.gpus.size() == 2 &&
         options.inputs[0] != options.inputs[1] && options.settings.size() == 1;
}

}  // namespace

Gpu named_gpu(const Catalogue& catalogue, const std::string& name,
              const std::string& kernel_model) {
  for (const std::string& text : problems_besides(catalogue, {name})) note(text);
  Gpu gpu = unwrap(catalogue.find(name));
  if (const SharedConstants constants = stated_constants(kernel_model)) gpu.constants = constants;
  return gpu;
}

void SkippedGpus::add(const std::string& gpu, const InputError& why) {
  gpus.push_back(gpu);
  if (!first) first = hinted(why);
}

std::string SkippedGpus::text() const {
  constexpr std::size_t most_named = 8;
  const std::string count =
      gpus.size() == 1 ? "1 GPU is" : std::to_string(gpus.size()) + " GPUs are";
  return where + ": " + count + " left out: " + some_of(gpus, most_named) +
         (gpus.size() == 1 ? ": " : "; of the first: ") + first->message;
}

Contexts::Contexts(const Options& options, const Catalogue& catalogue)
    : options_(options),
      catalogue_(catalogue),
      constants_(stated_constants(options.kernel_model)),
      pairs_(pairs_inputs(options)) {
  for (const std::string& text : problems_besides(catalogue, options.gpus)) note(text);
  std::vector<Gpu> selected;
  for (const std::string& word : options.gpus) {
    if (auto gpus = unwrap(catalogue.select(word))) {
      std::ranges::move(*gpus, std::back_inserter(selected));
      continue;
    }
    const Gpu gpu = unwrap(catalogue.find(word));
    if (compares_settings(options)) named_.push_back(unwrap(context_of(gpu, {})));
    named_.push_back(unwrap(context_of(gpu, options.gpu_settings)));
    if (options.gpus.size() == 1) only_named_ = gpu.name;
  }
  measured_gpu_ = options.measured_gpu.empty() ? only_named_
                                               : unwrap(catalogue.find(options.measured_gpu)).name;
  // A GPU that is named and selected counts as named, one that is selected twice counts once.
  SkippedGpus skipped{"--gpu"};
  for (const Gpu& gpu : selected) {
    if (std::ranges::any_of(named_,
                            [&](const Context& context) { return context.gpu.name == gpu.name; }))
      continue;
    Expected<Context> context = context_of(gpu, options.gpu_settings);
    if (context) {
      selected_.insert(gpu.name);
      named_.push_back(*std::move(context));
    } else {
      skipped.add(gpu.name, context.error());
    }
  }
  say_assumed();
  if (named_.empty() && skipped.first) raise(*skipped.first);
  if (skipped.first) note(skipped.text());
}

/// As the options set it.
Expected<Context> Contexts::context_of(Gpu gpu, std::span<const GpuSetting> settings) const {
  if (constants_) gpu.constants = constants_;
  Expected<Gpu> as_set = with_settings(std::move(gpu), settings);
  if (!as_set) return as_set.error();
  return make_context(*std::move(as_set), options_.analysis);
}

/// What is assumed of several GPUs is one note.
void Contexts::say_assumed() const {
  constexpr std::size_t most_named = 4;
  std::map<std::string, std::vector<std::string>> assumed;
  for (const Context& context : named_)
    if (!context.assumptions.empty())
      assumed[joined(context.assumptions, "; ")].push_back(context.gpu.name);
  for (const auto& [text, gpus] : assumed) note(some_of(gpus, most_named) + ": " + text);
}

template <class OptionsFor>
Contexts::Found Contexts::named_under(Others& others, const OptionsFor& options_for) {
  const std::lock_guard lock(mutex_);
  others.contexts.reserve(named_.size());
  for (std::size_t i = others.contexts.size(); i < named_.size(); ++i) {
    const Gpu& gpu = named_[i].gpu;
    const Context& context =
        others.contexts.emplace_back(unwrap(make_context(gpu, options_for(gpu))));
    for (const std::string& text : context.assumptions)
      if (std::ranges::find(named_[i].assumptions, text) == named_[i].assumptions.end())
        others.notes.push_back(gpu.name + ": " + text);
  }
  return {others.contexts, others.notes};
}

const Context* Contexts::eager_of(const Context& deployed) {
  const std::less<> is_before;
  const Context* begin = deployed_.contexts.data();
  if (is_before(&deployed, begin) || !is_before(&deployed, begin + deployed_.contexts.size()))
    return nullptr;
  named_under(eager_, [&](const Gpu&) { return run_by(Framework::pytorch, options_.analysis); });
  return &eager_.contexts[static_cast<std::size_t>(&deployed - begin)];
}

Contexts::Found Contexts::of(const Network& network) {
  if (!named_.empty() && chooses_deployed(options_) && network.layers.size() > 1 &&
      !network.recording)
    return named_under(deployed_,
                       [&](const Gpu& gpu) { return deployed_on(gpu, options_.analysis); });
  if (!named_.empty() && network.is_pytorch_program && !options_.analysis.framework)
    return named_under(programs_, [&](const Gpu&) { return options_.program_analysis; });
  if (!named_.empty()) return {named_, {}};
  if (network.recording) {
    const Recorded& recorded = recorded_on(network.recording->gpu, network.source);
    return {{&recorded.context, 1}, recorded.notes};
  }
  if (options_.layer_file.empty() || options_.asks_for_results)
    throw UsageError("no GPU: give one with --gpu, such as --gpu v100 (--list-gpus lists all)");
  return {};
}

bool Contexts::takes(const std::string& input, std::size_t gpu) const {
  return !pairs_ || named_.size() != 2 || input == options_.inputs[gpu];
}

/// Whether a recording's GPU is in the list, and another one than that of --gpu. A file of one's
/// own says what it is, whatever the recording calls it.
bool Contexts::names_another(const RecordedGpu& recorded) const {
  if (recorded.name.empty() || answers_to(named_.front().gpu, recorded.name)) return false;
  return !catalogue_.path_of(options_.gpus.front()) && catalogue_.find(recorded.name);
}

std::string Contexts::set_measured_gpu(Network& network, std::span<const Context> gpus) const {
  if (const auto& recording = network.recording; recording && !gpus.empty()) {
    const bool is_here = named_.empty() || (!only_named_.empty() && !names_another(recording->gpu));
    if (!is_here && only_named_.empty()) return "";
    if (!is_here)
      return network.source + ": recorded on " + recorded_name(recording->gpu) + ", not on " +
             only_named_ + ": expected times alone are shown";
    for (Layer& layer : network.layers)
      layer.measured.change([&](Measured& time) { time.gpu = gpus.front().gpu.name; });
    return "";
  }
  std::string measured_on = options_.measured_gpu.empty() ? "" : measured_gpu_;
  if (pairs_ && named_.size() == 2)
    measured_on = named_[takes(network.source, 0) ? 0 : 1].gpu.name;
  else if (network.measured_on_asked_gpu && measured_on.empty())
    measured_on = only_named_;
  roofline::set_measured_gpu(network, measured_on);
  const bool is_unknown =
      !gpus.empty() && std::ranges::any_of(network.layers, [](const Layer& layer) {
        return layer.measured->is_known() && layer.measured->gpu.empty();
      });
  if (!is_unknown) return "";
  return network.source +
         ": its measured times name no GPU and are compared with none: say which with "
         "--measured-gpu, or in the file as \"gpu\"";
}

Contexts::FoundOne Contexts::of(const KernelRecording& recording) {
  if (named_.size() > 1)
    throw InputError(recording.source, "",
                     "expected the one GPU that the kernels were recorded on, got " +
                         std::to_string(named_.size()) + " by --gpu");
  if (!named_.empty() && names_another(recording.gpu))
    throw InputError(recording.source, "",
                     "recorded on " + recorded_name(recording.gpu) +
                         ", expected that GPU or none by "
                         "--gpu, got " +
                         named_.front().gpu.name);
  if (!named_.empty()) return {&named_.front(), {}};
  if (!recording.has_counters()) return {};
  if (recording.gpu.name.empty())
    return {nullptr,
            {recording.source +
             ": the recording does not name its GPU: --gpu draws the roofs over its kernels"}};
  try {
    const Recorded& recorded = recorded_on(recording.gpu, recording.source);
    return {&recorded.context, recorded.notes};
  } catch (const InputError& error) {
    return {nullptr, {std::string(error.what()) + ", to have the roofs over its kernels"}};
  }
}

const Contexts::Recorded& Contexts::recorded_on(const RecordedGpu& recorded,
                                                const std::string& source) {
  const std::lock_guard lock(mutex_);
  const std::string key = recorded.name + '/' + hardware_of(recorded);
  const auto found = recorded_.find(key);
  if (found != recorded_.end()) return found->second;
  std::vector<std::string> notes = problems_besides(catalogue_, {recorded.name});
  std::vector<Gpu> gpus = unwrap(catalogue_.find_recorded(recorded));
  if (gpus.size() != 1) throw InputError(source, "", unknown_gpu(recorded, gpus));
  if (!answers_to(gpus.front(), recorded.name))
    notes.push_back(source + ": recorded on " + recorded_name(recorded) + "; its " +
                    hardware_of(recorded) + " are those of " + gpus.front().name +
                    ", unless --gpu says otherwise");
  Context context = unwrap(context_of(std::move(gpus.front()), options_.gpu_settings));
  if (const std::string text = joined(context.assumptions, "; "); !text.empty())
    notes.push_back(context.gpu.name + ": " + text);
  return recorded_.emplace(key, Recorded{std::move(context), std::move(notes)}).first->second;
}

}  // namespace roofline
