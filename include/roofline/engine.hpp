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

/// A rate for each engine that a part has.
using EngineRates = EnumArray<Engine, std::optional<double>>;

constexpr std::optional<double> rate_of(const EngineRates& rates, Engine engine) {
  return rates[engine];
}

}  // namespace roofline
