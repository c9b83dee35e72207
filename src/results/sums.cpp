#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/layer_sizes.hpp"
#include "model/sizes.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

/// A sum is known only if every part is.
void add_time(std::optional<double>& sum, const std::optional<double>& part) {
  if (sum && part)
    *sum += *part;
  else
    sum.reset();
}

void add_bytes(Bytes& sum, const Bytes& bytes) {
  sum.input = checked_add(sum.input, bytes.input);
  sum.weight = checked_add(sum.weight, bytes.weight);
  sum.output = checked_add(sum.output, bytes.output);
  sum.total = checked_add(sum.total, bytes.total);
}

/// Layers with a measured time which is comparable with none of their passes.
std::uint64_t count_not_compared(const std::vector<LayerResult>& rows) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.size();) {
    bool left_out = false;
    bool compared = false;
    do {
      left_out = left_out || rows[i].measured_left_out;
      compared = compared || rows[i].measured_time_s;
    } while (++i < rows.size() && !rows[i].first_pass);
    if (left_out && !compared) ++count;
  }
  return count;
}

bool reads_another(const LayerResult& row) {
  return std::ranges::any_of(row.input_from, [](const std::string& name) { return !name.empty(); });
}

double beyond(double byte, double cache_byte) { return std::max(0.0, byte - cache_byte); }

/// Certain first reads and last writes: shared weights count once, and of all inputs only the
/// largest, since several layers may read the same one.
double once_byte(const std::vector<LayerResult>& rows) {
  double weights = 0;
  double input = 0;
  double results = 0;
  for (const LayerResult& row : rows) {
    if (row.layer.kind == LayerKind::host_copy || row.counts.is_upper_estimate) continue;
    const Bytes& bytes = row.counts.bytes;
    const auto weight = static_cast<double>(bytes.weight);
    // The second matrix of a product may be another layer's output.
    const bool is_learned = row.layer.kind != LayerKind::matmul || row.layer.inputs[1].is_parameter;
    const bool has_weights = is_learned && !row.layer.shared_weights;
    if (row.first_pass && has_weights) weights += weight;
    if (row.layer.pass != Pass::fwd) continue;
    if (row.is_result) results += static_cast<double>(bytes.output);
    // Casts read weights for another layer.
    if (!reads_another(row) && !row.layer.shared_weights)
      input = std::max(input, streams_of(row.layer, row.counts).read_byte - weight);
  }
  return weights + input + results;
}

/// The least time of a layer with operands and result in cache as far as they fit.
double cached_s(const LayerResult& row, const Ceilings& ceilings, double cache_byte) {
  if (row.counts.is_upper_estimate) return row.point.compute_time_s;
  const Streams streams = streams_of(row.layer, row.counts);
  const double dram_byte =
      beyond(streams.read_byte, cache_byte) + beyond(streams.write_byte, cache_byte);
  return std::max(row.point.compute_time_s, dram_byte / ceilings.bandwidth_byte_per_s);
}

/// Sums over rows, all in the same order, so that rounding keeps sums of smaller parts smaller.
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
    const double least_s =
        is_copy ? row.point.roofline_time_s : cached_s(row, *result.bounds.ceilings, cache_byte);
    sums.cached_s += least_s;
    const bool saves = row.kernel && saves_macs(row.kernel->algorithm);
    sums.without_savings_s += saves ? std::max(time_s(row), least_s) : time_s(row);
  }
  return sums;
}

}  // namespace

std::optional<double> cached_bound_s(const LayerResult& row, const Bounds& bounds) {
  if (!bounds.cache_byte || row.counts.is_upper_estimate) return std::nullopt;
  return cached_s(row, *bounds.ceilings, static_cast<double>(*bounds.cache_byte));
}

double time_s(const LayerResult& row) {
  return row.expected_time_s().value_or(row.point.roofline_time_s);
}

void add_to_total(Total& total, const LayerResult& row) {
  total.macs = checked_add(total.macs, row.counts.macs);
  total.flops = checked_add(total.flops, row.counts.flops);
  if (row.first_pass) {
    total.params = checked_add(total.params, row.counts.params);
    total.buffers = checked_add(total.buffers, row.counts.buffers);
  }
  add_bytes(total.bytes, row.counts.bytes);
  total.compute_time_s += row.point.compute_time_s;
  total.memory_time_s += row.point.memory_time_s;
  total.roofline_time_s += row.point.roofline_time_s;
  add_time(total.expected_time_s, row.expected_time_s());
  add_time(total.measured_time_s, row.measured_time_s);
  total.lost_s += lost_s(row).value_or(0);
  if (row.below_bound == BelowBound::fewer_bytes) total.is_overcounted = true;
  total.time_s += time_s(row);
  if (row.point.bound == Bound::compute) total.compute_bound_part_s += row.point.roofline_time_s;
  if (row.kernel)
    for (const Limiter limiter : enumerators<Limiter>)
      total.part_s[limiter] += row.kernel->part_s[limiter];
}

