#pragma once

// The neutral form between every input format and the model: a layer as its source states it. A
// loader fills in what its format states and leaves the rest absent; infer (network.hpp) computes
// shapes, applies defaults and makes every check.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/layer.hpp"

namespace roofline {

struct KernelRecording;
struct TraceSummary;

/// Keys of fields in layer files, with the source's own spellings if they differ.
using Spellings = std::vector<std::pair<std::string_view, std::string>>;

/// A layer's place in its source, and the source's names of its fields.
struct Place {
  std::string source;    ///< the input's name in errors
  std::string where;     ///< "/layers/3", "14", `node "conv1"`; empty for the whole input
  bool pointers = true;  ///< fields are keys of a JSON object: "/layers/3/stride/0"
  SharedValue<Spellings> spellings;

  auto operator<=>(const Place&) const = default;
};

/// "same" and "valid" in place of numbers.
enum class PaddingRule : std::uint8_t {
  numbers,
  valid,
  same,        ///< as TensorFlow and ONNX's SAME_UPPER: the odd element at the end
  same_lower,  ///< ONNX: the odd element at the start
};

/// Numbers of a window or a resize: one for all axes, one for each axis, or height and width apart.
/// Padding may have twice as many numbers as axes: all begins, then all ends.
struct AxesSpec {
  std::vector<std::uint64_t> numbers;
  std::optional<std::uint64_t> height;
  std::optional<std::uint64_t> width;
  bool is_list = false;  ///< a lone number is for all axes; a list of one is for a single axis
  PaddingRule rule = PaddingRule::numbers;  ///< padding only

  bool empty() const { return numbers.empty() && !height && !width; }
  auto operator<=>(const AxesSpec&) const = default;
};

inline AxesSpec axes_list(std::vector<std::uint64_t> numbers) {
  AxesSpec axes;
  axes.numbers = std::move(numbers);
  axes.is_list = true;
  return axes;
}

/// An input tensor of a layer. With `layer`: the output of this earlier layer; with sizes too, a
/// view of it in that shape (reshaped, permuted, a slice).
struct OperandSpec {
  /// Features after the batch ([N, C, H, W]); last for linear, matmul and layer_norm ([N, ..., F]).
  std::vector<std::uint64_t> sizes;
  /// Sizes have every axis, the batch first; otherwise the batch may be left out.
  bool whole = false;
  std::string layer;          ///< name of an earlier layer
  bool is_parameter = false;  ///< learned, without a batch
  /// Learned numbers of a parameter, if not one per element: some rows of a table, a repeated
  /// vector.
  std::optional<std::uint64_t> parameters{};
  std::optional<DataType> type{};  ///< if not the layer's, as of a mask or indices
  /// In place of `layer` while a reader makes layers, which have names only at its end: the index.
  std::optional<std::size_t> producer{};

  auto operator<=>(const OperandSpec&) const = default;
};

/// Weight and output default to the input's type.
struct DataTypesSpec {
  std::optional<DataType> input;
  std::optional<DataType> weight;
  std::optional<DataType> output;

  auto operator<=>(const DataTypesSpec&) const = default;
};

/// A layer as its source states it. Each member is one row of src/model/layer_fields.hpp, with its
/// keys, kinds and formats; members of LayerTraits stay as stated.
struct LayerSpec : LayerTraits {
  Place place;
  std::optional<std::string> name;
  LayerKind kind = LayerKind::conv;
  std::optional<std::uint8_t> rank;  ///< spatial axes in the type's name ("conv3d")
  std::optional<std::uint64_t> batch;

  // Operands. If all are absent: the output of the preceding layer.
  std::optional<OperandSpec> input;
  std::optional<std::uint64_t> in_channels;
  AxesSpec input_size;
  /// Operands of add, mul, concat; both matrices of a matmul; attention's queries, keys and values.
  std::vector<OperandSpec> inputs;
  /// Operands in a contraction's epilogue, such as a residual. Each broadcasts to the result.
  std::vector<OperandSpec> fused;

  // Windows.
  std::optional<std::uint64_t> out_channels;
  AxesSpec kernel_size;
  AxesSpec stride;
  AxesSpec padding;
  AxesSpec dilation;
  AxesSpec output_padding;
  bool ceil_mode = false;
  AxesSpec output_size;  ///< of an adaptive pool, whose window follows from it
  std::optional<std::uint64_t> groups;
  bool depthwise = false;  ///< a group for each input channel

