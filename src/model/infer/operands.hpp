#pragma once

// Where a layer's operands come from: its own sizes, an earlier layer, or a parameter.

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/infer/axes.hpp"
#include "roofline/infer.hpp"

namespace roofline {

/// The layers of a network by the names that its source gives them.
class LayerNames {
 public:
  /// A layer of that name whose copies are `first`, `first` + 1, ...
  void add(const std::string& name, std::size_t first, std::size_t copies);
  /// The layer that copy `copy` of a layer of `copies` reads under that name: the same copy of a
  /// layer repeated as often, else the last one. Fails with the nearest name.
  std::size_t find(const std::string& name, std::size_t copy, std::size_t copies,
                   std::string_view field, const std::vector<std::size_t>& index) const;

 private:
  struct Entry {
    std::size_t first;
    std::size_t copies;
    bool ambiguous;
  };
  /// Of all entries, side by side, so that they leave no gaps between layers when they are gone.
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<std::string, Entry> entries_{&memory_};
};

/// What a layer may refer to beside what is stated of itself.
struct LayerScope {
  const NetworkSpec& network;
  const LayerDefaults& defaults;
  const std::vector<Layer>& layers;  ///< that come before
  const LayerNames& names;
  std::size_t previous_copies = 0;  ///< of the layer before; 0: there is none
  std::size_t copy = 0;             ///< which one of this layer, and of how many
  std::size_t copies = 1;
};

/// The one operand of a layer that has one. `rank` as in ShapeForm.
Operand infer_operand(const LayerSpec& spec, const LayerScope& scope,
                      std::optional<std::uint8_t> rank);

/// The operands of add, mul, concat and the like, or those fused into a kernel, that the layer
/// states in `field`. `rank` as in ShapeForm.
std::vector<Operand> infer_operands(const std::vector<OperandSpec>& stated, std::string_view field,
                                    const LayerSpec& spec, const LayerScope& scope,
                                    std::optional<std::uint8_t> rank = std::nullopt);

/// The batch that the layer states or takes from its network or the command line. `shape_batch` is
/// the one its shape states, if any.
std::uint64_t infer_batch(const LayerSpec& spec, const LayerScope& scope,
                          std::optional<std::uint64_t> shape_batch);

}  // namespace roofline
