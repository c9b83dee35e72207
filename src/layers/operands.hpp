#pragma once

// Operands of several tensors: how they broadcast, and layers known by their bytes alone.

#include <optional>
#include <vector>

#include "load/recording.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// NumPy's rule; nullopt for sizes that contradict. `AnySizes`: a vector of sizes.
template <class AnySizes>
std::optional<AnySizes> broadcast(const std::vector<const AnySizes*>& operands) {
  AnySizes out;
  for (const AnySizes* each : operands) {
    if (each->size() > out.size()) out.insert(out.begin(), each->size() - out.size(), 1);
    for (std::size_t i = 0; i < each->size(); ++i) {
      auto& size = out[out.size() - each->size() + i];
      if (size != (*each)[i] && size != 1 && (*each)[i] != 1) return std::nullopt;
      if (size == 1) size = (*each)[i];
    }
  }
  return out;
}

/// The operands' sizes with one rank, at most a layer's: neighbouring axes are joined if each
/// operand has both or repeats both. nullopt if more are left.
std::optional<std::vector<Sizes>> in_one_rank(std::vector<Sizes> operands);

/// Forgets types of operands that are the layer's.
void drop_usual_types(LayerSpec& spec);

struct WrittenTensor {
  Sizes sizes;
  DataType type;
};
/// Makes it a layer that reads each operand, in its own type, and writes the results; false for
/// empty results.
bool set_traffic(LayerSpec& spec, std::vector<OperandSpec> operands,
                 const std::vector<WrittenTensor>& results);

}  // namespace roofline
