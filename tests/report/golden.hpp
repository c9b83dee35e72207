#pragma once

// Approved outputs, and the wish to approve others.

#include <cstdlib>
#include <string>

constexpr const char* golden_folder = ROOFLINE_SOURCE_FOLDER "/tests/golden/";

/// Whether the approved files are to be written rather than compared.
inline bool updating() {
  const char* update = std::getenv("ROOFLINE_UPDATE_GOLDEN");
  return update != nullptr && std::string(update) == "1";
}
