#pragma once

// Convolutions by transformed tiles: Winograd and FFT. All need stride 1, dilation 1 and two axes.
//
// A tile of t x t inputs gives (t - r + 1)^2 outputs; in the transformed domain each of its points
// is one multiply-add per channel pair. So P points make P products of M = tiles, N = K, K = C
// (weight gradient: M = K, N = C, K = tiles), far fewer multiply-adds than the window's (t - r +
// 1)^2 * r^2.
//
//   winograd_2x2_fused      t = 4, r = 3: 16 points for 4 * 9 = 36 taps; one kernel transforms the
//                           weights, one does the rest in registers. A block of 32 tiles x 32
//                           channels has the arithmetic and operand bytes of a 128 x 128 GEMM tile
//                           and is timed as one: M' = 4 tiles, N' = 4 K. Its 32 tiles are a box of
//                           images x rows x columns, such as 1 x 4 x 8, which small images fill
//                           partly.
//   winograd_4x4_nonfused   t = 6, r = 3: 36 points for 144 taps (t = 9, r = 5: 81 for 625); the
//                           transformed input and result pass through memory between kernels
//   fft                     t = 16, 32 or 64 for a whole image and its window's border;
//                           t*(t/2+1) complex points (4 multiply-adds), 8 byte each
//   fft_tiled               t = 32: one place of all images after the other, each with its own
//                           kernels, which read the points of the weights again

#include <array>
#include <span>

#include "kernel/dense/gemm.hpp"
#include "roofline/layer.hpp"

namespace roofline {

struct Transform {
  Algorithm algorithm = Algorithm::winograd_2x2_fused;
  double edge = 4;     ///< along one axis
  double points = 16;  ///< of the transformed tile
  double point_byte = 4;
  bool weights_first = false;  ///< fused: a separate kernel transforms the weights
  double places = 1;           ///< of an image, one after the other