  // Other kinds.
  std::optional<std::uint64_t> in_features;
  std::optional<std::uint64_t> out_features;
  std::optional<std::uint64_t> hidden_size;  ///< of a recurrent layer's direction
  /// False for a recurrent layer whose input is [steps, N, features].
  std::optional<bool> batch_first;
  std::optional<std::uint64_t> m;
  std::optional<std::uint64_t> n;
  std::optional<std::uint64_t> k;
  /// Axis of a softmax or a gated unit: 0 is the batch, 1 the channels, -1 the last size.
  std::optional<std::int64_t> axis;
  std::optional<std::uint64_t> num_embeddings;  ///< rows of an embedding's table
  std::optional<std::uint64_t> embedding_dim;
  std::vector<std::uint64_t> normalized_shape;
  AxesSpec scale_factor;

  DataTypesSpec dtypes;
  std::optional<Pass> pass;
  std::optional<SharedValue<KernelMapping>> mapping;
  std::optional<std::uint64_t> repeat;

  // The result's shape in the source, to be checked against the computed one.
  std::vector<std::uint64_t> output;
  std::optional<std::uint64_t> output_height;
  std::optional<std::uint64_t> output_width;

  auto operator<=>(const LayerSpec&) const = default;
};

enum class Framework : std::uint8_t {
  pytorch,
  torch_compile,
  tensorrt,
  deployed,  ///< TensorRT on NVIDIA's GPUs, else torch.compile: make_context() resolves it
};

enum class RunsAs : std::uint8_t {
  layers,           ///< as requested
  pytorch_program,  ///< by PyTorch, operator by operator, unless another framework is requested
  recording,        ///< it ran: each layer is the kernels launched by an operator
  tensorrt_engine,  ///< it was built: each layer is a TensorRT kernel
};

/// Whether its batch and framework are fixed.
constexpr bool is_fixed(RunsAs runs_as) { return runs_as >= RunsAs::recording; }

/// Layers read on demand, from a source which states them in less memory than LayerSpecs.
struct UnreadLayers {
  std::size_t count = 0;
  /// Any layer, any number of times. Throws InputError.
  std::function<LayerSpec(std::size_t index)> read;
};

/// Facts of a source which a Network keeps unchanged from its NetworkSpec.
struct NetworkTraits {
  std::string name;
  std::string source;  ///< its file, "-" or built-in name
  /// As stated; single layers may have others (products of matrices, copies).
  std::optional<std::uint64_t> batch{};
  RunsAs runs_as = RunsAs::layers;
  /// The framework of an earlier run of this program, which wrote the source; a requested one
  /// precedes it.
  std::optional<Framework> framework{};
  /// Rows that stood alone in a stream: no kernel is added to them, and none joined.
  bool states_all_kernels = false;
  /// Tensors given and kept by the caller (images, key and value caches), if stated.
  std::optional<std::uint64_t> input_byte{};
  /// amp or amp_bf16, if the layers include the casts of autocast: weights are kept in fp32.
  std::optional<DataType> autocast{};
  /// Number of a stream's record in its source, from 1: its layers are independent.
  std::optional<std::size_t> record{};
  bool lacks_products = false;   ///< of operators whose sizes are unknown: no range of the total
  bool lacks_operators = false;  ///< some had no rule and were left out: it is no whole answer
  /// The source is a log, a database or a recording: it has one entry for each repetition, which
  /// ran in its own pass and types.
  bool repeats_are_runs = false;
  /// The name of the layer, another record, whose kernel does this record's work; or empty.
  std::string fused_into{};
  /// Assumptions in place of facts missing in the source, for the user.
  std::vector<std::string> assumptions{};
};

/// A network, or one independent record, as its source states it.
struct NetworkSpec : NetworkTraits {
  std::optional<DataType> dtype;
  bool batch_is_fixed = false;  ///< it ran, or was built, at its own batch
  std::vector<LayerSpec> layers;
  UnreadLayers unread;  ///< in place of layers
  /// Data of a profiler's recording beside the layers.
  std::shared_ptr<const TraceSummary> summary = nullptr;
  /// In place of layers: kernels without known layers.
  std::shared_ptr<const KernelRecording> kernels = nullptr;
  /// It may leave sizes open; its reader reports unknown ones of LayerDefaults::dimensions.
  bool has_dimensions = false;

  std::size_t layer_count() const { return layers.size() + unread.count; }
};

}  // namespace roofline
