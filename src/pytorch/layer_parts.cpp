#include "pytorch/layer_parts.hpp"

#include <algorithm>

namespace roofline {
namespace {

bool has_elements(const Sizes& sizes) { return element_count(sizes) > 0; }

}  // namespace

LayerSpec named_layer(LayerKind kind, std::string_view what, const std::string& shape_text,
                      DataType type, Pass pass) {
  LayerSpec spec;
  spec.name = std::string(what) + (shape_text.empty() ? "" : " " + shape_text);
  spec.kind = kind;
  spec.dtypes.input = type;
  spec.pass = pass;
  return spec;
}

std::vector<OperandSpec> broadcast_operands(const std::vector<const TensorArgument*>& tensors) {
  std::size_t rank = fewest_operand_sizes;
  for (const TensorArgument* tensor : tensors) rank = std::max(rank, tensor->sizes.size());
  const bool same = std::all_of(tensors.begin(), tensors.end(), [&](const TensorArgument* tensor) {
    return tensor->stored_sizes() == tensors.front()->stored_sizes();
  });
  if (rank > most_operand_sizes && !same) return {};
  std::vector<OperandSpec> operands;
  for (const TensorArgument* tensor : tensors) {
    Sizes sizes = tensor->stored_sizes();
    sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    operands.push_back(whole_operand(sizes));
    if (operands.back().sizes.empty()) return {};
  }
  return operands;
}

Sizes broadcast_sizes(const std::vector<const TensorArgument*>& tensors) {
  Sizes sizes;
  for (const TensorArgument* tensor : tensors) {
    if (tensor->sizes.size() > sizes.size())
      sizes.insert(sizes.begin(), tensor->sizes.size() - sizes.size(), 1);
    const std::size_t offset = sizes.size() - tensor->sizes.size();
    for (std::size_t i = 0; i < tensor->sizes.size(); ++i)
      sizes[offset + i] = std::max(sizes[offset + i], tensor->sizes[i]);
  }
  return sizes;
}

std::vector<LayerSpec> traffic_layer(const OperatorCall& call, const Traffic& traffic,
                                     DataType type, std::uint64_t extra_byte_an_element) {
  const std::uint64_t size = info(type).bits / 8;
  LayerSpec spec = named_layer(
      LayerKind::other, base_name(call.name),
      sizes_text(traffic.reads.empty() ? traffic.writes : traffic.reads.front()->sizes), type);
  for (const TensorArgument* tensor : traffic.reads) {
    if (tensor->sizes.empty() || !has_elements(tensor->sizes)) continue;
    const Sizes stored = tensor->stored_sizes();
    const std::uint64_t own = tensor->type ? info(*tensor->type).bits / 8 : size;
    const std::uint64_t count = (element_count(stored) * own + size - 1) / size;
    spec.inputs.push_back(whole_operand(own == size ? stored : Sizes{count}));
  }
  // A layer reads something: what only writes reads one value.
  if (spec.inputs.empty()) spec.inputs.push_back(whole_operand({1}));
  const std::uint64_t written = element_count(traffic.writes);
  if (written == 0) return {};
  const std::uint64_t extra = (written * extra_byte_an_element + size - 1) / size;
  spec.output = whole_operand(extra > 0 ? Sizes{written + extra} : traffic.writes).sizes;
  return {spec};
}

std::vector<const TensorArgument*> tensors_of(const OperatorCall& call) {
  std::vector<const TensorArgument*> tensors;
  for (std::size_t i = 0; i < call.arguments->count(); ++i)
    if (const TensorArgument* tensor = call.arguments->tensor(i)) tensors.push_back(tensor);
  return tensors;
}

DataType multiplied_type(const OperatorCall& call, DataType type) {
  return type == DataType::fp32 && call.is_tf32 ? DataType::tf32 : type;
}

}  // namespace roofline
