#include "onnx/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "operators/operands.hpp"

namespace roofline::onnx_graph {
namespace {

std::string place(const std::string& name, const std::string& made, const std::string& op) {
  return "node " + in_quotes(name.empty() ? made : name) + " (" + beginning(op) + ")";
}

/// Null for an empty attribute; fails for another kind.
const AttributeProto* attribute_of(const Node& node, std::string_view name, const char* kind) {
  const AttributeProto* found = find_attribute(node, name);
  if (found == nullptr || found->kind.empty()) return nullptr;
  if (found->kind != kind) fail(std::string(name) + ": expected " + kind, std::string(found->kind));
  return found;
}

}  // namespace

void fail(const std::string& expected, const std::string& got) {
  throw NodeError{expected + ", got " + beginning(got, 1000)};
}
void fail(const std::string& expected, const Sizes& got) { fail(expected, integers_text(got)); }
void fail(const std::string& expected, std::int64_t got) { fail(expected, std::to_string(got)); }

std::string node_place(const Node& node) {
  const bool makes_any = !node.outputs.empty() && node.outputs.front() != nullptr;
  return place(node.name, makes_any ? node.outputs.front()->name : "", node.op);
}

std::string node_place(const NodeProto& proto) {
  return place(proto.name, proto.outputs.empty() ? "" : proto.outputs[0], proto.op);
}

const AttributeProto* find_attribute(const Node& node, std::string_view name) {
  if (node.proto == nullptr) return nullptr;
  const AttributeProto* found = find_in(node.proto->attributes, name);
  const Call* call = node.call;
  while (found != nullptr && !found->reference.empty()) {
    if (call == nullptr) return nullptr;
    const AttributeProto* given = find_in(call->node->attributes, found->reference);
    found = given != nullptr ? given : find_in(call->function->defaults, found->reference);
    call = call->outer;
  }
  return found;
}

std::int64_t int_attribute(const Node& node, std::string_view name, std::int64_t otherwise) {
  if (const auto made = node.made.find(std::string(name)); made != node.made.end())
    return made->second.empty() ? otherwise : made->second.front();
  const auto* attribute = attribute_of(node, name, "an integer");
  return attribute != nullptr ? *attribute->i : otherwise;
}

double float_attribute(const Node& node, std::string_view name, double otherwise) {
  const auto* attribute = attribute_of(node, name, "a number");
  return attribute != nullptr ? *attribute->f : otherwise;
}

std::string text_attribute(const Node& node, std::string_view name, const std::string& otherwise) {
  const auto* attribute = attribute_of(node, name, "a text");
  return attribute != nullptr ? *attribute->s : otherwise;
}

std::optional<Sizes> ints_attribute(const Node& node, std::string_view name) {
  if (const auto made = node.made.find(std::string(name)); made != node.made.end())
    return made->second;
  const auto* attribute = attribute_of(node, name, "integers");
  if (attribute == nullptr || attribute->ints.empty()) return std::nullopt;
  return attribute->ints;
}

const TensorProto* tensor_attribute(const Node& node, std::string_view name) {
  const auto* attribute = attribute_of(node, name, "a tensor");
  return attribute != nullptr ? attribute->tensor.get() : nullptr;
}

std::int64_t whole_number(double number) {
  constexpr double most = 9.2e18;  // "to the end" is the largest integer
  return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -most, most));
}

std::optional<Sizes> integers(const Value* value) {
  if (value == nullptr || !value->numbers) return std::nullopt;
  return each_of(*value->numbers, whole_number);
}

std::optional<std::int64_t> integer(const Value* value) {
  const auto number = constant_scalar(value);
  return number ? std::optional(whole_number(*number)) : std::nullopt;
}

std::optional<double> constant_scalar(const Value* value) {
  if (value == nullptr || !value->numbers || value->numbers->size() != 1) return std::nullopt;
  return value->numbers->front();
}

std::optional<Sizes> ints_attribute_or_input(const Node& node, std::string_view name,
                                             std::size_t input) {
  if (auto attribute = ints_attribute(node, name)) return attribute;
  return integers(node.input(input));
}

std::size_t axis_or_throw(std::int64_t axis, std::size_t rank) {
  const auto normal = axis_at(axis, rank);
  if (!normal) fail("axis: expected one of " + std::to_string(rank) + " axes", axis);
  return *normal;
}

std::size_t axis_of(const Node& node, std::int64_t otherwise, std::size_t rank) {
  return axis_or_throw(int_attribute(node, "axis", otherwise), rank);
}

std::optional<std::int64_t> product(const Sizes& sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(all, size, &all)) return std::nullopt;
  return all;
}

std::int64_t product_or_throw(const Sizes& sizes) {
  const auto all = product(sizes);
  if (!all) throw OverflowError();
  return *all;
}

Sizes part(const Sizes& sizes, std::size_t from, std::size_t to) {
  return {sizes.begin() + static_cast<std::ptrdiff_t>(from),
          sizes.begin() + static_cast<std::ptrdiff_t>(std::min(to, sizes.size()))};
}

Sizes chained(Sizes first, const Sizes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Sizes broadcast_or_throw(const std::vector<const Sizes*>& operands) {
  if (auto sizes = broadcast(operands)) return *std::move(sizes);
  std::string all;
  for (const Sizes* each : operands) all += (all.empty() ? "" : " and ") + integers_text(*each);
  fail("expected operands that broadcast to one shape", all);
}

const Sizes* sizes_at(const Node& node, std::size_t input) {
  const Value* value = node.input(input);
  return value != nullptr && value->sizes ? &*value->sizes : nullptr;
}

const Sizes& sizes_of(const Node& node, std::size_t input) { return *node.inputs[input]->sizes; }

int type_at(const Node& node, std::size_t input) {
  return node.input(input) != nullptr ? node.input(input)->type : 0;
}

void set_result(Node& node, std::size_t output, Sizes sizes, int type) {
  if (output >= node.outputs.size() || node.outputs[output] == nullptr) return;
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; }))
    fail("expected a result of sizes of at least 0", sizes);
  if (!product(sizes)) throw OverflowError();
  Value& value = *node.outputs[output];
  value.sizes = std::move(sizes);
  if (type != 0) value.type = type;
}

bool has_elements(const Value* value) {
  return value != nullptr && value->sizes && product(*value->sizes).value_or(0) > 0;
}

bool is_read(const Value* value) {
  return value != nullptr && (value->is_output || !value->consumers.empty());
}

Node* only_reader(const Value* value) {
  if (value == nullptr || value->is_output || value->consumers.size() != 1) return nullptr;
  return value->consumers.front();
}

}  // namespace roofline::onnx_graph
