#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

/// What is missing for layers, and how to record it; nullopt if nothing is.
std::optional<std::string> why_no_layers(const Recording& recording) {
  if (recording.operators.empty() && recording.activities.empty())
    return "expected operators or kernels, got a trace without any: record it with "
           "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]";
  if (recording.operators.empty())
    return "expected the operators that launched the kernels, got kernels alone: record the trace "
           "with ProfilerActivity.CPU too, and without CUDA graphs, which keep no operators";
  if (recording.arguments.size() == 1)
    return "expected operators with their shapes, got a trace without: record it with "
           "torch.profiler.profile(..., record_shapes=True)";
  return std::nullopt;
}

/// A process that sees some of the GPUs may number them otherwise: an unlisted device is a listed
/// one if all are alike.
RecordedGpu gpu_of(const Recording& recording, std::uint32_t device) {
  const auto& gpus = recording.gpus;
  if (const auto found = gpus.find(device); found != gpus.end()) return found->second;
  const bool alike = !gpus.empty() && std::ranges::all_of(gpus, [&](const auto& each) {
    return each.second.name == gpus.begin()->second.name;
  });
  return alike ? gpus.begin()->second : RecordedGpu{};
}

KernelRecording kernels_of(const Recording& recording, std::vector<std::string> notes) {
  KernelList list;
  for (const GpuActivity& activity : recording.activities) {
    KernelLaunch launch;
    launch.kernel.name = recording.name(activity);
    launch.kernel.time_s = activity.duration_us * s_per_us;
    launch.device = std::to_string(activity.device);
    // Relative times: in absolute ones a double keeps few digits for differences.
    launch.start_s = (activity.start_us - recording.activities.front().start_us) * s_per_us;
    list.add(launch);
  }
  KernelRecording kernels;
  kernels.recorder = Recorder::pytorch_profiler;
  kernels.notes = std::move(notes);
  const std::string device = list.fold_into(kernels);
  if (!device.empty())
    kernels.gpu = gpu_of(recording, static_cast<std::uint32_t>(std::stoul(device)));
  return kernels;
}

/// Steps with launches: a profiler may open one more.
std::size_t steps_with_work(const Recording& recording, const WorkOrigins& origins) {
  std::set<std::size_t> steps;
  for (const auto& origin : origins.of_activities)
    if (origin.step) steps.insert(*origin.step);
  return std::max<std::size_t>(1, recording.steps.empty() ? 1 : steps.size());
}

/// The batch of most layers with images or sequences.
std::optional<std::uint64_t> batch_of(const std::vector<LayerSpec>& layers) {
  std::map<std::uint64_t, std::uint64_t> uses;
  std::uint64_t all = 0;
  for (const LayerSpec& layer : layers) {
    const bool is_attention = layer.kind == LayerKind::attention && !layer.inputs.empty();
    const OperandSpec* operand = is_attention                            ? &layer.inputs.front()
                                 : has_window(layer.kind) && layer.input ? &*layer.input
                                                                         : nullptr;
    if (operand == nullptr || !operand->whole || operand->sizes.empty()) continue;
    uses[operand->sizes.front()] += layer.repeat.value_or(1);
    all += layer.repeat.value_or(1);
  }
  for (const auto& [samples, count] : uses)
    if (2 * count > all) return samples;
  return std::nullopt;
}

/// "13.74 ms", "2.10 us"
std::string time_text(double time_us) {
  const bool is_short = time_us < 1e3;
  std::string text = std::to_string(is_short ? time_us : time_us * 1e-3);
  text.resize(text.find('.') + 3);
  return text + (is_short ? " us" : " ms");
}

struct StepsWork {
  std::vector<std::uint32_t> activities;  ///< by start
  double other_device_us = 0;
  double earlier_us = 0;  ///< launched before the recording
  double outside_us = 0;  ///< launched outside of the profiler's steps
};

/// Work without a launch before it was queued earlier. nullopt if the recording links no launches.
std::optional<double> first_launched_us(const Recording& recording, const WorkOrigins& origins) {
  for (std::size_t i = 0; i < recording.activities.size(); ++i)
    if (origins.of_activities[i].call_index != no_index) return recording.activities[i].start_us;
  return std::nullopt;
}

