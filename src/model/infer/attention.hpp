#pragma once

// Scaled dot-product attention: softmax(Q K^T / sqrt(d)) V in one kernel. Queries are [N, heads,
// length, features]; keys and values may have fewer heads, each shared by several of the queries'.

#include "model/infer/operands.hpp"

namespace roofline {

void infer_attention(const LayerSpec& spec, const LayerScope& scope, Layer& layer);

}  // namespace roofline
