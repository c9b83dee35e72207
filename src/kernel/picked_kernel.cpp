#include "kernel/picked_kernel.hpp"

#include <array>
#include <cstdint>

#include "kernel/engine_facts.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

using Tile = std::array<std::uint64_t, 3>;

bool is_picked(LibraryKernel kernel) { return kernel >= LibraryKernel::vector_fallback; }

/// Tiles of kernels whose grids tell them: positions, results, a step of k.
constexpr Tile direct_tile{32, 32, 8};
constexpr Tile wide_scatter_tile{64, 64, 8};
/// Positions of an image in a tile of the other scattering kernel.
constexpr double scatter_rows = 32;

PickedLayer with_mapping(const PlanRequest& request, Algorithm algorithm,
                         const std::optional<Tile>& tile) {
  PickedLayer picked{request.layer, request.problem};
  KernelMapping mapping;
  mapping.algorithm = algorithm;
  mapping.tile = tile;
  picked.layer.mapping = mapping;
  // The row tells the kernel: its tile is not one of several.
  picked.problem.kernels = picked.layer.kernels = KernelSource::library;
  return picked;
}

PickedLayer scattered_layer(const PlanRequest& request, const std::optional<Tile>& tile) {
  PickedLayer picked = with_mapping(request, Algorithm::scatter_gemm, tile);
  picked.problem.row_multiple = tile ? static_cast<double>(tile->front()) : scatter_rows;
  return picked;
}

/// Takes the tensors without copies, as vector units do in NCHW.
PickedLayer direct_layer(const PlanRequest& request) {
  PickedLayer picked = with_mapping(request, Algorithm::implicit_gemm, direct_tile);
  picked.layer.layout = Layout::nchw;
  picked.problem.nhwc = false;
  return picked;
}

PickedLayer table_layer(const PlanRequest& request) {
  PickedLayer picked = with_mapping(request, Algorithm::implicit_gemm, std::nullopt);
  picked.engine = request.engine;
  return picked;
}

}  // namespace

const ChoiceRow* picked_row(const PlanRequest& request) {
  const Layer& layer = request.layer;
  if (layer.kernels != KernelSource::heuristic || layer.groups > 1 || !request.problem.convolves ||
      !is_tensor_engine(request.engine) || *layer.mapping != KernelMapping{})
    return nullptr;
  const ChoiceRow* found = nullptr;
  for_rows(request.model.constants->choices, request.model.library,
           choice_facts(request.problem, request.problem.nhwc, true), [&](const ChoiceRow& row) {
             if (is_picked(row.kernel)) found = &row;
             return found != nullptr;
           });
  return found;
}

std::optional<PickedLayer> picked_layer(const PlanRequest& request, const ChoiceRow& row) {
  switch (row.kernel) {
    case LibraryKernel::index_table: return table_layer(request);
    case LibraryKernel::vector_direct: return direct_layer(request);
    case LibraryKernel::image_scatter: return scattered_layer(request, std::nullopt);
    case LibraryKernel::image_scatter_wide: return scattered_layer(request, wide_scatter_tile);
    default: return std::nullopt;
  }
}

}  // namespace roofline
