#include "roofline/analysis.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "kernel/layer_sizes.hpp"
#include "kernel/resolved_model.hpp"
#include "kernel/tunings.hpp"
#include "model/as_run.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "results/host_time.hpp"
#include "results/in_parallel.hpp"
#include "results/planned_rows.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

std::string peaks_of(const Gpu& gpu) {
  std::string list;
  for (const Engine engine : enumerators<Engine>)
    if (gpu.peak_flop_per_s[engine]) add_item(list, name_of(engine));
  return list;
}

Engine require_engine(const Layer& layer, const Context& context, const std::string& source) {
  const auto engine = select_engine(layer, context.gpu.peak_flop_per_s, context.options.engine);
  if (engine) return *engine;
  const EngineChoice choice = choice_for(layer, context.options.engine);
  const char* const unit = choice == EngineChoice::tensor   ? " on tensor cores"
                           : choice == EngineChoice::vector ? " on vector units"
                                                            : "";
  throw InputError(
      source, "",
      concat("layer ", in_quotes(layer.name), " is in ", layer.dtypes.input, ", for which ",
             context.gpu.name, " has no peak", unit, "; it has ", peaks_of(context.gpu)));
}

/// PyTorch's convolutions on GPUs compute in 16 bits and more.
void require_framework(const Layer& layer, const Context& context, const std::string& source) {
  const std::optional<Framework> framework = context.options.framework;
  const bool is_pytorch = framework == Framework::pytorch || framework == Framework::torch_compile;
  if (!is_pytorch || !is_convolution(layer.kind) || info(layer.dtypes.input).bits >= 16) return;
  throw InputError(source, "",
                   concat("layer ", in_quotes(layer.name), " is a convolution in ",
                          layer.dtypes.input, ", which PyTorch does not run on GPUs; engines do: ",
                          "--framework tensorrt on NVIDIA's, MIGraphX on AMD's"));
}

/// The engine with most FLOP of products, else the first row's.
Engine main_engine_of(const std::vector<LayerResult>& rows) {
  EnumArray<Engine, double> flops{};
  for (const LayerResult& row : rows)
    if (multiplies(row.layer.kind)) flops[row.engine] += static_cast<double>(row.counts.flops);
  const auto most = std::ranges::max_element(flops);
  return *most > 0 ? enumerators<Engine>[static_cast<std::size_t>(most - flops.begin())]
                   : rows.front().engine;
}

/// nullopt if rows differ. `skips_casts`: of weights, which have no batch.
template <class Get>
auto common(const std::vector<LayerResult>& rows, Get get, bool skips_casts = false) {
  std::optional<decltype(get(rows.front().layer))> value;
  for (const LayerResult& row : rows) {
    if (skips_casts && row.layer.shared_weights) continue;
    const auto own = get(row.layer);
    if (value.value_or(own) != own) return decltype(value)();
    value = own;
  }
  return value;
}

std::optional<Layout> main_layout(const std::vector<LayerResult>& rows) {
  const auto find = [&](auto is_image_work) -> std::optional<Layout> {
    const auto row = std::ranges::find_if(rows, is_image_work);
    return row == rows.end() ? std::nullopt : std::optional(layout_of(row->layer));
  };
  const auto layout =
      find([](const LayerResult& row) { return row.layer.kind == LayerKind::conv; });
  return layout ? layout : find([](const LayerResult& row) {
    return info(row.layer.kind).family == KindFamily::norm && row.layer.output.spatial_rank > 1;
  });
}

/// Norms run in 16 bits where the other layers have a shorter type.
std::optional<DataType> common_type(const std::vector<LayerResult>& rows) {
  std::optional<DataType> type;
  for (const bool norms : {false, true})
    for (const LayerResult& row : rows) {
      const DataType own = row.layer.dtypes.input;
      if ((info(row.layer.kind).family == KindFamily::norm) != norms) continue;
      if (type.value_or(own) == own)
        type = own;
      else if (!norms || own != DataType::fp16 || info(*type).bits > 8)
        return std::nullopt;
    }
  return type;
}

void count_row(LayerResult& row, const Context& context, const std::string& source) {
  Layer& layer = row.layer;
  const bool takes_them = takes_batch_statistics(layer, context.options.training);
  row.uses_batch_statistics = takes_them && !layer.batch_statistics;
  layer.batch_statistics = takes_them;
  row.counts = count(layer);
  require_framework(layer, context, source);
  row.planned_engine = require_engine(layer, context, source);
  row.engine =
      fastest_engine(layer, context.ceilings.peak_flop_per_s, context.options.engine).value();
}