StepsWork work_of_steps(const Recording& recording, const WorkOrigins& origins,
                        std::uint32_t device) {
  const std::optional<double> first_us = first_launched_us(recording, origins);
  StepsWork work;
  for (std::uint32_t i = 0; i < recording.activities.size(); ++i) {
    const GpuActivity& activity = recording.activities[i];
    const WorkOrigin& origin = origins.of_activities[i];
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

void note_left_out(const StepsWork& work, std::uint32_t device, std::vector<std::string>& notes) {
  constexpr double least_said_us = 5e-3;  // what 0.01 us rounds
  const auto note = [&](double time_us, const std::string& what) {
    if (time_us >= least_said_us)
      notes.push_back("left out: " + time_text(time_us) + " of kernels " + what);
  };
  note(work.other_device_us, "on other GPUs than the busiest, number " + std::to_string(device));
  note(work.earlier_us, "queued before the recording began, of the step before it");
  note(work.outside_us, "launched outside of the profiler's steps");
}

void set_times(const Recording& recording, const WorkOrigins& origins,
               const std::vector<std::uint32_t>& activities, const SplitWork& split,
               TraceSummary& summary) {
  constexpr double least_launches = 10;  // of shorter steps none was timed without a recorder
  constexpr double least_share = 0.03;   // of the step: less is within what a step varies
  const auto steps = static_cast<double>(summary.steps);
  const auto a_step_s = [&](double time_us) { return time_us * s_per_us / steps; };
  const Coverage busy = busy_time(recording, activities);
  summary.span_s = a_step_s(busy.span());
  summary.busy_s = a_step_s(busy.covered());
  double kernel_us = 0;
  for (const std::uint32_t index : activities) kernel_us += recording.activities[index].duration_us;
  summary.kernel_s = a_step_s(kernel_us);
  summary.launches = static_cast<double>(activities.size()) / steps;
  // Time that only copies, or only copies and exchanges, cover.
  const double working_us = busy_time(recording, split.computing_and_exchanges).covered();
  const double computing_us = busy_time(recording, split.computing).covered();
  summary.copies_alone_s = a_step_s(busy.covered() - working_us);
  summary.collectives_alone_s = a_step_s(working_us - computing_us);
  summary.host_s = a_step_s(launching_us(recording, origins, activities));
  const UnrecordedTimes unrecorded = unrecorded_times(recording, origins, activities);
  if (summary.launches >= least_launches) {
    if (a_step_s(unrecorded.span_us) < (1 - least_share) * summary.span_s)
      summary.unrecorded_s = a_step_s(unrecorded.span_us);
    summary.unrecorded_host_s = std::min(summary.host_s, a_step_s(unrecorded.host_us));
  }
  summary.is_data_parallel =
      std::ranges::any_of(recording.long_ranges, [&](const HostRange& range) {
        return recording.name(range) == "DistributedDataParallel.forward";
      });
  IdleTime idle = idle_time(recording, origins, activities, summary.steps);
  summary.idle_by_cause_s = idle.by_cause_s;
  summary.gaps = std::move(idle.gaps);
}

void set_layers(TraceLayers read, TraceSummary& summary, NetworkSpec& network) {
  std::vector<std::string> names;
  network.layers = std::move(read.layers).layers(summary.steps, names, summary.transforms);
  summary.chains = read.chains.items(names, summary.steps);
  network.lacks_products = read.lacks_products;
  network.batch = batch_of(network.layers);
  network.batch_is_fixed = true;
  network.repeats_are_runs = true;
  for (LayerSpec& layer : network.layers) {
    layer.place = {network.source, in_quotes(*layer.name), false, {}};
    layer.measured.change([&](Measured& measured) { measured.gpu = summary.gpu.name; });
  }
}

/// Keeps the step with the most operators, with a note.
void keep_one_step(Recording& recording, std::vector<std::string>& notes) {
  std::ranges::sort(recording.steps, {}, &StepRange::start_us);
  std::vector<std::size_t> counts(recording.steps.size());
  const auto step_of = [&](const HostRange& op) { return step_at(recording.steps, op.start_us); };
  for (const HostRange& op : recording.operators)
    if (const auto step = step_of(op)) ++counts[*step];
  const auto most = std::ranges::max_element(counts);
  const std::size_t all = recording.operators.size();
  if (most == counts.end() || *most == 0 || *most == all) return;
  notes.push_back("one of " + std::to_string(counts.size()) + " steps, with " +
                  std::to_string(*most) + " of " + std::to_string(all) + " operators");
  const auto kept = static_cast<std::size_t>(most - counts.begin());
  std::erase_if(recording.operators, [&](const HostRange& op) { return step_of(op) != kept; });
}

Item program_of(Recording recorded, const std::string& source, const std::string& name,
                std::vector<std::string> notes) {
  notes.emplace_back("recorded without a GPU: what its operators would run on one");
  keep_one_step(recorded, notes);
  const auto recording = std::make_shared<Recording>(std::move(recorded));
  const WorkOrigins origins = find_origins(*recording);
  return {[=](const LayerDefaults& defaults) {
    std::vector<Arguments> arguments = recording->arguments;
    for (Arguments& list : arguments)
      for (Argument& argument : list)
        for (TensorArgument& tensor : argument.tensors)
          if (defaults.dtype_given && is_cast(tensor)) tensor.type = defaults.dtype;
    TraceLayers read = layers_of_operators(*recording, origins, arguments);
    auto network = std::make_shared<NetworkSpec>();
    network->name = name;
    network->source = source;
    network->runs_as = RunsAs::pytorch_program;
    network->assumptions = notes;
    network->assumptions.insert(network->assumptions.end(), read.notes.begin(), read.notes.end());
    TraceSummary unmeasured;
    set_layers(std::move(read), unmeasured, *network);
    if (network->layers.empty())
      throw InputError(source, "", "expected operators that are layers, got none");
    // Training adds backward passes that were not recorded.
    if (std::ranges::all_of(network->layers, [](auto& layer) { return layer.pass == Pass::fwd; }))
      for (LayerSpec& layer : network->layers) layer.pass.reset();
    return std::shared_ptr<const NetworkSpec>(std::move(network));
  }};
}

/// nullopt if no layer's operator used the GPU.
std::optional<NetworkSpec> network_of(Recording& recording, const std::string& source,
                                      const std::vector<std::string>& notes,
                                      std::vector<RecordedRank> ranks) {
  TraceSummary summary;
  summary.notes = notes;
  summary.ranks = std::move(ranks);
  const WorkOrigins origins = find_origins(recording);
  const std::uint32_t device = busiest_gpu(recording).second;
  summary.recorder = Recorder::pytorch_profiler;
  summary.gpu = gpu_of(recording, device);
  summary.steps = steps_with_work(recording, origins);
  const StepsWork work = work_of_steps(recording, origins, device);
  SplitWork split = split_transfers(recording, origins, work.activities, summary.steps);
  TraceLayers read = layers_of(recording, origins, split.computing, summary.steps);
  if (read.layers.empty()) return std::nullopt;

  set_times(recording, origins, work.activities, split, summary);
  const auto steps = static_cast<double>(summary.steps);
  summary.layers_s = (read.layers.time_s() + read.side_by_side_s) / steps;
  summary.layout_s = read.layout_s / steps;
  summary.transfers = std::move(split.transfers);
  summary.unmodelled = read.unmodelled.items(summary.steps);
  note_left_out(work, device, summary.notes);
  summary.notes.insert(summary.notes.end(), read.notes.begin(), read.notes.end());
  NetworkSpec network;
  network.source = source;
  set_layers(std::move(read), summary, network);
  network.summary = std::make_shared<const TraceSummary>(std::move(summary));
  network.runs_as = RunsAs::recording;
  return network;
}

}  // namespace

Items read_trace(ByteStream& stream, const InputSet& inputs) {
  const std::optional<RankNumber> number = rank_number(stream.peek(head_byte));
  Recording recording = scan_trace(stream);
  std::vector<std::string> notes;
  if (recording.half_events > 0)
    notes.push_back(std::to_string(recording.half_events) +
                    " events that only begin (\"B\") or only end (\"E\") are left out");
  std::vector<RecordedRank> ranks = keep_one_rank(recording, notes);
  mark_repeated_steps(recording, notes);
  state_strides(recording);
  if (number && ranks.empty()) {
    ranks = ranks_among(inputs, stream, *number, recording);
    const std::string own = "rank " + std::to_string(number->rank);
    if (!ranks.empty() && ranks.front().name != own) return {};  // the file of that rank is read
    if (!ranks.empty())
      notes.push_back(own + ", for which the others wait; files of other ranks, left out: " +
                      std::to_string(ranks.size() - 1));
  }
  const std::string name = name_without(stream.name(), {".gz", ".json", ".trace", ".pt"});
  const std::optional<std::string> why = why_no_layers(recording);
  if (recording.activities.empty()) {
    if (why) throw InputError(stream.name(), "", *why);
    return {program_of(std::move(recording), stream.name(), name, std::move(notes))};
  }
  if (auto network =
          why ? std::nullopt : network_of(recording, stream.name(), notes, std::move(ranks))) {
    network->name = name;
    return items_of(NetworkSpecs{std::make_shared<const NetworkSpec>(*std::move(network))});
  }
  notes.push_back(
      why.value_or("expected operators that are layers, got none among those that used the GPU"));
  KernelRecording kernels = kernels_of(recording, std::move(notes));
  kernels.name = name;
  return items_of(specs_of(std::move(kernels), stream));
}

/// No layer file has these keys. A bare list is recognised by its first event.
bool looks_like_trace(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != head.npos; };
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  const bool is_list = begin != head.npos && head[begin] == '[';
  return has("\"traceEvents\"") || has("\"deviceProperties\"") ||
         (is_list && has("\"ph\"") && has("\"ts\""));
}

}  // namespace roofline
