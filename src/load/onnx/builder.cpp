#include "load/onnx/builder.hpp"

#include <algorithm>

#include "load/onnx/fold.hpp"
#include "load/onnx/sizes.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

// A model of a few kilobytes may state a graph of any size by functions that call functions, and by
// loops: what it is written out to is bounded. Large models have tens of thousands of nodes.
constexpr std::size_t most_nodes = 200000;
constexpr std::size_t most_operands = 1000000;
constexpr std::size_t most_values = 1000000;
constexpr std::size_t most_numbers_in_all = std::size_t{1} << 25;

[[noreturn]] void fail_written_out(std::size_t most, const char* what) {
  throw NodeError{"expected at most " + std::to_string(most) + " " + what +
                  " once functions and loops are written out, got more"};
}

std::string place(const std::string& name, const std::string& made, const std::string& op) {
  const std::string& shown = name.empty() ? made : name;
  return "node \"" + shown + "\" (" + op + ")";
}

/// Operators that look at their operand's sizes only.
std::optional<Numbers> numbers_of_sizes(const Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return std::nullopt;
  if (node.op == "Size") return Numbers{static_cast<double>(product_or_throw(*operand->sizes))};
  if (node.op != "Shape") return std::nullopt;
  const auto rank = static_cast<std::int64_t>(operand->sizes->size());
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t stated = int_attribute(node, name, otherwise);
    return std::clamp<std::int64_t>(stated < 0 ? stated + rank : stated, 0, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  return Numbers(operand->sizes->begin() + start, operand->sizes->begin() + end);
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

/// The weights that an operator with constant operands leaves what they are. Identity makes others
/// of them: exporters keep equal tensors once and copy them so.
const Value* same_weights(const Node& node) {
  const bool keeps = node.op == "Transpose" || node.op == "Reshape" || node.op == "Cast" ||
                     node.op == "DequantizeLinear" || node.op == "Unsqueeze" ||
                     node.op == "Squeeze" || node.op == "Flatten";
  return keeps && node.input(0) != nullptr ? node.input(0)->weights : nullptr;
}

/// Whether a tensor of the file has a name that its exporter made up for a constant, so that it is
/// most likely no parameter but a mask, a table of positions or the like.
bool is_made_up_constant(const std::string& name) {
  constexpr std::string_view starts[] = {"val_", "onnx::", "_", "/", "const_fold", "Constant"};
  for (const std::string_view start : starts)
    if (name.starts_with(start)) return true;
  if (name.find("lifted_tensor") != std::string::npos) return true;
  // The operation that made it, and a number: "unsqueeze_2".
  constexpr std::string_view operations[] = {"unsqueeze",
                                             "squeeze",
                                             "cat",
                                             "view",
                                             "expand",
                                             "slice_scatter",
                                             "select_scatter",
                                             "index",
                                             "fill",
                                             "exp",
                                             "log",
                                             "pow",
                                             "sqrt",
                                             "rsqrt",
                                             "sigmoid",
                                             "tanh",
                                             "add",
                                             "sub",
                                             "mul",
                                             "div",
                                             "cos",
                                             "sin",
                                             "arange",
                                             "full",
                                             "ones",
                                             "zeros",
                                             "stack",
                                             "where",
                                             "select",
                                             "slice",
                                             "reshape",
                                             "permute",
                                             "transpose",
                                             "clone",
                                             "tmp",
                                             "to",
                                             "linspace",
                                             "meshgrid",
                                             "repeat"};
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos) return true;
  const std::string_view stem = std::string_view(name).substr(0, name[end] == '_' ? end : end + 1);
  return std::find(std::begin(operations), std::end(operations), stem) != std::end(operations);
}

/// The tensor or numbers that a Constant states.
void infer_constant(Node& node) {
  using Tensor = ::onnx::TensorProto;
  const auto& attribute = node.proto->attribute(0);
  const std::int64_t count = attribute.ints_size() + attribute.floats_size();
  if (attribute.has_t())
    set_result(node, 0, Sizes(attribute.t().dims().begin(), attribute.t().dims().end()),
               attribute.t().data_type());
  else if (attribute.name() == "value_float")
    set_result(node, 0, {}, Tensor::FLOAT);
  else if (attribute.name() == "value_int")
    set_result(node, 0, {}, Tensor::INT64);
  else if (attribute.name() == "value_floats")
    set_result(node, 0, Sizes{count}, Tensor::FLOAT);
  else if (attribute.name() == "value_ints")
    set_result(node, 0, Sizes{count}, Tensor::INT64);
}

}  // namespace

