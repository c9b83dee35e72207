#include "cli/contexts.hpp"

#include <utility>

#include "cli/output.hpp"
#include "load/kernel_model.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

/// What is assumed of a GPU, as one line, where anything is.
void add_assumed(const Context& context, std::vector<std::string>& notes) {
  std::string all;
  for (const std::string& assumption : context.kernel.assumptions())
    all += (all.empty() ? context.gpu.name + ": " : "; ") + assumption;
  if (!all.empty()) notes.push_back(std::move(all));
}

/// What is wrong with other files in the person's own folder.
std::vector<std::string> problems_besides(const Catalogue& catalogue,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> notes;
  for (const InputError& problem : catalogue.problems_besides(names))
    notes.push_back(std::string(problem.what()) + " (ignored: no GPU of this run)");
  return notes;
}

std::vector<Gpu> find_gpus(const Catalogue& catalogue, const std::vector<std::string>& names,
                           const std::string& kernel_model) {
  std::vector<Gpu> gpus;
  gpus.reserve(names.size());
  for (const std::string& name : names) gpus.push_back(catalogue.find(name));
  if (kernel_model.empty()) return gpus;
  const SharedConstants constants = load_constants(read_text(kernel_model), kernel_model);
  for (Gpu& gpu : gpus) gpu.constants = constants;
  return gpus;
}

}  // namespace

std::vector<Gpu> named_gpus(const std::vector<std::string>& names,
                            const std::string& kernel_model) {
  const Catalogue catalogue;
  for (const std::string& text : problems_besides(catalogue, names)) note(text);
  return find_gpus(catalogue, names, kernel_model);
}

Contexts::Contexts(const Options& options) : options_(options) {
  for (Gpu& gpu : named_gpus(options.gpus, options.kernel_model)) {
    named_.push_back(make_context(std::move(gpu), options.analysis));
    std::vector<std::string> notes;
    add_assumed(named_.back(), notes);
    for (const std::string& text : notes) note(text);
  }
}

Contexts::Found Contexts::of(const Network& network) {
  if (!named_.empty()) return {named_, {}};
  if (network.recording && !network.recording->device.empty()) {
    const Recorded& recorded = recorded_on(network.recording->device);
    return {{&recorded.context, 1}, recorded.notes};
  }
  if (options_.layer_file.empty())
    throw UsageError("no GPU: give one with --gpu, such as --gpu v100 (--list-gpus lists all)");
  return {};
}

const Contexts::Recorded& Contexts::recorded_on(const std::string& device) {
  const std::lock_guard lock(mutex_);
  const auto found = recorded_.find(device);
  if (found != recorded_.end()) return found->second;
  const Catalogue catalogue;
  std::vector<std::string> notes = problems_besides(catalogue, {device});
  Gpu gpu = find_gpus(catalogue, {device}, options_.kernel_model).front();
  Context context = make_context(std::move(gpu), options_.analysis);
  add_assumed(context, notes);
  return recorded_.emplace(device, Recorded{std::move(context), std::move(notes)}).first->second;
}

}  // namespace roofline
