#pragma once

// What the rules for sizes and folding are made of.

#include "onnx/graph.hpp"

namespace roofline::onnx_graph {

/// Sizes of an input; null where it is left out or they are not known.
const Sizes* sizes_at(const Node& node, std::size_t input);
/// Its type; 0 where not known.
int type_at(const Node& node, std::size_t input);
/// Throws NodeError where there is no such axis.
std::size_t axis_or_throw(std::int64_t axis, std::size_t rank);
/// NumPy's broadcasting of all of them. Throws NodeError.
Sizes broadcast(const std::vector<const Sizes*>& operands);
/// Gives a result sizes and, unless it is 0, a type. Throws NodeError, OverflowError.
void set_result(Node& node, std::size_t output, Sizes sizes, int type);

/// Works out the numbers of the node's first result where all that it reads is known and the
/// result's sizes are; otherwise they stay unknown.
void fold(Node& node);

// Of operands whose sizes and numbers are known.
const Numbers& numbers_of(const Node& node, std::size_t input);
const Sizes& sizes_of(const Node& node, std::size_t input);
/// Every index of a tensor of these sizes, row by row.
std::vector<Sizes> indices_of(const Sizes& sizes);
/// Where an element stands, of a tensor that is broadcast to the rank of the index. Throws
/// std::out_of_range where there is none: a file may state sizes that do not fit together.
std::size_t offset(const Sizes& index, const Sizes& sizes);
/// Of an operand that is broadcast to the rank of the index.
double element_at(const Node& node, std::size_t input, const Sizes& index);
/// number(index) of each index of the first result.
template <class Number>
Numbers of_each_index(const Node& node, Number number) {
  Numbers out;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) out.push_back(number(index));
  return out;
}

}  // namespace roofline::onnx_graph