std::optional<Value*> Scope::find(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
    if (const auto found = scope->values.find(name); found != scope->values.end())
      return found->second;
  return std::nullopt;
}

std::string node_place(const ::onnx::NodeProto& proto) {
  return place(proto.name(), proto.output().empty() ? "" : proto.output(0), proto.op_type());
}

std::string node_place(const Node& node) {
  const bool makes_any = !node.outputs.empty() && node.outputs.front() != nullptr;
  return place(node.name, makes_any ? node.outputs.front()->name : "", node.op);
}

Graph Builder::build() {
  Scope scope;
  scope.versions = &model_.versions;
  const ::onnx::GraphProto& graph = model_.proto.graph();
  graph_.notes = dimensions_.notes();
  remember_stated_sizes(graph);
  try {
    add_initializers(graph, scope);
    add_inputs(graph, scope);
  } catch (const NodeError& error) {
    throw InputError(model_.source, "", error.message);
  }
  add_nodes(graph.node(), scope);
  for (const auto& output : graph.output())
    if (Value* value = scope.find(output.name()).value_or(nullptr)) graph_.outputs.push_back(value);
  return std::move(graph_);
}

Value* Builder::new_value(const std::string& name) {
  if (graph_.values.size() >= most_values) fail_written_out(most_values, "tensors");
  Value& value = graph_.values.emplace_back();
  value.name = name;
  return &value;
}

void Builder::add_tensor(const ::onnx::TensorProto& tensor, Scope& scope) {
  Value* value = new_value(tensor.name());
  value->type = tensor.data_type();
  value->is_constant = true;
  value->sizes = Sizes(tensor.dims().begin(), tensor.dims().end());
  const auto elements = product(*value->sizes);
  if (!elements)
    throw InputError(model_.source, "initializer \"" + tensor.name() + "\"",
                     "expected sizes whose product is below 2^63, got " + list_text(*value->sizes));
  const bool is_quantised = tensor.data_type() == ::onnx::TensorProto::INT8 ||
                            tensor.data_type() == ::onnx::TensorProto::UINT8;
  if (!value->sizes->empty() && (is_float(tensor.data_type()) || is_quantised)) {
    value->weights = value;
    if (!is_made_up_constant(tensor.name())) value->learned = *elements;
  }
  value->numbers = read_numbers(tensor);
  if (value->numbers) count_numbers(value->numbers->size());
  scope.values[tensor.name()] = value;
}

void Builder::add_initializers(const ::onnx::GraphProto& graph, Scope& scope) {
  for (const auto& tensor : graph.initializer()) add_tensor(tensor, scope);
  for (const auto& sparse : graph.sparse_initializer()) {
    ::onnx::TensorProto dense;  // as large as it is written out
    dense.set_name(sparse.values().name());
    dense.set_data_type(sparse.values().data_type());
    for (const auto size : sparse.dims()) dense.add_dims(size);
    dense.set_data_location(::onnx::TensorProto::EXTERNAL);
    add_tensor(dense, scope);
  }
}

void Builder::add_inputs(const ::onnx::GraphProto& graph, Scope& scope) {
  for (const auto& input : graph.input()) {
    if (scope.values.contains(input.name())) continue;
    Value* value = new_value(input.name());
    value->type = input.type().tensor_type().elem_type();
    if (dimensions_.has_input(input.name())) value->sizes = dimensions_.input(input.name());
    scope.values[input.name()] = value;
  }
}

void Builder::add_nodes(const NodeList& nodes, Scope& scope) {
  std::vector<const ::onnx::NodeProto*> order;
  try {
    order = in_order(nodes);
  } catch (const NodeError& error) {
    throw InputError(model_.source, "", error.message);
  }
  for (const ::onnx::NodeProto* node : order) {
    try {
      add_node(*node, scope);
    } catch (const NodeError& error) {
      const bool fixed = dimensions_.overrides_fixed_batch();
      throw InputError(model_.source, node_place(*node),
                       error.message + (fixed ? "; the model's batch is fixed: export it with an "
                                                "open batch to change it"
                                              : ""));
    } catch (const OverflowError&) {
      throw InputError(model_.source, node_place(*node),
                       "expected sizes below 2^63, got an overflow");
    }
  }
}

std::vector<Value*> Builder::inputs_of(const ::onnx::NodeProto& proto, const Scope& scope) const {
  std::vector<Value*> inputs;
  for (const std::string& name : proto.input()) {
    const auto found = name.empty() ? std::optional<Value*>(nullptr) : scope.find(name);
    if (!found)
      throw NodeError{"expected an input that the model, a tensor of it or a node gives, got \"" +
                      name + "\""};
    inputs.push_back(*found);
  }
  return inputs;
}

