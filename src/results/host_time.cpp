#include "results/host_time.hpp"

#include <algorithm>
#include <vector>

#include "model/layer_kind.hpp"

namespace roofline {
namespace {

// Shares are those of Gpu::host_operator_s, as KindInfo::host_share.

/// Share of a kernel that another operator launches too, such as a cast or a bias: 8 us of 23, from
/// eager times of eleven networks with and without autocast (PyTorch 2.11, beside an H200). In
/// training it takes all.
constexpr double part_share = 0.35;
/// Share of each kernel after an operator's first: 6.3 us of 25 to 30, from the eager step in fp16
/// of a network with 648 of them beside an H100, which layout copies of convolutions bear out.
constexpr double further_kernel_share = 0.25;

/// Gap from kernel to kernel in a stream beyond that of a graph: medians of 1.7 and 1.8 us of 31
/// eager steps in which the GPU never waits for the host (PyTorch 2.11, an H100 and an H200), less
/// their start.
constexpr double stream_gap_s = 1.5e-6;

bool is_part(const Layer& layer, const Network& network) {
  const bool is_cast = layer.kind == LayerKind::copy && layer.dtypes.input != layer.dtypes.output;
  return (layer.is_inserted && layer.kind != LayerKind::attention) || (is_cast && network.autocast);
}

/// PyTorch's batch norm for inference makes means and deviations of parameters in 16 bits by two
/// kernels, which the time of its kernel for channels last holds.
bool hides_two_kernels(const Layer& layer) {
  return layer.kind == LayerKind::batch_norm && layer.pass == Pass::fwd &&
         !layer.batch_statistics && info(layer.dtypes.weight).bits == 16 &&
         layout_of(layer) == Layout::nhwc;
}

double host_share(const Layer& layer, const Network& network, const Context& context) {
  if (is_part(layer, network) && !context.options.training) return part_share;
  return info(layer.kind).host_share + (hides_two_kernels(layer) ? 2 * further_kernel_share : 0);
}

}  // namespace

Launch launch_of(const Layer& layer, const Network& network, const Context& context) {
  Launch launch = launch_of(network.runs_as, context);
  launch.host_kernel_s = further_kernel_share * launch.host_operator_s;
  launch.host_operator_s *= host_share(layer, network, context);
  return launch;
}

bool host_runs_ahead(const Network& network, const Launch& launch) {
  return launch.protocol == LaunchProtocol::eager && !network.record;
}

void let_host_run_ahead(std::vector<LayerResult>& rows, const Context& context,
                        const Network& network) {
  if (!host_runs_ahead(network, launch_of(network.runs_as, context))) return;
  double host_s = 0;  // when the host has launched the rows so far
  double gpu_s = 0;   // when the GPU has run them
  for (LayerResult& row : rows) {
    if (!row.kernel) continue;
    KernelPlan& plan = *row.kernel;
    const Launch launch = launch_of(row.layer, network, context);
    const auto kernels = std::max(1.0, static_cast<double>(plan.kernels));
    const double gaps_s = stream_gap_s * kernels;
    const double busy_s = plan.expected_time_s() + gaps_s;
    const double operator_s = host_time_s(plan, launch);
    const double first_kernel_s = host_s + operator_s / kernels;
    host_s += operator_s;
    const double unhindered_s = gpu_s + busy_s;
    gpu_s = std::max({unhindered_s, first_kernel_s + busy_s, host_s + busy_s / kernels});
    const double wait_s = gpu_s - unhindered_s;
    plan.part_s[Limiter::launch] += gaps_s + wait_s;
    if (launch.is_assumed) row.assumed_host_s = wait_s > 0 ? plan.part_s[Limiter::launch] : 0;
    if (!row.other_tuning_s) continue;
    *row.other_tuning_s += gaps_s;
    if (wait_s > 0) row.other_tuning_s = std::max(*row.other_tuning_s, plan.expected_time_s());
  }
}

}  // namespace roofline
