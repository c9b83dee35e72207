#pragma once

// What follows from a result's rows.

#include <optional>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// Fills in the total, types, shares and accuracy. Throws OverflowError.
void sum_up(Result& result);

/// Adds a row to those of its type. Throws OverflowError.
void add_to_types(std::vector<TypeRow>& types, const LayerResult& row);

/// What lies between the SMs and device memory.
std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu);

/// The bounds of a result that is summed up; none where no row reads what another one writes.
std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache);

}  // namespace roofline
