#include "model/kernel/dense_kernel.hpp"

#include <algorithm>

#include "model/kernel/given_mapping.hpp"

namespace roofline {
namespace {

GemmTime gemm_of(const DenseContext& context, const Contraction& x, Algorithm algorithm) {
  const Machine& machine = context.model.machine;
  const KernelMapping& mapping = context.layer.mapping;
  const Engine engine = context.engine.engine;
  GemmWork work = gemm_work(x, context.model, context.engine);
  if (algorithm == Algorithm::direct)
    work.patch_share = patch_share(x, static_cast<double>((*mapping.tile)[0]));
  if (mapping.tile) return given_gemm(mapping, machine, work, is_tensor_engine(engine));
  return best_gemm(work, library_tiles(context.model.constants->tiles, engine, x), machine.sm);
}

DenseKernel product(const DenseContext& context, const Contraction& x, Algorithm algorithm) {
  DenseKernel kernel;
  kernel.algorithm = algorithm;
  kernel.gemm = gemm_of(context, x, algorithm);
  kernel.stated = context.layer.mapping.tile.has_value();
  kernel.kernels = kernel.gemm.split > 1 ? 2 : 1;
  if (x.leaves_zeros) {
    kernel.clear_launch_s = context.model.memory.launch_s + context.constants().library_start_s;
    kernel.clear_s = x.write_byte / context.l2_byte_per_s();
    kernel.kernels += 1;
  }
  kernel.kernel_s = kernel.gemm.schedule.kernel_s + kernel.clear_launch_s + kernel.clear_s;
  kernel.product_share = std::min(1.0, x.useful_flop / (2 * x.m * x.n * x.issued_k * x.count));
  return kernel;
}

DenseKernel vector_product(const DenseContext& context) {
  DenseKernel kernel;
  VectorProduct& vector = kernel.vector;
  kernel.algorithm = Algorithm::gemv;
  kernel.tiled = false;
  vector.byte = context.x.read_byte + context.x.write_byte;
  vector.l2_s = vector.byte / context.l2_byte_per_s();
  vector.start_s = context.constants().block_latency_clk / context.model.machine.clock_hz;
  kernel.kernel_s = vector.l2_s + vector.start_s;
  return kernel;
}

DenseKernel transformed(const TransformedTime& time) {
  DenseKernel kernel;
  kernel.algorithm = time.algorithm;
  kernel.gemm = time.gemm;
  kernel.staging = time.staging;
  kernel.kernels = time.kernels;
  kernel.kernel_s = time.total_s;
  return kernel;
}

bool may_stream(const DenseContext& context) {
  const Contraction& x = context.x;
  // Half-precision vectors go to the tiled kernels in cuBLAS.
  return !x.is_convolution && std::min(x.m, x.n) <= 4 && x.element_byte >= 4;
}

bool may_scatter(const DenseContext& context) {
  const Contraction& x = context.x;
  return context.engine.features.scatter && x.role == Pass::dgrad && x.is_convolution &&
         !x.pointwise;
}

/// The fastest that the library has.
DenseKernel library_choice(const DenseContext& context) {
  const Contraction& x = context.x;
  DenseKernel best = product(context, x, x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
  const auto consider = [&best](const DenseKernel& other) {
    if (other.kernel_s < best.kernel_s) best = other;
  };
  if (may_scatter(context)) consider(product(context, scattered(x), Algorithm::scatter_gemm));
  if (may_stream(context)) consider(vector_product(context));
  const TransformedTime time = best_transformed(x, context.model, context.engine);
  if (time.available) consider(transformed(time));
  return best;
}

/// The algorithm that the layer states, whether or not it is the fastest.
DenseKernel stated_choice(const DenseContext& context, Algorithm algorithm) {
  const Contraction& x = context.x;
  const bool direct = algorithm == Algorithm::direct && x.role == Pass::fwd && x.is_convolution &&
                      context.layer.mapping.tile;
  if (algorithm == Algorithm::implicit_gemm || algorithm == Algorithm::gemm || direct)
    return product(context, x, algorithm);
  if (algorithm == Algorithm::scatter_gemm && x.role == Pass::dgrad && x.is_convolution)
    return product(context, scattered(x), algorithm);
  if (algorithm == Algorithm::gemv && std::min(x.m, x.n) <= 4) return vector_product(context);
  const TransformedTime time = best_transformed(x, context.model, context.engine, algorithm);
  if (!time.available) throw UnsuitedAlgorithm{algorithm};
  return transformed(time);
}

}  // namespace

DenseKernel choose_dense_kernel(const DenseContext& context) {
  const KernelMapping& mapping = context.layer.mapping;
  if (mapping.algorithm) return stated_choice(context, *mapping.algorithm);
  if (mapping.tile)
    return product(context, context.x,
                   context.x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
  return library_choice(context);
}

}  // namespace roofline
