#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "onnx/operators.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

using Values = std::vector<Value*>;

/// Names in a graph or function, nested in the outer graph's.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Value*> values;
  std::string path;  ///< prefix of node names: the calls and branches around it
  const Call* call = nullptr;

  /// nullopt for an unknown name; null for a function's missing optional input.
  std::optional<Value*> find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
      if (const auto found = scope->values.find(name); found != scope->values.end())
        return found->second;
    return std::nullopt;
  }
};

// Bounds the expansion, as functions that call functions can turn a few kilobytes into any size.
// Large models have tens of thousands of nodes.
constexpr std::size_t most_numbers_in_all = std::size_t{1} << 25;
constexpr std::size_t numbers_an_operand = 32;  // numbers with as much memory as an operand
constexpr std::size_t name_bytes_a_number = 2;  // layers, places and operands have copies
constexpr std::size_t deepest_graph = 64;
constexpr std::size_t longest_path = 1000;

/// QLinearAdd(a, scale, zero, b, ...) of ONNX Runtime as ONNX's Add(a, b).
void drop_scales(Node& node) {
  constexpr std::string_view prefix = "QLinear";
  const bool is_gemm = node.op == "QGemm";
  if (!is_gemm && (!node.op.starts_with(prefix) || node.op == "QLinearWhere")) return;
  node.op.erase(0, is_gemm ? 1 : prefix.size());
  node.domain.clear();
  const Values all = std::exchange(node.inputs, {});
  // The result's pair is last, or first in a concatenation; a convolution's bias follows it alone.
  const bool is_concat = node.op == "Concat";
  const std::size_t most = std::max<std::size_t>(all.size(), 2) - 2;
  const std::size_t end = is_concat ? all.size() : std::min<std::size_t>(most, is_gemm ? 7 : 6);
  for (std::size_t i = is_concat ? 2 : 0; i < end; i += 3) node.inputs.push_back(all[i]);
  if (node.op == "Conv" && all.size() > 8) node.inputs.push_back(all[8]);
}

Values inputs_of(const NodeProto& proto, const Scope& scope) {
  Values inputs;
  for (const std::string& name : proto.inputs) {
    const auto found = name.empty() ? std::optional<Value*>(nullptr) : scope.find(name);
    if (!found)
      throw NodeError{
          "expected an input that the model, a tensor of it or an earlier node gives, got " +
          in_quotes(name)};
    inputs.push_back(*found);
  }
  return inputs;
}

/// Parameters in a constant result: those of the largest operand, or of all joined operands.
std::int64_t learned_behind(const Node& node) {
  if (!is_float(node.outputs[0]->type)) return 0;
  std::int64_t learned = 0;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (node.op != "Concat")
      learned = std::max(learned, input->learned);
    else if (__builtin_add_overflow(learned, input->learned, &learned))
      throw OverflowError();
  }
  return learned;
}

/// Whether an exporter made the name up: then it is likely a mask or a table, no parameter.
bool is_made_up_constant(const std::string& name) {
  for (const std::string_view start : {"val_", "onnx::", "/", "const_fold", "Constant"})
    if (name.starts_with(start)) return true;
  if (name.find("lifted_tensor") != std::string::npos) return true;
  // The operation that made it, and a number: "unsqueeze_2", "_to_copy_1".
  constexpr std::string_view operations =
      " unsqueeze squeeze cat view expand slice_scatter select_scatter index fill exp log pow sqrt "
      "rsqrt sigmoid tanh add sub mul div cos sin arange full ones zeros stack where select slice "
      "reshape permute transpose clone tmp to linspace meshgrid repeat to_copy unsafe_view softmax "
      "tensor_constant ";
  const std::size_t first = name.find_first_not_of('_');
  const std::size_t end = name.find_last_not_of("0123456789_");
  if (first == std::string::npos || end == std::string::npos) return true;
  const std::string stem = name.substr(first, end + 1 - first);
  return operations.find(" " + stem + " ") != std::string_view::npos;
}

