#include "model/kernel/transformed_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/kernel/rounding.hpp"

namespace roofline {
namespace {

// The fused kernel's one block, as a GEMM tile.
constexpr std::array<TileKernel, 1> fused_tile{{{128, 128, 8, 256, 2, 128}}};

/// Transforms of image and weights, the products, the transform back.
constexpr double staged_kernels = 4;

struct TransformShape {
  Algorithm algorithm;
  double edge;            ///< inputs of a tile along one axis
  double points;          ///< of the transformed tile
  double flop_per_point;  ///< of one multiply-add in the transformed domain
  double point_byte;
};

/// The GEMMs over points come from the GEMM library.
Contraction plain_product() {
  Contraction x;
  x.pointwise = true;
  x.is_convolution = false;
  return x;
}

double tiles_of(const Contraction& x, double edge) {
  // A data gradient's outputs are the inputs of the forward convolution.
  const bool dgrad = x.role == Pass::dgrad;
  const double h = dgrad ? x.in_h : x.out_h;
  const double w = dgrad ? x.in_w : x.out_w;
  return x.batch * divide_up(h, edge - x.kernel_h + 1) * divide_up(w, edge - x.kernel_w + 1);
}

/// What may be offered, and the fastest so far.
struct Offer {
  const Contraction& x;
  const ResolvedModel& model;
  const EngineModel& engine;
  std::optional<Algorithm> stated;  ///< none: any that the library has
  TransformedTime best;

