#pragma once

// The arithmetic and memory traffic of a layer, independent of its kernel.
//
// Conventions: 1 MAC = 1 multiply-add = 2 FLOP. FLOP of a contraction = 2 x MACs, without bias adds
// and epilogues. Taps on padding count, as in every published figure. Bytes are algorithmic: each
// needed operand element is read once, each result written once, at its own data type and with its
// block scales; no im2col. Elements skipped by a window's stride are not read. Bias bytes are in
// the weights.
//
// The roofline model: Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance
// Model for Multicore Architectures", Communications of the ACM 52(4), 2009.
//
//   roofline = max(FLOP / peak, bytes / bandwidth), all bytes from device memory
//
// No kernel with all these bytes and FLOP is faster. Two kinds have fewer: kernels with operands in
// cache (bounded by NetworkBounds and cached_bound_s() in analysis.hpp), and Winograd's algorithm
// and FFT, which need fewer FLOP than are counted.
//
// Example: 629,145,600 FLOP over 17,582,848 bytes on 15.7 TFLOP/s and 900 GB/s has an intensity of
// 35.8 FLOP/B above the ridge of 17.4, so it is bound by compute and needs 40.07 us. This is
// optimistic: no real kernel reaches both ceilings (see kernel.hpp).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"

namespace roofline {

struct Bytes {
  std::uint64_t input = 0;
  std::uint64_t weight = 0;
  std::uint64_t output = 0;
  std::uint64_t total = 0;
};

/// Backward passes keep the forward names: dgrad writes the gradient of the input (bytes.input) and
/// reads weight and the gradient of the output; wgrad writes bytes.weight.
struct Counts {
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;   ///< learned
  std::uint64_t buffers = 0;  ///< running statistics of a batch norm: kept, not learned
  Bytes bytes;
  std::uint64_t saved_byte = 0;  ///< part of bytes.input read by a backward pass
  /// The layer may touch fewer bytes, for example if indices repeat rows: the roofline is no bound.
  bool is_upper_estimate = false;
};

/// Throws OverflowError if a count exceeds 64 bits; a loaded Layer never does.
Counts count(const Layer& layer);

/// Whether a kernel runs for this pass. Contractions have all three; other kinds have no weight
/// gradient of their own (a norm's parameter gradients come with its data gradient); the gradient
/// of an add passes through and a flatten is a view, so neither runs a kernel.
bool runs(const Layer& layer, Pass pass);

/// Throws OverflowError if the product exceeds 64 bits.
std::uint64_t elements(const Shape& shape);

/// Read by a forward pass, and by a backward pass which needs it again. Throws OverflowError.
std::uint64_t elements_read(const Layer& layer, std::size_t operand);

/// ceil(bits x elements / 8), plus a byte per block of a block-scaled type. Throws OverflowError.
std::uint64_t stored_byte(std::uint64_t elements, DataType type);

enum class CeilingKind : std::uint8_t { datasheet, sustained };

struct Ceilings {
  EngineRates peak_flop_per_s;
  double bandwidth_byte_per_s = 0;
  CeilingKind kind = CeilingKind::datasheet;
  // The measured ceilings among them: the best rates of real kernels.
  EngineRates sustained_flop_per_s;
  std::optional<double> sustained_byte_per_s;

  bool operator==(const Ceilings&) const = default;
};

/// All roofs of a GPU, whichever `Ceilings` uses for the bound.
struct Roofs {
  EngineRates datasheet_flop_per_s;
  double datasheet_byte_per_s = 0;
  // Rates of long kernels in the kernel model.
  EngineRates practical_flop_per_s;
  double practical_byte_per_s = 0;
  double l2_byte_per_s = 0;

