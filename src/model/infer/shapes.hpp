#pragma once

// Inference of a layer: its stated operands and window, shapes by kind, checks, and errors.

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "roofline/layer.hpp"
#include "roofline/network.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct FieldError {
  std::string field;               ///< key in layer files; empty: the layer as a whole
  std::vector<std::size_t> index;  ///< {1}: the second number of the field's list
  std::string message;             ///< "expected ..., got ..."
  Remedy remedy = Remedy::none;
};

/// `field`: its key in layer files (model/layer_fields.hpp).
[[noreturn]] inline void fail(std::string_view field, std::string message,
                              std::vector<std::size_t> index = {}) {
  throw FieldError{std::string(field), std::move(index), std::move(message)};
}

/// An error of the layer as a whole.
[[noreturn]] inline void fail_layer(std::string message) {
  throw FieldError{"", {}, std::move(message)};
}

[[noreturn]] inline void fail_missing(std::string_view field, const std::string& expected) {
  throw FieldError{std::string(field), {}, "expected " + expected + ", got nothing", Remedy::layer};
}

/// A value was given in two spellings.
[[noreturn]] inline void fail_twice(std::string_view field, std::string_view other) {
  fail(field, "expected one spelling, got this and " + std::string(other));
}

[[noreturn]] inline void fail_limit(std::string_view field, const std::string& expected) {
  throw FieldError{std::string(field), {}, beyond_limit(expected), Remedy::limits};
}

struct StatedShape {
  Shape shape;
  bool has_batch = false;
};

struct ShapeForm {
  /// The spatial axes, if fixed by the layer; else 1 number is [C], 2 [N, C], 3 [C, H, W], 4 [N, C,
  /// H, W], 5 with D.
  std::optional<std::uint8_t> rank;
  Features features = Features::first;
  bool whole = false;  ///< the batch always stands first
};

/// Reads a list of sizes of `field` (at `index`). Fails on other forms.
StatedShape read_shape(const std::vector<std::uint64_t>& sizes, const ShapeForm& form,
                       std::string_view field, const std::vector<std::size_t>& index = {});

struct AxesFields {
  std::string_view all;
  std::string_view height;
  std::string_view width;
};

/// In either spelling; nullopt without any. Fails if both are given, or do not fit the rank.
std::optional<Axes> read_axes(const AxesSpec& spec, std::uint8_t rank, const AxesFields& fields,
                              std::uint64_t neutral);

/// "[1, 3, 224, 224]"
std::string to_text(const Shape& shape);

/// Fails on what a caller can put into a LayerSpec and no file can state: enumerators, axes, times
/// and mappings out of range.
void check_stated(const LayerSpec& spec);
/// "[1,3,224,224]", as in JSON.
std::string list_text(const std::vector<std::uint64_t>& sizes);
/// "depth", "height" or "width".
std::string axis_name(std::size_t axis);

class LayerNames {
 public:
  /// Adds a layer with the copies `first`, `first` + 1, ...
  void add(const std::string& name, std::size_t first, std::size_t copies);
  /// The layer read under this name by copy `copy` of `copies`: the same copy of a layer with as
  /// many repeats, else the last copy. Fails with the nearest name.
  std::size_t find(const std::string& name, std::size_t copy, std::size_t copies,
                   std::string_view field, const std::vector<std::size_t>& index) const;

 private:
  struct Entry {
    std::size_t first;
    std::size_t copies;
    bool ambiguous;
  };
  /// Keeps entries together, so freeing them leaves no gaps between layers.
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<std::string, Entry> entries_{&memory_};
};

struct LayerScope {
  const NetworkSpec& network;
  const LayerDefaults& defaults;
  const std::vector<Layer>& layers;  ///< preceding layers
  const LayerNames& names;
  std::size_t previous_copies = 0;  ///< of the preceding layer; 0 if there is none
  std::size_t copy = 0;             ///< index of this copy
  std::size_t copies = 1;
};

/// `rank` as in ShapeForm.
Operand infer_operand(const LayerSpec& spec, const LayerScope& scope,
                      std::optional<std::uint8_t> rank);

/// Operands stated in `field`. `rank` as in ShapeForm.
std::vector<Operand> infer_operands(const std::vector<OperandSpec>& stated, std::string_view field,
                                    const LayerSpec& spec, const LayerScope& scope,
                                    std::optional<std::uint8_t> rank = std::nullopt);

/// From the layer, its network or the command line. `shape_batch`: the batch in its shape.
std::uint64_t infer_batch(const LayerSpec& spec, const LayerScope& scope,
                          std::optional<std::uint64_t> shape_batch);

/// Positions spanned by a kernel: dilation * (kernel - 1) + 1. Throws OverflowError.
std::uint64_t kernel_extent(const Window& window, std::size_t axis);

/// floor((in + pad_begin + pad_end - extent) / stride) + 1; for pools with ceil_mode rounded up,
/// but a window never starts beyond the input and its leading padding (PyTorch's rule). Returns 0
/// if the kernel exceeds the padded input. Throws OverflowError.
std::uint64_t window_output_size(const Window& window, std::size_t axis, std::uint64_t input_size);

/// (in - 1) * stride - pad_begin - pad_end + extent + output_padding. Returns 0 if the padding
/// leaves nothing. Throws OverflowError.
std::uint64_t transposed_output_size(const Window& window, std::size_t axis,
                                     std::uint64_t input_size);

/// Sets the padding for an output of ceil(input / stride); an odd element goes to the end.
void set_same_padding(Window& window, std::size_t axis, std::uint64_t input_size);

/// Fill inputs, window, groups, bias and output. Throw FieldError.
void infer_convolution(const LayerSpec& spec, const LayerScope& scope, Layer& layer);
void infer_deformable(const LayerSpec& spec, const LayerScope& scope, Layer& layer);
void infer_pool(const LayerSpec& spec, const LayerScope& scope, Layer& layer);

/// "; padding 2 gives 256" if a symmetric padding of a window of stride 1 would give `wanted`.
std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted);

/// Throws FieldError. `name` is unique in the network.
Layer infer_layer(const LayerSpec& spec, std::string name, const LayerScope& scope);

}  // namespace roofline
