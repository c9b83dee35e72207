#pragma once

// A model's graph as it runs (functions, constant branches and loops written out, every size a
// number, everything computed that does not depend on the input), and what rules ask of a node.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/model.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {

struct Operator;  // operators.hpp
struct Node;

/// A tensor.
struct Value {
  std::string name;
  int type = 0;                    ///< element::Type; 0 where unknown
  int stored_type = 0;             ///< the type in memory where it is another: quantised; else 0
  std::optional<Sizes> sizes;      ///< none where neither rules nor the file say
  bool is_constant = false;        ///< the same for every input of the model
  std::int64_t learned = 0;        ///< parameters of the model that a constant is made of
  const Value* weights = nullptr;  ///< the tensor of the file that it is a form of: itself, or one
                                   ///< that was transposed or dequantised
  std::optional<Numbers> numbers;  ///< a small constant's elements, row by row
  Node* producer = nullptr;
  std::vector<Node*> consumers;
  bool is_output = false;            ///< the model gives it out
  std::optional<std::size_t> layer;  ///< that writes it; none for inputs and constants
};

/// The call of a function, around the nodes of its body.
struct Call {
  const NodeProto* node = nullptr;
  const FunctionProto* function = nullptr;
  const Call* outer = nullptr;
};

struct Node {
  std::string name;
  std::string op;                     ///< "domain::Name" of other domains where nothing is known
  std::string domain;                 ///< empty for ONNX's own operators
  const Operator* row = nullptr;      ///< what is known of the operator
  std::vector<Value*> inputs;         ///< null where an optional one is left out
  std::vector<Value*> outputs;        ///< at least one; later ones are null where left out
  const NodeProto* proto = nullptr;   ///< its attributes; none for nodes that we make
  const Call* call = nullptr;         ///< whose attributes those of the proto may stand for
  const NodeProto* origin = nullptr;  ///< where its name comes from
  std::map<std::string, Sizes> made;  ///< attributes that come before the proto's
  bool is_needed = true;              ///< some output of the model depends on it
  bool is_largest = false;            ///< a result's size depends on data: the most that it may be

  const Value* input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : nullptr;
  }
};

struct Graph {
  std::deque<Value> values;
  std::deque<Node> nodes;
  std::deque<Call> calls;
  std::vector<Node*> order;  ///< each after those that it reads from
  std::vector<Value*> outputs;
  std::vector<std::string> notes;  ///< what was assumed, for the user
};

/// What is wrong with a node; who reads the model adds the place.
struct NodeError : std::runtime_error {
  explicit NodeError(std::string text) : std::runtime_error(text), message(std::move(text)) {}
  std::string message;  ///< also where it has a NUL, which ends what()
};
inline constexpr const char* overflow_message = "expected sizes below 2^63, got an overflow";

/// Throws NodeError: expected this, got that.
[[noreturn]] void fail(const std::string& expected, const std::string& got);
[[noreturn]] void fail(const std::string& expected, const Sizes& got);
[[noreturn]] void fail(const std::string& expected, std::int64_t got);

/// `node "conv1" (Conv)`.
std::string node_place(const Node& node);
std::string node_place(const NodeProto& proto);

/// Does what may throw NodeError or OverflowError of a node: an InputError names the node.
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

// Attributes, with their defaults.
const AttributeProto* find_attribute(const Node& node, std::string_view name);
std::int64_t int_attribute(const Node& node, std::string_view name, std::int64_t otherwise);
double float_attribute(const Node& node, std::string_view name, double otherwise);
std::string text_attribute(const Node& node, std::string_view name, const std::string& otherwise);
std::optional<Sizes> ints_attribute(const Node& node, std::string_view name);
const TensorProto* tensor_attribute(const Node& node, std::string_view name);

/// The nearest whole number that fits.
std::int64_t whole_number(double number);
/// The integers of a small constant, for operators whose attribute became an input.
std::optional<Sizes> integers(const Value* value);
/// The same of a constant of one element.
std::optional<std::int64_t> integer(const Value* value);
/// The number of a constant of one element, however many axes it has.
std::optional<double> constant_scalar(const Value* value);
/// The attribute, or else the constant at that input.
std::optional<Sizes> ints_attribute_or_input(const Node& node, std::string_view name,
                                             std::size_t input);

/// An axis counted from the front; none where it is out of range.
std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);
/// The same; throws NodeError where there is no such axis.
std::size_t axis_or_throw(std::int64_t axis, std::size_t rank);
/// The node's attribute "axis".
std::size_t axis_of(const Node& node, std::int64_t otherwise, std::size_t rank);

/// The product; none where it exceeds 63 bits or a size is negative.
std::optional<std::int64_t> product(const Sizes& sizes);
std::int64_t product_or_throw(const Sizes& sizes);  ///< throws OverflowError
/// Those from one axis up to another, or to the last.
Sizes part(const Sizes& sizes, std::size_t from, std::size_t to = SIZE_MAX);
Sizes chained(Sizes first, const Sizes& second);
/// NumPy's broadcasting of all of them. Throws NodeError.
Sizes broadcast(const std::vector<const Sizes*>& operands);
std::string list_text(const Sizes& sizes);

/// Sizes of an input; null where it is left out or they are not known.
const Sizes* sizes_at(const Node& node, std::size_t input);
/// The same of an input whose sizes are known.
const Sizes& sizes_of(const Node& node, std::size_t input);
/// Its type; 0 where not known.
int type_at(const Node& node, std::size_t input);
/// Gives a result sizes and, unless it is 0, a type. Throws NodeError, OverflowError.
void set_result(Node& node, std::size_t output, Sizes sizes, int type);

/// Whether sizes are known and none is 0.
bool has_elements(const Value* value);
/// The one node that reads a value; null where several do, or the model gives it out.
Node* only_reader(const Value* value);

/// Drops the nodes that no output depends on, says of each tensor who reads it, and puts together
/// again what exporters write as several nodes (patterns.cpp).
void simplify(Graph& graph, const std::string& source);

}  // namespace roofline::onnx_graph
