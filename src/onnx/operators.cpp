#include "onnx/operators.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/table.hpp"

namespace roofline::onnx_graph {
namespace {

using Rows = std::map<std::pair<std::string_view, std::string_view>, const Operator*>;

const Rows& all_rows() {
  static const Rows rows = [] {
    Rows all;
    for (const auto family : {convolution_operators, elementwise_operators, movement_operators,
                              product_operators, reduction_operators, selection_operators})
      for (const Operator& row : family())
        for (std::string_view names = row.name; !names.empty();)
          all[{take(names, ' '), row.domain}] = &row;
    return all;
  }();
  return rows;
}

/// To the precision of the type: integers, or floats of 24 bits.
void round_to_type(Numbers& numbers, int type) {
  for (double& number : numbers) {
    if (type == element::boolean) number = number != 0 ? 1 : 0;
    if (type != 0 && !is_float(type)) number = std::trunc(number);
    if (type == element::float32) number = static_cast<double>(static_cast<float>(number));
  }
}

}  // namespace

const Operator* find_operator(std::string_view domain, std::string_view name) {
  static constexpr Operator unknown;
  if (const auto found = all_rows().find({name, domain}); found != all_rows().end())
    return found->second;
  return domain == microsoft ? find_operator("", name) : &unknown;
}

void infer_results(Node& node) {
  const Operator& row = *node.row;
  for (std::size_t i = 0; i < row.needs; ++i)
    if (sizes_at(node, i) == nullptr) return;
  auto sizes = row.sizes(node);
  if (!sizes) return;
  const int own_type = row.type != 0 ? row.type : node.outputs[0]->type;
  set_result(node, 0, std::move(*sizes), own_type != 0 ? own_type : type_at(node, 0));
}

void fold(Node& node) {
  if (node.row->fold == nullptr || node.outputs[0] == nullptr || !node.outputs[0]->sizes) return;
  Value& out = *node.outputs[0];
  const auto count = product(*out.sizes);
  if (!count || *count > most_numbers) return;
  for (std::size_t i = 0; i < std::max(node.inputs.size(), node.row->needs); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr && i < node.row->needs) return;
    if (input != nullptr && !node.row->reads_sizes_only && !(input->numbers && input->sizes))
      return;
  }
  try {
    auto numbers = node.row->fold(node);
    if (!numbers || numbers->size() != static_cast<std::size_t>(*count)) return;
    round_to_type(*numbers, out.type);
    out.numbers = std::move(*numbers);
  } catch (const std::out_of_range&) {  // contradictory sizes: the result stays unknown
  }
}

std::vector<Sizes> indices_of(const Sizes& sizes) {
  std::vector<Sizes> indices;
  const std::int64_t count = product(sizes).value_or(0);
  for (std::int64_t i = 0; i < count; ++i) {
    Sizes& index = indices.emplace_back(sizes);
    std::int64_t rest = i;
    for (std::size_t axis = sizes.size(); axis > 0; --axis) {
      index[axis - 1] = rest % sizes[axis - 1];
      rest /= sizes[axis - 1];
    }
  }
  return indices;
}

std::size_t offset(const Sizes& index, const Sizes& sizes) {
  if (sizes.size() > index.size()) throw std::out_of_range("rank");
  std::int64_t at = 0;
  const std::size_t extra = index.size() - sizes.size();
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::int64_t each = sizes[axis] == 1 ? 0 : index[extra + axis];
    if (each < 0 || each >= sizes[axis]) throw std::out_of_range("index");
    at = at * sizes[axis] + each;
  }
  return static_cast<std::size_t>(at);
}

double element_at(const Node& node, std::size_t input, const Sizes& index) {
  return numbers_of(node, input).at(offset(index, sizes_of(node, input)));
}

std::optional<Sizes> like_first(Node& node) { return sizes_of(node, 0); }

std::optional<Numbers> fold_same(const Node& node) { return numbers_of(node, 0); }

Operation operation_of(const Emitter& emitter, const Node& node, const Attributes& attributes) {
  const Tensor nothing{.sizes = {0}};
  Operation operation{.row = find_row_of_onnx(node.op), .attributes = attributes};
  for (const Value* input : node.inputs)
    operation.operands.push_back(
        input != nullptr && input->sizes ? emitter.typed(*input, *input->sizes) : nothing);
  for (const Value* output : node.outputs) {
    Tensor& result = operation.results.emplace_back(nothing);
    if (output == nullptr || !output->sizes) continue;
    result.sizes = unsigned_sizes(*output->sizes);
    result.type = emitter.result_type(*output);
  }
  operation.called = node.op;
  return operation;
}

void emit_operation(Emitter& emitter, const Node& node, const Operation& operation) {
  if (operation.row->build == nullptr) return emit_view(emitter, node);
  Layers layers = operation.row->build(operation);
  if (layers.empty()) return emit_by_bytes(emitter, node, no_fit);
  const KindFamily family = info(layers.back().kind).family;
  const bool is_table = layers.back().kind == LayerKind::gather;
  for (LayerSpec& layer : layers) emitter.add(node, std::move(layer));
  for (std::size_t i = 1; i < operation.results.size(); ++i) emitter.writes(node.outputs[i]);
  const bool has_weights =
      is_any(family, KindFamily::norm, KindFamily::contraction, KindFamily::recurrent);
  if (is_table) emitter.shares_weights(*node.input(0));
  if (has_weights && node.input(1) != nullptr) emitter.shares_weights(*node.input(1));
}

Operation view_of(const Node& node) { return {.row = find_row("view"), .called = node.op}; }

/// A join of empty tensors and another is that.
void emit_view(Emitter& /*emitter*/, const Node& node) {
  const Value* operand = node.input(0);
  const auto full = std::ranges::find_if(node.inputs, has_elements);
  if (operand != nullptr && operand->sizes && !has_elements(operand) && full != node.inputs.end())
    operand = *full;
  for (Value* output : node.outputs) Emitter::view(output, operand);
}

void emit_as_stated(Emitter& emitter, const Node& node) {
  emit_operation(emitter, node, operation_of(emitter, node, {}));
}

Operation copy_of(const Emitter& emitter, const Node& node, const Sizes& read) {
  Operation operation = operation_of(emitter, node, {});
  operation.row = find_row("copy");
  operation.operands = {emitter.typed(*node.input(0), read)};
  return operation;
}

void emit_traffic(Emitter& emitter, const Node& node, const std::vector<Reading>& read,
                  const std::vector<Value*>& written, const char* part) {
  LayerSpec& spec = emitter.add(node, LayerKind::other, part);
  std::vector<WrittenTensor> results = each_of(written, [&](const Value* result) {
    return WrittenTensor{unsigned_sizes(*result->sizes), emitter.result_type(*result)};
  });
  if (results.empty()) results.push_back({{1}, emitter.type_of(*read.front().value)});
  const auto operand_of = [&](const Reading& each) {
    return emitter.typed_operand(*each.value, each.sizes);
  };
  set_traffic(spec, each_of(read, operand_of), results);
  for (Value* result : written) emitter.writes(result);
}

void emit_bytes(Emitter& emitter, const Node& node) {
  std::vector<Reading> read;
  for (const Value* input : node.inputs)
    if (has_elements(input)) read.push_back({input, *input->sizes});
  std::vector<Value*> written;
  std::ranges::copy_if(node.outputs, std::back_inserter(written), has_elements);
  emit_traffic(emitter, node, read, written);
}

void emit_by_bytes(Emitter& emitter, const Node& node, const char* reason) {
  emitter.count_by_bytes(node, reason);
  emit_bytes(emitter, node);
}

}  // namespace roofline::onnx_graph
