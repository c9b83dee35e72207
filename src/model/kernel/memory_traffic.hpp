#pragma once

// What a kernel moves, and how long the memory system needs for it.
//
// Device memory: cold operands are read once. Warm ones are read only as far as the working set
// (everything the kernel touches) outgrows the L2: all of it stays below `l2_kept_byte`, none above
// `l2_lost_byte`, and the share falls linearly between. Results wait in L2 as dirty lines; those
// that neither fit there nor withstand the lines streaming past are written within the kernel.
// Example (H200): reading 103 MB and writing 51 MB cold moves 103 MB and 34 MB; writing 24 MB after
// reading 5 MB moves 5 MB and nothing.
//
// The time of a cold run counts every written byte: what this kernel leaves in L2, the next one
// pushes out, so in a sequence each kernel pays for one result.

#include "model/kernel/memory_system.hpp"
#include "roofline/counts.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

struct Traffic {
  double l2_byte = 0;  ///< as counters see it: requests of the SMs and lines filled from DRAM
  double dram_read_byte = 0;
  double dram_write_byte = 0;
  double missed_share = 1;  ///< of the operands and results, not found in L2 again
};

/// What a pass reads and writes, each tensor once.
struct Streams {
  double read_byte = 0;
  double write_byte = 0;
};

Streams streams_of(const Layer& layer, const Counts& counts);

/// Share of a warm working set that is found again in L2.
double resident_share(double working_set_byte, const MemorySystem& memory);

/// The L2 moves every request and every line filled from device memory: a cold ReLU of 26 MB in and
/// 26 MB out shows 78 MB. `reread_l2_byte`: what tiles fetch from L2 beyond reading each operand
/// once.
Traffic memory_traffic(const Streams& streams, const MemorySystem& memory, CacheState cache,
                       double reread_l2_byte = 0);

/// Bytes that the time of device memory counts.
double timed_dram_byte(const Streams& streams, const Traffic& traffic, CacheState cache);

/// Seconds of the L2 alone.
double l2_time_s(const Streams& streams, const Traffic& traffic, const MemorySystem& memory);

/// Share of a dependent round trip that goes all the way to device memory. Cold operands of tiny
/// layers are charged in proportion to their size: they come with lines that neighbours have
/// already fetched.
double far_share(const Streams& streams, const MemorySystem& memory, CacheState cache);

/// One dependent round trip.
double round_trip_s(const Streams& streams, const MemorySystem& memory, CacheState cache);

}  // namespace roofline
