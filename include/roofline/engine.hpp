#pragma once

// Engines: the arithmetic units of a GPU, each with its own peak. The names are the keys of
// `peak_tflops` in GPU files. Peaks are dense; tensor peaks are with fp32 accumulation unless the
// name says otherwise; int8 and dp4a rates count one multiply-add as two operations.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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
};

inline constexpr std::array<std::string_view, 14> engine_names{
    "fp64", "fp64_tensor", "fp32",        "fp32_tensor",
    "tf32", "fp16",        "fp16_tensor", "fp16_tensor_fp16_accumulate",
    "bf16", "bf16_vector", "fp8",         "fp8_fp16_accumulate",
    "int8", "dp4a",
};
inline constexpr std::size_t engine_count = engine_names.size();

constexpr std::string_view name_of(Engine engine) {
  return engine_names[static_cast<std::size_t>(engine)];
}

/// A rate for each engine that a part has.
using EngineRates = std::array<std::optional<double>, engine_count>;

constexpr std::optional<double> rate_of(const EngineRates& rates, Engine engine) {
  return rates[static_cast<std::size_t>(engine)];
}

}  // namespace roofline
