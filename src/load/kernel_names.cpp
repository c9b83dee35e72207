#include <algorithm>

#include "load/recording.hpp"

namespace roofline {
namespace {

enum class Role : std::uint8_t {
  prepares,  ///< the next kernel: layout changes, fills, offsets
  finishes,  ///< the previous kernel: layout changes, sums of partial results
  data,      ///< the input's gradient, by name
  weight,    ///< the weight's gradient, by name
  product,   ///< either one: names of matrix products do not tell
};

Role role_of(std::string_view name) {
  if (mentions(name, {"nhwcToNchw", "splitKreduce", "reduce_wgrad", "_reduce", "transpose_back"}))
    return Role::finishes;
  if (mentions(name, {"nchwToNhwc", "AddPadding", "init_device_workspace", "Memset", "Offsets",
                      "FillFunctor", "SubTensorOp", "batched_transpose"}))
    return Role::prepares;
  if (mentions(name, {"wgrad", "grad_weight", "wrw", "BwdFilter", "bwd_weight"}))
    return Role::weight;
  if (mentions(name, {"dgrad", "grad_input", "BwdData", "bwd_data", "conv_depthwise2d_backward"}))
    return Role::data;
  return Role::product;
}

}  // namespace

bool mentions(std::string_view name, std::initializer_list<std::string_view> any_of) {
  return std::ranges::any_of(
      any_of, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view result = "void ";
  constexpr std::string_view unnamed[] = {"(anonymous namespace)", "<unnamed>"};
  if (name.starts_with(result)) name.remove_prefix(result.size());
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    const auto* scope = std::ranges::find_if(
        unnamed, [&](std::string_view each) { return rest.starts_with(each); });
    if (scope != std::end(unnamed)) {
      i += scope->size() - 1 + (rest.substr(scope->size()).starts_with("::") ? 2 : 0);
      continue;
    }
    const char c = name[i];
    if (c == '(' && depth == 0 && !name.starts_with("Mem")) break;
    if (c == '<') ++depth;
    if (depth == 0) text += c;
    if (c == '>' && depth > 0) --depth;
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

bool is_tf32_kernel(std::string_view name) {
  // CUTLASS and cuDNN name "tf32" or the instruction shape 16x8x8. Turing's fp16 kernels share the
  // shape, but fp32 operators do not run those.
  return mentions(name, {"tf32", "s1688"});
}

bool sums_in_fp16(std::string_view name) {
  // "h" before the instruction shape, where "s" means sums in fp32 (volta_h884gemm,
  // ampere_h16816cudnn); xmma names the types of operands, of result and sums, and of the scale.
  return mentions(name, {"h884", "h1688", "h16816", "_f16f16_f16f16_f16"});
}

bool is_product_kernel(std::string_view name) {
  const std::size_t gemm = name.find("gemm");
  const bool is_fbgemm = gemm != std::string_view::npos && name.substr(0, gemm).ends_with("fb");
  if (gemm != std::string_view::npos && !is_fbgemm) return true;
  return mentions(name, {"bmm_", "nvjet", "xmma", "fmha", "Cijk_"});
}

bool is_layout_kernel(std::string_view name) {
  return mentions(name, {"nchwToNhwc", "nhwcToNchw", "batched_transpose"});
}

std::optional<TransferKind> copy_kind(std::string_view name) {
  if (!name.starts_with("Memcpy")) return std::nullopt;
  if (mentions(name, {"HtoD"})) return TransferKind::host_to_device;
  if (mentions(name, {"DtoH"})) return TransferKind::device_to_host;
  if (mentions(name, {"PtoP"})) return TransferKind::peer_to_peer;
  if (mentions(name, {"HtoH"})) return TransferKind::host_to_host;
  return std::nullopt;
}

std::optional<std::size_t> data_gradient_kernels(const std::vector<std::string_view>& names) {
  std::vector<Role> roles;
  roles.reserve(names.size());
  for (const std::string_view name : names) roles.push_back(role_of(name));
  std::vector<std::size_t> computing;
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] >= Role::data) computing.push_back(i);
  const auto first_weight =
      std::ranges::find_if(computing, [&](std::size_t i) { return roles[i] == Role::weight; });
  auto split = first_weight;
  if (first_weight == computing.end()) {
    // Without a name the weight's gradient follows the input's, or is the second of two products.
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
