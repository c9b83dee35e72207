#pragma once

// From a file's graph to one that runs: nodes in order, functions and branches written out, sizes
// worked out, constants folded away.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/graph.hpp"
#include "onnx/model.hpp"
#include "roofline/infer.hpp"

namespace roofline::onnx_graph {

/// The sizes that a model leaves open, and what the command line says about them.
class Dimensions {
 public:
  /// Throws InputError where an input has an open size that is no batch and has no value: the error
  /// lists all of them.
  Dimensions(const Model& model, const LayerDefaults& defaults);

  std::uint64_t batch() const { return batch_; }
  /// The sizes of a graph's input.
  const Sizes& input(const std::string& name) const { return inputs_.at(name); }
  bool has_input(const std::string& name) const { return inputs_.contains(name); }
  /// Sizes that the file states of any tensor; none where one of them is not known.
  std::optional<Sizes> stated(const ValueProto& value) const;
  /// By how much --batch multiplies a batch that the file fixes: sizes that the file stores for a
  /// tensor are not right then.
  bool overrides_fixed_batch() const { return fixed_batch_ != 0; }
  /// A shape written for the fixed batch, under --batch.
  Sizes rescaled(Sizes shape) const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void find_batch(const std::vector<const ValueProto*>& inputs, const LayerDefaults& defaults);
  void bind_inputs(const std::vector<const ValueProto*>& inputs);
  void note_unknown_names(const LayerDefaults& defaults);

  const Model& model_;
  std::map<std::string, std::int64_t> values_;  ///< sizes by name
  std::set<std::string> names_;                 ///< open sizes of the inputs
  std::map<std::string, Sizes> inputs_;
  std::uint64_t batch_ = 1;
  std::int64_t fixed_batch_ = 0;  ///< the file's batch, where --batch replaces it
  std::vector<std::string> notes_;
};

/// The names of a graph or function, within those of the graph around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Value*> values;
  std::string path;  ///< prefix of node names: the calls and branches around it
  const Versions* versions = nullptr;
  const Call* call = nullptr;

  /// None where nothing has that name; null where an optional input of a function is left out.
  std::optional<Value*> find(const std::string& name) const;
};

class Builder {
 public:
  Builder(const Model& model, const Dimensions& dimensions)
      : model_(model), dimensions_(dimensions) {}
  /// The model's graph under these dimensions. Throws InputError.
  Graph build();

  // For operators that are written out. All throw NodeError beyond what a model may become.

  Value* new_value(const std::string& name);
  /// A constant scalar.
  Value* number(double value);
  /// Works out the results' sizes, and their numbers where they are constant; else the node joins
  /// the graph.
  void settle(Node node);
  /// Adds the nodes of a graph inside a node, with these as its inputs; gives its outputs, null
  /// where nothing makes one.
  std::vector<Value*> add_body(const GraphProto& graph, const std::vector<Value*>& inputs,
                               Scope& scope);
  /// Says what the node's outputs are.
  void bind_outputs(const Node& node, const std::vector<Value*>& values, Scope& scope);
  void note_once(const std::string& note);
  void count_numbers(std::size_t count);

 private:
  void add_tensors(const GraphProto& graph, Scope& scope);
  void add_inputs(const GraphProto& graph, Scope& scope);
  void add_nodes(const std::vector<NodeProto>& nodes, Scope& scope);
  void add_node(const NodeProto& proto, Scope& scope);
  void add_call(const Node& node, const FunctionProto& function, Scope& scope);
  void go_deeper(const char* what);
  void infer(Node& node);
  void remember_stated_sizes(const GraphProto& graph);
  void take_stated_sizes(Node& node);
  void count_node(const NodeProto& proto);

  const Model& model_;
  const Dimensions& dimensions_;
  Graph graph_;
  std::unordered_map<std::string, const ValueProto*> stated_;
  /// Versions of the operator sets in functions.
  std::unordered_map<const FunctionProto*, Versions> versions_;
  std::set<std::string> noted_;
  std::size_t node_count_ = 0;
  std::size_t operand_count_ = 0;
  std::size_t number_count_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace roofline::onnx_graph
