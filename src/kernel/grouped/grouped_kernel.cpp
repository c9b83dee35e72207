#include "kernel/grouped/grouped_kernel.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "kernel/grouped/depthwise_formulas.hpp"
#include "kernel/grouped/group_gemm_formulas.hpp"

namespace roofline {
namespace {

constexpr double tile_channels = GroupGemmFormulas<Planning>::packed_tile;

bool packs(const ConvolutionProblem& p) {
  const auto in = static_cast<std::uint64_t>(p.group_in);
  return p.group_in == p.group_out && std::has_single_bit(in) && in >= 4;
}

/// cuDNN generates a batched kernel for wide groups of 16-bit channels in whole 16-byte pieces.
bool batches(const ConvolutionProblem& p) {
  const double piece = 16 / p.element_byte;
  const bool pointwise = p.taps == 1 && p.pass == Pass::fwd && p.group_in > tile_channels;
  const double narrower = std::min(p.group_in, p.group_out);
  return p.is_16bit && std::fmod(p.group_in, piece) == 0 &&
         (pointwise || narrower >= GroupGemmFormulas<Planning>::batched_tile);
}

/// Whether channels of a group start at whole 16-byte pieces; if not, they are copied apart.
bool aligned(const ConvolutionProblem& p) {
  const double piece = 16 / p.element_byte;
  return std::fmod(p.group_in, piece) == 0 && std::fmod(p.group_out, piece) == 0;
}

/// Channels that a group is padded to where groups are packed.
double packed_width(const ConvolutionProblem& p) {
  const auto wider = static_cast<std::uint64_t>(std::max(p.group_in, p.group_out));
  return p.group_in == 1 ? 4 : std::max(4.0, static_cast<double>(std::bit_ceil(wider)));
}

class Candidates {
 public:
  void add(Algorithm algorithm, bool there_is = true) {
    if (there_is) list_[size_++] = algorithm;
  }
  const Algorithm* begin() const { return list_.data(); }
  const Algorithm* end() const { return list_.data() + size_; }
  std::size_t size() const { return size_; }

