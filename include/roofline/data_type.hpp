#pragma once

// Element types of tensors. A type says how an element is stored and multiplied; which unit of the
// GPU does the arithmetic is an Engine (engine.hpp).

#include <cstdint>
#include <string_view>

namespace roofline {

/// tf32 is stored as four bytes and multiplied with a 10-bit mantissa: it is not fp32.
/// int32 occurs as the output of int8 layers only.
enum class DataType : std::uint8_t { fp64, fp32, tf32, fp16, bf16, fp8, int8, int32 };

constexpr std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::fp64: return "fp64";
    case DataType::fp32: return "fp32";
    case DataType::tf32: return "tf32";
    case DataType::fp16: return "fp16";
    case DataType::bf16: return "bf16";
    case DataType::fp8: return "fp8";
    case DataType::int8: return "int8";
    case DataType::int32: return "int32";
  }
  return {};
}

/// Bytes of one stored element.
constexpr std::uint64_t size_byte(DataType type) {
  switch (type) {
    case DataType::fp64: return 8;
    case DataType::fp32:
    case DataType::tf32:
    case DataType::int32: return 4;
    case DataType::fp16:
    case DataType::bf16: return 2;
    case DataType::fp8:
    case DataType::int8: return 1;
  }
  return 0;
}

}  // namespace roofline
