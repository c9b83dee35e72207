#pragma once

#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// The accuracy of each pass and data type that has measured layers.
LayerClass class_of(const Layer& layer);

std::vector<Accuracy> score(const std::vector<LayerResult>& rows);

}  // namespace roofline
