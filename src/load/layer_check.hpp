#pragma once

// One odd layer of a recording must not cost the others.

#include <optional>
#include <string>

#include "roofline/error.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// What is wrong with a layer that stands alone; none where the model takes it.
std::optional<InputError> failure_of(const LayerSpec& layer);
/// Why the model does not take it; none where it does.
std::optional<std::string> refusal(const LayerSpec& layer);

}  // namespace roofline
