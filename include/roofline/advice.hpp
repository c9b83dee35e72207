#pragma once

// Changes to a layer and what the models make of each.

#include <string>
#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

struct Advice {
  std::string change;            ///< "batch 8 in place of 1"
  std::optional<double> time_s;  ///< of as much work as before; none where it all but vanishes
  double speedup = 1;            ///< over the layer as it is; 0 where time_s is absent
};

/// Those that gain 5 % or more, under the same ceilings as the row.
std::vector<Advice> advise(const LayerResult& row, const Result& result, const Context& context);

}  // namespace roofline