void Builder::count_node(const ::onnx::NodeProto& proto) {
  if (++node_count_ > most_nodes) fail_written_out(most_nodes, "nodes");
  operand_count_ += static_cast<std::size_t>(proto.input_size() + proto.output_size());
  if (operand_count_ > most_operands) fail_written_out(most_operands, "operands");
}

void Builder::count_numbers(std::size_t count) {
  number_count_ += count;
  if (number_count_ > most_numbers_in_all)
    fail_written_out(most_numbers_in_all, "elements of small constants");
}

void Builder::add_node(const ::onnx::NodeProto& proto, Scope& scope) {
  count_node(proto);
  const auto function = model_.functions.find(function_key(proto.domain(), proto.op_type()));
  if (function != model_.functions.end()) return add_call(proto, *function->second, scope);
  if (add_control(proto, scope)) return;
  add_operator(proto, scope);
}

void Builder::add_operator(const ::onnx::NodeProto& proto, Scope& scope) {
  Node node;
  node.name = scope.path + proto.name();
  node.op = proto.op_type();
  node.domain = normal_domain(proto.domain());
  node.proto = node.origin = &proto;
  constexpr int recent_version = 17;
  const auto version = scope.versions->find(node.domain);
  node.version = version != scope.versions->end() ? version->second : recent_version;
  node.inputs = inputs_of(proto, scope);
  make_plain(node);
  for (const std::string& name : proto.output()) {
    const bool is_left_out = name.empty() && !node.outputs.empty();  // never the first
    node.outputs.push_back(is_left_out ? nullptr : new_value(name));
    if (!name.empty()) scope.values[name] = node.outputs.back();
  }
  if (node.outputs.empty()) return;
  settle(std::move(node));
}

/// Sizes, and the numbers of what is constant; other nodes join the graph.
void Builder::settle(Node node) {
  infer(node);
  if (const auto numbers = numbers_of_sizes(node); numbers && node.outputs.at(0) != nullptr) {
    Value& out = *node.outputs[0];
    out.type = ::onnx::TensorProto::INT64;
    out.sizes = node.op == "Size" ? Sizes{} : Sizes{static_cast<std::int64_t>(numbers->size())};
    out.numbers = numbers;
    out.is_constant = true;
    return;
  }
  const bool is_constant =
      std::all_of(node.inputs.begin(), node.inputs.end(),
                  [](const Value* input) { return input == nullptr || input->is_constant; });
  if (is_constant) {
    fold(node);
    const std::int64_t learned = learned_behind(node);
    for (Value* output : node.outputs) {
      if (output == nullptr) continue;
      output->is_constant = true;
      output->learned = learned;
      if (output->numbers) count_numbers(output->numbers->size());
      const Value* weights = same_weights(node);
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
  if (node.op == "Constant" && node.proto != nullptr && node.proto->attribute_size() == 1)
    return infer_constant(node);
  if (dimensions_.overrides_fixed_batch() && node.op == "Reshape" && node.input(1) != nullptr) {
    // A shape written for the fixed batch; without it the same rule reports what does not fit.
    if (const auto shape = integers(node.input(1))) {
      node.made["shape"] = dimensions_.rescaled(*shape);
      try {
        infer_sizes(node);
        return;
      } catch (const NodeError&) {
        node.made.clear();
      }
    }
  }
  if (infer_sizes(node))
    note_once(
        "sizes that depend on data (NonZero, TopK, NonMaxSuppression, Slice) are taken at "
        "their largest");
  take_stated_sizes(node);
}

void Builder::remember_stated_sizes(const ::onnx::GraphProto& graph) {
  for (const auto& value : graph.value_info()) stated_[value.name()] = &value;
  for (const auto& value : graph.output())
    if (value.has_type()) stated_[value.name()] = &value;
}

/// What the file stores of a tensor serves where no rule does.
void Builder::take_stated_sizes(Node& node) {
  for (Value* output : node.outputs) {
    if (output == nullptr || (output->sizes && output->type != 0)) continue;
    const auto stated = stated_.find(output->name);
    if (stated == stated_.end()) continue;
    if (!output->sizes) output->sizes = dimensions_.stated(*stated->second);
    if (output->sizes && !product(*output->sizes)) throw OverflowError();
    if (output->type == 0) output->type = stated->second->type().tensor_type().elem_type();
  }
}

void Builder::note_once(const std::string& note) {
  if (noted_.insert(note).second) graph_.notes.push_back(note);
}

Graph build_graph(const Model& model, const Dimensions& dimensions) {
  return Builder(model, dimensions).build();
}

}  // namespace roofline::onnx_graph
