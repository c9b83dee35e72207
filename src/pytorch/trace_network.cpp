#include "pytorch/trace_network.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "pytorch/busy_time.hpp"
#include "pytorch/idle_time.hpp"
#include "pytorch/links.hpp"
#include "pytorch/trace_layers.hpp"
#include "pytorch/transfers.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

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
struct StepsWork {
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

StepsWork work_of_steps(const Recording& recording, const Links& links, std::uint32_t device) {
  const std::optional<double> first_us = first_launched_us(recording, links);
  StepsWork work;
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
  names.reserve(places.size());
  for (const auto& place : places) names.push_back(place ? *layers[*place].name : std::string());
  return names;
}

void note_left_out(const StepsWork& work, std::uint32_t device, std::vector<std::string>& notes) {
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

  const StepsWork work = work_of_steps(recording, links, device);
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
    layer.measured.change([&](Measured& measured) { measured.gpu = summary.gpu.name; });
  }
  return result;
}

}  // namespace roofline
