// PyTorch's operators, put back into a graph where its exporters fold them or write them in several
// nodes: attention, batch norms by the batch's own mean, norms that were folded into convolutions.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/recording.hpp"
#include "model/text.hpp"
#include "onnx/operators.hpp"

// Names of a unity build's files may meet.
namespace roofline::onnx_graph::pytorch_patterns {
namespace {

// Attention. PyTorch's exporters multiply queries and keys by the root of the scale, so that
// the scores cannot overflow; models written by hand do not.

/// The tensor that a number multiplies; null for a value of another kind.
Value* scaled(const Value* value) {
  const Node* product = maker(value, "Mul");
  if (product == nullptr || product->inputs.size() != 2 || only_reader(value) == nullptr)
    return nullptr;
  if (constant_scalar(product->inputs[1])) return product->inputs[0];
  return constant_scalar(product->inputs[0]) ? product->inputs[1] : nullptr;
}

/// [products, heads, keys, features] of the scaled matrix [products, heads, features, keys].
Value* scaled_keys(const Value* matrix) {
  if (!matrix->sizes || matrix->sizes->size() != 4) return nullptr;
  Sizes wanted = *matrix->sizes;
  std::swap(wanted[2], wanted[3]);
  bool is_scaled = false;
  bool is_turned = false;
  Value* keys = nullptr;
  for (const Value* at = matrix; at->producer != nullptr && keys == nullptr;) {
    const Node& node = *at->producer;
    Value* next = scaled(at);
    is_scaled = is_scaled || next != nullptr;
    const bool is_view = node.op == "Reshape" || node.op == "Transpose";
    if (next == nullptr && !is_view) return nullptr;
    if (next == nullptr) next = node.inputs.empty() ? nullptr : node.inputs[0];
    if (next == nullptr) return nullptr;
    if (node.op == "Transpose" && std::exchange(is_turned, true)) return nullptr;
    if (is_turned && is_scaled && next->sizes == wanted) keys = next;
    at = next;
  }
  return keys;
}

/// The product of the values with softmax' result, in which a Where may replace NaN.
Node* weighted_sum(const Value* weights) {
  const auto is_where = [](const Node* node) { return node->op == "Where"; };
  if (const auto where = std::ranges::find_if(weights->consumers, is_where);
      where != weights->consumers.end() && weights->consumers.size() == 2)
    weights = (*where)->outputs[0];
  Node* product = only_reader(weights);
  const bool weighs = product != nullptr && product->op == "MatMul" &&
                      product->inputs.size() == 2 && product->inputs[0] == weights;
  return weighs ? product : nullptr;
}

/// Exporters write a mask of truth values as numbers.
Value* mask_of(Value* added) {
  const Node* where = maker(added, "Where");
  const bool is_written = where != nullptr && where->inputs.size() == 3 &&
                          constant_scalar(where->inputs[1]) && constant_scalar(where->inputs[2]);
  return is_written ? where->inputs[0] : added;
}

void join_attention(const Node& softmax) {
  if (softmax.op != "Softmax" || softmax.inputs.size() != 1) return;
  const Value* scores = softmax.inputs[0];
  Value* mask = nullptr;
  if (const Node* sum = maker(scores, "Add"); sum != nullptr && sum->inputs.size() == 2) {
    const bool is_second = maker(sum->inputs[0], "MatMul") == nullptr;
    mask = mask_of(sum->inputs[is_second ? 0 : 1]);
    scores = sum->inputs[is_second ? 1 : 0];
  }
  const Node* product = maker(scores, "MatMul");
  if (product == nullptr || product->inputs.size() != 2) return;
  Value* queries = scaled(product->inputs[0]);
  Value* keys = scaled_keys(product->inputs[1]);
  Node* last = weighted_sum(softmax.outputs[0]);
  if (queries == nullptr || keys == nullptr || last == nullptr) return;
  become(*last, "Attention", {queries, keys, last->inputs[1], mask});
}

/// A batch norm whose mean is the batch's own: exporters compute it by other nodes.
void join_batch_norm(Node& norm) {
  if (norm.op != "BatchNormalization" || norm.inputs.size() < 5) return;
  const Node* mean = maker(norm.inputs[3], "ReduceMean");
  if (mean != nullptr && mean->input(0) == norm.inputs[0]) norm.inputs.resize(3);
}

// Batch norms that exporters fold into the convolution before.

/// Operators through which a sum of convolutions still reaches a norm unchanged in kind.
constexpr std::string_view transparent =
    " Add AveragePool Cast Concat Dropout Expand Flatten Identity MaxPool Pad Reshape Resize Slice "
    "Split Squeeze Sub Transpose Unsqueeze ";
constexpr std::string_view norms =
    " BatchNormalization GroupNormalization InstanceNormalization LayerNormalization "
    "RMSNormalization ";

/// `names`: between blanks.
bool is_one_of(const Node& node, std::string_view names) {
  return mentions(names, {" " + node.op + " "});
}

class FoldedNorms {
 public:
  explicit FoldedNorms(Graph& graph) : graph_(graph) {
    for (auto node = graph.order.rbegin(); node != graph.order.rend(); ++node)
      for (const Value* output : (*node)->outputs)
        if (output != nullptr && !is_normed_later(*output)) unnormed_.insert(output);
  }

