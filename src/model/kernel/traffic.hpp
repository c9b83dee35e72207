#pragma once

// What a kernel moves to and from device memory. A simple version: each operand is read once,
// except that warm operands stay in L2 as far as they fit beside the result; a result that fits in
// L2 is not written back within the kernel (h200_counters.csv). The better function replaces this
// one.

#include <algorithm>

#include "roofline/kernel.hpp"

namespace roofline {

struct ResidentTraffic {
  double dram_read_byte = 0;
  double dram_write_byte = 0;
};

/// `usable_l2_byte`: the part of L2 that data survives in.
inline ResidentTraffic traffic(double read_byte, double write_byte, double usable_l2_byte,
                               CacheState cache) {
  const double total = read_byte + write_byte;
  // Share of the data that finds itself again in L2: all below its size, none above 1.4 times that.
  const double kept =
      usable_l2_byte > 0 ? std::clamp((1.4 - total / usable_l2_byte) / 0.4, 0.0, 1.0) : 0.0;
  const double kept_write =
      usable_l2_byte > 0 ? std::clamp((1.4 - write_byte / usable_l2_byte) / 0.4, 0.0, 1.0) : 0.0;
  return {cache == CacheState::warm ? read_byte * (1 - kept) : read_byte,
          write_byte * (1 - (cache == CacheState::warm ? kept : kept_write))};
}

}  // namespace roofline
