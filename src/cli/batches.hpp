#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/batch_search.hpp"

namespace roofline {

/// What --batch asks for.
struct Batches {
  std::vector<std::uint64_t> numbers;
  std::vector<BatchGoal> goals;

  bool empty() const { return numbers.empty() && goals.empty(); }
};

/// Numbers, where "..." between a start and an end goes on as the numbers before it do:
/// 1,2,4,...,1024 doubles and 8,16,24,...,64 adds 8; and the names of goals. Throws UsageError.
Batches parse_batches(const std::vector<std::string>& words);

}  // namespace roofline
