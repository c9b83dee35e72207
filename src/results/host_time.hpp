#pragma once

// The host of an eager step: what each operator takes it, and where the GPU waits for it.

#include <vector>

#include "roofline/analysis.hpp"

namespace roofline {

/// What starts the layer's kernels; eager, with the host time of its operator.
Launch launch_of(const Layer& layer, const Network& network, const Context& context);

/// A record's kernel is alone: the host cannot run ahead of it.
bool host_runs_ahead(const Network& network, const Launch& launch);

/// The host waits for no kernel, and a kernel for the host only where the GPU has worked off all
/// that was launched before. The waits are the launch part of the rows behind them, and so is what
/// a stream takes from kernel to kernel.
void let_host_run_ahead(std::vector<LayerResult>& rows, const Context& context,
                        const Network& network);

}  // namespace roofline
