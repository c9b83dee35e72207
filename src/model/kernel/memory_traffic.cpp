#include "model/kernel/memory_traffic.hpp"

#include <algorithm>

namespace roofline {
namespace {

/// Below this working set a cold layer's lines are found in L2 after all: sectors are fetched in
/// groups, and a caller that rotates buffers rarely owns enough tiny ones to flush the cache.
constexpr double cold_ramp_share_of_l2 = 1.0 / 24;

/// Share of a convolution's input that its windows touch: strides past the window skip the rest.
/// With channels innermost pixels are skipped; otherwise whole rows would be, but a row of these
/// layers is shorter than what one access fetches.
double touched_share(const Layer& layer) {
  if (layer.kind != LayerKind::conv || layer.dtypes.input == DataType::fp32) return 1;
  double share = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    share *= std::min(1.0, static_cast<double>(layer.window.kernel[axis]) /
                               static_cast<double>(layer.window.stride[axis]));
  return share;
}

}  // namespace

Streams streams_of(const Layer& layer, const Counts& counts) {
  const double input = static_cast<double>(counts.bytes.input) *
                       (layer.pass == Pass::dgrad ? 1 : touched_share(layer));
  const auto weight = static_cast<double>(counts.bytes.weight);
  const auto output = static_cast<double>(counts.bytes.output);
  switch (layer.pass) {
    case Pass::fwd: return {input + weight, output};
    case Pass::dgrad: return {output + weight, input};
    case Pass::wgrad: return {input + output, weight};
  }
  return {input + weight, output};
}

double resident_share(double working_set_byte, const MemorySystem& memory) {
  const double span = std::max(memory.l2_lost_byte - memory.l2_kept_byte, 1.0);
  return std::clamp((memory.l2_lost_byte - working_set_byte) / span, 0.0, 1.0);
}

Traffic memory_traffic(const Streams& streams, const MemorySystem& memory, CacheState cache,
                       double reread_l2_byte) {
  const double total = streams.read_byte + streams.write_byte;
  Traffic traffic;
  if (cache == CacheState::warm) {
    traffic.missed_share = 1 - resident_share(total, memory);
    traffic.dram_read_byte = streams.read_byte * traffic.missed_share;
    traffic.dram_write_byte = streams.write_byte * traffic.missed_share;
    traffic.l2_byte = total + reread_l2_byte + traffic.dram_read_byte;
    return traffic;
  }
  traffic.dram_read_byte = streams.read_byte;
  // Dirty lines share the cache with the lines read past them, in proportion to the traffic.
  const double room = memory.l2_lost_byte * (total > 0 ? streams.write_byte / total : 0);
  const double waiting =
      total <= memory.l2_lost_byte ? memory.l2_dirty_byte : std::min(memory.l2_dirty_byte, room);
  traffic.dram_write_byte = std::max(0.0, streams.write_byte - waiting);
  traffic.l2_byte = total + reread_l2_byte + traffic.dram_read_byte;
  return traffic;
}

double timed_dram_byte(const Streams& streams, const Traffic& traffic, CacheState cache) {
  const double written = cache == CacheState::cold ? streams.write_byte : traffic.dram_write_byte;
  return traffic.dram_read_byte + written;
}

double l2_time_s(const Streams& streams, const Traffic& traffic, const MemorySystem& memory) {
  // Lines on their way in from device memory do not occupy the path to the SMs.
  const double requested = traffic.l2_byte - traffic.dram_read_byte;
  return std::max(requested / memory.l2_byte_per_s,
                  streams.write_byte / (memory.l2_byte_per_s * memory.l2_write_share));
}

double far_share(const Streams& streams, const MemorySystem& memory, CacheState cache) {
  const double total = streams.read_byte + streams.write_byte;
  if (cache == CacheState::warm) return 1 - resident_share(total, memory);
  return std::min(1.0, total / (cold_ramp_share_of_l2 * memory.l2_size_byte));
}

double round_trip_s(const Streams& streams, const MemorySystem& memory, CacheState cache) {
  return memory.l2_latency_s +
         far_share(streams, memory, cache) * (memory.dram_latency_s - memory.l2_latency_s);
}

}  // namespace roofline
