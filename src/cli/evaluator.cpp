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
#include "model/text.hpp"
#include "report/sections.hpp"
#include "results/in_parallel.hpp"
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

  void add(Item& item, std::size_t index) {
    SharedValue<LayerId> id;
    for (std::size_t setting = 0; setting < request_.settings.size(); ++setting) try {
        const std::optional<BatchGoal> goal = request_.settings[setting].batch_goal;
        LayerDefaults own = request_.settings[setting].defaults;
        std::shared_ptr<const NetworkSpec> spec = item.spec(own).value();
        // Recorded kernels have one setting.
        if (spec->kernels) return add_kernels(spec->kernels);
        if (spec->record && !spec->layers.empty()) id = spec->layers.front().id;
        if (goal && spec->batch_is_fixed)
          throw fixed_batch_error(*spec, std::string(name_of(*goal)));
        if (goal) own.batch_override = 1;
        Expected<Network> inferred = infer(*spec, own);
        Network& network = inferred.value();
        spec = nullptr;
        if (!goal && !needs_.steps && setting + 1 == request_.settings.size()) item.read = nullptr;
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

 private:
  /// A network at the batches that are tried on one GPU after the other.
  class NetworkAtBatches {
   public:
    NetworkAtBatches(const Item& item, const LayerDefaults& defaults)
        : item_(item), defaults_(defaults) {}

    Expected<Network> at(std::uint64_t images) {
      const auto known = known_.find(images);
      if (known != known_.end()) return known->second;
      LayerDefaults own = defaults_;
      own.batch_override = images;
      const auto spec = item_.spec(own);
      Expected<Network> network = spec ? infer(**spec, own) : Expected<Network>(spec.error());
      // Each GPU tries powers of two and few others, of its own. Large networks would need memory.
      const bool is_small = network && network->layers.size() <= 1000;
      if (is_small && std::has_single_bit(images)) known_.emplace(images, network);
      return network;
    }

   private:
    const Item& item_;
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
  void add_in_setting(Network&& network, const Item& item, std::size_t setting) {
    const std::optional<BatchGoal> goal = request_.settings[setting].batch_goal;
    if (network.layers.empty()) return keep_network(network);
    const OnGpus& gpus = contexts_.of(network, request_.settings[setting].framework);
    if (!goal) join_and_keep(network, gpus);
    if (goal) check_goal(network, gpus.contexts.size(), *goal);
    say_once(gpus.notes);
    if (!gpus.contexts.empty() && leaves_out_training(network, setting)) return;
    const std::size_t count = gpus.contexts.size();
    const std::size_t index = network.item;
    SkippedGpus skipped{network.source};
    const bool is_record = network.record.has_value();
    bool can_run = false;
    NetworkAtBatches at_batches(item, request_.settings[setting].defaults);
    for (std::size_t gpu = 0; gpu < count; ++gpu) {
      if (!contexts_.takes(network.source, gpu)) continue;
      const Context& context = gpus.contexts[gpu];
      try {
        std::optional<std::uint64_t> batch;
        if (goal) {
          const auto network_at = [&](std::uint64_t images) { return at_batches.at(images); };
          batch = find_batch(*goal, network_at, context, request_.report.max_time_s).value();
          network = network_at(*batch).value();
          network.item = index;
          join_and_keep(network, gpus);
        }
        std::optional<Network> copy;
        Network& own = gpu + 1 == count ? network : copy.emplace(network);
        if (own.record) {
          const std::size_t place = setting * std::max(count, contexts_.count()) + gpu;
          const std::size_t stream = stream_of(own, place);
          add_record(std::move(own), setting, stream, context);
        } else {
          add_network(std::move(own), item, setting, context, batch);
        }
        can_run = all_.evaluated = true;
      } catch (const InputError& error) {
        // A selected GPU may lack what the input needs; it is an error if all do.
        if (contexts_.is_selected(context))
          skipped.add(context.gpu.name, error);
        else
          fail(error);
      }
    }
    if (skipped.first && can_run)
      all_.messages.push_back({skipped.text(is_record), Message::Kind::once});
    if (skipped.first && !can_run) fail(*skipped.first);
  }

  /// Says that layers are left out of inference. Returns whether nothing is left of a record.
  bool leaves_out_training(const Network& network, std::size_t setting) {
    const auto is_left_out = [](const Layer& layer) { return layer.training_only; };
    if (request_.stated(request_.settings[setting].framework).training ||
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

  unsigned obeyed(const AskedInput& input, std::size_t setting, const Result& result) const {
    unsigned bits = 0;
    for (const LayerResult& row : result.layers)
      bits |= evaluator_.options_.obeyed(input, request_.settings[setting], row);
    return bits;
  }

  /// The input is evaluated without it. A selected GPU is left out of a choice for want of an
  /// engine that is asked for.
  void name_useless(const AskedInput& input, std::size_t setting, const Context& context,
                    const Result& result) {
    const LayerOptions& options = evaluator_.options_;
    const unsigned bits = obeyed(input, setting, result);
    const std::string problem = options.problem(bits);
    if (problem.empty()) return;
    if (contexts_.is_selected(context) && options.may_be_of_gpu(bits))
      throw InputError(result.setting.source, "", problem);
    all_.messages.push_back({result.setting.source + ": " + problem, Message::Kind::once});
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
  std::vector<StackStep> steps_of(const Item& item, std::size_t setting, const Result& alone) {
    std::vector<StackStep> steps;
    if (!tells_steps(alone)) return steps;
    for (const Framework framework :
         {Framework::pytorch, Framework::torch_compile, Framework::tensorrt}) {
      LayerDefaults defaults = request_.settings[setting].defaults;
      set_framework(defaults, framework, request_.stated().layout);
      if (alone.setting.batch) defaults.batch_override = alone.setting.batch;
      try {
        const Network network = infer(*item.spec(defaults).value(), defaults).value();
        const auto run = [&](std::optional<LaunchProtocol> launch) {
          return roofline::evaluate(network, contexts_.under(framework, launch).contexts.front())
              .value();
        };
        const Result step = run(std::nullopt);
        const bool waits = framework == Framework::pytorch;
        const double kernels_s =
            waits ? run(LaunchProtocol::kernel).total.time_s : step.total.time_s;
        steps.push_back({framework, step.total.time_s, kernels_s, step.setting.layout});
      } catch (const std::runtime_error&) {
        // The stack does not run this network on this GPU.
      }
    }
    return steps;
  }

  void add_network(Network&& network, const Item& item, std::size_t setting, const Context& context,
                   std::optional<std::uint64_t> batch) {
    if (request_.first_line)
      throw InputError(network.source, "", "--first-line: expected records, got a network");
    ItemResult one{{{}, &context, nullptr}, std::nullopt};
    if (needs_.explained_networks) one.network = std::make_shared<const Network>(network);
    const AskedInput input = asked_input(network);
    one.result = roofline::evaluate(std::move(network), context).value();
    name_useless(input, setting, context, one.result);
    refuse_impossible(one.result);
    // Beside other settings it is one of several answers, and data say it in a field.
    const bool is_alone = needs_.text && request_.settings.size() == 1 && contexts_.count() <= 1;
    if (is_alone && !fits(one.result).value_or(true)) all_.failed = true;
    one.result.setting.batch_goal = request_.settings[setting].batch_goal;
    if (batch) one.result.setting.batch = batch;  // also if matrix products have another batch
    one.result.steps = steps_of(item, setting, one.result);
    if (!needs_.report) return render(one.result);
    add_rows(one.result);
    keep(std::move(one));
  }

  /// Layers that ran in different ways have different contexts, and sums of their own.
  static std::size_t stream_of(const NetworkTraits& record, std::size_t place) {
    const std::size_t framework = record.framework ? index_of(*record.framework) + 1 : 0;
    const std::size_t ways = count_of<RunsAs> * (count_of<Framework> + 1);
    return place * ways + framework * count_of<RunsAs> + index_of(record.runs_as);
  }

  void add_record(Network&& record, std::size_t setting, std::size_t stream,
                  const Context& context) {
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
      all_.obeyed = all_.obeyed.value_or(0) |
                    evaluator_.options_.obeyed(input, request_.settings[setting], row);
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
  const std::size_t first_ = all_.results.size();  ///< index of the item's first result
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
  // Results rejects copies beyond the limit.
  try {
    while (all.copies <= request_->limits.copies) {
      std::optional<Expected<Item>> item = next();
      if (!item) break;
      add(*item, index, all, submit);
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

void Evaluator::add(Expected<Item>& item, std::size_t index, Evaluation& all,
                    const Submit& submit) const {
  ++all.items;
  ItemEvaluator evaluator(*this, all, submit);
  if (!item) return evaluator.fail(item.error());
  try {
    evaluator.add(*item, index);
  } catch (const std::exception&) {
    evaluator.fail(caught_error(all.input, item->line));
  }
}

}  // namespace roofline
