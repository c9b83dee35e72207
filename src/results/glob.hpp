#pragma once

#include <string_view>

namespace roofline {

/// Whether the whole text fits the pattern, in which * stands for any characters and ? for one.
bool fits_pattern(std::string_view text, std::string_view pattern);

}  // namespace roofline
