#include "pytorch/operator_readers.hpp"

namespace roofline {
namespace {

std::optional<DataType> type_of(const TensorArgument* tensor) {
  return tensor != nullptr ? tensor->type : std::nullopt;
}

Layers norm_layer(LayerKind kind, std::string_view what, const TensorArgument* input,
                  const TensorArgument* weight, Pass pass = Pass::fwd) {
  if (input == nullptr || !input->type || input->sizes.size() < 2 ||
      element_count(input->sizes) == 0)
    return {};
  LayerSpec spec = named_layer(kind, what, sizes_text(input->sizes), *input->type, pass);
  spec.input = operand_of(*input, input->sizes);
  // Copies into NCHW that instance and group norms ask for are operators of their own.
  if (kind == LayerKind::batch_norm)
    spec.layout = input->layout();
  else if (info(kind).features == Features::first)
    spec.layout = Layout::nchw;
  spec.dtypes.weight = type_of(weight);
  return {spec};
}

/// Rows as long as the normalised sizes, or where these are not stated, as the weight.
Layers norm_of_rows(LayerKind kind, const TensorArgument* input, const TensorArgument* weight,
                    Sizes normalized = {}, Pass pass = Pass::fwd) {
  if (normalized.empty() && weight != nullptr) normalized = weight->sizes;
  const std::uint64_t features = normalized.empty() ? 0 : element_count(normalized);
  Layers layers = norm_layer(kind, info(kind).name, input, weight, pass);
  if (layers.empty() || features == 0) return {};
  const std::uint64_t elements = element_count(input->sizes);
  if (elements % features != 0) return {};
  layers.front().input = operand_of(*input, {elements / features, features});
  layers.front().normalized_shape = {features};
  return layers;
}

}  // namespace

/// An instance norm runs as a batch norm of one image whose channels are those of all images. In
/// training the mean and deviation of the batch are computed as well; without the flag never.
Layers batch_norm(const OperatorCall& call, const OperatorRow& row) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* weight = a.tensor(row.at.weight);
  const Pass pass = pass_of(call);
  if (row.kind == LayerKind::instance_norm)
    return norm_layer(row.kind, "instance_norm", a.tensor(row.at.input), weight);
  const Caller* instance = call.caller("aten::instance_norm");
  if (instance != nullptr && row.at.flag != ArgumentPlaces::none)
    return norm_layer(LayerKind::instance_norm, "instance_norm", instance->arguments->tensor(0),
                      weight);
  const bool training = a.flag(row.at.flag).value_or(false);
  Layers layers = norm_layer(row.kind, training ? "batch_norm training" : "batch_norm",
                             a.tensor(row.at.input), weight, pass);
  for (LayerSpec& layer : layers) layer.batch_statistics = training;
  return layers;
}

Layers layer_norm(const OperatorCall& call, const OperatorRow& row) {
  const OperatorArguments& a = *call.arguments;
  return norm_of_rows(row.kind, a.tensor(row.at.input), a.tensor(row.at.weight),
                      a.integers(row.at.axes), pass_of(call));
}

Layers group_norm(const OperatorCall& call, const OperatorRow& row) {
  const OperatorArguments& a = *call.arguments;
  const auto groups = a.integer(row.at.groups);
  Layers layers = norm_layer(row.kind, "group_norm", a.tensor(row.at.input),
                             a.tensor(row.at.weight), pass_of(call));
  if (layers.empty() || groups.value_or(0) <= 0) return {};
  layers.front().groups = static_cast<std::uint64_t>(*groups);
  *layers.front().name += " g" + std::to_string(*groups);
  return layers;
}

Layers rms_norm(const OperatorCall& call, const OperatorRow& row) {
  return norm_of_rows(row.kind, call.arguments->tensor(row.at.input),
                      call.arguments->tensor(row.at.weight));
}

/// ([result,] input, weight, ...), as other libraries than PyTorch have it.
Layers custom_norm(const OperatorCall& call, const OperatorRow& row) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* first = a.tensor(0);
  const TensorArgument* second = a.tensor(1);
  if (first == nullptr || second == nullptr) return {};
  const bool has_result = first->sizes == second->sizes;
  return has_result ? norm_of_rows(row.kind, second, a.tensor(2))
                    : norm_of_rows(row.kind, first, second);
}

/// (x, residual, weight, ...): the sum of both goes to residual, its norm to x.
Layers fused_add_norm(const OperatorCall& call, const OperatorRow&) {
  const TensorArgument* x = typed_tensor(call, 0);
  const TensorArgument* residual = call.arguments->tensor(1);
  const TensorArgument* weight = call.arguments->tensor(2);
  if (x == nullptr || residual == nullptr || weight == nullptr) return {};
  return traffic_layer(call, {x, residual, weight}, {2 * element_count(x->sizes)}, *x->type);
}

}  // namespace roofline
