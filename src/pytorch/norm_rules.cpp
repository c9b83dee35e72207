#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

namespace roofline {
namespace {

/// The mean and deviation of the batch are computed as well, unless the recorded ones are used.
std::string_view batch_norm_name(bool training) {
  return training ? "batch_norm training" : "batch_norm";
}

std::vector<LayerSpec> norm_layer(LayerKind kind, std::string_view what,
                                  const TensorArgument* input, std::optional<DataType> weight_type,
                                  Pass pass = Pass::fwd) {
  if (input == nullptr || !input->type || input->sizes.size() < 2 ||
      element_count(input->sizes) == 0)
    return {};
  LayerSpec spec = named_layer(kind, what, sizes_text(input->sizes), *input->type, pass);
  spec.input = whole_operand(input->sizes);
  // Copies into NCHW that instance and group norms ask for are operators of their own.
  if (kind == LayerKind::batch_norm)
    spec.layout = input->layout();
  else if (info(kind).features == Features::first)
    spec.layout = Layout::nchw;
  spec.dtypes.weight = weight_type;
  return {spec};
}

std::optional<DataType> type_of(const TensorArgument* tensor) {
  return tensor != nullptr ? tensor->type : std::nullopt;
}

/// (input, weight, bias, running mean, running variance, training, ...). An instance norm runs as a
/// batch norm of one image whose channels are those of all images.
std::vector<LayerSpec> batch_norm(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const std::optional<DataType> weight = type_of(a.tensor(1));
  if (const Caller* instance = call.caller("aten::instance_norm"))
    return norm_layer(LayerKind::instance_norm, "instance_norm", instance->arguments->tensor(0),
                      weight);
  const bool training = a.flag(5).value_or(!call.results.empty());  // what has gradients, trains
  auto layers = norm_layer(LayerKind::batch_norm, batch_norm_name(training), a.tensor(0), weight);
  for (LayerSpec& layer : layers) layer.batch_statistics = training;
  return layers;
}

/// (input, weight, bias, running mean, running variance, ...), never of the batch's own statistics.
std::vector<LayerSpec> recorded_batch_norm(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return norm_layer(LayerKind::batch_norm, batch_norm_name(false), a.tensor(0),
                    type_of(a.tensor(1)));
}

/// Gradient and input stand first, in either order, and the weight third.
std::vector<LayerSpec> batch_norm_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return norm_layer(LayerKind::batch_norm, "batch_norm", a.tensor(0), type_of(a.tensor(2)),
                    Pass::dgrad);
}

/// Where the normalised sizes are not recorded they are the weight's.
std::vector<LayerSpec> layer_norm_layer(const TensorArgument* input, Sizes normalized,
                                        const TensorArgument* weight, Pass pass) {
  auto layers = norm_layer(LayerKind::layer_norm, "layer_norm", input, type_of(weight), pass);
  if (normalized.empty() && weight != nullptr) normalized = weight->sizes;
  if (layers.empty() || normalized.empty()) return {};
  const std::uint64_t features = element_count(normalized);
  if (features == 0) return {};
  const Sizes rows{element_count(input->sizes) / features, features};
  layers.front().input = whole_operand(rows);
  layers.front().normalized_shape = {features};
  return layers;
}

/// (input, normalized_shape, weight, bias, eps).
std::vector<LayerSpec> layer_norm(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return layer_norm_layer(a.tensor(0), a.integers(1), a.tensor(2), Pass::fwd);
}

/// (gradient, input, normalized_shape, mean, reciprocal deviation, weight, bias, mask).
std::vector<LayerSpec> layer_norm_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return layer_norm_layer(a.tensor(0), a.integers(2), a.tensor(5), Pass::dgrad);
}

std::vector<LayerSpec> group_norm_layer(const OperatorArguments& a, std::size_t groups_at,
                                        const TensorArgument* weight, Pass pass) {
  const auto groups = a.integer(groups_at);
  auto layers = norm_layer(LayerKind::group_norm, "group_norm", a.tensor(0), type_of(weight), pass);
  if (layers.empty() || groups.value_or(0) <= 0) return {};
  layers.front().groups = static_cast<std::uint64_t>(*groups);
  layers.front().name = *layers.front().name + " g" + std::to_string(*groups);
  return layers;
}

/// (input, weight, bias, N, C, positions, groups, eps).
std::vector<LayerSpec> group_norm(const OperatorCall& call) {
  return group_norm_layer(*call.arguments, 6, call.arguments->tensor(1), Pass::fwd);
}

/// (gradient, input, mean, reciprocal deviation, weight, N, C, positions, groups, mask).
std::vector<LayerSpec> group_norm_backward(const OperatorCall& call) {
  return group_norm_layer(*call.arguments, 8, call.arguments->tensor(4), Pass::dgrad);
}

/// Rows as long as the weight.
std::vector<LayerSpec> norm_of_rows(LayerKind kind, const TensorArgument* input,
                                    const TensorArgument* weight) {
  const std::uint64_t features = weight != nullptr ? element_count(weight->sizes) : 0;
  auto layers = norm_layer(kind, info(kind).name, input, type_of(weight));
  if (layers.empty() || features == 0 || element_count(input->sizes) % features != 0) return {};
  layers.front().input = whole_operand({element_count(input->sizes) / features, features});
  layers.front().normalized_shape = {features};
  return layers;
}

/// (input, normalized_shape, weight, eps).
std::vector<LayerSpec> rms_norm(const OperatorCall& call) {
  return norm_of_rows(LayerKind::rms_norm, call.arguments->tensor(0), call.arguments->tensor(2));
}

/// ([result,] input, weight, ...), as other libraries than PyTorch have it.
template <LayerKind kind>
std::vector<LayerSpec> custom_norm(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* first = a.tensor(0);
  const TensorArgument* second = a.tensor(1);
  if (first == nullptr || second == nullptr) return {};
  if (first->sizes == second->sizes) return norm_of_rows(kind, second, a.tensor(2));
  return norm_of_rows(kind, first, second);
}

constexpr NamedRule norm_table[] = {
    {"native_batch_norm", batch_norm},
    {"cudnn_batch_norm", batch_norm},
    {"miopen_batch_norm", batch_norm},
    {"_native_batch_norm_legit", batch_norm},
    {"_native_batch_norm_legit_no_training", recorded_batch_norm},
    {"_batch_norm_with_update", batch_norm},
    {"_batch_norm_no_update", recorded_batch_norm},
    {"native_batch_norm_backward", batch_norm_backward},
    {"cudnn_batch_norm_backward", batch_norm_backward},
    {"miopen_batch_norm_backward", batch_norm_backward},
    {"batch_norm_backward", batch_norm_backward},
    {"native_layer_norm", layer_norm},
    {"native_layer_norm_backward", layer_norm_backward},
    {"native_group_norm", group_norm},
    {"native_group_norm_backward", group_norm_backward},
    {"_fused_rms_norm", rms_norm},
};

constexpr NamedRule custom_norm_table[] = {
    {"rms_norm", custom_norm<LayerKind::rms_norm>},
    {"rmsnorm", custom_norm<LayerKind::rms_norm>},
    {"rmsnorm2d_fwd", custom_norm<LayerKind::rms_norm>},
    {"layernorm2d_fwd", custom_norm<LayerKind::layer_norm>},
};

}  // namespace

std::span<const NamedRule> norm_rules() { return norm_table; }
std::span<const NamedRule> custom_norm_rules() { return custom_norm_table; }

}  // namespace roofline
