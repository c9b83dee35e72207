// Attention: ONNX's own, and ONNX Runtime's of several heads and of grouped queries.

#include <algorithm>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// Where an operator has its arguments behind queries, keys and values.
struct Form {
  std::size_t past;  ///< of the keys; that of the values follows
  std::size_t mask;
  std::size_t mask_of_keys;
  const char* causal;  ///< the attribute; null: always
};
constexpr Form onnx_form{4, 3, 3, "is_causal"};
constexpr Form multi_head_form{6, 5, 4, "unidirectional"};
constexpr Form grouped_query_form{3, 10, 10, nullptr};

const Form& form_of(const Node& node) {
  if (node.domain.empty()) return onnx_form;
  return node.op == "MultiHeadAttention" ? multi_head_form : grouped_query_form;
}

/// Each [batch, heads, positions, features]; keys and values include the past ones.
struct AttentionSizes {
  Sizes queries;
  Sizes keys;
  Sizes values;
  Sizes result;
};

/// A missing operand is in the one before it.
const Value* operand_of(const Node& node, std::size_t index) {
  const Value* given = node.input(index);
  return given != nullptr || index == 0 ? given : operand_of(node, index - 1);
}

/// A tensor without an axis for heads has features of `heads_in_all`; one of five axes is a pack:
/// [batch, positions, heads, tensors, features].
Sizes by_heads(const Sizes& whole, std::int64_t heads, std::int64_t heads_in_all) {
  if (whole.size() == 5) return {whole[0], whole[2], whole[1], whole[4]};
  if (whole.size() == 4) return whole;
  if (std::min(heads, heads_in_all) < 1) fail("num_heads: expected an integer >= 1", heads);
  return {whole[0], heads, whole[1], whole[2] / heads_in_all};
}

/// nullopt for unknown sizes, or sizes of no attention. Throws NodeError.
std::optional<AttentionSizes> attention_sizes(const Node& node) {
  const std::int64_t stated = int_attribute(node, "num_heads", 0);
  const std::int64_t heads = int_attribute(node, "q_num_heads", stated);
  const std::int64_t kv_heads = int_attribute(node, "kv_num_heads", stated);
  for (std::size_t i = 0; i < 3; ++i) {
    const Value* operand = operand_of(node, i);
    if (operand == nullptr || !operand->sizes) return std::nullopt;
    if (operand->sizes->size() < 3 || operand->sizes->size() > 5) return std::nullopt;
  }
  const Sizes& q = *operand_of(node, 0)->sizes;
  const bool is_packed = node.input(1) == nullptr;
  std::int64_t all = 0;
  if (__builtin_mul_overflow(kv_heads, 2, &all) || __builtin_add_overflow(all, heads, &all))
    throw OverflowError();
  const std::int64_t kv_all = is_packed ? all : kv_heads;
  AttentionSizes sizes{by_heads(q, heads, is_packed ? all : heads),
                       by_heads(*operand_of(node, 1)->sizes, kv_heads, kv_all),
                       by_heads(*operand_of(node, 2)->sizes, kv_heads, kv_all), q};
  const Sizes* past = sizes_at(node, form_of(node).past);
  const Sizes* past_values = sizes_at(node, form_of(node).past + 1);
  const auto fits = [](const Sizes* any) { return any == nullptr || any->size() == 4; };
  if (!fits(past) || !fits(past_values)) return std::nullopt;
  if (past_values != nullptr && (past == nullptr || (*past)[2] != (*past_values)[2]))
    return std::nullopt;
  if (past != nullptr && __builtin_add_overflow(sizes.keys[2], (*past)[2], &sizes.keys[2]))
    throw OverflowError();
  sizes.values[2] = sizes.keys[2];
  sizes.result.back() = sizes.values.back();
  if (q.size() != 4)
    sizes.result = {q[0], q[1], product_or_throw({sizes.queries[1], sizes.values.back()})};
  return sizes;
}

std::optional<Sizes> result_sizes(Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes) return std::nullopt;
  const int type = type_at(node, 0);
  set_result(node, 1, sizes->keys, type);
  set_result(node, 2, sizes->values, type);
  set_result(node, 3, chained(part(sizes->queries, 0, 3), {sizes->keys[2]}), type);
  return sizes->result;
}

Sizes rows_by_heads(const Sizes& sizes) {
  return {product_or_throw({sizes[0], sizes[1]}), sizes[2], sizes[3]};
}

/// Keys or values: the new ones behind the past ones. If they are a result as well, they are
/// written before attention reads them.
OperandSpec with_past(Emitter& emitter, const Node& node, std::size_t index, const Sizes& whole) {
  const Value& given = *operand_of(node, index);
  const Value* past = node.input(form_of(node).past + index - 1);
  Value* present = index < node.outputs.size() ? node.outputs[index] : nullptr;
  const bool has_past = has_elements(past);
  if (!is_read(present)) return Emitter::operand(has_past ? *past : given, whole);
  if (!has_past && given.sizes == present->sizes) {
    Emitter::view(present, &given);
    return Emitter::operand(given);
  }
  LayerSpec& spec = emitter.add(node, has_past ? LayerKind::concat : LayerKind::copy,
                                index == 1 ? "present_key" : "present_value");
  if (has_past) {
    Sizes added = whole;
    added[2] -= (*past->sizes)[2];
    spec.inputs = {Emitter::operand(*past, rows_by_heads(*past->sizes)),
                   Emitter::operand(given, rows_by_heads(added))};
  } else {
    spec.input = Emitter::operand(given, whole);
    spec.output = layer_sizes(whole);
  }
  emitter.writes(present);
  return Emitter::operand(*present, whole);
}

/// One kernel, as in recordings.
void emit_attention(Emitter& emitter, const Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes || !has_elements(operand_of(node, 1)) || !has_elements(node.outputs[0]))
    return emit_by_bytes(emitter, node, no_fit);
  const Form& form = form_of(node);
  std::vector<OperandSpec> operands{Emitter::operand(*node.input(0), sizes->queries),
                                    with_past(emitter, node, 1, sizes->keys),
                                    with_past(emitter, node, 2, sizes->values)};
  for (OperandSpec& each : operands) each.is_parameter = false;
  LayerSpec& spec = emitter.add(node, LayerKind::attention);
  spec.inputs = std::move(operands);
  if (form.causal == nullptr || int_attribute(node, form.causal, 0) != 0)
    set_causal(spec, has_elements(node.input(form.past)));
  spec.masked = node.input(form.mask) != nullptr || node.input(form.mask_of_keys) != nullptr;
  Value* scores = node.outputs.size() > 3 ? node.outputs[3] : nullptr;
  if (is_read(scores)) emit_traffic(emitter, node, {}, {scores}, "scores");
  const Value* bias = node.op == "MultiHeadAttention" ? node.input(3) : nullptr;
  if (has_elements(bias)) emit_traffic(emitter, node, {{bias, *bias->sizes}}, {}, "bias");
}

constexpr Operator attention{.sizes = result_sizes, .layer = emit_attention};
constexpr Operator attention_rows[] = {
    row("Attention MultiHeadAttention", attention),
    row("GroupQueryAttention", {.domain = microsoft}, result_sizes, emit_attention),
    // Includes the projections, and is counted by bytes.
    row("Attention", {.domain = microsoft}),
    row("RotaryEmbedding TensorScatter", {}, like_first),
};

}  // namespace

std::span<const Operator> attention_operators() { return attention_rows; }

}  // namespace roofline::onnx_graph
