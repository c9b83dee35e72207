#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "load/recording.hpp"
#include "onnx/graph.hpp"
#include "onnx/model.hpp"
#include "pytorch/exported_program.hpp"
#include "roofline/network.hpp"
#include "roofline/spec.hpp"

namespace roofline::onnx_graph {

/// A layer without a name, whose operands are indices.
struct Draft {
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

  /// With the types of the node's first operand, weights and first result, which it writes unless
  /// it is a part; valid until the next call.
  LayerSpec& add(const Node& node, LayerKind kind, const char* part = "");
  /// Sets the last layer's weights; layers that share the file's tensor count it once.
  void uses_weights(const Value& weights) {
    drafts_.back().weights = weights.weights;
    drafts_.back().spec->dtypes.weight = type_of(weights);
  }
  /// Whether the tensor is the whole result of its own node's layer.
  bool is_own_result(const Value& value) const {
    return value.layer && drafts_[*value.layer].node == value.producer;
  }
  /// The last layer writes this tensor as well.
  void writes(Value* result);
  /// Another shape of the operand, without a move.
  static void view(Value* result, const Value* operand);

  static OperandSpec operand(const Value& value) { return operand(value, *value.sizes); }
  /// In its own type.
  OperandSpec typed_operand(const Value& value, const Sizes& sizes) const {
    OperandSpec spec = operand(value, sizes);
    spec.type = type_of(value);
    return spec;
  }
  static OperandSpec operand(const Value& value, const Sizes& sizes);

  DataType type_of(const Value& value) const;
  /// The stored type; that of a quantisation that is the only reader.
  DataType result_type(const Value& value) const;

  /// `reason`: why the node's layer holds its bytes alone, as in a note.
  void count_by_bytes(const Node& node, const char* reason) { ++by_bytes_[reason][node.op]; }

 private:
  struct LeftOut {
    std::size_t nodes = 0;
    std::string first;

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
  std::deque<LayerSpec> layers_;                                        ///< drafts point into it
  std::vector<Draft> drafts_;                                           ///< one a layer
  std::map<std::string, std::map<std::string, std::size_t>> by_bytes_;  ///< operators by reason
  LeftOut without_sizes_;
  LeftOut empty_;
};

inline roofline::Sizes unsigned_sizes(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }
/// Of a layer's operand or result: at least two, at most five.
inline roofline::Sizes layer_sizes(const Sizes& sizes) {
  return whole_operand(unsigned_sizes(sizes)).sizes;
}

/// Modules from paths, weights' names or exporter's notes; else the node's own name.
std::vector<LayerOrigin> layer_origins(const std::vector<Draft>& drafts);

std::string module_of(const Draft& draft);

}  // namespace roofline::onnx_graph
