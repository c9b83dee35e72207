#pragma once

// One layer of a network: what the loader produces and every later stage reads.
// A Layer is valid by construction: sizes are at least 1, the kernel fits its padded input,
// channels divide by groups, the output shape is the computed one and all counts of every pass fit
// 64 bits.

#include <array>
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

/// A value that most of its many owners leave as T{}, and of which others have the same: it takes
/// the room of a pointer or two, and copies share what is different. Compared by value.
template <class T>
class SharedValue {
 public:
  SharedValue() = default;
  SharedValue(T value) {
    if (!(value == usual())) value_ = std::make_shared<const T>(std::move(value));
  }

  const T& operator*() const { return value_ ? *value_ : usual(); }
  const T* operator->() const { return &**this; }

  /// `edit(T&)` changes this one alone.
  template <class Edit>
  void change(const Edit& edit) {
    T value = **this;
    edit(value);
    *this = SharedValue(std::move(value));
  }

  bool operator==(const SharedValue& other) const {
    return value_ == other.value_ || **this == *other;
  }
  bool operator==(const T& other) const { return **this == other; }

 private:
  static const T& usual() {
    static const T value{};
    return value;
  }

  std::shared_ptr<const T> value_;
};

/// The sizes of a window or a tensor along depth, height and width. One- and two-dimensional layers
/// use the last one or two entries; the others keep their neutral value (1, or 0 for padding).
using Axes = std::array<std::uint64_t, 3>;

/// A tensor's shape, batch and channels first. A matrix of `rows` x `columns` is {channels =
/// columns, spatial = {1, 1, rows}}: the features are the channels, the rows are positions.
struct Shape {
  std::uint64_t batch = 1;
  std::uint64_t channels = 1;
  Axes spatial{1, 1, 1};
  std::uint8_t spatial_rank = 0;  ///< how many of the last entries of `spatial` the tensor has

  bool operator==(const Shape&) const = default;
};

/// An operand of attention: the tensor [batch, heads, length, features].
struct Heads {
  std::uint64_t batch = 1;
  std::uint64_t heads = 1;
  std::uint64_t length = 1;    ///< queries, or keys and their values
  std::uint64_t features = 1;  ///< of one of them
};
constexpr Heads heads_of(const Shape& shape) {
  return {shape.batch, shape.spatial[1], shape.spatial[2], shape.channels};
}

/// Sliding window of convolutions and pools.
struct Window {
  std::uint8_t rank = 2;
  Axes kernel{1, 1, 1};
  Axes stride{1, 1, 1};
  Axes pad_begin{0, 0, 0};
  Axes pad_end{0, 0, 0};
  Axes dilation{1, 1, 1};
  Axes output_padding{0, 0, 0};  ///< transposed convolution only
  bool ceil_mode = false;        ///< pools only: round the output size up

  bool operator==(const Window&) const = default;
};

struct DataTypes {
  DataType input = DataType::fp32;
  DataType weight = DataType::fp32;
  DataType output = DataType::fp32;
};

enum class Pass : std::uint8_t { fwd, dgrad, wgrad };

/// What a kernel does with its work: the one list of names that mappings, plans and outputs share.
/// Values are plain, so that a plan never refers to the text that it was stated in.
enum class Algorithm : std::uint8_t {
  // Dense contractions. A mapping may state these, and no others.
  implicit_gemm,  ///< a convolution as a matrix product whose operand is gathered on the fly
  gemm,
  scatter_gemm,  ///< a data gradient as products that atomics add up
  gemv,
  direct,  ///< a tile of outputs from a patch of the image in shared memory: hand-written, stated
  winograd_2x2_fused,
  winograd_4x4_nonfused,
  winograd_5x5_nonfused,
  fft,        ///< of the whole image
  fft_tiled,  ///< tile by tile of it

  // Depthwise convolutions.
  depthwise_tiled_nhwc,
  depthwise_wide_nhwc,
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

  // Layers that stream through memory.
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
  layer_norm,
  layer_norm_backward,
  group_norm,
  group_norm_backward,
};

/// Whether it does fewer multiply-adds than are counted: in another domain, where they are
/// products.
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

/// Whether a mapping may ask for it.
constexpr bool may_be_stated(Algorithm algorithm) { return algorithm <= Algorithm::fft_tiled; }

/// The names that a mapping may state.
inline constexpr std::span<const std::string_view> statable_algorithm_names{
    names_of<Algorithm>.data(), index_of(Algorithm::fft_tiled) + 1};

/// How a kernel divides the layer's work, as far as the user states it (unstated: the model picks).
struct KernelMapping {
  std::optional<Algorithm> algorithm;
  std::optional<std::array<std::uint64_t, 3>> tile;  ///< m, n, k of one block's tile, elements
  std::optional<std::uint64_t> split_k;
  std::optional<std::uint64_t> threads;             ///< a block
  std::optional<std::uint64_t> stages;              ///< of the shared-memory pipeline
  std::optional<std::uint64_t> registers;           ///< a thread
  std::optional<std::uint64_t> shared_memory_byte;  ///< a block

  bool operator==(const KernelMapping&) const = default;
};

/// An operand: a tensor from outside, from an earlier layer, or a learned parameter.
struct Operand {
  Shape shape;  ///< where it differs from the producer's output, a view of it
  std::optional<std::size_t> producer;  ///< index in Network::layers
  bool is_parameter = false;
  std::optional<std::uint64_t> parameters{};  ///< learned numbers, where not as many as elements
};

