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

struct Links {
  std::vector<std::uint32_t> callers;  ///< of each operator, the one around it on its thread
  std::vector<WorkOrigin> origins;     ///< of each activity
};

/// By thread and start, what is around others before them: the order in which ranges nest.
void sort_ranges(std::vector<HostRange>& ranges);

/// Of each range, which are sorted, the one around it on its thread.
std::vector<std::uint32_t> find_callers(const std::vector<HostRange>& ranges);

/// The innermost range that had begun at that time and had not ended; no_index where none had.
std::uint32_t innermost_at(const std::vector<HostRange>& ranges,
                           const std::vector<std::uint32_t>& callers, std::uint32_t thread,
                           double time_us);

/// Sorts the recording's operators by thread and start, its activities by start, its calls by
/// correlation, and links them.
Links link_work(Recording& recording);

}  // namespace roofline
