#pragma once

// Layers that stream through memory: norms, activations, add, mul, concat, pools, upsampling,
// softmax, layer norm. PyTorch runs each as one kernel of its own (cuDNN's for batch norm), so each
// has a fixed start, a chain of dependent round trips, and a throughput bound by bytes or by the
// instructions that one element costs; index arithmetic makes the latter matter for pools.
//
// Backward rule. dgrad is the whole backward kernel of the layer: it reads the gradient of the
// output and what the forward pass saved, and writes the gradient of the input. wgrad of a norm is
// computed by the same kernel and costs the same; of a layer without parameters it is nothing
// beyond dgrad and is planned as dgrad. add and concat pass gradients through: planned as copies.

#include "kernel/throughput_kernel.hpp"

namespace roofline {

template <class Trace>
KernelPlan streaming_plan(const Layer& layer, const Counts& counts, Engine engine,
                          const ResolvedModel& model, CacheState cache, Trace& trace);

}  // namespace roofline
