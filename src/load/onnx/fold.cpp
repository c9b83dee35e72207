#include "load/onnx/fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace roofline::onnx_graph {
namespace {

bool is_integer(int type) { return type != 0 && !is_float(type); }

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
  for (std::size_t axis = 0; axis < sizes.size(); ++axis)
    at = at * sizes[axis] + (sizes[axis] == 1 ? 0 : index[extra + axis]);
  return static_cast<std::size_t>(at);
}

/// Of an operand that is broadcast to the rank of the index.
double element(const Node& node, std::size_t input, const Sizes& index) {
  return numbers_of(node, input).at(offset(index, sizes_of(node, input)));
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

double divide(double a, double b) { return b == 0 ? NAN : a / b; }
double modulo(double a, double b) { return b == 0 ? NAN : a - std::floor(a / b) * b; }
double identity(double x) { return x; }

constexpr std::pair<std::string_view, Unary> unary_operators[] = {
    {"Identity", identity},
    {"Reshape", identity},
    {"Flatten", identity},
    {"Squeeze", identity},
    {"Unsqueeze", identity},
    {"Cast", identity},
    {"CastLike", identity},
    {"Neg", [](double x) { return -x; }},
    {"Abs", [](double x) { return std::abs(x); }},
    {"Floor", [](double x) { return std::floor(x); }},
    {"Ceil", [](double x) { return std::ceil(x); }},
    {"Round", [](double x) { return std::nearbyint(x); }},
    {"Sqrt", [](double x) { return std::sqrt(x); }},
    {"Exp", [](double x) { return std::exp(x); }},
    {"Log", [](double x) { return std::log(x); }},
    {"Reciprocal", [](double x) { return 1 / x; }},
    {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
    {"IsNaN", [](double x) { return std::isnan(x) ? 1.0 : 0.0; }},
};

constexpr std::pair<std::string_view, Binary> binary_operators[] = {
    {"Add", [](double a, double b) { return a + b; }},
    {"Sub", [](double a, double b) { return a - b; }},
    {"Mul", [](double a, double b) { return a * b; }},
    {"Div", divide},
    {"Mod", modulo},
    {"Pow", [](double a, double b) { return std::pow(a, b); }},
    {"Min", [](double a, double b) { return std::min(a, b); }},
    {"Max", [](double a, double b) { return std::max(a, b); }},
    {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
    {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
    {"Xor", [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }},
};

constexpr std::pair<std::string_view, Binary> reductions[] = {
    {"ReduceSum", [](double a, double b) { return a + b; }},
    {"ReduceMean", [](double a, double b) { return a + b; }},
    {"ReduceProd", [](double a, double b) { return a * b; }},
    {"ReduceMin", [](double a, double b) { return std::min(a, b); }},
    {"ReduceMax", [](double a, double b) { return std::max(a, b); }},
};

template <class Table>
auto find_in(const Table& table, std::string_view op) -> decltype(table[0].second) {
  for (const auto& [name, function] : table)
    if (name == op) return function;
  return nullptr;
}

Numbers apply_binary(const Node& node, Binary function) {
  Numbers result = numbers_of(node, 0);
  Sizes so_far = sizes_of(node, 0);
  const Sizes& out = *node.outputs[0]->sizes;
  // Min and Max take any number of operands.
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    Numbers next;
    for (const Sizes& index : indices_of(out)) {
      next.push_back(function(result.at(offset(index, so_far)), element(node, i, index)));
    }
    result = std::move(next);
    so_far = out;
  }
  return result;
}

/// The axes that a reduction leaves have size 1 in `kept`.
Numbers apply_reduction(const Node& node, Binary function) {
  const Sizes& in = sizes_of(node, 0);
  const auto stated = ints_attribute_or_input(node, "axes", 1);
  Sizes kept = in;
  double count = 1;
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    const bool reduced =
        !stated || stated->empty() || std::any_of(stated->begin(), stated->end(), [&](auto each) {
          return normal_axis(each, in.size()) == axis;
        });
    if (!reduced) continue;
    count *= static_cast<double>(in[axis]);
    kept[axis] = 1;
  }
  std::vector<std::optional<double>> sums(static_cast<std::size_t>(product(kept).value_or(0)));
  std::size_t at = 0;
  for (const Sizes& index : indices_of(in)) {
    std::optional<double>& sum = sums.at(offset(index, kept));
    const double next = numbers_of(node, 0).at(at++);
    sum = sum ? function(*sum, next) : next;
  }
  Numbers out;
  for (const auto& sum : sums)
    out.push_back(sum.value_or(node.op == "ReduceProd" ? 1 : 0) /
                  (node.op == "ReduceMean" ? count : 1));
  return out;
}

std::optional<Numbers> fold_gather(const Node& node) {
  const Sizes& data = sizes_of(node, 0);
  const auto axis = normal_axis(int_attribute(node, "axis", 0), data.size());
  if (!axis) return std::nullopt;
  const std::size_t index_rank = sizes_of(node, 1).size();
  Numbers out;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) {
    Sizes within;
    for (std::size_t i = 0; i < index_rank; ++i) within.push_back(index.at(*axis + i));
    std::int64_t chosen = whole_number(element(node, 1, within));
    if (chosen < 0) chosen += data[*axis];
    if (chosen < 0 || chosen >= data[*axis]) return std::nullopt;
    Sizes from;
    for (std::size_t i = 0; i < data.size(); ++i)
      from.push_back(i == *axis ? chosen : index.at(i < *axis ? i : i + index_rank - 1));
    out.push_back(element(node, 0, from));
  }
  return out;
}

std::optional<Numbers> fold_slice(const Node& node) {
  const Sizes& data = sizes_of(node, 0);
  const auto starts = ints_attribute_or_input(node, "starts", 1);
  const auto stated = ints_attribute_or_input(node, "axes", 3);
  const auto steps = integers(node.input(4));
  if (!starts) return std::nullopt;
  Sizes first(data.size(), 0);
  Sizes step(data.size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis =
        stated ? (i < stated->size() ? normal_axis((*stated)[i], data.size()) : std::nullopt)
               : (i < data.size() ? std::optional(i) : std::nullopt);
    if (!axis || (steps && i >= steps->size())) return std::nullopt;
    constexpr std::int64_t longest_step = 1LL << 31;
    if (steps) step[*axis] = std::clamp((*steps)[i], -longest_step, longest_step);
    const std::int64_t size = data[*axis];
    const std::int64_t start = (*starts)[i] < 0 ? (*starts)[i] + size : (*starts)[i];
    const std::int64_t last = step[*axis] < 0 ? size - 1 : size;
    first[*axis] = std::max<std::int64_t>(0, std::min(start, last));
  }
  Numbers out;
  bool in_range = true;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) {
    Sizes from = index;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
      from[axis] = first[axis] + index[axis] * step[axis];
      in_range = in_range && from[axis] >= 0 && from[axis] < data[axis];
    }
    if (in_range) out.push_back(element(node, 0, from));
  }
  if (!in_range) return std::nullopt;
  return out;
}

