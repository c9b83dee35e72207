#include "pytorch/trace_kernels.hpp"

#include <string>
#include <utility>

#include "profilers/kernel_list.hpp"
#include "pytorch/trace_network.hpp"

namespace roofline {

std::optional<KernelRecording> kernels_without_layers(const Recording& recording) {
  const std::optional<std::string> reason = why_no_layers(recording);
  if (!reason || recording.activities.empty()) return std::nullopt;
  KernelList list;
  for (const GpuActivity& activity : recording.activities) {
    KernelLaunch launch;
    launch.kernel.name = recording.texts.at(activity.name);
    launch.kernel.time_s = activity.duration_us * s_per_us;
    launch.device = std::to_string(activity.device);
    // Traces count from an epoch: what is left of a double's digits is for the differences.
    launch.start_s = (activity.start_us - recording.activities.front().start_us) * s_per_us;
    list.add(launch);
  }
  KernelRecording kernels;
  kernels.recorder = "PyTorch profiler";
  kernels.notes.push_back(*reason);
  const std::string device = list.fold_into(kernels);
  for (const GpuActivity& activity : recording.activities)
    if (std::to_string(activity.device) == device) {
      kernels.gpu = gpu_of(recording, activity.device);
      break;
    }
  return kernels;
}

}  // namespace roofline
