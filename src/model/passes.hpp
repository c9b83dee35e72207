#pragma once

#include <vector>

#include "roofline/network.hpp"

namespace roofline {

/// The passes in which layer `index` of the network runs, in order. Inference: the layer's own
/// pass, none for layers of training alone. Training: forward, data gradient (not for the first
/// layer of a network: nobody needs the gradient of its input) and weight gradient. A kernel of the
/// run alone (Layer::of_run) has no gradient.
std::vector<Pass> passes_of(const Network& network, std::size_t index, bool training);

}  // namespace roofline
