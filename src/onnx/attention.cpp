// Attention, and recurrent layers.

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// Scaled dot-product attention, as Attention (set 23) and MultiHeadAttention state it.
struct AttentionSizes {
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t queries = 1;  ///< positions
  std::int64_t keys = 1;     ///< positions, those of the past included
  std::int64_t head_size = 1;
  std::int64_t value_head_size = 1;
  Sizes result;
};

bool is_packed(const Node& node) { return node.row->domain == microsoft; }

/// com.microsoft's Attention multiplies the input with the weights of all three projections.
std::optional<AttentionSizes> packed_attention(const Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* weights = sizes_at(node, 1);
  const std::int64_t heads = int_attribute(node, "num_heads", 0);
  if (in == nullptr || weights == nullptr || in->size() != 3 || weights->size() != 2 || heads < 1)
    return std::nullopt;
  const std::int64_t width = (*weights)[1] / 3;
  return AttentionSizes{(*in)[0], heads,         heads,         (*in)[1],
                        (*in)[1], width / heads, width / heads, {(*in)[0], (*in)[1], width}};
}

std::optional<AttentionSizes> attention_sizes(const Node& node) {
  if (is_packed(node)) return packed_attention(node);
  const Sizes* q = sizes_at(node, 0);
  const Sizes* k = sizes_at(node, 1);
  const Sizes* v = sizes_at(node, 2);
  if (q == nullptr || k == nullptr || v == nullptr) return std::nullopt;
  AttentionSizes sizes;
  if (q->size() == 4 && k->size() == 4 && v->size() == 4) {  // [batch, heads, positions, size]
    sizes = {(*q)[0], (*q)[1], (*k)[1], (*q)[2], (*k)[2], (*q)[3], (*v)[3], *q};
    sizes.result.back() = sizes.value_head_size;
  } else if (q->size() == 3 && k->size() == 3 && v->size() == 3) {  // [batch, positions, width]
    const std::int64_t heads = int_attribute(node, "num_heads", 0);
    sizes.heads = int_attribute(node, "q_num_heads", heads);
    sizes.kv_heads = int_attribute(node, "kv_num_heads", heads);
    if (sizes.heads < 1 || sizes.kv_heads < 1)
      fail("q_num_heads: expected an integer >= 1", sizes.heads);
    sizes.batch = (*q)[0];
    sizes.queries = (*q)[1];
    sizes.keys = (*k)[1];
    sizes.head_size = (*q)[2] / sizes.heads;
    sizes.value_head_size = (*v)[2] / sizes.kv_heads;
    sizes.result = {sizes.batch, sizes.queries,
                    product_or_throw({sizes.heads, sizes.value_head_size})};
  } else {
    return std::nullopt;
  }
  const Sizes* past = node.domain.empty() ? sizes_at(node, 4) : nullptr;
  if (past != nullptr && past->size() == 4) sizes.keys += (*past)[2];
  return sizes;
}

std::optional<Sizes> result_sizes(Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes) return std::nullopt;
  const auto& [batch, heads, kv_heads, queries, keys, head_size, value_head_size, result] = *sizes;
  const int type = type_at(node, 0);
  set_result(node, 1, {batch, kv_heads, keys, head_size}, type);
  set_result(node, 2, {batch, kv_heads, keys, value_head_size}, type);
  set_result(node, 3, {batch, heads, queries, keys}, type);
  return result;
}