  /// Puts the norms, and biases of zero, back; returns the number of norms.
  std::size_t restore() {
    const bool keeps_norms = std::ranges::any_of(graph_.order, [](const Node* node) {
      const Value* image = node->op == "BatchNormalization" ? node->input(0) : nullptr;
      return maker(image, "Conv") != nullptr && only_reader(image) != nullptr;
    });
    if (keeps_norms) return 0;
    std::vector<Node*> order;
    for (Node* node : graph_.order) {
      order.push_back(node);
      if (Node* norm = norm_behind(*node); norm != nullptr) order.push_back(norm);
    }
    const std::size_t restored = order.size() - graph_.order.size();
    graph_.order = std::move(order);
    return restored;
  }

 private:
  /// Whether all that is made of the value meets a norm before any function or product.
  bool is_normed_later(const Value& value) const {
    return std::ranges::all_of(value.consumers, [&](const Node* reader) {
      if (is_one_of(*reader, norms) || reader->op == "Shape") return true;
      return is_one_of(*reader, transparent) &&
             std::ranges::none_of(reader->outputs,
                                  [&](const Value* output) { return unnormed_.contains(output); });
    });
  }

  Node* norm_behind(Node& convolution) {
    if (convolution.op != "Conv" && convolution.op != "ConvTranspose") return nullptr;
    const Value* weights = convolution.input(1);
    Value* result = convolution.outputs[0];
    if (weights == nullptr || !weights->is_constant || result == nullptr || !result->sizes)
      return nullptr;
    const Value* bias = convolution.input(2);
    const bool is_folded =
        bias != nullptr ? module_of_weight(bias->name).empty() : unnormed_.contains(result);
    if (!is_folded) return nullptr;
    if (weights->producer != nullptr) {  // computed in each run, so that nothing can be folded
      if (bias == nullptr)
        convolution.inputs = {convolution.inputs[0], convolution.inputs[1],
                              parameter(convolution, "bias")};
      return nullptr;
    }
    Value& image = graph_.values.emplace_back(*result);
    image.name += " before its norm";
    image.producer = &convolution;
    image.is_output = false;
    convolution.inputs.resize(2);
    convolution.outputs[0] = &image;
    Node& norm = graph_.nodes.emplace_back();
    norm.name = convolution.name;
    norm.origin = convolution.origin;
    norm.inputs = {&image};
    for (const char* name : {"weight", "bias", "mean", "variance"})
      norm.inputs.push_back(parameter(convolution, name));
    norm.outputs = {result};
    become(norm, "BatchNormalization", norm.inputs);
    image.consumers = {&norm};
    result->producer = &norm;
    return &norm;
  }

  Value* parameter(const Node& convolution, const char* name) {
    Value& made = graph_.values.emplace_back();
    made.name = convolution.inputs[1]->name + " " + name;
    made.type = convolution.inputs[1]->type;
    made.sizes = Sizes{(*convolution.outputs[0]->sizes)[1]};
    made.is_constant = true;
    const bool is_learned = std::string_view(name) == "weight" || std::string_view(name) == "bias";
    made.learned = is_learned ? made.sizes->front() : 0;
    made.weights = &made;
    return &made;
  }

  Graph& graph_;
  std::set<const Value*> unnormed_;  ///< functions or products read them
};

}  // namespace
}  // namespace roofline::onnx_graph::pytorch_patterns

namespace roofline::onnx_graph {

void restore_pytorch_operators(Graph& graph) {
  for (Node* node : graph.order) {
    if (node->outputs[0] == nullptr) continue;
    pytorch_patterns::join_attention(*node);
    pytorch_patterns::join_batch_norm(*node);
  }
  connect(graph);
  const std::size_t norms = pytorch_patterns::FoldedNorms(graph).restore();
  if (norms > 0)
    graph.notes.push_back(concat("read as PyTorch runs it, with ", norms,
                                 norms == 1 ? " batch norm" : " batch norms",
                                 " that an exporter had folded into convolutions"));
}

}  // namespace roofline::onnx_graph
