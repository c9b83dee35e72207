#include "cli/run.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "cli/evaluator.hpp"
#include "cli/ordered_work.hpp"
#include "cli/output.hpp"
#include "cli/read_and_written.hpp"
#include "cli/required.hpp"
#include "cli/results.hpp"
#include "load/prices.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

/// Divides the inputs into pieces of work: records by the hundred, whole files of networks.
class Division {
 public:
  /// `gpus`: how many --gpu names.
  Division(const Options& options, std::size_t gpus, const Evaluator& evaluator, OrderedWork& work)
      : options_(options), gpus_(gpus), evaluator_(evaluator), work_(work) {}

  /// Files, folders and names. An input may be spread over several files, so each is opened
  /// knowing all of them.
  void add_words(const std::vector<std::string>& words) {
    std::vector<Expected<std::string>> inputs;
    for (const std::string& word : words) {
      const auto names = resolve_input(word);
      if (!names) inputs.emplace_back(names.error());
      if (names) inputs.insert(inputs.end(), names->begin(), names->end());
    }
    for (const Expected<std::string>& input : inputs)
      if (input) names_.push_back(*input);
    for (const Expected<std::string>& input : inputs)
      if (input)
        add_input(*input);
      else
        add_failure(input.error());
    work_.finish(std::exchange(last_, nullptr));
  }

 private:
  using Items = std::vector<Expected<Item>>;

  void add_input(const std::string& name) {
    std::shared_ptr<Reader> reader;
    try {
      reader = open_input(name, names_, options_.first_line, options_.limits).value();
    } catch (const InputError& error) {
      return add_failure(error);
    } catch (const std::bad_alloc&) {
      return add_failure(too_large(name, std::nullopt));
    }
    if (reader->has_records())
      add_records(*reader, name);
    else
      add([this, name, reader](const HandOn& hand_on) {
        return evaluator_.evaluate(*reader, name, hand_on);
      });
  }

  /// What may be all the work is held back, because a single piece needs no threads.
  void add(OrderedWork::Work work) {
    if (last_) work_.add(std::exchange(last_, nullptr));
    last_ = std::move(work);
  }

  void add_records(Reader& reader, const std::string& name) {
    if (last_) work_.add(std::exchange(last_, nullptr));
    std::size_t first = 0;
    while (true) {
      const auto items = std::make_shared<Items>(next_items(reader, name));
      if (items->empty()) break;
      const auto good = static_cast<std::size_t>(std::count_if(
          items->begin(), items->end(), [](const auto& item) { return item.has_value(); }));
      work_.add([this, items, name, first](const HandOn& hand_on) {
        return evaluator_.evaluate(*items, name, first, hand_on);
      });
      first += good;
    }
    work_.add([last = evaluator_.end(reader)](const HandOn&) { return last; });
  }

  /// As many records as one piece of work holds, or as there are before reading has to wait. None
  /// at the end.
  Items next_items(Reader& reader, const std::string& name) const {
    constexpr std::size_t most_rows = 512;
    const std::size_t rows_an_item = options_.settings.size() * std::max<std::size_t>(1, gpus_);
    Items items;
    try {
      do {
        std::optional<Expected<Item>> item = reader.next();
        if (!item) break;
        items.push_back(std::move(*item));
      } while (items.size() * rows_an_item < most_rows && !reader.may_wait());
    } catch (const std::bad_alloc&) {
      items.push_back(too_large(name, std::nullopt));
    }
    return items;
  }

  void add_failure(const InputError& error) {
    add([this, error](const HandOn&) { return evaluator_.failure(error); });
  }

  const Options& options_;
  std::size_t gpus_;
  const Evaluator& evaluator_;
  OrderedWork& work_;
  std::vector<std::string> names_;  ///< of all inputs
  OrderedWork::Work last_;          ///< held back
};

/// What is large goes back to the system when it is freed, also where larger things were before.
void return_freed_memory() {
#if defined(__GLIBC__)
  constexpr int large_byte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, large_byte);
#endif
}

/// Selected GPUs are ranked unless rows are said to be something else.
void set_ranking(View& view, const Contexts& contexts) {
  if (contexts.has_selected() && !view.by) view.by = RowsBy::gpu;
  if (!view.ranks_gpus()) return;
  if (view.sort && !ranks_points(*view.sort))
    throw UsageError("--sort " + std::string(name_of(*view.sort)) +
                     ": GPUs are ranked by time, energy or cost; --by layer sorts layers");
  if (view.cover_share)
    throw UsageError("--cover: expected --top N of ranked GPUs, or --by layer for layers");
}

/// A later price of a GPU takes the place of an earlier one.
Prices prices_of(const std::vector<StatedPrice>& stated) {
  Prices prices;
  if (stated.empty()) return prices;
  const Catalogue catalogue;
  for (const auto& [name, per_hour] : stated)
    if (per_hour)
      prices[required(catalogue.find(name)).name] = *per_hour;
    else
      for (const auto& [gpu, price] : load_prices(name, catalogue)) prices[gpu] = price;
  return prices;
}

}  // namespace

int evaluate_inputs(Options options) {
  return_freed_memory();
  check_outputs(options);
  Contexts contexts(options);
  set_ranking(options.report.view, contexts);
  options.report.price_per_hour = prices_of(options.prices);
  check_unread(options);
  std::optional<MeasuredTimes> times;
  if (!options.measured.empty()) times.emplace(options.measured, options.limits);
  const Evaluator evaluator(options, contexts, times ? &*times : nullptr);
  Results results(options, contexts.named());
  Progress progress;
  try {
    // Times are joined in the order of the input.
    OrderedWork work(times ? 1 : options.jobs, [&](Evaluation part) {
      progress.step(part.items);
      results.take(std::move(part));
    });
    Division division(options, contexts.named().size(), evaluator, work);
    division.add_words(options.inputs);
    if (times)
      for (const std::string& text : times->notes()) note(text);
    progress.erase();
    results.write();
    flush_standard_output();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.finish();
}

}  // namespace roofline
