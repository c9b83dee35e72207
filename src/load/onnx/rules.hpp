#pragma once

// What each operator becomes: one row an operator in rules.cpp.

#include "load/onnx/emitter.hpp"

namespace roofline::onnx_graph {

using Rule = void (*)(Emitter&, const Node&);

/// The rule of a node's operator; one that counts its bytes where there is none.
Rule rule_for(const Node& node);

// Products and convolutions (rules_of_products.cpp).
void emit_convolution(Emitter& emitter, const Node& node);
void emit_pool(Emitter& emitter, const Node& node);
void emit_matrix_product(Emitter& emitter, const Node& node);
void emit_einsum(Emitter& emitter, const Node& node);
void emit_attention(Emitter& emitter, const Node& node);
void emit_recurrent(Emitter& emitter, const Node& node);

// Element by element, and norms (rules_of_elements.cpp).
void emit_activation(Emitter& emitter, const Node& node);
void emit_clip(Emitter& emitter, const Node& node);
void emit_combination(Emitter& emitter, const Node& node);
void emit_function(Emitter& emitter, const Node& node);
void emit_batch_norm(Emitter& emitter, const Node& node);
void emit_layer_norm(Emitter& emitter, const Node& node);
void emit_group_norm(Emitter& emitter, const Node& node);

// Moves (rules_of_moves.cpp).
void emit_view(Emitter& emitter, const Node& node);
void emit_copy(Emitter& emitter, const Node& node);
void emit_selection(Emitter& emitter, const Node& node);
void emit_gather(Emitter& emitter, const Node& node);
void emit_split(Emitter& emitter, const Node& node);
void emit_transpose(Emitter& emitter, const Node& node);
void emit_cast(Emitter& emitter, const Node& node);
void emit_quantise(Emitter& emitter, const Node& node);
void emit_dequantise(Emitter& emitter, const Node& node);
void emit_concat(Emitter& emitter, const Node& node);
void emit_resize(Emitter& emitter, const Node& node);
void emit_reduction(Emitter& emitter, const Node& node);
void emit_global_pool(Emitter& emitter, const Node& node);
void emit_bytes(Emitter& emitter, const Node& node);
void emit_without_rule(Emitter& emitter, const Node& node);

}  // namespace roofline::onnx_graph
