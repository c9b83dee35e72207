#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/layer_sizes.hpp"
#include "kernel/resolved_model.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "results/explanation.hpp"
#include "results/steps.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The one that other layers have.
DataType half_type_of(const Result& result) {
  const bool has_bf16 = std::ranges::any_of(result.layers, [](const LayerResult& row) {
    return row.layer.dtypes.input == DataType::bf16;
  });
  return has_bf16 ? DataType::bf16 : DataType::fp16;
}

struct Subject {
  const Result& result;
  const Context& context;
  const LayerResult* layer = nullptr;
  const Network* network = nullptr;
  const Verdict* run = nullptr;
  DataType half_type = half_type_of(result);

  bool is_inference() const { return !result.setting.training && result.setting.pass == Pass::fwd; }
  /// An empty one for layers that were not recorded.
  const TraceSummary& recording() const {
    static const TraceSummary none;
    return result.measured.recording ? *result.measured.recording : none;
  }
  std::map<std::string_view, const LayerResult*> rows_by_name() const {
    std::map<std::string_view, const LayerResult*> rows;
    for (const LayerResult& row : result.layers) rows.emplace(row.layer.name, &row);
    return rows;
  }
  /// One layer whose time is given: another type would be another exercise.
  bool is_own_kernel() const {
    return result.layers.size() == 1 && result.layers.front().measured_time_s &&
           !result.measured.recording;
  }
  bool is_in_pytorch() const { return recording().recorder == Recorder::pytorch_profiler; }
};

struct Variant {
  Layer layer;
  std::optional<Engine> engine;
};

/// Actions on the same thing exclude each other.
enum class Thing : std::uint8_t { layer, type, batch, fusion, launch };

enum Subjects : unsigned { of_layers = 1, of_networks = 2, of_runs = 4 };

/// False if the action does not apply.
using ChangeLayer = bool (*)(Variant&, const LayerResult&, const Subject&);
using SetOptions = void (*)(AnalysisOptions&, const Subject&);
using SavedByRun = double (*)(const Subject&);
using MakeText = std::string (*)(const Subject&);

/// The model computes the saving of changed layers or options; without one there is no advice.
struct Action {
  std::string_view name;
  Thing thing;
  unsigned subjects;
  std::variant<std::string_view, MakeText> text;
  std::variant<ChangeLayer, SetOptions, SavedByRun> change;
  std::string_view in_pytorch = "";  ///< how PyTorch does it
  bool (*is_possible)(const Subject&) = nullptr;
};

/// A layer computed by its predecessor's kernel almost vanishes: the model has no time for it.
constexpr std::string_view vanishing = "fuse_into_layer_before";
constexpr std::string_view warm_up = "warm_up";
constexpr std::string_view patches_as_matrix = "patches_as_matrix";

/// Factor of the batch in the advice on it.
constexpr std::uint64_t batch_factor = 8;
constexpr std::uint64_t most_batch = std::numeric_limits<std::uint64_t>::max() / batch_factor;

/// Whether more images or other samples can run together: not for weight gradients, single values,
/// or tokens of sequences, nor in a recorded training step, whose result depends on its batch.
bool has_batch_of_samples(const LayerResult& row, const Subject& subject) {
  const Layer& layer = row.layer;
  const std::uint64_t batch = layer.output.batch;
  const bool is_one_value = elements(layer.output) == batch;
  const bool is_recorded_training =
      subject.result.measured.recording && subject.result.setting.pass != Pass::fwd;
  return subject.result.setting.batch == batch && layer.inputs.front().shape.batch == batch &&
         batch <= most_batch && layer.pass != Pass::wgrad && !is_one_value && !is_recorded_training;
}

/// Half types replace types above 16 bits, but not in layers which count, convert or update
/// weights.
bool may_be_half(const LayerResult& row, const Subject& subject) {
  const DataType type = row.layer.dtypes.input;
  if (type != DataType::fp32 && type != DataType::tf32) return false;
  using enum KindFamily;
  const KindFamily family = info(row.layer.kind).family;
  return is_any(family, contraction, attention, norm, activation, pool) ||
         (family == combine && has_batch_of_samples(row, subject));
}