  bool fused() const { return algorithm == Algorithm::winograd_2x2_fused; }
  bool fourier() const { return algorithm == Algorithm::fft || algorithm == Algorithm::fft_tiled; }
  /// Each place repeats all but the transform of the weights.
  double kernels() const { return 1 + 3 * places; }
};

inline bool multiplies_few_images(const Transform& transform, Pass role) {
  return transform.fourier() && transform.edge == 64 && role == Pass::fwd;
}

/// Whether its tiles cover the layer's window.
bool fits_transform(const Problem& problem, Algorithm algorithm);

/// Whether the library runs the layer so.
bool has_transform(const Problem& problem, Algorithm algorithm, const LibraryFeatures& library);

/// One that fits.
Transform transform_of(const Problem& problem, Algorithm algorithm, const LibraryFeatures& library);

/// The product over a transform's points. `direct`: the layer's product without a transform.
TileProduct transformed_product(const Problem& problem, const Transform& transform,
                                const TileProduct& direct, const LibraryFeatures& library);

std::span<const TileKernel> transform_tiles(const Transform& transform, Pass role,
                                            const ModelConstants& constants, Engine engine);

/// Kernels around a product, or in place of it.
template <class Number>
struct AroundProduct {
  struct Part {
    Limiter limiter = Limiter::math;
    Number time_s{};
  };
  std::array<Part, 4> parts{};
  Number workspace_byte{};
  bool hides_product = false;  ///< the product runs beside the first part and is shorter
  Number kernels_s{};          ///< with the product
};

/// Tiles over all images of the pass's result.
double transform_tile_count(const Problem& problem, const Transform& transform);

template <class Number>
struct DenseRates {
  MachineRates<Number> machine;
  Number dram_byte_per_s{};
  Number l2_byte_per_s{};  ///< of operands
};

template <class Number>
Number all_clock_per_s(const DenseRates<Number>& rates, Eval<Number>& eval) {
  return eval.named("clocks of all SMs, by what they issue", rates.machine.issue_clock_per_s,
                    "clock/s");
}

/// Kernels before and after the products, and the memory between them, in L2 if it fits.
template <class Number>
AroundProduct<Number> staging(const LayerProduct& x, const Transform& transform,
                              const MemorySystem& memory, const TransformConstants& constants,
                              const double& extra_kernel_s, const DenseRates<Number>& rates,
                              const Number& product_s, Eval<Number>& eval) {
  const Problem& problem = *x.problem;
  AroundProduct<Number> around;
  const Number clock_per_s = all_clock_per_s(rates, eval);
  const Number tiles = transform_tile_count(problem, transform);
  const Number in = problem.in_channels;
  const Number out = problem.out_channels;
  const Number images = eval.named("points of images", transform.points * tiles * (in + out));
  const Number weights = eval.named("points of weights", transform.points * in * out);
  const Number places = eval.factor("places of an image, one after the other", transform.places);
  const Number& workspace = around.workspace_byte =
      eval.named("workspace", transform.point_byte * (images / places + weights), "byte");
  // The tensors around it share the L2.
  const Number missed =
      missed_share(workspace + (x.read_byte + Number(x.write_byte)), memory, eval);
  const Limiter level = value_of(missed) < 0.5 ? Limiter::l2 : Limiter::dram;
  const Number near_rate = max({rates.dram_byte_per_s, 0.5 * rates.l2_byte_per_s});
  const Number rate =
      eval.named("rate of the workspace",
                 1 / ((1 - missed) / near_rate + missed / rates.dram_byte_per_s), "byte/s");
  const Number product_memory_s =
      eval.named("workspace through the products",
                 transform.point_byte * (images + places * weights) / rate, "s");
  const Number points_s = transform.point_byte * (images + weights) / rate;
  Number transform_s = transform.fourier() ? points_s / eval(constants.fft_share) : points_s;
  // For 64 x 64 points, kernels in between collect the points of each frequency
  // (region_transform_ABC); rows of 16 x 16 points fill only a part of a cache line.
  if (transform.edge == 64 && !multiplies_few_images(transform, problem.pass))
    transform_s = transform_s + 2 * points_s;
  if (transform.edge == 16) transform_s = 3 * transform_s;
  // Measured weight gradients show no more than the memory's time.
  Limiter transforming = level;
  if (!transform.fourier() && problem.pass != Pass::wgrad) {
    const Number clocks = images / eval(constants.transform_per_clk_per_sm) +
                          weights / eval(constants.weight_transform_per_clk_per_sm);
    if (clocks / clock_per_s > transform_s) transforming = Limiter::instructions;
    transform_s = max({transform_s, clocks / clock_per_s});
  }
  transform_s = eval.named("workspace through the transforms", transform_s, "s");
  const Number image_s =
      eval.named("image and weights through DRAM",
                 (x.read_byte + Number(x.write_byte)) / rates.dram_byte_per_s, "s");
  const Number launch = eval.sourced(memory.launch_s, memory.launch_origin);
  const Number further =
      launch + eval(transform.fourier() ? constants.fft_kernel_s : extra_kernel_s);
  const Number further_launch_s =
      eval.named("launches of further kernels", (transform.kernels() - 1) * further, "s");
  around.hides_product = product_memory_s > product_s;
  around.parts = {{{level, around.hides_product ? product_memory_s : Number{}},
                   {transforming, transform_s},
                   {Limiter::dram, image_s},
                   {Limiter::launch, further_launch_s}}};
  around.kernels_s = eval.named(
      "kernels", max({product_s, product_memory_s}) + transform_s + image_s + further_launch_s,
      "s");
  return around;
}

template <class Number>
AroundProduct<Number> fused_weights(const Problem& problem, const Transform& transform,
                                    const MemorySystem& memory, const TransformConstants& constants,
                                    const DenseRates<Number>& rates, const Number& product_s,
                                    Eval<Number>& eval) {
  const Number clock_per_s = all_clock_per_s(rates, eval);
  const Number points = eval.named(
      "points of weights", transform.points * Number(problem.in_channels) * problem.out_channels);
  const Number transform_s =
      eval.named("transform of the weights",
                 max({points * transform.point_byte / rates.dram_byte_per_s,
                      points / eval(constants.weight_transform_per_clk_per_sm) / clock_per_s}),
                 "s");
  // The measured start of a fused convolution includes a further kernel's other costs.
  const Number launch_s =
      eval.named("its launch", eval.sourced(memory.launch_s, memory.launch_origin), "s");
  AroundProduct<Number> around;
  around.parts = {{{Limiter::dram, transform_s}, {Limiter::launch, launch_s}}};
  around.kernels_s = eval.named("kernels", product_s + transform_s + launch_s, "s");
  return around;
}

}  // namespace roofline
