#include "cli/evaluator.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "cli/left_out.hpp"
#include "cli/required.hpp"
#include "roofline/render.hpp"

namespace roofline {

namespace {

/// A thing of an input at any batch, each worked out once.
class NetworkAtAnyBatch {
 public:
  NetworkAtAnyBatch(const Item& item, const LayerDefaults& defaults)
      : item_(item), defaults_(defaults) {}

  Expected<Network> operator()(std::uint64_t batch) {
    const auto known = networks_.find(batch);
    if (known != networks_.end()) return known->second;
    defaults_.batch_override = batch;
    const auto spec = item_.spec(defaults_);
    Expected<Network> network = spec ? infer(**spec, defaults_) : Expected<Network>(spec.error());
    return networks_.emplace(batch, std::move(network)).first->second;
  }

 private:
  const Item& item_;
  LayerDefaults defaults_;
  std::map<std::uint64_t, Expected<Network>> networks_;
};

/// A batch that was searched for.
struct FoundBatch {
  BatchGoal goal;
  std::uint64_t batch;
};

}  // namespace

/// Adds what one thing of an input gives, in each setting on each GPU.
class Evaluator::Sum {
 public:
  Sum(const Needs& needs, Evaluation& all, const Contexts& contexts, const HandOn& hand_on)
      : needs_(needs), all_(all), contexts_(contexts), hand_on_(hand_on) {}

  void fail(const InputError& unhinted) {
    const InputError error = hinted(unhinted);
    all_.failed = true;
    // What fails in several settings is said once.
    if (!failures_.insert(error.what()).second) return;
    all_.messages.push_back({error.what()});
    for (RenderedRows& rows : all_.rows) rows.add(error);
    if (needs_.report) all_.errors.push_back(error);
  }

  /// What does not depend on the GPU.
  void see(const Network& network) {
    if (network.record) all_.copies += network.layers.size() - 1;
    if (needs_.networks) all_.networks.push_back(network);
    note(network);
  }

  void note(const Network& network) {
    for (const std::string& assumption : network.assumptions)
      all_.messages.push_back({network.source + ": " + assumption, Message::Kind::assumption});
  }

  /// In one setting on each GPU.
  void add(Network&& network, std::size_t setting, const Contexts::Found& gpus) {
    say(gpus);
    const std::size_t count = gpus.contexts.size();
    LeftOut left_out(network.source);
    for (std::size_t gpu = 0; gpu < count; ++gpu)
      if (network.record)
        add_record(network, setting * count + gpu, gpus.contexts[gpu], left_out);
      else
        add_network(network, gpu + 1 == count, gpus.contexts[gpu], left_out);
    end_setting(left_out);
  }

  void say(const Contexts::Found& gpus) {
    for (const std::string& text : gpus.notes) all_.messages.push_back({text, Message::Kind::once});
  }

  /// What selected GPUs cannot do is no failure, unless none of them can.
  void fail_on(const Context& context, const InputError& error, LeftOut& left_out) {
    if (contexts_.is_selected(context))
      left_out.add(context.gpu.name, error);
    else
      fail(error);
  }

  void add_network(Network& network, bool is_last_use, const Context& context, LeftOut& left_out,
                   std::optional<FoundBatch> found = {}) {
    Expected<Result> result = is_last_use && !needs_.explained_networks
                                  ? roofline::evaluate(std::move(network), context)
                                  : roofline::evaluate(network, context);
    if (!result) return fail_on(context, result.error(), left_out);
    if (found) {
      result->setting.batch_goal = found->goal;
      result->setting.batch = found->batch;  // also where products of matrices have another
    }
    can_run_ = all_.evaluated = true;
    if (!needs_.report) return render(*std::move(result));
    add_rows(*result);
    keep(*std::move(result), context);
    if (needs_.explained_networks)
      all_.results.back().network = std::make_shared<const Network>(network);
  }

  void end_setting(const LeftOut& left_out) {
    const bool can_run = std::exchange(can_run_, false);
    if (!left_out.first()) return;
    if (can_run)
      all_.messages.push_back({left_out.text(), Message::Kind::once});
    else
      fail(*left_out.first());
  }

  void add(std::shared_ptr<const KernelRecording> recording, const Contexts::FoundOne& gpu) {
    for (const std::string& text : gpu.notes) all_.messages.push_back({text, Message::Kind::once});
    if (needs_.networks)
      return fail({recording->source, "",
                   "holds kernels, of which nothing says which layers they were: there are none "
                   "to write"});
    KernelTable table = place_kernels(std::move(recording), gpu.context);
    all_.evaluated = true;
    for (RenderedRows& rows : all_.rows) rows.add(table);
    if (needs_.report) all_.kernels.push_back(std::move(table));
  }