const GraphProto* graph_attribute(const Node& node, std::string_view name) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute != nullptr ? attribute->graph.get() : nullptr;
}

class Builder {
 public:
  Builder(const Model& model, const Dimensions& dimensions, bool computes_constants)
      : model_(model), dimensions_(dimensions), computes_constants_(computes_constants) {}

  Graph build() {
    Scope scope;
    graph_.notes = dimensions_.notes();
    remember_stated_sizes(model_.graph);
    try {
      add_tensors(model_.graph, scope);
      add_inputs(model_.graph, scope);
    } catch (const NodeError& error) {
      throw InputError(model_.source, "", error.message);
    }
    add_nodes(model_.graph.nodes, scope);
    for (const ValueProto& output : model_.graph.outputs)
      if (Value* value = scope.find(output.name).value_or(nullptr)) graph_.outputs.push_back(value);
    return std::move(graph_);
  }

 private:
  Value* new_value(const std::string& name) {
    spend(numbers_an_operand + name.size() / name_bytes_a_number);
    Value& value = graph_.values.emplace_back();
    value.name = name;
    return &value;
  }

  void add_tensors(const GraphProto& graph, Scope& scope) {
    for (const TensorProto& tensor : graph.tensors) {
      Value* value = new_value(tensor.name);
      scope.values[tensor.name] = value;
      value->type = tensor.type;
      value->is_constant = true;
      value->sizes = tensor.sizes;
      value->numbers = tensor.numbers;
      if (value->numbers) spend(value->numbers->size());
      const auto elements = product(tensor.sizes);
      if (!elements)
        throw InputError(
            model_.source, "initializer " + in_quotes(tensor.name),
            "expected sizes whose product is below 2^63, got " + integers_text(tensor.sizes));
      if (tensor.sizes.empty() || element_type(tensor.type).elements == Elements::others) continue;
      value->weights = value;
      if (!is_made_up_constant(tensor.name)) value->learned = *elements;
    }
  }

  void add_inputs(const GraphProto& graph, Scope& scope) {
    for (const ValueProto& input : graph.inputs) {
      if (scope.values.contains(input.name)) continue;
      Value* value = new_value(input.name);
      value->type = input.type;
      if (dimensions_.has_input(input.name)) value->sizes = dimensions_.input(input.name);
      scope.values[input.name] = value;
    }
  }

  void add_nodes(const std::vector<NodeProto>& nodes, Scope& scope) {
    const char* advice =
        dimensions_.overrides_fixed_batch()
            ? "; the model's batch is fixed: export it with an open batch to change it"
            : "";
    for (const NodeProto& node : nodes)
      at_node(
          model_.source, node, [&] { add_node(node, scope); }, advice);
  }

  void spend(std::size_t numbers) {
    number_count_ += numbers;
    if (number_count_ > most_numbers_in_all)
      throw NodeError{"expected a smaller graph once functions are written out, got more than " +
                      std::to_string(most_numbers_in_all / numbers_an_operand) +
                      " nodes and operands, or as much in small constants and names"};
  }

  void add_node(const NodeProto& proto, Scope& scope) {
    spend(numbers_an_operand * (1 + proto.inputs.size() + proto.outputs.size()));
    // Nodes outside of functions take no more than their file.
    if (scope.call != nullptr)
      spend((scope.path.size() + proto.name.size() + proto.op.size() + proto.domain.size() +
             proto.scopes.size()) /
            name_bytes_a_number);
    Node node;
    node.name = scope.path + proto.name;
    node.op = proto.op;
    node.domain = proto.domain;
    node.proto = node.origin = &proto;
    node.call = scope.call;
    node.inputs = inputs_of(proto, scope);
    const auto function =
        model_.functions.find(function_key(proto.domain, proto.op, proto.overload));
    if (function != model_.functions.end()) return add_call(node, function->second, scope);
    if (node.domain.empty() && node.op == "If") return add_if(node, scope);
    if (node.domain.empty() || node.domain == microsoft) drop_scales(node);
    node.row = find_operator(node.domain, node.op);
    // Patterns know operators by name: those of other domains are no match.
    if (!node.row->is_known() && !node.domain.empty()) node.op = function_key(node.domain, node.op);
    for (const std::string& name : proto.outputs) {
      const bool is_left_out = name.empty() && !node.outputs.empty();  // never the first
      node.outputs.push_back(is_left_out ? nullptr : new_value(name));
      if (!name.empty()) bind(name, node.outputs.back(), scope);
    }
    if (!node.outputs.empty()) settle(std::move(node));
  }