bool choose_engine(Variant& variant, const Subject& subject) {
  const Context& context = subject.context;
  variant.engine =
      select_engine(variant.layer, context.gpu.peak_flop_per_s, context.options.engine);
  return variant.engine.has_value();
}

/// Sets all operands to the type, in its libraries' layout.
bool set_type(Variant& variant, DataType type, const Subject& subject) {
  Layer& layer = variant.layer;
  layer.dtypes = {type, type, type};
  layer.fp16_accumulate = false;
  layer.layout.reset();
  return choose_engine(variant, subject);
}

bool set_half(Variant& variant, const LayerResult& row, const Subject& subject) {
  return may_be_half(row, subject) && set_type(variant, subject.half_type, subject);
}

/// The libraries for half types take images with channels last.
std::string half_text(const Subject& subject) {
  const std::string type(name_of(subject.half_type));
  const auto has_channels_first = [](const LayerResult& row) {
    return row.layer.kind == LayerKind::conv && layout_of(row.layer) == Layout::nchw;
  };
  const auto& rows = subject.result.layers;
  return (subject.layer != nullptr ? has_channels_first(*subject.layer)
                                   : std::ranges::any_of(rows, has_channels_first))
             ? type + " with channels last"
             : type;
}

/// In the layout of fp32. No change on a GPU without TF32, or with TF32 in use.
bool set_tf32(Variant& variant, const LayerResult& row, const Subject& subject) {
  if (row.planned_engine != Engine::fp32 || row.layer.dtypes.input != DataType::fp32 ||
      info(row.layer.kind).family != KindFamily::contraction)
    return false;
  const bool can = set_type(variant, DataType::tf32, subject);
  variant.layer.layout = layout_of(row.layer);
  return can;
}

std::string batch_text(const Subject& subject) {
  const std::uint64_t batch = *subject.result.setting.batch;
  return concat("batch ", batch_factor * batch, " in place of ", batch) +
         (subject.network == nullptr ? concat(", counted for ", batch) : "");
}

/// A network grows as a whole, a measured run only in layers with samples.
bool may_grow(const Subject& subject) {
  if (subject.layer != nullptr) return true;
  const auto& batch = subject.result.setting.batch;
  if (!batch || *batch > most_batch || !subject.is_inference()) return false;
  return subject.network == nullptr ||
         std::ranges::all_of(subject.network->layers,
                             [&](const Layer& layer) { return layer.output.batch == *batch; });
}

void multiply_batch(Layer& layer) {
  for (Operand& operand : layer.inputs)
    if (!operand.is_parameter) operand.shape.batch *= batch_factor;
  layer.output.batch *= batch_factor;
}

bool multiply_samples(Variant& variant, const LayerResult& row, const Subject& subject) {
  if (!has_batch_of_samples(row, subject)) return false;
  multiply_batch(variant.layer);
  return true;
}

/// The next multiple of a tensor-core load.
std::uint64_t whole_channels(std::uint64_t channels) { return (channels + 7) / 8 * 8; }

bool fill_channels(Variant& variant, const LayerResult& row, const Subject&) {
  std::uint64_t& in = variant.layer.inputs.front().shape.channels;
  std::uint64_t& out = variant.layer.output.channels;
  in = whole_channels(in);
  out = whole_channels(out);
  return info(row.layer.kind).family == KindFamily::contraction && row.layer.groups == 1 &&
         (in != row.layer.inputs.front().shape.channels || out != row.layer.output.channels);
}

std::string channels_text(const Subject& subject) {
  const std::uint64_t in = subject.layer->layer.inputs.front().shape.channels;
  const std::uint64_t out = subject.layer->layer.output.channels;
  return concat("channels ", in, " -> ", out, " as ", whole_channels(in), " -> ",
                whole_channels(out));
}

bool is_on_amd(const Subject& subject) { return subject.context.gpu.vendor == "AMD"; }

/// Norms of images: with channels first, each block has one channel. Convolutions of 16 bits: on
/// tensor cores, channels first are transformed and back.
bool set_channels_last(Variant& variant, const LayerResult& row, const Subject&) {
  variant.layer.layout = Layout::nhwc;
  const bool gains =
      row.layer.kind == LayerKind::conv || info(row.layer.kind).family == KindFamily::norm;
  return gains && row.layer.output.spatial_rank > 0 && layout_of(row.layer) == Layout::nchw;
}