struct Measured {
  std::optional<double> warm_s;  ///< repeats on one set of buffers
  std::optional<double> cold_s;  ///< buffers not in any cache
  std::string gpu = {};          ///< that it was measured on, as its source names it; may be empty
  std::string kernel = {};       ///< that ran, by its own or its library's name; may be empty
  std::string other_kernels = {};  ///< that took longer, with their times: "GemmFwdRest 14.6 ms"
  Pass pass = Pass::fwd;           ///< that was measured
  bool other_batch = false;        ///< at another batch than the layer now has

  bool is_known() const { return warm_s || cold_s; }
  bool operator==(const Measured&) const = default;
};

/// Who wrote the kernels: a framework's libraries, a compiler for this network (torch.compile), or
/// an inference engine (TensorRT), which arranges tensors as its kernels want them.
enum class KernelSource : std::uint8_t { library, compiler, inference_engine };

/// How the elements of images lie in memory: channel by channel, position by position, or
/// position by position in blocks of channels (cuDNN's NC/32HW32 and the like).
enum class Layout : std::uint8_t { nchw, nhwc, blocked };

/// How the elements of an operand and of the result lie to each other in memory: in the same order
/// without gaps; in runs along the innermost axis, which both have in common (a slice, heads that
/// change places with positions); or with another axis innermost, as in a transposed matrix. Of an
/// attention: its mask.
enum class Access : std::uint8_t { contiguous, strided, transposed };

/// How an upsampling makes an element of those around it.
enum class Interpolation : std::uint8_t { nearest, bilinear, bicubic };

/// Whose kernel an attention runs, as PyTorch's SDPBackend has them.
enum class AttentionBackend : std::uint8_t { cudnn, flash, efficient };

/// What libraries take where nothing is said: PyTorch and cuDNN run fp32 layers in NCHW and all
/// others, TF32 among them, in NHWC; the measurements were made so.
constexpr Layout usual_layout(DataType type) {
  return type == DataType::fp32 || type == DataType::fp64 ? Layout::nchw : Layout::nhwc;
}

/// What a layer states of itself and keeps as it is stated: nothing of it is worked out. (Each
/// member is a row of src/model/layer_fields.hpp.)
struct LayerTraits {
  bool bias = false;    ///< of convolutions and linear layers
  bool causal = false;  ///< attention: a query sees the keys up to its own place, from the end
  bool fp16_accumulate = false;  ///< contractions in fp16 and fp8 whose kernel sums up in fp16
  bool masked = false;           ///< attention: a tensor is added to the scores
  std::optional<AttentionBackend> backend;  ///< of attention; none: the fastest that the GPU has
  bool batch_statistics = false;  ///< a batch norm in training: of the batch, not running means
  std::optional<Layout> layout;   ///< of images; none: usual_layout
  std::optional<Access> access;   ///< of what works element by element; none: contiguous
  std::optional<Interpolation> interpolation;  ///< of an upsampling; none: nearest
  bool training_only = false;                  ///< never runs in inference (auxiliary heads)
  bool in_place = false;                       ///< the result takes the place of the input
  bool fp32_under_autocast = false;            ///< whatever the types of its operands
  bool shared_weights = false;  ///< an earlier layer's, which counts them as parameters
  bool is_kept = false;         ///< the caller keeps what it writes: a result of the network
  SharedValue<Measured> measured;
  SharedValue<std::string> source_line;  ///< of the model's code: "net.py:12"; empty: not stated
};

/// A kernel that a compiler wrote for one layer or several.
struct GeneratedKernel {
  std::uint64_t places = 0;  ///< elements of its largest tensor, which it goes over; 0: none
  std::uint64_t read_byte = 0;
  std::uint64_t written_byte = 0;
  std::uint64_t kernels = 1;    ///< one after the other, where results of many blocks are added up
  bool may_touch_less = false;  ///< as Counts::is_upper_estimate of one of its layers
  // What it computes at each place.
  std::uint64_t norms = 0;       ///< batch norms, from their statistics
  std::uint64_t functions = 0;   ///< exponentials and the like
  std::uint64_t parts = 0;       ///< operands of concatenations, of which it picks one
  std::uint64_t reductions = 0;  ///< sums or maxima of rows of places
  std::uint64_t rows = 0;        ///< that are reduced within blocks

  bool operator==(const GeneratedKernel&) const = default;
};

struct Layer : LayerTraits {
  std::string name;  ///< unique in its network
  LayerKind kind = LayerKind::conv;
  Pass pass = Pass::fwd;
  bool states_pass = false;  ///< its source says which pass it is: it runs in no other
  DataTypes dtypes;
  KernelSource kernels = KernelSource::library;
  bool folded_norm = false;  ///< a batch norm is folded in: there is a bias to read
  /// The way in which the network is run added it: a kernel that is no layer of its source, or a
  /// layer for which another one now stands. No file of layers holds it.
  bool is_inserted = false;
  /// At least one; several for add, mul, concat, attention. After the first of a contraction: what
  /// its kernel reads beside and applies to the result.
  std::vector<Operand> inputs;
  std::size_t fused_input_count = 0;  ///< the last of them, of layers that are fused into this one
  Shape output;
  SharedValue<Window> window;  ///< convolutions and pools
  std::uint64_t groups = 1;
  /// Elements that share one mean and variance in a layer, group or instance norm.
  std::uint64_t norm_elements = 0;
  /// The layer of the network whose kernel does this one's work as well, if any.
  std::optional<std::size_t> fused_into;
  SharedValue<GeneratedKernel> generated;  ///< of the layer that has the compiler's kernel
  SharedValue<KernelMapping> mapping;
};

inline Layout layout_of(const Layer& layer) {
  return layer.layout.value_or(usual_layout(layer.dtypes.input));
}

/// Each input channel is a group of its own.
inline bool is_depthwise(const Layer& layer) {
  return layer.groups > 1 && layer.groups == layer.inputs.front().shape.channels;
}

}  // namespace roofline
