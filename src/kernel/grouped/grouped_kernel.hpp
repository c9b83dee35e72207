#pragma once

// Convolutions of several groups, all three passes.
//
// Depthwise (one input channel a group): a direct kernel makes each output from its window, tap by
// tap, on the vector units. Small layers cost the chain of tap loads that nothing hides, large ones
// the larger of memory and multiply-adds. cuDNN (NHWC) has fast kernels for windows of 3, 5 and 7
// and a general, slower one; PyTorch (fp32, NCHW) has its own, whose weight gradient runs one block
// a tap of a channel.
//
// Grouped: in NHWC and with a power of two of channels a group, up to 64, cuDNN packs groups into
// tensor-core tiles and is bound by fetching the window's taps again and again; others are padded
// to one (two layout changes), run group by group, or by one batched launch. In NCHW (fp32) it runs
// group by group or a general direct kernel.
//
// The kernel is the fastest candidate, as autotuning would choose.

#include "kernel/throughput_kernel.hpp"

namespace roofline {

template <class Trace>
KernelPlan grouped_plan(const Layer& layer, const Counts& counts, Engine engine,
                        const ResolvedModel& model, CacheState cache, Trace& trace);

}  // namespace roofline
