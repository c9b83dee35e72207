// Branches and loops, written out.

#include <algorithm>

#include "onnx/builder.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

using Values = std::vector<Value*>;

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
  const Values results = builder.add_body(*holds ? *then_branch : *else_branch, {}, scope);
  builder.bind_outputs(node, results, scope);
  return true;
}

/// Written out where the number of trips is known; false where it is not, or is too large, and
/// where the loop gives out results of each trip.
bool add_loop(Builder& builder, Node& node, Scope& scope) {
  constexpr std::int64_t most_nodes_of_loop = 100000;
  const GraphProto* body = graph_attribute(node, "body");
  const auto trips = integer(node.input(0));
  if (body == nullptr || node.inputs.size() < 2 || !trips) return false;
  const auto nodes = static_cast<std::int64_t>(body->nodes.size());
  if (*trips > most_nodes_of_loop / std::max<std::int64_t>(1, nodes)) return false;

  Values carried(node.inputs.begin() + 1, node.inputs.end());  // the condition, the rest
  if (body->outputs.size() != carried.size()) return false;
  for (std::int64_t trip = 0; trip < *trips; ++trip) {
    if (!known_condition(carried.front()).value_or(true)) break;
    Values arguments{builder.number(static_cast<double>(trip))};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    carried = builder.add_body(*body, arguments, scope);
    if (std::count(carried.begin(), carried.end(), nullptr) != 0) return false;
  }
  builder.bind_outputs(node, Values(carried.begin() + 1, carried.end()), scope);
  return true;
}

constexpr Operator control_rows[] = {
    {.name = "If", .write_out = add_if},
    {.name = "Loop", .write_out = add_loop},
};

}  // namespace

std::span<const Operator> control_operators() { return control_rows; }

}  // namespace roofline::onnx_graph
