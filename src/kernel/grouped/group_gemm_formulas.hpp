#pragma once

// Grouped convolutions as matrix products; grouped_kernel.hpp says which kernels there are.

#include <algorithm>
#include <bit>

#include "kernel/grouped/convolution_problem.hpp"

namespace roofline {

template <class Trace>
struct GroupGemmFormulas : GroupedFormulas<Trace> {
  using Formulas = GroupedFormulas<Trace>;
  using Formulas::direct_work;
  using Formulas::k;
  using Formulas::model;
  using Formulas::outputs;
  using Formulas::p;
  using Formulas::rates;
  using Formulas::start_of;
  using Formulas::trace;
  using typename Formulas::Number;
  using typename Formulas::Work;

  static constexpr double packed_tile = 64;  ///< channels of a packed tile
  static constexpr double batched_tile = 128;
  static constexpr double k_step = 32;

  struct Product {
    Number m, n, k;
  };

  /// The product of one group.
  Product product_of_group() const {
    const auto sizes = [this](double m, double n, double depth) {
      return Product{trace.named("m of a group", m, "", "layer"),
                     trace.named("n of a group", n, "", "layer"),
                     trace.named("k of a group", depth, "", "layer")};
    };
    switch (p.pass) {
      case Pass::fwd: return sizes(p.positions(), p.group_out, p.group_in * p.taps);
      case Pass::dgrad: return sizes(p.positions(), p.group_in, p.group_out * p.taps);
      case Pass::wgrad: break;
    }
    return sizes(p.group_out, p.group_in * p.taps, p.positions());
  }

  /// The rate that kernels of whole groups or packed channels run against: that of the units which
  /// multiply dense matrices of the type.
  Number dense_flop_per_s() const {
    const Engine engine = model.dense_engine[p.layer->dtypes.input].value_or(Engine::fp32);
    const EngineModel* const dense = engine_model(model, engine);
    return dense != nullptr ? trace.sourced(dense->rate_flop_per_s, dense->peak_origin)
                            : trace.sourced(1e12, "assumed");
  }

  /// Group by group: each a product of its own, with slices copied out and in where channels are
  /// innermost (`copy_clock` an element).
  Work group_by_group(Algorithm algorithm, const GroupKernel& kernel,
                      const double* copy_clock = nullptr) const {
    const bool winograd = algorithm == Algorithm::group_by_group_winograd;
    const auto [m, n, depth] = product_of_group();
    const Number flop =
        trace.named("FLOP of a group, on whole tiles",
                    2 * round_up(m, winograd ? 64 : 32) *
                        round_up(n, p.nhwc || winograd ? 64 : 32) * round_up(depth, 8),
                    "FLOP");
    // A weight gradient's depth is split over blocks beyond some steps.
    const Number steps = trace.named(
        "steps of a group", p.pass == Pass::wgrad ? min({depth / k_step, 32}) : depth / k_step);
    Work work = start_of(algorithm, kernel.start_s);
    work.start_s = {};
    work.kernels = p.groups * kernel.launches;
    const Number groups = trace.named("groups", p.groups, "", "layer");
    work.serial_s =
        trace.named("groups in turn",
                    groups * trace(kernel.start_s) + groups * steps * trace(kernel.step_s), "s");
    work.flop = groups * flop;
    work.flop_per_s = trace(kernel.flop_per_clock_per_sm) * rates.issue_clock_per_s;
    // Parts without tensor cores run these types no faster than their vector units.
    if (!winograd) work.flop_per_s = min({work.flop_per_s, dense_flop_per_s()});
    work.useful_share = trace.factor("useful share of the arithmetic", 2 * m * n * depth / flop);
    if (copy_clock != nullptr)
      work.copy_clocks = (p.input_element() + Number(p.output_element())) * trace(*copy_clock);
    if (p.nhwc) {
      // The copies move everything a second time.
      work.reread_byte = p.streams.read_byte + p.streams.write_byte;
      work.moves = 2;
    }
    return work;
  }

