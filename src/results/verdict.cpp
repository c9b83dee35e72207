#include "results/verdict.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "kernel/resolved_model.hpp"
#include "results/alternatives.hpp"

namespace roofline {
namespace {

/// Of a step; what saves less is not worth a line.
constexpr double least_saved_share = 0.03;
constexpr std::uint64_t larger_batch_factor = 8;

void add_layers(Verdict& verdict, const MeasuredSummary& summary) {
  const auto& part_s = summary.part_s;
  auto& step_s = verdict.part_s;
  step_s[StepPart::bound] = summary.roofline_s;
  step_s[StepPart::rates] =
      part_s[Limiter::math] + part_s[Limiter::dram] + part_s[Limiter::l2] - summary.roofline_s;
  step_s[StepPart::instructions] = part_s[Limiter::instructions];
  step_s[StepPart::small_kernels] = part_s[Limiter::launch] + part_s[Limiter::latency] +
                                    part_s[Limiter::last_wave] + part_s[Limiter::tile_padding] +
                                    part_s[Limiter::occupancy];
  step_s[StepPart::unexplained] = summary.unexplained_s;
}

void add_recording(Verdict& verdict, const TraceSummary& recording) {
  auto& step_s = verdict.part_s;
  step_s[StepPart::copies] = recording.copies_alone_s;
  step_s[StepPart::collectives] = recording.collectives_alone_s;
  step_s[StepPart::other_kernels] = recording.busy_s - verdict.layers_s() -
                                    recording.copies_alone_s - recording.collectives_alone_s;
  for (const auto& [part, cause] : idle_parts) step_s[part] = recording.idle_by_cause_s[cause];
}

class Actions {
 public:
  Actions(const Result& result, const Context& context, const Verdict& verdict)
      : result_(result),
        context_(context),
        verdict_(verdict),
        recording_(result.measured.recording.get()),
        in_pytorch_(recording_ != nullptr && recording_->recorder == "PyTorch profiler"),
        alternatives_(result, context) {}

  std::vector<Action> all() {
    if (verdict_.knows_gaps) gaps();
    half_precision();
    tf32();
    larger_batch();
    channels_last();
    fuse();
    std::stable_sort(actions_.begin(), actions_.end(),
                     [](const Action& a, const Action& b) { return a.saved_s > b.saved_s; });
    const auto first = std::find_if(actions_.begin(), actions_.end(), [](const Action& action) {
      return !changes_work(action.kind);
    });
    if (first != actions_.end()) std::rotate(actions_.begin(), first, first + 1);
    return std::move(actions_);
  }

 private:
  void add(ActionKind kind, std::string text, const std::string& in_pytorch, double saved_s,
           bool at_most) {
    if (saved_s < least_saved_share * verdict_.step_s) return;
    if (in_pytorch_ && !in_pytorch.empty()) text += " (" + in_pytorch + ")";
    actions_.push_back({kind, std::move(text), saved_s, at_most});
  }

  void gaps() {
    const auto& step_s = verdict_.part_s;
    add(ActionKind::graph, "launch the step as a CUDA graph",
        "torch.compile(mode=\"reduce-overhead\")", saved_by_graph_s(), true);
    add(ActionKind::load_data_beside, "load data beside the step",
        "DataLoader(num_workers=8, pin_memory=True)", step_s[StepPart::idle_data_loading], true);
    add(ActionKind::fewer_synchronisations, "do not wait for the GPU within a step",
        "no .item(), .cpu() or print of tensors", step_s[StepPart::idle_synchronisation], true);
    add(ActionKind::copy_beside, "copy from pinned memory, beside kernels",
        "pin_memory=True, .to(device, non_blocking=True)", step_s[StepPart::copies], true);
    add(ActionKind::hide_collectives, "run collectives beside kernels",
        "DistributedDataParallel does so in backward; or a larger batch",
        step_s[StepPart::collectives], true);
  }

  /// The host's gaps, but for what a graph leaves between two kernels.
  double saved_by_graph_s() const {
    const double gap_s =
        kernel_model_for(context_, result_.bounds.main_engine).resolved().memory.gap_s;
    const double left_s = gap_s * recording_->launches - verdict_.part_s[StepPart::idle_queued];
    return verdict_.part_s[StepPart::idle_host] - std::max(0.0, left_s);
  }

  /// What rows would save of their measured times if they changed as the model says.
  double saved_s(const std::function<std::optional<double>(const LayerResult&)>& new_time_s) const {
    double saved = 0;
    for (const LayerResult& row : result_.layers) {
      if (!row.measured_time_s || !row.kernel) continue;
      if (const auto time = new_time_s(row))
        saved += *row.measured_time_s * (1 - *time / row.kernel->expected_time_s);
    }
    return saved;
  }

