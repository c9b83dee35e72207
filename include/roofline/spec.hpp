#pragma once

// What an input says of a layer, before anything is worked out: the neutral form between every
// input format and the model. A loader fills in what its format states and leaves the rest absent;
// infer (network.hpp) works out shapes, applies defaults and makes every check.

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
#include "roofline/recording.hpp"

namespace roofline {

/// Fields, by their keys in layer files, and how a source spells them where it does otherwise.
using Spellings = std::vector<std::pair<std::string_view, std::string_view>>;

/// A layer's place in its source, and what its fields are called there.
struct Place {
  std::string source;    ///< the input's name, as in errors
  std::string where;     ///< "/layers/3", "14", `node "conv1"`; empty for the whole input
  bool pointers = true;  ///< fields are keys of a JSON object: "/layers/3/stride/0"
  SharedValue<Spellings> spellings;
};

/// "same" and "valid" in place of numbers.
enum class PaddingRule : std::uint8_t {
  numbers,
  valid,
  same,        ///< as TensorFlow and ONNX's SAME_UPPER: the odd element at the end
  same_lower,  ///< ONNX: the odd element at the start
};

/// Numbers of a window or a resize: one for all axes, one for each axis, or height and width apart.
/// Padding may hold twice as many as there are axes: all begins, then all ends.
struct AxesSpec {
  std::vector<std::uint64_t> numbers;
  std::optional<std::uint64_t> height;
  std::optional<std::uint64_t> width;
  bool is_list = false;  ///< one number alone is for all axes; a list of one is of a single axis
  PaddingRule rule = PaddingRule::numbers;  ///< for padding only

  bool empty() const { return numbers.empty() && !height && !width; }
};

/// A number for each axis.
inline AxesSpec axes_list(std::vector<std::uint64_t> numbers) {
  AxesSpec axes;
  axes.numbers = std::move(numbers);
  axes.is_list = true;
  return axes;
}

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

/// A layer as its source states it. What keys, kinds and formats have to do with each member is one
/// row of src/model/layer_fields.hpp; members of LayerTraits are stated and kept as they are.
struct LayerSpec : LayerTraits {
  Place place;
  std::optional<std::string> name;
  LayerKind kind = LayerKind::conv;
  std::optional<std::uint8_t> rank;  ///< spatial axes, where the type's name states them ("conv3d")
  std::optional<std::uint64_t> batch;

  // Operands. None of these: the output of the layer before.
  std::optional<OperandSpec> input;
  std::optional<std::uint64_t> in_channels;
  AxesSpec input_size;
  /// The operands of add, mul and concat; both matrices of a matmul; attention's queries, keys and
  /// values.
  std::vector<OperandSpec> inputs;
  /// What the kernel of a contraction reads beside and applies to its result: a residual, an
  /// epilogue's operand. Each broadcasts to the result.
  std::vector<OperandSpec> fused;

  // Windows.
  std::optional<std::uint64_t> out_channels;
  AxesSpec kernel_size;
  AxesSpec stride;
  AxesSpec padding;
  AxesSpec dilation;
  AxesSpec output_padding;
  bool ceil_mode = false;
  std::optional<std::uint64_t> groups;
  bool depthwise = false;  ///< a group for each input channel

  // Other kinds.
  std::optional<std::uint64_t> in_features;
  std::optional<std::uint64_t> out_features;
  std::optional<std::uint64_t> m, n, k;         ///< the sizes of a matmul
  std::optional<std::uint64_t> num_embeddings;  ///< rows of an embedding's table
  std::optional<std::uint64_t> embedding_dim;
  std::vector<std::uint64_t> normalized_shape;
  AxesSpec scale_factor;

  DataTypesSpec dtypes;
  std::optional<Pass> pass;
  std::shared_ptr<const KernelMapping> mapping;
  std::optional<std::uint64_t> repeat;

  // What the source states of the result, to be checked against what is worked out.
  std::vector<std::uint64_t> output;
  std::optional<std::uint64_t> output_height;
  std::optional<std::uint64_t> output_width;
};

/// How a network runs, beyond what its layers say.
enum class RunsAs : std::uint8_t {
  layers,           ///< as whoever asks runs it
  pytorch_program,  ///< by PyTorch, operator by operator, where no other framework is asked for
  recording,        ///< it ran: each layer is the kernels that an operator launched
  tensorrt_engine,  ///< it was built: each layer is a kernel of TensorRT's
};

/// Whether nobody else can run it, at another batch or by another framework.
constexpr bool is_fixed(RunsAs runs_as) { return runs_as >= RunsAs::recording; }

/// Layers that are read when they are asked for, of a source that states them in less room than
/// their LayerSpecs take.
struct UnreadLayers {
  std::size_t count = 0;
  /// Any of them, any number of times. Throws InputError.
  std::function<LayerSpec(std::size_t index)> read;
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
  /// What "repeat" counts, the source holds one by one: it is a log or a recording.
  bool repeats_are_runs = false;
  /// The file was made on one GPU and does not name it: its times are of the one that is asked for.
  bool measured_on_asked_gpu = false;
  /// amp or amp_bf16, where the layers are those of a network under autocast, its casts among them.
  std::optional<DataType> autocast;
  std::vector<LayerSpec> layers;
  UnreadLayers unread;  ///< in place of layers
  /// The number of the record in its source, from 1, where the one layer is a record of a stream;
  /// such a layer may refer to no other.
  std::optional<std::size_t> record;
  /// What a profiler's recording says beside the layers.
  std::shared_ptr<const TraceSummary> summary = nullptr;
  /// In place of layers: kernels of which nothing says which layers they were.
  std::shared_ptr<const KernelRecording> kernels = nullptr;
  /// What was assumed where the source leaves something open, for the user to read.
  std::vector<std::string> assumptions;
  /// It may leave sizes open; its reader says which of the sizes asked for
  /// (LayerDefaults::dimensions) are none of them.
  bool has_dimensions = false;
  RunsAs runs_as = RunsAs::layers;
  /// What the caller gives and keeps (images, key and value caches), where the source says so.
  std::optional<std::uint64_t> input_byte;

  std::size_t layer_count() const { return layers.size() + unread.count; }
};

}  // namespace roofline
