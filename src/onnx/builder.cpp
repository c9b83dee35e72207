#include "onnx/builder.hpp"

#include <algorithm>
#include <string_view>

#include "onnx/operators.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

// A model of a few kilobytes may state a graph of any size by functions that call functions, and by
// loops: what it is written out to is bounded. Large models have tens of thousands of nodes.
constexpr std::size_t most_nodes = 200000;
constexpr std::size_t most_operands = 1000000;
constexpr std::size_t most_values = 1000000;
constexpr std::size_t most_numbers_in_all = std::size_t{1} << 25;
constexpr std::size_t deepest_graph = 64;
constexpr std::size_t longest_path = 1000;

[[noreturn]] void fail_written_out(std::size_t most, const char* what) {
  throw NodeError{"expected at most " + std::to_string(most) + " " + what +
                  " once functions and loops are written out, got more"};
}

std::vector<Value*> inputs_of(const NodeProto& proto, const Scope& scope) {
  std::vector<Value*> inputs;
  for (const std::string& name : proto.inputs) {
    const auto found = name.empty() ? std::optional<Value*>(nullptr) : scope.find(name);
    if (!found)
      throw NodeError{
          "expected an input that the model, a tensor of it or a node before it gives, got \"" +
          name + "\""};
    inputs.push_back(*found);
  }
  return inputs;
}

/// Parameters behind a result that follows from constants alone: those of its largest operand, of
/// all of them where they are joined.
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

/// Whether a tensor of the file has a name that its exporter made up for a constant, so that it is
/// most likely no parameter but a mask, a table of positions or the like.
bool is_made_up_constant(const std::string& name) {
  for (const std::string_view start : {"val_", "onnx::", "_", "/", "const_fold", "Constant"})
    if (name.starts_with(start)) return true;
  if (name.find("lifted_tensor") != std::string::npos) return true;
  // The operation that made it, and a number: "unsqueeze_2".
  constexpr std::string_view operations =
      " unsqueeze squeeze cat view expand slice_scatter select_scatter index fill exp log pow sqrt "
      "rsqrt sigmoid tanh add sub mul div cos sin arange full ones zeros stack where select slice "
      "reshape permute transpose clone tmp to linspace meshgrid repeat ";
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos) return true;
  const std::string stem = name.substr(0, name[end] == '_' ? end : end + 1);
  return operations.find(" " + stem + " ") != std::string_view::npos;
}

}  // namespace

std::optional<Value*> Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
    if (const auto found = scope->values.find(name); found != scope->values.end())
      return found->second;
  return std::nullopt;
}

Graph Builder::build() {
  Scope scope;
  scope.versions = &model_.versions;
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

Value* Builder::new_value(const std::string& name) {
  if (graph_.values.size() >= most_values) fail_written_out(most_values, "tensors");
  Value& value = graph_.values.emplace_back();
  value.name = name;
  return &value;
}

void Builder::add_tensors(const GraphProto& graph, Scope& scope) {
  for (const TensorProto& tensor : graph.tensors) {
    Value* value = new_value(tensor.name);
    scope.values[tensor.name] = value;
    value->type = tensor.type;
    value->is_constant = true;
    value->sizes = tensor.sizes;
    value->numbers = tensor.numbers;
    if (value->numbers) count_numbers(value->numbers->size());
    const auto elements = product(tensor.sizes);
    if (!elements)
      throw InputError(
          model_.source, "initializer \"" + tensor.name + "\"",
          "expected sizes whose product is below 2^63, got " + list_text(tensor.sizes));
    if (tensor.sizes.empty() || !(is_float(tensor.type) || is_quantised(tensor.type))) continue;
    value->weights = value;
    if (!is_made_up_constant(tensor.name)) value->learned = *elements;
  }
}

void Builder::add_inputs(const GraphProto& graph, Scope& scope) {
  for (const ValueProto& input : graph.inputs) {
    if (scope.values.contains(input.name)) continue;
    Value* value = new_value(input.name);
    value->type = input.type;
    if (dimensions_.has_input(input.name)) value->sizes = dimensions_.input(input.name);
    scope.values[input.name] = value;
  }
}

/// ONNX has nodes in an order in which each follows those that it reads from.
void Builder::add_nodes(const std::vector<NodeProto>& nodes, Scope& scope) {
  const char* advice =
      dimensions_.overrides_fixed_batch()
          ? "; the model's batch is fixed: export it with an open batch to change it"
          : "";
  for (const NodeProto& node : nodes)
    at_node(
        model_.source, node, [&] { add_node(node, scope); }, advice);
}

void Builder::count_node(const NodeProto& proto) {
  if (++node_count_ > most_nodes) fail_written_out(most_nodes, "nodes");
  operand_count_ += proto.inputs.size() + proto.outputs.size();
  if (operand_count_ > most_operands) fail_written_out(most_operands, "operands");
}

void Builder::count_numbers(std::size_t count) {
  number_count_ += count;
  if (number_count_ > most_numbers_in_all)
    fail_written_out(most_numbers_in_all, "elements of small constants");
}

void Builder::add_node(const NodeProto& proto, Scope& scope) {
  count_node(proto);
  Node node;
  node.name = scope.path + proto.name;
  node.op = proto.op;
  node.domain = proto.domain;
  node.proto = node.origin = &proto;
  node.call = scope.call;
  constexpr int recent_version = 17;
  const auto version = scope.versions->find(node.domain);
  node.version = version != scope.versions->end() ? version->second : recent_version;
  node.inputs = inputs_of(proto, scope);
  const auto function = model_.functions.find(function_key(proto.domain, proto.op));
  if (function != model_.functions.end()) return add_call(node, function->second, scope);
  node.row = find_operator(node.domain, node.op);
  if (node.row->write_out != nullptr) {
    if (node.row->write_out(*this, node, scope)) return;
    node.row = find_operator(node.domain, node.op);  // it may have become another
  }
  // Patterns know operators by name: somebody else's is not ONNX's of that name.
  if (node.row->name.empty() && !node.domain.empty()) node.op = function_key(node.domain, node.op);
  for (const std::string& name : proto.outputs) {
    const bool is_left_out = name.empty() && !node.outputs.empty();  // never the first
    node.outputs.push_back(is_left_out ? nullptr : new_value(name));
    if (!name.empty()) scope.values[name] = node.outputs.back();
  }
  if (!node.outputs.empty()) settle(std::move(node));
}

/// One level of a call or a graph inside a node.
void Builder::go_deeper(const char* what) {
  if (depth_++ >= deepest_graph)
    throw NodeError{std::string("expected ") + what + " at most " + std::to_string(deepest_graph) +
                    " deep, got more"};
}

void Builder::add_call(const Node& node, const FunctionProto& function, Scope& scope) {
  go_deeper("functions that call each other");
  Scope inner;
  graph_.calls.push_back({node.proto, &function, scope.call});
  inner.call = &graph_.calls.back();
  inner.path = scope.path;
  if (inner.path.size() < longest_path)
    inner.path += (node.proto->name.empty() ? node.op : node.proto->name) + "/";
  const auto [versions, is_new] = versions_.emplace(&function, function.versions);
  if (is_new) versions->second.insert(model_.versions.begin(), model_.versions.end());
  inner.versions = &versions->second;
  // One left out is an input without a value, which optional inputs inside then are too.
  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    inner.values[function.inputs[i]] = i < node.inputs.size() ? node.inputs[i] : nullptr;
  add_nodes(function.nodes, inner);
  --depth_;
  std::vector<Value*> outputs;
  for (const std::string& name : function.outputs)
    outputs.push_back(inner.find(name).value_or(nullptr));
  bind_outputs(node, outputs, scope);
}

std::vector<Value*> Builder::add_body(const GraphProto& graph, const std::vector<Value*>& inputs,
                                      Scope& scope) {
  go_deeper("graphs nested");
  Scope inner;
  inner.outer = &scope;
  inner.path = scope.path;
  inner.versions = scope.versions;
  inner.call = scope.call;
  remember_stated_sizes(graph);
  add_tensors(graph, inner);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.inputs[i].name;
    inner.values[name] = i < inputs.size() ? inputs[i] : new_value(name);
  }
  add_nodes(graph.nodes, inner);
  --depth_;
  std::vector<Value*> outputs;
  for (const ValueProto& output : graph.outputs)
    outputs.push_back(inner.find(output.name).value_or(nullptr));
  return outputs;
}

