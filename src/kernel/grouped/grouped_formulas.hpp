#pragma once

#include <algorithm>
#include <cstddef>

#include "kernel/kernel_work.hpp"
#include "kernel/problem.hpp"
#include "model/window_reads.hpp"

namespace roofline {

/// The layout of a kernel's tensors.
struct KernelLayout {
  bool nhwc = false;
  bool copied = false;         ///< into this layout and back
  bool copies_groups = false;  ///< of each group's channels, out and in (genericTranspose_kernel)
};

inline constexpr double packed_tile = 64;  ///< channels of a packed tile
inline constexpr double batched_tile = 128;
/// Streams on which cuDNN runs the products of groups: the times of their kernels add up to as
/// many times the layer's own at most.
inline constexpr double group_streams = 8;

/// In NCHW these kernels fetch whole images: one access covers more than a row.
inline Streams moved_streams(const Problem& problem) {
  Streams moved = problem.streams;
  moved.read_byte += skipped_byte(problem, problem.nhwc ? 3 : 0);
  return moved;
}

template <class Number>
struct GroupedFormulas {
  using Work = KernelWork<Number>;

  static constexpr double k_step = 32;

  const Problem& problem;
  KernelLayout layout;
  Engine engine;  ///< asked for
  const GroupedConstants& constants;
  const ResolvedModel& model;
  const MachineRates<Number>& rates;
  Eval<Number>& eval;
  Streams streams = moved_streams(problem);

  /// A kernel's work apart from arithmetic: the problem's bytes, one round trip.
  Work start_of(Algorithm algorithm, const double& start_s) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = eval.summand("start beyond the launch", eval(start_s), "s");
    work.streams = streams;
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

  double weight_element() const {
    return problem.groups * problem.group_in * problem.group_out * problem.taps;
  }

  /// A layer's two tensors, without its weights.
  struct Tensors {
    double read = 0;     ///< elements that the product reads
    double written = 0;  ///< elements of its result
    double kernels = 0;  ///< one a tensor
    double zeroed = 0;   ///< tensors whose zeros are written first: those it reads
    double passed = 0;   ///< elements that a copy passes over: of what is read those that exist
  };

  /// As the product finds them, with groups of `width` channels at least. `alone`: those tensors
  /// whose groups are narrower.
  Tensors widened_to(double width, bool alone) const {
    Tensors found;
    const auto add = [&](double element, double channels, bool is_made) {
      const bool widens = channels < width;
      if (alone && !widens) return;
      const double wide = widens ? element / channels * width : element;
      (is_made ? found.written : found.read) += wide;
      found.passed += is_made ? wide : element;
      found.kernels += 1;
      found.zeroed += widens && !is_made;
    };
    add(problem.input_element(), problem.group_in, problem.is_dgrad());
    add(problem.output_element(), problem.group_out, problem.pass == Pass::fwd);
    return found;
  }

  /// Copies that widen these tensors zero their results first.
  void add_zeros(Work& work, const Tensors& narrow) const {
    work.kernels += narrow.zeroed;
    if (narrow.read > 0)
      work.serial_s =
          eval.named("zeros written before copies",
                     narrow.read * problem.element_byte / dram_byte_per_s(model.memory, eval), "s");
  }

  /// Kernels between layouts before and after the product, which nothing hides. They widen groups
  /// to `width` channels on their way; a kernel of their own widens the weights.
  Work layout_copies(double width) const {
    const double weight = weight_element();
    const Tensors all = widened_to(width, false);
    const double copied = problem.input_element() + problem.output_element() + weight;
    Work work;
    work.algorithm = Algorithm::transposed_elementwise;
    work.kernels = 3;
    work.round_trips = 2;  // the two tensors; copies of weights take 0.6 us less
    work.clocks = (Number(all.read) + all.written + weight) * eval(constants.layout_element_clock);
    work.streams.read_byte = work.streams.write_byte = copied * problem.element_byte;
    add_zeros(work, widened_to(width, true));
    if (width > 0) add_widening(work, 1, weight);
    return work;
  }