/// Scores of all queries and keys, their softmax, and the sum of the values that they weigh.
void emit_attention(Emitter& emitter, const Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes || !has_elements(node.input(1)) || !has_elements(node.outputs[0]))
    return emit_without_rule(emitter, node);
  Value* result = node.outputs[0];
  const Value* q = node.input(0);
  const Value* k = node.input(1);
  const Value* v = node.input(2);
  if (is_packed(node)) {
    emit_linear(emitter, node, *q, *k, *q->sizes, (*k->sizes)[1], v != nullptr, "qkv");
    emitter.writes(result, Layout::last, false);
    q = k = v = result;
  }
  const std::int64_t products = product_or_throw({sizes->batch, sizes->heads});
  emit_matmul(emitter, node, *q, *k, {products, sizes->queries, sizes->head_size},
              {products, sizes->head_size, sizes->keys}, "scores");
  // The scores stay inside: the result's own fields stand for them until it is written.
  const std::optional<Source> values_source = v->source;
  emitter.writes(result, Layout::matrix);
  LayerSpec& softmax = emitter.add(node, LayerKind::softmax, "softmax");
  softmax.input = OperandSpec{};
  softmax.input->layer = std::to_string(result->source->layer);
  emitter.writes(result, Layout::matrix);
  LayerSpec& mix = emitter.add(node, LayerKind::matmul, "values");
  mix.dtypes.input = emitter.type_of(*result);
  mix.dtypes.weight = emitter.type_of(*v);
  mix.inputs = {Emitter::operand(*result, {products, sizes->queries, sizes->keys}),
                Emitter::operand(*v, {products, sizes->keys, sizes->value_head_size})};
  mix.inputs[1].layer = values_source ? std::to_string(values_source->layer) : std::string();
  for (Value* each : node.outputs) emitter.writes(each, Layout::matrix, false);
}

/// [steps, directions, batch, state], and the last state, of GRUs, LSTMs and simple ones.
std::optional<Sizes> recurrent_sizes(Node& node) {
  const Sizes& x = sizes_of(node, 0);
  const Sizes& recurrent = sizes_of(node, 2);
  if (x.size() != 3 || recurrent.size() != 3) return std::nullopt;
  const std::int64_t directions = recurrent.front();
  const std::int64_t state = recurrent.back();
  const bool batch_first = int_attribute(node, "layout", 0) != 0;
  const Sizes last = batch_first ? Sizes{x[0], directions, state} : Sizes{directions, x[1], state};
  for (std::size_t i = 1; i < node.outputs.size(); ++i) set_result(node, i, last, type_at(node, 0));
  return batch_first ? Sizes{x[0], x[1], directions, state} : Sizes{x[0], directions, x[1], state};
}

/// The gates' products with the inputs and with the state of the step before, all steps together;
/// that the steps wait for each other is not seen.
void emit_recurrent(Emitter& emitter, const Node& node) {
  for (std::size_t i = 0; i < 3; ++i)
    if (!has_elements(node.input(i)) || sizes_of(node, i).size() != 3)
      return emit_without_rule(emitter, node);
  const Sizes& x = sizes_of(node, 0);
  const Sizes& weights = sizes_of(node, 1);
  const std::int64_t rows = product_or_throw({x[0], x[1]});
  const std::int64_t gates = product_or_throw({weights[0], weights[1]});
  const bool bias = node.input(3) != nullptr;
  const auto emit = [&](const Value& operand, const Value& matrix, const char* part) {
    emit_linear(emitter, node, operand, matrix, {rows, matrix.sizes->back()}, gates, bias, part);
    for (Value* result : node.outputs) emitter.writes(result, Layout::last, false);
  };
  emit(*node.input(0), *node.input(1), "input");
  emit(*node.outputs[0], *node.input(2), "state");
}

constexpr Operator attention_rows[] = {
    {.name = "Attention MultiHeadAttention", .sizes = result_sizes, .layer = emit_attention},
    {.name = "Attention", .domain = microsoft, .sizes = result_sizes, .layer = emit_attention},
    {.name = "RotaryEmbedding TensorScatter", .sizes = like_first},
    {.name = "GRU LSTM RNN", .needs = 3, .sizes = recurrent_sizes, .layer = emit_recurrent},
};

}  // namespace

std::span<const Operator> attention_operators() { return attention_rows; }

}  // namespace roofline::onnx_graph
