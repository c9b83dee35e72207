#pragma once

// Sums, means, maxima over some of a tensor's axes, as PyTorch's one kernel for all of them runs
// them (ATen/native/cuda/Reduce.cuh): threads walk along what is reduced, four loads at a time, and
// a block has at most 512 of them. Where few results leave the GPU empty, several blocks share one
// and the last of them to end adds up what the others found.
//
// Worked example: the column sums of 65,536 x 256 in fp32, four columns a thread: 2 x 1024 blocks
// of 32 x 4 threads, 16 elements each, and then 1024 / 4 = 256 partial sums one after the other.

#include "kernel/streaming/stream_problem.hpp"

namespace roofline {

/// Who does what.
struct ReductionGrid {
  double threads = 1;        ///< of a block
  double blocks = 1;         ///< of all results together
  double loads = 1;          ///< of all threads, one after the other where a thread has several
  double steps = 1;          ///< of a thread along its elements, four loads each
  double partial_steps = 0;  ///< of the last block along what others found; 0: a block a result
};

ReductionGrid reduction_grid(const Layer& layer, const Machine& machine);

template <class Trace>
ThroughputWork<NumberOf<Trace>> reduction(const StreamFormulas<Trace>& formulas);

/// Of partial results that another layer's kernel has left in L2.
template <class Trace>
ThroughputWork<NumberOf<Trace>> reduction(const StreamFormulas<Trace>& formulas,
                                          const Layer& partial);

}  // namespace roofline
