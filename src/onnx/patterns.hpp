#pragma once

// Operators that exporters write as several nodes, put together again.

#include "onnx/graph.hpp"

namespace roofline::onnx_graph {

/// Drops the nodes that no output depends on, and says of each tensor who reads it.
void connect(Graph& graph);

/// Replaces what the patterns below find.
void simplify(Graph& graph);

// Each looks at one node, and where a pattern ends or starts there, gives the pattern's last node
// the operator's name and operands; the others fall away as nothing reads them.
void join_activation(Node& node);  ///< GELU, SiLU, hard swish, Mish from their formulas
void join_norm(Node& node);        ///< layer, RMS and group norm from theirs
void join_product(Node& node);     ///< products with the bias added after them, or padded before

// What patterns are made of.
/// The one node that reads a value; null where several do, or the model gives it out.
Node* only_reader(const Value* value);
/// The node of that operator that makes a value.
Node* maker(const Value* value, std::string_view op);
/// Operand of a node of two: the one that is not `known`; null where neither is.
Value* other_operand(const Node& node, const Value* known);
/// A constant of one element, however many axes it has.
std::optional<double> constant_scalar(const Value* value);
/// A constant of several elements.
bool is_vector_constant(const Value* value);
/// Turns a node into one of another operator.
void become(Node& node, std::string op, std::vector<Value*> inputs);

}  // namespace roofline::onnx_graph
