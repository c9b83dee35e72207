#pragma once

// Sizes and types of what a node makes. Our own rules come first: they serve every operator set,
// cannot be misled by a damaged file, and know the kinds that newer sets changed or added. ONNX's
// own inference serves the rest.

#include "load/onnx/graph.hpp"

namespace roofline::onnx_graph {

/// Fills in sizes and types of the node's results as far as they follow from its operands. Throws
/// NodeError where operands contradict the operator, OverflowError where sizes exceed 63 bits.
/// True where a size depends on data and was taken at its largest.
bool infer_sizes(Node& node);

/// The rules of operators that move, cut or resize (sizes_of_moves.cpp); false where there is none.
bool infer_moved_sizes(Node& node, bool& is_largest);
/// Rules of matrix products, reductions and others that compute (sizes_of_products.cpp).
bool infer_product_sizes(Node& node);
/// ONNX's own rule (library_sizes.cpp).
void infer_library_sizes(Node& node);

/// NumPy's broadcasting of all of them. Throws NodeError.
Sizes broadcast(const std::vector<const Sizes*>& operands);

/// Gives a result sizes and, unless it is 0, a type.
void set_result(Node& node, std::size_t output, Sizes sizes, int type);

}  // namespace roofline::onnx_graph
