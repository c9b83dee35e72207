#pragma once

// Group norms, forward and backward, as PyTorch runs them: channel by channel in NCHW. Forward, a
// block walks each group for its mean and deviation, and a second pass over the image scales it.
// Backward, a block walks each channel of an image for the two sums that the gradient needs, a
// second pass makes it, and a thread a channel adds up the parameters' gradients over the images.

#include "kernel/streaming/stream_problem.hpp"

namespace roofline {

template <class Trace>
ThroughputWork<NumberOf<Trace>> group_norm(const StreamFormulas<Trace>& formulas);

}  // namespace roofline
