#pragma once

// Shared by readers of recordings: launches as rows, work without layers, operands, kernels' names.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "load/whole_input.hpp"
#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "roofline/data_type.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// The union of intervals.
class Coverage {
 public:
  /// In the order of their starts.
  void add(double start, double end);
  double covered() const { return ends_.empty() ? 0 : until(ends_.back()); }
  double within(double start, double end) const { return until(end) - until(start); }
  /// First start to last end.
  double span() const { return ends_.empty() ? 0 : ends_.back() - starts_.front(); }

 private:
  double until(double time) const;

  // Pieces that do not touch.
  std::vector<double> starts_;
  std::vector<double> ends_;
  std::vector<double> before_;  ///< covered before each start
};

/// The GPU with the longest work; of equal ones the first.
template <class Gpu>
Gpu busiest(const std::map<Gpu, double>& time_of) {
  return std::ranges::max_element(time_of, {}, [](const auto& each) { return each.second; })->first;
}

/// One launch, or launches that the profiler summed.
struct KernelLaunch {
  RecordedKernel kernel;
  std::string device;             ///< one of several GPUs; empty if unknown
  std::optional<double> start_s;  ///< of a single launch
};

/// Holds each kernel once, and only the time interval of each launch.
class KernelList {
 public:
  void add(const KernelLaunch& launch);

  /// Moves the busiest GPU's kernels into the recording and notes what is lost. Returns its name.
  std::string fold_into(KernelRecording& recording);

 private:
  struct Device {
    std::vector<RecordedKernel> kernels;
    std::map<std::string, std::size_t> row_of;           ///< by name and grid
    std::vector<std::pair<double, double>> intervals_s;  ///< start and end of each launch
    bool lacks_starts = false;
    double time_s = 0;
    std::uint64_t launches = 0;
  };

  std::map<std::string, Device> devices_;
};

/// A recording without layers, named after its file by default. Throws InputError without kernels.
NetworkSpecs specs_of(KernelRecording recording, const ByteStream& stream);

/// The file's name without folder and without these endings, at most one of each.
std::string name_without(std::string_view source, std::initializer_list<std::string_view> endings);

/// "(2, 784, 1)"
std::string grid_text(std::string_view x, std::string_view y, std::string_view z);

/// GPU work without a layer, summed over all steps.
class UnmodelledList {
 public:
  void add(const std::string& name, const std::string& shapes, const std::string& reason,
           double time_s, std::size_t launches = 1);
  /// Per step, by falling time.
  std::vector<UnmodelledWork> items(std::size_t steps) const;

 private:
  std::map<std::tuple<std::string, std::string, std::string>, UnmodelledWork> items_;
};

/// Why the model rejects the layer, or nullopt; an odd layer costs only itself.
std::optional<InputError> failure_of(const LayerSpec& layer);

using Sizes = std::vector<std::uint64_t>;

/// Product of the sizes; 1 for none; saturates at 64 bits.
std::uint64_t element_count(const Sizes& sizes);

/// "32x64x112x112"
std::string sizes_text(const Sizes& sizes);

/// The batch, the channels and up to three positions.
inline constexpr std::size_t fewest_operand_sizes = 2;
inline constexpr std::size_t most_operand_sizes = 5;

/// At most five sizes: the last axes, an image's positions, are joined from the fifth on. Empty
/// for a tensor without elements.
OperandSpec whole_operand(const Sizes& sizes);

AxesSpec axes_of(Sizes numbers);

bool mentions(std::string_view name, std::initializer_list<std::string_view> any_of);

/// "void at::native::foo<int, 4>(int*)" as "at::native::foo", "void cutlass::Kernel2<bar>(...)" as
/// "bar", and a compiler's "_ZN2ck3fooILi64EEE" as "foo".
std::string short_kernel_name(std::string_view name);

/// A matrix or convolution kernel that multiplies fp32 data as TF32.
bool is_tf32_kernel(std::string_view name);

/// A matrix or convolution kernel that sums fp16 products in fp16.
bool sums_in_fp16(std::string_view name);

}  // namespace roofline
