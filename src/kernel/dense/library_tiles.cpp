// Which of its lists of tiles a library takes for a product.

#include "kernel/dense/tile_mapping.hpp"

namespace roofline {
namespace {

/// Narrower types run on the tiles of one-byte types.
bool is_8bit(Engine engine) { return is_tensor_engine(engine) && operand_byte(engine) <= 1; }

bool is_fp16_like(Engine engine) {
  return engine == Engine::fp16_tensor || engine == Engine::bf16 ||
         engine == Engine::fp16_tensor_fp16_accumulate;
}

TileList vector_list(Engine engine, const Contraction& x) {
  if (engine != Engine::fp32 || !x.is_convolution) return TileList::vector_gemm;
  return x.role == Pass::fwd     ? TileList::vector_fwd
         : x.role == Pass::dgrad ? TileList::vector_dgrad
                                 : TileList::vector_wgrad;
}

TileList gathered_list(Engine engine, const Contraction& x, double own_window) {
  if (x.role == Pass::wgrad) return TileList::gathered_wgrad;
  const bool has_own = x.kernel_h == own_window && x.kernel_w == own_window;
  return has_own && (is_fp16_like(engine) || (is_8bit(engine) && x.by_engine))
             ? TileList::gathered_window
             : TileList::gathered_fwd;
}

TileList tensor_list(Engine engine, const Contraction& x) {
  if (is_8bit(engine)) return has_ragged_rows(x) ? TileList::byte_unaligned : TileList::byte;
  if (!is_fp16_like(engine))
    return x.strided && x.role == Pass::dgrad ? TileList::tf32_strided_dgrad : TileList::tf32;
  return x.pointwise ? TileList::tensor_gemm : TileList::tensor_window;
}

/// The list that stands in for one that is empty.
TileList fallback(TileList list) {
  switch (list) {
    case TileList::vector_fwd:
    case TileList::vector_dgrad:
    case TileList::vector_wgrad: return TileList::vector_gemm;
    case TileList::tf32_strided_dgrad: return TileList::tf32;
    case TileList::byte_unaligned: return TileList::byte;
    default: return TileList::tensor_gemm;
  }
}

}  // namespace

std::span<const TileKernel> library_tiles(const ModelConstants& constants, Engine engine,
                                          const Contraction& x) {
  const auto tiles = [&](TileList list) -> const std::vector<TileKernel>& {
    return constants.tiles[list];
  };
  const bool tensor = is_tensor_engine(engine);
  TileList list = tensor ? tensor_list(engine, x) : vector_list(engine, x);
  if (tensor && x.role == Pass::dgrad && !tiles(TileList::tensor_dgrad).empty())
    list = TileList::tensor_dgrad;
  if (tensor && x.role == Pass::wgrad && !x.pointwise && !tiles(TileList::tensor_wgrad).empty())
    list = TileList::tensor_wgrad;
  const TileList gathered = gathered_list(engine, x, constants.values.selection.gathered_window);
  if (x.gathered && x.is_convolution && !tiles(gathered).empty()) list = gathered;
  while (tiles(list).empty()) list = fallback(list);
  return tiles(list);
}

}  // namespace roofline
