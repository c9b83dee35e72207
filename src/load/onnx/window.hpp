#pragma once

// The sliding windows of convolutions and pools, with every attribute's default and padding rule
// worked out.

#include "load/onnx/graph.hpp"
#include "roofline/layer.hpp"

namespace roofline::onnx_graph {

bool is_convolution(const Node& node);
bool is_transposed(const Node& node);
bool is_pool(const Node& node);  ///< with a window, not a global one

/// Which input holds the weights.
std::size_t weight_input(const Node& node);

/// The window of a convolution or pool whose operands' sizes are known and have at most three
/// spatial axes. Throws NodeError where an attribute makes no sense.
Window window_of(const Node& node);

/// Sizes of the result. Throws NodeError.
Sizes window_result(const Node& node);

}  // namespace roofline::onnx_graph
