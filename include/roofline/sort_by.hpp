#pragma once

// What rows are put in order by, best or largest first.

#include <cstdint>
#include <string_view>

#include "roofline/enumeration.hpp"

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

/// Whether the key tells GPUs, types and batches apart that do the same work.
constexpr bool ranks_points(SortBy key) {
  return key == SortBy::time || key == SortBy::energy || key == SortBy::cost;
}

}  // namespace roofline
