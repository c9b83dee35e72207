// Arguments of matrix products, attention, experts, LSTM, GRU and RNN: whole networks, single
// cells, and the kernels of cells.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

bool is_matrix(const TensorArgument* tensor) {
  return tensor != nullptr && tensor->sizes.size() == 2 && tensor->type &&
         element_count(tensor->sizes) > 0;
}

/// By a row of the table; the first operand has the type that is multiplied.
Operations operation_by(const OperatorCall& call, std::string_view row,
                        std::vector<Tensor> operands, const Attributes& attributes,
                        Pass pass = Pass::fwd) {
  operands.front().type = multiplied_type(call, *operands.front().type);
  return {{.row = find_row(row),
           .operands = std::move(operands),
           .attributes = attributes,
           .pass = pass,
           .called = base_name(call.name)}};
}

Operations linear_product(const OperatorCall& call, const TensorArgument& from, std::uint64_t rows,
                          std::uint64_t out_features, bool bias, Pass pass = Pass::fwd) {
  const std::uint64_t in_features = element_count(from.sizes) / rows;
  Attributes attributes;
  attributes.channels = out_features;
  attributes.bias = bias;
  return operation_by(call, "linear", {with_sizes(from, {rows, in_features})}, attributes, pass);
}

/// A gradient of a linear layer: grad x weight, or transposed(grad) x input.
Operations linear_gradient(const OperatorCall& call, const TensorArgument& a,
                           const TensorArgument& b) {
  const bool weight_gradient = a.is_transposed();
  const std::uint64_t rows = weight_gradient ? a.sizes[1] : a.sizes[0];
  const std::uint64_t out_features = weight_gradient ? a.sizes[0] : a.sizes[1];
  TensorArgument input = a;
  input.sizes = {rows, b.sizes[1]};
  return linear_product(call, input, rows, out_features, false,
                        weight_gradient ? Pass::wgrad : Pass::dgrad);
}

/// The bias of a linear layer is a vector; a matrix of the result's size is added.
Operations matrix_product(const OperatorCall& call) {
  const TensorArgument* a = call["input"].typed_tensor();
  const TensorArgument* b = call["weight"].tensor();
  const TensorArgument* added = call["bias"].tensor();
  if (a == nullptr || b == nullptr || element_count(a->sizes) == 0) return {};
  // Types of second matrices are the first's, or fp32 that is multiplied as tf32.
  Tensor second = *b;
  second.type.reset();
  const auto product = [&] { return operation_by(call, "matmul", {*a, second}, {}); };
  if (a->rank() == 3) return product();
  if (!is_matrix(a) || !is_matrix(b) || a->sizes[1] != b->sizes[0]) return {};
  if (call.caller("AddmmBackward0") != nullptr || call.caller("MmBackward0") != nullptr)
    return linear_gradient(call, *a, *b);
  const bool has_bias = added != nullptr && added->sizes.size() == 1;
  if (has_bias || b->learned || call.caller("aten::linear") != nullptr)
    return linear_product(call, *a, a->sizes[0], b->sizes[1], has_bias);
  return product();
}

Operations linear_alone(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* weight = call["weight"].tensor();
  if (input == nullptr || !is_matrix(weight) || input->sizes.back() != weight->sizes[1] ||
      element_count(input->sizes) == 0)
    return {};
  return linear_product(call, *input, element_count(input->sizes) / weight->sizes[1],
                        weight->sizes[0], call["bias"].tensor() != nullptr);
}

Operations fused_experts(const OperatorCall& call) {
  std::vector<Tensor> operands;
  for (const std::string_view name : {"input", "weight", "down", "shares"}) {
    const TensorArgument* tensor = call[name].tensor();
    if (tensor == nullptr) return {};
    operands.push_back(*tensor);
  }
  if (!operands[1].type) return {};
  return {{.row = call.row, .operands = std::move(operands), .called = base_name(call.name)}};
}

std::optional<AttentionBackend> backend_of(std::string_view operator_name) {
  for (const AttentionBackend backend : enumerators<AttentionBackend>)
    if (operator_name.find(name_of(backend)) != std::string_view::npos) return backend;
  return std::nullopt;
}

/// By cuDNN's and MIOpen's modes: RNN with ReLU and tanh, LSTM, GRU. Null for others.
const OperatorRow* recurrent_row(const OperatorCall& call) {
  if (!has_word(call.argument_names, "mode")) return call.row;
  const std::int64_t mode = call["mode"].integer().value_or(-1);
  if (mode < 0 || mode > 3) return nullptr;
  return find_row(mode == 2 ? "lstm" : mode == 3 ? "gru" : "rnn");
}

