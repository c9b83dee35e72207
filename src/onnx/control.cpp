// Branches, loops and sequences of tensors, written out.

#include <algorithm>

#include "onnx/builder.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

using Items = std::vector<Value*>;

const GraphProto* graph_attribute(const Node& node, std::string_view name) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute != nullptr ? attribute->graph.get() : nullptr;
}

/// Whether a condition is known, and holds.
std::optional<bool> known_condition(const Value* value) {
  if (value == nullptr || !value->numbers || value->numbers->empty()) return std::nullopt;
  return value->numbers->front() != 0;
}

bool add_if(Builder& builder, Node& node, Scope& scope) {
  const GraphProto* then_branch = graph_attribute(node, "then_branch");
  const GraphProto* else_branch = graph_attribute(node, "else_branch");
  if (then_branch == nullptr || else_branch == nullptr)
    fail("expected then_branch and else_branch", "not both");
  auto holds = known_condition(node.input(0));
  if (!holds) {
    holds = then_branch->nodes.size() >= else_branch->nodes.size();
    builder.note_once("an If whose condition depends on data takes the branch of more nodes");
  }
  const Items results = builder.add_body(*holds ? *then_branch : *else_branch, {}, scope);
  builder.bind_outputs(node, results, scope);
  return true;
}

/// The result of Squeeze or Unsqueeze.
Value* view_of(Builder& builder, Value* value, const char* op, std::int64_t axis) {
  Node view = builder.new_node(op, {value}, value->name);
  view.made["axes"] = {axis};
  Value* result = view.outputs.front();
  builder.settle(std::move(view));
  return result;
}

/// The tensors one after the other along an axis, or along one of their own.
Value* concatenated(Builder& builder, Items items, std::int64_t axis, bool new_axis,
                    const std::string& name) {
  if (new_axis)
    for (Value*& item : items) item = view_of(builder, item, "Unsqueeze", axis);
  Node node = builder.new_node("Concat", std::move(items), name);
  node.name = name;
  node.made["axis"] = {axis};
  Value* result = node.outputs.front();
  builder.settle(std::move(node));
  return result;
}

