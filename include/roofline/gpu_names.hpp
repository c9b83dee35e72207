#pragma once

// The names that a GPU answers to.

#include <string>
#include <string_view>

#include "roofline/gpu.hpp"

namespace roofline {

/// Whether the GPU's name or one of its aliases is this one, whatever the case.
bool answers_to(const Gpu& gpu, std::string_view name);

}  // namespace roofline