/// The first of a list.
const TensorArgument* first_tensor(const Argument& argument) {
  return argument.tensors.empty() ? nullptr : &argument.tensors.front();
}

/// Two biases for each layer and direction, whose weights are two as well.
bool has_biases(const OperatorCall& call) {
  constexpr std::int64_t with_biases = 4;
  if (has_word(call.argument_names, "weights"))
    return call["weights"].integer().value_or(with_biases) >= with_biases;
  if (has_word(call.argument_names, "layers")) return call["bias"].flag().value_or(true);
  return call["bias"].tensor() != nullptr;
}

/// Samples, steps and features. A cell runs one step of all samples; so do packed sequences, whose
/// lengths are data.
Sizes recurrent_sizes(const Sizes& stated, bool is_one_step) {
  Sizes sizes = stated;
  if (is_one_step)
    sizes = {element_count(stated) / stated.back(), 1, stated.back()};
  else if (sizes.size() == 2)
    sizes.insert(sizes.begin(), 1);
  return sizes;
}

}  // namespace

Operations product_operations(const OperatorCall& call) {
  if (has_word(call.argument_names, "shares")) return fused_experts(call);
  return call.row->kind == LayerKind::linear ? linear_alone(call) : matrix_product(call);
}

Operations attention_operations(const OperatorCall& call) {
  std::vector<Tensor> operands;
  for (const std::string_view name : {"query", "key", "value"}) {
    const TensorArgument* tensor = call[name].tensor();
    if (tensor == nullptr) return {};
    operands.push_back(*tensor);
  }
  if (!operands.front().type) return {};
  if (reads_cache(call.name))
    return {{.row = call.row, .operands = operands, .called = base_name(call.name)}};
  Attributes attributes;
  attributes.backend = backend_of(call.name);
  const TensorArgument* mask = call["mask"].tensor();
  attributes.masked = mask != nullptr;
  attributes.mask_is_transposed = mask != nullptr && !mask->strides.empty() &&
                                  mask->strides.back() != 1 && mask->sizes.back() > 1;
  // A flag, or the type of a mask: 1 is causal from the first key, 2 to the last.
  const auto type = call["causal"].integer().value_or(0);
  attributes.causal = call["causal"].flag().value_or(type != 0);
  attributes.has_past = type == 2 || !call.name.starts_with("aten::");
  return operation_by(call, call.row->name, std::move(operands), attributes, call.pass());
}

Operations recurrent_operations(const OperatorCall& stated) {
  OperatorCall call = stated;
  const bool is_network = has_word(call.argument_names, "layers");
  const bool is_library = has_word(call.argument_names, "mode");
  // Packed sequences have the samples of each step behind the input; libraries get them as rows.
  const bool has_steps = is_network && !is_library && argument_at(*call.arguments, 3).is_list;
  if (has_steps) call.argument_names = "input - states weight bias layers - - bidirectional";
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* state = first_tensor(call["states"]);
  const OperatorRow* row = recurrent_row(call);
  // A list has the hidden states before the cells'; a projection makes them smaller.
  if (input == nullptr || state == nullptr || row == nullptr || state->sizes.empty() ||
      element_count(input->sizes) == 0 ||
      call["states"].tensors.back().sizes.back() != state->sizes.back())
    return {};
  const bool is_packed = has_steps || (is_library && input->rank() == 2);
  const Sizes sizes = recurrent_sizes(input->sizes, !is_network || is_packed);
  Attributes attributes;
  attributes.state = state->sizes.back();
  attributes.bidirectional = call["bidirectional"].flag().value_or(false);
  attributes.batch_first =
      sizes.size() != input->rank() || call["batch_first"].flag().value_or(false);
  attributes.bias = has_biases(call);
  if (is_network) {
    const Sizes layers = call["layers"].integers();
    attributes.layers = layers.empty() ? 0 : layers.front();
  }
  Operation operation{.row = row,
                      .operands = {with_sizes(*input, sizes)},
                      .attributes = attributes,
                      .pass = call.pass()};
  operation.operands.front().type = multiplied_type(call, *input->type);
  return {std::move(operation)};
}

bool reads_cache(std::string_view operator_name) {
  const CallRow* row = find_operator(operator_name);
  return row != nullptr && row->row != nullptr && row->row->name == "attention_on_cache";
}

}  // namespace roofline