Layer host_copy(std::string name, const Shape& shape, DataType type) {
  Layer layer;
  layer.name = std::move(name);
  layer.kind = LayerKind::host_copy;
  layer.dtypes = {type, type, type};
  layer.inputs = {{shape}};
  layer.output = shape;
  return layer;
}

constexpr std::string_view graph_input_name = "graph.input";

/// A compiled model copies its input to its graph's place.
Layer graph_input(const Layer& first) {
  Layer copy =
      host_copy(std::string(graph_input_name), first.inputs.front().shape, first.dtypes.input);
  copy.kind = LayerKind::copy;
  copy.is_inserted = true;
  return copy;
}

bool is_graph_input(const Layer& layer) {
  return layer.is_inserted && layer.name == graph_input_name;
}

bool calls_graph(const Network& network, const Context& context) {
  return context.options.framework == Framework::torch_compile && !context.options.training &&
         !is_fixed(network.runs_as) && !network.record &&
         context.launch.protocol == LaunchProtocol::graph;
}

/// The source's layer behind a tensor, seen through inserted layers.
const Layer& source_of(std::size_t producer, const Network& network) {
  const Layer& layer = network.layers[producer];
  if (!layer.is_inserted) return layer;
  const std::optional<std::size_t> before = layer.inputs.front().producer;
  return before ? source_of(*before, network) : layer;
}

std::vector<std::string> producers_of(const Layer& layer, const Network& network) {
  if (std::ranges::none_of(layer.inputs,
                           [](const Operand& operand) { return operand.producer.has_value(); }))
    return {};
  return each_of(layer.inputs, [&](const Operand& operand) {
    return operand.producer ? source_of(*operand.producer, network).name : std::string();
  });
}

/// PyTorch has kernels of its own for depthwise layers in NCHW, whatever the tuning.
bool is_tuned(const Layer& layer) {
  return has_window(layer.kind) && (!is_depthwise(layer) || is_nhwc(layer)) &&
         info(layer.kind).family == KindFamily::contraction &&
         layer.kernels == KernelSource::library && layer.mapping == KernelMapping{};
}

/// An engine's builder keeps its fastest kernel, with fp16 sums too; a built engine states its own.
void set_kernels(Layer& layer, const Network& network, const Context& context) {
  const bool builds = !is_fixed(network.runs_as) && context.options.fusion == FusionKind::epilogue;
  if (builds || network.runs_as == RunsAs::tensorrt_engine)
    layer.kernels = KernelSource::inference_engine;
  else if (context.options.tuning == Tuning::heuristic && !is_fixed(network.runs_as) &&
           is_tuned(layer))
    layer.kernels = KernelSource::heuristic;
  if (builds && layer.dtypes.input == DataType::fp16 &&
      info(layer.kind).family == KindFamily::contraction &&
      context.gpu.peak_flop_per_s[Engine::fp16_tensor_fp16_accumulate])
    layer.fp16_accumulate = true;
}

/// Moves a layer's operands out of the network, unless source_of() and passes_of() need them later.
Layer take_layer(Layer& layer) {
  if (layer.is_inserted || layer.kind == LayerKind::copy) return layer;
  std::vector<Operand> inputs = std::exchange(layer.inputs, {});
  Layer all = layer;
  all.inputs = std::move(inputs);
  return all;
}

