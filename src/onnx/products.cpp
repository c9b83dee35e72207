// Matrix products in all the forms that operators state them.

#include "onnx/products.hpp"

#include <algorithm>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

[[noreturn]] void fail_matrices(const Sizes& a, const Sizes& b) {
  throw NodeError{"expected matrices that can be multiplied, got " + list_text(a) + " and " +
                  list_text(b)};
}

/// Sizes by index letter, of one Einsum.
class Letters {
 public:
  void bind(char letter, std::int64_t size) {
    const auto found = std::find_if(sizes_.begin(), sizes_.end(),
                                    [&](const auto& each) { return each.first == letter; });
    if (found == sizes_.end()) {
      sizes_.emplace_back(letter, size);
    } else if (found->second == 1) {
      found->second = size;
    } else if (size != 1 && size != found->second) {
      throw NodeError{std::string("equation: expected one size for ") + letter + ", got " +
                      std::to_string(found->second) + " and " + std::to_string(size)};
    }
  }
  std::int64_t size(char letter) const {
    for (const auto& [each, size] : sizes_)
      if (each == letter) return size;
    throw NodeError{std::string("equation: expected an index of an operand, got ") + letter};
  }
  const std::vector<std::pair<char, std::int64_t>>& all() const { return sizes_; }

 private:
  std::vector<std::pair<char, std::int64_t>> sizes_;
};

struct Einsum {
  std::vector<std::string> operands;  ///< index letters; the axes of an ellipsis are digits
  std::string result;
  Letters letters;
};

std::string with_ellipsis(std::string term, std::size_t axes) {
  const std::size_t at = term.find("...");
  if (at == std::string::npos) return term;
  std::string digits;
  for (std::size_t i = axes; i-- > 0;) digits += static_cast<char>('0' + i);
  return term.replace(at, 3, digits);
}

std::vector<std::string> terms_of(const std::string& equation) {
  std::vector<std::string> terms(1);
  for (const char c : equation) {
    if (c == ',')
      terms.emplace_back();
    else if (c != ' ')
      terms.back() += c;
  }
  return terms;
}

