#pragma once

#include <algorithm>

#include "kernel/throughput_kernel.hpp"

namespace roofline {

struct ConvolutionProblem {
  const Layer* layer = nullptr;
  const Shape* input = nullptr;  ///< of the convolution; a transposed one is its data gradient
  const Shape* output = nullptr;
  Pass pass = Pass::fwd;  ///< of that convolution
  bool nhwc = false;
  bool copied = false;  ///< into NHWC and back
  bool has_long_window = false;
  double element_byte = 4;
  double batch = 1;
  double groups = 1;
  double group_in = 1;  ///< input channels per group
  double group_out = 1;
  double taps = 1;
  double valid_taps = 1;       ///< mean number inside the input
  double valid_rows = 1;       ///< mean number of window rows inside the input
  double stride = 1;           ///< product over the axes
  double input_positions = 1;  ///< per channel of an image
  double output_positions = 1;
  Streams streams;

  bool is_16bit() const { return element_byte <= 2; }
  double input_element() const { return batch * groups * group_in * input_positions; }
  double output_element() const { return batch * groups * group_out * output_positions; }
  /// Elements of the tensor made by a forward pass or data gradient.
  double made_element() const { return pass == Pass::dgrad ? input_element() : output_element(); }
  /// Positions behind a GEMM's rows: outputs, or inputs in a data gradient.
  double positions() const {
    return batch * (pass == Pass::dgrad ? input_positions : output_positions);
  }
};

inline constexpr double packed_tile = 64;  ///< channels of a packed tile
inline constexpr double batched_tile = 128;

template <class Eval>
struct GroupedFormulas {
  using Number = NumberOf<Eval>;
  using Work = ThroughputWork<Number>;

  static constexpr double k_step = 32;

  const ConvolutionProblem& p;
  const GroupedConstants& k;
  const ResolvedModel& model;
  const MachineRates<Number>& rates;
  Eval& eval;

  /// A kernel's work apart from arithmetic: the problem's bytes, one round trip.
  Work start_of(Algorithm algorithm, const double& start_s) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = eval.summand("start beyond the launch", eval(start_s), "s");
    work.streams = p.streams;
    work.round_trips = 1;
    return work;
  }

  /// For outputs in chains of `steps`; tiles make `waste` elements for each existing one.
  Work direct_work(Algorithm algorithm, const DirectKernel& kernel, const Number& steps,
                   const Number& macs, const Number& outputs, const Number& waste = 1) const {
    Work work = start_of(algorithm, kernel.start_s);
    work.l2_round_trips = steps * eval(kernel.step_round_trip);
    work.clocks =
        macs * waste * eval(kernel.mac_clock) + outputs * waste * eval(kernel.output_clock);
    work.useful_share = 1 / waste;
    work.in_flight_byte = eval(kernel.in_flight_byte) * rates.sm_count;
    return work;
  }

  Number outputs() const { return eval.named("outputs", p.made_element(), "", "layer"); }
  Number window_taps() const { return eval.named("taps", p.taps, "", "window"); }
  Number valid_taps() const {
    return eval.named("taps inside the input, on average", p.valid_taps, "", "window and padding");
  }

  // Depthwise convolutions.

  /// Elements computed by tiles of 4 x 8 for each existing one.
  Number tile_waste() const {
    const Shape& made = p.pass == Pass::dgrad ? *p.input : *p.output;
    const Number rows = static_cast<double>(made.spatial[1]);
    const Number columns = static_cast<double>(made.spatial[2]);
    return eval.factor("elements made for each that exists",
                       divide_up(rows, 4) * 4 / rows * (divide_up(columns, 8) * 8 / columns));
  }

