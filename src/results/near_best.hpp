#pragma once

// Which of several batches to take.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace roofline {

/// A network at a batch.
struct TimedBatch {
  std::uint64_t batch = 1;
  double time_per_image_s = 0;
  bool fits = true;
};

/// Indices of batches, by rising batch.
struct NearBest {
  std::size_t best = 0;  ///< least time an image
  std::size_t from = 0;  ///< of it and all up to the best one, it is within near_best_share of that
};

/// Of those that fit; none where none does.
std::optional<NearBest> near_best(std::span<const TimedBatch> batches);

}  // namespace roofline
