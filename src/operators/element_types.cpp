#include "operators/element_types.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "load/recording.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

using enum Elements;

// One name may be in another: "BFloat16" comes before "Float", "int64" before "int".
constexpr ElementType types[] = {
    {"bf16", DataType::bf16, numbers, "bfloat16", 13, 16, "BF16,BFloat16"},
    {"fp16", DataType::fp16, numbers, "half,float16", 6, 10, "FP16,Half"},
    {"fp32", DataType::fp32, numbers, "float", 7, 1, "FP32,Float"},
    {"fp64", DataType::fp64, numbers, "double", 8, 11},
    {"fp8", DataType::fp8, quantised, "float8_e4m3fn", 29, 17, "FP8"},
    {"fp8", DataType::fp8, quantised, "float8_e5m2", 30, 19},
    {"fp8", DataType::fp8, quantised, "float8_e4m3fnuz", 31, 18},
    {"fp8", DataType::fp8, quantised, "float8_e5m2fnuz", 32, 20},
    {"fp8", DataType::fp8, others, "float8_e8m0fnu", 0, 24},
    {"fp4", DataType::fp4, quantised, "float4_e2m1fn_x2", 0, 23},
    {"int4", DataType::int4, quantised, "", 0, 22},
    {"uint4", DataType::int4, quantised, "", 0, 21},
    {"int8", DataType::int8, quantised, "signed char,char,qint8", 2, 3, "Int8,INT8"},
    {"uint8", DataType::int8, quantised, "unsigned char,byte,quint8", 1, 2},
    {"bool", DataType::boolean, others, "", 12, 9, "Bool,BOOL"},
    {"int16", DataType::int16, others, "short int,short", 3, 5},
    {"uint16", DataType::int16, others, "unsigned short", 28, 4},
    {"int64", DataType::int64, others, "long int,long", 5, 7, "Int64,INT64"},
    {"uint64", DataType::int64, others, "unsigned long", 0, 13},
    {"int32", DataType::int32, others, "int,qint32", 4, 6, "Int32,INT32"},
    {"uint32", DataType::int32, others, "unsigned int", 0, 12},
    {"complex64", DataType::complex64, others, "complex<float>,complexfloat", 10, 14},
    {"complex128", DataType::complex128, others, "complex<double>,complexdouble", 11, 15},
};

template <class Fits>
const ElementType* find_where(Fits fits) {
  const auto found = std::ranges::find_if(types, fits);
  return found != std::end(types) ? &*found : nullptr;
}

template <class Fits>
bool any_name(std::string_view names, Fits fits) {
  while (!names.empty())
    if (fits(take(names, ','))) return true;
  return false;
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  if (name.starts_with("c10::")) name.remove_prefix(5);
  const std::string lower = lower_case(name);
  return find_where([&](const ElementType& type) {
    return type.name == lower ||
           any_name(type.pytorch, [&](std::string_view each) { return each == lower; });
  });
}

const ElementType* element_type_in_program(std::uint64_t number) {
  if (number == 0) return nullptr;
  return find_where([&](const ElementType& type) { return type.program == number; });
}

const ElementType* element_type_in_onnx(std::int64_t number) {
  if (number == 0) return nullptr;
  return find_where([&](const ElementType& type) { return type.onnx == number; });
}

const ElementType* element_type_in_tensorrt(std::string_view format) {
  return find_where([&](const ElementType& type) {
    return any_name(type.tensorrt, [&](std::string_view word) { return mentions(format, {word}); });
  });
}

std::optional<DataType> element_type_of_kernel(std::string_view name, DataType half) {
  const std::pair<std::string_view, DataType> marks[] = {
      {"OpaqueType<1u>", DataType::int8}, {"OpaqueType<2u>", half},
      {"OpaqueType<4u>", DataType::fp32}, {"OpaqueType<8u>", DataType::int64},
      {"BFloat16", DataType::bf16},       {"c10::Half", DataType::fp16},
      {"float16", DataType::fp16}};
  for (const auto& [mark, type] : marks)
    if (mentions(name, {mark})) return type;
  const std::string lower = lower_case(name);
  const auto is_argument = [&](std::string_view type) {
    return mentions(lower, {"<" + std::string(type)});
  };
  const ElementType* type = find_where([&](const ElementType& each) {
    return any_name(each.pytorch, is_argument) || is_argument(each.name);
  });
  return type != nullptr ? std::optional(type->type) : std::nullopt;
}

}  // namespace roofline
