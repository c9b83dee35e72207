#include "onnx/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
    static constexpr std::array families{convolution_operators, elementwise_operators,
                                         movement_operators,    product_operators,
                                         reduction_operators,   selection_operators};
    Rows all;
    for (const auto family : families)
      for (const Operator& row : family())
        for (std::string_view ours = row.rows; !ours.empty();)
          for (std::string_view names = find_row(take(ours, ' '))->onnx; !names.empty();)
            all[{take(names, ' '), row.domain}] = &row;
    for (const auto family : families)
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
  operation.operands.reserve(node.inputs.size());
  operation.results.reserve(node.outputs.size());
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

Operation view_of(const Node& node) { return {.row = find_row("view"), .called = node.op}; }

std::optional<Operation> as_stated(const Emitter& emitter, const Node& node) {
  return operation_of(emitter, node, {});
}

Operation copy_of(const Emitter& emitter, const Node& node, const Sizes& read) {
  Operation operation = operation_of(emitter, node, {});
  operation.row = find_row("copy");
  operation.operands = {emitter.typed(*node.input(0), read)};
  return operation;
}

std::optional<Operation> bytes_of(const Emitter& emitter, const Node& node) {
  Operation operation = operation_of(emitter, node, {.computed_in = emitter.usual_type(node)});
  operation.row = find_row("traffic");
  std::erase_if(operation.operands,
                [](const Tensor& tensor) { return element_count(tensor.sizes) == 0; });
  return operation;
}

}  // namespace roofline::onnx_graph
