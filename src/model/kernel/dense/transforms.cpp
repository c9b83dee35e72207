#include "model/kernel/dense/transforms.hpp"

#include <algorithm>
#include <limits>

#include "model/kernel/dense/tile_mapping.hpp"

namespace roofline {
namespace {

// The fused kernel's one block, as a GEMM tile.
constexpr std::array<TileKernel, 1> fused_tile{{{128, 128, 8, 256, 2, 128}}};

struct Box {
  double images, rows, columns;
};

/// Of the fused kernel's 32 tiles; the first is that of all libraries. In their kernels' names as
/// tile148, tile228 and so on.
constexpr std::array<Box, 6> boxes{
    {{1, 4, 8}, {2, 4, 4}, {2, 2, 8}, {4, 1, 8}, {4, 2, 4}, {4, 4, 2}}};

/// Winograd for 3x3 and 5x5 windows.
void add_winograd(Transforms& all, const Contraction& x, const LibraryFeatures& library,
                  std::optional<Algorithm> stated) {
  const bool wgrad = x.role == Pass::wgrad;
  const auto add = [&](const Transform& transform) {
    const bool has = wgrad ? library.winograd_wgrad : library.winograd;
    if (stated ? *stated == transform.algorithm : has) all.add(transform);
  };
  if (x.kernel_h != x.kernel_w) return;
  if (x.kernel_h == 3) add({Algorithm::winograd_4x4_nonfused, 6, 36, 2, x.element_byte});
  if (x.kernel_h == 3 && !wgrad)
    add({Algorithm::winograd_2x2_fused, 4, 16, 2, x.element_byte, library.winograd_box});
  if (x.kernel_h == 5) add({Algorithm::winograd_5x5_nonfused, 9, 81, 2, x.element_byte});
}

/// Forward transforms an image that fits 16 x 16 whole; weight gradients have 16 x 16 tiles only.
/// A few channels leave the products too thin for it.
void add_fft(Transforms& all, const Contraction& x, const LibraryFeatures& library,
             std::optional<Algorithm> stated) {
  const double widest = std::max(x.kernel_h, x.kernel_w);
  const double image = std::max(x.out_h + x.kernel_h, x.out_w + x.kernel_w) - 1;
  const bool has = library.fft && std::min(x.in_channels, x.out_channels) >= 16;
  if (!(stated ? *stated == Algorithm::fft_tiled : has)) return;
  const bool wgrad = x.role == Pass::wgrad;
  if ((wgrad && widest <= 14) || (x.role == Pass::fwd && image <= 16))
    all.add({Algorithm::fft_tiled, 16, 16 * 9, 8, 8});
  if (!wgrad && widest <= 30) all.add({Algorithm::fft_tiled, 32, 32 * 17, 8, 8});
}

}  // namespace

Transforms transforms_of(const Contraction& x, const LibraryFeatures& library,
                         std::optional<Algorithm> stated) {
  Transforms all;
  if (!x.is_convolution || x.rank != 2 || x.stride != 1 || x.dilation != 1 || x.count != 1 ||
      x.kernel_h * x.kernel_w == 1)
    return all;
  add_winograd(all, x, library, stated);
  add_fft(all, x, library, stated);
  return all;
}

namespace {

struct TileGrid {
  double rows, columns;  ///< of an image
};

TileGrid tile_grid(const Contraction& x, const Transform& t) {
  // A data gradient's outputs are the inputs of the forward convolution.
  const bool dgrad = x.role == Pass::dgrad;
  return {divide_up(dgrad ? x.in_h : x.out_h, t.edge - x.kernel_h + 1),
          divide_up(dgrad ? x.in_w : x.out_w, t.edge - x.kernel_w + 1)};
}

/// Tiles of the fused kernel, those of boxes that images do not fill included.
double boxed_tiles(const Contraction& x, const Transform& t, const LibraryFeatures& library) {
  const TileGrid grid = tile_grid(x, t);
  if (!library.winograd_box) return x.batch * grid.rows * grid.columns;
  double fewest = std::numeric_limits<double>::infinity();
  for (const Box& box : boxes) {
    fewest = std::min(fewest, divide_up(x.batch, box.images) * divide_up(grid.rows, box.rows) *
                                  divide_up(grid.columns, box.columns));
    if (!library.winograd_boxes) break;
  }
  return 32 * fewest;
}

}  // namespace

double transform_tile_count(const Contraction& x, const Transform& t) {
  const TileGrid grid = tile_grid(x, t);
  return x.batch * grid.rows * grid.columns;
}

Product transformed_product(const Contraction& x, const Transform& t, const Product& direct,
                            const LibraryFeatures& library) {
  constexpr const char* in_word = "input channels";
  constexpr const char* out_word = "output channels";
  const double in = x.in_channels, out = x.out_channels;
  const double tiles = transform_tile_count(x, t);
  const bool fwd = x.role == Pass::fwd, wgrad = x.role == Pass::wgrad;
  Product p = direct;
  p.k_runs = 1;
  p.useful_flop = 0;
  p.may_split = false;
  p.n = fwd ? out : in;
  p.n_is = fwd ? out_word : in_word;
  if (t.fused()) {
    p.kernels = ProductKernels::fused_winograd;
    p.m = 4 * boxed_tiles(x, t, library);
    p.m_is = "4 x transformed tiles";
    p.n *= 4;
    p.n_is = fwd ? "4 x output channels" : "4 x input channels";
    p.k = fwd ? in : out;
    p.k_is = fwd ? in_word : out_word;
    p.count = 1;
    return p;
  }
  constexpr const char* tile_word = "transformed tiles";
  p.kernels = ProductKernels::transformed_points;
  p.flop_ratio = t.flop_per_point / 2;
  p.m = wgrad ? out : tiles;
  p.m_is = wgrad ? out_word : tile_word;
  p.k = fwd ? in : wgrad ? tiles : out;
  p.k_is = fwd ? in_word : wgrad ? tile_word : out_word;
  p.count = t.points;
  p.element_byte = t.point_byte;
  p.result_byte = t.point_byte;
  return p;
}

std::span<const TileKernel> transform_tiles(const Transform& t, const ModelConstants& constants,
                                            Engine engine) {
  if (t.fused()) return fused_tile;
  Contraction plain;  // the GEMM library's
  plain.pointwise = true;
  plain.is_convolution = false;
  return library_tiles(constants, engine, plain);
}

}  // namespace roofline
