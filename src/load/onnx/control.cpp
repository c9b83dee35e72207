// Calls, branches, loops and sequences of tensors, written out.

#include <algorithm>

#include "load/onnx/builder.hpp"
#include "load/onnx/fold.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr std::size_t deepest_graph = 64;
constexpr std::size_t most_resolved_byte = std::size_t{64} << 20;
constexpr std::size_t longest_path = 1000;
/// Nodes that one loop is written out to.
constexpr std::int64_t most_loop_nodes = 100000;

const ::onnx::AttributeProto* attribute_of(const ::onnx::NodeProto& proto, std::string_view name) {
  for (const auto& attribute : proto.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::int64_t int_of(const ::onnx::NodeProto& proto, std::string_view name, std::int64_t otherwise) {
  const auto* attribute = attribute_of(proto, name);
  return attribute != nullptr && attribute->has_i() ? attribute->i() : otherwise;
}

/// Attributes of a function's body that stand for those of its call; without one there, the
/// operator's default holds.
void fill_in(NodeList& nodes, const ::onnx::NodeProto& call) {
  for (auto& node : nodes) {
    for (int i = node.attribute_size(); i-- > 0;) {
      auto& attribute = *node.mutable_attribute(i);
      if (attribute.has_g()) fill_in(*attribute.mutable_g()->mutable_node(), call);
      if (attribute.ref_attr_name().empty()) continue;
      const auto* given = attribute_of(call, attribute.ref_attr_name());
      if (given == nullptr) {
        node.mutable_attribute()->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute.name();
      attribute = *given;
      attribute.set_name(name);
    }
  }
}

bool has_references(const NodeList& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const ::onnx::NodeProto& node) {
    return std::any_of(node.attribute().begin(), node.attribute().end(), [](const auto& each) {
      return !each.ref_attr_name().empty() || (each.has_g() && has_references(each.g().node()));
    });
  });
}

/// Whether a condition is known, and holds.
std::optional<bool> known_condition(const Value* value) {
  if (value == nullptr || !value->numbers || value->numbers->empty()) return std::nullopt;
  return value->numbers->front() != 0;
}

}  // namespace

const NodeList& Builder::resolved_body(const ::onnx::FunctionProto& function,
                                       const ::onnx::NodeProto& call) {
  if (!has_references(function.node())) return function.node();
  resolved_byte_ += function.ByteSizeLong() + call.ByteSizeLong();
  if (resolved_byte_ > most_resolved_byte)
    throw NodeError{"expected functions that write out to at most " +
                    std::to_string(most_resolved_byte >> 20) + " MiB, got more"};
  NodeList& body = graph_.bodies.emplace_back(function.node());
  fill_in(body, call);
  return body;
}

void Builder::add_call(const ::onnx::NodeProto& proto, const ::onnx::FunctionProto& function,
                       Scope& scope) {
  if (depth_ >= deepest_graph)
    throw NodeError{"expected functions that call each other at most " +
                    std::to_string(deepest_graph) + " deep, got more"};
  const std::vector<Value*> inputs = inputs_of(proto, scope);
  Scope inner;
  inner.path = scope.path;
  if (inner.path.size() < longest_path)
    inner.path += (proto.name().empty() ? proto.op_type() : proto.name()) + "/";
  const auto [versions, is_new] = versions_.emplace(&function, model_.versions);
  if (is_new)
    for (const auto& set : function.opset_import())
      versions->second[normal_domain(set.domain())] =
          static_cast<int>(std::min<std::int64_t>(set.version(), 1 << 20));
  inner.versions = &versions->second;
  for (int i = 0; i < function.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    // One left out is an input without a value, which optional inputs inside then are too.
    inner.values[function.input(i)] = index < inputs.size() ? inputs[index] : nullptr;
  }
  ++depth_;
  add_nodes(resolved_body(function, proto), inner);
  --depth_;
  std::vector<Value*> outputs;
  for (const std::string& name : function.output())
    outputs.push_back(inner.find(name).value_or(nullptr));
  bind_outputs(proto, outputs, scope);
}

void Builder::bind_outputs(const ::onnx::NodeProto& proto, const std::vector<Value*>& values,
                           Scope& scope) {
  for (int i = 0; i < proto.output_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (proto.output(i).empty()) continue;
    Value* value = index < values.size() ? values[index] : nullptr;
    scope.values[proto.output(i)] = value != nullptr ? value : new_value(proto.output(i));
  }
}

