// Matrix products of all operators, recurrent layers, and attention: ONNX's own, and ONNX Runtime's
// of several heads and of grouped queries.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/operators.hpp"
#include "operators/table.hpp"

namespace roofline::onnx_graph {
namespace {

[[noreturn]] void fail_matrices(const Sizes& a, const Sizes& b) {
  fail("expected matrices that can be multiplied", integers_text(a) + " and " + integers_text(b));
}

std::optional<Sizes> matrix_product_sizes(Node& node) {
  const auto product = matrix_product(node);
  if (!product) return std::nullopt;
  return product->result;
}

/// The node by this row of the table of operators.
Operation operation_by(const Emitter& emitter, const Node& node, std::string_view row,
                       std::vector<Tensor> operands, const Attributes& attributes = {}) {
  Operation operation = operation_of(emitter, node, attributes);
  operation.row = find_row(row);
  operation.operands = std::move(operands);
  operation.results.resize(1);
  return operation;
}

/// Features, the last of `sizes`, at each position times learned weights, of this type or their
/// own.
Operation linear(const Emitter& emitter, const Node& node, const Value& positions,
                 const Value& weights, const Sizes& sizes, std::int64_t out_features, bool bias,
                 std::optional<DataType> type = {}) {
  Tensor learned = emitter.typed(weights, *weights.sizes);
  if (type) learned.type = type;
  Attributes attributes;
  attributes.channels = static_cast<std::uint64_t>(out_features);
  attributes.bias = bias;
  return operation_by(emitter, node, "linear",
                      {emitter.typed(positions, sizes), std::move(learned)}, attributes);
}

Tensor matrix(const Emitter& emitter, const Value& value, const Sizes& sizes) {
  Tensor tensor{
      .sizes = unsigned_sizes(sizes), .type = emitter.type_of(value), .producer = value.layer};
  if (!value.layer && value.learned > 0) tensor.learned = static_cast<std::uint64_t>(value.learned);
  return tensor;
}

/// `of_a`, `of_b`: matrices in an operand. One that is constant, of one matrix, makes a linear
/// layer.
Operation multiplied(const Emitter& emitter, const Node& node, const Value& a, const Value& b,
                     const Product& product, std::int64_t of_a, std::int64_t of_b, bool bias) {
  const auto& [all, m, n, k, result] = product;
  if (b.is_constant && of_b == 1) return linear(emitter, node, a, b, chained(all, {m, k}), n, bias);
  if (a.is_constant && of_a == 1) return linear(emitter, node, b, a, chained(all, {n, k}), m, bias);
  // Each matrix with each: one of them counts for every product.
  const std::int64_t products = product_or_throw(all);
  const std::int64_t products_of_a = products > std::max(of_a, of_b) ? products : of_a;
  return operation_by(
      emitter, node, "matmul",
      {matrix(emitter, a, {products_of_a, m, k}), matrix(emitter, b, {of_b, k, n})});
}

std::optional<Operation> matrices(const Emitter& emitter, const Node& node) {
  const auto operands = matrix_operands(node);
  const auto product = matrix_product(node);
  if (!product || !has_elements(node.input(0)) || !has_elements(node.input(1)))
    return bytes_of(emitter, node);
  const Value& a = *node.input(0);
  const Value& b = *node.input(1);
  return multiplied(emitter, node, a, b, *product,
                    product_or_throw(*a.sizes) / (product->m * product->k),
                    product_or_throw(*b.sizes) / (product->k * product->n), operands->has_bias);
}

/// MatMulNBits: weights of few bits in bytes, their sizes in attributes.
std::optional<Sizes> few_bits_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const Sizes features{int_attribute(node, "K", 0)};
  if (in.empty() || in.back() != features.front())
    fail("expected K, the features of an operand " + integers_text(in), features);
  return chained(part(in, 0, in.size() - 1), {int_attribute(node, "N", 0)});
}

std::optional<Operation> few_bits(const Emitter& emitter, const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  if (node.input(1) == nullptr) return std::nullopt;
  const Sizes rows{product_or_throw(part(in, 0, in.size() - 1)), in.back()};
  return linear(emitter, node, *node.input(0), *node.input(1), rows, node.outputs[0]->sizes->back(),
                node.input(5) != nullptr,
                int_attribute(node, "bits", 4) > 4 ? DataType::int8 : DataType::int4);
}

/// nullopt for unknown sizes.
std::optional<Einsum> einsum_of(const Node& node) {
  std::vector<roofline::Sizes> operands;
  operands.reserve(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Sizes* sizes = sizes_at(node, i);
    if (sizes == nullptr) return std::nullopt;
    operands.emplace_back(sizes->begin(), sizes->end());
  }
  const std::string equation = text_attribute(node, "equation", "");
  auto einsum = read_einsum(equation, operands);
  if (!einsum) fail("equation: expected one that fits the operands' sizes", equation);
  return einsum;
}

std::optional<Sizes> einsum_sizes(Node& node) {
  const auto einsum = einsum_of(node);
  if (!einsum) return std::nullopt;
  return each_of(einsum->result,
                 [&](char letter) { return static_cast<std::int64_t>(einsum->sizes.at(letter)); });
}

/// The operand, after a sum along these axes.
Value summed(Emitter& emitter, const Node& node, std::size_t operand,
             const std::vector<std::size_t>& axes) {
  Value value = *node.input(operand);
  if (axes.empty()) return value;
  Operation sum = operation_by(emitter, node, "reduce", {emitter.typed(value, *value.sizes)});
  for (const std::size_t axis : axes) (*value.sizes)[axis] = 1;
  sum.results = {{.sizes = unsigned_sizes(*value.sizes), .type = emitter.type_of(value)}};
  emitter.add(node, sum, "sum", {&value});
  value.is_constant = false;
  value.learned = 0;
  return value;
}

std::optional<Operation> contracted(Emitter& emitter, const Node& node) {
  const auto einsum = einsum_of(node);
  const auto product = einsum ? product_of(*einsum) : std::nullopt;
  if (!product) return std::nullopt;
  if (product->k <= 1 || !has_elements(node.input(1))) return bytes_of(emitter, node);
  const Value a = summed(emitter, node, 0, product->summed_a);
  const Value b = summed(emitter, node, 1, product->summed_b);
  const auto products = static_cast<std::int64_t>(product->products);
  return multiplied(emitter, node, a, b,
                    {.products = products == 1 ? Sizes{} : Sizes{products},
                     .m = static_cast<std::int64_t>(product->m),
                     .n = static_cast<std::int64_t>(product->n),
                     .k = static_cast<std::int64_t>(product->k)},
                    products, products, false);
}

/// GRU, LSTM and RNN: [steps, directions, batch, state] and the last state.
std::optional<Sizes> recurrent_sizes(Node& node) {
  const Sizes& x = sizes_of(node, 0);
  const Sizes& recurrent = sizes_of(node, 2);
  const bool batch_first = int_attribute(node, "layout", 0) != 0;  // no exporter sets it
  if (x.size() != 3 || recurrent.size() != 3 || batch_first) return std::nullopt;
  const std::int64_t directions = recurrent.front();
  const std::int64_t state = recurrent.back();
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    set_result(node, i, {directions, x[1], state}, type_at(node, 0));
  return Sizes{x[0], directions, x[1], state};
}

std::optional<Operation> recurrent(const Emitter& emitter, const Node& node) {
  for (std::size_t i = 0; i < 3; ++i)
    if (!has_elements(node.input(i)) || sizes_of(node, i).size() != 3) return std::nullopt;
  const Sizes& recurrent = sizes_of(node, 2);
  Attributes attributes;
  attributes.state = static_cast<std::uint64_t>(recurrent[2]);
  attributes.bidirectional = recurrent[0] == 2;
  attributes.batch_first = int_attribute(node, "layout", 0) != 0;
  attributes.bias = node.input(3) != nullptr;
  return operation_of(emitter, node, attributes);
}

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
Tensor with_past(Emitter& emitter, const Node& node, std::size_t index, const Sizes& whole) {
  const Value& given = *operand_of(node, index);
  const Value* past = node.input(form_of(node).past + index - 1);
  Value* present = index < node.outputs.size() ? node.outputs[index] : nullptr;
  const bool has_past = has_elements(past);
  if (!is_read(present)) return emitter.typed(has_past ? *past : given, whole);
  if (!has_past && given.sizes == present->sizes) {
    Emitter::view(present, &given);
    return emitter.typed(given, *given.sizes);
  }
  const char* part = index == 1 ? "present_key" : "present_value";
  Operation move = operation_by(emitter, node, "copy", {emitter.typed(given, whole)});
  move.results = {{.sizes = unsigned_sizes(whole), .type = emitter.result_type(*present)}};
  if (has_past) {
    Sizes added = whole;
    added[2] -= (*past->sizes)[2];
    move.row = find_row("concat");
    move.operands = {emitter.typed(*past, rows_by_heads(*past->sizes)),
                     emitter.typed(given, rows_by_heads(added))};
    move.attributes.axes = {1};
    move.attributes.computed_in = emitter.usual_type(node);
  }
  emitter.add(node, move, part, {present});
  return emitter.typed(*present, whole);
}

/// One kernel, as in recordings.
std::optional<Operation> attended(Emitter& emitter, const Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes || !has_elements(operand_of(node, 1)) || !has_elements(node.outputs[0]))
    return std::nullopt;
  const Form& form = form_of(node);
  std::vector<Tensor> operands{emitter.typed(*node.input(0), sizes->queries),
                               with_past(emitter, node, 1, sizes->keys),
                               with_past(emitter, node, 2, sizes->values)};
  for (Tensor& each : operands) each.learned.reset();
  Attributes attributes;
  attributes.causal = form.causal == nullptr || int_attribute(node, form.causal, 0) != 0;
  attributes.has_past = has_elements(node.input(form.past));
  attributes.masked = node.input(form.mask) != nullptr || node.input(form.mask_of_keys) != nullptr;
  return operation_by(emitter, node, "attention", std::move(operands), attributes);
}

