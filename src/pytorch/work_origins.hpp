#pragma once

// Which operator launched each piece of GPU work, what it ran in, and in which step.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "pytorch/recording.hpp"

namespace roofline {

inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

/// Where one piece of GPU work comes from.
struct WorkOrigin {
  std::uint32_t operator_index = no_index;  ///< in Recording::operators
  std::uint32_t call_index = no_index;      ///< in Recording::calls
  std::optional<std::size_t> step = {};     ///< in Recording::steps, that launched it
};

struct WorkOrigins {
  std::vector<std::uint32_t> callers;     ///< for each operator, the one around it on its thread
  std::vector<WorkOrigin> of_activities;  ///< for each activity
};

/// Sorts ranges as they nest: by thread and start, what is around others before them.
void sort_ranges(std::vector<HostRange>& ranges);

/// For each of these sorted ranges, the one around it on its thread.
std::vector<std::uint32_t> find_callers(const std::vector<HostRange>& ranges);

/// The innermost range that ran at that time; no_index where none did.
std::uint32_t innermost_at(const std::vector<HostRange>& ranges,
                           const std::vector<std::uint32_t>& callers, std::uint32_t thread,
                           double time_us);

/// Sorts the recording's operators by thread and start, its activities by start and its calls by
/// correlation, and finds where each activity comes from.
WorkOrigins find_origins(Recording& recording);

}  // namespace roofline
