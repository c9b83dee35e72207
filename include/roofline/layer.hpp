#pragma once

// One layer of a network: written by the loader, read by every later stage. A Layer is valid by
// construction: sizes are at least 1, the kernel fits its padded input, channels divide by groups,
// the output shape is the computed one and all counts of every pass fit 64 bits.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/data_type.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/layer_kind.hpp"

namespace roofline {

/// A value for members which are T{} in most objects and equal in many others: it takes a pointer
/// or two, and copies share the content. Compared by value.
template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  SharedValue(T value) {
    if (!(value == usual())) value_ = std::make_shared<const T>(std::move(value));
  }

  const T& operator*() const { return value_ ? *value_ : usual(); }
  const T* operator->() const { return &**this; }

  template <class Edit>
  void change(const Edit& edit) {
    T value = **this;
    edit(value);
    *this = SharedValue(std::move(value));
  }

  bool operator==(const SharedValue& other) const {
    return value_ == other.value_ || **this == *other;
  }
  auto operator<=>(const SharedValue& other) const { return **this <=> *other; }
  bool operator==(const T& other) const { return **this == other; }

 private:
  static const T& usual() {
    static const T value{};
    return value;
  }

  std::shared_ptr<const T> value_;
};

/// Sizes along depth, height and width. One- and two-dimensional layers use the last one or two
/// entries; the others keep their neutral value (1, or 0 for padding).
using Axes = std::array<std::uint64_t, 3>;

/// A tensor's shape, batch and channels first. A matrix of `rows` x `columns` is {channels =
/// columns, spatial = {1, 1, rows}}: features are channels, rows are positions.
struct Shape {
  std::uint64_t batch = 1;
  std::uint64_t channels = 1;
  Axes spatial{1, 1, 1};
  std::uint8_t spatial_rank = 0;  ///< number of entries in use, from the end of `spatial`

  bool operator==(const Shape&) const = default;
};

/// An operand of attention: the tensor [batch, heads, length, features].
struct Heads {
  std::uint64_t batch = 1;
  std::uint64_t heads = 1;
  std::uint64_t length = 1;    ///< of queries, or of keys and values
  std::uint64_t features = 1;  ///< per query, key or value
};
constexpr Heads heads_of(const Shape& shape) {
  return {shape.batch, shape.spatial[1], shape.spatial[2], shape.channels};
}

struct Window {
  std::uint8_t rank = 2;
  Axes kernel{1, 1, 1};
  Axes stride{1, 1, 1};
  Axes pad_begin{0, 0, 0};
  Axes pad_end{0, 0, 0};
  Axes dilation{1, 1, 1};
  Axes output_padding{0, 0, 0};  ///< transposed convolutions only
  bool ceil_mode = false;        ///< pools only: round the output size up

  auto operator<=>(const Window&) const = default;
};

struct DataTypes {
  DataType input = DataType::fp32;
  DataType weight = DataType::fp32;
  DataType output = DataType::fp32;
};

enum class Pass : std::uint8_t { fwd, dgrad, wgrad };

/// Algorithms of kernels: the one list of names for mappings, plans and outputs. Plain values, so a
/// plan never refers to the text it was stated in.
enum class Algorithm : std::uint8_t {
  // Dense contractions: the only ones which a mapping may state.
  implicit_gemm,  ///< a convolution as a matrix product with an operand gathered on the fly
  gemm,
  scatter_gemm,  ///< a data gradient as products summed by atomics
  gemv,
  /// A tile of outputs from a patch of the image in shared memory: hand-written, only if stated.
  direct,
  winograd_2x2_fused,
  winograd_4x4_nonfused,
  winograd_5x5_nonfused,
  fft,        ///< of the whole image
  fft_tiled,  ///< of each tile

  // Depthwise convolutions.
  depthwise_tiled_nhwc,
  depthwise_wide_nhwc,
  depthwise_tiled_nchw,
  depthwise_dgrad_nhwc,
  depthwise_forward_nchw,
  depthwise_dgrad_nchw,
  depthwise_wgrad_nchw,

  // Grouped convolutions.
  grouped_direct_nhwc,
  grouped_direct_nchw,
  grouped_packed_gemm,
  grouped_packed_gemm_repacked,
  grouped_batched_gemm,
  group_by_group_nhwc,
  group_by_group_nchw,
  group_by_group_small_nchw,
  group_by_group_winograd,

  fused_attention,
  fused_attention_backward,

  recurrent_steps,   ///< products of all steps, then a product and the gates of each step
  deformed_columns,  ///< taps wherever they lie, as columns in memory, and a product of them

