#pragma once

// The constants of the kernel model: what the formulas of this folder take from measurement rather
// than from a datasheet. Plain numbers in groups; constant_fields.cpp lists them with their units,
// files (configs/kernels) hold their values, one file a library and architecture.
//
// "Clocks" are SM clocks of one SM: with 132 SMs busy, 132 elements of one clock each take one
// clock together. "Round trips" are dependent accesses to memory, priced by MemorySystem.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/measured_errors.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// The memory system of an architecture, independent of a part's size.
struct MemoryConstants {
  double dram_share;
  double l2_byte_per_clock_per_sm;
  double l2_operand_byte_per_clock_per_sm;
  double l2_write_share;
  double l2_kept_share;
  double l2_lost_share;
  double l2_dirty_share;
  double l2_dram_ratio;
  double cold_share;
  double l2_latency_s;
  double dram_latency_s;
};

/// What it takes to start a kernel, by what starts it.
struct LaunchConstants {
  double start_s;
  double gap_s;
  double stream_s;
};

/// What lowers the rates of a whole part. A board at its power limit lowers the clock.
struct PartConstants {
  double vector_joule_per_flop;
  double tensor_joule_per_flop;
  double arithmetic_power_share;
  double power_load_share;
  double clock_power_exponent;
  double clock_share;
  double library_share;
  double int8_share;
  double integer_joule_share;
};

/// Dense contractions on one class of engines.
struct DenseConstants {
  // The main loop.
  double math_share;
  double operand_element;
  double step_latency_clk;
  double library_share;
  double window_step_latency_clk;
  double window_latency_clk;
  double block_latency_clk;
  double gather_per_clk_per_sm;
  double wgrad_gather;
  double first_layer_gather;
  double scatter_per_clk_per_sm;
  double store_byte_per_clk_per_sm;
  double dgrad_share;
  double wgrad_share;
  double dilated_share;
  double short_row_flop_per_clk_per_sm;
  double odd_row_flop_per_clk_per_sm;

  // Memory and launches.
  double start_s;
  double library_start_s;
  double extra_kernel_s;
  double window_reduce_s;
  double fft_share;
  double transpose_per_clk_per_sm;
  double winograd_share;
  double transform_per_clk_per_sm;
  double weight_transform_per_clk_per_sm;
  double batched_share;
};

/// Where a library takes other kernels for a convolution.
struct SelectionConstants {
  double near_dilation;
  double gathered_window;
  double wgrad_splits;
};

/// A kernel that streams.
struct StreamKernel {
  double start_s;
  double round_trips;
  double element_clock;
  double in_flight_byte;
};

/// A pool: the cost of an output grows with its window.
struct PoolKernel {
  double start_s;
  double output_round_trip;
  double tap_round_trip;
  double output_clock;
  double tap_clock;
  double input_clock;
  double in_flight_byte;
};

/// Sums and the like over some axes.
struct ReductionKernel {
  double start_s;
  double warp_clock;
  double load_clock;
  double step_round_trip;
  double meeting_round_trip;
  double partial_round_trip;
  double in_flight_byte;
};

struct GroupNormKernel {
  double start_s;
  double row_clock;
  double element_clock;
  double step_round_trip;
  double image_round_trip;
  double in_flight_byte;
};

