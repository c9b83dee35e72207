#include "cli/run.hpp"

#include <filesystem>
#include <map>
#include <new>
#include <span>
#include <utility>

#include "cli/output.hpp"
#include "cli/results.hpp"
#include "load/kernel_model.hpp"
#include "load/measured_times.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

/// A GPU resolved. What is assumed of it is said.
Context resolved(Gpu gpu, const Options& options) {
  Context context = make_context(std::move(gpu), options.analysis);
  std::string all;
  for (const std::string& assumption : context.kernel.assumptions())
    all += (all.empty() ? ": " : "; ") + assumption;
  if (!all.empty()) note(context.gpu.name + all);
  return context;
}

/// The GPUs to evaluate on: those of --gpu, or without it that of a profiler's recording.
class Contexts {
 public:
  explicit Contexts(const Options& options) : options_(options) {
    for (Gpu& gpu : named_gpus(options.gpus, options.kernel_model))
      named_.push_back(resolved(std::move(gpu), options));
  }

  const std::vector<Context>& named() const { return named_; }

  std::span<const Context> of(const Network& network) {
    if (!named_.empty()) return named_;
    if (network.recording && !network.recording->device.empty())
      return {&recorded_on(network.recording->device), 1};
    if (options_.layer_file.empty())
      throw UsageError("no GPU: give one with --gpu, such as --gpu v100 (--list-gpus lists all)");
    return {};
  }

 private:
  const Context& recorded_on(const std::string& device) {
    const auto found = recorded_.find(device);
    if (found != recorded_.end()) return found->second;
    return recorded_
        .emplace(device, resolved(named_gpus({device}, options_.kernel_model).front(), options_))
        .first->second;
  }

  const Options& options_;
  std::vector<Context> named_;
  std::map<std::string, Context> recorded_;
};

/// One thing that an input holds, its `index`-th, in each setting, on each GPU.
void evaluate_item(const Item& item, std::size_t index, const Options& options, Contexts& contexts,
                   MeasuredTimes* times, Results& results) {
  for (std::size_t setting = 0; setting < options.defaults.size(); ++setting) try {
      const LayerDefaults& defaults = options.defaults[setting];
      Network network = infer(*item.spec(defaults), defaults);
      network.item = index;
      if (times != nullptr) times->join(network);
      if (setting == 0) results.see(network);
      const std::span<const Context> gpus = contexts.of(network);
      for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
        results.add(network, setting * gpus.size() + gpu, gpus[gpu]);
    } catch (const InputError& error) {
      results.fail(error);
    }
}

void evaluate_input(const std::string& name, const Options& options, Contexts& contexts,
                    MeasuredTimes* times, Results& results, Progress& progress) {
  const std::unique_ptr<Reader> reader = open_input(name, options.inputs, options.first_line);
  std::size_t items = 0;
  while (const std::optional<Expected<Item>> item = reader->next()) {
    progress.step();
    results.begin_item();
    if (const auto* error = std::get_if<InputError>(&*item))
      results.fail(*error);
    else
      evaluate_item(std::get<Item>(*item), items++, options, contexts, times, results);
  }
  for (const std::string& text : reader->notes()) note(text);
}

/// Files to write are none of the inputs and can be written.
void check_outputs(const Options& options) {
  std::vector<std::string> paths;
  for (const Export& file : options.exports) paths.push_back(file.path);
  if (!options.layer_file.empty() && options.layer_file != "-") paths.push_back(options.layer_file);
  for (const std::string& path : paths) {
    for (const std::string& input : options.inputs) {
      std::error_code none;
      if (std::filesystem::equivalent(input, path, none))
        throw UsageError("expected another file to write than the input " + input);
    }
    check_writable(path);
  }
}

}  // namespace

std::vector<Gpu> named_gpus(const std::vector<std::string>& names,
                            const std::string& kernel_model) {
  const Catalogue catalogue;
  for (const InputError& problem : catalogue.problems_besides(names))
    note(std::string(problem.what()) + " (ignored: no GPU of this run)");
  std::vector<Gpu> gpus;
  for (const std::string& name : names) gpus.push_back(catalogue.find(name));
  if (kernel_model.empty()) return gpus;
  const SharedConstants constants = load_constants(read_text(kernel_model), kernel_model);
  for (Gpu& gpu : gpus) gpu.constants = constants;
  return gpus;
}

int evaluate_inputs(Options options) {
  check_outputs(options);
  Contexts contexts(options);
  for (const auto& [name, price] : options.prices)
    options.report.price_per_hour[named_gpus({name}, "").front().name] = price;
  Results results(options, contexts.named().size());
  std::optional<MeasuredTimes> times;
  if (!options.measured.empty()) times.emplace(options.measured);
  Progress progress;
  try {
    for (const std::string& word : options.inputs) try {
        for (const std::string& name : resolve_input(word)) {
          try {
            evaluate_input(name, options, contexts, times ? &*times : nullptr, results, progress);
          } catch (const InputError& error) {
            results.fail(error);
          } catch (const std::bad_alloc&) {
            results.fail(InputError(name, "", "expected an input that fits into memory, got more"));
          }
          results.end_input(contexts.named());
        }
      } catch (const InputError& error) {
        results.fail(error);
      }
    if (times)
      for (const std::string& text : times->notes()) note(text);
    results.write();
    flush_standard_output();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.exit_code();
}

}  // namespace roofline
