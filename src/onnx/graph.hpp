#pragma once

// A model's graph as it runs: functions, constant branches and loops expanded, sizes known,
// constants folded.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/model.hpp"
#include "roofline/network.hpp"

namespace roofline::onnx_graph {

struct Operator;  // operators.hpp
struct Node;

struct Value {
  std::string name;
  int type = 0;                    ///< element::Type; 0 if unknown
  int stored_type = 0;             ///< in memory, if quantised; else 0
  std::optional<Sizes> sizes;      ///< nullopt if neither rules nor the file give them
  bool is_constant = false;        ///< the same for all inputs of the model
  std::int64_t learned = 0;        ///< parameters in a constant
  const Value* weights = nullptr;  ///< the file's tensor, maybe transposed or dequantised
  std::optional<Numbers> numbers;  ///< of a small constant, row by row
  Node* producer = nullptr;
  std::vector<Node*> consumers;
  bool is_output = false;            ///< of the model
  std::optional<std::size_t> layer;  ///< that writes it; nullopt for inputs and constants
};

struct Call {
  const NodeProto* node = nullptr;
  const FunctionProto* function = nullptr;
  const Call* outer = nullptr;
};

struct Node {
  std::string name;
  std::string op;      ///< "domain::Name" for unknown operators of other domains
  std::string domain;  ///< empty for ONNX's own operators
  const Operator* row = nullptr;
  std::vector<Value*> inputs;         ///< null for missing optional ones
  std::vector<Value*> outputs;        ///< at least one; later ones may be null
  const NodeProto* proto = nullptr;   ///< with attributes; null for our own nodes
  const Call* call = nullptr;         ///< its attributes may stand in for the proto's
  const NodeProto* origin = nullptr;  ///< names the node
  std::map<std::string, Sizes> made;  ///< attributes that override the proto's
  bool is_needed = true;              ///< for an output of the model
  bool is_largest = false;            ///< an upper bound of a size that depends on data

  const Value* input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : nullptr;
  }
};

struct Graph {
  std::deque<Value> values;
  std::deque<Node> nodes;
  std::deque<Call> calls;
  std::vector<Node*> order;  ///< topological
  std::vector<Value*> outputs;
  std::vector<std::string> notes;  ///< assumptions, for the user
  bool has_dead_nodes = false;     ///< beside views: a note names them
};

/// An error of a node; the model's reader adds the place.
struct NodeError : std::runtime_error {
  explicit NodeError(std::string text) : std::runtime_error(text), message(std::move(text)) {}
  std::string message;  ///< unlike what(), also after a NUL
};
inline constexpr const char* overflow_message = "expected sizes below 2^63, got an overflow";

[[noreturn]] void fail(const std::string& expected, const std::string& got);
[[noreturn]] void fail(const std::string& expected, const Sizes& got);
[[noreturn]] void fail(const std::string& expected, std::int64_t got);

/// `node "conv1" (Conv)`.
std::string node_place(const Node& node);
std::string node_place(const NodeProto& proto);

/// Turns NodeError and OverflowError of `work` into an InputError that names the node.
template <class AnyNode, class Work>
void at_node(const std::string& source, const AnyNode& node, const Work& work,
             const char* advice = "") {
  try {
    work();
  } catch (const NodeError& error) {
    throw InputError(source, node_place(node), error.message + advice);
  } catch (const OverflowError&) {
    throw InputError(source, node_place(node), overflow_message);
  }
}

const AttributeProto* find_attribute(const Node& node, std::string_view name);
std::int64_t int_attribute(const Node& node, std::string_view name, std::int64_t otherwise);
double float_attribute(const Node& node, std::string_view name, double otherwise);
std::string text_attribute(const Node& node, std::string_view name, const std::string& otherwise);
std::optional<Sizes> ints_attribute(const Node& node, std::string_view name);
const TensorProto* tensor_attribute(const Node& node, std::string_view name);