std::string implicit_result(const std::vector<std::string>& operands) {
  std::string all;
  for (const std::string& each : operands) all += each;
  std::string result;
  for (const char c : all)
    if (std::count(all.begin(), all.end(), c) == 1 || (c >= '0' && c <= '9')) result += c;
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::optional<Einsum> read_einsum(const Node& node) {
  const std::string equation = text_attribute(node, "equation", "");
  const std::size_t arrow = equation.find("->");
  Einsum einsum;
  einsum.operands = terms_of(equation.substr(0, arrow));
  if (einsum.operands.size() != node.inputs.size())
    throw NodeError{"equation: expected " + std::to_string(node.inputs.size()) +
                    " operands, got \"" + equation + "\""};
  std::size_t most_axes = 0;
  for (std::size_t i = 0; i < einsum.operands.size(); ++i) {
    const Sizes* sizes = sizes_at(node, i);
    if (sizes == nullptr) return std::nullopt;
    std::string& term = einsum.operands[i];
    const std::size_t named = term.find("...") == std::string::npos ? term.size() : term.size() - 3;
    if (named > sizes->size() || sizes->size() - named > 10)
      throw NodeError{"equation: expected " + std::to_string(sizes->size()) + " indices, got \"" +
                      term + "\""};
    most_axes = std::max(most_axes, sizes->size() - named);
    term = with_ellipsis(term, sizes->size() - named);
    if (term.size() != sizes->size())
      throw NodeError{"equation: expected " + std::to_string(sizes->size()) + " indices, got \"" +
                      term + "\""};
    for (std::size_t axis = 0; axis < term.size(); ++axis)
      einsum.letters.bind(term[axis], (*sizes)[axis]);
  }
  einsum.result = arrow == std::string::npos
                      ? implicit_result(einsum.operands)
                      : with_ellipsis(terms_of(equation.substr(arrow + 2)).front(), most_axes);
  return einsum;
}

bool has_repeated(const std::string& term) {
  return std::any_of(term.begin(), term.end(),
                     [&](char c) { return std::count(term.begin(), term.end(), c) > 1; });
}

/// Sizes of any Einsum's result. Throws NodeError.
std::optional<Sizes> einsum_result(const Node& node) {
  const auto einsum = read_einsum(node);
  if (!einsum) return std::nullopt;
  Sizes out;
  for (const char letter : einsum->result) out.push_back(einsum->letters.size(letter));
  return out;
}

/// An Einsum of two operands as a product; none for other numbers of operands, repeated indices,
/// or where sizes are not known.
std::optional<Product> einsum_product(const Node& node) {
  const auto einsum = read_einsum(node);
  if (!einsum || einsum->operands.size() != 2) return std::nullopt;
  const std::string& a = einsum->operands[0];
  const std::string& b = einsum->operands[1];
  if (has_repeated(a) || has_repeated(b) || has_repeated(einsum->result)) return std::nullopt;
  Product product;
  for (const auto& [letter, size] : einsum->letters.all()) {
    const bool in_a = a.find(letter) != std::string::npos;
    const bool in_b = b.find(letter) != std::string::npos;
    const bool in_result = einsum->result.find(letter) != std::string::npos;
    if (in_a && in_b && in_result)
      product.products.push_back(size);
    else if (!in_result)
      product.k = product_or_throw({product.k, size});
    else if (in_a)
      product.m = product_or_throw({product.m, size});
    else
      product.n = product_or_throw({product.n, size});
  }
  for (const char letter : einsum->result) product.result.push_back(einsum->letters.size(letter));
  return product;
}

int product_type(const Node& node) {
  if (node.op == "MatMulInteger") return element::int32;
  if (node.op == "QLinearMatMul" && node.input(7) != nullptr) return node.input(7)->type;
  return node.input(0) != nullptr ? node.input(0)->type : 0;
}

void infer_matrix_product(Node& node) {
  if (const auto product = matrix_product(node))
    set_result(node, 0, product->result, product_type(node));
}

void infer_einsum(Node& node) {
  if (const auto sizes = einsum_result(node)) set_result(node, 0, *sizes, type_at(node, 0));
}

std::uint64_t count(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// [products..., m, k]; with more axes than a layer has, the products as one.
Sizes matrix_sizes(const Sizes& products, std::int64_t rows, std::int64_t columns) {
  constexpr std::size_t most_axes = 5;
  Sizes sizes = products;
  if (sizes.size() + 2 > most_axes) sizes = {product_or_throw(products)};
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}

std::int64_t products_of(const Product& product) { return product_or_throw(product.products); }

void emit_matrix_product(Emitter& emitter, const Node& node) {
  const auto operands = matrix_operands(node);
  const auto product = matrix_product(node);
  if (!product || !has_elements(node.input(operands->a)) || !has_elements(node.input(operands->b)))
    return emit_bytes(emitter, node);
  const Value& a = *node.input(operands->a);
  const Value& b = *node.input(operands->b);
  const bool bias = operands->bias.has_value();
  const std::int64_t products = products_of(*product);
  const Sizes rows = matrix_sizes(product->products, product->m, product->k);
  if (b.is_constant && product_or_throw(*b.sizes) == product->k * product->n) {
    emit_linear(emitter, node, a, b, rows, product->n, bias);
    return emitter.writes(node.outputs[0], Layout::last, rows.size() == product->result.size());
  }
  if (a.is_constant && product_or_throw(*a.sizes) == product->m * product->k) {
    const Sizes columns = matrix_sizes(product->products, product->n, product->k);
    emit_linear(emitter, node, b, a, columns, product->m, bias);
    return emitter.writes(node.outputs[0], Layout::last, false);
  }
  const std::int64_t b_products = product_or_throw(*b.sizes) / (product->k * product->n);
  emit_matmul(emitter, node, a, b, {products, product->m, product->k},
              {b_products, product->k, product->n});
  emitter.writes(node.outputs[0], Layout::matrix);
}

void emit_einsum(Emitter& emitter, const Node& node) {
  const auto product = einsum_product(node);
  if (!product || product->k <= 1 || !has_elements(node.input(1))) return emit_bytes(emitter, node);
  const Value& a = *node.input(0);
  const Value& b = *node.input(1);
  const std::int64_t products = products_of(*product);
  const Sizes rows{products, product->m, product->k};
  if (products == 1 && b.is_constant)
    emit_linear(emitter, node, a, b, {product->m, product->k}, product->n, false);
  else if (products == 1 && a.is_constant)
    emit_linear(emitter, node, b, a, {product->n, product->k}, product->m, false);
  else
    emit_matmul(emitter, node, a, b, rows, {products, product->k, product->n});
  emitter.writes(node.outputs[0], Layout::matrix, false);
}

constexpr Operator matrices{.sizes = infer_matrix_product, .layer = emit_matrix_product};

constexpr Operator product_rows[] = {
    row("FusedGemm", matrices),
    row("FusedMatMul", matrices),
    row("Gemm", matrices),
    row("Linear", matrices),
    row("MatMul", matrices),
    row("MatMulInteger", matrices),
    row("QGemm", matrices),
    row("QLinearMatMul", matrices),
    {.name = "Einsum", .sizes = infer_einsum, .layer = emit_einsum},
};

}  // namespace

std::optional<MatrixOperands> matrix_operands(const Node& node) {
  if (node.op == "MatMul" || node.op == "MatMulInteger") return MatrixOperands{};
  if (node.op == "QLinearMatMul") return MatrixOperands{0, 3, false, false, std::nullopt};
  const bool a = int_attribute(node, "transA", 0) != 0;
  const bool b = int_attribute(node, "transB", 0) != 0;
  if (node.op == "FusedMatMul") return MatrixOperands{0, 1, a, b, std::nullopt};
  if (node.op == "Gemm" || node.op == "FusedGemm" || node.op == "Linear")
    return MatrixOperands{0, 1, a, b,
                          node.input(2) != nullptr ? std::optional<std::size_t>(2) : std::nullopt};
  if (node.op == "QGemm")
    return MatrixOperands{0, 3, a, b,
                          node.input(6) != nullptr ? std::optional<std::size_t>(6) : std::nullopt};
  return std::nullopt;
}

std::optional<Product> matrix_product(const Node& node) {
  const auto operands = matrix_operands(node);
  if (!operands) return std::nullopt;
  const Sizes* a_sizes = sizes_at(node, operands->a);
  const Sizes* b_sizes = sizes_at(node, operands->b);
  if (a_sizes == nullptr || b_sizes == nullptr) return std::nullopt;
  Sizes a = *a_sizes;
  Sizes b = *b_sizes;
  if (a.empty() || b.empty()) fail_matrices(a, b);
  // A vector is a matrix of one row, or of one column; its axis is not in the result.
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
  const Sizes a_products(a.begin(), a.end() - 2);
  const Sizes b_products(b.begin(), b.end() - 2);
  product.products = broadcast({&a_products, &b_products});
  product.result = product.products;
  if (!row) product.result.push_back(product.m);
  if (!column) product.result.push_back(product.n);
  return product;
}

void emit_linear(Emitter& emitter, const Node& node, const Value& positions, const Value& weights,
                 const Sizes& sizes, std::int64_t out_features, bool bias) {
  LayerSpec& spec = emitter.add(node, LayerKind::linear);
  spec.dtypes.input = emitter.type_of(positions);
  spec.dtypes.weight = emitter.type_of(weights);
  spec.input = Emitter::operand(positions, sizes);
  spec.in_features = count(sizes.back());
  spec.out_features = count(out_features);
  spec.bias = bias;
  emitter.uses_weights(weights);
}

void emit_matmul(Emitter& emitter, const Node& node, const Value& a, const Value& b,
                 const Sizes& a_sizes, const Sizes& b_sizes) {
  LayerSpec& spec = emitter.add(node, LayerKind::matmul);
  spec.dtypes.input = emitter.type_of(a);
  spec.dtypes.weight = emitter.type_of(b);
  spec.inputs = {Emitter::operand(a, a_sizes), Emitter::operand(b, b_sizes)};
  for (OperandSpec& each : spec.inputs) each.is_parameter = false;
}

std::span<const Operator> product_operators() { return product_rows; }

}  // namespace roofline::onnx_graph
