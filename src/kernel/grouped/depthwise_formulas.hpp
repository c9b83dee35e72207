#pragma once

// Kernels of depthwise convolutions; grouped_kernel.hpp says which there are.

#include "kernel/grouped/convolution_problem.hpp"

namespace roofline {

/// cuDNN's fast depthwise kernels know square windows of 3, 5 and 7; with 16 bits also a dilation
/// of 2, and with TF32 no weight gradient of 7 or of channels off four (kernel names measured).
bool has_tiled_kernel(const ConvolutionProblem& p);

/// The data gradient's kernel with large tiles (names sm90_xmma_depthwise_convolution_dgrad).
bool has_wide_dgrad(const ConvolutionProblem& p);

template <class Trace>
struct DepthwiseFormulas : GroupedFormulas<Trace> {
  using Formulas = GroupedFormulas<Trace>;
  using Formulas::direct_work;
  using Formulas::k;
  using Formulas::outputs;
  using Formulas::p;
  using Formulas::start_of;
  using Formulas::trace;
  using Formulas::valid_taps;
  using Formulas::window_taps;
  using typename Formulas::Number;
  using typename Formulas::Work;

  /// Elements that tiles of 4 x 8 compute for one that exists.
  Number tile_waste() const {
    const Shape& made = p.pass == Pass::dgrad ? *p.input : *p.output;
    const Number rows = static_cast<double>(made.spatial[1]);
    const Number columns = static_cast<double>(made.spatial[2]);
    return trace.factor("elements made for each that exists",
                        divide_up(rows, 4) * 4 / rows * (divide_up(columns, 8) * 8 / columns));
  }

  /// What tiles fetch from L2 beyond the tensors: each tile of 4 x 8 elements (2 x 4 of four bytes)
  /// brings its window's border along. Counters: x1.8 of the input for a window of 3 with 16 bits,
  /// x3.3 with TF32.
  Number halo_byte() const {
    const Window& w = *p.layer->window;
    const double rows = p.is_16bit ? 4 : 2;
    const double columns = p.is_16bit ? 8 : 4;
    const Number reach = static_cast<double>((w.kernel[2] - 1) * w.dilation[2]);
    const Number stride = static_cast<double>(w.stride[2]);
    const Number tile = rows * columns * stride * stride;
    const Number fetched = (rows * stride + reach) * (columns * stride + reach);
    return trace.summand("bytes of tiles' borders",
                         (fetched / tile - 1) * p.input_element() * p.element_byte, "byte");
  }

  Work tiled() const {
    const DirectKernel& kernel = (p.is_16bit ? k.tiled_16bit : k.tiled_32bit)[p.pass];
    const bool wgrad = p.pass == Pass::wgrad;
    const Number taps = window_taps();
    const Number steps = wgrad ? sqrt(Number(p.output_positions)) : taps;
    const Number made = outputs();
    Number macs = made * taps;
    if (wgrad && p.stride > 1)
      macs = macs * trace(p.is_16bit ? k.strided_wgrad_16bit : k.strided_wgrad_32bit);
    Work work =
        direct_work(Algorithm::depthwise_tiled_nhwc, kernel, steps, macs, made, tile_waste());
    work.reread_byte = halo_byte();
    return work;
  }

  Work wide_dgrad() const {
    const Number taps = window_taps(), made = outputs();
    Work work = direct_work(Algorithm::depthwise_wide_nhwc, k.large_tile_16bit_dgrad, taps,
                            made * taps, made, tile_waste());
    work.reread_byte = halo_byte();
    return work;
  }

  Work untiled_dgrad() const {
    const Number taps = window_taps(), made = outputs();
    return direct_work(Algorithm::depthwise_dgrad_nhwc, k.untiled_dgrad, taps, made * taps, made);
  }

  Work general() const {
    const Number taps = valid_taps(), made = outputs();
    return direct_work(Algorithm::grouped_direct_nhwc, k.general_nhwc[p.pass],
                       p.pass == Pass::wgrad ? Number{} : taps,
                       made * taps * (p.pass == Pass::dgrad ? p.group_out : 1), made);
  }

  /// PyTorch's forward kernel: each window row is a loop of its own.
  Work forward_nchw() const {
    const bool unrolled = p.layer->window->kernel[2] <= 5;
    const Number taps = valid_taps(), made = outputs();
    const Number rows = trace.named("window rows inside the input, on average", p.valid_rows, "",
                                    "window and padding");
    Work work =
        direct_work(Algorithm::depthwise_forward_nchw,
                    unrolled ? k.nchw_forward : k.nchw_forward_looped, taps, made * taps, made);
    work.clocks =
        work.clocks + made * rows * trace(unrolled ? k.nchw_row_clock : k.nchw_looped_row_clock);
    return work;
  }

  /// Every tap is tested, also those that a stride or the border rules out.
  Work dgrad_nchw() const {
    const bool unrolled = p.layer->window->kernel[2] <= 5;
    const Number taps = window_taps(), made = outputs() * p.group_out;
    return direct_work(Algorithm::depthwise_dgrad_nchw,
                       unrolled ? k.nchw_dgrad : k.nchw_dgrad_looped, taps * p.group_out,
                       made * taps, made);
  }

  /// PyTorch's weight gradient: a block for each tap of each channel; each of its warps takes
  /// images in turn, 32 positions a step. Batch 1 leaves one warp a block.
  Work wgrad_nchw() const {
    constexpr double warp_size = 32;
    const double warps = std::min(p.batch, 8.0);
    Work work = start_of(Algorithm::depthwise_wgrad_nchw, k.nchw_wgrad_start_s);
    work.blocks = p.groups * p.group_out * p.taps;
    work.threads = warps * warp_size;
    const Number blocks = trace.named("blocks", Number(p.groups) * p.group_out * p.taps);
    const Number steps =
        trace.named("steps an image", divide_up(p.output_positions, Number(warp_size)));
    work.clocks = blocks * trace(k.nchw_wgrad_block_clock) +
                  blocks * p.batch * trace(k.nchw_wgrad_image_clock) +
                  blocks * p.batch * steps * trace(k.nchw_wgrad_step_clock);
    // The chain of one block hides once several blocks share the SM.
    work.floor_s =
        trace.named("chain of a warp",
                    divide_up(Number(p.batch), warps) * steps * trace(k.nchw_wgrad_step_s), "s");
    work.useful_share = p.output_positions / (steps * warp_size);
    return work;
  }
};

}  // namespace roofline