/// Takes over the network's layers; rows have no times yet.
std::vector<LayerResult> rows_of(Network& network, const Context& context) {
  const AnalysisOptions& options = context.options;
  std::vector<LayerResult> rows;
  const bool adds_input = calls_graph(network, context);
  rows.reserve(network.layers.size() * (options.training ? 3 : 1) + (adds_input ? 1 : 0) +
               (options.host_copies ? 2 : 0));
  const auto add = [&](Layer&& layer, Pass pass) {
    LayerResult& row = rows.emplace_back();
    row.layer = std::move(layer);
    row.layer.pass = pass;
    set_kernels(row.layer, network, context);
    count_row(row, context, network.source);
    const bool states_layouts = network.runs_as != RunsAs::layers;
    if (options.layout && !row.layer.layout && !states_layouts && takes(row.layer.kind, "layout") &&
        !changes_layout(row.layer))
      row.layer.layout = options.layout;
  };
  const std::vector<std::size_t> readers = reader_counts(network);
  if (const Layer& first = network.layers.front(); options.host_copies)
    for (const Operand& operand : first.inputs)
      if (!operand.producer && !operand.is_parameter)
        add(host_copy("copy in", operand.shape, first.dtypes.input), Pass::fwd);
  if (adds_input) add(graph_input(network.layers.front()), Pass::fwd);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const std::vector<Pass> passes = passes_of(network, i, options.training);
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
      const bool is_last = pass + 1 == passes.size();
      add(is_last ? take_layer(network.layers[i]) : Layer(network.layers[i]), passes[pass]);
      LayerResult& row = rows.back();
      row.first_pass = pass == 0;
      row.input_from = producers_of(row.layer, network);
      row.is_result = readers[i] == 0 && !row.layer.is_inserted;
      if (const auto host = row.layer.fused_into) row.fused_into = network.layers[*host].name;
      if (!network.fused_into.empty()) row.fused_into = network.fused_into;
    }
  }
  const Layer& last = network.layers.back();
  if (options.host_copies) add(host_copy("copy out", last.output, last.dtypes.output), Pass::fwd);
  if (rows.empty())
    throw InputError(network.source, "", "expected a layer that runs in this pass, got none");
  return rows;
}

/// Less is within the model's own error.
constexpr double clearly_faster = 1.1;

struct TunedPlans {
  std::optional<KernelPlan> own;
  std::optional<KernelPlan> other;  ///< under the other tuning, where the heuristic was measured
};

/// The errors of the kernels that the heuristic picks for a layer that tunings tell apart; null for
/// others.
const LayerErrors* picked_errors(const Layer& layer, Engine engine, const ResolvedModel& model) {
  const bool is_told_apart = layer.kernels == KernelSource::heuristic || is_tuned(layer);
  if (!is_told_apart || !has_cudnn(model.machine)) return nullptr;
  return model.errors->find(layer, KernelSource::heuristic, engine);
}

/// How the rows of a network are timed.
struct Timing {
  const Context& context;
  const Network& network;
  bool tells_other_tuning;
  bool from_idle;
};

/// Leaves the row as it is.
TunedPlans plans_on(Engine engine, LayerResult& row, const Timing& timing) {
  const Context& context = timing.context;
  const KernelSource own = row.layer.kernels;
  const auto plan_from = [&](KernelSource kernels) {
    row.layer.kernels = kernels;
    auto plan = plan_kernel(row.layer, row.counts, engine, context.kernel, context.options.cache);
    row.layer.kernels = own;
    return std::move(plan).value();
  };
  const LayerErrors* const errors = picked_errors(row.layer, engine, context.kernel.resolved());
  if (errors == nullptr || !timing.tells_other_tuning) return {plan_from(own), std::nullopt};
  std::optional<KernelPlan> fastest = plan_from(KernelSource::library);
  std::optional<KernelPlan> picked = fastest && heuristic_picks_fastest(row.layer, engine)
                                         ? as_picked(*fastest, *errors)
                                         : plan_from(KernelSource::heuristic);
  if (own == KernelSource::heuristic) std::swap(fastest, picked);
  return {std::move(fastest), std::move(picked)};
}

/// TF32 falls back to faster FP32. Half types stay on tensor cores, as measured one-channel layers
/// do; vector units are advice, not expectation.
void take_faster_engine(TunedPlans& plans, LayerResult& row, const Timing& timing) {
  const Context& context = timing.context;
  if (row.planned_engine != Engine::tf32 || !plans.own) return;
  // The library's heuristic took vector units already.
  if (plans.own->engine != row.planned_engine) return;
  if (choice_for(row.layer, context.options.engine) == EngineChoice::tensor) return;
  const auto engine = other_engine(row.layer, context.gpu.peak_flop_per_s, row.planned_engine);
  if (!engine) return;
  TunedPlans others = plans_on(*engine, row, timing);
  if (!others.own || clearly_faster * others.own->expected_time_s() >= plans.own->expected_time_s())
    return;
  row.planned_engine = *engine;
  plans = std::move(others);
}

