#include "pytorch/chains.hpp"

#include <algorithm>
#include <utility>

#include "pytorch/layer_parts.hpp"

namespace roofline {
namespace {

/// PyTorch's compiler puts no more into one kernel (torch._inductor.config.max_fusion_size).
constexpr std::size_t most_fused = 64;

/// Whether each element of the result is made of the operands' elements at its own place.
bool is_elementwise(const LayerSpec& layer) {
  switch (layer.kind) {
    case LayerKind::elementwise:
    case LayerKind::sub:
    case LayerKind::mul:
    case LayerKind::div: return true;
    case LayerKind::batch_norm: return !layer.batch_statistics && layer.pass == Pass::fwd;
    case LayerKind::copy: return layer.name->starts_with("copy");  // and no transposition
    default: return is_pointwise(layer.kind);
  }
}

/// Lists of tensors are many kernels' work as it is.
bool has_lists(const OperatorArguments& arguments) {
  for (std::size_t i = 0; i < arguments.count(); ++i)
    if (arguments.is_tensor_list(i)) return true;
  return false;
}

}  // namespace

void ChainList::add(std::size_t row, const LayerSpec& layer, const OperatorCall& call) {
  const std::vector<const TensorArgument*> tensors = tensors_of(call);
  const bool elementwise = is_elementwise(layer);
  if (tensors.empty() || has_lists(*call.arguments) ||
      (!elementwise && layer.kind != LayerKind::reduce))
    return end();
  const bool goes_on = !open_.empty() && std::any_of(tensors.begin(), tensors.end(),
                                                     [&](const TensorArgument* tensor) {
                                                       return tensor->sizes == written_;
                                                     });
  if (!goes_on || open_.size() == most_fused) end();
  if (!elementwise) {
    if (goes_on) open_.push_back(row);
    return end();
  }
  open_.push_back(row);
  written_ =
      layer.kind == LayerKind::batch_norm ? tensors.front()->sizes : broadcast_sizes(tensors);
}

void ChainList::end() {
  if (open_.size() > 1) ++runs_[open_];
  open_.clear();
}

std::vector<ElementwiseChain> ChainList::items(const std::vector<std::string>& names,
                                               std::size_t steps) {
  end();
  std::vector<ElementwiseChain> chains;
  for (const auto& [rows, runs] : runs_) {
    ElementwiseChain& chain = chains.emplace_back();
    for (const std::size_t row : rows) chain.layers.push_back(names[row]);
    chain.runs = static_cast<double>(runs) / static_cast<double>(steps);
  }
  return chains;
}

}  // namespace roofline
