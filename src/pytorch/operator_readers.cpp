#include <algorithm>
#include <utility>

#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

std::uint64_t byte_of(DataType type) { return info(type).bits / 8; }

using AxisOrder = std::vector<std::size_t>;

/// The axes of more than one element, outermost in memory first.
AxisOrder axes_in_memory(const TensorArgument& tensor) {
  AxisOrder axes;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
    if (tensor.sizes[i] > 1) axes.push_back(i);
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return tensor.strides[a] > tensor.strides[b];
  });
  return axes;
}

/// Whether its elements lie in that order, one beside the other.
bool is_dense(const TensorArgument& tensor, const AxisOrder& axes) {
  std::uint64_t next = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (tensor.strides[*axis] != next) return false;
    next *= tensor.sizes[*axis];
  }
  return true;
}

bool has_other_innermost(const TensorArgument& tensor, const AxisOrder& axes) {
  return tensor.strides[axes.back()] != 1 &&
         std::any_of(axes.begin(), axes.end(),
                     [&](std::size_t axis) { return tensor.strides[axis] == 1; });
}

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

LayerSpec layer_of_one_value(LayerKind kind, const OperatorCall& call) {
  return named_layer(kind, base_name(call.name), "of one value", DataType::fp32);
}

OperandSpec operand_of(const TensorArgument& tensor, const Sizes& sizes) {
  OperandSpec operand = whole_operand(sizes);
  if (tensor.layer) operand.layer = std::to_string(*tensor.layer);
  operand.is_parameter = tensor.is_parameter;
  operand.parameters = tensor.parameters;
  return operand;
}

TensorArgument with_sizes(const TensorArgument& tensor, Sizes sizes) {
  TensorArgument other = tensor;
  other.sizes = std::move(sizes);
  other.strides.clear();
  return other;
}

std::optional<std::size_t> axis_at(std::optional<std::int64_t> axis, std::size_t rank) {
  if (!axis) return std::nullopt;
  const auto count = static_cast<std::int64_t>(rank);
  const std::int64_t at = *axis < 0 ? *axis + count : *axis;
  return at >= 0 && at < count ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
}

bool is_image(const TensorArgument* tensor) {
  return tensor != nullptr && tensor->type && tensor->sizes.size() >= 3 &&
         tensor->sizes.size() <= most_operand_sizes && element_count(tensor->sizes) > 0;
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
    operands.push_back(operand_of(*tensor, sizes));
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

Layers traffic_layer(const OperatorCall& call, const std::vector<const TensorArgument*>& reads,
                     const Sizes& writes, DataType type, std::uint64_t extra_byte_an_element) {
  const std::uint64_t size = byte_of(type);
  LayerSpec spec = named_layer(LayerKind::other, base_name(call.name),
                               sizes_text(reads.empty() ? writes : reads.front()->sizes), type);
  for (const TensorArgument* tensor : reads) {
    if (tensor->sizes.empty() || element_count(tensor->sizes) == 0) continue;
    const Sizes stored = tensor->stored_sizes();
    const std::uint64_t own = tensor->type ? byte_of(*tensor->type) : size;
    const std::uint64_t count = (element_count(stored) * own + size - 1) / size;
    spec.inputs.push_back(operand_of(*tensor, own == size ? stored : Sizes{count}));
  }
  // A layer reads something: what only writes reads one value.
  if (spec.inputs.empty()) spec.inputs.push_back(whole_operand({1}));
  const std::uint64_t written = element_count(writes);
  if (written == 0) return {};
  const std::uint64_t extra = (written * extra_byte_an_element + size - 1) / size;
  spec.output = whole_operand(extra > 0 ? Sizes{written + extra} : writes).sizes;
  return {spec};
}

std::optional<Access> access_of(const std::vector<const TensorArgument*>& tensors) {
  const TensorArgument& first = *tensors.front();
  for (const TensorArgument* tensor : tensors)
    if (tensor->sizes != first.sizes || tensor->strides.size() != first.sizes.size())
      return std::nullopt;
  const AxisOrder axes = axes_in_memory(first);
  if (axes.empty()) return std::nullopt;
  const auto any = [&](auto holds) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const TensorArgument* tensor) { return holds(*tensor, axes); });
  };
  if (any(has_other_innermost)) return Access::transposed;
  if (any([](const TensorArgument& tensor, const AxisOrder& in) { return !is_dense(tensor, in); }))
    return Access::strided;
  return std::nullopt;
}

DataType multiplied_type(const OperatorCall& call, DataType type) {
  return type == DataType::fp32 && call.is_tf32 ? DataType::tf32 : type;
}

}  // namespace roofline
