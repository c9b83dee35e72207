#include "pytorch/backward_kernels.hpp"

#include <algorithm>
#include <initializer_list>

namespace roofline {
namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

enum class Role : std::uint8_t {
  prepares,  ///< what comes next: layout changes, fills, offsets
  finishes,  ///< what came before: the layout back, sums of partial results
  data,      ///< computes the gradient of the input, by its name
  weight,    ///< computes the gradient of the weight, by its name
  product,   ///< computes one of them: a matrix product says nothing of its purpose
};

/// cuDNN's, ATen's and MIOpen's names.
Role role_of(std::string_view name) {
  if (has_any(name, {"nhwcToNchw", "splitKreduce", "reduce_wgrad", "_reduce", "transpose_back"}))
    return Role::finishes;
  if (has_any(name, {"nchwToNhwc", "AddPadding", "init_device_workspace", "Memset", "Offsets",
                     "FillFunctor", "SubTensorOp", "batched_transpose"}))
    return Role::prepares;
  if (has_any(name, {"wgrad", "grad_weight", "wrw", "BwdFilter", "bwd_weight"}))
    return Role::weight;
  if (has_any(name, {"dgrad", "grad_input", "BwdData", "bwd_data", "conv_depthwise2d_backward"}))
    return Role::data;
  return Role::product;
}

bool computes(Role role) { return role >= Role::data; }

}  // namespace

std::optional<std::size_t> data_gradient_kernels(const std::vector<std::string_view>& names) {
  std::vector<Role> roles;
  roles.reserve(names.size());
  for (const std::string_view name : names) roles.push_back(role_of(name));
  std::vector<std::size_t> computing;
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (computes(roles[i])) computing.push_back(i);
  const auto first_weight = std::find_if(computing.begin(), computing.end(),
                                         [&](std::size_t i) { return roles[i] == Role::weight; });
  auto split = first_weight;
  if (first_weight == computing.end()) {
    // Nothing is called a weight gradient: it is what follows the data gradient, or the second of
    // two products.
    split = std::find_if(computing.rbegin(), computing.rend(), [&](std::size_t i) {
              return roles[i] == Role::data;
            }).base();
    if (split == computing.begin() && computing.size() == 2) ++split;
  }
  if (split == computing.begin() || split == computing.end()) return std::nullopt;
  std::size_t at = *split;
  while (at > 0 && roles[at - 1] == Role::prepares) --at;
  return at;
}

}  // namespace roofline
