#include "kernel/dense/transforms.hpp"

#include <algorithm>
#include <limits>

#include "model/layer_kind.hpp"

namespace roofline {
namespace {

// The fused kernel's block as a GEMM tile.
constexpr std::array<TileKernel, 1> fused_tile{{{128, 128, 8, 256, 2, 128}}};

/// Tiles of complex products, from kernel names: volta_gcgemm_64x32_nt and so on.
constexpr std::array<TileKernel, 4> complex_tiles{{{64, 64, 8, 128, 2, 122},
                                                   {64, 32, 8, 64, 2, 122},
                                                   {32, 64, 8, 64, 2, 122},
                                                   {32, 32, 8, 64, 2, 72}}};

/// Forward over 64 x 64 points: a kernel multiplies them for one or two images at once
/// (pointwise_mult_and_sum_complex): 15 TFLOP/s on an H100, for 8 images as for 128.
constexpr std::array<TileKernel, 1> few_images_tile{{{2, 64, 8, 64, 2, 72}}};

struct Box {
  double images;
  double rows;
  double columns;
};

/// Boxes of the fused kernel's 32 tiles (tile148, tile228, ...); all libraries have the first.
constexpr std::array<Box, 6> boxes{
    {{1, 4, 8}, {2, 4, 4}, {2, 2, 8}, {4, 1, 8}, {4, 2, 4}, {4, 4, 2}}};

struct TileGrid {
  double rows;  ///< of an image
  double columns;
  double count() const { return rows * columns; }
};

TileGrid tile_grid(const Problem& problem, double edge) {
  // A data gradient's outputs are the inputs of the forward convolution.
  const bool dgrad = problem.pass == Pass::dgrad;
  return {divide_up(dgrad ? problem.in_h : problem.out_h, edge - problem.kernel_h + 1),
          divide_up(dgrad ? problem.in_w : problem.out_w, edge - problem.kernel_w + 1)};
}

bool is_fourier(Algorithm algorithm) {
  return algorithm == Algorithm::fft || algorithm == Algorithm::fft_tiled;
}

/// Image and window's border along the longer axis.
double padded_edge(const Problem& problem) {
  return std::max(problem.out_h + problem.kernel_h, problem.out_w + problem.kernel_w) - 1;
}

/// Where the library has the transform, of the types and layouts that it takes.
LibraryFeature feature_of(Algorithm algorithm, Pass pass) {
  if (algorithm == Algorithm::fft_tiled && pass == Pass::fwd) return LibraryFeature::fft_tiled_fwd;
  if (is_fourier(algorithm)) return LibraryFeature::fft;
  return pass == Pass::wgrad ? LibraryFeature::winograd_wgrad : LibraryFeature::winograd;
}

/// Tiles of the fused kernel, with tiles of partly filled boxes.
double boxed_tiles(const Problem& problem, const Transform& transform,
                   const LibraryFeatures& library) {
  const TileGrid grid = tile_grid(problem, transform.edge);
  if (!library[LibraryFeature::winograd_box]) return transform_tile_count(problem, transform);
  double fewest = std::numeric_limits<double>::infinity();
  for (const Box& box : boxes) {
    fewest =
        std::min(fewest, divide_up(problem.batch, box.images) * divide_up(grid.rows, box.rows) *
                             divide_up(grid.columns, box.columns));
    if (!library[LibraryFeature::winograd_boxes]) break;
  }
  return 32 * fewest;
}

}  // namespace

bool fits_transform(const Problem& problem, Algorithm algorithm) {
  const double height = problem.kernel_h;
  const double width = problem.kernel_w;
  if (!problem.convolves || problem.rank != 2 || problem.stride != 1 || problem.dilation != 1 ||
      height * width == 1)
    return false;
  switch (algorithm) {
    case Algorithm::winograd_2x2_fused: return height == 3 && width == 3 && !problem.is_wgrad();
    case Algorithm::winograd_4x4_nonfused: return height == 3 && width == 3;
    case Algorithm::winograd_5x5_nonfused: return height == 5 && width == 5;
    case Algorithm::fft_tiled: return !problem.is_wgrad() && std::max(height, width) < 32;
    case Algorithm::fft: return !problem.is_dgrad() && padded_edge(problem) <= 64;
    default: return false;
  }
}

bool has_transform(const Problem& problem, Algorithm algorithm, const LibraryFeatures& library) {
  if (!library[feature_of(algorithm, problem.pass)]) return false;
  // cuDNN's Winograd takes 16-bit tensors in NCHW. Fourier needs 32 bits (of 5,800 convolutions in
  // 16 bits on an H100 one ran so); gradients in NHWC run on copies in NCHW, as all does where
  // frameworks copy NHWC for a library that knows fp32 in NCHW alone.
  const bool is_16bit = problem.element_byte < 4;
  const bool stays_nhwc =
      problem.is_fwd() && problem.nhwc && !library[LibraryFeature::fft_tiled_fwd];
  const bool takes_tensors =
      is_fourier(algorithm) ? !is_16bit && !stays_nhwc : !(is_16bit && problem.nhwc);
  return takes_tensors && fits_transform(problem, algorithm);
}

Transform transform_of(const Problem& problem, Algorithm algorithm,
                       const LibraryFeatures& library) {
  const double byte = problem.element_byte;
  switch (algorithm) {
    case Algorithm::winograd_2x2_fused:
      return {algorithm, 4, 16, byte, library[LibraryFeature::winograd_box]};
    case Algorithm::winograd_4x4_nonfused: return {algorithm, 6, 36, byte};
    case Algorithm::winograd_5x5_nonfused: return {algorithm, 9, 81, byte};
    default: break;
  }
  // Sizes are from kernel names (fft2d_r2c_16x16, 32x32, 64x64): forward and weight gradient use
  // whole images; data gradient, and forward in some libraries, use tiles.
  const bool tiled = algorithm == Algorithm::fft_tiled;
  const double image = padded_edge(problem);
  const double edge = tiled || (image > 16 && image <= 32) ? 32 : image <= 16 ? 16 : 64;
  return {algorithm, edge,  edge * (edge / 2 + 1),
          8,         false, tiled ? tile_grid(problem, edge).count() : 1};
}

double transform_tile_count(const Problem& problem, const Transform& transform) {
  const TileGrid grid = tile_grid(problem, transform.edge);
  return problem.batch * grid.rows * grid.columns;
}

TileProduct transformed_product(const Problem& problem, const Transform& transform,
                                const TileProduct& direct, const LibraryFeatures& library) {
  constexpr const char* in_word = "input channels";
  constexpr const char* out_word = "output channels";
  const double in = problem.in_channels;
  const double out = problem.out_channels;
  const double tiles = transform_tile_count(problem, transform);
  const bool fwd = problem.is_fwd();
  const bool wgrad = problem.is_wgrad();
  TileProduct product = direct;
  product.k_runs = 1;
  product.useful_flop = 0;
  product.may_split = false;
  product.n = fwd ? out : in;
  product.n_is = fwd ? out_word : in_word;
  if (transform.fused()) {
    product.kernels = ProductKernels::fused_winograd;
    product.m = 4 * boxed_tiles(problem, transform, library);
    product.m_is = "4 x transformed tiles";
    product.n *= 4;
    product.n_is = fwd ? "4 x output channels" : "4 x input channels";
    // Transforming a block's results back takes as long as a step.
    product.k = (fwd ? in : out) + fused_tile.front().k;
    product.k_is = fwd ? "input channels + a step" : "output channels + a step";
    product.count = 1;
    return product;
  }
  constexpr const char* tile_word = "transformed tiles";
  product.kernels = ProductKernels::transformed_points;
  // A complex multiply-add is four real ones on four words, equal in both directions.
  if (transform.fourier()) {
    product.flop_ratio = 4;
    product.load_ratio = 0.5;
    product.role = Pass::fwd;
  }
  product.m = wgrad ? out : tiles / transform.places;
  product.m_is = wgrad ? out_word : tile_word;
  product.k = fwd ? in : wgrad ? tiles / transform.places : out;
  product.k_is = fwd ? in_word : wgrad ? tile_word : out_word;
  product.count = transform.points * transform.places;
  product.element_byte = transform.point_byte;
  product.result_byte = transform.point_byte;
  return product;
}

std::span<const TileKernel> transform_tiles(const Transform& transform, Pass role,
                                            const ModelConstants& constants, Engine engine) {
  if (transform.fused()) return fused_tile;
  if (multiplies_few_images(transform, role)) return few_images_tile;
  if (transform.fourier()) return complex_tiles;
  Problem plain;  // the GEMM library's, with operands across k as in a gradient
  plain.pass = Pass::wgrad;
  return library_tiles(constants, engine, LayerProduct(plain));
}

}  // namespace roofline