  /// A copy of the weights and of each tensor whose groups are narrower than `width` channels.
  Work widening_copies(double width) const {
    const Tensors narrow = widened_to(width, true);
    const double element = weight_element() + narrow.passed;
    Work work;
    work.algorithm = Algorithm::transposed_elementwise;
    work.kernels = 1 + narrow.kernels;
    add_widening(work, work.kernels, element);
    add_zeros(work, narrow);
    work.streams.read_byte = work.streams.write_byte = element * problem.element_byte;
    return work;
  }

  void add_widening(Work& work, double kernels, double element) const {
    work.start_s = kernels * eval(constants.repack_start_s);
    work.clocks = work.clocks + element * eval(constants.repack_element_clock);
  }

  /// Taps of a phase of a data gradient's stride; else all.
  double phase_taps() const {
    const Window& window = *problem.layer->window;
    double taps = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      taps *= divide_up(static_cast<double>(window.kernel[axis]),
                        problem.is_dgrad() ? static_cast<double>(window.stride[axis]) : 1.0);
    return taps;
  }

  /// Mean number of taps inside the input, along the first `axes` axes.
  double taps_inside(std::size_t axes) const {
    double inside = 1;
    for (std::size_t axis = 0; axis < axes; ++axis)
      inside *= static_cast<double>(taps_reading(windows_along(*problem.layer, axis))) /
                static_cast<double>(problem.output->spatial[axis]);
    return inside;
  }

  Number outputs() const { return eval.named("outputs", problem.made_element(), "", "layer"); }
  Number window_taps() const { return eval.named("taps", problem.taps, "", "window"); }
  Number valid_taps() const {
    return eval.named("taps inside the input, on average", taps_inside(3), "",
                      "window and padding");
  }

  // Depthwise convolutions.

  /// Elements computed by tiles of 4 x 8 for each existing one.
  Number tile_waste() const {
    const Shape& made = problem.pass == Pass::dgrad ? *problem.input : *problem.output;
    const Number rows = static_cast<double>(made.spatial[1]);
    const Number columns = static_cast<double>(made.spatial[2]);
    return eval.factor("elements made for each that exists",
                       divide_up(rows, 4) * 4 / rows * (divide_up(columns, 8) * 8 / columns));
  }

  /// Each tile of 4 x 8 elements (2 x 4 of four bytes) also fetches its window's border from L2.
  /// Counters: x1.8 of the input for a window of 3 with 16 bits, x3.3 with TF32.
  Number halo_byte() const {
    const Window& w = *problem.layer->window;
    const double rows = problem.is_16bit() ? 4 : 2;
    const double columns = problem.is_16bit() ? 8 : 4;
    const Number reach = static_cast<double>((w.kernel[2] - 1) * w.dilation[2]);
    const Number stride = static_cast<double>(w.stride[2]);
    const Number tile = rows * columns * stride * stride;
    const Number fetched = (rows * stride + reach) * (columns * stride + reach);
    return eval.summand("bytes of tiles' borders",
                        (fetched / tile - 1) * problem.input_element() * problem.element_byte,
                        "byte");
  }

  Work tiled(Algorithm algorithm, const DirectKernel& kernel) const {
    const bool wgrad = problem.pass == Pass::wgrad;
    const Number taps = window_taps();
    const Number steps = wgrad ? sqrt(Number(problem.output_positions)) : taps;
    const Number made = outputs();
    Number macs = made * taps;
    if (wgrad && problem.stride > 1) macs = macs * eval(constants.strided_wgrad);
    Work work = direct_work(algorithm, kernel, steps, macs, made, tile_waste());
    work.reread_byte = halo_byte();
    return work;
  }

  Work untiled_dgrad() const {
    const Number taps = window_taps();
    const Number made = outputs();
    return direct_work(Algorithm::depthwise_dgrad_nhwc, constants.untiled_dgrad, taps, made * taps,
                       made);
  }

