#pragma once

// Element types of tensors, and the arithmetic units that take them.
//
// Block-scaled types store an 8-bit scale for each block of elements: the OCP Microscaling Formats
// (MX) specification 1.0, 2023, has blocks of 32 elements and powers of two as scales; NVIDIA's
// nvfp4 has blocks of 16 and scales in fp8. nvfp4's fp32 scale for a whole tensor is not counted:
// four bytes a tensor.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

enum class DataType : std::uint8_t {
  fp64,
  fp32,
  tf32,  ///< stored in four bytes, multiplied with a 10-bit mantissa
  fp16,
  bf16,
  fp8,
  int8,
  int32,
  int4,
  fp4,  ///< e2m1
  fp6,  ///< e3m2 or e2m3
  mxfp8,
  mxfp6,
  mxfp4,
  nvfp4,
  // Moved, compared and added: indices, masks, spectra.
  int16,
  int64,
  boolean,
  complex64,
  complex128,
  // Types of whole networks, never of a tensor: PyTorch's autocast to fp16 and bf16.
  amp,
  amp_bf16,
};

struct DataTypeInfo {
  std::string_view name;
  std::uint64_t bits = 0;            ///< of one element, without its share of a scale
  std::uint64_t block_elements = 0;  ///< elements sharing one 8-bit scale; 0: no scales
  std::string_view aliases = "";     ///< frameworks' names, separated by blanks
  /// The first available engine counts: narrow types are widened on loading, only as far as needed.
  std::array<std::optional<Engine>, 4> tensor{};
  Engine vector = Engine::fp32;
  bool computes_in_type = false;  ///< the vector engine computes in the type; else it converts
};

/// A row of the table of types.
constexpr DataTypeInfo row_of(DataType type) {
  using enum Engine;
  switch (type) {
    case DataType::fp64: return {"fp64", 64, 0, "float64 double f64", {fp64_tensor}, fp64, true};
    case DataType::fp32:
      return {"fp32", 32, 0, "float32 float f32 single", {fp32_tensor}, fp32, true};
    case DataType::tf32: return {"tf32", 32, 0, "", {tf32}, fp32};
    case DataType::fp16: return {"fp16", 16, 0, "float16 half f16", {fp16_tensor}, fp16, true};
    case DataType::bf16: return {"bf16", 16, 0, "bfloat16", {bf16}, bf16_vector, true};
    case DataType::fp8: return {"fp8", 8, 0, "e4m3 e5m2 float8_e4m3fn float8_e5m2 f8", {fp8}, fp16};
    case DataType::int8: return {"int8", 8, 0, "s8 i8 qint8", {int8}, dp4a, true};
    case DataType::int32: return {"int32", 32, 0, "s32 i32", {}, fp32, true};
    case DataType::int4: return {"int4", 4, 0, "s4 i4", {int4, int8}, dp4a, true};
    case DataType::fp4: return {"fp4", 4, 0, "", {fp4, fp6, fp8, fp16_tensor}, fp16};
    case DataType::fp6: return {"fp6", 6, 0, "", {fp6, fp8, fp16_tensor}, fp16};
    case DataType::mxfp8: return {"mxfp8", 8, 32, "", {fp8, fp16_tensor}, fp16};
    case DataType::mxfp6: return {"mxfp6", 6, 32, "", {fp6, fp8, fp16_tensor}, fp16};
    case DataType::mxfp4: return {"mxfp4", 4, 32, "", {fp4, fp6, fp8, fp16_tensor}, fp16};
    case DataType::nvfp4: return {"nvfp4", 4, 16, "", {fp4, fp6, fp8, fp16_tensor}, fp16};
    case DataType::int16: return {"int16", 16, 0, "", {}, fp32, true};
    case DataType::int64: return {"int64", 64, 0, "", {}, fp32, true};
    case DataType::boolean: return {"bool", 8, 0, "", {}, fp32, true};
    case DataType::complex64: return {"complex64", 64, 0, "", {}, fp32, true};
    case DataType::complex128: return {"complex128", 128, 0, "", {}, fp32, true};
    case DataType::amp: return {"amp", 32, 0, "autocast"};
    case DataType::amp_bf16: return {"amp-bf16", 32};
  }
  return {};
}

/// The rows, and an empty one for a number that is no enumerator.
inline constexpr auto data_types = [] {
  std::array<DataTypeInfo, count_of<DataType> + 1> rows{};
  for (const DataType type : enumerators<DataType>) rows[index_of(type)] = row_of(type);
  return rows;
}();

constexpr const DataTypeInfo& info(DataType type) {
  return data_types[std::min(index_of(type), count_of<DataType>)];
}

constexpr std::string_view name_of(DataType type) { return info(type).name; }
constexpr std::string_view aliases_of(DataType type) { return info(type).aliases; }

/// Target type of autocast; nullopt for types of tensors.
constexpr std::optional<DataType> autocast_type(DataType type) {
  if (type == DataType::amp) return DataType::fp16;
  if (type == DataType::amp_bf16) return DataType::bf16;
  return std::nullopt;
}

constexpr bool is_tensor_type(DataType type) { return !autocast_type(type); }

/// Whether products take the type; their results, and the operands of other layers, may have any
/// tensor type.
constexpr bool is_operand_type(DataType type) {
  const bool is_moved = type >= DataType::int16 && type <= DataType::complex128;
  return type != DataType::int32 && !is_moved && is_tensor_type(type);
}

constexpr bool is_network_type(DataType type) {
  return is_operand_type(type) || !is_tensor_type(type);
}

/// Bytes of one element without its share of a scale: 0.5 for four bits.
constexpr double element_byte(DataType type) { return static_cast<double>(info(type).bits) / 8; }

}  // namespace roofline
