#pragma once

#include <optional>

#include "roofline/analysis.hpp"

namespace roofline {

/// What lies between the SMs and device memory.
std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu);

/// Of a result that is summed up; none where no row reads what another one writes.
std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache);

}  // namespace roofline