  /// Next places of a row share all but one column of their windows, which L1 then holds.
  Number loaded_taps() const {
    const Window& w = *problem.layer->window;
    const double columns = static_cast<double>(w.kernel[2]);
    if (w.stride[2] > 1) return valid_taps();
    const Number found = eval(constants.nhwc_found_tap);
    return valid_taps() * eval.factor("cost of a tap, where columns are shared",
                                      (1 + (columns - 1) * found) / columns);
  }

  Work general_depthwise() const {
    const bool shares = problem.pass == Pass::fwd && is_volume();
    const Number taps = shares ? loaded_taps() : valid_taps();
    const Number made = outputs();
    return direct_work(Algorithm::grouped_direct_nhwc, constants.general_nhwc[problem.pass],
                       problem.pass == Pass::wgrad ? Number(problem.positions()) : taps,
                       // Outputs of a group share the loads of its input.
                       problem.pass == Pass::fwd     ? made * taps / problem.group_out
                       : problem.pass == Pass::dgrad ? made * taps * problem.group_out
                                                     : made * taps,
                       made);
  }

  /// Images run side by side, an image's results one after another.
  Work wgrad_by_places() const {
    Work work =
        start_of(Algorithm::grouped_direct_nhwc, constants.general_nhwc[Pass::wgrad].start_s);
    work.serial_s = outputs() / problem.batch * eval(constants.volume_wgrad_step_s);
    return work;
  }

  /// PyTorch has kernels of its own for square windows of 1, 3 and 5.
  bool is_unrolled() const {
    const Window& w = *problem.layer->window;
    return w.rank < 3 && w.kernel[1] == w.kernel[2] && w.kernel[2] <= 5;
  }
  bool is_volume() const { return problem.layer->window->rank == 3; }

  /// PyTorch compiles its kernels of volumes for windows of 3 x 3 x 3, whose taps are then
  /// unrolled.
  void unroll_cube(Work& work) const {
    const Window& w = *problem.layer->window;
    if (is_volume() && w.kernel == Axes{3, 3, 3} && w.dilation == Axes{1, 1, 1})
      work.clocks = work.clocks * eval(constants.nchw_cube_share);
  }

  /// PyTorch's forward kernel: each window row is a loop of its own.
  Work forward_nchw() const {
    const Number taps = valid_taps();
    const Number made = outputs();
    const Number rows = eval.named("window rows inside the input, on average", taps_inside(2), "",
                                   "window and padding");
    Work work = direct_work(Algorithm::depthwise_forward_nchw,
                            is_volume()     ? constants.nchw_forward_volume
                            : is_unrolled() ? constants.nchw_forward
                                            : constants.nchw_forward_looped,
                            taps, made * taps, made);
    if (!is_volume())
      work.clocks = work.clocks + made * rows *
                                      eval(is_unrolled() ? constants.nchw_row_clock
                                                         : constants.nchw_looped_row_clock);
    unroll_cube(work);
    return work;
  }

  /// Every tap is tested, even if a stride or the border rules it out.
  Work dgrad_nchw() const {
    const Number taps = window_taps();
    const Number made = outputs() * problem.group_out;
    Work work = direct_work(Algorithm::depthwise_dgrad_nchw,
                            is_volume()     ? constants.nchw_dgrad_volume
                            : is_unrolled() ? constants.nchw_dgrad
                                            : constants.nchw_dgrad_looped,
                            taps * problem.group_out, made * taps, made);
    if (!is_volume() && !is_unrolled())
      work.clocks = work.clocks + made * static_cast<double>(problem.layer->window->kernel[1]) *
                                      eval(constants.nchw_looped_row_clock);
    unroll_cube(work);
    return work;
  }

  /// cuDNN's kernels for lines and small squares (conv1D_NCHW, c1_k1_nchw_shmem_tiling).
  Work cudnn_nchw() const {
    const Number taps = window_taps();
    const Number made = outputs();
    return direct_work(Algorithm::depthwise_tiled_nchw, constants.nchw_cudnn_16bit, taps,
                       made * taps, made);
  }

