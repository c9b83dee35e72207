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
  Engine engine;
  EngineClass engine_class;
  double operand_byte;
  /// Required by vector loads, in elements: 16 byte on tensor cores, 4 byte for dp4a.
  std::uint32_t channel_alignment;
  DataType error_type;  ///< representative of the types with similar errors
};

// clang-format off
inline constexpr EngineFacts engine_facts[] = {
    {Engine::fp64,                        EngineClass::vector, 8,     1, DataType::fp32},
    {Engine::fp64_tensor,                 EngineClass::tensor, 8,     2, DataType::fp32},
    {Engine::fp32,                        EngineClass::vector, 4,     1, DataType::fp32},
    {Engine::fp32_tensor,                 EngineClass::tf32,   4,     4, DataType::fp32},
    {Engine::tf32,                        EngineClass::tf32,   4,     4, DataType::tf32},
    {Engine::fp16,                        EngineClass::vector, 2,     1, DataType::fp16},
    {Engine::fp16_tensor,                 EngineClass::tensor, 2,     8, DataType::fp16},
    {Engine::fp16_tensor_fp16_accumulate, EngineClass::tensor, 2,     8, DataType::fp16},
    {Engine::bf16,                        EngineClass::tensor, 2,     8, DataType::fp16},
    {Engine::bf16_vector,                 EngineClass::vector, 2,     1, DataType::fp16},
    {Engine::fp8,                         EngineClass::tensor, 1,    16, DataType::int8},
    {Engine::fp8_fp16_accumulate,         EngineClass::tensor, 1,    16, DataType::int8},
    {Engine::int8,                        EngineClass::tensor, 1,    16, DataType::int8},
    {Engine::dp4a,                        EngineClass::vector, 1,     4, DataType::int8},
    {Engine::int4,                        EngineClass::tensor, 0.5,  32, DataType::int8},
    {Engine::fp6,                         EngineClass::tensor, 0.75, 32, DataType::int8},
    {Engine::fp4,                         EngineClass::tensor, 0.5,  32, DataType::int8},
};
// clang-format on

constexpr const EngineFacts& facts_of(Engine engine) { return engine_facts[index_of(engine)]; }

static_assert(std::ranges::equal(engine_facts, enumerators<Engine>, {}, &EngineFacts::engine));

constexpr bool is_tensor_engine(Engine engine) {
  return facts_of(engine).engine_class != EngineClass::vector;
}

}  // namespace roofline