  void half_precision() {
    bool changes_layout = false;
    const double saved = saved_s([&](const LayerResult& row) -> std::optional<double> {
      if (!may_be_half(row, result_)) return std::nullopt;
      changes_layout = changes_layout || changes_layout_in_half(row);
      return alternatives_.in_type_s(row, DataType::fp16);
    });
    const bool has_bf16 = context_.gpu.peak_flop_per_s[Engine::bf16].has_value();
    std::string text = has_bf16 ? "fp16 or bf16" : "fp16";
    std::string how = "torch.autocast";
    if (changes_layout) {
      text += " with channels last";
      how += ", memory_format=torch.channels_last";
    }
    add(ActionKind::half_precision, std::move(text), how, saved, false);
  }

  void tf32() {
    if (!context_.gpu.peak_flop_per_s[Engine::tf32]) return;
    const double saved = saved_s([&](const LayerResult& row) {
      const bool may_change = row.engine == Engine::fp32 &&
                              row.layer.dtypes.input == DataType::fp32 &&
                              info(row.layer.kind).family == KindFamily::contraction;
      return may_change ? alternatives_.in_type_s(row, DataType::tf32) : std::nullopt;
    });
    add(ActionKind::tf32, "TF32 for fp32 products and convolutions",
        "torch.set_float32_matmul_precision(\"high\")", saved, false);
  }

  /// Where all work is of one batch of images: a step of more images takes the host as long, and
  /// the GPU what the model says.
  void larger_batch() {
    const bool is_training = result_.setting.training || result_.setting.pass != Pass::fwd;
    if (!result_.setting.batch || is_training) return;
    const double kernels_s =
        verdict_.step_s - verdict_.idle_s() - saved_s([&](const LayerResult& row) {
          return has_batch_of_samples(row, result_)
                     ? alternatives_.at_batch_s(row, larger_batch_factor)
                     : std::nullopt;
        });
    const double new_step_s =
        std::max(kernels_s, verdict_.step_s / static_cast<double>(larger_batch_factor));
    add(ActionKind::larger_batch,
        "batch " + std::to_string(larger_batch_factor * *result_.setting.batch) + " in place of " +
            std::to_string(*result_.setting.batch) + ", for as much work",
        "", verdict_.step_s - new_step_s, false);
  }

  void channels_last() {
    if (recording_ == nullptr) return;
    add(ActionKind::channels_last, "channels last",
        ".to(memory_format=torch.channels_last) of model and images", recording_->layout_s, true);
  }

  /// Chains of elementwise layers as one kernel that a compiler writes for each.
  void fuse() {
    if (recording_ == nullptr || recording_->chains.empty()) return;
    std::map<std::string_view, const LayerResult*> rows;
    for (const LayerResult& row : result_.layers) rows.emplace(row.layer.name, &row);
    double saved = 0;
    for (const ElementwiseChain& chain : recording_->chains) {
      std::vector<const LayerResult*> members;
      for (const std::string& name : chain.layers)
        if (const auto row = rows.find(name); row != rows.end()) members.push_back(row->second);
      if (members.size() == chain.layers.size()) saved += chain.runs * saved_by_fusing_s(members);
    }
    add(ActionKind::fuse, "fuse elementwise work", "torch.compile", saved, false);
  }

  /// The last layer's kernel reads what the first one reads, and what each reads beside, and writes
  /// what the last one writes.
  double saved_by_fusing_s(const std::vector<const LayerResult*>& chain) const {
    Layer fused = chain.back()->layer;
    fused.kernels = KernelSource::compiler;
    double measured_s = 0;
    for (const LayerResult* row : chain) {
      if (!row->measured_time_s) return 0;
      measured_s += *row->measured_time_s;
      if (row == chain.back()) continue;
      const std::vector<Operand>& inputs = row->layer.inputs;
      fused.inputs.insert(fused.inputs.end(), inputs.begin() + 1, inputs.end());
      fused.joined_inputs += inputs.size() - 1;
    }
    const auto time = alternatives_.time_s(fused, chain.back()->engine);
    return time ? std::max(0.0, measured_s - *time) : 0;
  }

  const Result& result_;
  const Context& context_;
  const Verdict& verdict_;
  const TraceSummary* recording_;
  bool in_pytorch_;
  Alternatives alternatives_;
  std::vector<Action> actions_;
};

}  // namespace

Verdict verdict_of(const Result& result, const Context& context) {
  Verdict verdict;
  add_layers(verdict, *result.measured.summary);
  const TraceSummary* recording = result.measured.recording.get();
  verdict.knows_gaps =
      recording != nullptr && recording->span_s > 0 && !recording->times_hold_launches;
  if (verdict.knows_gaps) add_recording(verdict, *recording);
  for (const double part_s : verdict.part_s) verdict.step_s += part_s;
  verdict.actions = Actions(result, context, verdict).all();
  return verdict;
}

}  // namespace roofline
