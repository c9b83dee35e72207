#pragma once

// The rows of each family, and what control flow needs of them.

#include <span>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {

std::span<const Operator> attention_operators();
std::span<const Operator> control_operators();
std::span<const Operator> convolution_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> movement_operators();
std::span<const Operator> norm_operators();
std::span<const Operator> product_operators();
std::span<const Operator> quantisation_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> selection_operators();
std::span<const Operator> source_operators();

/// A sequence under another name; false for tensors.
bool alias_sequence(Builder& builder, Node& node, Scope& scope);

}  // namespace roofline::onnx_graph