  bool wants(Algorithm algorithm, bool library_has) const {
    return stated ? *stated == algorithm : library_has;
  }
  void add(const TransformedTime& candidate) {
    if (!best.available || candidate.total_s < best.total_s) best = candidate;
  }
};

/// The products over all points, as one batched GEMM.
GemmWork point_products(const Contraction& x, GemmWork work, const TransformShape& t,
                        double tiles) {
  const double c = x.in_channels, k = x.out_channels;
  constexpr const char* tile_word = "transformed tiles";
  constexpr const char* in_word = "input channels";
  constexpr const char* out_word = "output channels";
  work.m = x.role == Pass::wgrad ? k : tiles;
  work.m_is = x.role == Pass::wgrad ? out_word : tile_word;
  work.n = x.role == Pass::fwd ? k : c;
  work.n_is = x.role == Pass::fwd ? out_word : in_word;
  work.k = x.role == Pass::fwd ? c : x.role == Pass::dgrad ? k : tiles;
  work.k_is = x.role == Pass::fwd ? in_word : x.role == Pass::dgrad ? out_word : tile_word;
  work.count = t.points;
  work.element_byte = t.point_byte;
  work.result_byte = t.point_byte;
  work.k_runs = 1;
  work.may_split = false;
  return work;
}

/// Written by one kernel, read by the next; what fits in L2 stays there.
Staging staging_of(const Offer& offer, const TransformShape& t, double tiles) {
  const Contraction& x = offer.x;
  const MemorySystem& memory = offer.model.memory;
  const DenseConstants& c = offer.engine.constants;
  Staging staging;
  staging.tiles = tiles;
  staging.points = t.points;
  staging.point_byte = t.point_byte;
  const double point = t.points * t.point_byte;
  staging.workspace_byte =
      point * tiles * (x.in_channels + x.out_channels) + point * x.in_channels * x.out_channels;
  const double rate = memory.dram_byte_per_s;
  const double l2_rate = std::max(rate, 0.5 * memory.l2_operand_byte_per_s);
  staging.in_l2 = staging.workspace_byte < memory.l2_kept_byte;
  staging.workspace_byte_per_s = staging.in_l2 ? l2_rate : rate;
  staging.transform_share = t.flop_per_point > 2 ? c.fft_share : 1;
  staging.product_memory_s = staging.workspace_byte / staging.workspace_byte_per_s;
  staging.transform_s =
      staging.workspace_byte / (staging.workspace_byte_per_s * staging.transform_share);
  staging.image_s = (x.read_byte + x.write_byte) / rate;
  staging.further_launch_s = (staged_kernels - 1) * (memory.launch_s + c.extra_kernel_s);
  return staging;
}

TransformedTime staged(const Offer& offer, const GemmWork& plain, const TransformShape& t) {
  const Contraction& x = offer.x;
  const Machine& machine = offer.model.machine;
  const DenseConstants& c = offer.engine.constants;
  TransformedTime time;
  const double tiles = tiles_of(x, t.edge);
  GemmWork work = point_products(x, plain, t, tiles);
  scale_rate(work, c.batched_share * c.library_share, t.flop_per_point / 2);
  time.gemm = best_gemm(
      work, library_tiles(offer.model.constants->tiles, offer.engine.engine, plain_product()),
      machine.sm);
  time.staging = staging_of(offer, t, tiles);
  time.kernels = staged_kernels;
  time.total_s = std::max(time.gemm.schedule.kernel_s, time.staging.product_memory_s) +
                 time.staging.transform_s + time.staging.image_s + time.staging.further_launch_s;
  time.algorithm = t.algorithm;
  time.available = true;
  return time;
}

TransformedTime fused(const Offer& offer, const GemmWork& plain) {
  const Contraction& x = offer.x;
  TransformedTime time;
  GemmWork work = plain;
  work.m = 4 * tiles_of(x, 4);
  work.m_is = "4 x transformed tiles";
  work.n = 4 * (x.role == Pass::fwd ? x.out_channels : x.in_channels);
  work.k = x.role == Pass::fwd ? x.in_channels : x.out_channels;
  work.n_is = x.role == Pass::fwd ? "4 x output channels" : "4 x input channels";
  work.k_is = x.role == Pass::fwd ? "input channels" : "output channels";
  work.count = 1;
  work.k_runs = 1;
  work.may_split = false;
  scale_rate(work, offer.engine.constants.winograd_share);
  time.gemm = best_gemm(work, fused_tile, offer.model.machine.sm);
  time.total_s = time.gemm.schedule.kernel_s;
  time.algorithm = Algorithm::winograd_2x2_fused;
  time.available = true;
  return time;
}

/// Winograd for 3x3 and 5x5 windows.
void add_winograd(Offer& offer, const GemmWork& plain) {
  const Contraction& x = offer.x;
  if (x.kernel_h != x.kernel_w) return;
  const LibraryFeatures& library = offer.engine.features;
  const bool has = x.role == Pass::wgrad ? library.winograd_wgrad : library.winograd;
  if (x.kernel_h == 3 && offer.wants(Algorithm::winograd_4x4_nonfused, has))
    offer.add(staged(offer, plain, {Algorithm::winograd_4x4_nonfused, 6, 36, 2, x.element_byte}));
  if (x.kernel_h == 3 && x.role != Pass::wgrad && offer.wants(Algorithm::winograd_2x2_fused, has))
    offer.add(fused(offer, plain));
  if (x.kernel_h == 5 && offer.wants(Algorithm::winograd_5x5_nonfused, has))
    offer.add(staged(offer, plain, {Algorithm::winograd_5x5_nonfused, 9, 81, 2, x.element_byte}));
}

/// Forward transforms an image that fits 16 x 16 whole; weight gradients have 16 x 16 tiles only.
/// A few channels leave the products too thin for it.
void add_fft(Offer& offer, const GemmWork& plain) {
  const Contraction& x = offer.x;
  const double widest = std::max(x.kernel_h, x.kernel_w);
  const double image = std::max(x.out_h + x.kernel_h, x.out_w + x.kernel_w) - 1;
  const bool has = offer.engine.features.fft && std::min(x.in_channels, x.out_channels) >= 16;
  if (!offer.wants(Algorithm::fft_tiled, has)) return;
  const bool wgrad = x.role == Pass::wgrad;
  if ((wgrad && widest <= 14) || (x.role == Pass::fwd && image <= 16))
    offer.add(staged(offer, plain, {Algorithm::fft_tiled, 16, 16 * 9, 8, 8}));
  if (!wgrad && widest <= 30)
    offer.add(staged(offer, plain, {Algorithm::fft_tiled, 32, 32 * 17, 8, 8}));
}

}  // namespace

TransformedTime best_transformed(const Contraction& x, const ResolvedModel& model,
                                 const EngineModel& engine, std::optional<Algorithm> stated) {
  Offer offer{x, model, engine, stated, {}};
  const LibraryFeatures& library = engine.features;
  if (!stated && !library.winograd && !library.winograd_wgrad && !library.fft) return offer.best;
  if (!x.is_convolution || x.rank != 2 || x.stride != 1 || x.dilation != 1 || x.count != 1 ||
      x.kernel_h * x.kernel_w == 1)
    return offer.best;
  const GemmWork plain = gemm_work(x, model, engine);
  add_winograd(offer, plain);
  add_fft(offer, plain);
  return offer.best;
}

}  // namespace roofline
