#include "cli/run.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "cli/errors.hpp"
#include "cli/evaluator.hpp"
#include "cli/ordered_work.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/results.hpp"
#include "load/kernel_model.hpp"
#include "load/user_lists.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

using Inputs = std::vector<Expected<std::string>>;

/// As many records as one piece of work holds, or as there are before reading has to wait. None at
/// the end, which reading may also fail at: `at_end`.
std::vector<Expected<Item>> next_records(Reader& reader, const std::string& name,
                                         std::size_t rows_a_record, bool& at_end) {
  constexpr std::size_t most_rows = 512;
  std::vector<Expected<Item>> items;
  try {
    do {
      std::optional<Expected<Item>> item = reader.next();
      if (!item) break;
      items.push_back(std::move(*item));
    } while (items.size() * rows_a_record < most_rows && !reader.may_wait());
  } catch (const std::exception& error) {
    items.emplace_back(caught_error(name, std::nullopt));
    at_end = dynamic_cast<const std::bad_alloc*>(&error) == nullptr;
  }
  return items;
}

using AddPiece = std::function<void(Piece, bool may_wait)>;

/// Records by the hundred.
void add_records(Reader& reader, const std::string& name, std::size_t rows_a_record,
                 const AddPiece& add) {
  std::size_t first = 0;
  for (bool at_end = false; !at_end;) {
    auto items = next_records(reader, name, rows_a_record, at_end);
    if (items.empty()) break;
    const auto good = std::count_if(items.begin(), items.end(),
                                    [](const auto& item) { return item.has_value(); });
    add({.input = name, .items = std::move(items), .first = first}, false);
    first += static_cast<std::size_t>(good);
  }
  add({.input = name, .items = {}, .notes = reader.notes(), .ends_input = true}, false);
}

/// Splits the inputs into pieces of work. One may be spread over several files, so each is opened
/// knowing all of them. `gpus`: how many --gpu names.
void split_inputs(const Inputs& inputs, const Options& options, std::size_t gpus,
                  const AddPiece& add) {
  std::vector<std::string> names;
  for (const Expected<std::string>& input : inputs)
    if (input) names.push_back(*input);
  for (const Expected<std::string>& input : inputs) {
    const std::string name = input ? *input : std::string();
    Piece piece{.input = name, .items = {}, .ends_input = true};
    try {
      piece.reader = open_input(input.value(), names, options.first_line, options.limits).value();
    } catch (const std::exception&) {
      piece.items.emplace_back(caught_error(name, std::nullopt));
    }
    if (piece.reader && piece.reader->has_records())
      add_records(*piece.reader, name, options.settings.size() * std::max<std::size_t>(1, gpus),
                  add);
    else
      add(std::move(piece), true);
  }
}

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

/// A later price of a GPU takes the place of an earlier one.
Prices prices_of(const std::vector<StatedPrice>& stated, const Catalogue& catalogue) {
  Prices prices;
  for (const auto& [name, per_hour] : stated)
    if (per_hour)
      prices[unwrap(catalogue.find(name)).name] = *per_hour;
    else
      for (const auto& [gpu, price] : load_prices(name, catalogue)) prices[gpu] = price;
  return prices;
}

/// Returns the exit code: 1 where an input could not be evaluated.
int evaluate_inputs(Options options) {
  const Catalogue catalogue;
  Contexts contexts(options, catalogue);
  set_ranking(options.report.filter, contexts);
  options.report.price_per_hour = prices_of(options.prices, catalogue);
  std::optional<MeasuredTimes> times;
  if (!options.measured.empty()) times.emplace(options.measured, options.limits);
  const Inputs inputs = resolve_inputs(options.inputs);
  std::map<std::string, OutputFile> files = open_outputs(options, inputs);
  const Evaluator evaluator(options, contexts, times ? &*times : nullptr);
  Results results(options, contexts.named(), files);
  Progress progress;
  try {
    // Times are joined in the order of the input.
    OrderedWork work(times ? 1 : options.jobs, [&](Evaluation part) {
      progress.step(part.items);
      results.take(std::move(part));
    });
    split_inputs(inputs, options, contexts.named().size(), [&](Piece piece, bool may_wait) {
      work.add([&evaluator, shared = std::make_shared<Piece>(std::move(piece))](
                   const Submit& submit) { return evaluator.evaluate(*shared, submit); },
               may_wait);
    });
    work.finish();
    if (times)
      for (const std::string& text : times->notes()) note(text);
    progress.erase();
    results.write();
    flush_standard_output();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.finish();
}

/// What is printed without any input: help, lists, one GPU, one kernel model.
std::string printed_text(const Options& options) {
  using enum Options::Action;
  if (options.action == print_text) return options.text;
  if (options.action == write_script) return measuring_script(options.minutes);
  if (options.action == list_networks) return network_names();
  const Catalogue catalogue;
  if (options.action == list_gpus) {
    for (const InputError& problem : catalogue.problems_besides({}))
      note(std::string(problem.what()) + " (not listed)");
    return options.json ? render_gpus_json(catalogue.all())
                        : render_gpu_list(catalogue.all(), standard_output_style());
  }
  const Gpu gpu = named_gpu(catalogue, options.gpus.front(), options.kernel_model);
  if (options.action == show_gpu) return options.json ? render_gpus_json({gpu}) : render_gpu(gpu);
  return options.json ? write_constants(*gpu.constants) : render_model(gpu);
}

}  // namespace

int run(const Options& options) {
  if (options.action == Options::Action::evaluate) return evaluate_inputs(options);
  if (options.action == Options::Action::calibrate) return calibrate_inputs(options);
  write_standard_output(printed_text(options));
  flush_standard_output();
  return 0;
}

}  // namespace roofline
