#include "kernel/dense/dense_rows.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "kernel/fastest.hpp"

namespace roofline {
namespace {

/// A kernel, or several that differ in their tiles.
struct DenseRow {
  Algorithm algorithm;
  /// Whether the library runs the layer on it.
  bool (*takes)(const DenseContext&, Algorithm);
  /// Whether it can compute the layer, though the library may lack it: for a mapping that states
  /// it.
  bool (*can_run)(const DenseContext&, Algorithm);
  /// Without a tile, unless the mapping states one.
  DenseChoice (*choice)(const DenseContext&, Algorithm);
};

bool never(const DenseContext&, Algorithm) { return false; }

// Products over transformed tiles.

bool takes_transform(const DenseContext& context, Algorithm algorithm) {
  return has_transform(*context.x.problem, algorithm, context.engine.features);
}

bool fits_transform(const DenseContext& context, Algorithm algorithm) {
  return fits_transform(*context.x.problem, algorithm);
}

DenseChoice transformed(const DenseContext& context, Algorithm algorithm) {
  const Problem& problem = *context.x.problem;
  const LibraryFeatures& library = context.engine.features;
  DenseChoice choice;
  choice.algorithm = algorithm;
  choice.transform = transform_of(problem, algorithm, library);
  choice.product = transformed_product(problem, *choice.transform, context.product, library);
  return choice;
}

// Products of the layer's own matrices.

/// The newest instructions read fp32 and round it. Those before read TF32: in NHWC, of 34 layers on
/// an H100 whose longest kernel was one of them, 25 ran after kernels that round, and of 93 on the
/// newest none did. In NCHW the copy between layouts rounds. Rates of kernels that gather hold it.
bool rounds_operands(const DenseContext& context, const TileProduct& product) {
  const LayerProduct& x = context.x;
  const bool is_older =
      product.kernels == ProductKernels::older || product.kernels == ProductKernels::older_strided;
  return is_older && !x.gathered && context.engine.engine == Engine::tf32 && x.problem->nhwc &&
         has_cudnn(context.model.machine) && x.problem->kernels != KernelSource::inference_engine;
}

DenseChoice product_choice(const DenseContext& context, const LayerProduct& x, Algorithm algorithm,
                           const TileProduct& product, std::span<const TileKernel> tiles) {
  const KernelMapping& mapping = *context.layer.mapping;
  const bool on_tensor = is_tensor_engine(context.engine.engine);
  DenseChoice choice;
  choice.algorithm = mapping.algorithm.value_or(
      algorithm == Algorithm::implicit_gemm && x.pointwise ? Algorithm::gemm : algorithm);
  choice.product = product;
  choice.tiles = tiles;
  choice.clears = x.leaves_zeros;
  choice.rounds_operands = rounds_operands(context, product);
  if (!mapping.tile) return choice;
  if (algorithm == Algorithm::direct)
    choice.product.patch_share = patch_share(x, static_cast<double>((*mapping.tile)[0]));
  choice.product.shares_operands = !on_tensor;
  choice.mapping = stated_mapping(mapping, choice.product, context.model, on_tensor);
  return choice;
}

std::span<const TileKernel> tiles_of(const DenseContext& context, const LayerProduct& x) {
  return library_tiles(*context.model.constants, context.engine.engine, x);
}

bool has_older(const DenseContext& context, Algorithm) { return !context.older.empty(); }

DenseChoice older(const DenseContext& context, Algorithm algorithm) {
  return product_choice(context, context.x, algorithm,
                        tile_product(context.x, context.model, context.engine, true),
                        context.older);
}

bool has_newest(const DenseContext& context, Algorithm) {
  return context.older.empty() ||
         fits_newest(context.x, context.model, is_tensor_engine(context.engine.engine));
}

DenseChoice newest(const DenseContext& context, Algorithm algorithm) {
  return product_choice(context, context.x, algorithm, context.product,
                        tiles_of(context, context.x));
}

bool runs_direct(const DenseContext& context, Algorithm) {
  return context.x.role == Pass::fwd && context.x.is_convolution && context.layer.mapping->tile;
}

bool can_scatter(const DenseContext& context, Algorithm) {
  return context.x.role == Pass::dgrad && context.x.is_convolution;
}

bool scatters(const DenseContext& context, Algorithm algorithm) {
  return context.engine.features[LibraryFeature::scatter] && can_scatter(context, algorithm) &&
         !context.x.pointwise;
}

DenseChoice scatter(const DenseContext& context, Algorithm algorithm) {
  const LayerProduct x = scattered(context.x);
  return product_choice(context, x, algorithm, tile_product(x, context.model, context.engine),
                        tiles_of(context, x));
}

// Products with a vector.

/// cuBLAS runs half-precision rows on tiled kernels, but not single columns. In fp64 8 rows take an
/// H100 as long as six, in two passes.
bool is_vector_product(const DenseContext& context, Algorithm) {
  const LayerProduct& x = context.x;
  if (x.is_convolution) return false;
  if (x.element_byte == 8) return true;
  return x.element_byte >= 4 ? std::min(x.m, x.n) <= most_vectors : x.element_byte == 2 && x.n == 1;
}

bool has_few_vectors(const DenseContext& context, Algorithm algorithm) {
  return std::min(context.x.m, context.x.n) <= most_vectors ||
         is_vector_product(context, algorithm);
}

DenseChoice vector_product(const DenseContext&, Algorithm algorithm) {
  DenseChoice choice;
  choice.algorithm = algorithm;
  return choice;
}

/// Rows of few tiles come first: choices which cannot win are dropped before their tiles are
/// searched. The plain product's name is gemm where it has no window.
constexpr std::array<DenseRow, 10> rows{{
    {Algorithm::winograd_2x2_fused, takes_transform, fits_transform, transformed},
    {Algorithm::winograd_4x4_nonfused, takes_transform, fits_transform, transformed},
    {Algorithm::winograd_5x5_nonfused, takes_transform, fits_transform, transformed},
    {Algorithm::fft_tiled, takes_transform, fits_transform, transformed},
    {Algorithm::fft, takes_transform, fits_transform, transformed},
    {Algorithm::implicit_gemm, has_older, has_older, older},
    {Algorithm::implicit_gemm, has_newest, has_newest, newest},
    {Algorithm::direct, never, runs_direct, newest},
    {Algorithm::scatter_gemm, scatters, can_scatter, scatter},
    {Algorithm::gemv, is_vector_product, has_few_vectors, vector_product},
}};

bool has_name(const DenseRow& row, Algorithm stated) {
  return row.algorithm == stated ||
         (row.algorithm == Algorithm::implicit_gemm && stated == Algorithm::gemm);
}

bool is_considered(const DenseRow& row, const DenseContext& context) {
  const KernelMapping& mapping = *context.layer.mapping;
  if (!mapping.algorithm && !mapping.tile) return row.takes(context, row.algorithm);
  return has_name(row, mapping.algorithm.value_or(Algorithm::implicit_gemm)) &&
         row.can_run(context, row.algorithm);
}

/// The fastest of the considered choices.
class RowSearch {
 public:
  explicit RowSearch(const DenseContext& context)
      : context_(context), rates_(dense_rates(context.model, eval_)) {}

