#pragma once

// Errors of the library, in the words of the command line.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "roofline/error.hpp"

namespace roofline {

/// The command line is wrong or contradicts itself (exit code 2).
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& text, std::string ways_ = "")
      : std::runtime_error(text), ways(std::move(ways_)) {}

  std::string ways;  ///< lines to paste in place of the wrong words; may be empty
};

inline std::string_view hint_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::none:
    case Remedy::layer: break;  // evaluator.cpp prints an example
    case Remedy::gpu: return "roofline gpus lists all";
    case Remedy::network: return "roofline networks lists them";
    case Remedy::batches: return "--batch 1,2,4,...,64";
    case Remedy::dimensions: return "--dim NAME=VALUE";
    case Remedy::limits: return "--raise-limits 2 allows twice as much";
  }
  return "";
}

inline InputError hinted(InputError error) {
  const std::string_view hint = hint_of(std::exchange(error.remedy, Remedy::none));
  if (hint.empty()) return error;
  return {error.source, error.where, error.message + " (" + std::string(hint) + ")"};
}

/// Throws UsageError for an error without a source, else InputError.
[[noreturn]] inline void raise(const InputError& error) {
  const InputError full = hinted(error);
  if (full.source.empty()) throw UsageError(full.what());
  throw full;
}

template <class T>
T unwrap(Expected<T> expected) {
  if (!expected) raise(expected.error());
  return *std::move(expected);
}

}  // namespace roofline