std::vector<Traffic> scores_and_bias(const Node& node) {
  std::vector<Traffic> both;
  Value* scores = node.outputs.size() > 3 ? node.outputs[3] : nullptr;
  if (is_read(scores)) both.push_back({.part = "scores", .written = {scores}});
  const Value* bias = node.op == "MultiHeadAttention" ? node.input(3) : nullptr;
  if (has_elements(bias)) both.push_back({.part = "bias", .read = {bias}});
  return both;
}

constexpr Operator attention{
    .sizes = result_sizes, .state_behind = attended, .beside = scores_and_bias};
constexpr Operator product_rows[] = {
    rows_of("matmul", {.needs = 0}, matrix_product_sizes, matrices),
    row("MatMulInteger", {}, matrix_product_sizes, element::int32, matrices),
    row("Einsum", {}, einsum_sizes, contracted),
    row("MatMulNBits", {.domain = microsoft}, few_bits_sizes, few_bits),
    rows_of("lstm gru rnn", {.needs = 3}, recurrent_sizes, recurrent),

    rows_of("attention", attention),
    row("GroupQueryAttention", {.domain = microsoft}, result_sizes, attended, scores_and_bias),
    // Includes the projections, and is counted by bytes.
    row("Attention", {.domain = microsoft}),
    row("RotaryEmbedding TensorScatter", {}, like_first),
};

}  // namespace

