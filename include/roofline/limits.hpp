#pragma once

// What one input may ask for, so that a small file can fill neither the memory nor the day.

#include <cstdint>
#include <string>

namespace roofline {

struct InputLimits {
  std::uint64_t text_mb = 256;     ///< the longest text in one piece, a document or a record
  std::uint64_t expansion = 200;   ///< bytes that one of gzip gives, beyond the first 64 MB
  std::uint64_t copies = 200'000;  ///< layers that "repeat" adds, all of an input together

  /// All of them so many times.
  InputLimits raised(std::uint64_t factor) const {
    return {text_mb * factor, expansion * factor, copies * factor};
  }
};

/// What is expected of the layers that "repeat" adds.
inline std::string expected_copies(const InputLimits& limits) {
  return "at most " + std::to_string(limits.copies) + " layers by repeat in all";
}

/// What to say of something beyond a limit; Remedy::limits would help.
inline std::string beyond_limit(const std::string& expected) {
  return "expected " + expected + ", got more";
}

}  // namespace roofline