/// With the way in PyTorch, which depends on the axes, and on AMD GPUs on a variable.
std::string channels_last_text(const Subject& subject) {
  std::string text = "channels last";
  if (!subject.is_in_pytorch()) return text;
  const Shape& image = subject.layer->layer.inputs.front().shape;
  text += image.spatial_rank == 3 ? " (memory_format=torch.channels_last_3d"
          : image.spatial[1] == 1 ? " (as images of height 1, memory_format=torch.channels_last"
                                  : " (memory_format=torch.channels_last";
  if (is_on_amd(subject)) text += ", PYTORCH_MIOPEN_SUGGEST_NHWC=1";
  return text + ')';
}

/// The same result by a dense kernel, which tensor cores run where groups are narrow.
bool join_groups(Variant& variant, const LayerResult& row, const Subject& subject) {
  if (row.layer.kind != LayerKind::conv || row.layer.groups == 1) return false;
  variant.layer.groups = 1;
  return choose_engine(variant, subject);
}

std::string algorithms_text(const Subject& subject) {
  return is_on_amd(subject) ? "let MIOpen time its solvers with MIOPEN_FIND_MODE=NORMAL"
                            : "let the library time its algorithms";
}

/// The model expects the library's fastest kernel, but under Tuning::heuristic.
bool autotune(Variant& variant, const LayerResult& row, const Subject&) {
  if (row.layer.kernels == KernelSource::heuristic) variant.layer.kernels = KernelSource::library;
  return is_convolution(row.layer.kind);
}

/// Patches that neither overlap nor leave gaps are rows of a matrix, of whole loads where an image
/// has three channels.
bool multiply_patches(Variant& variant, const LayerResult& row, const Subject& subject) {
  const Layer& layer = row.layer;
  if (layer.kind != LayerKind::conv || layer.groups != 1 || layer.pass != Pass::fwd) return false;
  const Window& window = *layer.window;
  const double taps = product(window.kernel);
  const Axes none{0, 0, 0};
  if (taps <= 1 || window.kernel != window.stride || window.pad_begin != none ||
      window.pad_end != none || window.dilation != Axes{1, 1, 1})
    return false;
  Shape& patches = variant.layer.inputs.front().shape;
  patches.spatial = layer.output.spatial;
  patches.channels *= static_cast<std::uint64_t>(taps);
  variant.layer.window.change([](Window& own) { own = Window{.rank = own.rank}; });
  variant.layer.layout = Layout::nhwc;
  return choose_engine(variant, subject);
}

bool drop_mapping(Variant& variant, const LayerResult& row, const Subject&) {
  variant.layer.mapping = {};
  return !(row.layer.mapping == KernelMapping{});
}

bool take_vector_units(Variant& variant, const LayerResult& row, const Subject& subject) {
  variant.engine = other_engine(row.layer, subject.context.gpu.peak_flop_per_s, row.planned_engine);
  return variant.engine.has_value();
}

bool is_fused_of_many(Variant&, const LayerResult& row, const Subject&) {
  return info(row.layer.kind).fused == Fused::joined && row.layer.pass == Pass::fwd &&
         elements(row.layer.output) != 1;
}

bool may_change_type(const Subject& subject) { return !subject.is_own_kernel(); }

bool can_join(const Layer& layer) {
  return info(layer.kind).fused == Fused::joined && layer.inputs.front().producer;
}

/// Whether a layer's kernel can do another's work.
bool may_be_fused(const Subject& subject) {
  const FusionKind now = subject.context.options.fusion;
  return (now == FusionKind::none || now == FusionKind::eager) && subject.is_inference() &&
         std::ranges::any_of(subject.network->layers, can_join);
}