std::optional<MatrixOperands> matrix_operands(const Node& node) {
  if (node.op == "MatMul" || node.op == "MatMulInteger") return MatrixOperands{};
  if (node.op != "Gemm" && node.op != "Linear") return std::nullopt;
  return MatrixOperands{int_attribute(node, "transA", 0) != 0,
                        int_attribute(node, "transB", 0) != 0, node.input(2) != nullptr};
}

std::optional<Product> matrix_product(const Node& node) {
  const auto operands = matrix_operands(node);
  if (!operands) return std::nullopt;
  const Sizes* a_sizes = sizes_at(node, 0);
  const Sizes* b_sizes = sizes_at(node, 1);
  if (a_sizes == nullptr || b_sizes == nullptr) return std::nullopt;
  Sizes a = *a_sizes;
  Sizes b = *b_sizes;
  if (a.empty() || b.empty()) fail_matrices(a, b);
  // A vector is a matrix of one row or column, an axis that the result lacks.
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (operands->transposes_a) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (operands->transposes_b) std::swap(b[b.size() - 1], b[b.size() - 2]);
  Product product;
  product.m = a[a.size() - 2];
  product.k = a.back();
  product.n = b.back();
  if (b[b.size() - 2] != product.k) fail_matrices(*a_sizes, *b_sizes);
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  product.products = broadcast_or_throw({&a, &b});
  product.result = product.products;
  if (!row) product.result.push_back(product.m);
  if (!column) product.result.push_back(product.n);
  return product;
}

std::span<const Operator> product_operators() { return product_rows; }

}  // namespace roofline::onnx_graph
