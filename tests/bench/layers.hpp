#pragma once

// Made-up layers: of many kinds and sizes, the same in every run.

#include <cstddef>
#include <string>

namespace bench {

/// The i-th of them as JSON, on one line.
std::string layer(std::size_t i);

/// So many of them, a line each. Of a hundred lines `bad_percent` cannot be evaluated.
std::string lines(std::size_t count, std::size_t bad_percent = 0);

/// One array.
std::string array(std::size_t count);

}  // namespace bench