std::vector<Value*> Builder::add_body(const ::onnx::GraphProto& graph,
                                      const std::vector<Value*>& inputs, Scope& scope) {
  if (depth_ >= deepest_graph)
    throw NodeError{"expected graphs nested at most " + std::to_string(deepest_graph) +
                    " deep, got more"};
  Scope inner;
  inner.outer = &scope;
  inner.path = scope.path;
  inner.versions = scope.versions;
  remember_stated_sizes(graph);
  add_initializers(graph, inner);
  for (int i = 0; i < graph.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    inner.values[graph.input(i).name()] =
        index < inputs.size() ? inputs[index] : new_value(graph.input(i).name());
  }
  ++depth_;
  add_nodes(graph.node(), inner);
  --depth_;
  std::vector<Value*> outputs;
  for (const auto& output : graph.output())
    outputs.push_back(inner.find(output.name()).value_or(nullptr));
  return outputs;
}

void Builder::add_if(const ::onnx::NodeProto& proto, Scope& scope) {
  const auto* then_branch = attribute_of(proto, "then_branch");
  const auto* else_branch = attribute_of(proto, "else_branch");
  if (then_branch == nullptr || else_branch == nullptr)
    throw NodeError{"expected then_branch and else_branch, got not both"};
  const std::vector<Value*> inputs = inputs_of(proto, scope);
  auto taken = known_condition(inputs.empty() ? nullptr : inputs.front());
  if (!taken) {
    taken = then_branch->g().node_size() >= else_branch->g().node_size();
    note_once("an If whose condition depends on data takes the branch of more nodes");
  }
  bind_outputs(proto, add_body(*taken ? then_branch->g() : else_branch->g(), {}, scope), scope);
}

/// A constant scalar.
Value* Builder::number(double value) {
  Value* constant = new_value("");
  constant->type = ::onnx::TensorProto::INT64;
  constant->sizes = Sizes{};
  constant->numbers = Numbers{value};
  constant->is_constant = true;
  return constant;
}

/// Written out where the number of trips is known; false where it is not, or is too large.
bool Builder::add_loop(const ::onnx::NodeProto& proto, Scope& scope) {
  const auto* attribute = attribute_of(proto, "body");
  const std::vector<Value*> inputs = inputs_of(proto, scope);
  if (attribute == nullptr || inputs.size() < 2) return false;
  const ::onnx::GraphProto& body = attribute->g();
  const auto most = integers(inputs[0]);
  if (!most || most->size() != 1) return false;
  const std::int64_t trips = std::max<std::int64_t>(0, most->front());
  if (trips > most_loop_nodes / std::max(1, body.node_size())) return false;

  std::vector<Value*> carried(inputs.begin() + 1, inputs.end());  // the condition, then the rest
  const std::size_t carried_count = carried.size() - 1;
  std::vector<std::vector<Value*>> scanned;
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    if (!known_condition(carried.front()).value_or(true)) break;
    std::vector<Value*> arguments{number(static_cast<double>(trip))};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    const std::vector<Value*> results = add_body(body, arguments, scope);
    if (results.size() < carried.size() || std::count(results.begin(), results.end(), nullptr) != 0)
      return false;
    scanned.resize(results.size() - carried.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i < carried.size())
        carried[i] = results[i];
      else
        scanned[i - carried.size()].push_back(results[i]);
    }
  }
  std::vector<Value*> outputs(carried.begin() + 1, carried.end());
  for (std::size_t i = 0; i < scanned.size(); ++i) {
    const int at = static_cast<int>(carried_count + i);
    outputs.push_back(
        joined(scanned[i], 0, true, at < proto.output_size() ? proto.output(at) : ""));
  }
  bind_outputs(proto, outputs, scope);
  return true;
}

/// The tensors one after the other along an axis, or along one of their own.
Value* Builder::joined(const std::vector<Value*>& items, std::int64_t axis, bool new_axis,
                       const std::string& name) {
  Node node;
  node.op = "Concat";
  node.name = name;
  node.made["axis"] = {axis};
  for (Value* item : items) {
    node.inputs.push_back(item);
    if (!new_axis) continue;
    Node view;
    view.op = "Unsqueeze";
    view.made["axes"] = {axis};
    view.inputs = {item};
    view.outputs = {new_value(item->name)};
    node.inputs.back() = view.outputs.front();
    settle(std::move(view));
  }
  Value* result = new_value(name);
  node.outputs = {result};
  settle(std::move(node));
  return result;
}

