#pragma once

// The constants one by one: the reader and the writer of kernel model files, --show-model and
// calibration are all made from this table.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernel/constants.hpp"

namespace roofline {

struct ConstantField {
  std::string_view path;  ///< "memory/dram_share", as in a JSON Pointer
  std::string_view unit;
  double least;  ///< what no constant in this unit can lie outside of
  double most;
  /// In the simplest form of a formula: a share of 1, a time of 0, no limit to the bytes in flight
  /// (0). Rates have none.
  std::optional<double> simplest;
  std::string_view meaning;

  std::string_view key() const { return path.substr(path.rfind('/') + 1); }
  std::string_view group() const { return path.substr(0, path.rfind('/')); }
};

/// In the order of numbers_of().
std::span<const ConstantField, constant_count> constant_fields();

/// A set's values as a list.
std::span<double, constant_count> numbers_of(ConstantValues& values);
std::span<const double, constant_count> numbers_of(const ConstantValues& values);

/// "memory.dram_share", as on the command line.
std::string dotted(std::string_view path);

/// Gives the constants that no file states a value: that of a constant which they are like, as the
/// gradients' kernels are like the forward one, else the simplest. Returns the index of one that
/// has to be stated, where there is any.
std::optional<std::size_t> complete(ModelConstants& constants);

/// The index of an origin in the set, to which it is added where it is new.
std::size_t add_origin(ModelConstants& constants, const std::string& origin);

/// Where a constant of these comes from. `constant` is a member of `constants.values`.
const std::string& origin_of(const ModelConstants& constants, const double& constant);

}  // namespace roofline
