#pragma once

// What readers of recordings share: launches folded into one row a kernel; work that becomes no
// layer, equal work as one; tensors as operands of layers; and whether the model takes a layer.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "load/whole_input.hpp"
#include "roofline/error.hpp"
#include "roofline/recording.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// One launch, or launches that the profiler summed up.
struct KernelLaunch {
  RecordedKernel kernel;
  std::string device;             ///< which of several GPUs; empty where nothing says
  std::optional<double> start_s;  ///< where it is a single launch
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

/// The recording in place of layers, named after its file unless it has a name. Throws InputError
/// where it holds no kernels.
NetworkSpecs specs_of(KernelRecording recording, const ByteStream& stream);

/// The file's name without folder and without these endings, each of which it may have once.
std::string name_without(std::string_view source, std::initializer_list<std::string_view> endings);

/// "(2, 784, 1)", a grid of blocks or a block of threads.
std::string grid_text(std::string_view x, std::string_view y, std::string_view z);

/// GPU work without a layer, in sums over all steps of a recording.
class UnmodelledList {
 public:
  void add(const std::string& name, const std::string& shapes, const std::string& reason,
           double time_s, std::size_t launches = 1);
  /// The work of one of so many steps, in descending order of time.
  std::vector<UnmodelledWork> items(std::size_t steps) const;

 private:
  std::map<std::tuple<std::string, std::string, std::string>, UnmodelledWork> items_;
};

/// What is wrong with a layer that stands alone, so that an odd one costs only itself; none where
/// the model takes it.
std::optional<InputError> failure_of(const LayerSpec& layer);

// Shapes of tensors as recordings state them, whole.

using Sizes = std::vector<std::uint64_t>;

/// Product of the sizes; 1 for none. It stays at the largest value where it would exceed 64 bits.
std::uint64_t element_count(const Sizes& sizes);

/// "32x64x112x112".
std::string sizes_text(const Sizes& sizes);

/// How many sizes an operand has: the batch, the channels and up to three positions.
inline constexpr std::size_t fewest_operand_sizes = 2;
inline constexpr std::size_t most_operand_sizes = 5;

/// A tensor as an operand, sizes beyond five merged at the front. Without sizes for a tensor that
/// has no elements.
OperandSpec whole_operand(const Sizes& sizes);

/// Numbers of a window, as a list.
AxesSpec axes_of(Sizes numbers);

}  // namespace roofline
