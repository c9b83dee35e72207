#include "pytorch/rules.hpp"

#include <unordered_map>

#include "pytorch/embedding_rules.hpp"

namespace roofline {

std::string_view base_name(std::string_view operator_name) {
  const std::size_t space = operator_name.rfind("::");
  if (space != std::string_view::npos) operator_name.remove_prefix(space + 2);
  if (operator_name.size() > 1 && operator_name.ends_with('_')) operator_name.remove_suffix(1);
  return operator_name;
}

Rule find_rule(std::string_view operator_name) {
  using Rules = std::unordered_map<std::string_view, Rule>;
  static const Rules own = [] {
    Rules rules;
    for (const auto& group : {convolution_rules(), product_rules(), function_rules(), norm_rules(),
                              pool_rules(), movement_rules(), list_rules()})
      for (const NamedRule& each : group) rules.emplace(each.name, each.rule);
    return rules;
  }();
  static const Rules custom = [] {
    Rules rules;
    for (const auto& group : {custom_rules(), custom_product_rules(), custom_norm_rules()})
      for (const NamedRule& each : group) rules.emplace(each.name, each.rule);
    return rules;
  }();
  if (is_lookup(operator_name)) return lookup;
  if (is_lookup_backward(operator_name)) return lookup_backward;
  // "torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction<...> >" permutes back.
  if (operator_name.find("CppNode<fbgemm_gpu::PermutePooledEmbs") != std::string_view::npos)
    return custom.at("permute_pooled_embs");
  const Rules& rules = operator_name.starts_with("aten::") ? own : custom;
  const auto found = rules.find(base_name(operator_name));
  return found != rules.end() ? found->second : nullptr;
}

}  // namespace roofline
