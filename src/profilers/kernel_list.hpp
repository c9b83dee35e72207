#pragma once

// Launches of kernels, as a profiler's file lists them, folded into one row a kernel.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/kernel_recording.hpp"

namespace roofline {

/// One launch, or launches that the profiler summed up.
struct KernelLaunch {
  RecordedKernel kernel;
  std::string device;             ///< which of several GPUs; empty where nothing says
  std::optional<double> start_s;  ///< of a single launch
};

/// Takes memory for each kernel, and of each launch for its place in time alone.
class KernelList {
 public:
  void add(const KernelLaunch& launch);

  /// Adds to the recording the kernels of the GPU that worked the longest, whose name in the list
  /// it returns, and says what of others is left out. Uses the list up.
  std::string fold_into(KernelRecording& recording);

 private:
  struct Interval {
    double from_s;
    double to_s;
  };
  struct Device {
    std::vector<RecordedKernel> kernels;
    std::map<std::string, std::size_t> row_of;  ///< of kernels, by their name and grid
    std::vector<Interval> intervals;
    bool lacks_starts = false;
    double time_s = 0;
    std::uint64_t launches = 0;
  };
  static void set_busy_time(Device& device, KernelRecording& recording);

  std::map<std::string, Device> devices_;
};

/// The file's name without folder and endings.
std::string name_of_recording(std::string_view source);

}  // namespace roofline
