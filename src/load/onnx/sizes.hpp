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

// The rules of groups of operators; false where an operator is none of theirs.
bool infer_moved_sizes(Node& node);                     ///< moved, joined or resized
bool infer_chosen_sizes(Node& node, bool& is_largest);  ///< chosen by index or by value
bool infer_product_sizes(Node& node);                   ///< multiplied or reduced

/// ONNX's own rule (library_sizes.cpp).
void infer_library_sizes(Node& node);

/// NumPy's broadcasting of all of them. Throws NodeError.
Sizes broadcast(const std::vector<const Sizes*>& operands);

/// Sizes of an input; null where it is left out or they are not known.
const Sizes* sizes_at(const Node& node, std::size_t input);
/// Its type; 0 where not known.
int type_at(const Node& node, std::size_t input);
/// Throws NodeError where there is no such axis.
std::size_t axis_or_throw(std::int64_t axis, std::size_t rank);

/// Gives a result sizes and, unless it is 0, a type.
void set_result(Node& node, std::size_t output, Sizes sizes, int type);

}  // namespace roofline::onnx_graph
