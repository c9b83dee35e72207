#pragma once

// The sizes of LSTM, GRU and RNN, from the shapes of a layer.

#include <cstdint>

#include "roofline/layer.hpp"

namespace roofline {

/// A recurrent layer, or several stacked ones, whose rows are all positions of all samples.
struct Recurrence {
  std::uint64_t samples = 1;
  std::uint64_t steps = 1;
  std::uint64_t features = 1;  ///< of the input
  std::uint64_t state = 1;     ///< hidden features of a direction
  std::uint64_t gates = 1;     ///< of a hidden feature
  std::uint64_t directions = 1;
  std::uint64_t layers = 1;
};
Recurrence recurrence_of(const Layer& layer);

}  // namespace roofline
