#pragma once

// What an input says of a layer, before anything is worked out: the neutral form between every
// input format and the model. A loader fills in what its format states and leaves the rest absent;
// infer (infer.hpp) works out shapes, applies defaults and makes every check.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/layer.hpp"
#include "roofline/trace.hpp"

namespace roofline {

/// The things that a layer may say of itself. Each has one name in messages and in layer files
/// (field_name); a format that spells one otherwise says so in its Place.
enum class Field : std::uint8_t {
  name,
  type,
  batch,
  input,
  in_channels,
  input_size,
  input_height,
  input_width,
  inputs,
  out_channels,
  kernel_size,
  kernel_height,
  kernel_width,
  stride,
  stride_height,
  stride_width,
  padding,
  padding_height,
  padding_width,
  dilation,
  dilation_height,
  dilation_width,
  output_padding,
  ceil_mode,
  groups,
  depthwise,
  bias,
  causal,
  in_features,
  out_features,
  m,
  n,
  k,
  normalized_shape,
  scale_factor,
  dtype,
  dtypes,
  pass,
  mapping,
  measured_warm,
  measured_cold,
  measured_gpu,
  repeat,
  batch_statistics,
  training_only,
  shared_weights,
  output,
  output_height,
  output_width,
};
inline constexpr std::size_t field_count = 49;

/// The key of a layer file that states the field.
std::string_view field_name(Field field);

/// Whether a layer of that kind takes the field.
bool takes(LayerKind kind, Field field);

/// A layer's place in its source, and what its fields are called there.
struct Place {
  std::string source;    ///< the input's name, as in errors
  std::string where;     ///< "/layers/3", "14", `node "conv1"`; empty for the whole input
  bool pointers = true;  ///< fields are keys of a JSON object: "/layers/3/stride/0"
  /// Fields that the source spells otherwise than field_name does.
  std::vector<std::pair<Field, std::string_view>> spellings;
};

/// Numbers of a window or a resize: one for all axes, one for each axis, or height and width apart.
/// Padding may hold twice as many as there are axes: all begins, then all ends.
struct AxesSpec {
  std::vector<std::uint64_t> numbers;
  bool is_list = false;  ///< one number alone is for all axes; a list of one is of a single axis
  std::optional<std::uint64_t> height;
  std::optional<std::uint64_t> width;

  bool empty() const { return numbers.empty() && !height && !width; }
};

/// "same" and "valid" in place of numbers.
enum class PaddingRule : std::uint8_t {
  numbers,
  valid,
  same,        ///< as TensorFlow and ONNX's SAME_UPPER: the odd element at the end
  same_lower,  ///< ONNX: the odd element at the start
};

/// A tensor that a layer reads. With `layer`, the output of that earlier layer; with sizes too, a
/// view of it in that shape (reshaped, permuted, a slice).
struct OperandSpec {
  /// Features after the batch ([N, C, H, W]); last for linear, matmul and layer_norm ([N, ..., F]).
  std::vector<std::uint64_t> sizes;
  bool whole = false;  ///< sizes hold every axis, the batch first; a list may leave the batch out
  std::string layer;   ///< name of an earlier layer
  bool is_parameter = false;  ///< learned, and without a batch
  /// Learned numbers behind a parameter, where they are not as many as it has elements: a table of
  /// which some rows are read, a vector repeated.
  std::optional<std::uint64_t> parameters{};

  bool operator==(const OperandSpec&) const = default;
};

/// Types of a layer's tensors; weight and output default to the input's.
struct DataTypesSpec {
  std::optional<DataType> input;
  std::optional<DataType> weight;
  std::optional<DataType> output;
};

struct LayerSpec {
  Place place;
  std::optional<std::string> name;
  LayerKind kind = LayerKind::conv;
  std::optional<std::uint8_t> rank;  ///< spatial axes, where the type's name states them ("conv3d")
  std::optional<std::uint64_t> batch;

  // Operands. None of these: the output of the layer before.
  std::optional<OperandSpec> input;
  std::optional<std::uint64_t> in_channels;
  AxesSpec input_size;
  /// Of add, mul, concat; both matrices of a matmul; queries, keys and values of attention; what a
  /// convolution's kernel adds to its result.
  std::vector<OperandSpec> inputs;

  // Windows.
  std::optional<std::uint64_t> out_channels;
  AxesSpec kernel_size;
  AxesSpec stride;
  AxesSpec padding;
  PaddingRule padding_rule = PaddingRule::numbers;
  AxesSpec dilation;
  AxesSpec output_padding;
  std::optional<bool> ceil_mode;
  std::optional<std::uint64_t> groups;
  std::optional<bool> depthwise;
  std::optional<bool> bias;
  std::optional<bool> causal;  ///< of attention

  // Other kinds.
  std::optional<std::uint64_t> in_features;
  std::optional<std::uint64_t> out_features;
  std::optional<std::uint64_t> m, n, k;  ///< of a matmul
  std::vector<std::uint64_t> normalized_shape;
  AxesSpec scale_factor;

  DataTypesSpec dtypes;
  std::optional<Pass> pass;
  std::optional<KernelMapping> mapping;
  Measured measured;
  std::optional<std::uint64_t> repeat;
  bool batch_statistics = false;  ///< a batch norm in training
  bool training_only = false;
  bool shared_weights = false;

  // What the source states of the result, to be checked against what is worked out.
  std::vector<std::uint64_t> output;
  std::optional<std::uint64_t> output_height;
  std::optional<std::uint64_t> output_width;
};

/// A network, or one record that stands alone, as its source states it.
struct NetworkSpec {
  std::string name;
  std::string source;
  std::optional<DataType> dtype;
  std::optional<std::uint64_t> batch;
  /// What ran, or was built to run, did so at its own batch (`batch`, where the source tells): no
  /// other can be asked for.
  bool batch_is_fixed = false;
  std::vector<LayerSpec> layers;
  /// The number of the record in its source, from 1, where the one layer is a record of a stream;
  /// such a layer may refer to no other.
  std::optional<std::size_t> record;
  /// Of a profiler's recording: what it says beside the layers.
  std::shared_ptr<const TraceSummary> summary = nullptr;
  /// What was assumed where the source leaves something open, for the user to read.
  std::vector<std::string> assumptions;
};

}  // namespace roofline
