#pragma once

// From a file's graph to one that runs: nodes in order, functions and branches written out, sizes
// worked out, constants folded away.

#include <deque>
#include <set>
#include <string>
#include <unordered_map>

#include "load/onnx/dimensions.hpp"
#include "load/onnx/graph.hpp"
#include "load/onnx/model.hpp"

namespace roofline::onnx_graph {

/// The model's graph under these dimensions. Throws InputError.
Graph build_graph(const Model& model, const Dimensions& dimensions);

/// Names of a graph or function, within those of the graph around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Value*> values;
  std::string path;  ///< prefix of node names: the calls and branches around it
  const std::unordered_map<std::string, int>* versions = nullptr;

  /// None where nothing has that name; null where an optional input of a function is left out.
  std::optional<Value*> find(const std::string& name) const;
};

class Builder {
 public:
  Builder(const Model& model, const Dimensions& dimensions)
      : model_(model), dimensions_(dimensions) {}
  Graph build();

 private:
  void add_tensor(const ::onnx::TensorProto& tensor, Scope& scope);
  void add_initializers(const ::onnx::GraphProto& graph, Scope& scope);
  void add_inputs(const ::onnx::GraphProto& graph, Scope& scope);
  void add_nodes(const NodeList& nodes, Scope& scope);
  void add_node(const ::onnx::NodeProto& proto, Scope& scope);
  void add_operator(const ::onnx::NodeProto& proto, Scope& scope);
  void settle(Node node);
  void infer(Node& node);
  void remember_stated_sizes(const ::onnx::GraphProto& graph);
  void take_stated_sizes(Node& node);
  Value* new_value(const std::string& name);
  void count_node(const ::onnx::NodeProto& proto);
  void count_numbers(std::size_t count);

  // Control flow and sequences (control.cpp). False where the node is none of theirs.
  bool add_control(const ::onnx::NodeProto& proto, Scope& scope);
  bool add_sequence(const ::onnx::NodeProto& proto, Scope& scope);
  void add_call(const ::onnx::NodeProto& proto, const ::onnx::FunctionProto& function,
                Scope& scope);
  void add_if(const ::onnx::NodeProto& proto, Scope& scope);
  bool add_loop(const ::onnx::NodeProto& proto, Scope& scope);
  std::vector<Value*> add_body(const ::onnx::GraphProto& graph, const std::vector<Value*>& inputs,
                               Scope& scope);
  void bind_outputs(const ::onnx::NodeProto& proto, const std::vector<Value*>& values,
                    Scope& scope);
  std::vector<Value*> inputs_of(const ::onnx::NodeProto& proto, const Scope& scope) const;
  Value* joined(const std::vector<Value*>& items, std::int64_t axis, bool new_axis,
                const std::string& name);
  std::vector<Value*> parts_of(const ::onnx::NodeProto& proto, const std::vector<Value*>& inputs,
                               const Scope& scope);
  Value* number(double value);
  const NodeList& resolved_body(const ::onnx::FunctionProto& function,
                                const ::onnx::NodeProto& call);
  void note_once(const std::string& note);

  const Model& model_;
  const Dimensions& dimensions_;
  Graph graph_;
  std::unordered_map<std::string, const ::onnx::ValueInfoProto*> stated_;
  std::size_t resolved_byte_ = 0;
  /// Versions of operator sets in functions.
  std::unordered_map<const ::onnx::FunctionProto*, std::unordered_map<std::string, int>> versions_;
  std::set<std::string> noted_;
  std::size_t node_count_ = 0;
  std::size_t operand_count_ = 0;
  std::size_t number_count_ = 0;
  std::size_t depth_ = 0;
};

/// `node "conv1" (Conv)`.
std::string node_place(const ::onnx::NodeProto& proto);
std::string node_place(const Node& node);

/// An operator on quantised tensors as its plain relative, where it has one.
void make_plain(Node& node);

/// The nodes so that each comes after those that it reads from. Throws NodeError naming a cycle.
std::vector<const ::onnx::NodeProto*> in_order(const NodeList& nodes);

}  // namespace roofline::onnx_graph