struct StreamingConstants {
  StreamKernel vectorized;          ///< one contiguous operand, 16 bytes a thread in flight
  StreamKernel vectorized_several;  ///< several of one shape: more bytes in flight
  double simple_clock;
  double exponential_clock;
  double erf_clock;
  double backward_ratio;
  StreamKernel broadcast;   ///< operands of differing shapes: one element a thread and access
  StreamKernel permuted;    ///< in another order, or types that are widened: an element a load
  StreamKernel transposed;  ///< another axis innermost: a sector of memory an element
  double gather_row_clock;
  double scatter_element_clock;
  ReductionKernel reduction;
  GroupNormKernel group_norm;
  GroupNormKernel group_norm_backward;
  StreamKernel norm_nhwc;  ///< batch norm
  StreamKernel norm_nchw;  ///< batch norm, a block a channel of an image
  double norm_nchw_block_clock;
  double norm_channel_clock;
  double norm_in_flight_byte;
  StreamKernel norm_statistics_nhwc;
  StreamKernel norm_statistics_nchw;
  StreamKernel norm_backward_nhwc;
  StreamKernel norm_backward_nchw;
  StreamKernel concat_nhwc;
  StreamKernel concat_nchw;
  double concat_block_clock;
  PoolKernel max_nhwc;
  PoolKernel max_nchw;
  PoolKernel average_nhwc;
  PoolKernel average_nchw;
  PoolKernel max_backward_nhwc;
  PoolKernel max_backward_nchw;
  double max_backward_lone_clock;
  PoolKernel average_backward;
  StreamKernel upsample_nhwc;
  StreamKernel upsample_nchw;
  double upsample_tap_clock;
  double upsample_plane_round_trip;
  StreamKernel softmax_warp;  ///< rows of up to 2048
  StreamKernel softmax_block;
  double softmax_lane_round_trip;
  StreamKernel layer_norm;
  double layer_norm_row_clock;
  double rms_norm_row_clock;
  StreamKernel layer_norm_ragged;  ///< rows that are no multiple of four elements
  double layer_norm_ragged_row_clock;
  StreamKernel layer_norm_backward;
  double layer_norm_backward_row_clock;
  StreamKernel layer_norm_parameters;  ///< their gradients: sums over the rows
  double row_step_round_trip;
};

/// A direct convolution: a thread makes outputs tap by tap, on the vector units.
struct DirectKernel {
  double start_s;
  double step_round_trip;
  double mac_clock;
  double output_clock;
  double in_flight_byte;
};

/// An implicit GEMM on the tensor cores over channels packed to a tile's width.
struct PackedKernel {
  double start_s;
  double step_round_trip;
  double fetch_byte_per_clock_per_sm;
  double in_flight_byte;
};

/// GEMMs group by group, or a batched one.
struct GroupKernel {
  double start_s;
  double step_s;
  double flop_per_clock_per_sm;
  double launches;
};

/// One for each pass.
template <class Kernel>
using ByPass = EnumArray<Pass, Kernel>;

struct GroupedConstants {
  // Depthwise, NHWC (cuDNN), by pass.
  ByPass<DirectKernel> tiled_16bit;
  ByPass<DirectKernel> tiled_32bit;
  DirectKernel large_tile_16bit_dgrad;  ///< unit strides, windows of 3 and 5: large tiles
  DirectKernel untiled_dgrad;           ///< any window and dilation
  double strided_wgrad_16bit;
  double strided_wgrad_32bit;
  // Depthwise, NCHW (PyTorch).
  DirectKernel nchw_forward;  ///< windows up to 5: unrolled
  DirectKernel nchw_forward_looped;
  double nchw_row_clock;
  double nchw_looped_row_clock;
  DirectKernel nchw_dgrad;  ///< windows up to 5: unrolled
  DirectKernel nchw_dgrad_looped;
  double nchw_wgrad_step_clock;
  double nchw_wgrad_image_clock;
  double nchw_wgrad_block_clock;
  double nchw_wgrad_step_s;
  double nchw_wgrad_start_s;
  // Grouped, NHWC.
  ByPass<PackedKernel> packed_16bit;
  ByPass<PackedKernel> packed_32bit;
  PackedKernel packed_32bit_strided;  ///< strided dgrad of TF32
  double packed_strided_share;
  double repack_start_s;
  double repack_element_clock;
  ByPass<GroupKernel> group_16bit;
  ByPass<GroupKernel> group_32bit;
  ByPass<GroupKernel> batched_16bit;  ///< one launch over all groups, tiles of 128 x 128
  double slice_element_clock;
  ByPass<DirectKernel> general_nhwc;  ///< the general grouped kernel: any window, any group
  // Grouped, NCHW.
  ByPass<GroupKernel> group_nchw;
  GroupKernel small_nchw_dgrad;  ///< tiles of 32 x 32, groups of 20 channels and more
  GroupKernel winograd_nchw_wgrad;
  ByPass<DirectKernel> general_nchw;
};

