#include "cli/evaluator.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "report/sections.hpp"
#include "results/explanation.hpp"
#include "results/in_parallel.hpp"
#include "results/kernel_table.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

std::string_view example_of_layer(LayerKind kind) {
  if (kind == LayerKind::linear)
    return R"({"type": "linear", "input": [512], "out_features": 1000})";
  if (kind == LayerKind::matmul)
    return R"({"type": "matmul", "m": 512, "n": 512, "k": 64, "batch": 8})";
  const KindFamily family = info(kind).family;
  if (family == KindFamily::recurrent)
    return R"({"type": "lstm", "input": [8, 100, 256], "hidden_size": 512})";
  if (kind == LayerKind::deform_conv)
    return R"({"type": "deform_conv", "inputs": [[8, 64, 56, 56], [8, 18, 56, 56]], )"
           R"("out_channels": 64, "kernel_size": 3, "padding": 1})";
  if (kind == LayerKind::other) return R"({"type": "other", "flops": 2000000, "bytes": 12000})";
  if (family == KindFamily::attention)
    return R"({"type": "attention", "inputs": [[8, 12, 128, 64], [8, 12, 128, 64], )"
           R"([8, 12, 128, 64]]})";
  if (family == KindFamily::norm) return R"({"type": "batch_norm", "input": [64, 56, 56]})";
  if (family == KindFamily::combine)
    return R"({"type": "add", "inputs": [[64, 56, 56], [64, 56, 56]]})";
  if (family == KindFamily::pool)
    return R"({"type": "max_pool", "input": [64, 112, 112], "kernel_size": 3, "stride": 2})";
  return R"({"type": "conv", "input": [3, 224, 224], "out_channels": 64, "kernel_size": 3, )"
         R"("padding": 1})";
}

/// The error without its line; empty for errors of a whole input or at a position in a line.
std::string row_error(const InputError& error) {
  const std::size_t digits =
      std::min(error.where.find_first_not_of("0123456789"), error.where.size());
  const std::string_view place = std::string_view(error.where).substr(digits);
  const bool is_row = digits > 0 && (place.empty() || place.starts_with(": "));
  return is_row ? std::string(place.substr(std::min<std::size_t>(2, place.size()))) +
                      (place.empty() ? "" : ": ") + error.message
                : "";
}

}  // namespace

/// Larger networks are not evaluated four more times for a line of text.
constexpr std::size_t most_layers_of_steps = 5000;

class Evaluator::ItemEvaluator {
 public:
  ItemEvaluator(const Evaluator& evaluator, Evaluation& all, const Submit& submit)
      : evaluator_(evaluator), all_(all), submit_(submit) {}

  void fail(const InputError& unhinted) {
    const InputError error = hinted(unhinted);
    all_.failed = true;
    if (!failures_.insert(error.what()).second) return;
    all_.messages.push_back({error.what(), Message::Kind::plain, row_error(error)});
    // Records are written by programs, which need no example.
    if (unhinted.remedy == Remedy::layer && error.where.starts_with('/'))
      all_.messages.push_back(
          {"a layer that works: " + std::string(example_of_layer(error.layer_kind)),
           Message::Kind::once});
    for (RenderedRows& rows : all_.rows) rows.add(error);
    if (needs_.report) all_.errors.push_back(error);
  }

  void add(Expected<Item>& item, std::size_t index) {
    ++all_.items;
    first_ = all_.results.size();
    is_kept_ = false;
    failures_.clear();
    if (!item) return fail(item.error());
    try {
      add_in_settings(*item, index);
    } catch (const std::exception&) {
      fail(caught_error(all_.input, item->line));
    }
  }

 private:
  void add_in_settings(Item& item, std::size_t index) {
    SharedValue<LayerId> id;
    for (const LayerSetting& setting : request_.settings) try {
        const std::optional<BatchGoal> goal = setting.batch_goal;
        std::shared_ptr<const NetworkSpec> spec = item.spec(setting.defaults).value();
        // Recorded kernels have one setting.
        if (spec->kernels) return add_kernels(spec->kernels);
        if (spec->record && !spec->layers.empty()) id = spec->layers.front().id;
        if (goal && spec->batch_is_fixed)
          throw fixed_batch_error(*spec, std::string(name_of(*goal)));
        Expected<Network> inferred =
            goal ? infer(*spec, at_batch(1, setting.defaults)) : infer(*spec, setting.defaults);
        Network& network = inferred.value();
        spec = nullptr;
        const bool is_last = &setting == &request_.settings.back();
        if (is_last && !goal && !needs_.steps) item.read = nullptr;
        network.item = index;
        add_in_setting(std::move(network), item, setting);
      } catch (InputError& error) {
        if (id->is_known()) {
          error.id_text = id->text;
          error.id_is_string = id->is_string;
        }
        fail(error);
      }
  }

