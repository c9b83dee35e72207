#pragma once

// Operators as layers: one row for each operator, in the file of its family beside its functions
// (README.md), and what collects their layers.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/graph.hpp"
#include "operators/names.hpp"
#include "operators/operands.hpp"
#include "operators/operation.hpp"
#include "roofline/layer.hpp"

namespace roofline::onnx_graph {

/// The origin of a layer without a name.
struct Emitted {
  LayerSpec* spec = nullptr;
  const Node* node = nullptr;
  std::string part;                ///< "scores", if the node becomes several layers
  const Value* weights = nullptr;  ///< the layer's parameters
};

class Emitter {
 public:
  Emitter(const Model& model, const LayerDefaults& defaults) : model_(model), defaults_(defaults) {}

  std::int64_t version() const { return model_.version; }

  /// All nodes' layers in order. Throws InputError.
  NetworkSpec network(Graph& graph, std::uint64_t batch);

  /// An operation that the node becomes beside its own; its layer writes these tensors.
  void add(const Node& node, const Operation& operation, const char* part,
           const std::vector<Value*>& written);
  /// Whether the tensor is the whole result of its own node's layer.
  bool is_own_result(const Value& value) const {
    return value.layer && emitted_[*value.layer].node == value.producer;
  }
  /// Another shape of the operand, without a move.
  static void view(Value* result, const Value* operand);

  /// In these sizes.
  static Tensor tensor(const Value& value, const Sizes& sizes);
  /// With its type.
  Tensor typed(const Value& value, const Sizes& sizes) const {
    Tensor typed = tensor(value, sizes);
    typed.type = type_of(value);
    return typed;
  }
  DataType type_of(const Value& value) const;
  /// The first operand's.
  DataType usual_type(const Node& node) const;
  /// The stored type; that of a quantisation that is the only reader.
  DataType result_type(const Value& value) const;

 private:
  void emit(const Node& node);
  /// The node's operation; by the bytes, with a note, if it has no layers.
  void add(const Node& node, const Operation& operation);
  void emit_view(const Node& node);
  /// `reason`: why the node's layer holds its bytes alone, as in a note.
  void emit_bytes(const Node& node, const char* reason);
  void add_layers(const Node& node, Layers layers, const char* part = "");
  void writes(Value* result);
  /// Sets the last layer's weights; layers that share the file's tensor count it once.
  void shares_weights(const Node& node, LayerKind kind);
  void mark_shared();
  void add_notes(NetworkSpec& network) const;