  // Layers which stream through memory.
  vectorized_elementwise,
  broadcast_elementwise,
  strided_elementwise,
  transposed_elementwise,
  row_gather,
  reduction,
  bn_fw_inf_nhwc,
  bn_fw_inf_nchw,
  batch_norm_training_nhwc,
  batch_norm_training_nchw,
  batch_norm_backward_nhwc,
  batch_norm_backward_nchw,
  cat_copy_nhwc,
  cat_copy_nchw,
  max_pool_nhwc,
  max_pool_nchw,
  avg_pool_nhwc,
  avg_pool_nchw,
  upsample_nearest_nhwc,
  upsample_nearest_nchw,
  upsample_interpolated_nhwc,
  upsample_interpolated_nchw,
  softmax_warp,
  softmax_block,
  softmax_positions,
  pad_planes,
  layer_norm,
  layer_norm_backward,
  group_norm,
  group_norm_backward,
};

/// Whether it does fewer multiply-adds than are counted, by working in a transformed domain.
constexpr bool saves_macs(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::winograd_2x2_fused:
    case Algorithm::winograd_4x4_nonfused:
    case Algorithm::winograd_5x5_nonfused:
    case Algorithm::fft:
    case Algorithm::fft_tiled:
    case Algorithm::group_by_group_winograd: return true;
    default: return false;
  }
}

constexpr bool may_be_stated(Algorithm algorithm) { return algorithm <= Algorithm::fft_tiled; }

inline constexpr std::span<const std::string_view> statable_algorithm_names{
    names_of<Algorithm>.data(), index_of(Algorithm::fft_tiled) + 1};

/// How a kernel divides the layer's work, as stated by the user (unstated: the model's choice).
struct KernelMapping {
  std::optional<Algorithm> algorithm;
  std::optional<std::array<std::uint64_t, 3>> tile;  ///< m, n, k of one block's tile, in elements
  std::optional<std::uint64_t> split_k;
  std::optional<std::uint64_t> threads;             ///< per block
  std::optional<std::uint64_t> stages;              ///< of the shared-memory pipeline
  std::optional<std::uint64_t> registers;           ///< per thread
  std::optional<std::uint64_t> shared_memory_byte;  ///< per block

  auto operator<=>(const KernelMapping&) const = default;
};

struct Operand {
  Shape shape;                            ///< a view of the producer's output if the shape differs
  std::optional<std::size_t> producer{};  ///< index in Network::layers
  bool is_parameter = false;
  /// Learned numbers, if their number differs from that of the elements.
  std::optional<std::uint64_t> parameters{};
  std::optional<DataType> type{};  ///< if not the layer's
};

struct Measured {
  std::optional<double> warm_s;    ///< repeats on one set of buffers
  std::optional<double> cold_s;    ///< buffers in no cache
  std::string gpu = {};            ///< the measured GPU, as its source names it; may be empty
  std::string kernel = {};         ///< name of the kernel, by its library; may be empty
  std::string other_kernels = {};  ///< slower kernels with their times: "GemmFwdRest 14.6 ms"
  Pass pass = Pass::fwd;           ///< the measured pass
  bool other_batch = false;        ///< measured at another batch than the layer's

  bool is_known() const { return warm_s || cold_s; }
  auto operator<=>(const Measured&) const = default;
};

/// Origin of the kernels: a framework's libraries, which autotune convolutions or pick their kernel
/// by a heuristic; a compiler (torch.compile); an inference engine (TensorRT), which also arranges
/// tensors.
enum class KernelSource : std::uint8_t { library, heuristic, compiler, inference_engine };

/// Order of image elements in memory: channel by channel, position by position, or position by
/// position in blocks of channels (cuDNN's NC/32HW32 and the like).
enum class Layout : std::uint8_t { nchw, nhwc, blocked };

/// Memory order of an operand relative to the result: the same order without gaps; runs along a
/// common innermost axis (a slice, heads swapped with positions); another innermost axis, as in a
/// transposed matrix. For attention: of its mask.
enum class Access : std::uint8_t { contiguous, strided, transposed };

enum class Interpolation : std::uint8_t { nearest, bilinear, bicubic };

/// Values of the places around a padded tensor.
enum class PadMode : std::uint8_t { constant, reflect, replicate, circular };

enum class AttentionBackend : std::uint8_t { cudnn, flash, efficient };

/// Default of libraries: PyTorch and cuDNN run fp32 layers in NCHW and all others, TF32 included,
/// in NHWC; measurements used these defaults.
constexpr Layout usual_layout(DataType type) {
  const bool is_wide = type == DataType::fp32 || type == DataType::fp64;
  return is_wide || !is_operand_type(type) ? Layout::nchw : Layout::nhwc;
}

/// A string, or a number or flag as JSON writes it; empty if not stated.
struct LayerId {
  std::string text;
  bool is_string = false;

  bool is_known() const { return is_string || !text.empty(); }
  auto operator<=>(const LayerId&) const = default;
};

/// Work of a layer that no other facts are known of: both for one call, at its own batch.
struct StatedWork {
  std::optional<std::uint64_t> flops;
  std::optional<std::uint64_t> bytes;  ///< read and written

  auto operator<=>(const StatedWork&) const = default;
};

