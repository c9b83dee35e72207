// Branches, loops, optional values and sequences of tensors, written out.

#include <algorithm>

#include "onnx/builder.hpp"
#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// Nodes that one loop is written out to.
constexpr std::int64_t most_loop_nodes = 100000;

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
    throw NodeError{"expected then_branch and else_branch, got not both"};
  auto taken = known_condition(node.input(0));
  if (!taken) {
    taken = then_branch->nodes.size() >= else_branch->nodes.size();
    builder.note_once("an If whose condition depends on data takes the branch of more nodes");
  }
  const std::vector<Value*> results =
      builder.add_body(*taken ? *then_branch : *else_branch, {}, scope);
  builder.bind_outputs(node, results, scope);
  return true;
}

/// The tensors one after the other along an axis, or along one of their own.
Value* joined(Builder& builder, const std::vector<Value*>& items, std::int64_t axis, bool new_axis,
              const std::string& name) {
  Node node;
  node.op = "Concat";
  node.row = find_operator("", node.op, 1);
  node.name = name;
  node.made["axis"] = {axis};
  for (Value* item : items)
    node.inputs.push_back(new_axis ? builder.view_of(item, "Unsqueeze", {axis}) : item);
  Value* result = builder.new_value(name);
  node.outputs = {result};
  builder.settle(std::move(node));
  return result;
}

/// Written out where the number of trips is known; false where it is not, or is too large.
bool add_loop(Builder& builder, Node& node, Scope& scope) {
  const GraphProto* body = graph_attribute(node, "body");
  if (body == nullptr || node.inputs.size() < 2) return false;
  const auto most = integers(node.inputs[0]);
  if (!most || most->size() != 1) return false;
  const std::int64_t trips = std::max<std::int64_t>(0, most->front());
  const auto nodes = static_cast<std::int64_t>(body->nodes.size());
  if (trips > most_loop_nodes / std::max<std::int64_t>(1, nodes)) return false;

  std::vector<Value*> carried(node.inputs.begin() + 1,
                              node.inputs.end());  // the condition, the rest
  const std::size_t carried_count = carried.size() - 1;
  std::vector<std::vector<Value*>> scanned;
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    if (!known_condition(carried.front()).value_or(true)) break;
    std::vector<Value*> arguments{builder.number(static_cast<double>(trip))};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    const std::vector<Value*> results = builder.add_body(*body, arguments, scope);
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
    const auto& names = node.proto->outputs;
    const std::size_t at = carried_count + i;
    outputs.push_back(joined(builder, scanned[i], 0, true, at < names.size() ? names[at] : ""));
  }
  builder.bind_outputs(node, outputs, scope);
  return true;
}

/// What SplitToSequence makes.
std::vector<Value*> parts_of(Builder& builder, const Node& node) {
  Value* whole = node.inputs.empty() ? nullptr : node.inputs.front();
  if (whole == nullptr || !whole->sizes || node.proto->outputs.empty()) return {};
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), whole->sizes->size());
  const std::int64_t size = (*whole->sizes)[axis];
  const auto stated = integers(node.input(1));
  Sizes split = stated.value_or(Sizes{1});
  const bool is_list = stated && node.input(1)->sizes && !node.input(1)->sizes->empty();
  if (!is_list) {  // parts of one size, the last one smaller
    const std::int64_t each = std::max<std::int64_t>(1, split.empty() ? 1 : split.front());
    if (size / each > most_numbers) return {};
    split.clear();
    for (std::int64_t left = size; left > 0; left -= each) split.push_back(std::min(each, left));
  }
  Node parts;
  parts.op = "Split";
  parts.row = find_operator("", parts.op, 1);
  parts.name = node.name;
  parts.made["axis"] = {static_cast<std::int64_t>(axis)};
  parts.made["split"] = split;
  parts.inputs = {whole};
  for (std::size_t i = 0; i < split.size(); ++i)
    parts.outputs.push_back(builder.new_value(node.proto->outputs[0]));
  std::vector<Value*> items = parts.outputs;
  if (items.empty()) return items;
  builder.settle(std::move(parts));
  if (int_attribute(node, "keepdims", 1) != 0 || node.inputs.size() > 1) return items;
  for (Value*& item : items)
    item = builder.view_of(item, "Squeeze", {static_cast<std::int64_t>(axis)});
  return items;
}

/// Gives the node a sequence as its result, unless that is too long.
bool bind_sequence(Builder& builder, const Node& node, std::vector<Value*> items, Scope& scope) {
  if (items.size() > static_cast<std::size_t>(most_numbers)) return false;
  builder.count_numbers(items.size());
  Value* sequence = builder.new_value(node.proto->outputs.empty() ? "" : node.proto->outputs[0]);
  sequence->items = std::move(items);
  builder.bind_outputs(node, {sequence}, scope);
  return true;
}

