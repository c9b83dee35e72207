#pragma once

#include <cstdint>

namespace roofline {

/// Of JSON and NDJSON: raised when a key changes its meaning or goes.
inline constexpr std::uint64_t schema_version = 2;

}  // namespace roofline