std::optional<Numbers> fold_concat(const Node& node) {
  const auto axis = normal_axis(int_attribute(node, "axis", 0), sizes_of(node, 0).size());
  if (!axis) return std::nullopt;
  Numbers out;
  for (Sizes index : indices_of(*node.outputs[0]->sizes)) {
    std::size_t operand = 0;
    while (operand + 1 < node.inputs.size() && index[*axis] >= sizes_of(node, operand).at(*axis))
      index[*axis] -= sizes_of(node, operand++)[*axis];
    out.push_back(element(node, operand, index));
  }
  return out;
}

std::optional<Numbers> fold_transpose(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto stated = ints_attribute(node, "perm");
  Numbers out;
  bool valid = !stated || stated->size() == in.size();
  if (!valid) return std::nullopt;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) {
    Sizes from(index.size(), 0);
    for (std::size_t i = 0; i < index.size(); ++i) {
      const auto axis =
          stated ? normal_axis((*stated)[i], in.size()) : std::optional(index.size() - 1 - i);
      valid = valid && axis && index[i] < in[*axis];
      if (valid) from[*axis] = index[i];
    }
    if (valid) out.push_back(element(node, 0, from));
  }
  if (!valid) return std::nullopt;
  return out;
}

std::optional<Numbers> fold_range(const Node& node) {
  const double start = numbers_of(node, 0).at(0);
  const double step = numbers_of(node, 2).at(0);
  Numbers out;
  for (std::int64_t i = 0; i < node.outputs[0]->sizes->at(0); ++i)
    out.push_back(start + static_cast<double>(i) * step);
  return out;
}

std::optional<Numbers> fold_constant_of_shape(const Node& node) {
  const auto* value = find_attribute(node, "value");
  const auto fill = value != nullptr ? read_numbers(value->t()) : Numbers{0};
  if (!fill || fill->empty()) return std::nullopt;
  return Numbers(static_cast<std::size_t>(*product(*node.outputs[0]->sizes)), fill->front());
}

