#pragma once

// Batches that depend on the GPU: the largest that fits into its memory, and the one to take.

#include <cstdint>
#include <functional>
#include <string_view>

#include "roofline/context.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/network.hpp"

namespace roofline {

enum class BatchGoal : std::uint8_t {
  max,   ///< the largest batch that fits
  best,  ///< the smallest that is nearly as fast an image as any that fits
};

/// A network at any batch from 1 on.
using NetworkAtBatch = std::function<Expected<Network>(std::uint64_t batch)>;

/// The largest batch that fits is the largest whose needed memory (memory.hpp) is at most the
/// GPU's, all of which counts as free. The best one is of 1, 2, 4, ... and that largest: the
/// smallest from which on, up to the one with the least time an image, this time is within
/// near_best_share of the least. An error where not even one image fits, where nothing grows with
/// the batch, and where the GPU's memory is not known.
Expected<std::uint64_t> find_batch(BatchGoal goal, const NetworkAtBatch& network_at,
                                   const Context& context);

/// By how much the time an image may exceed the least one where a batch is as good as the best.
inline constexpr double near_best_share = 0.05;

}  // namespace roofline
