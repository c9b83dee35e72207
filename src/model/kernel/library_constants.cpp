#include "model/kernel/library_constants.hpp"

namespace roofline {
namespace {

// Obtained on one H200 (PyTorch 2.11, cuDNN 9.19, CUDA 13, driver 580) in CUDA graphs: layers of
// h200.csv, h200_ops.ndjson and h200_odd_convs.ndjson, and about 2700 more grouped, depthwise and
// streaming timings of the same kind. Each kernel's first values were read off its own rows (time
// over elements at large sizes gives the clocks, time at batch 1 the start and the chain, cold
// minus warm time the rounds); coordinate descent over all rows then moved them, mostly little, and
// they are rounded to two digits. Orders in braces as in library_constants.hpp.
constexpr LibraryConstants measured{
    .origin = "fitted to about 3,700 layers on an H200 (PyTorch 2.11, cuDNN 9.19)",
    .streaming =
        {
            // PyTorch's vectorized_elementwise_kernel: floor 1.3 us; ReLU of 1 GiB at 4.0, add at
            // 4.4 TB/s; GELU 0.33 and sigmoid 0.22 clocks an element where the L2 feeds them.
            .vectorized = {0, 1.1, 0.01, 0.93},
            .vectorized_several = {0, 0.64, 0.01, 1},
            .simple_clock = 0.05,
            .exponential_clock = 0.29,
            .erf_clock = 0.35,
            .broadcast = {0.84e-6, 2.1, 0.69, 1},
            // cuDNN's and PyTorch's batch norm: floor 5 to 7 us channels innermost; 158 clocks a
            // plane of 7 x 7 or 14 x 14, 2.8 TB/s for large ones. norm_backward: five layers each.
            .norm_inner = {4.1e-6, 4.3, 0.3, 0.54},
            .norm_plane = {0.45e-6, 1.1, 0.2, 0.65},
            .norm_plane_clock = 158,
            .norm_backward_inner = {7.8e-6, 6.9, 0.4, 0.8},
            .norm_backward_plane = {0.079e-6, 1.8, 1, 0.32},
            // CatArrayBatchedCopy: 1.0 us an operand beside one of 0.8 M elements, 2.4 us from 2.2
            // M.
            .concat_inner = {0.85e-6, 0.024, 0.59, 1},
            .concat_plane = {0.19e-6, 0.33, 0.2, 0.95},
            .concat_block_clock = 160,
            // PyTorch's pools: 18 us for 16 outputs of 2 x 2 in turn, 25 us of 3 x 3 (cold 32 and
            // 48); plane kernels 2.85 clocks an output of 2 x 2, 3.7 of 3 x 3.
            .max_inner = {5e-6, 1.5, 0.33, 0.99, 0.2, 0.31, 0.37},
            .max_plane = {1.1e-6, 0.36, 0.27, 2.2, 0.2, 0.026, 1},
            .average_inner = {1.2e-6, 0.46, 0.45, 4.6, 0.12, 0, 1},
            .average_plane = {0.77e-6, 2, 0.34, 2.5, 0.094, 0, 1},
            .max_backward = {5.9e-6, 6.2, 0.69, 1.2, 0.15, 0, 1},
            .average_backward = {1e-6, 2.4, 0.62, 4.5, 0, 0, 1},
            // reduce_kernel: 57 clocks an output of a plane; rows of 64 positions in turn.
            .mean_inner = {1.3e-6, 6.2, 0.064, 1},
            .mean_plane = {0.4e-6, 2.8, 0.2, 0.74},
            .mean_plane_clock = 57,
            .mean_row_round = 2.7,
            .upsample_inner = {0.39e-6, 0.27, 1.6, 1},
            .upsample_plane = {0.023e-6, 2.4, 0.86, 1},
            // Softmax: 0.45 clocks an element up to 2048 features, 0.85 beyond; layer norm 220 to
            // 320 clocks a row and 0.4 an element, 1470 a row of 197 features.
            .softmax_warp = {0.89e-6, 0.34, 0.49, 0.96},
            .softmax_block = {0.3e-6, 6, 0.83, 1},
            .softmax_lane_round = 0.29,
            .layer_norm = {1.7e-6, 0.039, 0.32, 0.6},
            .layer_norm_row_clock = 280,
            .layer_norm_ragged = {3e-6, 4, 1, 1},
            .layer_norm_ragged_row_clock = 1300,
            .layer_norm_backward = {0.92e-6, 3, 0.82, 1},
            .layer_norm_backward_row_clock = 950,
            .row_step_round = 1.8,
        },
    .convolution =
        {
            // conv2d_c1_k1_nhwc, dgrad2d_c1_k1_nhwc, wgrad2d_c1_k1_nhwc and sm90_xmma_depthwise:
            // forward 15 TFLOP/s with 16 bits, 7 with TF32; at batch 1 3.3, 6.3 and 13 us for
            // windows of 3, 5 and 7. A window's taps cost a round trip each, not overlapped.
            .tiled_half = {{2e-6, 0.23e-6, 0.029, 0.087, 0.67},
                           {1.2e-6, 0.072e-6, 0.086, 0, 0.8},
                           {8.1e-6, 0.051e-6, 0.025, 0.14, 0.75}},
            .tiled_single = {{1.5e-6, 0.074e-6, 0.076, 0, 0.99},
                             {0.27e-6, 0.13e-6, 0.11, 0, 0.96},
                             {13e-6, 0, 0.061, 0, 0.98}},
            .wide_half_dgrad = {5e-6, 0.5e-6, 0.022, 0.056, 0.48},
            .untiled_dgrad = {3.5e-6, 0.38e-6, 0.31, 0.49, 0.88},
            .strided_wgrad_half = 1.7,
            .strided_wgrad_single = 4.3,
            // PyTorch's conv_depthwise2d kernels: forward 2.3, 3.9 and 7.9 clocks an output for
            // windows of 3, 5 and 7; data gradient 4.2 an input for 3; weight gradient 24 an image
            // and 12.5 a step of 32 positions (7 x 7 to 56 x 56 within 10 %).
            .plane_forward = {0.74e-6, 0.088e-6, 0.0064, 0.087, 1},
            .plane_forward_wide = {2.3e-6, 0.072e-6, 0.033, 0, 0.74},
            .plane_row_clock = 0.83,
            .plane_wide_row_clock = 1.3,
            .plane_dgrad = {1.1e-6, 0.054e-6, 0.051, 3.6, 1},
            .plane_dgrad_wide = {3.7e-6, 0.069e-6, 0.14, 4.3, 1},
            .plane_wgrad_step_clock = 12,
            .plane_wgrad_image_clock = 23,
            .plane_wgrad_block_clock = 94,
            .plane_wgrad_step_s = 0.12e-6,
            .plane_wgrad_start_s = 1.5e-6,
            // sm80 and sm90_xmma implicit GEMM with groups in the tile: 340 clocks a step of 64 x
            // 64 x 64 whatever the group, that is 24 bytes a clock of operand fetch.
            .packed_half = {{4.3e-6, 0.067e-6, 29, 0.96},
                            {3.9e-6, 0.04e-6, 43, 0.86},
                            {1.7e-6, 0.35e-6, 30, 0.96}},
            .packed_single = {{4.2e-6, 0.092e-6, 37, 0.89},
                              {7.7e-6, 0.29e-6, 28, 1},
                              {12e-6, 1.2e-6, 11, 0.99}},
            .packed_single_strided = {5.2e-6, 1.1e-6, 12, 0.86},
            .packed_strided_share = 1,
            // tensorTransformGeneric before and after: 34 to 40 us at the least.
            .repack_start_s = 29e-6,
            .repack_element_clock = 2.1,
            // Slice, cutlass kernel, concatenation a group; cudnn_generated_fort_native for all
            // groups.
            .group_half = {{2.5e-6, 0.13e-6, 490, 3},
                           {13e-6, 0.0076e-6, 1900, 3},
                           {3.5e-6, 0.16e-6, 980, 3}},
            .group_single = {{0.25e-6, 0.3e-6, 600, 4},
                             {12e-6, 0.072e-6, 650, 4},
                             {5.3e-6, 0.2e-6, 410, 4}},
            .batched_half = {{3e-6, 0.28e-6, 1400, 1},
                             {0.43e-6, 0.25e-6, 1800, 1},
                             {3.8e-6, 0.69e-6, 1900, 1}},
            .slice_element_clock = 0.97,
            .general_inner = {{2.7e-6, 0.48e-6, 1.2, 3, 1},
                              {8.3e-6, 0.57e-6, 0.68, 9.1, 1},
                              {1.2e-6, 0.11e-6, 2.2, 0.97, 1}},
            // implicit_convolve_sgemm and its gradients: 21 TFLOP/s on columns padded to 32.
            .group_plane = {{0.68e-6, 0.17e-6, 100, 1},
                            {4e-6, 0, 96, 2},
                            {1.5e-6, 0.036e-6, 61, 1}},
            .small_plane_dgrad = {4.5e-6, 0, 100, 1},
            .winograd_plane_wgrad = {4.8e-6, 0.045e-6, 340, 4},
            .general_plane = {{1.2e-6, 0.19e-6, 0.36, 0.098, 0.86},
                              {3.2e-6, 0.13e-6, 0.27, 0.024, 1},
                              {5.9e-6, 0.62e-6, 0.71, 0.023, 0.83}},
        },
};

}  // namespace

const LibraryConstants& library_constants() { return measured; }

}  // namespace roofline