void plan_row(LayerResult& row, const Timing& timing) {
  const Network& network = timing.network;
  const KernelModel& model = timing.context.kernel;
  TunedPlans plans;
  try {
    plans = plans_on(row.planned_engine, row, timing);
    take_faster_engine(plans, row, timing);
  } catch (const InputError& error) {
    throw InputError(network.source, error.where,
                     "layer " + in_quotes(row.layer.name) + ": " + error.message);
  }
  if (!plans.own) return;
  Launch launch = launch_of(row.layer, network, timing.context);
  if (host_runs_ahead(network, launch))  // let_host_run_ahead() waits
    launch.host_operator_s = launch.host_kernel_s = 0;
  launch.from_idle = timing.from_idle;
  launch.calls_graph = is_graph_input(row.layer);
  if (plans.other)
    row.other_tuning_s = launched(*std::move(plans.other), model, launch).expected_time_s();
  row.kernel = launched(*std::move(plans.own), model, launch);
  if (launch.is_assumed) row.assumed_host_s = row.kernel->part_s[Limiter::launch];
}

void take_plan(LayerResult& row, const LayerResult& equal) {
  row.planned_engine = equal.planned_engine;
  row.kernel = equal.kernel;
  row.other_tuning_s = equal.other_tuning_s;
  row.assumed_host_s = equal.assumed_host_s;
}

void time_row(LayerResult& row, const Timing& timing, PlannedRows& planned) {
  const Context& context = timing.context;
  const Ceilings& ceilings = context.ceilings;
  const bool over_host_link = row.layer.kind == LayerKind::host_copy;
  if (has_kernel(row.layer)) {
    const LayerResult* const equal = planned.find_equal(row);
    if (equal != nullptr && !is_graph_input(row.layer))
      take_plan(row, *equal);
    else
      plan_row(row, timing);
  }
  row.point =
      evaluate(row.counts, *rate_of(ceilings.peak_flop_per_s, row.engine),
               over_host_link ? *context.host_copy_byte_per_s : ceilings.bandwidth_byte_per_s);
}

/// Calls `work(begin, end)` for ranges of rows.
template <class Work>
void for_rows(const std::vector<LayerResult>& rows, const Context& context, const Work& work) {
  constexpr std::size_t rows_worth_a_thread = 1000;  // starting one takes as long as a few rows
  in_parallel(rows.size(), std::min(context.options.threads, rows.size() / rows_worth_a_thread),
              work);
}

void time_rows(std::vector<LayerResult>& rows, const Context& context, const Network& network,
               bool tells_other_tuning = true) {
  const Timing timing{
      context, network, tells_other_tuning,
      context.options.clock == ClockState::idle && (network.record || runs_one_kernel(rows))};
  for_rows(rows, context, [&](std::size_t begin, std::size_t end) {
    PlannedRows planned(end - begin);
    for (std::size_t i = begin; i < end; ++i) time_row(rows[i], timing, planned);
  });
  let_host_run_ahead(rows, context, network);
}

/// MIOpen's databases, to which errors were measured, are of releases before the first that a
/// solver states.
bool is_newer_than_errors(const KernelPlan& plan, const ResolvedModel& model) {
  return std::ranges::any_of(model.constants->solvers, [&](const Solver& solver) {
    return solver.since.is_stated() && *solver.name == *plan.solver;
  });
}

/// What else a row says of its time than the time itself. A measured time is held against the
/// expected one's uncertainty, whether or not the row tells it.
void judge_rows(std::vector<LayerResult>& rows, const Context& context,
                bool tells_uncertainty = true) {
  for_rows(rows, context, [&](std::size_t begin, std::size_t end) {
    for (LayerResult& row : std::span(rows).subspan(begin, end - begin)) {
      if (row.kernel && (tells_uncertainty || row.layer.measured->is_known()))
        row.expected_uncertainty =
            layer_uncertainty(row, *context.kernel.resolved().errors,
                              is_newer_than_errors(*row.kernel, context.kernel.resolved()));
      set_measured(row, context);
      row.better_time_s = better_time_s(row, context.kernel, context.options.cache);
    }
  });
}

/// Whether the layer looks tokens up in a table of learned rows.
bool looks_up(const Layer& layer) {
  return layer.kind == LayerKind::embedding ||
         (layer.kind == LayerKind::gather && layer.inputs.front().is_parameter);
}

