#pragma once

// What if a GPU had another bandwidth, more SMs, a larger L2: one of its fields set for a run.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// "bandwidth=4TB/s", "l2=50MiB", "sms=x2", "clock=+10%", "fp16_tensor=400TFLOP/s".
struct GpuSetting {
  std::string text;              ///< as it was given
  std::string name;              ///< the field's short name; of an engine "peak"
  std::optional<Engine> engine;  ///< whose peak is set; absent: all engines'
  bool is_factor = false;        ///< value multiplies what the GPU has
  double value = 0;              ///< else in base units
};

/// The short names: "sms, clock, ...".
std::string settable_gpu_fields();

/// A field by its short name or the name that GPU files have; a number with its unit, for a file's
/// name without one in that of the file, or a factor. An error says what was expected.
Expected<GpuSetting> parse_gpu_setting(std::string_view text);

/// The part as it would be: its name says what was set, Gpu::changes from what to what. Peaks
/// follow the number of SMs and the clock unless they are set themselves, and what was measured of
/// the part follows what its datasheet says. The power limit stays. An error where a factor is of
/// something that the GPU does not state, or an engine is none of its own.
Expected<Gpu> with_settings(Gpu gpu, std::span<const GpuSetting> settings);

}  // namespace roofline
