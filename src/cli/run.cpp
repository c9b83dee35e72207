#include "cli/run.hpp"

#include <utility>

#include "cli/output.hpp"
#include "cli/results.hpp"
#include "roofline/catalogue.hpp"

namespace roofline {
namespace {

/// Each GPU resolved once. What is assumed of one is said.
std::vector<Context> contexts_of(const Options& options) {
  std::vector<Context> contexts;
  for (Gpu& gpu : named_gpus(options.gpus)) {
    contexts.push_back(make_context(std::move(gpu), options.analysis));
    std::string all;
    for (const std::string& assumption : contexts.back().kernel.assumptions())
      all += (all.empty() ? ": " : "; ") + assumption;
    if (!all.empty()) note(contexts.back().gpu.name + all);
  }
  return contexts;
}

/// One thing that an input holds, its `index`-th, in each setting, on each GPU.
void evaluate_item(const Item& item, std::size_t index, const Options& options,
                   const std::vector<Context>& contexts, Results& results) {
  for (std::size_t setting = 0; setting < options.defaults.size(); ++setting) try {
      const LayerDefaults& defaults = options.defaults[setting];
      Network network = infer(*item.spec(defaults), defaults);
      network.item = index;
      if (setting == 0) results.note_assumptions(network);
      for (std::size_t gpu = 0; gpu < contexts.size(); ++gpu)
        results.add(network, setting * contexts.size() + gpu, contexts[gpu]);
    } catch (const InputError& error) {
      results.fail(error);
    }
}

void evaluate_input(const std::string& name, const Options& options,
                    const std::vector<Context>& contexts, Results& results, Progress& progress) {
  const std::unique_ptr<Reader> reader = open_input(name);
  std::size_t items = 0;
  while (const std::optional<Expected<Item>> item = reader->next()) {
    progress.step();
    results.begin_item();
    if (const auto* error = std::get_if<InputError>(&*item))
      results.fail(*error);
    else
      evaluate_item(std::get<Item>(*item), items++, options, contexts, results);
  }
  for (const std::string& text : reader->notes()) note(text);
}

}  // namespace

std::vector<Gpu> named_gpus(const std::vector<std::string>& names) {
  const Catalogue catalogue;
  for (const InputError& problem : catalogue.problems_besides(names))
    note(std::string(problem.what()) + " (ignored: no GPU of this run)");
  std::vector<Gpu> gpus;
  for (const std::string& name : names) gpus.push_back(catalogue.find(name));
  return gpus;
}

int evaluate_inputs(const Options& options) {
  const std::vector<Context> contexts = contexts_of(options);
  Results results(options, contexts.size());
  Progress progress;
  try {
    for (const std::string& word : options.inputs) try {
        for (const std::string& name : resolve_input(word)) {
          try {
            evaluate_input(name, options, contexts, results, progress);
          } catch (const InputError& error) {
            results.fail(error);
          }
          results.end_input(contexts);
        }
      } catch (const InputError& error) {
        results.fail(error);
      }
    results.write();
    flush_standard_output();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.exit_code();
}

}  // namespace roofline