/// The items of the sequence that is the first operand; null where it is none that we know.
const std::vector<Value*>* items_of(const Node& node) {
  const Value* sequence = node.input(0);
  return sequence != nullptr && sequence->items ? &*sequence->items : nullptr;
}

/// The place in a sequence that an operand states.
std::ptrdiff_t place_in(const std::vector<Value*>& items, const Value* stated,
                        std::int64_t otherwise) {
  const auto count = static_cast<std::int64_t>(items.size());
  const auto numbers = integers(stated);
  const std::int64_t at = numbers && !numbers->empty() ? numbers->front() : otherwise;
  return std::clamp<std::int64_t>(at < 0 ? at + count : at, 0, count);
}

bool construct_sequence(Builder& builder, Node& node, Scope& scope) {
  return bind_sequence(builder, node, node.inputs, scope);
}

bool split_to_sequence(Builder& builder, Node& node, Scope& scope) {
  return bind_sequence(builder, node, parts_of(builder, node), scope);
}

bool insert_into_sequence(Builder& builder, Node& node, Scope& scope) {
  const auto* items = items_of(node);
  if (items == nullptr || node.inputs.size() < 2) return false;
  std::vector<Value*> more = *items;
  const auto count = static_cast<std::int64_t>(items->size());
  more.insert(more.begin() + place_in(*items, node.input(2), count), node.inputs[1]);
  return bind_sequence(builder, node, std::move(more), scope);
}

bool erase_from_sequence(Builder& builder, Node& node, Scope& scope) {
  const auto* items = items_of(node);
  if (items == nullptr || items->empty()) return false;
  std::vector<Value*> fewer = *items;
  const auto last = static_cast<std::ptrdiff_t>(items->size()) - 1;
  fewer.erase(fewer.begin() + std::min(place_in(*items, node.input(1), last), last));
  return bind_sequence(builder, node, std::move(fewer), scope);
}

bool choose_from_sequence(Builder& builder, Node& node, Scope& scope) {
  const auto* items = items_of(node);
  if (items == nullptr || items->empty()) return false;
  const auto last = static_cast<std::ptrdiff_t>(items->size()) - 1;
  const auto at = std::min(place_in(*items, node.input(1), 0), last);
  builder.bind_outputs(node, {(*items)[static_cast<std::size_t>(at)]}, scope);
  return true;
}

bool measure_sequence(Builder& builder, Node& node, Scope& scope) {
  const auto* items = items_of(node);
  if (items == nullptr) return false;
  builder.bind_outputs(node, {builder.number(static_cast<double>(items->size()))}, scope);
  return true;
}

bool join_sequence(Builder& builder, Node& node, Scope& scope) {
  const auto* items = items_of(node);
  if (items == nullptr || items->empty()) return false;
  const bool new_axis = int_attribute(node, "new_axis", 0) != 0;
  Value* all = joined(builder, *items, int_attribute(node, "axis", 0), new_axis, node.name);
  builder.bind_outputs(node, {all}, scope);
  return true;
}

bool alias(Builder& builder, Node& node, Scope& scope) {
  if (node.input(0) == nullptr) return false;
  builder.bind_outputs(node, node.inputs, scope);
  return true;
}

bool is_there(Builder& builder, Node& node, Scope& scope) {
  builder.bind_outputs(node, {builder.number(1)}, scope);
  return true;
}

constexpr Operator control_rows[] = {
    {.name = "ConcatFromSequence", .write_out = join_sequence},
    {.name = "If", .write_out = add_if},
    {.name = "Loop", .write_out = add_loop},
    {.name = "Optional", .write_out = alias},
    {.name = "OptionalGetElement", .write_out = alias},
    {.name = "OptionalHasElement", .write_out = is_there},
    {.name = "SequenceAt", .write_out = choose_from_sequence},
    {.name = "SequenceConstruct", .write_out = construct_sequence},
    {.name = "SequenceEmpty", .write_out = construct_sequence},
    {.name = "SequenceErase", .write_out = erase_from_sequence},
    {.name = "SequenceInsert", .write_out = insert_into_sequence},
    {.name = "SequenceLength", .write_out = measure_sequence},
    {.name = "SplitToSequence", .write_out = split_to_sequence},
};

}  // namespace

bool alias_sequence(Builder& builder, Node& node, Scope& scope) {
  return items_of(node) != nullptr && alias(builder, node, scope);
}

std::span<const Operator> control_operators() { return control_rows; }

}  // namespace roofline::onnx_graph