  void go_deeper() {
    if (depth_++ >= deepest_graph)
      throw NodeError{"expected functions that call each other at most " +
                      std::to_string(deepest_graph) + " deep, got more"};
  }

  void add_call(const Node& node, const FunctionProto& function, Scope& scope) {
    go_deeper();
    Scope inner;
    graph_.calls.push_back({node.proto, &function, scope.call});
    inner.call = &graph_.calls.back();
    inner.path = scope.path;
    if (inner.path.size() < longest_path)
      inner.path += (node.proto->name.empty() ? node.op : node.proto->name) + "/";
    // A missing input has no value inside either.
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      inner.values[function.inputs[i]] = i < node.inputs.size() ? node.inputs[i] : nullptr;
    add_nodes(function.nodes, inner);
    --depth_;
    Values outputs;
    for (const std::string& name : function.outputs)
      outputs.push_back(inner.find(name).value_or(nullptr));
    bind_outputs(node, outputs, scope);
  }

  /// Adds a branch's nodes; returns its outputs, null for missing ones.
  Values add_branch(const GraphProto& graph, Scope& scope) {
    go_deeper();
    Scope inner;
    inner.outer = &scope;
    inner.path = scope.path;
    inner.call = scope.call;
    remember_stated_sizes(graph);
    add_tensors(graph, inner);
    add_nodes(graph.nodes, inner);
    --depth_;
    Values outputs;
    for (const ValueProto& output : graph.outputs)
      outputs.push_back(inner.find(output.name).value_or(nullptr));
    return outputs;
  }

  void bind_outputs(const Node& node, const Values& values, Scope& scope) {
    for (std::size_t i = 0; i < node.proto->outputs.size(); ++i) {
      const std::string& name = node.proto->outputs[i];
      if (name.empty()) continue;
      Value* value = i < values.size() ? values[i] : nullptr;
      bind(name, value != nullptr ? value : new_value(name), scope);
    }
  }

  static void bind(const std::string& name, Value* value, Scope& scope) {
    if (!scope.values.emplace(name, value).second)
      fail("expected results that nothing else gives", in_quotes(name));
  }

  void add_if(const Node& node, Scope& scope) {
    const GraphProto* then_branch = graph_attribute(node, "then_branch");
    const GraphProto* else_branch = graph_attribute(node, "else_branch");
    if (then_branch == nullptr || else_branch == nullptr)
      fail("expected then_branch and else_branch", "not both");
    const auto condition = constant_scalar(node.input(0));
    if (!condition)
      note_once("an If whose condition depends on data takes the branch of more nodes");
    const bool holds =
        condition ? *condition != 0 : then_branch->nodes.size() >= else_branch->nodes.size();
    bind_outputs(node, add_branch(holds ? *then_branch : *else_branch, scope), scope);
  }

