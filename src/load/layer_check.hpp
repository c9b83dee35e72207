#pragma once

// One odd layer of a recording must not cost the others.

#include <optional>
#include <string>

#include "roofline/spec.hpp"

namespace roofline {

/// Why the model does not take a layer that stands alone; none where it does.
std::optional<std::string> refusal(const LayerSpec& layer);

}  // namespace roofline