  static LayerDefaults at_batch(std::uint64_t images, LayerDefaults defaults) {
    defaults.batch_override = images;
    return defaults;
  }

  /// A setting on one GPU.
  struct Run {
    const LayerSetting* setting;
    std::size_t gpu;  ///< index of the context
    const Context* context;
    std::optional<Expected<std::uint64_t>> batch{};  ///< that reaches the setting's goal, or none
  };

  /// A network at the batches that are tried on one GPU after the other.
  class NetworkAtBatches {
   public:
    /// `index`: of the item.
    NetworkAtBatches(const Item& item, std::size_t index, const LayerDefaults& defaults)
        : item_(item), index_(index), defaults_(defaults) {}

    Expected<Network> at(std::uint64_t images) {
      const auto known = known_.find(images);
      if (known != known_.end()) return known->second;
      const LayerDefaults own = at_batch(images, defaults_);
      const auto spec = item_.spec(own);
      Expected<Network> network = spec ? infer(**spec, own) : Expected<Network>(spec.error());
      if (network) network->item = index_;
      // Each GPU tries powers of two and few others, of its own. Large networks would need memory.
      const bool is_small = network && network->layers.size() <= 1000;
      if (is_small && std::has_single_bit(images)) known_.emplace(images, network);
      return network;
    }

   private:
    const Item& item_;
    std::size_t index_;
    const LayerDefaults& defaults_;
    std::map<std::uint64_t, Expected<Network>> known_;
  };

  void say_once(std::span<const std::string> texts) {
    for (const std::string& text : texts) all_.messages.push_back({text, Message::Kind::once});
  }

  /// Keeps the layers of each setting, and once what depends on neither setting nor GPU.
  void keep_network(const Network& network) {
    all_.failed = all_.failed || network.lacks_operators;
    if (needs_.networks && !network.layers.empty()) all_.networks.push_back(network);
    if (std::exchange(is_kept_, true)) return;
    if (network.record) all_.copies += network.copies;
    say(network.source, network.assumptions);
    if (network.recording != nullptr && needs_.notes) say(network.source, network.recording->notes);
  }

  void say(const std::string& source, std::span<const std::string> assumptions) {
    if (assumptions.empty()) return;
    const std::string where = source + ": ";
    for (const std::string& assumption : assumptions)
      all_.messages.push_back({where + assumption, Message::Kind::assumption});
  }

  /// `network`: the item in this setting, with batch 1 if the batch is searched for on each GPU.
  void add_in_setting(Network&& network, const Item& item, const LayerSetting& setting) {
    if (network.layers.empty()) return keep_network(network);
    const OnGpus& gpus = contexts_.of(network, setting.framework);
    if (setting.batch_goal)
      check_goal(network, gpus.contexts.size(), *setting.batch_goal);
    else
      join_and_keep(network, gpus);
    say_once(gpus.notes);
    if (!gpus.contexts.empty() && leaves_out_training(network, setting)) return;
    NetworkAtBatches at_batches(item, network.item, setting.defaults);
    SkippedGpus skipped{network.source, network.record.has_value()};
    bool can_run = false;
    set_runs(setting, gpus, network.source, at_batches);
    for (const Run& run : runs_) try {
        if (run.batch) {
          network = at_batches.at(run.batch->value()).value();
          join_and_keep(network, gpus);
        }
        add_run(run, network, item);
        can_run = all_.evaluated = true;
      } catch (const InputError& error) {
        // A selected GPU may lack what the input needs; it is an error if all do.
        if (contexts_.is_selected(*run.context))
          skipped.add(run.context->gpu.name, error);
        else
          fail(error);
      }
    if (!skipped.first) return;
    if (can_run)
      all_.messages.push_back({skipped.text(), Message::Kind::once});
    else
      fail(*skipped.first);
  }

  /// A run on each GPU that the input is evaluated on, with the batch that reaches the goal there.
  void set_runs(const LayerSetting& setting, const OnGpus& gpus, const std::string& input,
                NetworkAtBatches& at_batches) {
    const auto network_at = [&](std::uint64_t images) { return at_batches.at(images); };
    runs_.clear();
    for (std::size_t gpu = 0; gpu < gpus.contexts.size(); ++gpu) {
      if (!contexts_.takes(input, gpu)) continue;
      Run& run = runs_.emplace_back(Run{&setting, gpu, &gpus.contexts[gpu]});
      if (setting.batch_goal)
        run.batch =
            find_batch(*setting.batch_goal, network_at, *run.context, request_.report.max_time_s);
    }
  }

