#pragma once

// Arithmetic on small constants: shapes, indices, scales. Models compute most of their sizes so.

#include "load/onnx/graph.hpp"

namespace roofline::onnx_graph {

/// Works out the numbers of the node's results where all that it reads is known and the results'
/// sizes are; otherwise they stay unknown.
void fold(Node& node);

/// Elements of a tensor of the file, if they are stored in it and few.
std::optional<Numbers> read_numbers(const ::onnx::TensorProto& tensor);

}  // namespace roofline::onnx_graph
