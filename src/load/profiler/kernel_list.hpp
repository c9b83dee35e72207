#pragma once

// Launches of kernels, as a profiler's file lists them, folded into one row a kernel.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/kernel_recording.hpp"

namespace roofline {

/// One launch, or launches that the profiler summed up.
struct KernelLaunch {
  RecordedKernel kernel;
  std::string device;             ///< which of several GPUs; empty where nothing says
  std::optional<double> start_s;  ///< of a single launch
};

class KernelList {
 public:
  void add(KernelLaunch launch) { launches_.push_back(std::move(launch)); }
  bool empty() const { return launches_.empty(); }

  /// Adds to the recording the kernels of the GPU that worked the longest, whose name in the list
  /// it returns, and says what of others is left out. Uses the list up.
  std::string fold_into(KernelRecording& recording);

 private:
  std::vector<KernelLaunch> launches_;
};

/// The file's name without folder and endings.
std::string name_of_recording(std::string_view source);

}  // namespace roofline
