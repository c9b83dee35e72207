// What windows read, against a count that looks at every window and tap.

#include "model/window_reads.hpp"

#include <set>

#include "catch.hpp"

using namespace roofline;

namespace {

struct Reads {
  std::uint64_t positions;
  std::uint64_t windows;
  bool operator==(const Reads&) const = default;
};

Reads looked_at_one_by_one(const AxisWindows& axis) {
  std::set<std::uint64_t> positions;
  std::uint64_t windows = 0;
  for (std::uint64_t window = 0; window < axis.windows; ++window) {
    bool reads = false;
    for (std::uint64_t tap = 0; tap < axis.taps; ++tap) {
      const std::uint64_t padded = window * axis.stride + tap * axis.dilation;
      if (padded < axis.pad_begin || padded >= axis.pad_begin + axis.positions) continue;
      positions.insert(padded - axis.pad_begin);
      reads = true;
    }
    if (reads) ++windows;
  }
  return {positions.size(), windows};
}

Reads counted(const AxisWindows& axis) { return {positions_read(axis), windows_reading(axis)}; }

}  // namespace

TEST_CASE("Positions that windows read, of 60,480 windows", "[model/window_reads]") {
  std::size_t wrong = 0;
  AxisWindows axis;
  for (axis.positions = 1; axis.positions <= 12; ++axis.positions)
    for (axis.windows = 1; axis.windows <= 7; ++axis.windows)
      for (axis.taps = 1; axis.taps <= 4; ++axis.taps)
        for (axis.stride = 1; axis.stride <= 6; ++axis.stride)
          for (axis.dilation = 1; axis.dilation <= 6; ++axis.dilation)
            for (axis.pad_begin = 0; axis.pad_begin < 5; ++axis.pad_begin) {
              if (counted(axis) == looked_at_one_by_one(axis)) continue;
              INFO(axis.positions << " positions, " << axis.windows << " windows of " << axis.taps
                                  << ", stride " << axis.stride << ", dilation " << axis.dilation
                                  << ", padding " << axis.pad_begin);
              CHECK(counted(axis) == looked_at_one_by_one(axis));
              REQUIRE(++wrong < 10);
            }
}

TEST_CASE("Positions that windows of 2^31 read, without looking at each", "[model/window_reads]") {
  constexpr std::uint64_t much = std::uint64_t{1} << 31U;
  const struct {
    AxisWindows axis;
    Reads reads;
  } table[] = {
      // positions, windows, taps, stride, dilation, padding
      {{much, much / 2, 1, 2, 1, 0}, {much / 2, much / 2}},
      {{much, 1, 1, much, 1, 0}, {1, 1}},
      {{much, much / 2 + 1, much / 2, 1, 1, 0}, {much, much / 2 + 1}},
      // 0, 3, ... 2^30 - 1 and 2^30 more: 2^30 is 1 modulo 3, so none is in both
      {{much, 357'913'942, 2, 3, much / 2, 0}, {2 * 357'913'942ULL, 357'913'942}},
      // A stride and a dilation without a common divisor: each pair is alone ...
      {{much * 4, 46'000, 46'000, 46'341, 46'337, 0}, {2'116'000'000, 46'000}},
      // ... until windows exceed the dilation and taps the stride: 2001 x 1000 - 1001 x 1
      {{much, 2'001, 1'000, 999, 1'000, 0}, {1'999'999, 2'001}},
      // The input is the last position of the padded 2^31.
      {{1, much, 1, 1, 1, much - 1}, {1, 1}},
      // Taps 2^30 apart, of which the second one of the window at 2^29 is the input alone.
      {{1, much / 2, 2, 1, much / 2, much / 2 + much / 4}, {1, 1}},
  };
  for (const auto& [axis, reads] : table) {
    INFO(axis.windows << " windows of " << axis.taps << ", stride " << axis.stride);
    CHECK(counted(axis).positions == reads.positions);
    CHECK(counted(axis).windows == reads.windows);
  }
}