 private:
  /// Several threads share a large network's rows.
  void render(Result result) {
    constexpr std::size_t rows_a_part = 512;
    const std::size_t count = result.layers.size();
    if (count <= 2 * rows_a_part) return add_rows(result);
    hand_on_text();
    const auto shared = std::make_shared<const Result>(std::move(result));
    for (std::size_t begin = 0; begin < count; begin += rows_a_part)
      hand_on_([shared, begin, end = std::min(count, begin + rows_a_part), &needs = needs_] {
        Evaluation part;
        for (const OutputFormat* format : needs.rows)
          part.rows.emplace_back(*format->rows()).add(*shared, begin, end);
        return part;
      });
  }

  void add_rows(const Result& result) {
    for (RenderedRows& rows : all_.rows) rows.add(result, 0, result.layers.size());
    if (std::any_of(all_.rows.begin(), all_.rows.end(),
                    [](const RenderedRows& rows) { return rows.is_large(); }))
      hand_on_text();
  }

  /// What was said and rendered so far.
  void hand_on_text() {
    const auto part = std::make_shared<Evaluation>();
    for (RenderedRows& rows : all_.rows) part->rows.push_back(std::exchange(rows, rows.empty()));
    part->messages = std::exchange(all_.messages, {});
    hand_on_([part] { return std::move(*part); });
  }

  /// The rows that lost most are asked for their layers.
  static void drop_layers(Result& result) {
    if (!result.measured.summary) result.layers = std::vector<LayerResult>();
  }

  /// Points need no layers: thousands of them fit into memory.
  void keep(Result result, const Context& context) {
    if (!first_) {
      first_ = all_.results.size();
    } else if (Result& first = all_.results[*first_].result;
               !needs_.layers && !is_same_point(first, result)) {
      drop_layers(first);
      drop_layers(result);
    }
    all_.results.push_back({std::move(result), &context, nullptr});
  }

  void add_record(const Network& record, std::size_t slot, const Context& context,
                  LeftOut& left_out) {
    Expected<RecordResult> result = evaluate_record(record, context);
    if (!result) return fail_on(context, result.error(), left_out);
    can_run_ = all_.evaluated = true;
    for (RenderedRows& rows : all_.rows) rows.add(slot, record, context.gpu.name, result->rows);
    if (!needs_.report) return;
    if (all_.records.size() <= slot) all_.records.resize(slot + 1);
    SlotRecords& records = all_.records[slot];
    records.source = record.source;
    records.name = record.name;
    records.all.ceilings = result->ceilings;
    std::move(result->rows.begin(), result->rows.end(), std::back_inserter(records.all.rows));
  }

