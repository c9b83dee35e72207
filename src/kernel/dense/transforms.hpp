#pragma once

// Convolutions by transformed tiles: Winograd and FFT. All need stride 1, dilation 1 and two axes.
//
// A tile of t x t inputs gives (t - r + 1)^2 outputs; in the transformed domain each of its points
// is one multiply-add a channel pair. So P points make P products of M = tiles, N = K, K = C
// (weight gradient: M = K, N = C, K = tiles), far fewer multiply-adds than the (t - r + 1)^2 * r^2
// of the window.
//
//   winograd_2x2_fused      t = 4, r = 3: 16 points for 4 * 9 = 36 taps; a kernel that transforms
//                           the weights, and one for the rest, of which nothing is spilled. A block
//                           of 32 tiles x 32 channels has the arithmetic and the operand bytes of a
//                           128 x 128 GEMM tile, so it is timed as one: M' = 4 tiles, N' = 4 K. Its
//                           32 tiles are a box of images x rows x columns, 1 x 4 x 8 for one: small
//                           images fill it partly.
//   winograd_4x4_nonfused   t = 6, r = 3: 36 points for 144 taps (t = 9, r = 5: 81 for 625), and
//                           the transformed input and result go through memory between kernels
//   fft                     t = 16, 32 or 64, which holds an image and its window's border, and
//                           t*(t/2+1) complex points (4 multiply-adds), 8 byte each
//   fft_tiled               t = 32: one place of all images after the other, each with kernels of
//                           its own, which read the points of the weights again

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "kernel/dense/product.hpp"
#include "kernel/machine/memory_traffic.hpp"
#include "roofline/algorithm.hpp"

namespace roofline {

struct Transform {
  Algorithm algorithm = Algorithm::winograd_2x2_fused;
  double edge = 4;            ///< inputs of a tile along one axis
  double points = 16;         ///< of the transformed tile
  double flop_per_point = 2;  ///< of one multiply-add in the transformed domain
  double point_byte = 4;
  bool weights_first = false;  ///< fused: a kernel of its own transforms the weights
  double places = 1;           ///< of an image, one after the other

  bool fused() const { return algorithm == Algorithm::winograd_2x2_fused; }
  bool fourier() const { return algorithm == Algorithm::fft || algorithm == Algorithm::fft_tiled; }
  /// Transforms of image and weights, the products, the transform back; all but that of the
  /// weights for each place.
  double kernels() const { return 1 + 3 * places; }
};

inline bool multiplies_few_images(const Transform& t, Pass role) {
  return t.fourier() && t.edge == 64 && role == Pass::fwd;
}

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
Product transformed_product(const Contraction& x, const Transform& transform, const Product& direct,
                            const LibraryFeatures& library);

/// The tiles that its kernels have.
std::span<const TileKernel> transform_tiles(const Transform& transform, Pass role,
                                            const ModelConstants& constants, Engine engine);

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

/// Clocks a second of all SMs, and what device memory and L2 sustain.
template <class Number>
struct TransformRates {
  Number clock_per_s{};
  Number dram_byte_per_s{};
  Number l2_byte_per_s{};
};

/// What one kernel writes and the next reads; what fits in L2 stays there.
template <class Trace>
Staging<NumberOf<Trace>> staging(const Contraction& x, const Transform& t,
                                 const MemorySystem& memory, const DenseConstants& c,
                                 const TransformRates<NumberOf<Trace>>& rates, Trace& trace) {
  using Number = NumberOf<Trace>;
  Staging<Number> s;
  const Number tiles = transform_tile_count(x, t);
  const Number in = x.in_channels, out = x.out_channels;
  const Number images = trace.named("points of images", t.points * tiles * (in + out));
  const Number weights = trace.named("points of weights", t.points * in * out);
  const Number places = trace.factor("places of an image, one after the other", t.places);
  const Number& workspace = s.workspace_byte =
      trace.named("workspace", t.point_byte * (images / places + weights), "byte");
  s.in_l2 = workspace < memory.l2_kept_byte;
  const Number rate =
      s.in_l2 ? trace.named("rate of the workspace, in L2",
                            max({rates.dram_byte_per_s, 0.5 * rates.l2_byte_per_s}), "byte/s")
              : rates.dram_byte_per_s;
  s.product_memory_s = trace.named("workspace through the products",
                                   t.point_byte * (images + places * weights) / rate, "s");
  const Number points_s = t.point_byte * (images + weights) / rate;
  Number transform_s = t.fourier() ? points_s / trace(c.fft_share) : points_s;
  // Of 64 x 64 points, kernels between put those of one frequency together
  // (region_transform_ABC); rows of 16 x 16 points fill a part of a line of the cache.
  if (t.edge == 64 && !multiplies_few_images(t, x.role)) transform_s = transform_s + 2 * points_s;
  if (t.edge == 16) transform_s = 3 * transform_s;
  // Measured weight gradients show no more than the memory's time.
  if (!t.fourier() && x.role != Pass::wgrad) {
    const Number clocks = images / trace(c.transform_per_clk_per_sm) +
                          weights / trace(c.weight_transform_per_clk_per_sm);
    transform_s = max({transform_s, clocks / rates.clock_per_s});
  }
  s.transform_s = trace.named("workspace through the transforms", transform_s, "s");
  s.image_s = trace.named("image and weights through DRAM",
                          (x.read_byte + Number(x.write_byte)) / rates.dram_byte_per_s, "s");
  // What further kernels take beyond it was fitted to Winograd's.
  const Number launch = trace.sourced(memory.launch_s, memory.launch_origin);
  const Number further = t.fourier() ? launch : launch + trace(c.extra_kernel_s);
  s.further_launch_s = trace.named("launches of further kernels", (t.kernels() - 1) * further, "s");
  return s;
}

/// The kernel before a fused one: it writes the points of the weights.
template <class Number>
struct FusedWeights {
  Number transform_s{};
  Number launch_s{};
};

template <class Trace>
FusedWeights<NumberOf<Trace>> fused_weights(const Contraction& x, const Transform& t,
                                            const MemorySystem& memory, const DenseConstants& c,
                                            const TransformRates<NumberOf<Trace>>& rates,
                                            Trace& trace) {
  using Number = NumberOf<Trace>;
  FusedWeights<Number> weights;
  const Number points =
      trace.named("points of weights", t.points * Number(x.in_channels) * x.out_channels);
  weights.transform_s =
      trace.named("transform of the weights",
                  max({points * t.point_byte / rates.dram_byte_per_s,
                       points / trace(c.weight_transform_per_clk_per_sm) / rates.clock_per_s}),
                  "s");
  // What else a further kernel takes, the start of a fused convolution was measured with.
  weights.launch_s =
      trace.named("its launch", trace.sourced(memory.launch_s, memory.launch_origin), "s");
  return weights;
}

}  // namespace roofline
