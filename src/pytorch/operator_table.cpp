#include "pytorch/operator_table.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "load/kernel_names.hpp"
#include "pytorch/operator_readers.hpp"

namespace roofline {
namespace {

// Places are those of PyTorch's schemas (native_functions.yaml).
constexpr auto operators = [] {
  using enum LayerKind;
  return std::to_array<OperatorRow>({
      // Convolutions: the libraries' own operators, as convolutions run as one of these.
      {"cudnn_convolution",
       convolution,
       conv,
       {.stride = 3, .padding = 2, .dilation = 4, .groups = 5}},
      {"miopen_convolution miopen_depthwise_convolution",
       convolution,
       conv,
       {.bias = 2, .stride = 4, .padding = 3, .dilation = 5, .groups = 6}},
      {"cudnn_convolution_transpose",
       convolution,
       conv_transpose,
       {.stride = 4, .padding = 2, .output_padding = 3, .dilation = 5, .groups = 6}},
      {"miopen_convolution_transpose",
       convolution,
       conv_transpose,
       {.stride = 5, .padding = 3, .output_padding = 4, .dilation = 6, .groups = 7}},
      {"cudnn_convolution_relu miopen_convolution_relu conv2d",
       convolution,
       conv,
       {.bias = 2, .stride = 3, .padding = 4, .dilation = 5, .groups = 6}},
      {"conv_transpose2d",
       convolution,
       conv_transpose,
       {.bias = 2, .stride = 3, .padding = 4, .output_padding = 5, .dilation = 7, .groups = 6}},
      {"convolution",
       convolution,
       conv,
       {.bias = 2,
        .stride = 3,
        .padding = 4,
        .output_padding = 7,
        .dilation = 5,
        .groups = 8,
        .flag = 6}},
      {"cudnn_convolution_add_relu miopen_convolution_add_relu",
       convolution,
       conv,
       {.bias = 4, .stride = 5, .padding = 6, .dilation = 7, .groups = 8}},
      {"_conv_depthwise2d conv_depthwise3d",
       depthwise_convolution,
       conv,
       {.bias = 3, .stride = 4, .padding = 5, .dilation = 6}},
      {"_slow_conv2d_forward slow_conv_dilated2d slow_conv_dilated3d thnn_conv2d_forward",
       convolution,
       conv,
       {.bias = 3, .stride = 4, .padding = 5, .dilation = 6}},
      {"convolution_backward",
       convolution_gradients,
       conv,
       {.input = 1,
        .weight = 2,
        .stride = 4,
        .padding = 5,
        .output_padding = 8,
        .dilation = 6,
        .groups = 9,
        .flag = 7}},

      // Products and attention.
      {"mm _int_mm _scaled_mm", matrix_product, matmul},
      {"addmm _addmm_activation", matrix_product, matmul, {.input = 1, .weight = 2, .bias = 0}},
      {"bmm", batched_product, matmul},
      {"baddbmm", batched_product, matmul, {.input = 1, .weight = 2}},
      {"linear", roofline::linear, LayerKind::linear, {.bias = 2}},
      {"_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu",
       roofline::attention,
       LayerKind::attention,
       {.flag = 4}},
      {"_scaled_dot_product_cudnn_attention _scaled_dot_product_efficient_attention",
       roofline::attention,
       LayerKind::attention,
       {.flag = 6}},
      {"scaled_dot_product_attention", roofline::attention, LayerKind::attention, {.flag = 5}},
      {"_cudnn_attention_forward", roofline::attention, LayerKind::attention, {.flag = 10}},
      {"_flash_attention_forward", attention_heads_third, LayerKind::attention, {.flag = 8}},
      {"_efficient_attention_forward", attention_heads_third, LayerKind::attention, {.flag = 9}},
      {"_scaled_dot_product_flash_attention_backward "
       "_scaled_dot_product_efficient_attention_backward",
       roofline::attention,
       LayerKind::attention,
       {.input = 1, .flag = 11}},
      {"_cudnn_attention_backward _scaled_dot_product_cudnn_attention_backward",
       roofline::attention,
       LayerKind::attention,
       {.input = 1, .flag = 14}},
      {"_flash_attention_backward ::_flash_attn_backward",
       attention_heads_third,
       LayerKind::attention,
       {.input = 1, .flag = 11}},
      {"_efficient_attention_backward",
       attention_heads_third,
       LayerKind::attention,
       {.input = 1, .flag = 14}},
      {"::_flash_attn_forward", attention_heads_third, LayerKind::attention, {.flag = 5}},
      {"::inplace_fused_experts ::outplace_fused_experts", fused_experts, matmul},

      // Functions of each element.
      {"relu threshold_backward", function, relu},
      {"clamp hardtanh clamp_min", clamp, elementwise, {.flag = 1}},
      {"relu6", function, relu6},
      {"hardtanh_backward", clamp, elementwise, {.flag = 2}},
      {"leaky_relu leaky_relu_backward", function, leaky_relu},
      {"_prelu_kernel _prelu_kernel_backward prelu", function, prelu},
      {"elu elu_backward selu celu", function, elu},
      {"sigmoid sigmoid_backward", function, sigmoid},
      {"hardsigmoid hardsigmoid_backward", function, hardsigmoid},
      {"tanh tanh_backward", function, LayerKind::tanh},
      {"silu silu_backward", function, silu},
      {"hardswish hardswish_backward", function, hardswish},
      {"gelu gelu_backward", function, gelu},
      {"mish mish_backward softplus softplus_backward log_sigmoid_forward log_sigmoid_backward "
       "cumsum cumprod",
       function, elementwise},
      {"_softmax _log_softmax softmax log_softmax",
       roofline::softmax,
       LayerKind::softmax,
       {.axes = 1, .flag = 2}},
      {"_softmax_backward_data _log_softmax_backward_data",
       roofline::softmax,
       LayerKind::softmax,
       {.axes = 2}},
      {"add", combination, add},
      {"sub rsub subtract", combination, sub},
      {"mul multiply", combination, mul},
      {"div divide true_divide", combination, LayerKind::div},
      {"eq ne lt le gt ge isnan isinf isfinite logical_not", comparison, elementwise},
      {"native_dropout", dropout},
      {"fill zero bernoulli uniform normal random exponential", filling},
      {"__and_ __or_ __xor_ abs addcdiv addcmul atan2 bitwise_and bitwise_not bitwise_or "
       "bitwise_xor ceil clamp_max "
       "cos "
       "erf erfc exp exp2 expm1 floor floor_divide fmod lerp log log10 log1p log2 logical_and "
       "logical_or logical_xor masked_fill maximum minimum nan_to_num neg pow reciprocal remainder "
       "round rsqrt sgn sign sin sqrt square tril triu trunc where native_dropout_backward "
       "mse_loss "
       "smooth_l1_loss huber_loss binary_cross_entropy mse_loss_backward smooth_l1_loss_backward "
       "binary_cross_entropy_backward",
       function_of_several, elementwise},

      // Norms.
      {"native_batch_norm cudnn_batch_norm miopen_batch_norm _native_batch_norm_legit "
       "_batch_norm_with_update batch_norm",
       roofline::batch_norm,
       LayerKind::batch_norm,
       {.flag = 5}},
      {"_native_batch_norm_legit_no_training _batch_norm_no_update", roofline::batch_norm,
       LayerKind::batch_norm},
      {"native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
       "batch_norm_backward",
       roofline::batch_norm,
       LayerKind::batch_norm,
       {.weight = 2}},
      {"instance_norm", roofline::batch_norm, LayerKind::instance_norm},
      {"native_layer_norm layer_norm",
       roofline::layer_norm,
       LayerKind::layer_norm,
       {.weight = 2, .axes = 1}},
      {"native_layer_norm_backward",
       roofline::layer_norm,
       LayerKind::layer_norm,
       {.weight = 5, .axes = 2}},
      {"native_group_norm", roofline::group_norm, LayerKind::group_norm, {.groups = 6}},
      {"group_norm", roofline::group_norm, LayerKind::group_norm, {.weight = 2, .groups = 1}},
      {"native_group_norm_backward",
       roofline::group_norm,
       LayerKind::group_norm,
       {.weight = 4, .groups = 8}},
      {"_fused_rms_norm rms_norm", roofline::rms_norm, LayerKind::rms_norm, {.weight = 2}},
      {"::rms_norm ::rmsnorm ::rmsnorm2d_fwd", custom_norm, LayerKind::rms_norm},
      {"::layernorm2d_fwd", custom_norm, LayerKind::layer_norm},
      {"::fused_add_rms_norm ::fused_add_rmsnorm", fused_add_norm},

      // Pools, reductions and resizes.
      {"max_pool2d_with_indices max_pool3d_with_indices max_pool1d max_pool2d max_pool3d",
       pool,
       max_pool,
       {.kernel = 1, .stride = 2, .padding = 3, .dilation = 4, .flag = 5}},
      {"max_pool2d_with_indices_backward max_pool3d_with_indices_backward",
       pool,
       max_pool,
       {.input = 1, .kernel = 2, .stride = 3, .padding = 4, .dilation = 5, .flag = 6}},
      {"avg_pool1d avg_pool2d avg_pool3d",
       pool,
       avg_pool,
       {.kernel = 1, .stride = 2, .padding = 3, .flag = 4}},
      {"avg_pool2d_backward avg_pool3d_backward",
       pool,
       avg_pool,
       {.input = 1, .kernel = 2, .stride = 3, .padding = 4, .flag = 5}},
      {"_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d adaptive_avg_pool1d "
       "adaptive_avg_pool2d adaptive_avg_pool3d",
       adaptive_pool,
       global_avg_pool,
       {.axes = 1}},
      {"_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward", adaptive_pool_gradient,
       global_avg_pool},
      {"mean", mean, reduce, {.axes = 1}},
      {"sum nansum prod amax amin max min argmax argmin any all std var var_mean logsumexp",
       reduction,
       reduce,
       {.axes = 1}},
      {"linalg_vector_norm norm", reduction, reduce, {.axes = 2}},
      {"upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact2d "
       "upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d "
       "_upsample_bilinear2d_aa",
       roofline::upsample,
       LayerKind::upsample,
       {.axes = 1}},
      {"upsample_nearest1d_backward upsample_nearest2d_backward upsample_nearest3d_backward "
       "_upsample_nearest_exact2d_backward upsample_bilinear2d_backward "
       "upsample_bicubic2d_backward "
       "upsample_linear1d_backward upsample_trilinear3d_backward",
       upsample_gradient,
       LayerKind::upsample,
       {.axes = 2}},

      // What moves data.
      {"copy _copy_from", roofline::copy, LayerKind::copy},
      {"roll flip clone contiguous pixel_shuffle pixel_unshuffle", copy_of_same_size,
       LayerKind::copy},
      {"reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d "
       "replication_pad3d constant_pad_nd",
       pad, LayerKind::copy},
      {"reflection_pad1d_backward reflection_pad2d_backward replication_pad2d_backward",
       pad_gradient, LayerKind::copy},
      {"gather", roofline::gather},
      {"index_select", index_select},
      {"embedding", roofline::embedding, LayerKind::gather},
      {"embedding_dense_backward", embedding_gradient},
      {"nll_loss_forward nll_loss2d_forward", picked_loss},
      {"nll_loss_backward nll_loss2d_backward", picked_loss, other, {.input = 1}},
      {"cat _cat concat concatenate", roofline::concat, LayerKind::concat},
      {"::rotary_embedding", rotary_embedding},
      {"::reshape_and_cache ::reshape_and_cache_flash", write_cache},
  });
}();

/// The rows by each of their names.
std::unordered_map<std::string_view, const OperatorRow*> rows_by_name() {
  std::unordered_map<std::string_view, const OperatorRow*> rows;
  for (const OperatorRow& row : operators)
    for (std::string_view names = row.names; !names.empty();) {
      const std::size_t end = std::min(names.find(' '), names.size());
      rows.emplace(names.substr(0, end), &row);
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  return rows;
}

/// A pointwise kernel of torch.compile whose operands are one tensor and vectors writes that tensor
/// in place: nothing else could take its results.
Sizes written_in_place(const OperatorCall& call,
                       const std::vector<const TensorArgument*>& operands) {
  if (!call.name.starts_with("triton_poi_")) return {1};
  std::uint64_t largest = 0;
  std::uint64_t next = 0;
  const TensorArgument* tensor = nullptr;
  for (const TensorArgument* each : operands) {
    const std::uint64_t elements = element_count(each->sizes);
    next = std::max(next, std::min(largest, elements));
    if (elements > largest) tensor = each;
    largest = std::max(largest, elements);
  }
  constexpr std::uint64_t vector_share = 8;
  return tensor != nullptr && next < largest / vector_share ? tensor->sizes : Sizes{1};
}

/// What optimizers call on whole lists of tensors: "_foreach_add", "_fused_adamw".
bool is_for_lists(std::string_view operator_name) {
  const std::string_view name = base_name(operator_name);
  return name.starts_with("_foreach_") || name.starts_with("_amp_foreach_") ||
         name.starts_with("_fused_adam") || name.starts_with("_fused_sgd") ||
         name.starts_with("_fused_adagrad");
}

/// Tensors without axes hold a value each.
Layers one_value(const OperatorCall& call) {
  for (std::size_t i = 0; i < call.arguments->count(); ++i) {
    if (!call.arguments->is_tensor(i)) continue;
    LayerSpec spec = layer_of_one_value(LayerKind::other, call);
    spec.inputs = {whole_operand({1})};
    spec.output = whole_operand({1}).sizes;
    return {spec};
  }
  return {};
}

}  // namespace

const OperatorRow* find_operator(std::string_view name) {
  static const auto rows = rows_by_name();
  const std::string key = (name.starts_with("aten::") ? "" : "::") + std::string(base_name(name));
  const auto found = rows.find(key);
  return found != rows.end() ? found->second : nullptr;
}

Layers operand_traffic(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  const bool for_lists = is_for_lists(call.name);
  // Whoever joins a list reads nothing else.
  const OperatorRow* row = find_operator(call.name);
  const bool joins = row != nullptr && row->kind == LayerKind::concat;
  if (joins || (for_lists && a.list(0).empty())) return {};
  std::vector<TensorArgument> listed;
  for (std::size_t i = 0; i < a.count(); ++i)
    for (TensorArgument tensor : a.list(i)) {
      if (for_lists) tensor.type = call.list_type;
      listed.push_back(std::move(tensor));
    }
  std::vector<const TensorArgument*> operands = a.tensors();
  for (const TensorArgument& tensor : listed) operands.push_back(&tensor);
  const bool all_known =
      std::all_of(operands.begin(), operands.end(),
                  [](const TensorArgument* tensor) { return tensor->type.has_value(); });
  if (!all_known) return {};
  if (operands.empty()) return one_value(call);
  const Sizes written = call.result ? *call.result : written_in_place(call, operands);
  Layers layers = traffic_layer(call, operands, written, *operands.front()->type);
  for (LayerSpec& layer : layers)
    layer.name = std::string(call.name) + " " + sizes_text(operands.front()->sizes);
  return layers;
}

Layers read_call(const OperatorCall& call, bool* by_operands) {
  const auto is_refused = [](const LayerSpec& spec) { return failure_of(spec).has_value(); };
  const OperatorRow* row = find_operator(call.name);
  Layers specs = row != nullptr ? row->read(call, *row) : Layers{};
  const bool fits = !specs.empty() && std::none_of(specs.begin(), specs.end(), is_refused);
  if (by_operands != nullptr) *by_operands = !fits;
  if (fits) return specs;
  specs = operand_traffic(call);
  return std::any_of(specs.begin(), specs.end(), is_refused) ? Layers{} : specs;
}

bool says_little(std::string_view operator_name) {
  return is_for_lists(operator_name) ||
         mentions(operator_name, {"embedding_codegen_lookup", "SplitLookupFunction"});
}

}  // namespace roofline
