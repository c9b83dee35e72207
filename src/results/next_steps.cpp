#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "results/explanation.hpp"

namespace roofline {
namespace {

/// Whether a kernel can compute several outputs with what it loads once: not of a matrix-vector
/// product, whose weights serve one output each, nor of work by element.
bool can_reuse_loads(const LayerResult& row) {
  double loaded = 0;
  for (const Operand& operand : row.layer.inputs)
    loaded += static_cast<double>(elements(operand.shape));
  constexpr double twice = 2;
  return static_cast<double>(row.counts.macs) >
         twice * std::max(loaded, static_cast<double>(row.counts.params));
}

}  // namespace

std::vector<std::string> next_steps(const LayerResult& row) {
  constexpr double near = 0.7;
  constexpr double half_way = 0.4;
  if (!row.measured_time_s || row.below_bound || !(*row.measured_time_s > 0)) return {};
  const double share_of_peak = row.point.compute_time_s / *row.measured_time_s;
  const double share_of_bandwidth = row.point.memory_time_s / *row.measured_time_s;
  const double most = std::max(share_of_peak, share_of_bandwidth);
  const bool is_peak = share_of_peak > share_of_bandwidth;
  if (most >= near)
    return {is_peak ? "the peak is near: a faster engine or fewer FLOP are left"
                    : "memory's roof is near: move fewer bytes, or fuse the next layer"};
  std::string where = "neither roof is near, so latency or instructions take the time:";
  if (most >= half_way)
    where = concat(number_text(100 * most, 3), "% of the ", is_peak ? "peak" : "bandwidth",
                   " is reached; for the rest");
  if (can_reuse_loads(row))
    return {std::move(where),
            "compute more outputs a thread, as what is loaded then serves several"};
  return {std::move(where), "load 16 bytes a thread, neighbours by neighbouring threads, and",
          "several before the first is used: more bytes under way"};
}

}  // namespace roofline
