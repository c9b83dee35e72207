#include "onnx/graph.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/error.hpp"

namespace roofline::onnx_graph {

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
  const auto* attribute = find_attribute(node, name);
  return attribute != nullptr && attribute->i ? *attribute->i : otherwise;
}

double float_attribute(const Node& node, std::string_view name, double otherwise) {
  const auto* attribute = find_attribute(node, name);
  return attribute != nullptr && attribute->f ? *attribute->f : otherwise;
}

std::string text_attribute(const Node& node, std::string_view name, const std::string& otherwise) {
  const auto* attribute = find_attribute(node, name);
  return attribute != nullptr && attribute->s ? *attribute->s : otherwise;
}

std::optional<Sizes> ints_attribute(const Node& node, std::string_view name) {
  if (const auto made = node.made.find(std::string(name)); made != node.made.end())
    return made->second;
  const auto* attribute = find_attribute(node, name);
  if (attribute == nullptr || attribute->ints.empty()) return std::nullopt;
  return attribute->ints;
}

std::int64_t whole_number(double number) {
  constexpr double most = 9.2e18;  // "to the end" is stated as the largest integer
  return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -most, most));
}

std::optional<Sizes> integers(const Value* value) {
  if (value == nullptr || !value->numbers) return std::nullopt;
  Sizes out;
  for (const double number : *value->numbers) out.push_back(whole_number(number));
  return out;
}

std::optional<Sizes> ints_attribute_or_input(const Node& node, std::string_view name,
                                             std::size_t input) {
  if (auto attribute = ints_attribute(node, name)) return attribute;
  return integers(node.input(input));
}

std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
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

bool is_float(int type) {
  switch (type) {
    case element::float32:
    case element::float16:
    case element::bfloat16:
    case element::float64: return true;
    default: return false;
  }
}

bool is_quantised(int type) {
  return type == element::int8 || type == element::uint8 ||
         (type >= element::float8_e4m3fn && type <= element::float4_e2m1);
}

std::string list_text(const Sizes& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

}  // namespace roofline::onnx_graph
