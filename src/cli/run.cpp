#include "cli/run.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/results.hpp"
#include "load/kernel_model.hpp"
#include "load/user_lists.hpp"
#include "model/text.hpp"
#include "report/grid.hpp"
#include "report/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

/// Selected GPUs are ranked unless rows are said to be something else.
void set_ranking(RowFilter& filter, const Contexts& contexts) {
  if (contexts.has_selected() && !filter.by) filter.by = RowsBy::gpu;
  if (!filter.ranks_gpus()) return;
  if (filter.sort && !ranks_points(*filter.sort))
    throw UsageError("--sort " + std::string(name_of(*filter.sort)) +
                     ": GPUs are ranked by time, energy or cost; --by layer sorts layers");
  if (filter.cover_share)
    throw UsageError("--cover: expected --top N of ranked GPUs, or --by layer for layers");
}

Prices prices_of(const Options& options, const Catalogue& catalogue) {
  Prices prices;
  for (const auto& [name, per_hour] : options.prices) {
    const auto [price, is_new] = prices.emplace(unwrap(catalogue.find(name)).name, per_hour);
    if (!is_new)
      throw UsageError("--price: expected one price of " + price->first + ", got " +
                       number_text(price->second) + " and " + number_text(per_hour));
  }
  return prices;
}

/// Of --measured: a file's, or one of the layer that --explain names or that is the only one.
std::optional<MeasuredTimes> measured_times(const Options& options, const std::string& gpu) {
  if (options.measured.empty()) return std::nullopt;
  if (const std::optional<double> time_s = stated_time_s(options.measured))
    return MeasuredTimes(*time_s, options.report.explain, gpu);
  std::error_code error;
  if (options.measured.find_first_of("-0123456789") == 0 &&
      !std::filesystem::exists(options.measured, error))
    throw UsageError(
        "--measured: expected a file, or a time above 0 in us, ms or s such as "
        "9.143ms, got \"" +
        options.measured + '"');
  return MeasuredTimes(options.measured, gpu, options.defaults.limits);
}

/// Returns the exit code: 1 where an input could not be evaluated.
int evaluate_inputs(Options options) {
  const Catalogue catalogue;
  Contexts contexts(options, catalogue);
  set_ranking(options.report.filter, contexts);
  options.report.price_per_hour = prices_of(options, catalogue);
  std::optional<MeasuredTimes> times = measured_times(options, contexts.measured_gpu());
  const auto inputs = resolve_inputs(options.inputs);
  for (const Expected<std::string>& input : inputs)  // "resnet50 v100"
    if (options.gpus.empty() && !input && catalogue.find(input.error().source))
      raise(input.error());
  std::map<std::string, OutputFile> files = open_outputs(options, inputs);
  const Evaluator evaluator(options, contexts, times ? &*times : nullptr);
  Results results(options, contexts.named(), files);
  Progress progress("evaluated");
  try {
    const std::size_t jobs =
        times ? 1 : options.jobs;  // times are joined in the order of the input
    evaluate_in_order(inputs, options, evaluator, jobs, [&](Evaluation part) {
      progress.step(part.items);
      results.take(std::move(part));
    });
    if (times)
      for (const std::string& text : times->notes()) note(text);
    progress.erase();
    results.write();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.finish();
}

/// Those of --gpu, or all.
std::vector<Gpu> listed_gpus(const Options& options, const Catalogue& catalogue) {
  if (options.gpus.empty()) return catalogue.all();
  std::vector<Gpu> gpus;
  for (const std::string& word : options.gpus) {
    auto selected = unwrap(catalogue.select(word));
    if (!selected) selected = {unwrap(catalogue.find(word))};
    std::ranges::move(*selected, std::back_inserter(gpus));
  }
  return gpus;
}

/// A name a line, or a list of JSON.
std::string networks_text(bool json) {
  if (!json) return network_names();
  std::string names;
  for (const EmbeddedFile& file : embedded_networks())
    add_item(names, '"' + std::string(file.name) + '"');
  return '[' + names + "]\n";
}

/// What is printed without any input: help, lists, one GPU, one kernel model.
std::string printed_text(const Options& options) {
  using enum Options::Action;
  if (options.action == print_text) return options.text;
  if (options.action == list_networks) return networks_text(options.json);
  const RenderStyle style = standard_output_style();
  if (options.action == list_words) return words_text(style.width.value_or(80));
  const Catalogue catalogue;
  if (options.action == list_gpus) {
    for (const InputError& problem : catalogue.problems_besides({}))
      note(std::string(problem.what()) + " (not listed)");
    const std::vector<Gpu> gpus = listed_gpus(options, catalogue);
    return options.json ? render_gpus_json(gpus) : render_gpu_list(gpus, style);
  }
  const Gpu gpu = named_gpu(catalogue, options.gpus.front(), options.kernel_model);
  if (options.action == show_gpu) {
    if (options.json) return render_gpus_json({gpu});
    return style.width ? broken(render_gpu(gpu), *style.width) : render_gpu(gpu);
  }
  return write_constants(*gpu.constants);
}

}  // namespace

int run(const Options& options) {
  if (options.action == Options::Action::evaluate) return evaluate_inputs(options);
  if (options.action == Options::Action::calibrate) return calibrate_inputs(options);
  if (options.action == Options::Action::write_script) return write_measuring_script(options);
  write_standard_output(printed_text(options));
  return 0;
}

}  // namespace roofline