/// What SplitToSequence makes.
std::vector<Value*> Builder::parts_of(const ::onnx::NodeProto& proto,
                                      const std::vector<Value*>& inputs, const Scope& scope) {
  Value* whole = inputs.empty() ? nullptr : inputs.front();
  if (whole == nullptr || !whole->sizes) return {};
  const auto axis = normal_axis(int_of(proto, "axis", 0), whole->sizes->size());
  if (!axis) throw NodeError{"axis: expected an axis of " + list_text(*whole->sizes)};
  const std::int64_t size = (*whole->sizes)[*axis];
  const auto stated = inputs.size() > 1 ? integers(inputs[1]) : std::nullopt;
  Sizes split = stated.value_or(Sizes{1});
  const bool is_list = stated && inputs[1]->sizes && !inputs[1]->sizes->empty();
  if (!is_list) {  // parts of one size, the last one smaller
    const std::int64_t each = std::max<std::int64_t>(1, split.empty() ? 1 : split.front());
    if (size / each > most_numbers) return {};
    split.clear();
    for (std::int64_t left = size; left > 0; left -= each) split.push_back(std::min(each, left));
  }
  Node node;
  node.op = "Split";
  node.name = scope.path + proto.name();
  node.made["axis"] = {static_cast<std::int64_t>(*axis)};
  node.made["split"] = split;
  node.inputs = {whole};
  for (std::size_t i = 0; i < split.size(); ++i) node.outputs.push_back(new_value(proto.output(0)));
  std::vector<Value*> parts = node.outputs;
  settle(std::move(node));
  if (int_of(proto, "keepdims", 1) != 0 || inputs.size() > 1) return parts;
  for (Value*& part : parts) {
    Node view;
    view.op = "Squeeze";
    view.made["axes"] = {static_cast<std::int64_t>(*axis)};
    view.inputs = {part};
    view.outputs = {new_value(part->name)};
    part = view.outputs.front();
    settle(std::move(view));
  }
  return parts;
}

bool Builder::add_sequence(const ::onnx::NodeProto& proto, Scope& scope) {
  const std::string& op = proto.op_type();
  const std::vector<Value*> inputs = inputs_of(proto, scope);
  std::vector<Value*> items;
  const bool has_sequence = !inputs.empty() && inputs[0] != nullptr && inputs[0]->items;
  if (has_sequence) items = *inputs[0]->items;
  const auto count = static_cast<std::int64_t>(items.size());
  const auto position = [&](std::size_t input, std::int64_t otherwise) {
    const auto stated = input < inputs.size() ? integers(inputs[input]) : std::nullopt;
    const std::int64_t at = stated && !stated->empty() ? stated->front() : otherwise;
    return std::clamp<std::int64_t>(at < 0 ? at + count : at, 0, count);
  };
  if (op == "SequenceConstruct") {
    items = inputs;
  } else if (op == "SplitToSequence") {
    items = parts_of(proto, inputs, scope);
  } else if (op == "SequenceInsert" && has_sequence && inputs.size() > 1) {
    items.insert(items.begin() + position(2, count), inputs[1]);
  } else if (op == "SequenceErase" && has_sequence && count > 0) {
    items.erase(items.begin() + std::min(position(1, count - 1), count - 1));
  } else if (op == "SequenceAt" && has_sequence && count > 0) {
    const auto at = static_cast<std::size_t>(std::min(position(1, 0), count - 1));
    return bind_outputs(proto, {items[at]}, scope), true;
  } else if (op == "SequenceLength" && has_sequence) {
    return bind_outputs(proto, {number(static_cast<double>(count))}, scope), true;
  } else if (op == "ConcatFromSequence" && has_sequence && count > 0) {
    Value* all = joined(items, int_of(proto, "axis", 0), int_of(proto, "new_axis", 0) != 0,
                        scope.path + proto.name());
    return bind_outputs(proto, {all}, scope), true;
  } else if (op != "SequenceEmpty") {
    return false;
  }
  if (items.size() > static_cast<std::size_t>(most_numbers)) return false;
  count_numbers(items.size());
  Value* sequence = new_value(proto.output_size() > 0 ? proto.output(0) : "");
  sequence->items = std::move(items);
  return bind_outputs(proto, {sequence}, scope), true;
}

bool Builder::add_control(const ::onnx::NodeProto& proto, Scope& scope) {
  if (!normal_domain(proto.domain()).empty()) return false;
  const std::string& op = proto.op_type();
  if (op == "If") return add_if(proto, scope), true;
  if (op == "Loop") return add_loop(proto, scope);
  if (op == "Optional" || op == "OptionalGetElement" || op == "Identity") {
    const std::vector<Value*> inputs = inputs_of(proto, scope);
    const bool is_alias =
        !inputs.empty() && inputs[0] != nullptr && (op != "Identity" || inputs[0]->items);
    if (is_alias) bind_outputs(proto, inputs, scope);
    return is_alias;
  }
  if (op == "OptionalHasElement") return bind_outputs(proto, {number(1)}, scope), true;
  return op.find("Sequence") != std::string::npos && op != "ReverseSequence" &&
         add_sequence(proto, scope);
}

}  // namespace roofline::onnx_graph