void Builder::bind_outputs(const Node& node, const std::vector<Value*>& values, Scope& scope) {
  for (std::size_t i = 0; i < node.proto->outputs.size(); ++i) {
    const std::string& name = node.proto->outputs[i];
    if (name.empty()) continue;
    Value* value = i < values.size() ? values[i] : nullptr;
    scope.values[name] = value != nullptr ? value : new_value(name);
  }
}

Value* Builder::number(double value) {
  Value* constant = new_value("");
  constant->type = element::int64;
  constant->sizes = Sizes{};
  constant->numbers = Numbers{value};
  constant->is_constant = true;
  return constant;
}

void Builder::settle(Node node) {
  infer(node);
  const bool is_constant =
      (node.row->reads_sizes_only && node.outputs[0]->sizes) ||
      std::all_of(node.inputs.begin(), node.inputs.end(),
                  [](const Value* input) { return input == nullptr || input->is_constant; });
  if (is_constant) {
    fold(node);
    const std::int64_t learned = learned_behind(node);
    const bool keeps = node.row->keeps_weights && node.input(0) != nullptr;
    const Value* weights = keeps ? node.input(0)->weights : nullptr;
    for (Value* output : node.outputs) {
      if (output == nullptr) continue;
      output->is_constant = true;
      output->learned = learned;
      if (output->numbers) count_numbers(output->numbers->size());
      output->weights = weights != nullptr ? weights : output;
    }
    return;
  }
  Node& kept = graph_.nodes.emplace_back(std::move(node));
  for (Value* output : kept.outputs)
    if (output != nullptr) output->producer = &kept;
  graph_.order.push_back(&kept);
}

void Builder::infer(Node& node) {
  if (node.row->sizes != nullptr) {
    // A shape written for the fixed batch; without it the same rule reports what does not fit.
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
    if (node.is_largest)
      note_once(
          "sizes that depend on data (NonZero, TopK, NonMaxSuppression, Slice) are taken at "
          "their largest");
  }
  take_stated_sizes(node);
}

void Builder::remember_stated_sizes(const GraphProto& graph) {
  for (const ValueProto& value : graph.values) stated_[value.name] = &value;
  for (const ValueProto& value : graph.outputs)
    if (value.shape || value.type != element::unknown) stated_[value.name] = &value;
}

/// What the file stores of a tensor serves where no rule does.
void Builder::take_stated_sizes(Node& node) {
  for (Value* output : node.outputs) {
    if (output == nullptr || (output->sizes && output->type != 0)) continue;
    const auto stated = stated_.find(output->name);
    if (stated == stated_.end()) continue;
    if (!output->sizes) output->sizes = dimensions_.stated(*stated->second);
    if (output->sizes && !product(*output->sizes)) throw OverflowError();
    if (output->type == 0) output->type = stated->second->type;
  }
}

void Builder::note_once(const std::string& note) {
  if (noted_.insert(note).second) graph_.notes.push_back(note);
}

}  // namespace roofline::onnx_graph
