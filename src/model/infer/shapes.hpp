#pragma once

// What a layer states of its operands and its window, read; its shapes by its kind and the checks
// that every layer passes; and how inference fails, with the field that is wrong.

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "roofline/layer.hpp"
#include "roofline/network.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Why a layer is none: the field, the index in it where it is a list, and the reason.
struct FieldError {
  std::string field;               ///< by its key in layer files; empty: the layer as a whole
  std::vector<std::size_t> index;  ///< {1} is the second number of the field's list
  std::string message;             ///< "expected ..., got ..."
  Remedy remedy = Remedy::none;
};

/// A field is named by its key in layer files (model/layer_fields.hpp).
[[noreturn]] inline void fail(std::string_view field, std::string message,
                              std::vector<std::size_t> index = {}) {
  throw FieldError{std::string(field), std::move(index), std::move(message)};
}

/// The layer as a whole is wrong.
[[noreturn]] inline void fail_layer(std::string message) {
  throw FieldError{"", {}, std::move(message)};
}

[[noreturn]] inline void fail_missing(std::string_view field, const std::string& expected) {
  throw FieldError{std::string(field), {}, "expected " + expected + ", got nothing", Remedy::layer};
}

/// A thing with several spellings is given once.
[[noreturn]] inline void fail_twice(std::string_view field, std::string_view other) {
  fail(field, "expected one spelling, got this and " + std::string(other));
}

/// More than the limits of inputs allow.
[[noreturn]] inline void fail_limit(std::string_view field, const std::string& expected) {
  throw FieldError{std::string(field), {}, beyond_limit(expected), Remedy::limits};
}

struct StatedShape {
  Shape shape;
  bool has_batch = false;
};

/// How a list of sizes is to be read.
struct ShapeForm {
  std::optional<std::uint8_t> rank;  ///< spatial axes, if the layer fixes them; without it 1 number
                                     ///< is [C], 2 [N, C], 3 [C, H, W], 4 [N, C, H, W], 5 with D
  Features features = Features::first;
  bool whole = false;  ///< the batch stands first, always
};

/// A list of sizes of field `field` (at `index`). Fails where it has no such form.
StatedShape read_shape(const std::vector<std::uint64_t>& sizes, const ShapeForm& form,
                       std::string_view field, const std::vector<std::size_t>& index = {});

/// The fields under which numbers of the axes may stand.
struct AxesFields {
  std::string_view all;
  std::string_view height;
  std::string_view width;
};

/// Numbers of a window in either spelling; none where neither is given. Fails where both are, or
/// where they do not fit the rank.
std::optional<Axes> read_axes(const AxesSpec& spec, std::uint8_t rank, const AxesFields& fields,
                              std::uint64_t neutral);

/// "[1, 3, 224, 224]"
std::string to_text(const Shape& shape);
/// "[1,3,224,224]", as JSON has it.
std::string list_text(const std::vector<std::uint64_t>& sizes);
/// "depth", "height" or "width".
std::string axis_name(std::size_t axis);

/// The layers of a network by the names that its source gives them.
class LayerNames {
 public:
  /// A layer of that name whose copies are `first`, `first` + 1, ...
  void add(const std::string& name, std::size_t first, std::size_t copies);
  /// The layer that copy `copy` of a layer of `copies` reads under that name: the same copy of a
  /// layer repeated as often, else the last one. Fails with the nearest name.
  std::size_t find(const std::string& name, std::size_t copy, std::size_t copies,
                   std::string_view field, const std::vector<std::size_t>& index) const;

 private:
  struct Entry {
    std::size_t first;
    std::size_t copies;
    bool ambiguous;
  };
  /// Holds all entries side by side, so that they leave no gaps between layers when they are gone.
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<std::string, Entry> entries_{&memory_};
};

/// What a layer may refer to beside what is stated of itself.
struct LayerScope {
  const NetworkSpec& network;
  const LayerDefaults& defaults;
  const std::vector<Layer>& layers;  ///< that come before
  const LayerNames& names;
  std::size_t previous_copies = 0;  ///< of the layer before; 0: there is none
  std::size_t copy = 0;             ///< which one of this layer, and of how many
  std::size_t copies = 1;
};

/// The one operand of a layer that has one. `rank` as in ShapeForm.
Operand infer_operand(const LayerSpec& spec, const LayerScope& scope,
                      std::optional<std::uint8_t> rank);

/// The operands of add, mul, concat and the like, or those fused into a kernel, that the layer
/// states in `field`. `rank` as in ShapeForm.
std::vector<Operand> infer_operands(const std::vector<OperandSpec>& stated, std::string_view field,
                                    const LayerSpec& spec, const LayerScope& scope,
                                    std::optional<std::uint8_t> rank = std::nullopt);

/// The batch that the layer states or takes from its network or the command line. `shape_batch` is
/// the one its shape states, if any.
std::uint64_t infer_batch(const LayerSpec& spec, const LayerScope& scope,
                          std::optional<std::uint64_t> shape_batch);

/// Taps that one kernel spans: dilation * (kernel - 1) + 1. Throws OverflowError.
std::uint64_t kernel_extent(const Window& window, std::size_t axis);

/// floor((in + pad_begin + pad_end - extent) / stride) + 1; for pools with ceil_mode rounded up,
/// but never to a window that starts past the input and its leading padding (PyTorch's rule).
/// Returns 0 where the kernel is larger than the padded input. Throws OverflowError.
std::uint64_t window_output_size(const Window& window, std::size_t axis, std::uint64_t input_size);

/// (in - 1) * stride - pad_begin - pad_end + extent + output_padding. Returns 0 where the padding
/// leaves nothing. Throws OverflowError.
std::uint64_t transposed_output_size(const Window& window, std::size_t axis,
                                     std::uint64_t input_size);

/// Gives the axis the padding with which a stride of 1 keeps its size and a stride of s divides it
/// by s, rounded up; an odd element goes to the end.
void set_same_padding(Window& window, std::size_t axis, std::uint64_t input_size);

/// Fills inputs, window, groups, bias and output. Fails with a FieldError.
void infer_convolution(const LayerSpec& spec, const LayerScope& scope, Layer& layer);
void infer_pool(const LayerSpec& spec, const LayerScope& scope, Layer& layer);

/// "; padding 2 gives 256" where a symmetric padding of a window of stride 1 would give `wanted`.
std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted);

/// Throws FieldError. `name` is the layer's own.
Layer infer_layer(const LayerSpec& spec, std::string name, const LayerScope& scope);

}  // namespace roofline