  /// One launch over all groups with tiles of 128 x 128: few groups of many channels.
  Work batched(const GroupKernel& kernel) const {
    const auto [m, n, depth] = product_of_group();
    const Number blocks =
        trace.named("blocks", divide_up(m, batched_tile) * divide_up(n, batched_tile) * p.groups);
    // Each tap's channels start a new step.
    const Number steps = trace.named(
        "steps of a block", p.pass == Pass::wgrad ? divide_up(depth, k_step)
                                                  : p.taps * divide_up(depth / p.taps, k_step));
    Work work = start_of(Algorithm::grouped_batched_gemm, kernel.start_s);
    work.blocks = value_of(blocks);
    work.kernels = kernel.launches;
    work.flop = blocks * steps * 2 * batched_tile * batched_tile * k_step;
    work.flop_per_s = trace(kernel.flop_per_clock_per_sm) * rates.clock_hz * rates.sm_count;
    work.idle = trace.factor("whole waves / waves",
                             divide_up(blocks, rates.sm_count) * rates.sm_count / blocks);
    work.floor_s = trace.named("steps of a block in turn", steps * trace(kernel.step_s), "s");
    work.useful_share = trace.factor("useful share of the arithmetic",
                                     m * n / (blocks / p.groups * batched_tile * batched_tile));
    return work;
  }

  /// Any window, any group: every output tap by tap.
  Work general() const {
    const bool dgrad = p.pass == Pass::dgrad;
    const Number made = outputs();
    const Number channels =
        trace.named("channels of a group summed", dgrad ? p.group_out : p.group_in, "", "layer");
    const Number taps = this->window_taps();
    const Number steps = p.pass == Pass::wgrad ? Number{} : this->valid_taps() * channels;
    return direct_work(p.nhwc ? Algorithm::grouped_direct_nhwc : Algorithm::grouped_direct_nchw,
                       (p.nhwc ? k.general_nhwc : k.general_nchw)[p.pass], steps,
                       made * taps * channels, made);
  }

  /// K steps that one block of a packed kernel walks: a tap each; over positions for a weight
  /// gradient, which splits them over up to twelve blocks once they are many.
  Number packed_steps() const {
    if (p.pass != Pass::wgrad) return p.taps;
    const Number steps = divide_up(Number(p.positions()), packed_tile);
    return steps / clamp(divide_up(steps, 48), 1, 12);
  }

  const PackedKernel& packed_constants() const {
    if (p.is_16bit) return k.packed_16bit[p.pass];
    const bool strided = p.pass == Pass::dgrad && p.stride > 1;
    return strided ? k.packed_32bit_strided : k.packed_32bit[p.pass];
  }

  /// Channels of each group padded to `width`, packed into tensor-core tiles; `repack` adds the
  /// layout changes.
  Work packed(double width, bool repack) const {
    const PackedKernel& kernel = packed_constants();
    Work work =
        start_of(repack ? Algorithm::grouped_packed_gemm_repacked : Algorithm::grouped_packed_gemm,
                 kernel.start_s);
    if (repack) work.start_s = work.start_s + trace(k.repack_start_s);
    work.kernels = repack ? 4 : 1;
    const Number positions = trace.named("positions", p.positions(), "", "layer");
    const Number channels =
        trace.named("packed channels", Number(width) * p.groups, "", "padded groups");
    Number taps = p.taps;
    if (p.pass == Pass::dgrad && p.stride > 1) taps = taps * trace(k.packed_strided_share);
    work.l2_round_trips =
        trace.named("steps of a block", packed_steps()) * trace(kernel.step_round_trip);
    // Each tap fetches its pixels' channels again; weights come along in the same shape.
    // A group wider than a tile is fetched for each of its tiles.
    work.fetch_byte = trace.named(
        "operands fetched",
        positions * taps * channels * p.element_byte * divide_up(width, packed_tile), "byte");
    work.fetch_byte_per_s =
        trace(kernel.fetch_byte_per_clock_per_sm) * rates.sm_count * rates.clock_hz;
    work.reread_byte = trace.summand("bytes read again through L2",
                                     max({0, work.fetch_byte - p.streams.read_byte}), "byte");
    work.flop = trace.named(
        "FLOP of whole tiles",
        2 * positions * p.taps * round_up(channels, packed_tile) * std::max(width, packed_tile),
        "FLOP");
    work.flop_per_s = dense_flop_per_s();
    work.useful_share = trace.factor("useful share of the arithmetic",
                                     Number(p.group_in) / std::max(width, packed_tile));
    work.in_flight_byte = trace(kernel.in_flight_byte) * rates.sm_count;
    work.blocks = divide_up(p.positions(), packed_tile) * divide_up(width * p.groups, packed_tile);
    work.threads = 128;
    // The layout change writes padded channels out in one direction and reads them in the other.
    if (repack)
      work.copy_clocks = (Number(p.input_element()) / p.group_in * width +
                          Number(p.output_element()) / p.group_out * width) *
                         trace(k.repack_element_clock);
    return work;
  }
};

}  // namespace roofline