  void consider(const DenseRow& row) {
    DenseChoice choice = row.choice(context_, row.algorithm);
    if (choice.tiled() && !finds_tile(choice)) return;
    const double own_s = kernels_s(choice, choice.mapping.time_s);
    fastest_.consider(choice, own_s);
  }

  std::optional<DenseChoice> take() { return fastest_.take(); }

 private:
  double kernels_s(const DenseChoice& choice, double product_s) {
    return around_product(context_, choice, rates_, product_s, eval_).kernels_s;
  }

  /// False if no tile can win.
  bool finds_tile(DenseChoice& choice) {
    const auto rates =
        product_rates(choice.product, context_.model, context_.engine, rates_.machine, eval_);
    TileMapping& mapping = choice.mapping;
    if (mapping.stated) {
      mapping.time_s = gemm_time(choice.product, rates, mapping, eval_).schedule.kernel_s;
      return true;
    }
    if (!fastest_.may_be(kernels_s(choice, least_product_s(choice.product, rates)))) return false;
    const auto tiles = choice.transform
                           ? transform_tiles(*choice.transform, context_.x.role,
                                             *context_.model.constants, context_.engine.engine)
                           : choice.tiles;
    mapping =
        fastest_mapping(choice.product, rates, tiles, context_.model.machine.sm, fastest_.time_s());
    return true;
  }

  const DenseContext& context_;
  Planning eval_;
  DenseRates<double> rates_;
  Fastest<DenseChoice> fastest_;
};

}  // namespace

std::optional<DenseChoice> fastest_choice(const DenseContext& context) {
  RowSearch search(context);
  for (const DenseRow& row : rows)
    if (is_considered(row, context)) search.consider(row);
  return search.take();
}

bool is_in_library(const DenseContext& context) {
  const KernelMapping& mapping = *context.layer.mapping;
  if (mapping.tile) return false;
  return !mapping.algorithm || std::ranges::any_of(rows, [&](const DenseRow& row) {
    return has_name(row, *mapping.algorithm) && row.takes(context, row.algorithm);
  });
}

}  // namespace roofline