  /// Runs a copy of the network. The last run, and one with a batch of its own, take it instead:
  /// no other run needs it.
  void add_run(const Run& run, Network& network, const Item& item) {
    if (run.batch || &run == &runs_.back()) return take_run(run, std::move(network), item);
    take_run(run, Network(network), item);
  }

  void take_run(const Run& run, Network&& network, const Item& item) {
    if (network.record)
      add_record(run, std::move(network));
    else
      add_network(run, std::move(network), item);
  }

  /// Says that layers are left out of inference. Returns whether nothing is left of a record.
  bool leaves_out_training(const Network& network, const LayerSetting& setting) {
    const auto is_left_out = [](const Layer& layer) { return layer.training_only; };
    if (request_.stated(setting.framework).training ||
        std::ranges::none_of(network.layers, is_left_out))
      return false;
    all_.messages.push_back({network.source +
                                 ": layers of training alone (training_only) are left out: --pass "
                                 "training runs them",
                             Message::Kind::once});
    return network.record && std::ranges::all_of(network.layers, is_left_out);
  }

  void join_and_keep(Network& network, const OnGpus& gpus) {
    if (evaluator_.times_ != nullptr) evaluator_.times_->join(network);
    if (const std::string text = contexts_.set_measured_gpu(network, gpus); !text.empty())
      all_.messages.push_back({text, Message::Kind::once});
    keep_network(network);
  }

  void check_goal(const Network& single, std::size_t gpus, BatchGoal goal) const {
    if (single.record)
      throw UsageError(concat("--batch ", goal, ": expected networks, got ", single.source,
                              ", whose layers stand alone"));
    if (needs_.networks && gpus != 1)
      throw UsageError(concat("--batch ", goal, " --to-layers: expected one GPU, got ", gpus));
  }

  unsigned obeyed(const Run& run, const AskedInput& input, const Result& result) const {
    unsigned bits = 0;
    for (const LayerResult& row : result.layers)
      bits |= evaluator_.options_.obeyed(input, *run.setting, row);
    return bits;
  }

  /// The input is evaluated without it. A selected GPU is left out of a choice for want of an
  /// engine that is asked for.
  void name_useless(const Run& run, const AskedInput& input, const Result& result) {
    const LayerOptions& options = evaluator_.options_;
    const unsigned bits = obeyed(run, input, result);
    const std::string problem = options.problem(bits);
    if (problem.empty()) return;
    if (contexts_.is_selected(*run.context) && options.may_be_of_gpu(bits))
      throw InputError(result.setting.source, "", problem);
    all_.messages.push_back({result.setting.source + ": " + problem, Message::Kind::once});
  }

  /// The mapping is evaluated as it is stated.
  void name_doubts(const Result& result, const Context& context) {
    for (const LayerResult& row : result.layers)
      if (const std::string doubts = doubts_on_mapping(row, context.gpu); !doubts.empty())
        all_.messages.push_back({result.setting.source + ": " + doubts, Message::Kind::once});
  }

  /// One rule for times that are given and recorded: the rows stay, the exit code is 1.
  void refuse_impossible(const Result& result) {
    if (!result.measured.impossible) return;
    all_.failed = true;
    all_.messages.push_back(
        {result.setting.source + ": " + impossible_sentence(result), Message::Kind::assumption});
  }

  bool tells_steps(const Result& alone) const {
    return needs_.steps && contexts_.count() == 1 && !is_fixed(alone.setting.runs_as) &&
           !alone.setting.framework && alone.layers.size() > 1 &&
           alone.layers.size() <= most_layers_of_steps;
  }