/// Written out where the number of trips is known; false where it is not, or is too large.
bool add_loop(Builder& builder, Node& node, Scope& scope) {
  constexpr std::int64_t most_nodes_of_loop = 100000;
  const GraphProto* body = graph_attribute(node, "body");
  const auto trips = integer(node.input(0));
  if (body == nullptr || node.inputs.size() < 2 || !trips) return false;
  const auto nodes = static_cast<std::int64_t>(body->nodes.size());
  if (*trips > most_nodes_of_loop / std::max<std::int64_t>(1, nodes)) return false;

  Items carried(node.inputs.begin() + 1, node.inputs.end());  // the condition, the rest
  std::vector<Items> scanned;
  for (std::int64_t trip = 0; trip < *trips; ++trip) {
    if (!known_condition(carried.front()).value_or(true)) break;
    Items arguments{builder.number(static_cast<double>(trip))};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    const Items results = builder.add_body(*body, arguments, scope);
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
  Items outputs(carried.begin() + 1, carried.end());
  const auto& names = node.proto->outputs;
  for (const Items& items : scanned) {
    const std::string name = outputs.size() < names.size() ? names[outputs.size()] : "";
    outputs.push_back(concatenated(builder, items, 0, true, name));
  }
  builder.bind_outputs(node, outputs, scope);
  return true;
}

/// Gives the node a sequence as its result, unless that is too long.
bool bind_sequence(Builder& builder, const Node& node, Items items, Scope& scope) {
  if (items.size() > static_cast<std::size_t>(most_numbers)) return false;
  builder.count_numbers(items.size());
  Value* sequence = builder.new_value(node.proto->outputs.empty() ? "" : node.proto->outputs[0]);
  sequence->items = std::move(items);
  builder.bind_outputs(node, {sequence}, scope);
  return true;
}

bool construct_sequence(Builder& builder, Node& node, Scope& scope) {
  return bind_sequence(builder, node, node.inputs, scope);
}

/// The sizes of the parts that SplitToSequence makes of an axis: stated one by one, or all of one
/// size and the last one smaller.
std::optional<Sizes> split_of(const Value* stated, std::int64_t size) {
  auto split = integers(stated);
  if (split && stated->sizes && !stated->sizes->empty()) return split;
  const std::int64_t each =
      std::max<std::int64_t>(1, split && !split->empty() ? split->front() : 1);
  if (size / each > most_numbers) return std::nullopt;
  split.emplace();
  for (std::int64_t left = size; left > 0; left -= each) split->push_back(std::min(each, left));
  return split;
}

bool split_to_sequence(Builder& builder, Node& node, Scope& scope) {
  Items items;
  const Sizes* sizes = sizes_at(node, 0);
  const auto axis = sizes == nullptr ? 0 : axis_of(node, 0, sizes->size());
  const auto split = sizes == nullptr ? std::nullopt : split_of(node.input(1), (*sizes)[axis]);
  if (split && !split->empty() && !node.proto->outputs.empty()) {
    const auto stated_axis = static_cast<std::int64_t>(axis);
    Node parts = builder.new_node("Split", {node.inputs[0]}, node.proto->outputs[0], split->size());
    parts.name = node.name;
    parts.made["axis"] = {stated_axis};
    parts.made["split"] = *split;
    items = parts.outputs;
    builder.settle(std::move(parts));
    if (int_attribute(node, "keepdims", 1) == 0 && node.inputs.size() == 1)
      for (Value*& item : items) item = view_of(builder, item, "Squeeze", stated_axis);
  }
  return bind_sequence(builder, node, std::move(items), scope);
}

/// The items of the sequence that is the first operand; null where it is none that we know.
const Items* items_of(const Node& node) {
  const Value* sequence = node.input(0);
  return sequence != nullptr && sequence->items ? &*sequence->items : nullptr;
}

/// The place in a sequence that an operand states, at most the last one.
std::ptrdiff_t place_in(const Value* stated, std::int64_t otherwise, std::int64_t last,
                        std::size_t count) {
  const std::int64_t at = integer(stated).value_or(otherwise);
  return std::clamp<std::int64_t>(at < 0 ? at + static_cast<std::int64_t>(count) : at, 0, last);
}

bool insert_into_sequence(Builder& builder, Node& node, Scope& scope) {
  if (items_of(node) == nullptr || node.inputs.size() < 2) return false;
  Items items = *items_of(node);
  const auto end = static_cast<std::int64_t>(items.size());
  items.insert(items.begin() + place_in(node.input(2), end, end, items.size()), node.inputs[1]);
  return bind_sequence(builder, node, std::move(items), scope);
}

bool erase_from_sequence(Builder& builder, Node& node, Scope& scope) {
  if (items_of(node) == nullptr || items_of(node)->empty()) return false;
  Items items = *items_of(node);
  const auto last = static_cast<std::int64_t>(items.size()) - 1;
  items.erase(items.begin() + place_in(node.input(1), last, last, items.size()));
  return bind_sequence(builder, node, std::move(items), scope);
}

bool choose_from_sequence(Builder& builder, Node& node, Scope& scope) {
  const Items* items = items_of(node);
  if (items == nullptr || items->empty()) return false;
  const auto last = static_cast<std::int64_t>(items->size()) - 1;
  const auto at = items->begin() + place_in(node.input(1), 0, last, items->size());
  builder.bind_outputs(node, {*at}, scope);
  return true;
}

bool measure_sequence(Builder& builder, Node& node, Scope& scope) {
  const Items* items = items_of(node);
  if (items == nullptr) return false;
  builder.bind_outputs(node, {builder.number(static_cast<double>(items->size()))}, scope);
  return true;
}

bool join_sequence(Builder& builder, Node& node, Scope& scope) {
  const Items* items = items_of(node);
  if (items == nullptr || items->empty()) return false;
  const bool new_axis = int_attribute(node, "new_axis", 0) != 0;
  const std::int64_t axis = int_attribute(node, "axis", 0);
  builder.bind_outputs(node, {concatenated(builder, *items, axis, new_axis, node.name)}, scope);
  return true;
}

constexpr Operator control_rows[] = {
    {.name = "ConcatFromSequence", .write_out = join_sequence},
    {.name = "If", .write_out = add_if},
    {.name = "Loop", .write_out = add_loop},
    {.name = "SequenceAt", .write_out = choose_from_sequence},
    {.name = "SequenceConstruct SequenceEmpty", .write_out = construct_sequence},
    {.name = "SequenceErase", .write_out = erase_from_sequence},
    {.name = "SequenceInsert", .write_out = insert_into_sequence},
    {.name = "SequenceLength", .write_out = measure_sequence},
    {.name = "SplitToSequence", .write_out = split_to_sequence},
};

}  // namespace

std::span<const Operator> control_operators() { return control_rows; }

}  // namespace roofline::onnx_graph
