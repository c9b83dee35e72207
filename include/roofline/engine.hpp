#pragma once

// Engines: the arithmetic units of a GPU, each with its own peak. The names are the keys of
// `peak_tflops` in GPU files. Peaks are dense; tensor peaks are with fp32 accumulation unless the
// name says otherwise; int4, int8 and dp4a rates count one multiply-add as two operations.

#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

enum class Engine : std::uint8_t {
  fp64,
  fp64_tensor,
  fp32,
  fp32_tensor,  ///< matrix units that multiply true fp32 (AMD CDNA)
  tf32,
  fp16,
  fp16_tensor,
  fp16_tensor_fp16_accumulate,
  bf16,  ///< tensor cores
  bf16_vector,
  fp8,
  fp8_fp16_accumulate,
  int8,  ///< tensor cores
  dp4a,  ///< int8 dot products on the vector units
  int4,  ///< tensor cores
  fp6,   ///< tensor cores, with block scales or without
  fp4,   ///< the same
};

constexpr std::string_view name_of(Engine engine) {
  switch (engine) {
    case Engine::fp64: return "fp64";
    case Engine::fp64_tensor: return "fp64_tensor";
    case Engine::fp32: return "fp32";
    case Engine::fp32_tensor: return "fp32_tensor";
    case Engine::tf32: return "tf32";
    case Engine::fp16: return "fp16";
    case Engine::fp16_tensor: return "fp16_tensor";
    case Engine::fp16_tensor_fp16_accumulate: return "fp16_tensor_fp16_accumulate";
    case Engine::bf16: return "bf16";
    case Engine::bf16_vector: return "bf16_vector";
    case Engine::fp8: return "fp8";
    case Engine::fp8_fp16_accumulate: return "fp8_fp16_accumulate";
    case Engine::int8: return "int8";
    case Engine::dp4a: return "dp4a";
    case Engine::int4: return "int4";
    case Engine::fp6: return "fp6";
    case Engine::fp4: return "fp4";
  }
  return {};
}

/// A rate for each engine that a part has.
using EngineRates = EnumArray<Engine, std::optional<double>>;

constexpr std::optional<double> rate_of(const EngineRates& rates, Engine engine) {
  return rates[engine];
}

}  // namespace roofline
