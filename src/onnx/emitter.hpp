#pragma once

// From a graph's nodes to layers: what the rules of the operators (operators.hpp) have in common.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "onnx/graph.hpp"
#include "onnx/model.hpp"
#include "pytorch/exported_program.hpp"
#include "roofline/network.hpp"
#include "roofline/spec.hpp"

namespace roofline::onnx_graph {

/// The most axes that a layer's tensor has.
inline constexpr std::size_t most_axes = 5;

/// A layer before layers have names: operands refer to others by index.
struct Draft {
  LayerSpec* spec = nullptr;
  const Node* node = nullptr;
  std::string part;                ///< "scores", where its node becomes several layers
  const Value* weights = nullptr;  ///< those that make up the layer's parameters
};

class Emitter {
 public:
  Emitter(const Model& model, const LayerDefaults& defaults) : model_(model), defaults_(defaults) {}

  /// The layers of all nodes, in their order. Throws InputError.
  NetworkSpec network(Graph& graph, std::uint64_t batch);

  // For the rules.

  /// A new layer of that node with the types of its first operand, weights and first result; the
  /// reference holds until the next.
  LayerSpec& add(const Node& node, LayerKind kind, const char* part = "");
  /// The last layer's weights, of whose tensor in the file layers that share it count it once.
  void uses_weights(const Value& weights) {
    drafts_.back().weights = weights.weights;
    drafts_.back().spec->dtypes.weight = type_of(weights);
  }
  /// Whether the tensor is the whole result of a layer that its own node became.
  bool is_own_result(const Value& value) const {
    return value.layer && drafts_[*value.layer].node == value.producer;
  }
  /// Says that the last layer writes this tensor, alone or as one of several.
  void writes(Value* result);
  /// The result is the operand under another shape: nothing is moved.
  static void view(Value* result, const Value* operand);

  /// A tensor in its own axes, at most five of them.
  static OperandSpec operand(const Value& value) { return operand(value, *value.sizes); }
  /// The same tensor in other axes.
  static OperandSpec operand(const Value& value, const Sizes& sizes);

  DataType type_of(const Value& value) const;
  /// The type in which a result is stored, which is that of a quantisation that only follows it.
  DataType result_type(const Value& value) const;

  /// Counts a node of an operator without a rule.
  void count_without_rule(const Node& node) { ++without_rule_[node.op]; }

 private:
  struct LeftOut {
    std::size_t nodes = 0;
    std::string first;  ///< of them

    void add(const Node& node) {
      if (nodes++ == 0) first = node_place(node);
    }
  };

  void emit(const Node& node);
  void mark_shared();
  void set_names();
  void add_notes(NetworkSpec& network) const;

  const Model& model_;
  const LayerDefaults& defaults_;
  std::deque<LayerSpec> layers_;  ///< a deque, as drafts point into it
  std::vector<Draft> drafts_;     ///< one a layer
  std::map<std::string, std::size_t> without_rule_;
  LeftOut without_sizes_;
  LeftOut empty_;
};

/// Sizes with the trailing axes as one, so that there are at most five.
std::vector<std::uint64_t> at_most_five(const Sizes& sizes);

/// Modules from nodes' paths, the names of their weights or what the exporter notes beside them;
/// without any, the node's own name.
std::vector<LayerOrigin> layer_origins(const std::vector<Draft>& drafts);

/// The module that a layer comes from; empty where nothing tells.
std::string module_of(const Draft& draft);
/// That of a tensor of the file: layer1.0.conv1 of "layer1.0.conv1.weight".
std::string module_of_weight(const std::string& name);
/// The last but one of "['', 'layer1', 'layer1.0', 'add']", as PyTorch's exporter lists scopes.
std::string module_of_scopes(const std::string& list);

/// The network of the operators that PyTorch runs, where its exporter noted them beside the nodes
/// (pytorch_program.cpp); else none, and what is wrong with the notes, if there are any.
std::optional<NetworkSpec> network_as_pytorch_runs(const Model& model, const Graph& graph,
                                                   const LayerDefaults& defaults,
                                                   std::string& wrong);

}  // namespace roofline::onnx_graph
