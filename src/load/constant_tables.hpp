#pragma once

// The built-in kernel models with all that they inherit, as the build read them: starting then
// parses none of their files. write_constant_tables.cpp, a step of the build, writes them as C++.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constants.hpp"

namespace roofline {

/// A set of constants taken apart, in the order of its members.
struct ConstantTable {
  std::string_view name;
  std::span<const double> numbers;
  std::string_view texts;  ///< different ones, each before a NUL; `numbers` hold their indices
};

/// All of them; none in the program that writes them.
std::span<const ConstantTable> constant_tables();

ModelConstants constants_of(const ConstantTable& table);

struct PackedConstants {
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

/// What a ConstantTable holds of the set.
PackedConstants packed(ModelConstants constants);

}  // namespace roofline
