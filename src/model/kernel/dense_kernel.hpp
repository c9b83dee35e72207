#pragma once

// The kernel that runs a dense contraction: which algorithm, on which tile, and its time without
// the first launch and without DRAM.

#include "model/kernel/transformed_kernel.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Everything that a choice among kernels needs.
struct DenseContext {
  const Layer& layer;
  const ResolvedModel& model;
  const EngineModel& engine;
  Contraction x;

  const DenseConstants& constants() const { return engine.constants; }
  double l2_byte_per_s() const { return model.memory.l2_operand_byte_per_s; }
};

/// A product with a vector: every weight is used once, so the kernel streams the matrix through
/// threads that each hold a few sums. No tiles; the time of its bytes from L2.
struct VectorProduct {
  double byte = 0;
  double l2_s = 0;
  double start_s = 0;
};

struct DenseKernel {
  Algorithm algorithm = Algorithm::gemm;
  bool tiled = true;
  bool stated = false;       ///< the tile, by the layer
  GemmTime gemm;             ///< where it is tiled
  double product_share = 1;  ///< of the product's arithmetic that the layer asked for
  double clear_s = 0;        ///< writing zeros where results are added up or not written
  double clear_launch_s = 0;
  Staging staging;       ///< where tiles are transformed
  VectorProduct vector;  ///< where it is not tiled
  double kernels = 1;
  double kernel_s = 0;  ///< all its kernels, without the first launch and DRAM
};

/// The mapping or algorithm that the layer states, else the library's fastest. Throws
/// ImpossibleMapping or UnsuitedAlgorithm.
DenseKernel choose_dense_kernel(const DenseContext& context);

}  // namespace roofline