  /// Infers a node's results and folds constants; other nodes join the graph.
  void settle(Node node) {
    infer(node);
    const bool is_constant = (node.row->reads_sizes_only && node.outputs[0]->sizes) ||
                             std::ranges::all_of(node.inputs, [](const Value* input) {
                               return input == nullptr || input->is_constant;
                             });
    if (is_constant) {
      fold(node);
      const std::int64_t learned = learned_behind(node);
      const bool keeps = node.row->keeps_weights && node.input(0) != nullptr;
      const Value* weights = keeps ? node.input(0)->weights : nullptr;
      for (Value* output : node.outputs) {
        if (output == nullptr) continue;
        output->is_constant = true;
        output->learned = learned;
        if (output->numbers) spend(output->numbers->size());
        output->weights = weights != nullptr ? weights : output;
      }
      if (!computes_constants_ || !is_computed(node)) return;
    }
    Node& kept = graph_.nodes.emplace_back(std::move(node));
    for (Value* output : kept.outputs)
      if (output != nullptr) output->producer = &kept;
    graph_.order.push_back(&kept);
  }

  /// Whether a new tensor comes of the model's constants, by this node or one before it.
  static bool is_computed(const Node& node) {
    const bool is_form = node.row->keeps_weights || node.row->is_view;
    const bool follows = std::ranges::any_of(node.inputs, [](const Value* input) {
      return input != nullptr && input->producer != nullptr;
    });
    return !node.outputs[0]->numbers && (follows || !is_form);
  }

  void infer(Node& node) {
    if (node.row->sizes != nullptr) {
      // Rescales a shape of the fixed batch; if it does not fit, the same rule reports it.
      const bool rescales = dimensions_.overrides_fixed_batch() && node.op == "Reshape";
      if (const auto shape = rescales ? integers(node.input(1)) : std::nullopt) {
        node.made["shape"] = dimensions_.rescaled(*shape);
        try {
          return infer_results(node);
        } catch (const NodeError&) {
          node.made.clear();
        }
      }
      infer_results(node);
      if (node.is_largest && !takes_smaller_sizes(node))
        note_once(
            "sizes that depend on data (NonZero, TopK, NonMaxSuppression, Slice) are taken at "
            "their largest");
    }
    take_stated_sizes(node);
  }

  void remember_stated_sizes(const GraphProto& graph) {
    for (const ValueProto& value : graph.values) stated_[value.name] = &value;
    for (const ValueProto& value : graph.outputs)
      if (value.shape || value.type != element::unknown) stated_[value.name] = &value;
  }

  /// Uses the file's sizes and types if no rule gives them.
  void take_stated_sizes(Node& node) {
    for (Value* output : node.outputs) {
      if (output == nullptr || (output->sizes && output->type != 0)) continue;
      const auto stated = stated_.find(output->name);
      if (stated == stated_.end()) continue;
      if (!output->sizes) output->sizes = dimensions_.stated(*stated->second);
      if (output->sizes && !product(*output->sizes)) throw OverflowError();
      if (output->type == 0) output->type = stated->second->type;
    }
  }

  /// Sizes of data are at most those of the rule: the file may state them.
  bool takes_smaller_sizes(Node& node) {
    Value& first = *node.outputs[0];
    const auto found = stated_.find(first.name);
    if (!first.sizes || found == stated_.end() || dimensions_.overrides_fixed_batch()) return false;
    const auto stated = dimensions_.stated(*found->second);
    const auto is_smaller = [](std::int64_t one, std::int64_t most) {
      return one >= 0 && one <= most;
    };
    if (!stated || !std::ranges::equal(*stated, *first.sizes, is_smaller)) return false;
    const Sizes largest = *first.sizes;
    for (Value* output : node.outputs)
      if (output != nullptr && output->sizes == largest) output->sizes = stated;
    return true;
  }

  void note_once(const std::string& note) {
    if (noted_.insert(note).second) graph_.notes.push_back(note);
  }

  const Model& model_;
  const Dimensions& dimensions_;
  bool computes_constants_;
  Graph graph_;
  std::unordered_map<std::string, const ValueProto*> stated_;
  std::set<std::string> noted_;
  std::size_t number_count_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Graph build_graph(const Model& model, const Dimensions& dimensions, bool computes_constants) {
  return Builder(model, dimensions, computes_constants).build();
}

}  // namespace roofline::onnx_graph