 private:
  std::array<Algorithm, 5> list_{};
  std::size_t size_ = 0;
};

Candidates depthwise_candidates(const ConvolutionProblem& p) {
  Candidates all;
  if (p.nhwc) {
    all.add(Algorithm::depthwise_tiled_nhwc, has_tiled_kernel(p));
    all.add(Algorithm::depthwise_wide_nhwc, has_wide_dgrad(p));
    all.add(Algorithm::depthwise_dgrad_nhwc, p.pass == Pass::dgrad && p.group_out == 1);
    all.add(Algorithm::grouped_direct_nhwc);
    all.add(Algorithm::grouped_packed_gemm_repacked);
  } else {
    all.add(Algorithm::depthwise_forward_nchw, p.pass == Pass::fwd);
    all.add(Algorithm::depthwise_dgrad_nchw, p.pass == Pass::dgrad);
    all.add(Algorithm::depthwise_wgrad_nchw, p.pass == Pass::wgrad);
  }
  return all;
}

Candidates grouped_candidates(const ConvolutionProblem& p) {
  Candidates all;
  if (!p.nhwc) {
    all.add(Algorithm::grouped_direct_nchw);
    all.add(Algorithm::group_by_group_nchw);
    all.add(Algorithm::group_by_group_small_nchw,
            p.pass == Pass::dgrad && std::min(p.group_in, p.group_out) >= 20);
    all.add(Algorithm::group_by_group_winograd,
            p.pass == Pass::wgrad && p.stride == 1 && p.taps > 1);
  } else {
    all.add(Algorithm::grouped_packed_gemm, packs(p));
    all.add(Algorithm::grouped_packed_gemm_repacked,
            !packs(p) && std::max(p.group_in, p.group_out) <= 4 * tile_channels);
    all.add(Algorithm::group_by_group_nhwc);
    all.add(Algorithm::grouped_batched_gemm, batches(p) && !packs(p));
    all.add(Algorithm::grouped_direct_nhwc, !packs(p));
  }
  return all;
}

template <class Trace>
ThroughputWork<NumberOf<Trace>> work_of(Algorithm algorithm,
                                        const GroupedFormulas<Trace>& formulas) {
  const DepthwiseFormulas<Trace> depthwise{formulas};
  const GroupGemmFormulas<Trace> gemm{formulas};
  const ConvolutionProblem& p = formulas.p;
  const GroupedConstants& k = formulas.k;
  switch (algorithm) {
    case Algorithm::depthwise_tiled_nhwc: return depthwise.tiled();
    case Algorithm::depthwise_wide_nhwc: return depthwise.wide_dgrad();
    case Algorithm::depthwise_dgrad_nhwc: return depthwise.untiled_dgrad();
    case Algorithm::depthwise_forward_nchw: return depthwise.forward_nchw();
    case Algorithm::depthwise_dgrad_nchw: return depthwise.dgrad_nchw();
    case Algorithm::depthwise_wgrad_nchw: return depthwise.wgrad_nchw();
    case Algorithm::grouped_packed_gemm: return gemm.packed(p.group_in, false);
    case Algorithm::grouped_packed_gemm_repacked: return gemm.packed(packed_width(p), true);
    case Algorithm::grouped_batched_gemm: return gemm.batched(k.batched_16bit[p.pass]);
    case Algorithm::group_by_group_nhwc:
      return gemm.group_by_group(algorithm, (p.is_16bit ? k.group_16bit : k.group_32bit)[p.pass],
                                 aligned(p) ? &k.slice_element_clock : &k.repack_element_clock);
    case Algorithm::group_by_group_nchw:
      return gemm.group_by_group(algorithm, k.group_nchw[p.pass]);
    case Algorithm::group_by_group_small_nchw:
      return gemm.group_by_group(algorithm, k.small_nchw_dgrad);
    case Algorithm::group_by_group_winograd:
      return gemm.group_by_group(algorithm, k.winograd_nchw_wgrad);
    default: return p.group_in == 1 ? depthwise.general() : gemm.general();
  }
}

Algorithm fastest(const Candidates& candidates, const ConvolutionProblem& p,
                  const ResolvedModel& model, CacheState cache) {
  if (candidates.size() == 1) return *candidates.begin();
  Planning trace;
  const auto rates = machine_rates(model.machine, trace);
  const GroupedFormulas<Planning> formulas{p, model.constants->values.grouped, model, rates, trace};
  Algorithm best{};
  double best_s = std::numeric_limits<double>::infinity();
  for (const Algorithm each : candidates) {
    const double each_s =
        throughput_time(work_of(each, formulas), rates, model.memory, cache, trace).total_s;
    if (each_s < best_s) best = each, best_s = each_s;
  }
  return best;
}

}  // namespace

bool has_tiled_kernel(const ConvolutionProblem& p) {
  const Window& w = *p.layer->window;
  const std::uint64_t size = w.kernel[2];
  const bool known =
      w.kernel[0] == 1 && w.kernel[1] == size && (size == 3 || size == 5 || size == 7);
  const std::uint64_t most_dilation = p.is_16bit && size == 3 ? 2 : 1;
  const bool lacking =
      !p.is_16bit && p.pass == Pass::wgrad && (size == 7 || std::fmod(p.groups, 4) != 0);
  return known && !lacking && w.dilation[1] <= most_dilation && w.dilation[2] <= most_dilation &&
         p.group_out == 1;
}

bool has_wide_dgrad(const ConvolutionProblem& p) {
  return p.is_16bit && p.pass == Pass::dgrad && p.stride == 1 && has_tiled_kernel(p) &&
         p.layer->window->kernel[2] <= 5;
}

template <class Trace>
KernelPlan grouped_plan(const Layer& layer, const Counts& counts, Engine engine,
                        const ResolvedModel& model, CacheState cache, Trace& trace) {
  const ConvolutionProblem p = convolution_problem(layer, counts);
  const Algorithm algorithm =
      fastest(p.group_in == 1 ? depthwise_candidates(p) : grouped_candidates(p), p, model, cache);
  const auto flop_s = practical_flop_s(counts, engine_model(model, engine), trace);
  const auto rates = machine_rates(model.machine, trace);
  const GroupedFormulas<Trace> formulas{p, model.constants->values.grouped, model, rates, trace};
  return throughput_plan<Trace>({work_of(algorithm, formulas)}, flop_s, rates, model, cache, trace);
}

template KernelPlan grouped_plan(const Layer&, const Counts&, Engine, const ResolvedModel&,
                                 CacheState, Planning&);
template KernelPlan grouped_plan(const Layer&, const Counts&, Engine, const ResolvedModel&,
                                 CacheState, Explaining&);

}  // namespace roofline
