#include "load/onnx/products.hpp"

#include <algorithm>

#include "load/onnx/sizes.hpp"

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
  if (node.op != "Einsum") return std::nullopt;
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

std::optional<Sizes> einsum_result(const Node& node) {
  const auto einsum = read_einsum(node);
  if (!einsum) return std::nullopt;
  Sizes out;
  for (const char letter : einsum->result) out.push_back(einsum->letters.size(letter));
  return out;
}

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

bool is_attention(const Node& node) {
  return node.op == "Attention" || node.op == "MultiHeadAttention";
}

namespace {

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

}  // namespace

std::optional<AttentionSizes> attention_sizes(const Node& node) {
  if (!is_attention(node)) return std::nullopt;
  if (node.op == "Attention" && !node.domain.empty()) return packed_attention(node);
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
      throw NodeError{"q_num_heads: expected an integer >= 1, got " + std::to_string(sizes.heads)};
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
  if (const Sizes* past = sizes_at(node, 4);
      past != nullptr && past->size() == 4 && node.domain.empty())
    sizes.keys = sizes.keys + (*past)[2];
  return sizes;
}

}  // namespace roofline::onnx_graph
