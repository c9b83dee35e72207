#pragma once

// Layer and RMS norms as PyTorch runs them (ATen/native/cuda/layer_norm_kernel.cu). Forward and for
// the input's gradient, blocks of 128 threads have a row each and walk over it twice, for its sums
// and for its results. With few resident blocks little hides what a row takes; with many, and long
// rows, the second walk finds nothing in L2.
//
// The parameters' gradients are sums over the rows. A block of 32 columns walks down all rows, 256
// at a time where there are that many, and so 32 columns of them keep a single SM busy. Above
// 65,536 rows, blocks share the columns, and reductions add up what each has found.
//
// Worked example (H100): 8,192 rows of 768 in fp16 are 24 blocks that take 32 steps of 256 rows,
// 0.8 us each, on 24 of 132 SMs, longer than the gradient of the input on all of them.

#include <vector>

#include "kernel/streaming/stream_problem.hpp"

namespace roofline {

template <class Trace>
std::vector<ThroughputWork<NumberOf<Trace>>> layer_norm(const StreamFormulas<Trace>& formulas);

}  // namespace roofline