bool attends(const LayerResult& row) {
  return info(row.layer.kind).family == KindFamily::attention ||
         row.layer.kind == LayerKind::softmax;
}

/// Setting::tokens: the rows that the first layer looks up, or else causal attention's queries.
std::optional<std::uint64_t> tokens_of(const std::vector<LayerResult>& rows) {
  const auto first =
      std::ranges::find_if(rows, [](const LayerResult& row) { return !row.layer.is_inserted; });
  if (first == rows.end() || rows.size() == 1) return std::nullopt;
  if (looks_up(first->layer) && std::ranges::any_of(rows, attends))
    return elements(first->layer.output) / first->layer.output.channels;
  const auto causal =
      std::ranges::find_if(rows, [](const LayerResult& row) { return row.layer.causal; });
  if (causal == rows.end()) return std::nullopt;
  const Heads queries = heads_of(causal->layer.inputs.front().shape);
  return queries.batch * queries.length;
}

Setting setting_of(const NetworkTraits& network, const std::vector<LayerResult>& rows,
                   const Context& context) {
  Setting setting;
  setting.source = network.source;
  setting.network = setting.label = network.name;
  setting.runs_as = network.runs_as;
  setting.layers = rows.size();
  setting.gpu = context.gpu.name;
  setting.gpu_changes = context.gpu.changes;
  setting.gpu_memory_byte = context.gpu.memory_byte;
  setting.reserved_memory_byte = reserved_memory_byte(context.gpu);
  setting.host_link_byte_per_s = context.gpu.host_link_byte_per_s;
  setting.tdp_w = context.gpu.tdp_w;
  setting.dtype = network.autocast ? network.autocast : common_type(rows);
  setting.batch = network.batch;
  if (!setting.batch)
    setting.batch = common(
        rows, [](const Layer& layer) { return layer.output.batch; }, network.autocast.has_value());
  if (!network.record) setting.tokens = tokens_of(rows);
  setting.layout = main_layout(rows);
  setting.training = context.options.training;
  setting.framework = context.options.framework;
  if (!setting.training) setting.pass = common(rows, [](const Layer& layer) { return layer.pass; });
  return setting;
}

/// Results follow one another under the same context.
template <class T>
SharedValue<T> shared_with_last(const T& value) {
  thread_local SharedValue<T> last;
  if (!(last == value)) last = SharedValue<T>(value);
  return last;
}

Result summed_up(const NetworkTraits& network, std::vector<LayerResult> rows,
                 const Context& context, const std::shared_ptr<const TraceSummary>& recording = {},
                 const std::optional<Total>& total = {}) {
  Result result;
  result.setting = setting_of(network, rows, context);
  if (recording) result.setting.batch = network.batch;
  result.bounds.main_engine = main_engine_of(rows);
  result.bounds.ceilings = shared_with_last(context.ceilings);
  result.bounds.roofs = shared_with_last(roofs_of(context));
  result.bounds.cache_byte = cache_byte_of(context.gpu);
  result.layers = std::move(rows);
  sum_up(result, total);
  result.measured.recording = recording;
  result.measured.impossible = impossible_times(result, context);
  result.measured.summary = measured_summary(result, context);
  if (result.measured.summary) result.measured.verdict = verdict_of(result, context);
  if (!recording) result.bounds.network = network_bounds(result, context.options.cache);
  set_total_uncertainty(result, context.kernel.resolved().constants->errors);
  if (network.lacks_products) result.total.expected_uncertainty.reset();
  return result;
}

std::uint64_t largest_workspace_byte(const std::vector<LayerResult>& rows) {
  std::uint64_t largest = 0;
  for (const LayerResult& row : rows)
    if (row.kernel) largest = std::max(largest, row.kernel->workspace_byte);
  return largest;
}

/// The result of `make`; an overflow is an error of the source.
template <class Make>
Expected<std::invoke_result_t<const Make&>> counted(const std::string& source, const Make& make) {
  return expected([&] {
    try {
      return make();
    } catch (const OverflowError& error) {
      throw InputError(source, "", error.what());
    }
  });
}

/// Throws InputError for a network without layers, and for a framework beside what ran or was
/// built, which says itself how.
void check_network(const Network& network, const Context& context) {
  if (network.layers.empty()) throw InputError(network.source, "", "expected layers, got none");
  if (is_fixed(network.runs_as) && context.options.framework)
    throw InputError(network.source, "",
                     "expected layers for a framework to run, got what ran or was built, which "
                     "says itself how (runs_as)");
}

