#pragma once

// The parts of a JSON Pointer.

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

/// Appends a key; of a very long one only the beginning.
void append_part(std::string& pointer, std::string_view key);
void append_part(std::string& pointer, std::size_t index);

}  // namespace roofline
