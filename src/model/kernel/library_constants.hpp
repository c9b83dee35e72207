#pragma once

// What the kernels of PyTorch and cuDNN cost, apart from the memory they move. "Clocks" are SM
// clocks of one SM: with 132 SMs busy, 132 elements of one clock each take one clock together.
// "Rounds" are dependent memory round trips, priced by MemorySystem. library_constants.cpp says how
// each value was obtained.

namespace roofline {

/// A kernel that streams.
struct StreamKernel {
  double start_s;        ///< beyond the launch: filling the SMs, parameters, the tail
  double rounds;         ///< dependent round trips, whatever the size
  double element_clock;  ///< a produced element
  double efficiency;     ///< of the sustained memory rates
};

/// A pool: the cost of an output grows with its window.
struct PoolKernel {
  double start_s;
  double output_round;  ///< round trips an output that a thread makes
  double tap_round;     ///< and a tap of it
  double output_clock;
  double tap_clock;
  double input_clock;  ///< an input element that the window moves on to
  double efficiency;
};

struct StreamingConstants {
  StreamKernel vectorized;          ///< one contiguous operand, 16 bytes a thread in flight
  StreamKernel vectorized_several;  ///< several of one shape: more bytes in flight
  double simple_clock;              ///< an element of ReLU and the like
  double exponential_clock;         ///< sigmoid, tanh, SiLU
  double erf_clock;                 ///< GELU
  StreamKernel broadcast;   ///< operands of differing shapes: one element a thread and access
  StreamKernel norm_inner;  ///< batch norm, channels innermost
  StreamKernel norm_plane;  ///< batch norm, a block a plane
  double norm_plane_clock;  ///< a plane, however small
  StreamKernel norm_backward_inner;
  StreamKernel norm_backward_plane;
  StreamKernel concat_inner;
  StreamKernel concat_plane;
  double concat_block_clock;  ///< starting a block
  PoolKernel max_inner;
  PoolKernel max_plane;
  PoolKernel average_inner;
  PoolKernel average_plane;
  PoolKernel max_backward;
  PoolKernel average_backward;
  StreamKernel mean_inner;  ///< global average pool
  StreamKernel mean_plane;
  double mean_plane_clock;  ///< a plane
  double mean_row_round;    ///< round trips a 64 positions that one thread sums in turn
  StreamKernel upsample_inner;
  StreamKernel upsample_plane;
  StreamKernel softmax_warp;  ///< rows of up to 2048
  StreamKernel softmax_block;
  double softmax_lane_round;  ///< round trips an element that a lane of a warp holds
  StreamKernel layer_norm;
  double layer_norm_row_clock;
  StreamKernel layer_norm_ragged;  ///< rows that are no multiple of four elements
  double layer_norm_ragged_row_clock;
  StreamKernel layer_norm_backward;
  double layer_norm_backward_row_clock;
  double row_step_round;  ///< round trips a step of a block along its row
};

/// A direct convolution: a thread makes outputs tap by tap, on the vector units.
struct DirectKernel {
  double start_s;
  double step_s;        ///< a step of the chain that one thread walks and nothing hides
  double mac_clock;     ///< a multiply-add
  double output_clock;  ///< an output: index arithmetic and the store
  double efficiency;    ///< of the sustained memory rates
};

/// An implicit GEMM on the tensor cores over channels packed to a tile's width.
struct PackedKernel {
  double start_s;
  double step_s;                       ///< a K step that nothing hides
  double fetch_byte_per_clock_per_sm;  ///< operand fetch, taps of the window read again
  double efficiency;
};

/// GEMMs group by group, or a batched one.
struct GroupKernel {
  double start_s;                ///< a group beyond its launches
  double step_s;                 ///< a K step of 32 that nothing hides
  double flop_per_clock_per_sm;  ///< arithmetic on whole tiles
  double launches;               ///< a group
};

struct ConvolutionConstants {
  // Depthwise, channels innermost (cuDNN), by pass.
  DirectKernel tiled_half[3];
  DirectKernel tiled_single[3];
  DirectKernel wide_half_dgrad;  ///< unit strides, windows of 3 and 5: large tiles
  DirectKernel untiled_dgrad;    ///< any window and dilation
  double strided_wgrad_half;     ///< multiply-adds cost more where neighbours share no taps
  double strided_wgrad_single;
  // Depthwise, columns innermost (PyTorch).
  DirectKernel plane_forward;  ///< windows up to 5: unrolled
  DirectKernel plane_forward_wide;
  double plane_row_clock;  ///< a window row of plane_forward
  double plane_wide_row_clock;
  DirectKernel plane_dgrad;  ///< windows up to 5: unrolled
  DirectKernel plane_dgrad_wide;
  double plane_wgrad_step_clock;   ///< 32 positions of one image, in a warp
  double plane_wgrad_image_clock;  ///< an image, in a warp
  double plane_wgrad_block_clock;  ///< a block: one tap of one channel
  double plane_wgrad_step_s;
  double plane_wgrad_start_s;
  // Grouped, channels innermost.
  PackedKernel packed_half[3];
  PackedKernel packed_single[3];
  PackedKernel packed_single_strided;  ///< strided dgrad of TF32
  double packed_strided_share;         ///< of the taps that a strided dgrad visits
  double repack_start_s;               ///< two layout changes around a packed kernel
  double repack_element_clock;
  GroupKernel group_half[3];
  GroupKernel group_single[3];
  GroupKernel batched_half[3];    ///< one launch over all groups, tiles of 128 x 128
  double slice_element_clock;     ///< copying a group's channels out and in, aligned
  DirectKernel general_inner[3];  ///< the general grouped kernel: any window, any group
  // Grouped, columns innermost.
  GroupKernel group_plane[3];
  GroupKernel small_plane_dgrad;  ///< tiles of 32 x 32, groups of 20 channels and more
  GroupKernel winograd_plane_wgrad;
  DirectKernel general_plane[3];
};

struct LibraryConstants {
  const char* origin;  ///< a literal: where they come from
  StreamingConstants streaming;
  ConvolutionConstants convolution;
};

/// PyTorch 2.11 with cuDNN 9.19: the only library generation measured.
const LibraryConstants& library_constants();

}  // namespace roofline
