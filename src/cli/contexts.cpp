#include "cli/contexts.hpp"

#include <fmt/format.h>

#include <algorithm>
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
      std::move(gpus->begin(), gpus->end(), std::back_inserter(selected));
      continue;
    }
    const Gpu gpu = unwrap(catalogue.find(word));
    const bool recorded_here = options.gpus.size() == 1 || pairs_;
    if (compares_settings(options)) named_.push_back(unwrap(context_of(gpu, {}, recorded_here)));
    named_.push_back(unwrap(context_of(gpu, options.gpu_settings, recorded_here)));
  }
  // A GPU that is named and selected counts as named, one that is selected twice counts once.
  SkippedGpus skipped{"--gpu"};
  for (const Gpu& gpu : selected) {
    if (std::any_of(named_.begin(), named_.end(),
                    [&](const Context& context) { return context.gpu.name == gpu.name; }))
      continue;
    Expected<Context> context = context_of(gpu, options.gpu_settings, false);
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

/// As the options set it. `recorded_here`: a recording is of this GPU, where nothing is set.
Expected<Context> Contexts::context_of(Gpu gpu, std::span<const GpuSetting> settings,
                                       bool recorded_here) const {
  if (constants_) gpu.constants = constants_;
  Expected<Gpu> as_set = with_settings(std::move(gpu), settings);
  if (!as_set) return as_set.error();
  AnalysisOptions analysis = options_.analysis;
  analysis.recorded_here = recorded_here && settings.empty();
  return make_context(*std::move(as_set), analysis);
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

/// Under the framework that runs the program, unless another one is asked for.
Contexts::Found Contexts::of_program() {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = programs_.size(); i < named_.size(); ++i) {
    AnalysisOptions analysis = options_.program_analysis;
    analysis.recorded_here = named_[i].options.recorded_here;
    programs_.reserve(named_.size());
    const Context& context = programs_.emplace_back(unwrap(make_context(named_[i].gpu, analysis)));
    for (const std::string& text : context.assumptions)
      if (std::find(named_[i].assumptions.begin(), named_[i].assumptions.end(), text) ==
          named_[i].assumptions.end())
        program_notes_.push_back(context.gpu.name + ": " + text);
  }
  return {programs_, program_notes_};
}

Contexts::Found Contexts::of(const Network& network) {
  if (!named_.empty() && network.is_pytorch_program && !options_.analysis.framework)
    return of_program();
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

Contexts::FoundOne Contexts::of(const KernelRecording& recording) {
  if (named_.size() > 1)
    throw InputError(recording.source, "",
                     "expected the one GPU that the kernels were recorded on, got " +
                         std::to_string(named_.size()) + " by --gpu");
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
  Context context = unwrap(context_of(std::move(gpus.front()), options_.gpu_settings, true));
  if (const std::string text = joined(context.assumptions, "; "); !text.empty())
    notes.push_back(context.gpu.name + ": " + text);
  return recorded_.emplace(key, Recorded{std::move(context), std::move(notes)}).first->second;
}

}  // namespace roofline