std::optional<Numbers> fold_expand(const Node& node) {
  Numbers out;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) {
    out.push_back(element(node, 0, index));
  }
  return out;
}

std::optional<Numbers> fold_tile(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  Numbers out;
  for (Sizes index : indices_of(*node.outputs[0]->sizes)) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] %= std::max<std::int64_t>(1, in.at(axis));
    out.push_back(element(node, 0, index));
  }
  return out;
}

std::optional<Numbers> fold_where(const Node& node) {
  Numbers out;
  for (const Sizes& index : indices_of(*node.outputs[0]->sizes)) {
    out.push_back(element(node, element(node, 0, index) != 0 ? 1 : 2, index));
  }
  return out;
}

std::optional<Numbers> fold_clip(const Node& node) {
  const auto bound = [&](std::size_t input, const char* name, double otherwise) {
    const Value* stated = node.input(input);
    return stated != nullptr ? stated->numbers->at(0) : float_attribute(node, name, otherwise);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double least = bound(1, "min", -infinity);
  const double most = bound(2, "max", infinity);
  Numbers out = numbers_of(node, 0);
  for (double& number : out) number = std::min(std::max(number, least), most);
  return out;
}

std::optional<Numbers> fold_constant(const Node& node) {
  if (const auto* tensor = find_attribute(node, "value")) return read_numbers(tensor->t());
  if (const auto* number = find_attribute(node, "value_float"))
    return Numbers{static_cast<double>(number->f())};
  if (const auto* number = find_attribute(node, "value_int"))
    return Numbers{static_cast<double>(number->i())};
  if (const auto* list = find_attribute(node, "value_floats"))
    return Numbers(list->floats().begin(), list->floats().end());
  if (const auto* list = find_attribute(node, "value_ints"))
    return Numbers(list->ints().begin(), list->ints().end());
  return std::nullopt;
}

struct OtherOperator {
  std::string_view op;
  std::size_t operands;  ///< that it cannot do without
  std::optional<Numbers> (*function)(const Node&);
};
constexpr OtherOperator other_operators[] = {
    {"Gather", 2, fold_gather}, {"Slice", 1, fold_slice},
    {"Concat", 1, fold_concat}, {"Transpose", 1, fold_transpose},
    {"Range", 3, fold_range},   {"ConstantOfShape", 0, fold_constant_of_shape},
    {"Expand", 1, fold_expand}, {"Tile", 1, fold_tile},
    {"Where", 3, fold_where},   {"Constant", 0, fold_constant},
    {"Clip", 1, fold_clip},
};

bool has_operands(const Node& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (node.input(i) == nullptr) return false;
  return true;
}

std::optional<Numbers> folded(const Node& node) {
  for (const OtherOperator& each : other_operators)
    if (each.op == node.op)
      return has_operands(node, each.operands) ? each.function(node) : std::nullopt;
  if (!has_operands(node, 1)) return std::nullopt;
  if (const Unary function = find_in(unary_operators, node.op)) {
    Numbers out = numbers_of(node, 0);
    std::transform(out.begin(), out.end(), out.begin(), function);
    return out;
  }
  if (const Binary function = find_in(reductions, node.op)) return apply_reduction(node, function);
  if (const Binary function = find_in(binary_operators, node.op))
    if (has_operands(node, node.inputs.size())) return apply_binary(node, function);
  return std::nullopt;
}

/// As the result's type has them: whole numbers, or floats of 24 bits.
void round_to_type(Numbers& numbers, int type) {
  for (double& number : numbers) {
    if (type == ::onnx::TensorProto::BOOL) number = number != 0 ? 1 : 0;
    if (is_integer(type)) number = std::trunc(number);
    if (type == ::onnx::TensorProto::FLOAT)
      number = static_cast<double>(static_cast<float>(number));
  }
}

}  // namespace

void fold(Node& node) {
  if (node.outputs.empty() || node.outputs[0] == nullptr || !node.outputs[0]->sizes) return;
  Value& out = *node.outputs[0];
  const auto count = product(*out.sizes);
  if (!count || *count > most_numbers) return;
  for (const Value* input : node.inputs)
    if (input != nullptr && (!input->numbers || !input->sizes)) return;
  try {
    auto numbers = folded(node);
    if (!numbers || numbers->size() != static_cast<std::size_t>(*count)) return;
    round_to_type(*numbers, out.type);
    out.numbers = std::move(*numbers);
  } catch (const std::out_of_range&) {  // sizes that contradict each other: nothing is known
  }
}

}  // namespace roofline::onnx_graph
