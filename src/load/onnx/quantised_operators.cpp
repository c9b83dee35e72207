// Operators of com.microsoft that read quantised tensors with a scale and a zero point each: what
// they compute is what their plain relatives do, on tensors of one byte an element.

#include <algorithm>

#include "load/onnx/builder.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr std::size_t all = 1U << 20;

struct Relative {
  std::string_view op;
  std::string_view plain;
  std::size_t first;  ///< input that is a tensor; then every third one
  std::size_t count;  ///< of tensors, at most
};
constexpr Relative relatives[] = {
    {"QLinearAdd", "Add", 0, 2},
    {"QLinearAveragePool", "AveragePool", 0, 1},
    {"QLinearConcat", "Concat", 2, all},
    {"QLinearGlobalAveragePool", "GlobalAveragePool", 0, 1},
    {"QLinearLeakyRelu", "LeakyRelu", 0, 1},
    {"QLinearMul", "Mul", 0, 2},
    {"QLinearSigmoid", "Sigmoid", 0, 1},
    {"QLinearSoftmax", "Softmax", 0, 1},
};

}  // namespace

void make_plain(Node& node) {
  if (node.domain != "com.microsoft") return;
  const auto* found = std::find_if(std::begin(relatives), std::end(relatives),
                                   [&](const Relative& each) { return each.op == node.op; });
  if (found == std::end(relatives)) return;
  std::vector<Value*> tensors;
  for (std::size_t i = found->first; i < node.inputs.size() && tensors.size() < found->count;
       i += 3)
    tensors.push_back(node.inputs[i]);
  node.op = found->plain;
  node.domain.clear();
  node.inputs = std::move(tensors);
}

}  // namespace roofline::onnx_graph