/// Stated properties which a Layer keeps unchanged from its LayerSpec; each member is a row of
/// src/model/layer_fields.hpp.
struct LayerTraits {
  bool bias = false;  ///< of convolutions and linear layers
  /// Attention: a query sees the keys up to its own position, counted from the end.
  bool causal = false;
  bool causal_from_first = false;  ///< its position is counted from the first query and key
  bool fp16_accumulate = false;    ///< contractions in fp16 and fp8 summed in fp16
  bool masked = false;             ///< attention: a tensor is added to the scores
  std::optional<AttentionBackend> backend;  ///< of attention; nullopt: the GPU's fastest
  bool bidirectional = false;  ///< of recurrent layers: a second state runs from the last step
  std::optional<std::uint64_t> num_layers;  ///< stacked recurrent layers; nullopt: one
  SharedValue<StatedWork> work;             ///< of other layers
  /// Batch norm in training: statistics of the batch, not running means.
  bool batch_statistics = false;
  std::optional<Layout> layout;                ///< of images; nullopt: usual_layout
  std::optional<Access> access;                ///< of elementwise layers; nullopt: contiguous
  std::optional<Interpolation> interpolation;  ///< of an upsampling; nullopt: nearest
  std::optional<PadMode> pad_mode;             ///< of a copy into a longer result
  bool training_only = false;                  ///< never runs in inference (auxiliary heads)
  bool in_place = false;                       ///< the result overwrites the input
  bool fp32_under_autocast = false;            ///< whatever the types of its operands
  bool shared_weights = false;  ///< shared with an earlier layer, which counts them as parameters
  bool is_kept = false;         ///< a result of the network, kept by the caller
  SharedValue<Measured> measured;
  SharedValue<LayerId> id;               ///< the user's own, passed through
  SharedValue<std::string> source_line;  ///< in the model's code: "net.py:12"; empty: not stated

  auto operator<=>(const LayerTraits&) const = default;
};

/// A kernel written by a compiler for one or several layers.
struct GeneratedKernel {
  /// Elements of its largest tensor, over which it iterates; 0: no kernel.
  std::uint64_t places = 0;
  std::uint64_t read_byte = 0;
  std::uint64_t written_byte = 0;
  std::uint64_t kernels = 1;    ///< launched in sequence, to sum results of many blocks
  bool may_touch_less = false;  ///< Counts::is_upper_estimate of one of its layers
  // Work at each place.
  std::uint64_t norms = 0;       ///< batch norms, from their statistics
  std::uint64_t functions = 0;   ///< exponentials and the like
  std::uint64_t parts = 0;       ///< operands of concatenations, of which it picks one
  std::uint64_t reductions = 0;  ///< sums or maxima of rows of places
  std::uint64_t rows = 0;        ///< rows reduced within blocks
  /// Elements read one by one: those of a group of channels, between those of other groups.
  std::uint64_t apart = 0;

  bool operator==(const GeneratedKernel&) const = default;
};

struct Layer : LayerTraits {
  std::string name;  ///< unique in its network
  LayerKind kind = LayerKind::conv;
  Pass pass = Pass::fwd;
  bool states_pass = false;  ///< the source states the pass: the layer runs in no other
  DataTypes dtypes;
  KernelSource kernels = KernelSource::library;
  bool folded_norm = false;  ///< a batch norm is folded in: there is a bias to read
  /// Added by the way the network runs: a kernel without a layer in the source, or a layer replaced
  /// by another. Layer files leave it out.
  bool is_inserted = false;
  /// At least one; several for add, mul, concat, attention. After the first of a contraction, or
  /// both matrices of a matmul: operands which its kernel applies to the result.
  std::vector<Operand> inputs;
  /// Number of operands, from the end, of layers fused into this one.
  std::size_t fused_input_count = 0;
  Shape output;
  SharedValue<Window> window;  ///< convolutions and pools
  std::uint64_t groups = 1;
  /// Elements sharing one mean and variance in a layer, group or instance norm.
  std::uint64_t norm_elements = 0;
  /// Index of the layer whose kernel also does this layer's work.
  std::optional<std::size_t> fused_into;
  SharedValue<GeneratedKernel> generated;  ///< set on the layer with the compiler's kernel
  SharedValue<KernelMapping> mapping;
};

inline DataType usual_type(const Operand& operand, const Layer& layer) {
  return operand.is_parameter ? layer.dtypes.weight : layer.dtypes.input;
}
inline DataType type_of(const Operand& operand, const Layer& layer) {
  return operand.type.value_or(usual_type(operand, layer));
}

/// PyTorch has no channels last for windows of one axis.
inline Layout layout_of(const Layer& layer) {
  return layer.layout.value_or(layer.window->rank == 1 ? Layout::nchw
                                                       : usual_layout(layer.dtypes.input));
}

/// One channel a group of the convolution, or of the one whose data gradient a transposed layer is.
inline bool is_depthwise(const Layer& layer) {
  if (layer.groups == 1) return false;
  const bool transposed = layer.kind == LayerKind::conv_transpose;
  const Shape& input = transposed ? layer.output : layer.inputs.front().shape;
  return layer.groups == input.channels;
}

}  // namespace roofline