  /// Its weight gradient of lines: a block for each channel takes image after image.
  Work cudnn_line_wgrad() const {
    const Number made = outputs();
    const Number channels = problem.groups * problem.group_out;
    Work work = direct_work(Algorithm::depthwise_tiled_nchw, constants.nchw_cudnn_16bit, Number{},
                            made * window_taps() * eval(constants.nchw_cudnn_line_wgrad), made);
    const Number waves = eval.named("waves of channels", divide_up(channels, rates.sm_count));
    work.idle = eval.factor("whole waves / waves", waves * rates.sm_count / channels);
    work.l2_round_trips =
        waves * Number(problem.batch) * eval(constants.nchw_wgrad_pass_round_trip);
    return work;
  }

  /// PyTorch's weight gradient: a block for each tap of each channel; its warps take images in
  /// turn, 32 positions a step. Batch 1 leaves one warp per block.
  Work wgrad_nchw() const {
    constexpr double warp_size = 32;
    const double warps = std::min(problem.batch, 8.0);
    Work work = start_of(Algorithm::depthwise_wgrad_nchw, constants.nchw_wgrad_start_s);
    work.blocks = problem.groups * problem.group_out * problem.taps;
    work.threads = warps * warp_size;
    const Number blocks =
        eval.named("blocks", Number(problem.groups) * problem.group_out * problem.taps);
    const Number steps =
        eval.named("steps an image", divide_up(problem.output_positions, Number(warp_size)));
    work.clocks = blocks * eval(constants.nchw_wgrad_block_clock) +
                  blocks * problem.batch * eval(constants.nchw_wgrad_image_clock) +
                  blocks * problem.batch * steps * eval(constants.nchw_wgrad_step_clock);
    // The chain of one block is hidden once several blocks share the SM.
    work.floor_s = eval.named(
        "chain of a warp",
        divide_up(Number(problem.batch), warps) * steps * eval(constants.nchw_wgrad_step_s), "s");
    work.useful_share = problem.output_positions / (steps * warp_size);
    return work;
  }

  /// Volumes: a block for each tap of a channel takes all images' positions, a thread each.
  Work wgrad_volume() const {
    constexpr double threads = 256;
    const SmLimits& sm = model.machine.sm;
    Work work = start_of(Algorithm::depthwise_wgrad_nchw, constants.nchw_wgrad_start_s);
    work.blocks = problem.groups * problem.group_out * problem.taps;
    work.threads = threads;
    const Number slots = rates.sm_count * (sm.max_warps * sm.warp_size / threads);
    const Number waves = eval.named("waves", divide_up(Number(work.blocks), slots));
    const Number positions = problem.batch * problem.output_positions;
    const Number passes = eval.named("passes of a block", divide_up(positions, threads));
    work.l2_round_trips = waves * (eval(constants.nchw_wgrad_sum_round_trip) +
                                   passes * eval(constants.nchw_wgrad_pass_round_trip));
    work.useful_share = positions / (passes * threads);
    return work;
  }

  // Grouped convolutions as matrix products.

  struct Product {
    Number m;
    Number n;
    Number k;
  };

  Product product_of_group() const {
    const auto sizes = [this](double m, double n, double depth) {
      return Product{eval.named("m of a group", m, "", "layer"),
                     eval.named("n of a group", n, "", "layer"),
                     eval.named("k of a group", depth, "", "layer")};
    };
    switch (problem.pass) {
      case Pass::fwd:
        return sizes(problem.positions(), problem.group_out, problem.group_in * problem.taps);
      case Pass::dgrad:
        return sizes(problem.positions(), problem.group_in, problem.group_out * phase_taps());
      case Pass::wgrad: break;
    }
    return sizes(problem.group_out, problem.group_in * problem.taps, problem.positions());
  }

  /// Rate limit of whole groups or packed channels: that of the units for dense matrices.
  Number dense_flop_per_s() const {
    const Engine units =
        problem.groups_fill_tiles() && is_tensor_engine(engine)
            ? engine
            : model.dense_engine[problem.layer->dtypes.input].value_or(Engine::fp32);
    const EngineModel* const dense = engine_model(model, units);
    return dense != nullptr ? eval.sourced(dense->rate_flop_per_s, dense->peak_origin)
                            : eval.sourced(1e12, "assumed");
  }