/// Attention in one kernel, over tiles of queries and keys.
struct AttentionKernel {
  double start_s;
  double tensor_share;
  double vector_share;
  double score_clock;
  double block_clock;
};

struct AttentionConstants {
  double flash_share;
  double mask_score_clock;
  AttentionKernel forward;
  AttentionKernel backward;
};

/// Which constants a dense engine takes.
enum class EngineClass : std::uint8_t { vector, tensor, tf32 };

/// What an engine is to the kernel model. No fact has a default.
struct EngineFacts {
  constexpr EngineFacts(EngineClass engine_class_, double operand_byte_,
                        std::uint32_t channel_alignment_, DataType error_type_)
      : engine_class(engine_class_),
        operand_byte(operand_byte_),
        channel_alignment(channel_alignment_),
        error_type(error_type_) {}

  EngineClass engine_class;
  double operand_byte;              ///< of an element
  std::uint32_t channel_alignment;  ///< that vector loads need, in elements
  DataType error_type;              ///< see error_type_of()
};

// NOLINTBEGIN(bugprone-branch-clone): one row an engine
// clang-format off
constexpr EngineFacts facts_of(Engine engine) {
  using Class = EngineClass;
  switch (engine) {
    case Engine::fp64: return {Class::vector, 8, 1, DataType::fp32};
    case Engine::fp64_tensor: return {Class::tensor, 8, 2, DataType::fp32};
    case Engine::fp32: return {Class::vector, 4, 1, DataType::fp32};
    case Engine::fp32_tensor: return {Class::tf32, 4, 4, DataType::fp32};
    case Engine::tf32: return {Class::tf32, 4, 4, DataType::tf32};
    case Engine::fp16: return {Class::vector, 2, 1, DataType::fp16};
    case Engine::fp16_tensor: return {Class::tensor, 2, 8, DataType::fp16};
    case Engine::fp16_tensor_fp16_accumulate: return {Class::tensor, 2, 8, DataType::fp16};
    case Engine::bf16: return {Class::tensor, 2, 8, DataType::fp16};
    case Engine::bf16_vector: return {Class::vector, 2, 1, DataType::fp16};
    case Engine::fp8: return {Class::tensor, 1, 16, DataType::int8};
    case Engine::fp8_fp16_accumulate: return {Class::tensor, 1, 16, DataType::int8};
    case Engine::int8: return {Class::tensor, 1, 16, DataType::int8};
    case Engine::dp4a: return {Class::vector, 1, 4, DataType::int8};
    case Engine::int4: return {Class::tensor, 0.5, 32, DataType::int8};
    case Engine::fp6: return {Class::tensor, 0.75, 32, DataType::int8};
    case Engine::fp4: return {Class::tensor, 0.5, 32, DataType::int8};
  }
  return {Class::vector, 0, 0, DataType::fp32};
}
// clang-format on
// NOLINTEND(bugprone-branch-clone)

static_assert(std::ranges::all_of(enumerators<Engine>, [](Engine engine) {
  return facts_of(engine).operand_byte > 0;  // it has a row
}));

struct ConstantValues {
  MemoryConstants memory;
  LaunchConstants launch;
  PartConstants part;
  EnumArray<EngineClass, DenseConstants> dense;
  SelectionConstants selection;
  StreamingConstants streaming;
  GroupedConstants grouped;
  AttentionConstants attention;
};

/// How many constants there are: nothing else is among them.
inline constexpr std::size_t constant_count = sizeof(ConstantValues) / sizeof(double);

