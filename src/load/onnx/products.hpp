#pragma once

// Matrix products in all the forms that operators state them: what is multiplied with what.

#include "load/onnx/graph.hpp"

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

/// An Einsum of two operands as a product; none for other numbers of operands, repeated indices,
/// or where sizes are not known.
std::optional<Product> einsum_product(const Node& node);
/// Sizes of any Einsum's result. Throws NodeError.
std::optional<Sizes> einsum_result(const Node& node);

/// Scaled dot-product attention, as Attention (set 23) and MultiHeadAttention state it.
struct AttentionSizes {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t queries = 1;  ///< positions
  std::int64_t keys = 1;     ///< positions, those of the past included
  std::int64_t head_size = 1;
  std::int64_t value_head_size = 1;
  Sizes result;
};
bool is_attention(const Node& node);
std::optional<AttentionSizes> attention_sizes(const Node& node);

}  // namespace roofline::onnx_graph
