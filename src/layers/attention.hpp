#pragma once

// Scaled dot-product attention as a layer.

#include <optional>

#include "load/recording.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Queries, keys or values [..., length, features] as [N, heads, length, features]; one head for a
/// tensor of three axes. nullopt for fewer than two axes.
std::optional<Sizes> as_heads(const Sizes& sizes);

/// Of the stated operands. With a past, queries are the last positions; else the first.
void set_causal(LayerSpec& spec, bool has_past);

}  // namespace roofline
