#pragma once

// What rows are put in order by, best or largest first.

#include <cstdint>
#include <string_view>

namespace roofline {

enum class SortBy : std::uint8_t {
  time,
  flops,
  bytes,
  intensity,
  lost,    ///< measured time beyond the bound
  error,   ///< distance of the expected time from the measured one
  energy,  ///< an image's; on one GPU as time
  cost,    ///< an image's; on one GPU as time
};

constexpr std::string_view name_of(SortBy key) {
  switch (key) {
    case SortBy::time: return "time";
    case SortBy::flops: return "flops";
    case SortBy::bytes: return "bytes";
    case SortBy::intensity: return "intensity";
    case SortBy::lost: return "lost";
    case SortBy::error: return "error";
    case SortBy::energy: return "energy";
    case SortBy::cost: return "cost";
  }
  return {};
}

/// Whether the key tells GPUs, types and batches apart that do the same work.
constexpr bool ranks_points(SortBy key) {
  return key == SortBy::time || key == SortBy::energy || key == SortBy::cost;
}

}  // namespace roofline
