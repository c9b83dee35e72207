#pragma once

// A layer's launch in CUDA's words (grid, block, tile), as our mapping.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "load/json.hpp"

namespace roofline {

/// A tile of so many results, in steps of its shorter side, as in tiled products.
std::array<std::uint64_t, 3> tile_of(std::uint64_t rows, std::uint64_t columns);

/// Each thread computes one result unless a tile says otherwise.
class CudaLaunch {
 public:
  /// False for another key. The grid follows from the tile and the sizes.
  bool takes(const Value& member);

  /// {"tile": [16, 16, 16], "threads": 256}; empty without a block and a tile.
  std::string mapping() const;

 private:
  std::vector<std::uint64_t> tile_;
  std::vector<std::uint64_t> block_;
};

}  // namespace roofline