  const Needs& needs_;
  Evaluation& all_;
  const Contexts& contexts_;
  const HandOn& hand_on_;
  bool can_run_ = false;  ///< the present setting, on some GPU
  std::set<std::string> failures_;
  std::optional<std::size_t> first_;  ///< of its results
};

Needs needs_of(const Options& options) {
  Needs needs;
  const bool ranks_gpus = options.report.view.ranks_gpus();
  const bool chooses_rows = options.report.view.selects() || options.report.view.by;
  needs.explained_networks = options.report.explain_networks || !options.report.explain.empty();
  needs.layers = options.report.compare || needs.explained_networks ||
                 options.report.view.asks_for_layers() ||
                 std::any_of(options.gates.begin(), options.gates.end(),
                             [](const Gate& gate) { return gate.of_layers; });
  const auto add = [&](const OutputFormat& format) {
    if (chooses_rows || format.rows() == nullptr) {
      needs.report = true;
      // Ranked GPUs are points everywhere but in pictures.
      const bool shows_points = format.shows_points || (ranks_gpus && !format.shows_chart);
      needs.layers = needs.layers || !shows_points;
    } else if (std::find(needs.rows.begin(), needs.rows.end(), &format) == needs.rows.end())
      needs.rows.push_back(&format);
  };
  for (const Export& file : options.exports) add(*file.format);
  if (options.format != nullptr) add(*options.format);
  if (options.report.compare || !options.gates.empty()) needs.report = true;
  if (needs.report)  // which has them
    std::erase_if(needs.rows, [](const OutputFormat* format) {
      return format->rows()->order == RowOrder::by_result;
    });
  needs.networks = !options.layer_file.empty();
  return needs;
}

InputError too_large(const std::string& input, std::optional<std::size_t> line) {
  return {input, line ? std::to_string(*line) : "",
          "expected an input that fits into memory, got more"};
}

Evaluator::Evaluator(const Options& options, Contexts& contexts, MeasuredTimes* times)
    : options_(&options), contexts_(&contexts), times_(times), needs_(needs_of(options)) {}

Evaluation Evaluator::nothing() const {
  Evaluation all;
  for (const OutputFormat* format : needs_.rows) all.rows.emplace_back(*format->rows());
  return all;
}

Evaluation Evaluator::evaluate(std::span<Expected<Item>> items, const std::string& input,
                               std::size_t first, const HandOn& hand_on) const {
  Evaluation all = nothing();
  all.input = input;
  for (Expected<Item>& item : items) {
    if (all.copies > options_->limits.copies) break;  // the run ends where they are added up
    add(item, input, first, all, hand_on);
    if (item) ++first;
  }
  return all;
}

Evaluation Evaluator::evaluate(Reader& reader, const std::string& input,
                               const HandOn& hand_on) const {
  Evaluation all = nothing();
  try {
    std::size_t index = 0;
    while (std::optional<Expected<Item>> item = reader.next()) {
      add(*item, input, index, all, hand_on);
      if (*item) ++index;
    }
  } catch (const std::bad_alloc&) {
    Sum(needs_, all, *contexts_, hand_on).fail(too_large(input, std::nullopt));
  }
  Evaluation last = end(reader);
  std::move(last.messages.begin(), last.messages.end(), std::back_inserter(all.messages));
  all.ends_input = true;
  return all;
}

Evaluation Evaluator::end(const Reader& reader) const {
  Evaluation last;
  for (const std::string& text : reader.notes()) last.messages.push_back({text});
  last.ends_input = true;
  return last;
}

Evaluation Evaluator::failure(const InputError& error) const {
  Evaluation all = nothing();
  Sum(needs_, all, *contexts_, nullptr).fail(error);
  all.ends_input = true;
  return all;
}

void Evaluator::add(Expected<Item>& item, const std::string& input, std::size_t index,
                    Evaluation& all, const HandOn& hand_on) const {
  ++all.items;
  Sum sum(needs_, all, *contexts_, hand_on);
  if (!item) return sum.fail(item.error());
  try {
    add_settings(*item, index, sum);
  } catch (const std::bad_alloc&) {
    sum.fail(too_large(input, item->line));
  } catch (const std::length_error&) {
    sum.fail(too_large(input, item->line));
  }
}

void Evaluator::add_settings(Item& item, std::size_t index, Sum& sum) const {
  for (std::size_t setting = 0; setting < options_->settings.size(); ++setting) try {
      const auto& [defaults, goal] = options_->settings[setting];
      std::shared_ptr<const NetworkSpec> spec = item.spec(defaults).value();
      // What ran as kernels ran in no other setting.
      if (spec->kernels) return sum.add(spec->kernels, contexts_->of(*spec->kernels));
      if (goal) {
        if (spec->batch_is_fixed) throw fixed_batch_error(*spec, std::string(name_of(*goal)));
        add_goal(item, index, setting, sum);
        continue;
      }
      Network network = infer(*spec, defaults).value();
      spec = nullptr;
      if (setting + 1 == options_->settings.size()) item.read = nullptr;  // not needed any more
      if (network.layers.empty()) {
        if (setting == 0) sum.note(network);
        continue;
      }
      network.item = index;
      if (times_ != nullptr) times_->join(network);
      if (setting == 0) sum.see(network);
      const Contexts::Found gpus = contexts_->of(network);
      sum.add(std::move(network), setting, gpus);
    } catch (const InputError& error) {
      sum.fail(error);
    }
}

void Evaluator::add_goal(const Item& item, std::size_t index, std::size_t setting, Sum& sum) const {
  const auto& [defaults, goal] = options_->settings[setting];
  NetworkAtAnyBatch network_at(item, defaults);
  const Network single = network_at(1).value();
  const std::string option = "--batch " + std::string(name_of(*goal));
  if (single.record)
    throw UsageError(option + ": expected networks, got " + single.source +
                     ", whose layers stand alone");
  const Contexts::Found gpus = contexts_->of(single);
  if (needs_.networks && gpus.contexts.size() != 1)
    throw UsageError(option + " --to-layers: expected one GPU, got " +
                     std::to_string(gpus.contexts.size()));
  sum.say(gpus);
  bool first = setting == 0;
  LeftOut left_out(single.source);
  for (const Context& context : gpus.contexts) {
    const Expected<std::uint64_t> batch = find_batch(*goal, std::ref(network_at), context);
    if (!batch) {
      sum.fail_on(context, batch.error(), left_out);
      continue;
    }
    Network network = network_at(*batch).value();
    network.item = index;
    if (times_ != nullptr) times_->join(network);
    if (std::exchange(first, false)) sum.see(network);
    sum.add_network(network, true, context, left_out, FoundBatch{*goal, *batch});
  }
  sum.end_setting(left_out);
}

}  // namespace roofline
