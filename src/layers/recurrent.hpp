#pragma once

// LSTM, GRU and RNN as matrix products.

#include <array>
#include <cstdint>

namespace roofline {

/// One layer with all its directions.
struct RecurrentLayer {
  std::uint64_t positions = 1;  ///< steps of all samples
  std::uint64_t features = 1;   ///< of the input
  std::uint64_t state = 1;      ///< of a direction
  std::uint64_t gates = 1;      ///< columns of all gates and directions
};

struct RecurrentProduct {
  const char* part;
  std::uint64_t positions;
  std::uint64_t in_features;
  std::uint64_t out_features;
};

/// All steps together, without their dependence on each other.
constexpr std::array<RecurrentProduct, 2> products_of(const RecurrentLayer& layer) {
  return {{{"input", layer.positions, layer.features, layer.gates},
           {"state", layer.positions, layer.state, layer.gates}}};
}

}  // namespace roofline