  /// Beyond some steps a weight gradient's depth is split over blocks.
  Number steps_of_group(const Number& depth) const {
    return eval.named("steps of a group",
                      problem.pass == Pass::wgrad ? min({depth / k_step, 32}) : depth / k_step);
  }

  /// A kernel a group, whose starts are in the time of the groups in turn.
  Work start_of_groups(Algorithm algorithm, const GroupKernel& kernel) const {
    Work work = start_of(algorithm, kernel.start_s);
    work.start_s = {};
    work.kernels = problem.groups * kernel.launches;
    return work;
  }

  /// Generic kernels copy each group's channels out and in.
  void copy_groups(Work& work) const {
    if (!layout.copies_groups) return;
    const Number element =
        problem.input_element() + Number(problem.output_element()) + weight_element();
    work.copy_clocks = work.copy_clocks + element * eval(constants.generic_element_clock);
  }

  /// A product per group. If channels are innermost, slices are copied (`copy_clock` per element).
  Work group_by_group(Algorithm algorithm, const GroupKernel& kernel,
                      const double* copy_clock = nullptr) const {
    const bool winograd = algorithm == Algorithm::group_by_group_winograd;
    const auto [m, n, depth] = product_of_group();
    const Number flop =
        eval.named("FLOP of a group, on whole tiles",
                   2 * round_up(m, winograd ? 64 : 32) *
                       round_up(n, layout.nhwc || winograd ? 64 : 32) * round_up(depth, 8),
                   "FLOP");
    const Number steps = steps_of_group(depth);
    Work work = start_of_groups(algorithm, kernel);
    const Number groups = eval.named("groups", problem.groups, "", "layer");
    work.serial_s =
        eval.named("groups in turn",
                   groups * eval(kernel.start_s) + groups * steps * eval(kernel.step_s), "s");
    work.flop = groups * flop;
    work.flop_per_s = eval(kernel.flop_per_clock_per_sm) * rates.issue_clock_per_s;
    // GPUs without tensor cores run these types no faster than their vector units.
    if (!winograd) work.flop_per_s = min({work.flop_per_s, dense_flop_per_s()});
    work.useful_share = eval.factor("useful share of the arithmetic", 2 * m * n * depth / flop);
    if (copy_clock != nullptr)
      work.copy_clocks =
          (problem.input_element() + Number(problem.output_element())) * eval(*copy_clock);
    if (layout.nhwc) {
      work.reread_byte = streams.read_byte + streams.write_byte;
      work.moves = 2;
    }
    return work;
  }

  /// A product per group, several at once on streams.
  Work side_by_side(Algorithm algorithm, const GroupKernel& kernel, double tile) const {
    const auto [m, n, depth] = product_of_group();
    const Number flop =
        eval.named("FLOP of a group, on whole tiles",
                   2 * round_up(m, tile) * round_up(n, tile) * round_up(depth, 8), "FLOP");
    const Number steps = steps_of_group(depth);
    Work work = start_of_groups(algorithm, kernel);
    work.streams_used = std::min(problem.groups, group_streams);
    const Number turns =
        eval.named("groups in turn on each stream", problem.groups / work.streams_used);
    work.floor_s = eval.named("products in turn",
                              turns * (eval(kernel.start_s) + steps * eval(kernel.step_s)), "s");
    work.flop = problem.groups * flop;
    work.flop_per_s =
        min({eval(kernel.flop_per_clock_per_sm) * rates.issue_clock_per_s, dense_flop_per_s()});
    work.useful_share = eval.factor("useful share of the arithmetic", 2 * m * n * depth / flop);
    work.reread_byte = streams.read_byte + streams.write_byte;
    return work;
  }

  /// Elements of whole vectors where a group's channels leave a part of one empty.
  double padded_element() const {
    const double piece = 16 / problem.element_byte;
    const auto of = [piece](double element, double channels) {
      const double whole = divide_up(channels, piece) * piece;
      return whole > channels ? element / channels * whole : 0.0;
    };
    return of(problem.input_element(), problem.group_in) +
           of(problem.output_element(), problem.group_out);
  }

