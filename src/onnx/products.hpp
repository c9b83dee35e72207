#pragma once

// Matrix products in all the forms that operators state them: what is multiplied with what.

#include "onnx/emitter.hpp"
#include "onnx/graph.hpp"

namespace roofline::onnx_graph {

/// `products` products of m x k with k x n.
struct Product {
  Sizes products;  ///< the axes before the matrices
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  Sizes result;
};

/// Which operands are the matrices of MatMul, Gemm, their quantised and fused forms, and "Linear",
/// which patterns make of a product and the bias added to it; none for other operators.
struct MatrixOperands {
  std::size_t a = 0;
  std::size_t b = 1;
  bool transposes_a = false;
  bool transposes_b = false;
  std::optional<std::size_t> bias;
};
std::optional<MatrixOperands> matrix_operands(const Node& node);

/// The product of such a node; none where sizes are not known. Throws NodeError.
std::optional<Product> matrix_product(const Node& node);

/// Adds a layer: k features at each position, times learned weights.
void emit_linear(Emitter& emitter, const Node& node, const Value& positions, const Value& weights,
                 const Sizes& sizes, std::int64_t out_features, bool bias);
/// Adds a layer: a product of two tensors, [products, rows, columns] each.
void emit_matmul(Emitter& emitter, const Node& node, const Value& a, const Value& b,
                 const Sizes& a_sizes, const Sizes& b_sizes);

}  // namespace roofline::onnx_graph
