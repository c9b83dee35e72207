#include "roofline/report.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernel/derivation.hpp"
#include "model/gpu_selection.hpp"
#include "model/requests.hpp"
#include "model/text.hpp"
#include "results/changes.hpp"
#include "results/explanation.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"

namespace roofline {
namespace {

Explanation explain(const Evaluated& evaluated, std::size_t result, std::size_t row) {
  const Context& context = *evaluated.context;
  const LayerResult& layer = evaluated.result.layers[row];
  Explanation explanation{
      result, row, {}, advise(layer, evaluated.result, context), library_of(context.kernel)};
  if (!layer.kernel) return explanation;
  explanation.steps = derive_kernel(layer.layer, layer.counts, layer.planned_engine, context.kernel,
                                    context.options.cache)
                          .value();
  const LaunchProtocol launch = launch_of(evaluated.result.setting.runs_as, context).protocol;
  if (launch != LaunchProtocol::graph || explanation.steps.back().value < *layer.expected_time_s())
    explanation.steps.push_back(
        {"expected time " + std::string(meaning_of(launch)),
         "",
         *layer.expected_time_s(),
         "s",
         {layer.kernel->idle_ratio == 1 ? "the same but for launch"
                                        : "the same but for launch and an idle GPU's clock"}});
  return explanation;
}

/// Rows matching the pattern: layers with exactly this name, else all matches.
std::vector<Explanation> explain_all(const std::vector<Evaluated>& evaluated,
                                     const std::string& pattern) {
  std::vector<Explanation> explanations;
  std::set<std::string_view> names;
  for (const Evaluated& each : evaluated)
    for (const LayerResult& row : each.result.layers) names.insert(row.layer.name);
  const bool is_name = names.contains(pattern);
  for (std::size_t i = 0; i < evaluated.size(); ++i)
    for (std::size_t j = 0; j < evaluated[i].result.layers.size(); ++j) {
      const std::string& name = evaluated[i].result.layers[j].layer.name;
      if (is_name ? name == pattern : fits_pattern(name, pattern))
        explanations.push_back(explain(evaluated[i], i, j));
    }
  if (explanations.empty() && !names.empty())
    throw InputError("no layer to explain is called " + in_quotes(pattern) +
                     did_you_mean(pattern, {names.begin(), names.end()}));
  return explanations;
}

/// A network of one layer is explained as this layer, unless a recording has more to tell.
bool is_one_layer(const Evaluated& each) {
  return each.result.layers.size() == 1 && !each.result.measured.recording;
}

void explain_networks(const std::vector<Evaluated>& evaluated, Report& report) {
  const bool are_layers = std::ranges::all_of(evaluated, is_one_layer);
  for (std::size_t i = 0; i < evaluated.size(); ++i) {
    const Evaluated& each = evaluated[i];
    if (are_layers) {
      report.explanations.push_back(explain(each, i, 0));
      continue;
    }
    report.network_explanations.push_back(
        explain_network(each.result, *each.context, each.network));
    report.network_explanations.back().result = i;
  }
}

std::vector<Gpu> gpus_of(const std::vector<Evaluated>& evaluated) {
  std::vector<Gpu> gpus;
  for (const Evaluated& each : evaluated)
    if (std::ranges::find(gpus, each.context->gpu.name, &Gpu::name) == gpus.end())
      gpus.push_back(each.context->gpu);
  return gpus;
}

/// Labels files with equal names by their paths, and equal names within one source by their order.
void tell_apart(std::vector<Result>& results) {
  using Places = std::map<std::size_t, std::size_t>;  // of items, among those of their name
  std::map<std::string, std::map<std::string, Places>> places_of;
  for (const Result& result : results)
    places_of[result.setting.network][result.setting.source][result.setting.item] = 0;
  for (auto& [network, sources] : places_of)
    for (auto& [source, places] : sources) {
      std::size_t next = 0;
      for (auto& [item, place] : places) place = next++;
    }
  for (Result& result : results) {
    const auto& sources = places_of[result.setting.network];
    const std::size_t before = sources.at(result.setting.source).at(result.setting.item);
    if (sources.size() > 1) result.setting.label = result.setting.source;
    if (before > 0) result.setting.label += concat("#", before + 1);
  }
}

/// The type of most FLOP, which decides on kernels.
std::optional<DataType> main_type(const Result& result) {
  EnumArray<DataType, double> flop{};
  for (const LayerResult& row : result.layers)
    flop[row.layer.dtypes.input] += static_cast<double>(row.counts.flops);
  const auto most = std::ranges::max_element(flop);
  if (most == flop.end() || *most <= 0) return std::nullopt;
  return enumerators<DataType>[static_cast<std::size_t>(most - flop.begin())];
}

/// A program is compared with what was recorded where it runs alike.
void check_runs_alike(const Evaluated& recorded, const Evaluated& program) {
  const Setting& past = recorded.result.setting;
  const Setting& own = program.result.setting;
  std::string differ;
  std::string options;
  const auto compare = [&](std::string_view what, const auto& got, const auto& wanted,
                           std::string_view option) {
    if (got == wanted) return;
    add_item(differ, concat(what, got, " in place of ", wanted));
    options += concat(" ", option, wanted);
  };
  if (past.batch && own.batch) compare("batch ", *own.batch, *past.batch, "--batch ");
  const auto type = main_type(program.result);
  const auto past_type = main_type(recorded.result);
  if (type && past_type) compare("", name_of(*type), name_of(*past_type), "--dtype ");
  const auto launch_in = [](const Evaluated& of) {
    return launch_of(of.result.setting.runs_as, *of.context).protocol;
  };
  // A graph's kernels take hardly longer than alone.
  const auto is_by_host = [](LaunchProtocol launch) { return launch > LaunchProtocol::graph; };
  if (is_by_host(launch_in(program)))
    compare("launches by ", name_of(launch_in(program)), name_of(launch_in(recorded)),
            "--assume launch=");
  if (!differ.empty())
    throw InputError(concat("expected ", own.network, " to run as ", past.network,
                            " was recorded, got ", differ, ": add", options));
}

void check_comparable(const std::vector<Evaluated>& evaluated) {
  if (evaluated.size() != 2) return;
  for (const bool first : {true, false}) {
    const Evaluated& recorded = evaluated[first ? 0 : 1];
    const Evaluated& program = evaluated[first ? 1 : 0];
    if (is_fixed(recorded.result.setting.runs_as) && !is_fixed(program.result.setting.runs_as))
      check_runs_alike(recorded, program);
  }
}

Changes changes_of(const std::vector<Result>& results, const std::vector<KernelTable>& kernels) {
  if (results.empty() && kernels.size() == 2) return changes_between(kernels[0], kernels[1]);
  const std::size_t all = results.size() + kernels.size();
  if (all != 2)
    throw InputError(concat(
        "expected two results to compare, of two inputs, GPUs, frameworks, types or batches, got ",
        all));
  if (!kernels.empty())
    throw InputError("expected two inputs with layers to compare, got one of kernels");
  return changes_between(results[0], results[1]);
}

/// Groups each piece of work in order of first appearance, its best GPU first.
void rank(std::vector<Evaluated>& evaluated, const Prices& prices, SortBy by) {
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> works;
  const auto work_of = [&](const Evaluated& each) {
    const Setting& setting = each.result.setting;
    const auto work = std::tuple(setting.source, setting.network, setting.item);
    return works.try_emplace(work, works.size()).first->second;
  };
  for (const Evaluated& each : evaluated) work_of(each);
  std::ranges::stable_sort(evaluated, [&](const Evaluated& a, const Evaluated& b) {
    if (work_of(a) != work_of(b)) return work_of(a) < work_of(b);
    return is_ranked_before(a.result, b.result, prices, by);
  });
}

void check_asked(const std::vector<Evaluated>& evaluated, const ReportOptions& options,
                 const std::vector<KernelTable>& kernels) {
  check_enumerator("RowFilter::sort", options.filter.sort);
  check_enumerator("RowFilter::by", options.filter.by);
  for (const Evaluated& each : evaluated)
    if (each.context == nullptr)
      throw InputError(each.result.setting.source, "",
                       "expected a result with the context that it was evaluated in, got none");
  for (const KernelTable& table : kernels)
    if (table.recording == nullptr)
      throw InputError("expected kernels as place_kernels returns them, got none");
}

/// Releases differ by their kernels for groups.
void note_other_release(LayerResult& row, const OtherLibrary& other, const KernelModel& model,
                        const Evaluated& of) {
  const Context& context = *of.context;
  if (row.layer.groups == 1 || !row.kernel || row.layer.mapping != KernelMapping{}) return;
  const auto plan =
      plan_kernel(row.layer, row.counts, row.planned_engine, model, context.options.cache).value();
  if (!plan || plan->name() == row.kernel->name()) return;
  Launch launch = launch_of(of.result.setting.runs_as, context);
  launch.from_idle = row.kernel->idle_ratio > 1;
  row.other_release = {library_of(context.kernel), other,
                       launched(*plan, model, launch).expected_time_s(), plan->algorithm};
}

/// Notes other releases for one layer, or for a network whose layers are explained.
void note_other_releases(Evaluated& evaluated, const ReportOptions& options) {
  std::vector<LayerResult>& rows = evaluated.result.layers;
  const bool has_groups = std::ranges::any_of(
      rows, [](const LayerResult& row) { return row.layer.groups > 1 && row.kernel; });
  if (!has_groups || (rows.size() != 1 && options.explain.empty())) return;
  const auto other = other_library(evaluated.context->kernel);
  if (!other) return;
  const KernelModel model = with_library(evaluated.context->kernel, other->library);
  for (LayerResult& row : rows) note_other_release(row, *other, model, evaluated);
}

template <class Whole>
std::vector<Shown<Whole>> shown(std::vector<Whole> wholes, const ReportOptions& options) {
  std::vector<Shown<Whole>> all;
  all.reserve(wholes.size());
  for (Whole& whole : wholes) {
    Selection selection = select(whole, options.filter);
    all.push_back({std::move(whole), std::move(selection)});
  }
  return all;
}

std::vector<ShownResult> shown_results(std::vector<Result> results,
                                       const std::vector<bool>& is_shown,
                                       const ReportOptions& options) {
  std::vector<ShownResult> all;
  all.reserve(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    Selection selection = is_shown[i] ? select(results[i], options.filter) : Selection{};
    Selection types = select_types(results[i], options.filter);
    all.push_back({{std::move(results[i]), std::move(selection)}, std::move(types)});
  }
  return all;
}

Report report_on(std::vector<Evaluated> evaluated, std::vector<InputError> errors,
                 const ReportOptions& options, std::vector<KernelTable> kernels) {
  Report report;
  if (options.compare) check_comparable(evaluated);
  std::optional<SortBy> rank_by;
  if (options.filter.ranks_gpus()) rank_by = options.filter.sort.value_or(SortBy::time);
  if (rank_by) rank(evaluated, options.price_per_hour, *rank_by);
  const std::vector<bool> is_shown = options.compare ? std::vector<bool>(evaluated.size(), true)
                                                     : select(evaluated, options.filter);
  report.filter = options.filter;
  report.currency = options.currency;
  for (Evaluated& each : evaluated) note_other_releases(each, options);
  report.errors = std::move(errors);
  if (options.explain_networks)
    explain_networks(evaluated, report);
  else if (!options.explain.empty())
    report.explanations = explain_all(evaluated, options.explain);
  report.gpus = gpus_of(evaluated);
  std::vector<Result> results;
  results.reserve(evaluated.size());
  for (Evaluated& each : evaluated) results.push_back(std::move(each.result));
  evaluated = std::vector<Evaluated>();  // large, where there are many inputs
  tell_apart(results);
  const std::vector<SettingsTable> settings =
      settings_of(results, options.price_per_hour, options.max_time_s);
  report.sweeps = sweeps_of(settings);
  report.points = shown(points_of(settings, !options.price_per_hour.empty(), rank_by), options);
  if (options.compare) report.changes = changes_of(results, kernels);
  report.kernels = shown(std::move(kernels), options);
  report.results = shown_results(std::move(results), is_shown, options);
  return report;
}

}  // namespace

Expected<Report> report_of(std::vector<Evaluated> evaluated, std::vector<InputError> errors,
                           const ReportOptions& options, std::vector<KernelTable> kernels) {
  return expected([&] {
    check_asked(evaluated, options, kernels);
    return report_on(std::move(evaluated), std::move(errors), options, std::move(kernels));
  });
}

Expected<std::shared_ptr<const Report>> make_report(std::vector<Evaluated> evaluated,
                                                    std::vector<InputError> errors,
                                                    const ReportOptions& options) {
  Expected<Report> report = report_of(std::move(evaluated), std::move(errors), options);
  if (!report) return report.error();
  return std::make_shared<const Report>(*std::move(report));
}

}  // namespace roofline
