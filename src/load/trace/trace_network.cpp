#include "load/trace/trace_network.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "load/layer_check.hpp"
#include "load/trace/backward_kernels.hpp"
#include "load/trace/busy_time.hpp"
#include "load/trace/chains.hpp"
#include "load/trace/folding.hpp"
#include "load/trace/idle_time.hpp"
#include "load/trace/kernel_names.hpp"
#include "load/trace/links.hpp"
#include "load/trace/lookup_pairs.hpp"
#include "load/trace/operator_call.hpp"
#include "load/trace/parameter_lists.hpp"
#include "load/trace/result_sizes.hpp"
#include "load/trace/transfers.hpp"
#include "load/trace/unmodelled.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

/// The callers that rules look at: an operator and what it is called from, up to autograd.
constexpr std::size_t most_callers = 6;

class TraceLayers {
 public:
  TraceLayers(const Recording& recording, const Links& links)
      : recording_(recording), links_(links), arguments_(recording) {
    half_ = more_common_half();
    for (const HostRange& range : recording.operators)
      if (recording.texts.at(range.name) == "torch::autograd::AccumulateGrad")
        if (const TensorArgument* gradient = arguments_.at(range.arguments).tensor(0))
          parameters_.add_parameter(gradient->sizes);
  }

  /// Activities of one device inside the steps, without transfers, in the order of their starts.
  void add(const std::vector<std::uint32_t>& activities) {
    std::vector<std::uint32_t> group_of(recording_.operators.size(), no_index);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> grouped;
    std::uint32_t groups = 0;
    for (const std::uint32_t index : activities) {
      const std::uint32_t op = links_.origins[index].operator_index;
      if (op == no_index) {
        add_alone(index);
        continue;
      }
      if (group_of[op] == no_index) group_of[op] = groups++;
      grouped.emplace_back(group_of[op], index);
    }
    std::stable_sort(grouped.begin(), grouped.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::uint32_t> work;
    for (std::size_t i = 0; i < grouped.size(); ++i) {
      work.push_back(grouped[i].second);
      if (i + 1 < grouped.size() && grouped[i + 1].first == grouped[i].first) continue;
      add_operator(work);
      work.clear();
    }
  }

  /// After all activities of so many steps.
  void finish(std::size_t steps) {
    layers_.join_changing(steps);
    for (const FoldedLayers::RareWork& rare : layers_.take_rare(steps))
      unmodelled_.add(
          rare.name, "",
          "runs in " + std::to_string(rare.runs) + " of " + std::to_string(steps) + " steps",
          rare.time_s, rare.runs);
  }

  FoldedLayers& layers() { return layers_; }
  ChainList& chains() { return chains_; }
  UnmodelledList& unmodelled() { return unmodelled_; }
  std::size_t halved_operators() const { return halved_operators_; }
  double layout_s() const { return layout_s_; }
  std::size_t unknown_strides() const { return unknown_strides_; }
  /// Operators counted by their operands whose kernels multiply matrices.
  const std::set<std::string>& products() const { return products_; }

 private:
  const std::string& name_of_activity(std::uint32_t index) const {
    return recording_.texts.at(recording_.activities[index].name);
  }

  const std::string& name_of_operator(std::uint32_t index) const {
    return recording_.texts.at(recording_.operators[index].name);
  }

  /// fp16 or bf16: what two-byte elements are where only their size is known.
  DataType more_common_half() const {
    std::size_t fp16 = 0;
    std::size_t bf16 = 0;
    for (const ArgumentTexts& texts : recording_.arguments) {
      const std::string& types = recording_.texts.at(texts.types);
      fp16 += types.find("c10::Half") != std::string::npos ? 1U : 0U;
      bf16 += types.find("c10::BFloat16") != std::string::npos ? 1U : 0U;
    }
    has_half_ = fp16 + bf16 > 0;
    return bf16 > fp16 ? DataType::bf16 : DataType::fp16;
  }

  void add_alone(std::uint32_t index) {
    const WorkOrigin& origin = links_.origins[index];
    const bool graph =
        origin.call_index != no_index &&
        recording_.texts.at(recording_.calls[origin.call_index].name).find("GraphLaunch") !=
            std::string::npos;
    const std::string& name = name_of_activity(index);
    const auto elements = parameters_.elements(recording_.activities[index].blocks);
    const auto lists =
        list_kernel(name, elements.value_or(0), element_type(name, half_).value_or(DataType::fp32));
    if (!lists.empty()) return layers_.add(layers_.row_of(lists.front()), duration_s(index));
    unmodelled_.add(short_kernel_name(name), "",
                    graph ? "launched by a CUDA graph, which keeps no operators"
                          : "launched outside of any operator",
                    duration_s(index));
  }

  double duration_s(std::uint32_t index) const {
    return recording_.activities[index].duration_us * s_per_us;
  }

  OperatorCall call_of(std::uint32_t op, const std::vector<std::uint32_t>& work) {
    OperatorCall call;
    call.name = name_of_operator(op);
    call.arguments = &arguments_.at(recording_.operators[op].arguments);
    for (std::uint32_t at = links_.callers[op];
         at != no_index && call.callers.size() < most_callers; at = links_.callers[at])
      call.callers.push_back(
          {name_of_operator(at), &arguments_.at(recording_.operators[at].arguments)});
    std::uint64_t blocks = 0;
    for (const std::uint32_t index : work) {
      const std::string& name = name_of_activity(index);
      blocks += recording_.activities[index].blocks;
      call.is_tf32 = call.is_tf32 || is_tf32_kernel(name);
      call.sums_in_fp16 = call.sums_in_fp16 || sums_in_fp16(name);
      if (!call.list_type) call.list_type = element_type(name, half_);
    }
    if (!call.list_type) call.list_type = has_half_ ? half_ : DataType::fp32;
    if (lacks_list_shapes(*call.arguments)) call.list_elements = parameters_.elements(blocks);
    call.results = results_of(op, call);
    if (const auto lookup = lookups_.find(op); lookup != lookups_.end())
      call.forward = &arguments_.at(lookup->second);
    return call;
  }

  /// Where the trace holds no strides or no shapes of a list.
  std::vector<Sizes> results_of(std::uint32_t op, const OperatorCall& call) {
    if (is_convolution(call.name) && !call.arguments->has_values())
      if (const TensorArgument* input = call.arguments->tensor(0))
        return results_.of(op, "ConvolutionBackward", input->sizes.size());
    if (base_name(call.name) == "cudnn_batch_norm" && !call.arguments->has_values())
      return results_.of(op, "BatchNormBackward", 0);
    if (call.name == "aten::cat" && lacks_list_shapes(*call.arguments))
      return results_.of(op, "CatBackward", 0);
    return {};
  }

  static bool is_convolution(std::string_view name) { return name.ends_with("_convolution"); }

  /// What a call's layers depend on; calls that agree in it have the same layers.
  std::vector<std::uint32_t> key_of(std::uint32_t op, const OperatorCall& call) const {
    std::vector<std::uint32_t> key{
        (call.is_tf32 ? 1U : 0U) + (call.sums_in_fp16 ? 2U : 0U),
        static_cast<std::uint32_t>(*call.list_type),
        static_cast<std::uint32_t>(call.list_elements.value_or(0)),
        static_cast<std::uint32_t>(call.list_elements.value_or(0) >> 32U)};
    std::uint32_t at = op;
    for (std::size_t i = 0; i <= call.callers.size(); ++i, at = links_.callers[at]) {
      key.push_back(recording_.operators[at].name);
      key.push_back(recording_.operators[at].arguments);
    }
    if (const auto lookup = lookups_.find(op); lookup != lookups_.end())
      key.push_back(lookup->second);
    for (const Sizes& sizes : call.results)
      for (const std::uint64_t size : sizes) key.push_back(static_cast<std::uint32_t>(size));
    return key;
  }

  std::vector<std::size_t> rows_of(const OperatorCall& call) {
    std::vector<std::size_t> rows;
    const Rule rule = find_rule(call.name);
    std::vector<LayerSpec> specs = rule != nullptr ? rule(call) : std::vector<LayerSpec>{};
    const auto is_refused = [](const LayerSpec& spec) { return refusal(spec).has_value(); };
    if (specs.empty() || std::any_of(specs.begin(), specs.end(), is_refused)) {
      if (is_convolution(call.name) && !call.arguments->has_values()) ++unknown_strides_;
      specs = operand_traffic(call);
    }
    if (std::any_of(specs.begin(), specs.end(), is_refused)) return rows;
    for (LayerSpec& spec : specs)
      spec.fp16_accumulate = call.sums_in_fp16 && spec.dtypes.input == DataType::fp16 &&
                             info(spec.kind).family == KindFamily::contraction;
    for (LayerSpec& spec : specs) rows.push_back(layers_.row_of(std::move(spec)));
    return rows;
  }

  /// The kernels that one run of an operator launched, in the order of their starts.
  void add_operator(const std::vector<std::uint32_t>& work) {
    const std::uint32_t op = links_.origins[work.front()].operator_index;
    const OperatorCall call = call_of(op, work);
    const auto [entry, inserted] = rows_by_call_.try_emplace(key_of(op, call));
    if (inserted) entry->second = rows_of(call);
    const std::vector<std::size_t>& rows = entry->second;
    if (rows.size() == 1)
      chains_.add(rows.front(), layers_.layer(rows.front()), call);
    else
      chains_.end();
    if (rows.empty()) return add_unmodelled(call, work);
    if (is_contraction(rows.front()) && only_fills(work))
      return add_unmodelled(call, work, "its kernels are not in the recording, only fills");
    double time_s = 0;
    for (const std::uint32_t index : work) {
      time_s += duration_s(index);
      if (is_layout_kernel(name_of_activity(index))) layout_s_ += duration_s(index);
    }
    if (layers_.layer(rows.front()).kind == LayerKind::other && !call.name.starts_with("aten::") &&
        multiplies_matrices(work))
      products_.insert(std::string(call.name));
    if (rows.size() == 1) return layers_.add(rows.front(), time_s);
    const double first_s = data_gradient_s(work, time_s);
    layers_.add(rows[0], first_s);
    layers_.add(rows[1], time_s - first_s);
  }

  bool multiplies_matrices(const std::vector<std::uint32_t>& work) const {
    return std::any_of(work.begin(), work.end(), [&](std::uint32_t index) {
      return is_product_kernel(name_of_activity(index));
    });
  }

  bool is_contraction(std::size_t row) const {
    return info(layers_.layer(row).kind).family == KindFamily::contraction;
  }

  /// A recording may lack kernels, where the profiler's buffers ran full.
  bool only_fills(const std::vector<std::uint32_t>& work) const {
    return std::all_of(work.begin(), work.end(), [&](std::uint32_t index) {
      return name_of_activity(index).starts_with("Memset");
    });
  }

  double data_gradient_s(const std::vector<std::uint32_t>& work, double time_s) {
    std::vector<std::string_view> names;
    names.reserve(work.size());
    for (const std::uint32_t index : work) names.push_back(name_of_activity(index));
    const std::optional<std::size_t> count = data_gradient_kernels(names);
    if (!count) {
      ++halved_operators_;
      return time_s / 2;
    }
    double own_s = 0;
    for (std::size_t i = 0; i < *count; ++i) own_s += duration_s(work[i]);
    return own_s;
  }

  /// Ranges that are no operators have no arguments: there the kernels say more.
  void add_unmodelled(const OperatorCall& call, const std::vector<std::uint32_t>& work,
                      const std::string& reason = "") {
    const OperatorArguments& arguments = *call.arguments;
    if (arguments.count() == 0) {
      for (const std::uint32_t index : work) add_alone(index);
      return;
    }
    double time_s = 0;
    for (const std::uint32_t index : work) time_s += duration_s(index);
    unmodelled_.add(std::string(call.name), arguments.tensors_text(),
                    reason.empty() ? reason_of(call) : reason, time_s, work.size());
  }

  static bool lacks_list_shapes(const OperatorArguments& arguments) {
    for (std::size_t i = 0; i < arguments.count(); ++i)
      if (arguments.is_tensor_list(i) && arguments.tensors(i).empty()) return true;
    return false;
  }

  static std::string reason_of(const OperatorCall& call) {
    if (lacks_list_shapes(*call.arguments))
      return "the trace holds no shapes of its lists of tensors";
    return "its shapes or types fit no rule";
  }

  const Recording& recording_;
  const Links& links_;
  ArgumentCache arguments_;
  ResultSizes results_{recording_, arguments_};
  std::unordered_map<std::uint32_t, std::uint32_t> lookups_ = pair_lookups(recording_, arguments_);
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> rows_by_call_;
  ParameterLists parameters_;
  FoldedLayers layers_;
  ChainList chains_;
  UnmodelledList unmodelled_;
  std::size_t halved_operators_ = 0;
  double layout_s_ = 0;
  std::size_t unknown_strides_ = 0;
  std::set<std::string> products_;
  mutable bool has_half_ = false;
  DataType half_ = DataType::fp16;
};

void check_recording(const Recording& recording, const std::string& source) {
  if (recording.activities.empty())
    throw InputError(source, "",
                     "expected kernels that ran on a GPU, got a trace without any: record it with "
                     "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
}

/// The device that the recording is about: the one that worked longest.
std::uint32_t busiest_device(const Recording& recording) {
  std::map<std::uint32_t, double> time_us;
  for (const GpuActivity& activity : recording.activities)
    time_us[activity.device] += activity.duration_us;
  return std::max_element(time_us.begin(), time_us.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// How many steps launched anything: a profiler may open one more than it sees run.
std::size_t steps_with_work(const Recording& recording, const Links& links) {
  std::set<std::size_t> steps;
  for (const auto& origin : links.origins)
    if (origin.step) steps.insert(*origin.step);
  return std::max<std::size_t>(1, recording.steps.empty() ? 1 : steps.size());
}

/// The batch of a layer that says how many samples ran together: of images, or of sequences.
std::optional<std::uint64_t> samples_of(const LayerSpec& layer) {
  const OperandSpec* operand = nullptr;
  if (has_window(layer.kind) && layer.input)
    operand = &*layer.input;
  else if (layer.kind == LayerKind::attention && !layer.inputs.empty())
    operand = &layer.inputs.front();
  if (operand == nullptr || !operand->whole || operand->sizes.empty()) return std::nullopt;
  return operand->sizes.front();
}

/// The samples that ran together: the batch of most layers that say.
std::optional<std::uint64_t> batch_of(const std::vector<LayerSpec>& layers) {
  std::map<std::uint64_t, std::uint64_t> uses;
  std::uint64_t all = 0;
  for (const LayerSpec& layer : layers)
    if (const auto samples = samples_of(layer)) {
      uses[*samples] += layer.repeat.value_or(1);
      all += layer.repeat.value_or(1);
    }
  for (const auto& [samples, count] : uses)
    if (2 * count > all) return samples;
  return std::nullopt;
}

std::string milliseconds(double time_us) {
  std::string text = std::to_string(time_us * 1e-3);
  text.resize(text.find('.') + 3);
  return text + " ms";
}

/// What the GPU did for the steps of the recording, and for how long it did something else.
struct Work {
  std::vector<std::uint32_t> activities;  ///< in the order of their starts
  double other_device_us = 0;
  double earlier_us = 0;  ///< launched before the recording began, run in it
  double outside_us = 0;  ///< launched outside of the profiler's steps
};

/// When the first work began whose launch is in the recording: what the GPU did before without a
/// launch had been queued earlier. None where the recording links no launches.
std::optional<double> first_launched_us(const Recording& recording, const Links& links) {
  for (std::size_t i = 0; i < recording.activities.size(); ++i)
    if (links.origins[i].call_index != no_index) return recording.activities[i].start_us;
  return std::nullopt;
}

Work work_of_steps(const Recording& recording, const Links& links, std::uint32_t device) {
  const std::optional<double> first_us = first_launched_us(recording, links);
  Work work;
  for (std::uint32_t i = 0; i < recording.activities.size(); ++i) {
    const GpuActivity& activity = recording.activities[i];
    const WorkOrigin& origin = links.origins[i];
    const bool has_origin = origin.call_index != no_index || origin.operator_index != no_index;
    if (activity.device != device)
      work.other_device_us += activity.duration_us;
    else if (!has_origin && first_us && activity.start_us < *first_us)
      work.earlier_us += activity.duration_us;
    else if (!recording.steps.empty() && !origin.step)
      work.outside_us += activity.duration_us;
    else
      work.activities.push_back(i);
  }
  return work;
}

/// The names that rows have as layers; empty of those that are none.
std::vector<std::string> names_of_rows(const std::vector<std::optional<std::size_t>>& places,
                                       const std::vector<LayerSpec>& layers) {
  std::vector<std::string> names;
  for (const auto& place : places) names.push_back(place ? *layers[*place].name : std::string());
  return names;
}

void note_left_out(const Work& work, std::uint32_t device, std::vector<std::string>& notes) {
  const auto note = [&](double time_us, const std::string& what) {
    if (time_us > 0) notes.push_back("left out: " + milliseconds(time_us) + " of kernels " + what);
  };
  note(work.other_device_us, "on other GPUs than the busiest, number " + std::to_string(device));
  note(work.earlier_us, "queued before the recording began, of the step before it");
  note(work.outside_us, "launched outside of the profiler's steps");
}

}  // namespace

std::optional<std::string> why_no_layers(const Recording& recording) {
  if (recording.operators.empty())
    return "expected the operators that launched the kernels, got kernels alone: record the trace "
           "with ProfilerActivity.CPU too, and without CUDA graphs, which keep no operators";
  if (recording.arguments.size() == 1)
    return "expected operators with their shapes, got a trace without: record it with "
           "torch.profiler.profile(..., record_shapes=True)";
  return std::nullopt;
}

/// Kernels may name a device that the recording does not list (a process that sees a few of the
/// machine's GPUs under other numbers): where all that it lists are alike, it is one of those.
RecordedGpu gpu_of(const Recording& recording, std::uint32_t device) {
  for (const RecordedDevice& each : recording.devices)
    if (each.id == device) return each.gpu;
  if (recording.devices.empty()) return {};
  const RecordedGpu& first = recording.devices.front().gpu;
  const bool alike =
      std::all_of(recording.devices.begin(), recording.devices.end(),
                  [&](const RecordedDevice& each) { return each.gpu.name == first.name; });
  return alike ? first : RecordedGpu{};
}

TraceNetwork network_of(Recording recording, const std::string& source) {
  check_recording(recording, source);
  const Links links = link_work(recording);
  const std::uint32_t device = busiest_device(recording);
  TraceNetwork result;
  TraceSummary& summary = result.summary;
  summary.recorder = "PyTorch profiler";
  summary.gpu = gpu_of(recording, device);
  summary.steps = steps_with_work(recording, links);

  const Work work = work_of_steps(recording, links, device);
  SplitWork split = split_transfers(recording, links, work.activities, summary.steps);
  TraceLayers layers(recording, links);
  layers.add(split.computing);
  layers.finish(summary.steps);
  if (layers.layers().empty())
    throw InputError(source, "",
                     "expected operators that are layers, got none among those that used the GPU");

  const auto steps = static_cast<double>(summary.steps);
  const BusyTime time = busy_time(recording, work.activities);
  summary.span_s = time.span_us * s_per_us / steps;
  summary.busy_s = time.busy_us * s_per_us / steps;
  summary.kernel_s = time.kernel_us * s_per_us / steps;
  summary.layers_s = layers.layers().time_s() / steps;
  summary.launches = static_cast<double>(work.activities.size()) / steps;
  summary.transfers = std::move(split.transfers);
  // What the less useful work adds to the time in which any runs, it ran alone.
  const double working_us = busy_time(recording, split.computing_and_exchanges).busy_us;
  const double computing_us = busy_time(recording, split.computing).busy_us;
  summary.copies_alone_s = (time.busy_us - working_us) * s_per_us / steps;
  summary.collectives_alone_s = (working_us - computing_us) * s_per_us / steps;
  summary.layout_s = layers.layout_s() / steps;
  summary.host_s = launching_us(recording, links, work.activities) * s_per_us / steps;
  IdleTime idle = idle_time(recording, links, work.activities, summary.steps);
  summary.idle_by_cause_s = idle.by_cause_s;
  summary.gaps = std::move(idle.gaps);
  summary.unmodelled = std::move(layers.unmodelled()).items(summary.steps);
  note_left_out(work, device, summary.notes);
  if (layers.halved_operators() > 0)
    summary.notes.push_back(std::to_string(layers.halved_operators()) +
                            " convolution_backward whose kernels' names do not tell the gradients "
                            "apart: half of the time each");
  if (layers.unknown_strides() > 0)
    summary.notes.push_back(std::to_string(layers.unknown_strides()) +
                            " convolutions are counted by the bytes of input and weight: the "
                            "trace tells neither their strides nor the sizes of their results");
  std::string products;
  for (const std::string& name : layers.products())
    products += (products.empty() ? "" : ", ") + name;
  if (!products.empty())
    summary.notes.push_back(products +
                            ": counted by the bytes of the operands alone, though the kernels "
                            "multiply matrices that are none of them");

  NetworkSpec& network = result.network;
  network.source = source;
  const auto places = layers.layers().places();
  network.layers = std::move(layers.layers()).layers(summary.steps);
  summary.chains = layers.chains().items(names_of_rows(places, network.layers), summary.steps);
  network.batch = batch_of(network.layers);
  network.batch_is_fixed = true;
  for (LayerSpec& layer : network.layers) {
    layer.place.source = source;
    layer.place.where = "\"" + *layer.name + "\"";
    layer.place.pointers = false;
    layer.measured.gpu = summary.gpu.name;
  }
  return result;
}

}  // namespace roofline