/// Rounded and clamped.
std::int64_t whole_number(double number);
/// The numbers of a small constant, for attributes that became inputs.
std::optional<Sizes> integers(const Value* value);
/// The number of a constant of one element.
std::optional<std::int64_t> integer(const Value* value);
/// The number of a constant of one element and any rank.
std::optional<double> constant_scalar(const Value* value);
/// The attribute, or else the constant input.
std::optional<Sizes> ints_attribute_or_input(const Node& node, std::string_view name,
                                             std::size_t input);

/// Throws NodeError if out of range.
std::size_t axis_or_throw(std::int64_t axis, std::size_t rank);
std::size_t axis_of(const Node& node, std::int64_t otherwise, std::size_t rank);

/// nullopt beyond 63 bits, or for a negative size.
std::optional<std::int64_t> product(const Sizes& sizes);
std::int64_t product_or_throw(const Sizes& sizes);  ///< throws OverflowError
Sizes part(const Sizes& sizes, std::size_t from, std::size_t to = SIZE_MAX);
Sizes chained(Sizes first, const Sizes& second);
/// NumPy's broadcasting. Throws NodeError.
Sizes broadcast_or_throw(const std::vector<const Sizes*>& operands);

/// Null for a missing input or unknown sizes.
const Sizes* sizes_at(const Node& node, std::size_t input);
/// The sizes must be known.
const Sizes& sizes_of(const Node& node, std::size_t input);
/// 0 if unknown.
int type_at(const Node& node, std::size_t input);
/// Type 0 keeps the type. Throws NodeError, OverflowError.
void set_result(Node& node, std::size_t output, Sizes sizes, int type);

/// Whether sizes are known and none is 0.
bool has_elements(const Value* value);
/// False for a null value.
bool is_read(const Value* value);
/// Null for several readers, or an output of the model.
Node* only_reader(const Value* value);

/// A model's open sizes, and the command line's values for them.
class Dimensions {
 public:
  /// Throws InputError with all open sizes that are no batch and have no value.
  Dimensions(const Model& model, const LayerDefaults& defaults);

  std::uint64_t batch() const { return batch_; }
  const Sizes& input(const std::string& name) const { return inputs_.at(name); }
  bool has_input(const std::string& name) const { return inputs_.contains(name); }
  /// Sizes in the file; nullopt if one is unknown.
  std::optional<Sizes> stated(const ValueProto& value) const;
  /// Whether --batch replaces a batch that the file fixes; the file's sizes are then wrong.
  bool overrides_fixed_batch() const { return fixed_batch_ != 0; }
  /// A shape for the fixed batch, under --batch.
  Sizes rescaled(Sizes shape) const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void find_batch(const std::vector<const ValueProto*>& inputs, const LayerDefaults& defaults);
  void bind_inputs(const std::vector<const ValueProto*>& inputs);

  const Model& model_;
  std::map<std::string, std::int64_t> values_;  ///< by name
  std::set<std::string> names_;                 ///< open sizes of the inputs
  std::map<std::string, Sizes> inputs_;
  std::uint64_t batch_ = 1;
  std::int64_t fixed_batch_ = 0;  ///< the file's batch if --batch replaces it
  std::vector<std::string> notes_;
};

/// In order: functions and branches expanded, sizes inferred, constants folded; with
/// `computes_constants` nodes that make large constants of others run as well. Throws InputError.
Graph build_graph(const Model& model, const Dimensions& dimensions,
                  bool computes_constants = false);

// Patterns of nodes (patterns.cpp).
/// The node with this operator that makes the value, or null.
Node* maker(const Value* value, std::string_view op);
/// Makes the node another operator, without attributes.
void become(Node& node, std::string op, std::vector<Value*> inputs);
/// Drops nodes that no output needs, and finds each tensor's readers.
void connect(Graph& graph);
/// Drops unneeded nodes, finds readers, and joins nodes that exporters split; with `joins_padding`
/// also a convolution with the padding before it.
void simplify(Graph& graph, const std::string& source, bool joins_padding = true);
/// Puts operators back that PyTorch's exporters fold or write in several nodes, with a note
/// (pytorch_patterns.cpp).
void restore_pytorch_operators(Graph& graph);

}  // namespace roofline::onnx_graph
