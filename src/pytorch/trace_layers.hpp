#pragma once

// The layers of a recording: what its operators' kernels did, folded, and the work that no layer
// stands for.

#include <cstdint>
#include <string>
#include <vector>

#include "load/recording.hpp"
#include "pytorch/folding.hpp"
#include "pytorch/recording.hpp"
#include "pytorch/work_origins.hpp"

namespace roofline {

struct TraceLayers {
  FoldedLayers layers;
  ChainList chains;
  UnmodelledList unmodelled;
  double layout_s = 0;             ///< moving images' channels to the other end, in all steps
  std::vector<std::string> notes;  ///< what was assumed
};

/// Takes activities of one device inside these steps, without transfers, in the order of their
/// starts.
TraceLayers layers_of(const Recording& recording, const WorkOrigins& origins,
                      const std::vector<std::uint32_t>& activities, std::size_t steps);

}  // namespace roofline
