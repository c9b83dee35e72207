// Matrix products of all operators, and recurrent layers.

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

[[noreturn]] void fail_matrices(const Sizes& a, const Sizes& b) {
  fail("expected matrices that can be multiplied", list_text(a) + " and " + list_text(b));
}

std::optional<Sizes> matrix_product_sizes(Node& node) {
  const auto product = matrix_product(node);
  if (!product) return std::nullopt;
  return product->result;
}

/// Features, the last of `sizes`, at each position times learned weights.
LayerSpec& emit_linear(Emitter& emitter, const Node& node, const Value& positions,
                       const Value& weights, const Sizes& sizes, std::int64_t out_features,
                       bool bias, const char* part = "") {
  LayerSpec& spec = emitter.add(node, LayerKind::linear, part);
  spec.dtypes.input = emitter.type_of(positions);
  spec.input = Emitter::operand(positions, sizes);
  spec.in_features = static_cast<std::uint64_t>(sizes.back());
  spec.out_features = static_cast<std::uint64_t>(out_features);
  spec.bias = bias;
  emitter.uses_weights(weights);
  return spec;
}

OperandSpec matrix(const Value& value, const Sizes& sizes) {
  OperandSpec operand{layer_sizes(sizes), true, value.layer ? std::to_string(*value.layer) : ""};
  operand.is_parameter = !value.layer && value.learned > 0;
  if (operand.is_parameter && value.learned != product_or_throw(sizes))
    operand.parameters = static_cast<std::uint64_t>(value.learned);
  return operand;
}

/// `of_a`, `of_b`: matrices in an operand. One that is constant, of one matrix, makes a linear
/// layer.
void emit_product(Emitter& emitter, const Node& node, const Value& a, const Value& b,
                  const Product& product, std::int64_t of_a, std::int64_t of_b, bool bias) {
  const auto& [all, m, n, k, result] = product;
  if (b.is_constant && of_b == 1) {
    emit_linear(emitter, node, a, b, chained(all, {m, k}), n, bias);
  } else if (a.is_constant && of_a == 1) {
    emit_linear(emitter, node, b, a, chained(all, {n, k}), m, bias);
  } else {
    // Each matrix with each: one of them counts for every product.
    const std::int64_t products = product_or_throw(all);
    LayerSpec& spec = emitter.add(node, LayerKind::matmul);
    spec.dtypes.input = emitter.type_of(a);
    spec.inputs = {matrix(a, {products > std::max(of_a, of_b) ? products : of_a, m, k}),
                   matrix(b, {of_b, k, n})};
    emitter.uses_weights(b);
  }
}

void emit_matrix_product(Emitter& emitter, const Node& node) {
  const auto operands = matrix_operands(node);
  const auto product = matrix_product(node);
  if (!product || !has_elements(node.input(0)) || !has_elements(node.input(1)))
    return emit_bytes(emitter, node);
  const Value& a = *node.input(0);
  const Value& b = *node.input(1);
  emit_product(emitter, node, a, b, *product,
               product_or_throw(*a.sizes) / (product->m * product->k),
               product_or_throw(*b.sizes) / (product->k * product->n), operands->has_bias);
}

/// MatMulNBits: weights of few bits in bytes, their sizes in attributes.
std::optional<Sizes> few_bits_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const Sizes features{int_attribute(node, "K", 0)};
  if (in.empty() || in.back() != features.front())
    fail("expected K, the features of an operand " + list_text(in), features);
  return chained(part(in, 0, in.size() - 1), {int_attribute(node, "N", 0)});
}

void emit_few_bits_product(Emitter& emitter, const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  if (node.input(1) == nullptr) return emit_by_bytes(emitter, node, no_fit);
  const Sizes rows{product_or_throw(part(in, 0, in.size() - 1)), in.back()};
  LayerSpec& spec = emit_linear(emitter, node, *node.input(0), *node.input(1), rows,
                                node.outputs[0]->sizes->back(), node.input(5) != nullptr);
  spec.dtypes.weight = int_attribute(node, "bits", 4) > 4 ? DataType::int8 : DataType::int4;
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
  Sizes out;
  for (const char letter : einsum->result)
    out.push_back(static_cast<std::int64_t>(einsum->sizes.at(letter)));
  return out;
}

/// The operand, after a sum along these axes.
Value summed(Emitter& emitter, const Node& node, std::size_t operand,
             const std::vector<std::size_t>& axes) {
  Value value = *node.input(operand);
  if (axes.empty()) return value;
  LayerSpec& spec = emitter.add(node, LayerKind::reduce, "sum");
  spec.dtypes.input = spec.dtypes.output = emitter.type_of(value);
  spec.input = Emitter::operand(value);
  for (const std::size_t axis : axes) (*value.sizes)[axis] = 1;
  spec.output = layer_sizes(*value.sizes);
  emitter.writes(&value);
  value.is_constant = false;
  value.learned = 0;
  return value;
}

void emit_einsum(Emitter& emitter, const Node& node) {
  const auto einsum = einsum_of(node);
  const auto product = einsum ? product_of(*einsum) : std::nullopt;
  if (!product) return emit_by_bytes(emitter, node, no_fit);
  if (product->k <= 1 || !has_elements(node.input(1))) return emit_bytes(emitter, node);
  const Value a = summed(emitter, node, 0, product->summed_a);
  const Value b = summed(emitter, node, 1, product->summed_b);
  const auto products = static_cast<std::int64_t>(product->products);
  emit_product(emitter, node, a, b,
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

void emit_recurrent(Emitter& emitter, const Node& node) {
  for (std::size_t i = 0; i < 3; ++i)
    if (!has_elements(node.input(i)) || sizes_of(node, i).size() != 3)
      return emit_by_bytes(emitter, node, no_fit);
  const Sizes& x = sizes_of(node, 0);
  const Sizes& weights = sizes_of(node, 1);
  const auto number = [](std::int64_t size) { return static_cast<std::uint64_t>(size); };
  const auto products = products_of({number(product_or_throw({x[0], x[1]})), number(weights[2]),
                                     number(sizes_of(node, 2)[2]),
                                     number(product_or_throw({weights[0], weights[1]}))});
  const Value* operand = node.input(0);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const RecurrentProduct& product = products[i];
    emit_linear(emitter, node, *operand, *node.input(i + 1),
                {static_cast<std::int64_t>(product.positions),
                 static_cast<std::int64_t>(product.in_features)},
                static_cast<std::int64_t>(product.out_features), node.input(3) != nullptr,
                product.part);
    for (Value* result : node.outputs) emitter.writes(result);
    operand = node.outputs[0];
  }
}

constexpr Operator product_rows[] = {
    row("Gemm Linear MatMul", {.needs = 0}, matrix_product_sizes, emit_matrix_product),
    row("MatMulInteger", {}, matrix_product_sizes, element::int32, emit_matrix_product),
    row("Einsum", {}, einsum_sizes, emit_einsum),
    row("MatMulNBits", {.domain = microsoft}, few_bits_sizes, emit_few_bits_product),
    row("GRU LSTM RNN", {.needs = 3}, recurrent_sizes, emit_recurrent),
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
