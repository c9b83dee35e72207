#pragma once

// Libraries of kernels and their releases.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

enum class KernelLibrary : std::uint8_t { cudnn, pytorch, miopen, onednn };

constexpr std::string_view name_of(KernelLibrary library) {
  switch (library) {
    case KernelLibrary::cudnn: return "cuDNN";
    case KernelLibrary::pytorch: return "PyTorch";
    case KernelLibrary::miopen: return "MIOpen";
    case KernelLibrary::onednn: return "oneDNN";
  }
  return "";
}

/// "9.19": compared number by number. 0.0: unknown, and in a row no limit.
struct Release {
  std::uint16_t major_number = 0;
  std::uint16_t minor_number = 0;

  auto operator<=>(const Release&) const = default;

  constexpr bool is_stated() const { return *this != Release{}; }
  /// The last release before a stated one: before 9.0 the last of 8, whatever its number.
  constexpr Release previous() const {
    Release last = *this;
    if (last.minor_number > 0) {
      --last.minor_number;
    } else {
      --last.major_number;
      last.minor_number = UINT16_MAX;
    }
    return last;
  }
  /// "9.1"; of the last of its major number "8".
  std::string text() const {
    const std::string major = std::to_string(major_number);
    return minor_number == UINT16_MAX ? major : major + '.' + std::to_string(minor_number);
  }
};

/// "9.19", "7"; nullopt for other text.
std::optional<Release> parse_release(std::string_view text);

struct LibraryRelease {
  KernelLibrary library = KernelLibrary::cudnn;
  Release release;

  bool operator==(const LibraryRelease&) const = default;

  /// "cuDNN 9.19"; without a known release "oneDNN".
  std::string text() const {
    const std::string name(name_of(library));
    return release.is_stated() ? name + ' ' + release.text() : name;
  }
};

/// "cudnn8.0", "MIOpen 7.1"; nullopt for other text.
std::optional<LibraryRelease> parse_library_release(std::string_view text);

}  // namespace roofline