  const Model& model_;
  const LayerDefaults& defaults_;
  std::deque<LayerSpec> layers_;  ///< `emitted_` points into it
  std::vector<Emitted> emitted_;  ///< one a layer
  std::map<std::string, std::map<std::string, std::size_t>> by_bytes_;  ///< operators by reason
  std::vector<const Node*> without_sizes_;
  std::vector<const Node*> empty_;
};

inline roofline::Sizes unsigned_sizes(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

/// Bytes that an operator moves beside its own layer.
struct Traffic {
  const char* part = "";  ///< "offsets"
  std::vector<const Value*> read = {};
  std::vector<Value*> written = {};
};

struct Operator {
  /// Rows of the table of operators, between blanks: their ONNX names share this row, but for names
  /// that have their own.
  std::string_view rows = "";
  /// Names of operators that share the row, between blanks.
  std::string_view name = "";
  /// Empty: ONNX's own, and com.microsoft's names that ONNX lacks.
  std::string_view domain = "";
  /// Number of first operands that sizes and numbers need.
  std::size_t needs = 1;
  /// The first result's sizes if known; sets those of other results itself. Called with known sizes
  /// of the needed operands. Throws NodeError for contradictory operands, OverflowError beyond 63
  /// bits.
  std::optional<Sizes> (*sizes)(Node&) = nullptr;
  /// The first result's; 0: the first operand's, unless `sizes` sets another.
  int type = 0;
  /// Numbers of the first result; called with known operands and sizes.
  std::optional<Numbers> (*fold)(const Node&) = nullptr;
  /// The node as an operation of the table of operators; nullopt if the operands do not fit.
  std::optional<Operation> (*state)(const Emitter&, const Node&) = nullptr;
  /// Likewise, behind other layers of the node, which it adds. Without both, the node is counted by
  /// bytes, with a note.
  std::optional<Operation> (*state_behind)(Emitter&, const Node&) = nullptr;
  std::vector<Traffic> (*beside)(const Node&) = nullptr;
  // For rows with shared functions: the layer's kind, and the function of one or two elements.
  LayerKind kind = LayerKind::elementwise;
  double (*of_one)(double) = nullptr;
  double (*of_two)(double, double) = nullptr;
  bool is_view = false;           ///< always the first operand in another shape
  bool keeps_weights = false;     ///< constant weights stay the same in another form
  bool reads_sizes_only = false;  ///< the result is constant even if the operand is not

  constexpr bool is_known() const { return !name.empty() || !rows.empty(); }
};

// A row of the parts that the operator has, in any order: their types tell them apart.
constexpr void add_to(Operator& row, LayerKind kind) { row.kind = kind; }
constexpr void add_to(Operator& row, element::Type type) { row.type = type; }
constexpr void add_to(Operator& row, std::optional<Sizes> (*sizes)(Node&)) { row.sizes = sizes; }
constexpr void add_to(Operator& row, std::optional<Numbers> (*f)(const Node&)) { row.fold = f; }
constexpr void add_to(Operator& row, std::vector<Traffic> (*f)(const Node&)) { row.beside = f; }
constexpr void add_to(Operator& row, std::optional<Operation> (*f)(Emitter&, const Node&)) {
  row.state_behind = f;
}
constexpr void add_to(Operator& row,
                      std::optional<Operation> (*state)(const Emitter&, const Node&)) {
  row.state = state;
}
constexpr void add_to(Operator& row, double (*of_one)(double)) { row.of_one = of_one; }
constexpr void add_to(Operator& row, double (*of_two)(double, double)) { row.of_two = of_two; }
template <class... More>
constexpr Operator row(std::string_view name, Operator group, const More&... more) {
  group.name = name;
  (add_to(group, more), ...);
  return group;
}
template <class... More>
constexpr Operator rows_of(std::string_view rows, Operator group, const More&... more) {
  group.rows = rows;
  (add_to(group, more), ...);
  return group;
}

std::span<const Operator> convolution_operators();
std::span<const Operator> elementwise_operators();
std::span<const Operator> movement_operators();
std::span<const Operator> product_operators();
std::span<const Operator> reduction_operators();
std::span<const Operator> selection_operators();

/// A row without rules for an unknown operator.
const Operator* find_operator(std::string_view domain, std::string_view name);

/// The domain of ONNX Runtime's optimiser.
inline constexpr std::string_view microsoft = "com.microsoft";

/// layer1.0.conv1 of "layer1.0.conv1.weight"; empty for names made up by exporters.
std::string module_of_weight(const std::string& name);
/// The module that the node is of, from paths, weights' names or exporter's notes; may be empty.
std::string module_of(const Node& node);

/// The layers of the PyTorch program that the model was exported from (as_pytorch.cpp), whose
/// operators come back into the graph; nullopt if PyTorch lacks one, with the reason in `wrong`.
std::optional<NetworkSpec> network_as_pytorch_runs(const Model& model, Graph& graph,
                                                   const LayerDefaults& defaults,
                                                   std::string& wrong);

/// Sets sizes and types of the results by the row.
void infer_results(Node& node);
/// Sets the numbers of the first result if all operands and its sizes are known.
void fold(Node& node);

// For folding rules: operands with known sizes and numbers.
inline const Numbers& numbers_of(const Node& node, std::size_t input) {
  return *node.inputs[input]->numbers;
}
std::vector<Sizes> indices_of(const Sizes& sizes);
/// Offset of an element in a tensor broadcast to the index' rank. Throws std::out_of_range for
/// contradictory sizes.
std::size_t offset(const Sizes& index, const Sizes& sizes);
double element_at(const Node& node, std::size_t input, const Sizes& index);
template <class Number>
Numbers of_each_index(const Node& node, Number number) {
  Numbers out;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) out.push_back(number(index));
  return out;
}

std::optional<Sizes> like_first(Node& node);
std::optional<Numbers> fold_same(const Node& node);  ///< the first operand's numbers
/// The node as an operation of the table of operators.
Operation operation_of(const Emitter& emitter, const Node& node, const Attributes& attributes);
/// The first operand with another shape, without a move.
Operation view_of(const Node& node);
/// Without attributes.
std::optional<Operation> as_stated(const Emitter& emitter, const Node& node);
/// Reads `read` elements of the first operand and writes the results.
Operation copy_of(const Emitter& emitter, const Node& node, const Sizes& read);
/// The bytes of all tensors, each in its own type.
std::optional<Operation> bytes_of(const Emitter& emitter, const Node& node);

/// For MatMul, Gemm and "Linear", a product joined with its bias; else nullopt.
struct MatrixOperands {
  bool transposes_a = false;
  bool transposes_b = false;
  bool has_bias = false;
};
std::optional<MatrixOperands> matrix_operands(const Node& node);

struct Product {
  Sizes products = {};  ///< the axes before the matrices
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  Sizes result = {};
};
/// nullopt for unknown sizes. Throws NodeError.
std::optional<Product> matrix_product(const Node& node);

}  // namespace roofline::onnx_graph
