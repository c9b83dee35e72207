#pragma once

// Max and average pools, forward and backward.

#include "model/kernel/stream_problem.hpp"

namespace roofline {

ThroughputWork pool(const StreamProblem& problem, const StreamingConstants& constants);

}  // namespace roofline
