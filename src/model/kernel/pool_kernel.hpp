#pragma once

// Max and average pools, forward and backward.

#include "model/kernel/stream_cost.hpp"

namespace roofline {

StreamCost pool(const StreamProblem& problem, const StreamingConstants& constants);

}  // namespace roofline
