#pragma once

#include <algorithm>
#include <cstdint>

#include "roofline/data_type.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// The set of constants for a dense engine.
enum class EngineClass : std::uint8_t { vector, tensor, tf32 };

struct EngineFacts {
  EngineClass engine_class;
  double operand_byte;
  /// Required by vector loads, in elements: 16 byte on tensor cores, 4 byte for dp4a.
  std::uint32_t channel_alignment;
  DataType error_type;  ///< representative of the types with similar errors
};

// NOLINTBEGIN(bugprone-branch-clone): one row an engine
constexpr EngineFacts facts_of(Engine engine) {
  using Class = EngineClass;
  switch (engine) {
    case Engine::fp64: return {Class::vector, 8, 1, DataType::fp32};
    case Engine::fp64_tensor: return {Class::tensor, 8, 2, DataType::fp32};
    case Engine::fp32: return {Class::vector, 4, 1, DataType::fp32};
    case Engine::fp32_tensor: return {Class::tf32, 4, 4, DataType::fp32};
    case Engine::tf32: return {Class::tf32, 4, 4, DataType::tf32};
    case Engine::fp16: return {Class::vector, 2, 1, DataType::fp16};
    case Engine::fp16_tensor: return {Class::tensor, 2, 8, DataType::fp16};
    case Engine::fp16_tensor_fp16_accumulate: return {Class::tensor, 2, 8, DataType::fp16};
    case Engine::bf16: return {Class::tensor, 2, 8, DataType::fp16};
    case Engine::bf16_vector: return {Class::vector, 2, 1, DataType::fp16};
    case Engine::fp8: return {Class::tensor, 1, 16, DataType::int8};
    case Engine::fp8_fp16_accumulate: return {Class::tensor, 1, 16, DataType::int8};
    case Engine::int8: return {Class::tensor, 1, 16, DataType::int8};
    case Engine::dp4a: return {Class::vector, 1, 4, DataType::int8};
    case Engine::int4: return {Class::tensor, 0.5, 32, DataType::int8};
    case Engine::fp6: return {Class::tensor, 0.75, 32, DataType::int8};
    case Engine::fp4: return {Class::tensor, 0.5, 32, DataType::int8};
  }
  return {Class::vector, 0, 0, DataType::fp32};
}
// NOLINTEND(bugprone-branch-clone)

static_assert(std::ranges::all_of(enumerators<Engine>, [](Engine engine) {
  return facts_of(engine).operand_byte > 0;  // it has a row
}));

constexpr bool is_tensor_engine(Engine engine) {
  return facts_of(engine).engine_class != EngineClass::vector;
}

}  // namespace roofline
