#pragma once

// Max and average pools, forward and backward.

#include "model/kernel/streaming/stream_problem.hpp"

namespace roofline {

template <class Trace>
ThroughputWork<NumberOf<Trace>> pool(const StreamFormulas<Trace>& formulas);

}  // namespace roofline
