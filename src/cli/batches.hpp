#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roofline {

/// The numbers of --batch, where "..." between a start and an end goes on as the numbers before it
/// do: 1,2,4,...,1024 doubles and 8,16,24,...,64 adds 8. Throws UsageError.
std::vector<std::uint64_t> parse_batches(const std::vector<std::string>& words);

}  // namespace roofline