  /// What a step takes under the stacks that people deploy; without those that cannot run it.
  std::vector<StackStep> steps_of(const Run& run, const Item& item, const Result& alone) {
    std::vector<StackStep> steps;
    if (!tells_steps(alone)) return steps;
    for (const Framework framework :
         {Framework::pytorch, Framework::torch_compile, Framework::tensorrt}) {
      LayerDefaults defaults = run.setting->defaults;
      set_framework(defaults, framework, request_.stated().layout);
      if (alone.setting.batch) defaults.batch_override = alone.setting.batch;
      try {
        const Network network = infer(*item.spec(defaults).value(), defaults).value();
        const auto step_with = [&](std::optional<LaunchProtocol> launch) {
          return roofline::evaluate(network, contexts_.under(framework, launch).contexts.front())
              .value();
        };
        const Result step = step_with(std::nullopt);
        const bool waits = framework == Framework::pytorch;
        const double kernels_s =
            waits ? step_with(LaunchProtocol::kernel).total.time_s : step.total.time_s;
        steps.push_back({framework, step.total.time_s, kernels_s, step.setting.layout});
      } catch (const std::runtime_error&) {
        // The stack does not run this network on this GPU.
      }
    }
    return steps;
  }

  void add_network(const Run& run, Network&& network, const Item& item) {
    if (request_.first_line)
      throw InputError(network.source, "", "--first-line: expected records, got a network");
    ItemResult one{{{}, run.context, nullptr}, std::nullopt};
    if (needs_.explained_networks) one.network = std::make_shared<const Network>(network);
    const AskedInput input = asked_input(network);
    one.result = roofline::evaluate(std::move(network), *run.context).value();
    name_useless(run, input, one.result);
    name_doubts(one.result, *run.context);
    refuse_impossible(one.result);
    // Beside other settings it is one of several answers, and data say it in a field.
    const bool is_alone = needs_.text && request_.settings.size() == 1 && contexts_.count() <= 1;
    if (is_alone && !fits(one.result).value_or(true)) all_.failed = true;
    one.result.setting.batch_goal = run.setting->batch_goal;
    // Also if matrix products have another batch.
    if (run.batch) one.result.setting.batch = run.batch->value();
    one.result.steps = steps_of(run, item, one.result);
    if (!needs_.report) return render(one.result);
    add_rows(one.result);
    keep(std::move(one));
  }

  void add_record(const Run& run, Network&& record) {
    const Context& context = *run.context;
    const auto setting = static_cast<std::size_t>(run.setting - request_.settings.data());
    const RecordStream stream{setting, run.gpu, record.framework, record.runs_as};
    auto same = std::ranges::find(all_.results, std::optional(stream), &ItemResult::stream);
    if (same == all_.results.end()) {
      all_.results.push_back({{{}, &context, nullptr}, stream});
      same = all_.results.end() - 1;
      same->result.setting.source = record.source;
      same->result.setting.network = record.name;
      same->result.setting.gpu = context.gpu.name;
      same->result.setting.framework = context.options.framework;
      same->result.setting.runs_as = record.runs_as;
    }
    std::vector<LayerResult>& rows = same->result.layers;
    const std::size_t begin = rows.size();
    const AskedInput input = asked_input(record);
    std::vector<LayerResult> own =
        evaluate_layers(std::move(record), context, evaluator_.parts_).value();
    for (const LayerResult& row : own) {
      if (row.below_bound == BelowBound::impossible) {
        Result alone;
        alone.setting.source = same->result.setting.source;
        alone.layers = {row};
        alone.measured.impossible = impossible_times(alone, context);
        refuse_impossible(alone);
      }
      all_.obeyed = all_.obeyed.value_or(0) | evaluator_.options_.obeyed(input, *run.setting, row);
    }
    if (rows.empty())
      rows = std::move(own);
    else
      std::ranges::move(own, std::back_inserter(rows));
    for (RenderedRows& each : all_.rows) each.add(same->result, begin, rows.size());
    if (!needs_.report) rows.clear();
  }

  static std::string useless_text(const std::string& options) {
    return "holds kernels, for which " + options +
           " does nothing: expected layers, or counters of a known GPU";
  }

  void add_kernels(const std::shared_ptr<const KernelRecording>& recording) {
    const OnGpus gpu = contexts_.of(*recording);
    say_once(gpu.notes);
    if (request_.writes_layers())
      return fail({recording->source, "",
                   "holds kernels, of which nothing says which layers they were: there are none "
                   "to write"});
    if (needs_.notes) say(recording->source, recording->notes);
    KernelTable table =
        place_kernels(recording, gpu.contexts.empty() ? nullptr : &gpu.contexts.front()).value();
    if (const GivenOption* output = output_without_layers(request_))
      return fail({recording->source, "", useless_text(output->shown)});
    if (const std::string useless = useless_for(table, request_); !useless.empty())
      all_.messages.push_back(
          {recording->source + ": " + useless_text(useless), Message::Kind::once});
    all_.evaluated = true;
    for (RenderedRows& rows : all_.rows) rows.add(table);
    if (needs_.report) all_.kernels.push_back(std::move(table));
  }

