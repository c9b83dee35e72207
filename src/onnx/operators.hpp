#pragma once

// What is known of each operator: one row. Rows stand in the file of their family, beside the
// functions that they name; to add an operator, add its row there.

#include <optional>
#include <string_view>

#include "onnx/emitter.hpp"
#include "onnx/graph.hpp"
#include "roofline/layer.hpp"

namespace roofline::onnx_graph {

class Builder;
struct Scope;

struct Operator {
  std::string_view name = "";
  /// Empty: ONNX's own; and com.microsoft's, where that has none of the name.
  std::string_view domain = "";
  /// Of the operator sets in which it means this; they end where the next row of the name starts.
  int first_set = 1;
  /// Puts other nodes in its place, or changes it; true where nothing of it is left.
  bool (*write_out)(Builder&, Node&, Scope&) = nullptr;
  /// Sets sizes and types of the results as far as they follow from the operands. Throws NodeError
  /// where operands contradict the operator, OverflowError where sizes exceed 63 bits.
  void (*sizes)(Node&) = nullptr;
  /// The first result's numbers, of operands that all are known; called where its sizes are.
  std::optional<Numbers> (*fold)(const Node&) = nullptr;
  std::size_t needs = 1;  ///< operands that folding cannot do without
  /// Adds its layers; where there is none, the node is counted by its bytes and named in a note.
  void (*layer)(Emitter&, const Node&) = nullptr;
  /// What the layer is, and what happens to an element or two, where several rows share functions.
  LayerKind kind = LayerKind::elementwise;
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  bool keeps_weights = false;     ///< of constant weights, they are the same ones in another form
  bool reads_sizes_only = false;  ///< the result is constant even where the operand is not
};

// Rows of operators that share their functions.
constexpr Operator row(std::string_view name, Operator group) {
  group.name = name;
  return group;
}
constexpr Operator row(std::string_view name, Operator group, LayerKind kind) {
  group.kind = kind;
  return row(name, group);
}
constexpr Operator row(std::string_view name, Operator group, void (*sizes)(Node&)) {
  group.sizes = sizes;
  return row(name, group);
}
constexpr Operator row(std::string_view name, Operator group, double (*of_one)(double)) {
  group.of_one = of_one;
  return row(name, group);
}
constexpr Operator row(std::string_view name, Operator group, double (*of_two)(double, double)) {
  group.of_two = of_two;
  return row(name, group);
}

/// Null where nothing is known of it.
const Operator* find_operator(std::string_view domain, std::string_view name, int set);

// Domains beside ONNX's own.
inline constexpr std::string_view microsoft = "com.microsoft";  ///< of ONNX Runtime's optimiser
inline constexpr std::string_view qonnx = "qonnx.custom_op.general";

// Rules that several families share.

/// Sizes and type of the first operand.
void infer_like_first(Node& node);
/// Row's of_one of each element; of_two of pairs, operand by operand, broadcast.
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
/// The same of the whole operand; nothing where it stays as it is.
void emit_copy(Emitter& emitter, const Node& node);
/// The mean over all positions of each channel.
void emit_global_average(Emitter& emitter, const Node& node);
void emit_reduction(Emitter& emitter, const Node& node);
/// All operands read, all results written.
void emit_bytes(Emitter& emitter, const Node& node);
/// The same of an operator that nothing is known of, which a note says.
void emit_without_rule(Emitter& emitter, const Node& node);

}  // namespace roofline::onnx_graph
