#pragma once

// What readers of recordings share: launches folded into one row a kernel; work that becomes no
// layer, equal work as one; tensors as operands of layers; whether the model takes a layer; and
// what the names of kernels and copies tell.

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
#include "roofline/data_type.hpp"
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

/// An equation of einsum such as "bhid,bhjd->bhij", with a letter for each axis.
struct Einsum {
  std::vector<std::string> operands;
  std::string result;
  std::map<char, std::uint64_t> sizes;
};
/// None where it names no result, or letters that do not fit the operands.
std::optional<Einsum> read_einsum(std::string equation, const std::vector<Sizes>& operands);

/// Products of m x k with k x n.
struct EinsumProduct {
  std::uint64_t products = 1;
  std::uint64_t m = 1;
  std::uint64_t n = 1;
  std::uint64_t k = 1;
};
/// What an equation of two operands is; none for others, and where a letter comes twice in a term.
std::optional<EinsumProduct> product_of(const Einsum& einsum);

/// Numbers of a window, as a list.
AxesSpec axes_of(Sizes numbers);

/// The text before the next `end`, which is taken off with it.
std::string_view take(std::string_view& text, char end);

// What the names of kernels and copies tell.

bool mentions(std::string_view name, std::initializer_list<std::string_view> any_of);

/// "void at::native::foo<int, 4>(int*)" as "at::native::foo".
std::string short_kernel_name(std::string_view name);

/// A matrix or convolution kernel that multiplies fp32 data as TF32.
bool is_tf32_kernel(std::string_view name);

/// A matrix or convolution kernel that adds fp16 products up in fp16.
bool sums_in_fp16(std::string_view name);

/// A kernel of a matrix product or of attention.
bool is_product_kernel(std::string_view name);

/// A kernel that only moves an image's channels to the other end of memory.
bool is_layout_kernel(std::string_view name);

/// The type of elements that a kernel for lists of tensors moves; `half` is what two bytes hold.
std::optional<DataType> element_type(std::string_view name, DataType half);

/// A copy between host and device, or between devices; none for other work.
std::optional<TransferKind> copy_kind(std::string_view name);

/// The two gradients of a convolution run as one operator: how many of its kernels, in the order of
/// their launch, belong to the gradient of the input; the others compute that of the weight, for
/// libraries run one after the other. None where the names do not tell.
std::optional<std::size_t> data_gradient_kernels(const std::vector<std::string_view>& names);

}  // namespace roofline