  /// Threads share the rows of a large network, in small parts so that little text is in memory.
  void render(const Result& result) {
    constexpr std::size_t rows_a_part = 512;
    const std::size_t count = result.layers.size();
    const std::size_t threads = request_.stated().threads;
    if (count <= 2 * rows_a_part) return add_rows(result);
    submit_text();
    for (std::size_t begin = 0; begin < count; begin += threads * rows_a_part) {
      std::vector<Evaluation> parts(threads);
      in_parallel(parts.size(), threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t part = first; part < last; ++part)
          for (const OutputFormat* format : needs_.rows)
            parts[part]
                .rows.emplace_back(*format->rows(), request_.fields)
                .add(result, std::min(count, begin + part * rows_a_part),
                     std::min(count, begin + (part + 1) * rows_a_part));
      });
      for (Evaluation& part : parts) submit_(std::move(part));
    }
  }

  void add_rows(const Result& result) {
    for (RenderedRows& rows : all_.rows) rows.add(result, 0, result.layers.size());
    if (std::ranges::any_of(all_.rows, &RenderedRows::is_large)) submit_text();
  }

  void submit_text() {
    Evaluation part;
    for (RenderedRows& rows : all_.rows) part.rows.push_back(std::exchange(rows, rows.empty()));
    part.messages = std::exchange(all_.messages, {});
    submit_(std::move(part));
  }

  /// Points need no layers: without them thousands fit into memory. The rows that lost most time
  /// need theirs.
  void keep(ItemResult one) {
    const auto drop_layers = [](Result& of) {
      if (!of.measured.summary) of.layers = std::vector<LayerResult>();
    };
    if (!needs_.layers && all_.results.size() > first_)
      if (Result& first = all_.results[first_].result; !is_same_setting(first, one.result)) {
        drop_layers(first);
        drop_layers(one.result);
      }
    all_.results.push_back(std::move(one));
  }

  const Evaluator& evaluator_;
  Evaluation& all_;
  const Submit& submit_;
  const Request& request_ = *evaluator_.request_;
  Contexts& contexts_ = *evaluator_.contexts_;
  const Needs& needs_ = request_.needs;
  std::vector<Run> runs_;  ///< of the present setting
  // Facts of the present item.
  std::size_t first_ = 0;  ///< index of its first result
  bool is_kept_ = false;
  std::set<std::string> failures_;
};

InputError caught_error(const std::string& input, std::optional<std::size_t> line) {
  const std::string where = line ? std::to_string(*line) : "";
  InputError too_large(input, where, "expected an input that fits into memory, got more");
  try {
    throw;  // cppcheck-suppress rethrowNoCurrentException ; called within handlers alone
  } catch (const InputError& error) {
    return error;
  } catch (const OverflowError& error) {
    return {input, where, error.what()};
  } catch (const UsageError&) {
    throw;
  } catch (const OutputError&) {
    throw;
  } catch (const std::bad_alloc&) {
    return too_large;
  } catch (const std::length_error&) {
    return too_large;
  } catch (const std::exception& error) {
    return {input, where, std::string("expected what can be evaluated, got: ") + error.what()};
  }
}

std::size_t Evaluator::rows_a_record() const {
  return request_->settings.size() * std::max<std::size_t>(1, contexts_->count());
}

Evaluation Evaluator::evaluate(Chunk& chunk, const Submit& submit) const {
  Evaluation all;
  for (const OutputFormat* format : request_->needs.rows)
    all.rows.emplace_back(*format->rows(), request_->fields);
  all.input = chunk.input;
  std::size_t index = chunk.first;
  auto read = chunk.items.begin();
  const auto next = [&]() -> std::optional<Expected<Item>> {
    if (read != chunk.items.end()) return std::move(*read++);
    return chunk.reader ? chunk.reader->next() : std::nullopt;
  };
  ItemEvaluator evaluator(*this, all, submit);
  // Results rejects copies beyond the limit.
  try {
    while (all.copies <= request_->limits.copies) {
      std::optional<Expected<Item>> item = next();
      if (!item) break;
      evaluator.add(*item, index);
      if (*item) ++index;
    }
  } catch (const std::exception&) {
    ItemEvaluator(*this, all, submit).fail(caught_error(chunk.input, std::nullopt));
  }
  if (chunk.reader) chunk.notes = chunk.reader->notes();
  for (const std::string& text : chunk.notes) all.messages.push_back({text});
  all.ends_input = chunk.ends_input;
  return all;
}

}  // namespace roofline