/// What a library's dense kernels can do, by class of engines.
struct LibraryFeatures {
  bool split_k = false;             ///< forward and data gradient too; weight gradients always may
  bool scatter = false;             ///< data gradients by atomics (cuDNN's algorithm 0)
  bool skips_empty_phases = false;  ///< of strided data gradients: phases that meet no tap
  bool unaligned_products = false;  ///< pointwise layers of any channels run without copies
  bool pads_gathered = false;       ///< few channels are padded to 8, no further
  bool converts_wgrad = false;  ///< weight gradients are summed in fp32 in memory, and converted
  bool winograd = false;        ///< in forward and data gradient, fp32
  bool winograd_wgrad = false;
  bool winograd_box = false;    ///< fused: blocks take boxes of 1 x 4 x 8 tiles, weights are
                                ///< transformed by a kernel before
  bool winograd_boxes = false;  ///< boxes of other shapes too
  bool fft = false;
  bool fft_tiled_fwd = false;  ///< forward tile by tile too, not only of whole images

  bool operator==(const LibraryFeatures&) const = default;
};

struct FeatureField {
  std::string_view key;
  bool LibraryFeatures::*member;
};
inline constexpr auto feature_fields = std::to_array<FeatureField>({
    {"split_k", &LibraryFeatures::split_k},
    {"scatter", &LibraryFeatures::scatter},
    {"skips_empty_phases", &LibraryFeatures::skips_empty_phases},
    {"unaligned_products", &LibraryFeatures::unaligned_products},
    {"pads_gathered", &LibraryFeatures::pads_gathered},
    {"converts_wgrad", &LibraryFeatures::converts_wgrad},
    {"winograd", &LibraryFeatures::winograd},
    {"winograd_wgrad", &LibraryFeatures::winograd_wgrad},
    {"winograd_box", &LibraryFeatures::winograd_box},
    {"winograd_boxes", &LibraryFeatures::winograd_boxes},
    {"fft", &LibraryFeatures::fft},
    {"fft_tiled_fwd", &LibraryFeatures::fft_tiled_fwd},
});

/// One kernel that a library has: its tile, m and n of the result in steps of k elements.
struct TileKernel {
  std::uint32_t m, n, k;
  std::uint32_t threads;
  std::uint32_t stages;
  std::uint32_t registers;  ///< a thread

  bool operator==(const TileKernel&) const = default;
};

/// Lists of a library's tiles. An empty list stands for the one that it falls back to.
enum class TileList : std::uint8_t {
  vector_gemm,
  vector_fwd,
  vector_dgrad,
  vector_wgrad,
  tensor_gemm,
  tensor_window,  ///< kernels that follow a window
  tensor_dgrad,
  tensor_wgrad,  ///< of windows
  tf32,
  tf32_strided_dgrad,
  byte,            ///< one-byte types
  byte_unaligned,  ///< the same for results whose rows are no multiple of 16 byte
  gathered_fwd,    ///< few channels, element by element
  gathered_window,
  gathered_wgrad,
};

using TileLists = EnumArray<TileList, std::vector<TileKernel>>;

/// Beside a constant's value: whether a file states it, where it may lie, and where it comes from.
struct ConstantNote {
  bool stated = false;
  double least = 0;
  double most = 0;
  std::size_t origin = 0;  ///< index in ModelConstants::origins

  bool operator==(const ConstantNote&) const = default;
};

/// A file of constants with all that it inherits.
struct ModelConstants {
  std::string name;
  std::string title;
  std::vector<std::string> covers;   ///< architectures ("Volta") and compute capabilities ("8.0")
  std::vector<std::string> made_by;  ///< the command lines that fitted the values
  ConstantValues values{};
  std::vector<ConstantNote> notes;  ///< in the order of constants_of
  std::vector<std::string> origins;
  EnumArray<EngineClass, LibraryFeatures> features;
  TileLists tiles;
  MeasuredErrors errors;  ///< its own before those that it inherits
};

}  // namespace roofline