void add_to_types(std::vector<TypeRow>& types, const LayerResult& row) {
  auto type = std::ranges::find(types, row.layer.kind, &TypeRow::kind);
  if (type == types.end()) type = types.insert(types.end(), {row.layer.kind, 0, {}, 0});
  ++type->rows;
  type->time_share += row.time_share.value_or(0);
  add_to_total(type->total, row);
}

void sum_up(Result& result, const std::optional<Total>& total) {
  if (total)
    result.total = *total;
  else
    for (const LayerResult& row : result.layers) add_to_total(result.total, row);
  result.measured.not_compared = count_not_compared(result.layers);
  const double whole_s = result.total.time_s;
  for (LayerResult& row : result.layers) {
    row.time_share = share_of(time_s(row), whole_s);
    add_to_types(result.types, row);
  }
  std::ranges::stable_sort(result.types, std::greater(), &TypeRow::time_share);
  result.measured.accuracy = score(result.layers);
}

std::optional<std::uint64_t> crossover_batch(const LayerResult& row) {
  const auto batch = static_cast<double>(row.layer.output.batch);
  const bool has_own_count = row.layer.kind == LayerKind::matmul;  // of products, not of images
  const std::uint64_t fixed_byte = has_own_count ? 0 : row.counts.bytes.weight;
  const double ridge = row.point.ridge_flop_per_byte;
  // flops x b >= ridge x (fixed + bytes x b), per image
  const double flops = static_cast<double>(row.counts.flops) / batch;
  const double bytes = static_cast<double>(row.counts.bytes.total - fixed_byte) / batch;
  // Extreme ceilings may have no finite ridge.
  if (row.counts.flops == 0 || !(flops > ridge * bytes)) return std::nullopt;
  const double least = ridge * static_cast<double>(fixed_byte) / (flops - ridge * bytes);
  constexpr double most = 9e15;  // doubles represent whole numbers exactly only below
  if (!(least <= most)) return std::nullopt;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(least)));
}

double compute_bound_share(const Result& result) {
  return share_of(result.total.compute_bound_part_s, result.total.roofline_time_s);
}

std::optional<std::uint64_t> needed_memory_byte(const Result& result) {
  if (!result.memory) return std::nullopt;
  return result.setting.training ? result.memory->training_byte() : result.memory->inference_byte();
}

std::uint64_t reserved_memory_byte(const Gpu& gpu) {
  constexpr std::uint64_t usual = 500'000'000;
  // At most an eighth of a small memory.
  return std::min(gpu.vendor == "AMD" ? 2 * usual : usual, gpu.memory_byte.value_or(0) / 8);
}

std::optional<bool> fits(const Result& result) {
  const auto needed = needed_memory_byte(result);
  if (!needed || !result.setting.gpu_memory_byte) return std::nullopt;
  return checked_add(*needed, result.setting.reserved_memory_byte) <=
         *result.setting.gpu_memory_byte;
}

std::optional<std::uint64_t> cache_byte_of(const Gpu& gpu) {
  if (!gpu.l2_byte) return std::nullopt;
  return checked_add(*gpu.l2_byte, gpu.l3_byte.value_or(0));
}

std::optional<NetworkBounds> network_bounds(const Result& result, CacheState cache) {
  if (std::ranges::none_of(result.layers, reads_another)) return std::nullopt;
  NetworkBounds bounds;
  bounds.compute_bound_s = result.total.compute_time_s;
  if (!result.bounds.cache_byte) return bounds;
  const auto cache_byte = static_cast<double>(*result.bounds.cache_byte);
  const RowSums sums = sums_of(result, cache_byte);
  const double kept_byte = cache == CacheState::warm ? cache_byte : 0;
  const double once_s =
      beyond(once_byte(result.layers), kept_byte) / result.bounds.ceilings->bandwidth_byte_per_s;
  bounds.fused_bound_s = std::max({bounds.compute_bound_s, sums.host_s, once_s});
  bounds.cached_bound_s = std::max(*bounds.fused_bound_s, sums.cached_s);
  if (result.total.expected_time_s < bounds.cached_bound_s)
    bounds.expected_below = sums.without_savings_s < *bounds.cached_bound_s
                                ? BelowBound::in_l2
                                : BelowBound::fewer_macs;
  return bounds;
}

}  // namespace roofline
