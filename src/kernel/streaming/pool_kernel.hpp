#pragma once

// Max and average pools, forward and backward, as PyTorch runs them.
//
// Backward, each element of the input looks into every window that covers it: at most
// ceil(kernel / stride) an axis. A max pool compares the position that each of them kept. In NCHW a
// thread has an element of a plane, in NHWC threads of a block of channels, columns and rows make
// several in turn; partly filled warps and blocks take as long as full ones. Where windows do not
// overlap, a max pool in NHWC writes only where a maximum was, into what a kernel before it has
// cleared.

#include <vector>

#include "kernel/streaming/stream_problem.hpp"

namespace roofline {

template <class Trace>
std::vector<ThroughputWork<NumberOf<Trace>>> pool(const StreamFormulas<Trace>& formulas);

}  // namespace roofline
