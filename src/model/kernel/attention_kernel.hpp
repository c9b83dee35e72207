#pragma once

// Fused attention: a block keeps 128 queries of a head and walks the keys in steps of 128
// (backward: 128 keys, walking the queries). Scores never leave the SM, so it moves only its
// operands.
//
//   tiles     heads x blocks of queries x blocks of keys; causal ones only up to the diagonal
//   compute   tiles x 128 x 128 x (FLOP on features in steps of 64 / sustained rate, and clocks a
//             score for exp, maximum and sum) + clocks a block
//   a single query of a head is a read of its keys and values: only bytes count

#include "model/kernel/throughput_kernel.hpp"

namespace roofline {

ThroughputKernel attention_kernel(const Layer& layer, const Counts& counts, Engine engine,
                                  const ResolvedModel& model, CacheState cache);

}  // namespace roofline
