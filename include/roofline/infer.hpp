#pragma once

// From what a source says to layers whose shapes are worked out and checked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/network.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// What one input may ask for, so that a small file can fill neither the memory nor the day.
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

/// What is said about layers that do not say it themselves.
struct LayerDefaults {
  DataType dtype = DataType::fp32;
  bool dtype_given = false;  ///< it wins over the types that a model's own tensors have
  /// amp or amp_bf16: what is in fp32 then runs under autocast, casts and all.
  std::optional<DataType> autocast;
  Pass pass = Pass::fwd;
  KernelMapping mapping;                        ///< of contractions of one group that state none
  std::optional<std::uint64_t> batch_override;  ///< wins over the file's batch as well
  /// Of images, in programs that state how their tensors lie; none: as they state it.
  std::optional<Layout> layout;
  /// Values of named dimensions that a model leaves open.
  std::vector<std::pair<std::string, std::uint64_t>> dimensions;
  InputLimits limits;
};

/// What is wrong with asking for a batch of what has its own.
InputError fixed_batch_error(const NetworkSpec& spec, const std::string& wanted);

/// The network's layers with shapes, types, names and every default filled in; repeats expanded.
/// What it returns is valid.
Expected<Network> infer(const NetworkSpec& spec, const LayerDefaults& defaults);

}  // namespace roofline
