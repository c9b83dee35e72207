#include "onnx/operands.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "onnx/operators.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

bool is_known(const Value& value) { return value.numbers && value.sizes; }

/// As the result's type has them: whole numbers, or floats of 24 bits.
void round_to_type(Numbers& numbers, int type) {
  for (double& number : numbers) {
    if (type == element::boolean) number = number != 0 ? 1 : 0;
    if (type != 0 && !is_float(type)) number = std::trunc(number);
    if (type == element::float32) number = static_cast<double>(static_cast<float>(number));
  }
}

}  // namespace

const Sizes* sizes_at(const Node& node, std::size_t input) {
  const Value* value = node.input(input);
  return value != nullptr && value->sizes ? &*value->sizes : nullptr;
}

int type_at(const Node& node, std::size_t input) {
  return node.input(input) != nullptr ? node.input(input)->type : 0;
}

std::size_t axis_or_throw(std::int64_t axis, std::size_t rank) {
  const auto normal = normal_axis(axis, rank);
  if (!normal)
    throw NodeError{"axis: expected one of " + std::to_string(rank) + " axes, got " +
                    std::to_string(axis)};
  return *normal;
}

Sizes broadcast(const std::vector<const Sizes*>& operands) {
  Sizes out;
  for (const Sizes* each : operands) {
    if (each->size() > out.size()) out.insert(out.begin(), each->size() - out.size(), 1);
    for (std::size_t i = 0; i < each->size(); ++i) {
      std::int64_t& size = out[out.size() - each->size() + i];
      if (size != (*each)[i] && size != 1 && (*each)[i] != 1)
        throw NodeError{"expected operands that broadcast to one shape, got " +
                        list_text(*operands.front()) + " and " + list_text(*each)};
      size = size == 1 ? (*each)[i] : size;
    }
  }
  return out;
}

void set_result(Node& node, std::size_t output, Sizes sizes, int type) {
  if (output >= node.outputs.size() || node.outputs[output] == nullptr) return;
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; }))
    throw NodeError{"expected a result of sizes of at least 0, got " + list_text(sizes)};
  if (!product(sizes)) throw OverflowError();
  Value& value = *node.outputs[output];
  value.sizes = std::move(sizes);
  if (type != 0) value.type = type;
}

const Numbers& numbers_of(const Node& node, std::size_t input) {
  return *node.inputs[input]->numbers;
}

const Sizes& sizes_of(const Node& node, std::size_t input) { return *node.inputs[input]->sizes; }

/// Every index of a tensor of these sizes, row by row.
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

/// Where an element stands, of a tensor that is broadcast to the rank of the index. Sizes that do
/// not fit together (a file may state anything) end in std::out_of_range, here or at the element.
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

void fold(Node& node) {
  if (node.row == nullptr || node.row->fold == nullptr) return;
  if (node.outputs.empty() || node.outputs[0] == nullptr || !node.outputs[0]->sizes) return;
  Value& out = *node.outputs[0];
  const auto count = product(*out.sizes);
  if (!count || *count > most_numbers) return;
  for (std::size_t i = 0; i < std::max(node.inputs.size(), node.row->needs); ++i) {
    const Value* input = node.input(i);
    if (input == nullptr && i < node.row->needs) return;
    if (input != nullptr && !node.row->reads_sizes_only && !is_known(*input)) return;
  }
  try {
    auto numbers = node.row->fold(node);
    if (!numbers || numbers->size() != static_cast<std::size_t>(*count)) return;
    round_to_type(*numbers, out.type);
    out.numbers = std::move(*numbers);
  } catch (const std::out_of_range&) {  // sizes that contradict each other: nothing is known
  }
}

}  // namespace roofline::onnx_graph