/// Rows with their times, and the memory without the workspace, or what is wrong with it.
struct TimedNetwork {
  std::vector<LayerResult> rows;
  Expected<Memory> memory = Memory();
};

/// Takes over the network's layers. Throws InputError and OverflowError.
TimedNetwork timed(Network& network, const Context& context, bool tells_other_tuning) {
  check_network(network, context);
  network = as_run(std::move(network), context.options);
  TimedNetwork all;
  // Before rows take over the layers; of its errors and theirs, theirs come first.
  if (!network.recording)
    all.memory =
        counted(network.source, [&] { return memory_of(network, context.options.optimizer); });
  all.rows = rows_of(network, context);
  network.layers = std::vector<Layer>();
  time_rows(all.rows, context, network, tells_other_tuning);
  return all;
}

Memory with_workspace(Memory memory, const std::vector<LayerResult>& rows) {
  memory.workspace_byte = largest_workspace_byte(rows);
  return memory;
}

}  // namespace

bool runs_kernels_alone(const Result& result) {
  return !result.setting.framework && !is_fixed(result.setting.runs_as) &&
         !result.measured.recording;
}

Expected<std::vector<LayerResult>> evaluate_layers(Network network, const Context& context) {
  return evaluate_layers(std::move(network), context, RowParts());
}

Expected<std::vector<LayerResult>> evaluate_layers(Network&& network, const Context& context,
                                                   const RowParts& parts) {
  return counted(network.source, [&] {
    check_network(network, context);
    // The host of a record that runs in another's kernel is another record.
    if (!network.fused_into.empty())
      for (Layer& layer : network.layers) layer.fused_into = 0;
    std::vector<LayerResult> rows = rows_of(network, context);
    time_rows(rows, context, network, parts.other_tuning);
    judge_rows(rows, context, parts.uncertainty);
    return rows;
  });
}

bool has_kernel(const Layer& layer) {
  const KindFamily family = info(layer.kind).family;
  return !layer.fused_into && family != KindFamily::free && family != KindFamily::transfer;
}

bool runs_one_kernel(std::span<const LayerResult> rows) {
  const auto runs = [](const LayerResult& row) { return has_kernel(row.layer); };
  const auto first = std::ranges::find_if(rows, runs);
  return first != rows.end() && std::none_of(first + 1, rows.end(), runs);
}

std::optional<double> LayerResult::expected_time_s() const {
  if (kernel) return kernel->expected_time_s();
  return has_kernel(layer) ? std::nullopt : std::optional(point.roofline_time_s);
}

Expected<Result> evaluate(Network network, const Context& context) {
  return counted(network.source, [&] {
    TimedNetwork all = timed(network, context, true);
    judge_rows(all.rows, context);
    Result result = summed_up(network, std::move(all.rows), context, network.recording);
    if (!network.recording) result.memory = with_workspace(all.memory.value(), result.layers);
    result.setting.item = network.item;
    return result;
  });
}

Expected<Result> evaluate_total(Network network, const Context& context) {
  return counted(network.source, [&] {
    TimedNetwork all = timed(network, context, false);
    Result result;
    result.setting.source = network.source;
    result.setting.gpu_memory_byte = context.gpu.memory_byte;
    result.setting.reserved_memory_byte = reserved_memory_byte(context.gpu);
    result.setting.training = context.options.training;
    for (const LayerResult& row : all.rows) add_to_total(result.total, row);
    if (!network.recording) result.memory = with_workspace(all.memory.value(), all.rows);
    return result;
  });
}

Expected<Result> join_records(const std::string& source, const std::string& name,
                              std::vector<std::vector<LayerResult>> records, const Context& context,
                              const std::optional<Total>& total) {
  std::vector<LayerResult> rows;
  rows.reserve(sum_over(records, std::ranges::size));
  for (auto& record : records)
    std::ranges::move(std::exchange(record, {}), std::back_inserter(rows));
  if (rows.empty()) return InputError(source, "", "expected layers, got none");
  return counted(source, [&] {
    return summed_up({.name = name, .source = source}, std::move(rows), context, nullptr, total);
  });
}

}  // namespace roofline
