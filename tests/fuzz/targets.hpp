#pragma once

// What is fuzzed: every loader, through evaluation, to every output.

#include <span>
#include <string>
#include <string_view>

struct FuzzTarget {
  std::string_view name;
  void (*run)(const std::string& input);
  bool is_protobuf = false;  ///< else text
};

std::span<const FuzzTarget> fuzz_targets();
