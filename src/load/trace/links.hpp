#pragma once

// Which operator launched each piece of GPU work, what it ran in, and in which step.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "load/trace/recording.hpp"

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

/// Sorts the recording's operators by thread and start, its activities by start, its calls by
/// correlation, and links them.
Links link_work(Recording& recording);

}  // namespace roofline