  /// Each group's channels are copied out and in. Channels that end within a vector are padded, and
  /// where the window tiles a data gradient's result, a generic copy scatters the product's rows:
  /// then each of the three tensors is zeroed and copied once more.
  Work groups_on_tensor_cores() const {
    constexpr double more_kernels = 6;
    Work work = side_by_side(Algorithm::group_by_group_nhwc, constants.streams_16bit, packed_tile);
    const Window& window = *problem.layer->window;
    const bool tiles = problem.strided_dgrad() && window.kernel == window.stride;
    const double padded = padded_element();
    work.clocks = (problem.input_element() + Number(problem.output_element())) *
                  eval(constants.layout_element_clock);
    if (padded > 0) work.clocks = work.clocks + padded * eval(constants.repack_element_clock);
    if (tiles)
      work.clocks = work.clocks + problem.input_element() * eval(constants.generic_element_clock);
    if (tiles || padded > 0)
      work.floor_s = eval.named("products and more copies in turn",
                                work.floor_s + problem.groups / work.streams_used * more_kernels *
                                                   eval(constants.repack_start_s),
                                "s");
    work.moves = 2;
    return work;
  }

  /// A data gradient whose inputs' products with each tap are added up by atomics. Zeros pass
  /// through memory first, then are read and written by the sums.
  Work scattered() const {
    const GroupKernel& kernel = constants.group_nchw[Pass::dgrad];
    const Number sums = eval.named(
        "products added up", Number(problem.out_positions()) * problem.in_channels * problem.taps);
    Work work = start_of(Algorithm::scatter_gemm, kernel.start_s);
    work.kernels = problem.groups + 1;
    work.clocks = sums * eval(model.constants->values.streaming.scatter_element_clock);
    work.flop = eval.named("FLOP", 2 * sums * round_up(problem.group_out, 8), "FLOP");
    work.flop_per_s = eval(kernel.flop_per_clock_per_sm) * rates.issue_clock_per_s;
    work.serial_s = eval.named("zeros and sums through memory",
                               3 * streams.write_byte / dram_byte_per_s(model.memory, eval), "s");
    return work;
  }

  /// One launch over all groups with tiles of 128 x 128: few groups of many channels.
  Work batched(const GroupKernel& kernel) const {
    const auto [m, n, depth] = product_of_group();
    const Number blocks = eval.named(
        "blocks", divide_up(m, batched_tile) * divide_up(n, batched_tile) * problem.groups);
    // Each tap's channels start a new step.
    const Number steps = eval.named("steps of a block",
                                    problem.pass == Pass::wgrad
                                        ? divide_up(depth, k_step)
                                        : problem.taps * divide_up(depth / problem.taps, k_step));
    Work work = start_of(Algorithm::grouped_batched_gemm, kernel.start_s);
    work.blocks = value_of(blocks);
    work.kernels = kernel.launches;
    work.flop = blocks * steps * 2 * batched_tile * batched_tile * k_step;
    work.flop_per_s = eval(kernel.flop_per_clock_per_sm) * rates.clock_hz * rates.sm_count;
    work.idle = eval.factor("whole waves / waves",
                            divide_up(blocks, rates.sm_count) * rates.sm_count / blocks);
    work.floor_s = eval.named("steps of a block in turn", steps * eval(kernel.step_s), "s");
    work.useful_share =
        eval.factor("useful share of the arithmetic",
                    m * n / (blocks / problem.groups * batched_tile * batched_tile));
    return work;
  }

  /// Any window, any group: every output tap by tap.
  Work general() const {
    const bool dgrad = problem.pass == Pass::dgrad;
    const Number made = outputs();
    const Number channels = eval.named("channels of a group summed",
                                       dgrad ? problem.group_out : problem.group_in, "", "layer");
    const Number taps = window_taps();
    const Number steps =
        problem.pass == Pass::wgrad ? Number(problem.positions()) : valid_taps() * channels;
    return direct_work(
        layout.nhwc ? Algorithm::grouped_direct_nhwc : Algorithm::grouped_direct_nchw,
        (layout.nhwc ? constants.general_nhwc : constants.general_nchw)[problem.pass], steps,
        made * taps * channels, made);
  }