/// The model's time of a layer started like the result's layers; nullopt if no kernel runs it.
std::optional<double> time_s(const Layer& layer, Engine engine, const Subject& subject) {
  const Context& context = subject.context;
  const KernelModel& model = context.kernel;
  try {
    const auto plan = plan_kernel(layer, count(layer), engine, model, context.options.cache);
    if (!plan || !*plan) return std::nullopt;  // a mapping which cannot run
    Launch launch = launch_of(subject.result.setting.runs_as, context);
    const Result& result = subject.result;
    launch.from_idle = context.options.clock == ClockState::idle &&
                       (!result.memory || runs_one_kernel(result.layers));
    return launched(**plan, model, launch).expected_time_s();
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

/// The row's time after the action, for the same work; nullopt if the action does not apply.
std::optional<double> time_s(const Action& action, const LayerResult& row, const Subject& subject) {
  Variant variant{row.layer, row.planned_engine};
  if (!std::get<ChangeLayer>(action.change)(variant, row, subject)) return std::nullopt;
  auto time = time_s(variant.layer, *variant.engine, subject);
  if (time && action.name == patches_as_matrix)  // a copy makes the matrix
    *time +=
        2 * static_cast<double>(row.counts.bytes.input) / subject.context.gpu.bandwidth_byte_per_s;
  return time && action.thing == Thing::batch ? std::optional(*time / batch_factor) : time;
}

template <StepPart part>
double part_s(const Subject& subject) {
  return subject.run->part_s[part];
}

/// The host's gaps while kernels were compiled or loaded.
double saved_by_warm_up_s(const Subject& subject) {
  return subject.run->knows_gaps ? first_uses_s(subject.recording()) : 0;
}

/// An exchange far slower than any link waits for a GPU that comes late.
bool waits_for_late_gpu(const Transfer& exchange, double link_byte_per_s) {
  constexpr double slowest_start_s = 100e-6;
  constexpr double slowest_share = 0.1;
  if (!exchange.byte || link_byte_per_s <= 0) return false;
  const double bus_byte = *exchange.byte * bus_factor(exchange.kind, exchange.ranks.value_or(0));
  return exchange.time_s >
         exchange.launches * slowest_start_s +
             std::max(bus_byte, *exchange.byte) / (slowest_share * link_byte_per_s);
}

/// Waits for other ranks as far as nothing runs beside them, or in their place all of an exchange.
double saved_by_late_gpu_s(const Subject& subject) {
  if (!subject.run->knows_gaps) return 0;
  const TraceSummary& recording = subject.recording();
  const double link_byte_per_s = subject.context.gpu.host_link_byte_per_s.value_or(0);
  double time_s = 0;
  for (const Transfer& each : recording.transfers)
    if (!recording.ranks.empty())
      time_s += std::min(each.waiting_s, each.exposed_s());
    else if (is_between_gpus(each.kind) && waits_for_late_gpu(each, link_byte_per_s))
      time_s += each.exposed_s();
  return std::min(time_s, subject.run->part_s[StepPart::collectives]);
}

std::string late_gpu_text(const Subject& subject) {
  return subject.recording().ranks.empty()
             ? "find the GPU or network that the others wait for: collectives run far below a "
               "link's rate"
             : "give all ranks as much work: each waits for others in turn";
}

double saved_by_hiding_s(const Subject& subject) {
  return subject.run->part_s[StepPart::collectives] - saved_by_late_gpu_s(subject);
}

bool launches_graphs(const TraceSummary& recording) {
  return std::ranges::any_of(
             recording.gaps,
             [](const IdleGaps& gaps) { return gaps.during.ends_with(before_graph); }) ||
         std::ranges::find(recording.unmodelled, in_graph, &UnmodelledWork::reason) !=
             recording.unmodelled.end();
}

/// Gaps by other work of the host than launches: longer ones, and all before graphs.
double saved_by_host_work_s(const Subject& subject) {
  constexpr double longest_launch_s = 10e-3;
  double time_s = 0;
  if (!subject.run->knows_gaps) return time_s;
  const bool has_graphs = launches_graphs(subject.recording());
  for (const IdleGaps& gaps : subject.recording().gaps)
    if (gaps.cause == IdleCause::host && !is_warm_up(gaps.during) &&
        (has_graphs || gaps.time_s > longest_launch_s * gaps.count))
      time_s += gaps.time_s;
  return time_s;
}

/// The host's gaps without those left between a graph's kernels; 0 if graphs run already.
double saved_by_graph_s(const Subject& subject) {
  if (!subject.run->knows_gaps || launches_graphs(subject.recording())) return 0;
  const auto& part_s = subject.run->part_s;
  const double gap_s = subject.context.kernel.resolved().memory.gap_s;
  const double left_s = gap_s * subject.recording().launches - part_s[StepPart::idle_queued];
  return part_s[StepPart::idle_host] - saved_by_warm_up_s(subject) - saved_by_host_work_s(subject) -
         std::max(0.0, left_s);
}

bool is_data_parallel(const Subject& subject) { return subject.recording().is_data_parallel; }

double saved_by_layout_s(const Subject& subject) { return subject.recording().layout_s; }

/// One kernel reads the first layer's input and all other operands, and writes the last output.
double saved_by_one_kernel_s(const std::vector<const LayerResult*>& chain, const Subject& subject) {
  Layer fused = chain.back()->layer;
  fused.kernels = KernelSource::compiler;
  double measured_s = 0;
  for (const LayerResult* row : chain) {
    if (!row->measured_time_s) return 0;
    measured_s += *row->measured_time_s;
    if (row == chain.back()) continue;
    const std::vector<Operand>& inputs = row->layer.inputs;
    fused.inputs.insert(fused.inputs.end(), inputs.begin() + 1, inputs.end());
    fused.fused_input_count += inputs.size() - 1;
  }
  const auto time = time_s(fused, chain.back()->planned_engine, subject);
  return time ? std::max(0.0, measured_s - *time) : 0;
}

double saved_by_fusing_s(const Subject& subject) {
  const auto rows = subject.rows_by_name();
  double saved_s = 0;
  for (const ElementwiseChain& chain : subject.recording().chains) {
    std::vector<const LayerResult*> members;
    for (const std::string& name : chain.layers)
      if (const auto row = rows.find(name); row != rows.end()) members.push_back(row->second);
    if (members.size() == chain.layers.size())
      saved_s += chain.runs * saved_by_one_kernel_s(members, subject);
  }
  return saved_s;
}

/// The best change of each slow convolution, apart from layouts, whose time is a step's layout_s.
std::vector<Advice> mending_changes(const Subject& subject) {
  std::vector<Advice> changes;
  for (const SlowConvolution& slow : subject.result.measured.summary->slow_convolutions)
    if (!slow.changes.front().at_most) changes.push_back(slow.changes.front());
  return changes;
}

double saved_by_convolutions_s(const Subject& subject) {
  return sum_over(mending_changes(subject), &Advice::saved_s);
}

std::string convolutions_text(const Subject& subject) {
  const std::vector<Advice> changes = mending_changes(subject);
  const std::string& text = changes.front().text;
  const auto is_text = [&](const Advice& change) { return change.text == text; };
  return (std::ranges::all_of(changes, is_text) ? text : "what each needs") +
         ", for the slow convolutions";
}

/// An engine's first layers that only narrow its input, in order.
std::vector<const LayerResult*> narrowing_copies(const Subject& subject) {
  std::vector<const LayerResult*> copies;
  if (subject.recording().recorder != Recorder::tensorrt) return copies;
  for (const LayerResult& row : subject.result.layers) {
    const DataTypes& types = row.layer.dtypes;
    const bool narrows =
        row.layer.kind == LayerKind::copy && info(types.output).bits < info(types.input).bits;
    if (!narrows) break;
    if (row.measured_time_s) copies.push_back(&row);
  }
  return copies;
}

/// All of their time: an input of the type and the layout that the next layer takes needs no copy.
double saved_by_narrow_input_s(const Subject& subject) {
  double time_s = 0;
  for (const LayerResult* copy : narrowing_copies(subject)) time_s += *copy->measured_time_s;
  return time_s;
}

std::string narrow_input_text(const Subject& subject) {
  const Layer& first = narrowing_copies(subject).front()->layer;
  const std::string type(name_of(first.dtypes.output));
  return "give " + type + " input (trtexec --inputIOFormats=" + type +
         ":chw): " + in_quotes(first.name) + " shrinks or goes";
}

constexpr std::string_view tf32_text = "TF32 for fp32 products and convolutions";

constexpr Action actions[] = {
    {"graph", Thing::launch, of_runs, "launch the step as a CUDA graph", saved_by_graph_s,
     "torch.compile(mode=\"reduce-overhead\")"},
    {warm_up, Thing::launch, of_runs,
     "record after a few warm steps, as first uses compile or load kernels", saved_by_warm_up_s,
     "profiler.schedule(wait=0, warmup=5, active=3)"},
    {"host_work", Thing::launch, of_runs, "do other work of the host beside the step's launches",
     saved_by_host_work_s},
    {"load_data_beside", Thing::launch, of_runs, "load data beside the step",
     part_s<StepPart::idle_data_loading>, "DataLoader(num_workers=8, pin_memory=True)"},
    {"fewer_synchronisations", Thing::launch, of_runs, "do not wait for the GPU within a step",
     part_s<StepPart::idle_synchronisation>, "no .item(), .cpu() or print of tensors"},
    {"copy_beside", Thing::launch, of_runs, "copy from pinned memory, beside kernels",
     part_s<StepPart::copies>, "pin_memory=True, .to(device, non_blocking=True)"},
    {"late_gpu", Thing::launch, of_runs, late_gpu_text, saved_by_late_gpu_s},
    {"hide_collectives", Thing::launch, of_runs, "run collectives beside kernels",
     saved_by_hiding_s, "DistributedDataParallel does so in backward; or a larger batch",
     [](const Subject& subject) { return !is_data_parallel(subject); }},
    {"hide_collectives", Thing::launch, of_runs, "run collectives beside kernels",
     saved_by_hiding_s,
     "bucket_cap_mb of DistributedDataParallel; no_sync() over several batches; a larger batch",
     is_data_parallel},
    {"larger_batch", Thing::batch, of_layers | of_networks | of_runs, batch_text, multiply_samples,
     "", may_grow},
    {"whole_channels", Thing::layer, of_layers, channels_text, fill_channels},
    {"channels_last", Thing::type, of_layers, channels_last_text, set_channels_last},
    {"library_mapping", Thing::layer, of_layers, "the library's own mapping", drop_mapping},
    {"half_precision", Thing::type, of_layers | of_networks | of_runs, half_text, set_half,
     "torch.autocast", may_change_type},
    {"tf32", Thing::type, of_runs, tf32_text, set_tf32,
     "torch.set_float32_matmul_precision(\"high\")", may_change_type},
    {"tf32", Thing::type, of_networks, tf32_text,
     [](AnalysisOptions& options, const Subject&) { options.engine = EngineChoice::tf32; }},
    {"vector_units", Thing::layer, of_layers, "on the vector units, not the tensor cores",
     take_vector_units},
    {vanishing, Thing::fusion, of_layers, "fused into the layer before it", is_fused_of_many},
    {"channels_last", Thing::type, of_runs, "channels last", saved_by_layout_s,
     ".to(memory_format=torch.channels_last) of model and images"},
    {"mend_convolutions", Thing::layer, of_runs, convolutions_text, saved_by_convolutions_s},
    {patches_as_matrix, Thing::layer, of_layers,
     "its patches as a matrix: a reshape and a linear layer", multiply_patches},
    {"time_algorithms", Thing::layer, of_layers, algorithms_text, autotune,
     "torch.backends.cudnn.benchmark = True"},
    {"time_algorithms", Thing::layer, of_networks, algorithms_text,
     [](AnalysisOptions& options, const Subject&) { options.tuning = Tuning::best; },
     "torch.backends.cudnn.benchmark = True"},
    {"one_group", Thing::layer, of_layers, "one group, with zeros between its groups", join_groups},
    {"narrow_input", Thing::type, of_runs, narrow_input_text, saved_by_narrow_input_s},
    {"fuse", Thing::fusion, of_runs, "fuse elementwise work", saved_by_fusing_s, "torch.compile"},
    {"fuse_epilogues", Thing::fusion, of_networks,
     "norms, activations, adds fused, as inference engines do",
     [](AnalysisOptions& options, const Subject& subject) {
       options.fusion = FusionKind::epilogue;
       options.launch = subject.context.launch.protocol;
     },
     "", may_be_fused},
    {"fuse_pointwise", Thing::fusion, of_networks,
     "chains of elementwise layers fused, as compilers do",
     [](AnalysisOptions& options, const Subject&) { options.fusion = FusionKind::pointwise; }, "",
     may_be_fused},
    {"launch_as_graph", Thing::launch, of_networks, "kernels launched as a graph",
     [](AnalysisOptions& options, const Subject&) { options.launch = LaunchProtocol::graph; }}};

std::vector<const Action*> possible_actions(Subjects kind, const Subject& subject) {
  std::vector<const Action*> possible;
  for (const Action& action : actions)
    if ((action.subjects & kind) != 0 &&
        (action.is_possible == nullptr || action.is_possible(subject)))
      possible.push_back(&action);
  return possible;
}

/// For a time changed from `old_s` to `new_s`.
Advice advice_on(const Action& action, const Subject& subject, double old_s,
                 std::optional<double> new_s) {
  Advice advice;
  advice.action = action.name;
  const auto* made = std::get_if<MakeText>(&action.text);
  advice.text = made != nullptr ? (*made)(subject) : std::get<std::string_view>(action.text);
  if (subject.is_in_pytorch() && !action.in_pytorch.empty())
    advice.text += " (" + std::string(action.in_pytorch) + ")";
  advice.time_s = new_s;
  advice.speedup = new_s ? old_s / *new_s : 0;
  return advice;
}

/// Smaller gains are within the model's own error.
bool is_worth_it(double old_s, double new_s) { return old_s >= 1.03 * new_s; }

struct Setup {
  Network network;
  AnalysisOptions options;
  double work = 1;  ///< relative to before
};

std::optional<double> time_s(const Setup& setup, const Context& context) {
  const auto time = network_time_s(setup.network, context.gpu, setup.options);
  return time && *time > 0 ? std::optional(*time / setup.work) : std::nullopt;
}

/// False if it changes nothing.
bool carry_out(const Action& action, const Subject& subject, Setup& setup) {
  if (const auto* set = std::get_if<SetOptions>(&action.change)) {
    (*set)(setup.options, subject);
    return true;
  }
  if (action.thing == Thing::batch) {
    for (Layer& layer : setup.network.layers) multiply_batch(layer);
    if (setup.network.batch) *setup.network.batch *= batch_factor;
    setup.work *= batch_factor;
    return true;
  }
  const auto rows = subject.rows_by_name();
  const ChangeLayer change = std::get<ChangeLayer>(action.change);
  bool changes = false;
  for (Layer& layer : setup.network.layers) {
    const auto row = rows.find(layer.name);
    Variant variant{layer, std::nullopt};
    if (row == rows.end() || !change(variant, *row->second, subject)) continue;
    layer = std::move(variant.layer);
    changes = true;
  }
  return changes;
}

struct NetworkIdea {
  const Action* action;
  Advice advice;
};

/// The best idea for each thing, combined; nullopt with only one thing.
std::optional<Advice> best_together(const std::vector<NetworkIdea>& ideas, const Subject& subject) {
  Setup setup{*subject.network, subject.context.options, 1};
  std::set<Thing> things;
  for (const NetworkIdea& idea : ideas)
    if (things.insert(idea.action->thing).second) carry_out(*idea.action, subject, setup);
  const auto new_s = things.size() > 1 ? time_s(setup, subject.context) : std::nullopt;
  if (!new_s) return std::nullopt;
  Advice advice;
  advice.text = "the best of each sort together";
  advice.time_s = new_s;
  advice.speedup = subject.result.total.time_s / *new_s;
  return advice;
}

/// Savings of measured times, if rows change as in the model.
double saved_by_layers_s(const Action& action, const Subject& subject) {
  double saved_s = 0;
  for (const LayerResult& row : subject.result.layers)
    if (const auto time =
            row.measured_time_s && row.kernel ? time_s(action, row, subject) : std::nullopt)
      saved_s += *row.measured_time_s * (1 - *time / row.kernel->expected_time_s());
  return saved_s;
}

/// A step with a larger batch takes the host as long as before, and the GPU the model's time.
/// First uses are no part of a step.
double saved_by_batch_s(const Subject& subject, double saved_by_layers_s) {
  const Verdict& run = *subject.run;
  const double step_s = run.step_s - saved_by_warm_up_s(subject);
  const double kernels_s = run.step_s - run.idle_s() - saved_by_layers_s;
  return step_s - std::max(kernels_s, step_s / batch_factor);
}

/// Kernels that are faster than the host launches them wait for the host.
double most_saved_by_kernels_s(const Subject& subject) {
  const TraceSummary& recording = subject.recording();
  return subject.run->step_s -
         (recording.unrecorded_host_s > 0 ? recording.unrecorded_host_s : recording.host_s);
}

}  // namespace

std::optional<double> network_time_s(const Network& network, const Gpu& gpu,
                                     const AnalysisOptions& options) {
  const Expected<Context> context = make_context(gpu, options);
  if (!context) return std::nullopt;
  const Expected<Result> result = evaluate(network, *context);
  if (!result || fits(*result) == false) return std::nullopt;
  return result->total.time_s;
}

std::vector<Advice> changes_of(const LayerResult& row, const Result& result,
                               const Context& context) {
  std::vector<Advice> changes;
  const Subject subject{.result = result, .context = context, .layer = &row};
  if (!row.kernel) return changes;
  const double old_s = row.kernel->expected_time_s();
  for (const Action* action : possible_actions(of_layers, subject))
    if (const auto new_s = time_s(*action, row, subject); new_s && *new_s > 0)
      changes.push_back(
          advice_on(*action, subject, old_s, action->name == vanishing ? std::nullopt : new_s));
  return changes;
}

std::vector<Advice> advise(const LayerResult& row, const Result& result, const Context& context) {
  std::vector<Advice> advice = changes_of(row, result, context);
  std::erase_if(advice, [&](const Advice& each) {
    return each.time_s && !is_worth_it(row.kernel->expected_time_s(), *each.time_s);
  });
  return advice;
}

std::vector<Advice> advise_network(const Result& result, const Context& context,
                                   const Network& network) {
  const Subject subject{.result = result, .context = context, .network = &network};
  const double now_s = result.total.time_s;
  std::vector<NetworkIdea> ideas;
  for (const Action* action : possible_actions(of_networks, subject)) {
    Setup setup{network, context.options, 1};
    if (!carry_out(*action, subject, setup)) continue;
    if (const auto new_s = time_s(setup, context); new_s && is_worth_it(now_s, *new_s))
      ideas.push_back({action, advice_on(*action, subject, now_s, *new_s)});
  }
  std::ranges::stable_sort(ideas, std::greater(),
                           [](const NetworkIdea& each) { return each.advice.speedup; });
  std::vector<Advice> advice = each_of(ideas, &NetworkIdea::advice);
  if (auto together = best_together(ideas, subject)) advice.push_back(*std::move(together));
  return advice;
}

std::vector<Advice> advise_run(const Result& result, const Context& context, const Verdict& run) {
  const Subject subject{.result = result, .context = context, .run = &run};
  std::vector<Advice> advice;
  for (const Action* action : possible_actions(of_runs, subject)) {
    const auto* shown = std::get_if<SavedByRun>(&action->change);
    double saved_s = shown != nullptr ? (*shown)(subject) : saved_by_layers_s(*action, subject);
    if (action->thing == Thing::batch)
      saved_s = saved_by_batch_s(subject, saved_s);
    else if (action->thing != Thing::launch)
      saved_s = std::min(saved_s, most_saved_by_kernels_s(subject));
    const double left_s = run.step_s - saved_s;
    if (!is_worth_it(run.step_s, left_s)) continue;
    advice.push_back(advice_on(*action, subject, run.step_s, left_s));
    advice.back().saved_s = saved_s;
    advice.back().at_most =
        shown != nullptr && *shown != saved_by_fusing_s && *shown != saved_by_convolutions_s;
  }
  std::ranges::stable_sort(advice, std::greater(), &Advice::saved_s);
  // A step that mostly initialises tells nothing of others.
  if (saved_by_warm_up_s(subject) > run.step_s / 2)
    std::erase_if(advice, [](const Advice& each) { return each.action != warm_up; });
  // First the best action with unchanged work: a larger batch changes results.
  const auto first = std::ranges::find_if(
      advice, [](const Advice& each) { return each.action != "larger_batch"; });
  if (first != advice.end()) std::rotate(advice.begin(), first, first + 1);
  return advice;
}

}  // namespace roofline
