#pragma once

#include <string>
#include <vector>

#include "roofline/layer.hpp"

namespace roofline {

/// Layers in the order in which they run. Operand::producer always names an earlier layer.
struct Network {
  std::string name;
  std::string source;  ///< the file, "-" or the built-in name it came from
  std::vector<Layer> layers;
};

}  // namespace roofline
