#include "results/network_bounds.hpp"

#include <algorithm>

#include "kernel/machine/memory_traffic.hpp"
#include "model/sizes.hpp"

namespace roofline {
namespace {

bool reads_another(const LayerResult& row) {
  return std::any_of(row.input_from.begin(), row.input_from.end(),
                     [](const std::string& name) { return !name.empty(); });
}

double beyond(double byte, double cache_byte) { return std::max(0.0, byte - cache_byte); }

/// What a run reads first or leaves last, as far as the rows tell it for sure: weights that layers
/// share count once, and of all inputs the largest, since several layers may read the same one.
double once_byte(const std::vector<LayerResult>& rows) {
  double weights = 0, input = 0, results = 0;
  for (const LayerResult& row : rows) {
    if (row.layer.kind == LayerKind::host_copy) continue;
    const Bytes& bytes = row.counts.bytes;
    const auto weight = static_cast<double>(bytes.weight);
    // The second matrix of a product may be what another layer wrote.
    const bool has_weights = row.layer.kind != LayerKind::matmul && !row.layer.shared_weights;
    if (row.first_pass && has_weights) weights += weight;
    if (row.layer.pass != Pass::fwd) continue;
    if (row.is_result) results += static_cast<double>(bytes.output);
    // Weights that a layer reads to cast them for another one.
    if (!reads_another(row) && !row.layer.shared_weights)
      input = std::max(input, streams_of(row.layer, row.counts).read_byte - weight);
  }
  return weights + input + results;
}

/// The least time of a layer whose operands and result lie in cache as far as they fit.
double cached_s(const LayerResult& row, const Result& result, double cache_byte) {
  const Streams streams = streams_of(row.layer, row.counts);
  const double dram_byte =
      beyond(streams.read_byte, cache_byte) + beyond(streams.write_byte, cache_byte);
  return std::max(row.point.compute_time_s,
                  dram_byte / result.bounds.ceilings.bandwidth_byte_per_s);
}

/// Sums over rows, in their order, so that none rounds above the sum of what its parts are below.
struct RowSums {
  double host_s = 0;
  double cached_s = 0;
  double without_savings_s = 0;  ///< expected, if Winograd and FFT did all MACs
};

RowSums sums_of(const Result& result, double cache_byte) {
  RowSums sums;
  for (const LayerResult& row : result.layers) {
    const bool is_copy = row.layer.kind == LayerKind::host_copy;
    if (is_copy) sums.host_s += row.point.roofline_time_s;
    const double least_s = is_copy ? row.point.roofline_time_s : cached_s(row, result, cache_byte);
    sums.cached_s += least_s;
    const bool saves = row.kernel && saves_macs(row.kernel->algorithm);
    sums.without_savings_s += saves ? std::max(time_s(row), least_s) : time_s(row);
  }
  return sums;
}

}  // namespace

std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu) {
  if (!gpu.l2_byte) return std::nullopt;
  return checked_add(*gpu.l2_byte, gpu.l3_byte.value_or(0));
}

std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache) {
  if (std::none_of(result.layers.begin(), result.layers.end(), reads_another)) return std::nullopt;
  NetworkBounds bounds;
  bounds.compute_bound_s = result.total.compute_time_s;
  if (!result.bounds.cache_byte) return bounds;
  const auto cache_byte = static_cast<double>(*result.bounds.cache_byte);
  const RowSums sums = sums_of(result, cache_byte);
  const double kept_byte = cache == CacheState::warm ? cache_byte : 0;
  const double once_s =
      beyond(once_byte(result.layers), kept_byte) / result.bounds.ceilings.bandwidth_byte_per_s;
  bounds.fused_bound_s = std::max({bounds.compute_bound_s, sums.host_s, once_s});
  bounds.cached_bound_s = std::max(*bounds.fused_bound_s, sums.cached_s);
  if (result.total.expected_time_s < bounds.cached_bound_s)
    bounds.expected_below = sums.without_savings_s < *bounds.cached_bound_s
                                ? BelowBound::in_l2
                                : BelowBound::fewer_macs;
  return bounds;
}

}  // namespace roofline
