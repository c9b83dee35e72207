#pragma once

// What is known of each operator: one row. Rows stand in the file of their family, beside the
// functions that they name; to add an operator, add its row there (README.md).

#include <optional>
#include <span>
#include <string_view>

#include "onnx/emitter.hpp"
#include "onnx/graph.hpp"
#include "roofline/layer.hpp"

namespace roofline::onnx_graph {

struct Operator {
  /// Several operators that share all of the row stand in it with blanks between them.
  std::string_view name = "";
  /// Empty: ONNX's own; and com.microsoft's, where that has none of the name.
  std::string_view domain = "";
  /// First operands without which no size follows, and no number.
  std::size_t needs = 1;
  /// The first result's sizes, as far as they follow from the operands; it sets those of other
  /// results itself. Called where sizes of the operands that it needs are known. Throws NodeError
  /// where operands contradict the operator, OverflowError where sizes exceed 63 bits.
  std::optional<Sizes> (*sizes)(Node&) = nullptr;
  /// The first result's type; 0: the first operand's, unless the rule for sizes sets another.
  int type = 0;
  /// The first result's numbers, from operands that all are known; called where its sizes are.
  std::optional<Numbers> (*fold)(const Node&) = nullptr;
  /// Adds its layers; where there is none, the node is counted by its bytes and named in a note.
  void (*layer)(Emitter&, const Node&) = nullptr;
  // What the layer is, and what happens to an element or two, where several rows share functions.
  LayerKind kind = LayerKind::elementwise;
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  bool keeps_weights = false;     ///< constant weights are the same ones in another form
  bool reads_sizes_only = false;  ///< the result is constant even where the operand is not
};

// A row of operators that share functions with others: what the group has, and more.
constexpr void add_to(Operator& row, LayerKind kind) { row.kind = kind; }
constexpr void add_to(Operator& row, std::optional<Sizes> (*sizes)(Node&)) { row.sizes = sizes; }
constexpr void add_to(Operator& row, double (*of_one)(double)) { row.of_one = of_one; }
constexpr void add_to(Operator& row, double (*of_two)(double, double)) { row.of_two = of_two; }
template <class... More>
constexpr Operator row(std::string_view name, Operator group, const More&... more) {
  group.name = name;
  (add_to(group, more), ...);
  return group;
}

// The families.
std::span<const Operator> convolution_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> movement_operators();
std::span<const Operator> product_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> selection_operators();

/// A row without any rule where nothing is known of it.
const Operator* find_operator(std::string_view domain, std::string_view name);

/// The domain of what ONNX Runtime's optimiser writes.
inline constexpr std::string_view microsoft = "com.microsoft";

/// Works out sizes and types of a node's results by its row.
void infer_results(Node& node);
/// Works out the numbers of the node's first result where all that it reads is known and the
/// result's sizes are; otherwise they stay unknown.
void fold(Node& node);

// What rules for folding are made of: operands' sizes and numbers are known.
inline const Numbers& numbers_of(const Node& node, std::size_t input) {
  return *node.inputs[input]->numbers;
}
/// Every index of a tensor of these sizes, row by row.
std::vector<Sizes> indices_of(const Sizes& sizes);
/// Where an element stands, of a tensor that is broadcast to the rank of the index. Throws
/// std::out_of_range where there is none: a file may state sizes that do not fit together.
std::size_t offset(const Sizes& index, const Sizes& sizes);
/// An element of an operand that is broadcast to the rank of the index.
double element_at(const Node& node, std::size_t input, const Sizes& index);
/// number(index) of each index of the first result.
template <class Number>
Numbers of_each_index(const Node& node, Number number) {
  Numbers out;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) out.push_back(number(index));
  return out;
}

// Rules that several families share.

/// The first operand's sizes.
std::optional<Sizes> like_first(Node& node);
/// The row's of_one of each element; of_two of pairs, operand by operand, broadcast.
std::optional<Numbers> fold_each(const Node& node);
std::optional<Numbers> fold_pairs(const Node& node);
std::optional<Numbers> fold_same(const Node& node);  ///< the first operand's numbers
/// The first operand under another shape: nothing is moved.
void emit_view(Emitter& emitter, const Node& node);
/// A layer of the row's kind on the first operand, element by element.
void emit_activation(Emitter& emitter, const Node& node);
void emit_one_operand(Emitter& emitter, const Node& node, LayerKind kind, const Value& operand);
/// Reads so many elements of the first operand and writes the results.
void emit_move(Emitter& emitter, const Node& node, const Sizes& read);
/// Reads the whole operand and writes the result; a view where it stays as it is.
void emit_copy(Emitter& emitter, const Node& node);
/// All operands read, all results written.
void emit_bytes(Emitter& emitter, const Node& node);
/// Counts an operator that has no rule by its bytes, which a note says.
void emit_without_rule(Emitter& emitter, const Node& node);

// Matrix products in all the forms that operators state them.

/// What MatMul, Gemm and "Linear", which patterns make of a product and the bias added to it, do
/// with their operands; none for other operators.
struct MatrixOperands {
  bool transposes_a = false;
  bool transposes_b = false;
  bool has_bias = false;
};
std::optional<MatrixOperands> matrix_operands(const Node& node);

/// `products` products of m x k with k x n.
struct Product {
  Sizes products;  ///< the axes before the matrices
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  Sizes result;
};
/// The product of such a node; none where sizes are not known. Throws NodeError.
std::optional<Product> matrix_product(const Node& node);

}  // namespace roofline::onnx_graph
