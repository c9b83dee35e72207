#include "load/onnx/products.hpp"
#include "load/onnx/rules.hpp"
#include "load/onnx/window.hpp"

namespace roofline::onnx_graph {
namespace {

std::uint64_t count(std::int64_t number) { return static_cast<std::uint64_t>(number); }

AxesSpec axes_spec(const Axes& axes, std::size_t rank) {
  AxesSpec spec;
  spec.numbers.assign(axes.end() - static_cast<std::ptrdiff_t>(rank), axes.end());
  spec.is_list = true;
  return spec;
}

void set_window(const Window& window, LayerSpec& spec) {
  spec.kernel_size = axes_spec(window.kernel, window.rank);
  spec.stride = axes_spec(window.stride, window.rank);
  spec.dilation = axes_spec(window.dilation, window.rank);
  spec.padding = axes_spec(window.pad_begin, window.rank);
  const AxesSpec ends = axes_spec(window.pad_end, window.rank);
  if (ends.numbers != spec.padding.numbers)
    spec.padding.numbers.insert(spec.padding.numbers.end(), ends.numbers.begin(),
                                ends.numbers.end());
}

const Value* bias_of_convolution(const Node& node) {
  if (node.op == "QLinearConv") return node.input(8);
  if (node.op == "DeformConv") return node.input(3);
  return node.op == "ConvInteger" ? nullptr : node.input(2);
}

/// [products..., m, k]; with more axes than a layer has, the products as one.
Sizes matrix_sizes(const Sizes& products, std::int64_t rows, std::int64_t columns) {
  constexpr std::size_t most_axes = 5;
  Sizes sizes = products;
  if (sizes.size() + 2 > most_axes) sizes = {product_or_throw(products)};
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}

/// Rows of k features each, times learned weights.
void emit_linear(Emitter& emitter, const Node& node, const Value& rows, const Value& weights,
                 const Sizes& sizes, std::int64_t out_features, bool bias) {
  LayerSpec& spec = emitter.add(node, LayerKind::linear);
  spec.dtypes.input = emitter.type_of(rows);
  spec.dtypes.weight = emitter.type_of(weights);
  spec.input = Emitter::operand(rows, sizes);
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

std::int64_t products_of(const Product& product) { return product_or_throw(product.products); }

}  // namespace

void emit_convolution(Emitter& emitter, const Node& node) {
  const Window window = window_of(node);
  const Value& weights = *node.input(weight_input(node));
  const bool transposed = is_transposed(node);
  LayerSpec& spec = emitter.add(node, transposed ? LayerKind::conv_transpose : LayerKind::conv);
  spec.dtypes.weight = emitter.type_of(weights);
  spec.input = Emitter::operand(*node.input(0));
  spec.out_channels = count((*node.outputs[0]->sizes)[1]);
  set_window(window, spec);
  if (transposed) spec.output_padding = axes_spec(window.output_padding, window.rank);
  spec.groups = count(int_attribute(node, "group", 1));
  spec.bias = bias_of_convolution(node) != nullptr;
  emitter.uses_weights(weights);
  emitter.writes(node.outputs[0]);
}

void emit_pool(Emitter& emitter, const Node& node) {
  const Window window = window_of(node);
  LayerSpec& spec =
      emitter.add(node, node.op == "MaxPool" ? LayerKind::max_pool : LayerKind::avg_pool);
  spec.input = Emitter::operand(*node.input(0));
  set_window(window, spec);
  spec.ceil_mode = window.ceil_mode;
  for (Value* result : node.outputs) emitter.writes(result);
}

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

/// Scores of all queries and keys, their softmax, and the sum of the values that they weigh.
void emit_attention(Emitter& emitter, const Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes || !has_elements(node.input(1)) || !has_elements(node.outputs[0]))
    return emit_without_rule(emitter, node);
  const bool packed = node.op == "Attention" && !node.domain.empty();
  Value* result = node.outputs[0];
  const Value* q = node.input(0);
  const Value* k = node.input(1);
  const Value* v = node.input(2);
  if (packed) {
    const Sizes& weights = *node.input(1)->sizes;
    emit_linear(emitter, node, *q, *node.input(1), *q->sizes, weights[1], node.input(2) != nullptr);
    emitter.rename_part("qkv");
    emitter.writes(result, Layout::last, false);
    q = k = v = result;
  }
  const std::int64_t products = product_or_throw({sizes->batch, sizes->heads});
  emit_matmul(emitter, node, *q, *k, {products, sizes->queries, sizes->head_size},
              {products, sizes->head_size, sizes->keys});
  emitter.rename_part("scores");
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
  emitter.writes(result, Layout::matrix, false);
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    emitter.writes(node.outputs[i], Layout::matrix, false);
}

/// The gates' products with the inputs and with the state of the step before, all steps together;
/// that the steps wait for each other is not seen.
void emit_recurrent(Emitter& emitter, const Node& node) {
  const Value& x = *node.input(0);
  const Value* weights = node.input(1);
  const Value* recurrent = node.input(2);
  if (!has_elements(&x) || !has_elements(weights) || !has_elements(recurrent) ||
      x.sizes->size() != 3 || weights->sizes->size() != 3 || recurrent->sizes->size() != 3)
    return emit_without_rule(emitter, node);
  const std::int64_t rows = product_or_throw({(*x.sizes)[0], (*x.sizes)[1]});
  const std::int64_t gates = product_or_throw({(*weights->sizes)[0], (*weights->sizes)[1]});
  const bool bias = node.input(3) != nullptr;
  emit_linear(emitter, node, x, *weights, {rows, (*x.sizes)[2]}, gates, bias);
  emitter.rename_part("input");
  for (Value* result : node.outputs) emitter.writes(result, Layout::last, false);
  emit_linear(emitter, node, *node.outputs[0], *recurrent, {rows, (*recurrent->sizes)[2]}, gates,
              bias);
  emitter.rename_part("state");
  for (Value* result : node.outputs) emitter.writes(result, Layout::last, false);
}

}  // namespace roofline::onnx_graph
