// Reductions along axes.

#include <algorithm>
#include <cmath>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

void infer_reduction(Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return;
  const Sizes& in = *operand->sizes;
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  const bool all = !axes || axes->empty();
  const bool keeps = int_attribute(node, "keepdims", 1) != 0;
  if (node.input(1) != nullptr && !axes) return;  // which axes depends on data
  if (all && int_attribute(node, "noop_with_empty_axes", 0) != 0)
    return set_result(node, 0, in, operand->type);
  std::vector<bool> reduced(in.size(), all);
  if (axes)
    for (const std::int64_t stated : *axes) {
      const auto axis = normal_axis(stated, in.size());
      if (!axis)
        throw NodeError{"axes: expected axes of " + list_text(in) + ", got " + list_text(*axes)};
      reduced[*axis] = true;
    }
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!reduced[i])
      out.push_back(in[i]);
    else if (keeps)
      out.push_back(1);
  }
  set_result(node, 0, out, operand->type);
}

/// The largest element's place along one axis.
void infer_arg(Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return;
  Sizes out = *operand->sizes;
  const auto axis = normal_axis(int_attribute(node, "axis", 0), out.size());
  if (!axis) throw NodeError{"axis: expected an axis of " + list_text(out)};
  if (int_attribute(node, "keepdims", 1) != 0)
    out[*axis] = 1;
  else
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
  set_result(node, 0, out, element::int64);
}

/// The determinant of each matrix.
void infer_determinant(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in != nullptr && in->size() >= 2)
    set_result(node, 0, Sizes(in->begin(), in->end() - 2), type_at(node, 0));
}

/// One number, or one an example where nothing is reduced; beside it the operand's logarithm.
void infer_loss(Node& node) {
  const Sizes* scores = sizes_at(node, 0);
  const Sizes* labels = sizes_at(node, 1);
  if (scores == nullptr || labels == nullptr) return;
  const bool reduces = text_attribute(node, "reduction", "mean") != "none";
  set_result(node, 0, reduces ? Sizes{} : *labels, type_at(node, 0));
  set_result(node, 1, *scores, type_at(node, 0));
}

/// The axes that a reduction leaves have size 1 in `kept`.
std::optional<Numbers> fold_reduction(const Node& node) {
  if (node.row->of_two == nullptr) return std::nullopt;
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
    sum = sum ? node.row->of_two(*sum, next) : next;
  }
  Numbers out;
  for (const auto& sum : sums)
    out.push_back(sum.value_or(node.op == "ReduceProd" ? 1 : 0) /
                  (node.op == "ReduceMean" ? count : 1));
  return out;
}

bool averages_positions(const Node& node, const Sizes& in) {
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  if (node.op != "ReduceMean" || in.size() < 3 || in.size() > 5 || !axes ||
      axes->size() + 2 != in.size())
    return false;
  return std::all_of(axes->begin(), axes->end(), [&](std::int64_t each) {
    return normal_axis(each, in.size()).value_or(0) >= 2;
  });
}

}  // namespace

/// The mean over all positions of each channel.
void emit_global_average(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  LayerSpec& spec = emitter.add(node, LayerKind::global_avg_pool);
  const bool is_first = Emitter::layout_of(operand) == Layout::first;
  spec.input = is_first ? Emitter::whole(operand) : Emitter::operand(operand);
  emitter.writes(node.outputs[0], Layout::first,
                 node.outputs[0]->sizes->size() == operand.sizes->size());
}

void emit_reduction(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Value& result = *node.outputs[0];
  if (averages_positions(node, *operand.sizes)) return emit_global_average(emitter, node);
  const bool is_same = product_or_throw(*operand.sizes) == product_or_throw(*result.sizes);
  if (is_same && (node.op == "ReduceMean" || node.op == "ReduceSum" || node.op == "ReduceMax" ||
                  node.op == "ReduceMin"))
    return emitter.view(node);
  LayerSpec& spec = emitter.add(node, LayerKind::reduce);
  spec.input = Emitter::operand(operand);
  spec.output = at_most_five(*result.sizes);
  emitter.writes(node.outputs[0], Layout::first, result.sizes->size() <= 5);
}

namespace {

constexpr Operator reduction{
    .sizes = infer_reduction, .fold = fold_reduction, .layer = emit_reduction};
constexpr Operator extreme{.sizes = infer_arg, .layer = emit_reduction};

constexpr Operator reduction_rows[] = {
    row("ReduceL1", reduction),
    row("ReduceL2", reduction),
    row("ReduceLogSum", reduction),
    row("ReduceLogSumExp", reduction),
    row("ReduceMax", reduction, [](double a, double b) { return std::max(a, b); }),
    row("ReduceMean", reduction, [](double a, double b) { return a + b; }),
    row("ReduceMin", reduction, [](double a, double b) { return std::min(a, b); }),
    row("ReduceProd", reduction, [](double a, double b) { return a * b; }),
    row("ReduceSum", reduction, [](double a, double b) { return a + b; }),
    row("ReduceSumSquare", reduction),
    row("ArgMax", extreme),
    row("ArgMin", extreme),
    {.name = "Det", .sizes = infer_determinant},
    {.name = "NegativeLogLikelihoodLoss", .sizes = infer_loss},
    {.name = "SoftmaxCrossEntropyLoss", .sizes = infer_loss},
};

}  // namespace

std::span<const Operator> reduction_operators() { return reduction_rows; }

}  // namespace roofline::onnx_graph