  /// Each tile of 4 x 8 elements (2 x 4 of four bytes) also fetches its window's border from L2.
  /// Counters: x1.8 of the input for a window of 3 with 16 bits, x3.3 with TF32.
  Number halo_byte() const {
    const Window& w = *p.layer->window;
    const double rows = p.is_16bit() ? 4 : 2;
    const double columns = p.is_16bit() ? 8 : 4;
    const Number reach = static_cast<double>((w.kernel[2] - 1) * w.dilation[2]);
    const Number stride = static_cast<double>(w.stride[2]);
    const Number tile = rows * columns * stride * stride;
    const Number fetched = (rows * stride + reach) * (columns * stride + reach);
    return eval.summand("bytes of tiles' borders",
                        (fetched / tile - 1) * p.input_element() * p.element_byte, "byte");
  }

  Work tiled() const {
    const DirectKernel& kernel = (p.is_16bit() ? k.tiled_16bit : k.tiled_32bit)[p.pass];
    const bool wgrad = p.pass == Pass::wgrad;
    const Number taps = window_taps();
    const Number steps = wgrad ? sqrt(Number(p.output_positions)) : taps;
    const Number made = outputs();
    Number macs = made * taps;
    if (wgrad && p.stride > 1) macs = macs * eval(k.strided_wgrad);
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

  Work general_depthwise() const {
    const Number taps = valid_taps(), made = outputs();
    return direct_work(Algorithm::grouped_direct_nhwc, k.general_nhwc[p.pass],
                       p.pass == Pass::wgrad ? Number{} : taps,
                       made * taps * (p.pass == Pass::dgrad ? p.group_out : 1), made);
  }

  /// PyTorch's forward kernel: each window row is a loop of its own.
  Work forward_nchw() const {
    const bool unrolled = p.layer->window->kernel[2] <= 5;
    const Number taps = valid_taps(), made = outputs();
    const Number rows = eval.named("window rows inside the input, on average", p.valid_rows, "",
                                   "window and padding");
    Work work =
        direct_work(Algorithm::depthwise_forward_nchw,
                    unrolled ? k.nchw_forward : k.nchw_forward_looped, taps, made * taps, made);
    work.clocks =
        work.clocks + made * rows * eval(unrolled ? k.nchw_row_clock : k.nchw_looped_row_clock);
    return work;
  }

  /// Every tap is tested, even if a stride or the border rules it out.
  Work dgrad_nchw() const {
    const bool unrolled = p.layer->window->kernel[2] <= 5;
    const Number taps = window_taps(), made = outputs() * p.group_out;
    return direct_work(Algorithm::depthwise_dgrad_nchw,
                       unrolled ? k.nchw_dgrad : k.nchw_dgrad_looped, taps * p.group_out,
                       made * taps, made);
  }

  /// PyTorch's weight gradient: a block for each tap of each channel; its warps take images in
  /// turn, 32 positions a step. Batch 1 leaves one warp per block.
  Work wgrad_nchw() const {
    constexpr double warp_size = 32;
    const double warps = std::min(p.batch, 8.0);
    Work work = start_of(Algorithm::depthwise_wgrad_nchw, k.nchw_wgrad_start_s);
    work.blocks = p.groups * p.group_out * p.taps;
    work.threads = warps * warp_size;
    const Number blocks = eval.named("blocks", Number(p.groups) * p.group_out * p.taps);
    const Number steps =
        eval.named("steps an image", divide_up(p.output_positions, Number(warp_size)));
    work.clocks = blocks * eval(k.nchw_wgrad_block_clock) +
                  blocks * p.batch * eval(k.nchw_wgrad_image_clock) +
                  blocks * p.batch * steps * eval(k.nchw_wgrad_step_clock);
    // The chain of one block is hidden once several blocks share the SM.
    work.floor_s =
        eval.named("chain of a warp",
                   divide_up(Number(p.batch), warps) * steps * eval(k.nchw_wgrad_step_s), "s");
    work.useful_share = p.output_positions / (steps * warp_size);
    return work;
  }

  // Grouped convolutions as matrix products.

  struct Product {
    Number m, n, k;
  };

  Product product_of_group() const {
    const auto sizes = [this](double m, double n, double depth) {
      return Product{eval.named("m of a group", m, "", "layer"),
                     eval.named("n of a group", n, "", "layer"),
                     eval.named("k of a group", depth, "", "layer")};
    };
    switch (p.pass) {
      case Pass::fwd: return sizes(p.positions(), p.group_out, p.group_in * p.taps);
      case Pass::dgrad: return sizes(p.positions(), p.group_in, p.group_out * p.taps);
      case Pass::wgrad: break;
    }
    return sizes(p.group_out, p.group_in * p.taps, p.positions());
  }

  /// Rate limit of whole groups or packed channels: that of the units for dense matrices.
  Number dense_flop_per_s() const {
    const Engine engine = model.dense_engine[p.layer->dtypes.input].value_or(Engine::fp32);
    const EngineModel* const dense = engine_model(model, engine);
    return dense != nullptr ? eval.sourced(dense->rate_flop_per_s, dense->peak_origin)
                            : eval.sourced(1e12, "assumed");
  }

  /// A product per group, with slices copied out and in if channels are innermost (`copy_clock`
  /// each).
  Work group_by_group(Algorithm algorithm, const GroupKernel& kernel,
                      const double* copy_clock = nullptr) const {
    const bool winograd = algorithm == Algorithm::group_by_group_winograd;
    const auto [m, n, depth] = product_of_group();
    const Number flop =
        eval.named("FLOP of a group, on whole tiles",
                   2 * round_up(m, winograd ? 64 : 32) * round_up(n, p.nhwc || winograd ? 64 : 32) *
                       round_up(depth, 8),
                   "FLOP");
    // Beyond some steps a weight gradient's depth is split over blocks.
    const Number steps = eval.named(
        "steps of a group", p.pass == Pass::wgrad ? min({depth / k_step, 32}) : depth / k_step);
    Work work = start_of(algorithm, kernel.start_s);
    work.start_s = {};
    work.kernels = p.groups * kernel.launches;
    const Number groups = eval.named("groups", p.groups, "", "layer");
    work.serial_s =
        eval.named("groups in turn",
                   groups * eval(kernel.start_s) + groups * steps * eval(kernel.step_s), "s");
    work.flop = groups * flop;
    work.flop_per_s = eval(kernel.flop_per_clock_per_sm) * rates.issue_clock_per_s;
    // GPUs without tensor cores run these types no faster than their vector units.
    if (!winograd) work.flop_per_s = min({work.flop_per_s, dense_flop_per_s()});
    work.useful_share = eval.factor("useful share of the arithmetic", 2 * m * n * depth / flop);
    if (copy_clock != nullptr)
      work.copy_clocks = (p.input_element() + Number(p.output_element())) * eval(*copy_clock);
    if (p.nhwc) {
      work.reread_byte = p.streams.read_byte + p.streams.write_byte;
      work.moves = 2;
    }
    return work;
  }

  /// One launch over all groups with tiles of 128 x 128: few groups of many channels.
  Work batched(const GroupKernel& kernel) const {
    const auto [m, n, depth] = product_of_group();
    const Number blocks =
        eval.named("blocks", divide_up(m, batched_tile) * divide_up(n, batched_tile) * p.groups);
    // Each tap's channels start a new step.
    const Number steps = eval.named(
        "steps of a block", p.pass == Pass::wgrad ? divide_up(depth, k_step)
                                                  : p.taps * divide_up(depth / p.taps, k_step));
    Work work = start_of(Algorithm::grouped_batched_gemm, kernel.start_s);
    work.blocks = value_of(blocks);
    work.kernels = kernel.launches;
    work.flop = blocks * steps * 2 * batched_tile * batched_tile * k_step;
    work.flop_per_s = eval(kernel.flop_per_clock_per_sm) * rates.clock_hz * rates.sm_count;
    work.idle = eval.factor("whole waves / waves",
                            divide_up(blocks, rates.sm_count) * rates.sm_count / blocks);
    work.floor_s = eval.named("steps of a block in turn", steps * eval(kernel.step_s), "s");
    work.useful_share = eval.factor("useful share of the arithmetic",
                                    m * n / (blocks / p.groups * batched_tile * batched_tile));
    return work;
  }

  /// Any window, any group: every output tap by tap.
  Work general() const {
    const bool dgrad = p.pass == Pass::dgrad;
    const Number made = outputs();
    const Number channels =
        eval.named("channels of a group summed", dgrad ? p.group_out : p.group_in, "", "layer");
    const Number taps = window_taps();
    const Number steps = p.pass == Pass::wgrad ? Number{} : valid_taps() * channels;
    return direct_work(p.nhwc ? Algorithm::grouped_direct_nhwc : Algorithm::grouped_direct_nchw,
                       (p.nhwc ? k.general_nhwc : k.general_nchw)[p.pass], steps,
                       made * taps * channels, made);
  }

  /// One step per tap; for weight gradients over positions, split over up to twelve blocks.
  Number packed_steps() const {
    if (p.pass != Pass::wgrad) return p.taps;
    const Number steps = divide_up(Number(p.positions()), packed_tile);
    return steps / clamp(divide_up(steps, 48), 1, 12);
  }

  const PackedKernel& packed_constants() const {
    if (p.is_16bit()) return k.packed_16bit[p.pass];
    const bool strided = p.pass == Pass::dgrad && p.stride > 1;
    return strided ? k.packed_32bit_strided : k.packed_32bit[p.pass];
  }

  /// Pads each group to `width` channels in tensor-core tiles; `repack` adds layout changes.
  Work packed(double width, bool repack) const {
    const PackedKernel& kernel = packed_constants();
    Work work =
        start_of(repack ? Algorithm::grouped_packed_gemm_repacked : Algorithm::grouped_packed_gemm,
                 kernel.start_s);
    if (repack) work.start_s = work.start_s + eval(k.repack_start_s);
    work.kernels = repack ? 4 : 1;
    const Number positions = eval.named("positions", p.positions(), "", "layer");
    const Number channels =
        eval.named("packed channels", Number(width) * p.groups, "", "padded groups");
    const Number taps = p.taps;
    work.l2_round_trips =
        eval.named("steps of a block", packed_steps()) * eval(kernel.step_round_trip);
    // Each tap fetches its pixels' channels again, with weights of the same shape; a group wider
    // than a tile is fetched for each tile.
    work.fetch_byte = eval.named(
        "operands fetched",
        positions * taps * channels * p.element_byte * divide_up(width, packed_tile), "byte");
    work.fetch_byte_per_s =
        eval(kernel.fetch_byte_per_clock_per_sm) * rates.sm_count * rates.clock_hz;
    work.reread_byte = eval.summand("bytes read again through L2",
                                    max({0, work.fetch_byte - p.streams.read_byte}), "byte");
    work.flop = eval.named(
        "FLOP of whole tiles",
        2 * positions * p.taps * round_up(channels, packed_tile) * std::max(width, packed_tile),
        "FLOP");
    work.flop_per_s = dense_flop_per_s();
    work.useful_share = eval.factor("useful share of the arithmetic",
                                    Number(p.group_in) / std::max(width, packed_tile));
    work.in_flight_byte = eval(kernel.in_flight_byte) * rates.sm_count;
    work.blocks = divide_up(p.positions(), packed_tile) * divide_up(width * p.groups, packed_tile);
    work.threads = 128;
    // The layout change writes padded channels in one direction and reads them in the other.
    if (repack)
      work.copy_clocks = (Number(p.input_element()) / p.group_in * width +
                          Number(p.output_element()) / p.group_out * width) *
                         eval(k.repack_element_clock);
    return work;
  }
};

}  // namespace roofline
