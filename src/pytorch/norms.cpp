#include "load/recording.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

std::optional<DataType> type_of(const TensorArgument* tensor) {
  return tensor != nullptr ? tensor->type : std::nullopt;
}

Layers norm_layer(LayerKind kind, std::string_view what, const TensorArgument* input,
                  const TensorArgument* weight, Pass pass = Pass::fwd) {
  if (input == nullptr || !input->type || element_count(input->sizes) == 0) return {};
  LayerSpec spec = named_layer(kind, what, sizes_text(input->sizes), *input->type, pass);
  spec.input = operand_of(*input, input->sizes);
  // Instance and group norms copy into NCHW by operators of their own.
  if (kind == LayerKind::batch_norm)
    spec.layout = input->layout();
  else if (info(kind).features == Features::first)
    spec.layout = Layout::nchw;
  spec.dtypes.weight = type_of(weight);
  return {spec};
}

/// Rows of the normalised sizes, or else of the weight's.
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

/// An instance norm runs as a batch norm of one image with all images' channels. The flag of
/// training makes it compute the batch's mean and deviation.
Layers norm_of_batch(const OperatorCall& call) {
  const TensorArgument* weight = call["weight"].tensor();
  const Caller* instance = call.caller("aten::instance_norm");
  if (instance != nullptr && mentions(call.argument_names, {"training"}))
    return norm_layer(LayerKind::instance_norm, "instance_norm",
                      argument_at(*instance->arguments, 0).tensor(), weight);
  // An overload without running statistics has the flag two arguments earlier.
  const bool training =
      call["training"].flag().value_or(argument_at(*call.arguments, 3).flag().value_or(false));
  Layers layers = norm_layer(call.kind, training ? "batch_norm training" : info(call.kind).name,
                             call["input"].tensor(), weight, call.pass());
  for (LayerSpec& layer : layers) layer.batch_statistics = training;
  return layers;
}

Layers norm_of_sizes(const OperatorCall& call) {
  return norm_of_rows(call.kind, call["input"].tensor(), call["weight"].tensor(),
                      call["sizes"].integers(), call.pass());
}

Layers norm_of_groups(const OperatorCall& call) {
  const auto groups = call["groups"].integer();
  Layers layers = norm_layer(call.kind, "group_norm", call["input"].tensor(),
                             call["weight"].tensor(), call.pass());
  if (layers.empty() || groups.value_or(0) <= 0) return {};
  layers.front().groups = static_cast<std::uint64_t>(*groups);
  *layers.front().name += " g" + std::to_string(*groups);
  return layers;
}

/// ([result,] input, weight, ...), in libraries other than PyTorch.
Layers custom_norm(const OperatorCall& call) {
  const TensorArgument* first = argument_at(*call.arguments, 0).tensor();
  const TensorArgument* second = argument_at(*call.arguments, 1).tensor();
  if (first == nullptr || second == nullptr) return {};
  const bool has_result = first->sizes == second->sizes;
  return has_result ? norm_of_rows(call.kind, second, argument_at(*call.arguments, 2).tensor())
                    : norm_of_rows(call.kind, first, second);
}

/// The sum goes to the residual, its norm to the input.
Layers fused_add_norm(const OperatorCall& call) {
  const TensorArgument* x = call["input"].typed_tensor();
  const TensorArgument* residual = call["residual"].tensor();
  const TensorArgument* weight = call["weight"].tensor();
  if (x == nullptr || residual == nullptr || weight == nullptr) return {};
  return traffic_layer(call, {x, residual, weight}, {2 * element_count(x->sizes)}, *x->type);
}

}  // namespace

std::span<const OperatorRow> norm_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      {"native_batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit "
       "_batch_norm_with_update batch_norm",
       norm_of_batch, batch_norm, "input weight - - - training"},
      {"_native_batch_norm_legit_no_training _batch_norm_no_update", norm_of_batch, batch_norm,
       "input weight"},
      {"native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
       "batch_norm_backward",
       norm_of_batch, batch_norm, "input - weight"},
      {"instance_norm", norm_of_batch, instance_norm, "input weight"},
      {"native_layer_norm layer_norm", norm_of_sizes, layer_norm, "input sizes weight"},
      {"native_layer_norm_backward", norm_of_sizes, layer_norm, "input - sizes - - weight"},
      {"native_group_norm", norm_of_groups, group_norm, "input weight - - - - groups"},
      {"group_norm", norm_of_groups, group_norm, "input groups weight"},
      {"native_group_norm_backward", norm_of_groups, group_norm, "input - - - weight - - - groups"},
      {"_fused_rms_norm rms_norm", norm_of_sizes, rms_norm, "input sizes weight"},
      {"::rms_norm ::rmsnorm ::rmsnorm2d_fwd", custom_norm, rms_norm, "input weight"},
      {"::layernorm2d_fwd", custom_norm, layer_norm, "input weight"},
      {"::fused_add_rms_norm ::fused_add_rmsnorm", fused_add_norm, other, "input residual weight"},
  };
  return rows;
}

}  // namespace roofline
