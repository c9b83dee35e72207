#pragma once

// Convolutions by transformed tiles: Winograd and FFT. All need stride 1, dilation 1 and two axes.
//
// A tile of t x t inputs gives (t - r + 1)^2 outputs; in the transformed domain each of its points
// is one multiply-add a channel pair. So P points make P products of M = tiles, N = K, K = C
// (weight gradient: M = K, N = C, K = tiles), far fewer multiply-adds than the (t - r + 1)^2 * r^2
// of the window.
//
//   winograd_2x2_fused      t = 4, r = 3: 16 points for 4 * 9 = 36 taps; one kernel, nothing
//                           spilled. A block of 32 tiles x 32 channels has the arithmetic and the
//                           operand bytes of a 128 x 128 GEMM tile, so it is timed as one:
//                           M' = 4 tiles, N' = 4 K.
//   winograd_4x4_nonfused   t = 6, r = 3: 36 points for 144 taps (t = 9, r = 5: 81 for 625), and
//                           the transformed input and result go through memory between kernels
//   fft_tiled               t = 32: t*(t/2+1) complex points (4 multiply-adds), 8 byte each

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "model/kernel/dense/product.hpp"
#include "model/kernel/machine/memory_traffic.hpp"
#include "roofline/algorithm.hpp"

namespace roofline {

struct Transform {
  Algorithm algorithm = Algorithm::winograd_2x2_fused;
  double edge = 4;            ///< inputs of a tile along one axis
  double points = 16;         ///< of the transformed tile
  double flop_per_point = 2;  ///< of one multiply-add in the transformed domain
  double point_byte = 4;

  bool fused() const { return algorithm == Algorithm::winograd_2x2_fused; }
};

/// Those that may run a layer.
class Transforms {
 public:
  void add(const Transform& transform) { list_[size_++] = transform; }
  const Transform* begin() const { return list_.data(); }
  const Transform* end() const { return list_.data() + size_; }

 private:
  std::array<Transform, 4> list_{};
  std::size_t size_ = 0;
};

/// That the library has for the layer; with `stated` that algorithm, also where it has none.
Transforms transforms_of(const Contraction& x, const LibraryFeatures& library,
                         std::optional<Algorithm> stated = {});

/// The product over a transform's points. `direct`: the layer's without one.
Product transformed_product(const Contraction& x, const Transform& transform,
                            const Product& direct);

/// The tiles that its kernels have.
std::span<const TileKernel> transform_tiles(const Transform& transform,
                                            const ModelConstants& constants, Engine engine);

/// Transforms of image and weights, the products, the transform back.
inline constexpr double staged_kernels = 4;

/// The kernels before and after the products, and the memory between.
template <class Number>
struct Staging {
  Number workspace_byte{};
  bool in_l2 = false;         ///< the workspace
  Number product_memory_s{};  ///< the workspace through the products
  Number transform_s{};       ///< the workspace through the transforms
  Number image_s{};           ///< the layer's own operands and result
  Number further_launch_s{};
};

/// Tiles over the images of the tensor that the pass makes.
double transform_tile_count(const Contraction& x, const Transform& transform);

/// What one kernel writes and the next reads; what fits in L2 stays there.
template <class Trace>
Staging<NumberOf<Trace>> staging(const Contraction& x, const Transform& t,
                                 const MemorySystem& memory, const DenseConstants& c,
                                 const NumberOf<Trace>& dram_byte_per_s,
                                 const NumberOf<Trace>& l2_byte_per_s, Trace& trace) {
  using Number = NumberOf<Trace>;
  Staging<Number> s;
  const Number tiles = transform_tile_count(x, t);
  const Number point = t.points * Number(t.point_byte);
  const Number in = x.in_channels, out = x.out_channels;
  const Number& workspace = s.workspace_byte =
      trace.named("workspace", point * tiles * (in + out) + point * in * out, "byte");
  s.in_l2 = workspace < memory.l2_kept_byte;
  const Number rate = s.in_l2 ? trace.named("rate of the workspace, in L2",
                                            max({dram_byte_per_s, 0.5 * l2_byte_per_s}), "byte/s")
                              : dram_byte_per_s;
  s.product_memory_s = trace.named("workspace through the products", workspace / rate, "s");
  const Number share = t.flop_per_point > 2 ? trace(c.fft_share) : Number(1);
  s.transform_s = trace.named("workspace through the transforms", workspace / (rate * share), "s");
  s.image_s = trace.named("image and weights through DRAM",
                          (x.read_byte + Number(x.write_byte)) / dram_byte_per_s, "s");
  const Number launch = trace.sourced(memory.launch_s, memory.launch_origin);
  s.further_launch_s = trace.named("launches of further kernels",
                                   (staged_kernels - 1) * (launch + trace(c.extra_kernel_s)), "s");
  return s;
}

}  // namespace roofline
