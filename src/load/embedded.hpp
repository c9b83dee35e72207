#pragma once

// The files of configs, as texts in the library.

#include <span>
#include <string_view>

namespace roofline {

struct EmbeddedFile {
  std::string_view name;  ///< file name without extension
  /// Names and aliases of a GPU; name and coverage of a kernel model; else empty.
  std::span<const std::string_view> names;
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_gpus();
std::span<const EmbeddedFile> embedded_kernel_models();
std::span<const EmbeddedFile> embedded_networks();

}  // namespace roofline