  bool operator==(const Roofs&) const = default;
};

enum class Bound : std::uint8_t { compute, memory };

struct RooflinePoint {
  std::optional<double> intensity_flop_per_byte;  ///< absent if no bytes move
  double ridge_flop_per_byte = 0;                 ///< peak / bandwidth
  Bound bound = Bound::memory;                    ///< compute if intensity >= ridge
  double compute_time_s = 0;
  double memory_time_s = 0;
  double roofline_time_s = 0;                   ///< the larger of the two
  std::optional<double> attainable_flop_per_s;  ///< flops / roofline_time_s; absent for time 0
};

/// The place of `counts` under a peak and a bandwidth, both > 0.
RooflinePoint evaluate(const Counts& counts, double peak_flop_per_s, double bandwidth_byte_per_s);

/// Choice of a library's engine for `layer` on a GPU with these peaks; its kernel may then compute
/// on another (KernelPlan::engine). Contractions take the tensor engine
/// of their data type if there is one, else the vector engine; depthwise convolutions and all other
/// kinds run on vector units. Vector units which lack a type, or are slower in it than in fp32,
/// convert and compute in fp32. A contraction with weights narrower than its input (weight-only
/// quantisation) multiplies in the input's type; types of 6 and 4 bits and block-scaled ones take
/// the next wider engine if the GPU lacks theirs: fp4 that of fp6, fp8 or fp16, int4 that of int8.
/// `tf32` runs fp32 contractions in TF32 if available, as PyTorch does for convolutions;
/// `fp16_accumulate` runs fp16 and fp8 ones with fp16 sums, twice as fast on GeForce GPUs and
/// common in inference engines. A layer may state this itself (Layer::fp16_accumulate).
enum class EngineChoice : std::uint8_t { automatic, vector, tensor, tf32, fp16_accumulate };

constexpr std::string_view name_of(EngineChoice choice) {
  switch (choice) {
    case EngineChoice::automatic: return "auto";
    case EngineChoice::vector: return "vector";
    case EngineChoice::tensor: return "tensor";
    case EngineChoice::tf32: return "tf32";
    case EngineChoice::fp16_accumulate: return "fp16-accumulate";
  }
  return {};
}

/// Frameworks choose differently for the two kinds of dense layers.
struct EngineChoices {
  EngineChoice convolutions = EngineChoice::automatic;
  EngineChoice products = EngineChoice::automatic;  ///< linear layers, matmul, attention

  constexpr EngineChoices() = default;
  constexpr EngineChoices(EngineChoice both) : convolutions(both), products(both) {}
  constexpr EngineChoices(EngineChoice convs, EngineChoice matrix_products)
      : convolutions(convs), products(matrix_products) {}

  bool operator==(const EngineChoices&) const = default;
};

EngineChoice choice_for(const Layer& layer, const EngineChoices& choices);

std::optional<Engine> select_engine(const Layer& layer, const EngineRates& peak_flop_per_s,
                                    const EngineChoices& choices);

/// The engine of the layer's bound: the fastest one that may compute it, whichever a library
/// chooses; of equal ones select_engine()'s. nullopt where that gives none. The choices say what
/// the stack may use, and so restrict the bound as well:
///
///   automatic        all engines of the type: its tensor cores (a narrow type's also of the next
///                    wider ones), its vector units and those of fp32 by conversion; of TF32 also
///                    those of fp32, and of fp32 never TF32
///   vector, tensor   of these the vector units alone, or the tensor cores alone
///   tf32             fp32 also in TF32
///   fp16_accumulate  fp16 and fp8 also with fp16 sums
///
/// Depthwise convolutions multiply like dense ones, and may take tensor cores; `tensor` takes the
/// vector units from dense layers only. Other kinds have no products for tensor cores.
std::optional<Engine> fastest_engine(const Layer& layer, const EngineRates& peak_flop_per_s,
                                     const EngineChoices& choices);

/// An engine which a library may take in place of `engine` to be faster: vector units for channels
/// which do not fill a tensor core's vectors, and for TF32 on GPUs where it is hardly faster than
/// FP32. nullopt if a mapping is stated.
std::optional<Engine> other_engine(const Layer& layer, const EngineRates& peak_flop_per_s,
                                   Engine engine);

}  // namespace roofline
