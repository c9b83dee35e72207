#pragma once

// The constants one by one, once: the reader and the writer of kernel model files, --show-model and
// calibration are all made from this list.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constants.hpp"

namespace roofline {

/// What a constant is measured in, and what no constant of that kind can lie outside of.
struct ConstantUnit {
  std::string_view name;
  double least;
  double most;
  /// In the simplest form of a formula: a share of 1, a time of 0, no limit to the bytes in flight
  /// (0). Rates have none.
  std::optional<double> simplest = {};
};

/// Its groups, outermost first, and its key; what is not needed is empty.
using ConstantName = std::array<std::string_view, 4>;

/// "memory/dram_share", as in a JSON Pointer.
std::string path_of(const ConstantName& name);

/// The paths of all constants, in the order of constants_of.
struct ConstantPaths {
  std::vector<std::string> all;
  std::map<std::string_view, std::size_t> index;  ///< of each path in `all`
};
const ConstantPaths& constant_paths();

/// A constant of a set.
template <class Number>
struct ConstantRef {
  ConstantName name;
  const ConstantUnit* unit;
  std::string_view meaning;
  Number* value;
};

std::vector<ConstantRef<double>> constants_of(ConstantValues& values);
std::vector<ConstantRef<const double>> constants_of(const ConstantValues& values);

/// Gives the constants that no file states a value: that of a constant which they are like, as the
/// gradients' kernels are like the forward one, else the simplest. Returns the index of one that
/// has to be stated, where there is any.
std::optional<std::size_t> complete(ModelConstants& constants);

/// The index of an origin in the set, to which it is added where it is new.
std::size_t add_origin(ModelConstants& constants, const std::string& origin);

/// Where a constant of these comes from. `constant` is a member of `constants.values`.
const std::string& origin_of(const ModelConstants& constants, const double& constant);

}  // namespace roofline
