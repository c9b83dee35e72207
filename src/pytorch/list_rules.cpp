#include <algorithm>

#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

// Functions of whole lists of tensors: what optimizers run.

namespace roofline {
namespace {

std::uint64_t list_elements(const OperatorCall& call, std::size_t i) {
  std::uint64_t count = 0;
  for (const TensorArgument& tensor : call.arguments->tensors(i))
    count += element_count(tensor.sizes);
  return count > 0 ? count : call.list_elements.value_or(0);
}

std::vector<LayerSpec> list_layer(const OperatorCall& call, std::uint64_t reads,
                                  std::uint64_t writes) {
  const std::uint64_t elements = list_elements(call, 0);
  if (elements == 0 || !call.list_type) return {};
  LayerSpec spec = named_layer(LayerKind::other, base_name(call.name),
                               std::to_string(elements) + " elements", *call.list_type);
  spec.inputs = {whole_operand({reads * elements})};
  spec.output = whole_operand({writes > 0 ? writes * elements : 1}).sizes;
  return {spec};
}

/// Reads every list that it is given and writes one.
std::vector<LayerSpec> list_function(const OperatorCall& call) {
  std::uint64_t reads = 0;
  for (std::size_t i = 0; i < call.arguments->count(); ++i)
    reads += call.arguments->is_tensor_list(i) ? 1U : 0U;
  return reads > 0 ? list_layer(call, reads, 1) : std::vector<LayerSpec>{};
}

std::vector<LayerSpec> list_norm(const OperatorCall& call) { return list_layer(call, 1, 0); }

/// Reads parameters, gradients and both moments; writes all but the gradients.
std::vector<LayerSpec> fused_adam(const OperatorCall& call) { return list_layer(call, 4, 3); }

/// Reads parameters, gradients and momenta; writes all but the gradients.
std::vector<LayerSpec> fused_sgd(const OperatorCall& call) { return list_layer(call, 3, 2); }

constexpr NamedRule list_table[] = {
    {"_foreach_abs", list_function},
    {"_foreach_add", list_function},
    {"_foreach_addcdiv", list_function},
    {"_foreach_addcmul", list_function},
    {"_foreach_copy", list_function},
    {"_foreach_div", list_function},
    {"_foreach_lerp", list_function},
    {"_foreach_maximum", list_function},
    {"_foreach_mul", list_function},
    {"_foreach_neg", list_function},
    {"_foreach_norm", list_norm},
    {"_foreach_pow", list_function},
    {"_foreach_reciprocal", list_function},
    {"_foreach_sign", list_function},
    {"_foreach_sqrt", list_function},
    {"_foreach_sub", list_function},
    {"_amp_foreach_non_finite_check_and_unscale", list_function},
    {"_fused_adam", fused_adam},
    {"_fused_adamw", fused_adam},
    {"_fused_sgd", fused_sgd},
};

/// The number behind "TensorListMetadata<" or 0.
std::uint64_t lists_in(std::string_view kernel) {
  constexpr std::string_view mark = "ListMetadata<";
  const std::size_t at = kernel.find(mark);
  if (at == std::string_view::npos) return 0;
  const char digit = kernel[std::min(kernel.size() - 1, at + mark.size())];
  return digit >= '1' && digit <= '9' ? static_cast<std::uint64_t>(digit - '0') : 0;
}

/// "AdamFunctor" in "multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>".
std::string functor_in(std::string_view kernel) {
  constexpr std::string_view mark = "Functor";
  const std::size_t end = kernel.find(mark);
  if (end == std::string_view::npos) return "multi_tensor_apply";
  const std::size_t begin = kernel.find_last_of(" :<", end) + 1;
  return std::string(kernel.substr(begin, end + mark.size() - begin));
}

}  // namespace

std::vector<LayerSpec> list_kernel(std::string_view kernel, std::uint64_t elements, DataType type) {
  const std::uint64_t lists = lists_in(kernel);
  if (lists == 0 || elements == 0 || kernel.find("multi_tensor_apply") == std::string_view::npos)
    return {};
  const std::string functor = functor_in(kernel);
  LayerSpec spec =
      named_layer(LayerKind::other, functor, std::to_string(elements) + " elements", type);
  spec.inputs = {whole_operand({lists * elements})};
  // An optimizer writes all but the gradients.
  const std::uint64_t written = functor.find("Adam") != std::string::npos ? lists - 1 : 1;
  spec.output = whole_operand({written * elements}).sizes;
  return {spec};
}

std::span<const NamedRule> list_rules() { return list_table; }

}  // namespace roofline
