#include "layers/attention.hpp"

namespace roofline {

std::optional<Sizes> as_heads(const Sizes& sizes) {
  constexpr std::size_t axes = 4;
  if (sizes.size() < 2) return std::nullopt;
  Sizes out = sizes;
  while (out.size() < axes) out.insert(out.end() - 2, 1);
  while (out.size() > axes) {
    out[1] *= out[0];
    out.erase(out.begin());
  }
  return out;
}

void set_causal(LayerSpec& spec, bool has_past) {
  constexpr std::size_t length = 2;
  spec.causal = true;
  spec.causal_from_first =
      !has_past && spec.inputs[0].sizes[length] != spec.inputs[1].sizes[length];
}

}  // namespace roofline