  /// Blocks over which a weight gradient's positions are split.
  double packed_split() const {
    if (problem.pass != Pass::wgrad) return 1;
    return std::clamp(divide_up(divide_up(problem.positions(), packed_tile), 48.0), 1.0, 12.0);
  }

  /// One step per tap; for weight gradients over positions.
  Number packed_steps() const {
    if (problem.pass != Pass::wgrad) return problem.taps;
    return divide_up(Number(problem.positions()), packed_tile) / packed_split();
  }

  const PackedKernel& packed_constants() const {
    if (problem.is_16bit()) return constants.packed_16bit[problem.pass];
    return problem.strided_dgrad() ? constants.packed_32bit_strided
                                   : constants.packed_32bit[problem.pass];
  }

  /// Pads each group to `width` channels in tensor-core tiles; `repack`: between copies.
  Work packed(double width, bool repack) const {
    const PackedKernel& kernel = packed_constants();
    Work work =
        start_of(repack ? Algorithm::grouped_packed_gemm_repacked : Algorithm::grouped_packed_gemm,
                 kernel.start_s);
    // Zeros before a sum in parts, which then are added up and rounded.
    constexpr double kernels_of_sums = 3;
    const double tiles = divide_up(width * problem.groups, packed_tile) * problem.taps;
    if (packed_split() > 2 && tiles < model.machine.sm_count) work.kernels += kernels_of_sums;
    if (repack) {
      const Tensors wide = widened_to(width, false);
      const Tensors own = widened_to(0, false);
      work.streams.read_byte += (wide.read - own.read) * problem.element_byte;
      work.streams.write_byte += (wide.written - own.written) * problem.element_byte;
    }
    const Number positions = eval.named("positions", problem.positions(), "", "layer");
    const Number channels =
        eval.named("packed channels", Number(width) * problem.groups, "", "padded groups");
    const bool skips = problem.is_16bit() && problem.strided_dgrad();  // taps of other phases
    const Number taps =
        eval.named("taps of a position", skips ? phase_taps() : problem.taps, "", "window");
    work.l2_round_trips =
        eval.named("steps of a block", packed_steps()) * eval(kernel.step_round_trip);
    // Each tap fetches its pixels' channels again, with weights of the same shape; a group wider
    // than a tile is fetched for each tile.
    // Tiles of three taps, in a weight gradient of narrow groups, fetch the results' channels too.
    constexpr double taps_of_tile = 3;
    const bool fetches_both =
        problem.pass == Pass::wgrad && problem.is_16bit() && width < packed_tile;
    const double with_taps = fetches_both ? problem.taps / taps_of_tile : 0;
    work.fetch_byte = eval.named("operands fetched",
                                 positions * (taps * divide_up(width, packed_tile) + with_taps) *
                                     round_up(channels, packed_tile) * problem.element_byte,
                                 "byte");
    work.fetch_byte_per_s =
        eval(kernel.fetch_byte_per_clock_per_sm) * rates.sm_count * rates.clock_hz;
    if (skips) work.fetch_byte_per_s = work.fetch_byte_per_s * eval(constants.packed_16bit_strided);
    work.reread_byte = eval.summand("bytes read again through L2",
                                    max({0, work.fetch_byte - streams.read_byte}), "byte");
    work.flop = eval.named(
        "FLOP of whole tiles",
        2 * positions * taps * round_up(channels, packed_tile) * std::max(width, packed_tile),
        "FLOP");
    work.flop_per_s = dense_flop_per_s();
    work.useful_share = eval.factor("useful share of the arithmetic",
                                    Number(problem.group_in) / std::max(width, packed_tile));
    work.blocks = divide_up(problem.positions(), packed_tile) *
                  divide_up(width * problem.groups, packed_tile);
    work.threads = 128;
    return work;
  }
};

}  // namespace roofline
