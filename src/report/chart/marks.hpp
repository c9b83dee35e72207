#pragma once

// Fewer marks where there are many: what takes no time is left out, what stands on one spot is one.

#include <cstddef>
#include <vector>

#include "report/chart/chart.hpp"

namespace roofline {

/// What was left out.
struct Thinned {
  std::size_t count = 0;
  double share = 0;  ///< of the time
};

/// Of a plot with logarithmic axes. Few marks stay as they are; marks on one spot are one where
/// `joins` says so.
Thinned thin(std::vector<Mark>& marks, bool joins);

/// Up to `most` labels stay, those of marks that take longest, and with them what is drawn beside
/// their marks.
void stress(std::vector<Mark>& marks, std::size_t most);
inline constexpr std::size_t most_stressed = 10;
inline constexpr std::size_t most_stressed_of_many = 6;  ///< of several GPUs

/// What the dots and small marks beside them are.
void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks);

/// The marks' indices, those that take longest first.
std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks);

}  // namespace roofline
