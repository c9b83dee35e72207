#include "pytorch/kernel_names.hpp"

#include <algorithm>

namespace roofline {
namespace {

bool mentions(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view result = "void ";
  constexpr std::string_view unnamed = "(anonymous namespace)";
  if (name.starts_with(result)) name.remove_prefix(result.size());
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(unnamed)) {
      i += unnamed.size() - 1 + (name.substr(i + unnamed.size()).starts_with("::") ? 2 : 0);
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
  // CUTLASS and cuDNN say "tf32" or the shape of the instruction, 16x8x8, that Turing's fp16
  // kernels share: an fp32 operator runs none of those.
  return mentions(name, "tf32") || mentions(name, "s1688");
}

bool sums_in_fp16(std::string_view name) {
  // "h" with the shape of the instruction where "s" has sums in fp32 (volta_h884gemm,
  // ampere_h16816cudnn); xmma names the types of operands, of result and sums, and of the scale.
  for (const std::string_view part : {"h884", "h1688", "h16816", "_f16f16_f16f16_f16"})
    if (mentions(name, part)) return true;
  return false;
}

bool is_product_kernel(std::string_view name) {
  const std::size_t gemm = name.find("gemm");
  const bool of_fbgemm = gemm != std::string_view::npos && name.substr(0, gemm).ends_with("fb");
  if (gemm != std::string_view::npos && !of_fbgemm) return true;
  for (const std::string_view part : {"bmm_", "nvjet", "xmma", "fmha", "Cijk_"})
    if (mentions(name, part)) return true;
  return false;
}

std::optional<TransferKind> copy_kind(std::string_view name) {
  if (!name.starts_with("Memcpy")) return std::nullopt;
  if (mentions(name, "HtoD")) return TransferKind::host_to_device;
  if (mentions(name, "DtoH")) return TransferKind::device_to_host;
  if (mentions(name, "PtoP")) return TransferKind::peer_to_peer;
  if (mentions(name, "HtoH")) return TransferKind::host_to_host;
  return std::nullopt;
}

bool is_layout_kernel(std::string_view name) {
  return mentions(name, "nchwToNhwc") || mentions(name, "nhwcToNchw") ||
         mentions(name, "batched_transpose");
}

std::optional<DataType> element_type(std::string_view name, DataType half) {
  struct Mark {
    std::string_view text;
    DataType type;
  };
  const Mark marks[] = {{"OpaqueType<1u>", DataType::int8}, {"OpaqueType<2u>", half},
                        {"OpaqueType<4u>", DataType::fp32}, {"OpaqueType<8u>", DataType::fp64},
                        {"BFloat16", DataType::bf16},       {"c10::Half", DataType::fp16},
                        {"float16", DataType::fp16},        {"<double", DataType::fp64},
                        {"<float", DataType::fp32},         {"<int", DataType::fp32},
                        {"<long", DataType::fp64},          {"<unsigned char", DataType::int8},
                        {"<signed char", DataType::int8},   {"<bool", DataType::int8}};
  for (const Mark& mark : marks)
    if (mentions(name, mark.text)) return mark.type;
  return std::nullopt;
}

}  // namespace roofline
