// A graph as the PyTorch program that an exporter made it from: PyTorch's own operators in place of
// the nodes that exporters write for them, run by the reader of programs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "onnx/operators.hpp"
#include "pytorch/exported_program.hpp"

// Names of a unity build's files may meet.
namespace roofline::onnx_graph::as_pytorch {
namespace {

Argument numbers(const Sizes& sizes) { return {.value = integers_text(sizes)}; }
Argument number(std::int64_t value) { return {.value = std::to_string(value)}; }

/// What PyTorch runs for a node: its operator with the arguments of its schema.
struct Operation {
  std::string op;
  std::vector<Argument> arguments;
};

class Program;
struct Row {
  std::string_view onnx;  ///< names with blanks between
  std::string_view pytorch;
  Operation (*write)(Program& program, const Node& node, const std::string& op) = nullptr;
  std::size_t needs = 1;  ///< number of first operands that must be there
};
const Row* find_row(const Node& node);

class Program {
 public:
  Program(const Model& model, const LayerDefaults& defaults)
      : source_(model.source), reader_(model.source, defaults) {}

  void run(const Node& node);
  void keep(const Value& output) {
    if (const auto found = tensors_.find(&output); found != tensors_.end())
      reader_.keep(found->second);
  }
  NetworkSpec network() && { return std::move(reader_).network(); }

  /// A tensor as an argument; a constant of one element as its number; empty for null.
  Argument operand(const Value* value) {
    if (value == nullptr) return {};
    if (value->is_constant && value->numbers && value->numbers->size() == 1)
      return {.value = std::to_string(value->numbers->front())};
    return {.tensors = {tensor(*value)}};
  }
  Argument operand(const Node& node, std::size_t index) { return operand(node.input(index)); }

  Argument list(const std::vector<Value*>& values) {
    Argument list{.is_list = true};
    for (const Value* value : values)
      for (TensorArgument& each : operand(value).tensors) list.tensors.push_back(std::move(each));
    return list;
  }

  /// A tensor that PyTorch makes.
  TensorArgument made(const Sizes& sizes, int type) const {
    return reader_.tensor(unsigned_sizes(sizes), element_type_in_onnx(type));
  }

  /// The matrix [inputs, outputs] as a linear layer keeps it; `transposed`: it is kept so.
  Argument linear_weights(const Value& value, bool transposed) {
    TensorArgument weights = tensor(value);
    if (!transposed) std::swap(weights.sizes[0], weights.sizes[1]);
    weights.stated = weights.sizes;
    weights.strides = contiguous_strides(weights.sizes);
    return {.tensors = {weights}};
  }

 private:
  TensorArgument declared(const Value& value) const { return made(*value.sizes, value.type); }
  const TensorArgument& tensor(const Value& value) {
    const auto [found, is_new] = tensors_.try_emplace(&value);
    if (!is_new) return found->second;
    const char* kind = !value.is_constant   ? "user_input"
                       : value.learned != 0 ? "parameter"
                                            : "buffer";
    const std::string& name = value.weights != nullptr ? value.weights->name : value.name;
    return found->second = reader_.input(declared(value), name, kind);
  }

  std::string source_;
  ProgramReader reader_;
  std::unordered_map<const Value*, TensorArgument> tensors_;
};

void Program::run(const Node& node) {
  const Row* row = find_row(node);
  const auto is_made_before = [&](const Value* value) {
    return value == nullptr || (value->is_constant && (value->numbers || row == nullptr));
  };
  if (std::ranges::all_of(node.outputs, is_made_before)) return;
  if (row == nullptr) throw NodeError{"expected an operator that PyTorch has"};
  for (std::size_t i = 0; i < std::max(row->needs, node.inputs.size()); ++i)
    if (const Value* input = node.input(i); input == nullptr ? i < row->needs : !input->sizes)
      throw NodeError{"expected operands of known sizes"};
  std::vector<Value*> results;
  for (Value* output : node.outputs)
    if (is_read(output)) {
      if (!output->sizes) throw NodeError{"expected a result of known sizes"};
      results.push_back(output);
    }
  Operation wanted = row->write(*this, node, std::string(row->pytorch));
  const std::string target = "torch.ops.aten." + wanted.op + ".default";
  roofline::Node made(target);
  made.name = node.name.empty() ? std::string_view(node.outputs[0]->name) : node.name;
  made.arguments = std::move(wanted.arguments);
  for (const Value* result : results) made.results.push_back(declared(*result));
  reader_.run(made, module_of(node));
  for (std::size_t i = 0; i < results.size(); ++i)
    tensors_[results[i]] = std::move(made.results[i]);
}

Operation operands(Program& program, const Node& node, const std::string& op) {
  Operation made{op, {}};
  for (const Value* input : node.inputs) made.arguments.push_back(program.operand(input));
  return made;
}

Operation nothing(Program& /*program*/, const Node& /*node*/, const std::string& op) {
  return {op, {}};
}

Operation first_operand(Program& program, const Node& node, const std::string& op) {
  return {op, {program.operand(node, 0)}};
}

Sizes axis_numbers(const Node& node, const char* name, std::size_t rank, std::int64_t otherwise) {
  return ints_attribute(node, name).value_or(Sizes(rank, otherwise));
}

/// PyTorch pads both ends alike; other images are padded before.
Sizes padding(const Node& node, std::size_t rank) {
  const Sizes pads = ints_attribute(node, "pads").value_or(Sizes(2 * rank, 0));
  const bool is_same = text_attribute(node, "auto_pad", "NOTSET") != "NOTSET";
  if (is_same || pads.size() != 2 * rank || part(pads, 0, rank) != part(pads, rank))
    throw NodeError{"expected padding that is the same at both ends, as PyTorch has"};
  return part(pads, 0, rank);
}

/// The number of axes of positions in an image.
std::size_t image_rank(const Node& node) {
  const std::size_t axes = sizes_of(node, 0).size();
  if (axes < 3 || axes > most_operand_sizes)
    throw NodeError{"expected an image of 1 to 3 axes of positions"};
  return axes - 2;
}

Operation convolution(Program& program, const Node& node, const std::string& op) {
  const std::size_t rank = image_rank(node);
  const auto axes = [&](const char* name, std::int64_t otherwise) {
    return numbers(axis_numbers(node, name, rank, otherwise));
  };
  Operation made{op + std::to_string(rank) + "d",
                 {program.operand(node, 0), program.operand(node, 1), program.operand(node, 2),
                  axes("strides", 1), numbers(padding(node, rank))}};
  const Argument groups = number(int_attribute(node, "group", 1));
  const bool is_transposed = node.op == "ConvTranspose";
  if (is_transposed) made.arguments.push_back(axes("output_padding", 0));
  if (is_transposed) made.arguments.push_back(groups);
  made.arguments.push_back(axes("dilations", 1));
  if (!is_transposed) made.arguments.push_back(groups);
  return made;
}

Operation pool(Program& program, const Node& node, const std::string& op) {
  const std::size_t rank = image_rank(node);
  Operation made{op + std::to_string(rank) + "d",
                 {program.operand(node, 0), numbers(axis_numbers(node, "kernel_shape", rank, 1)),
                  numbers(axis_numbers(node, "strides", rank, 1)), numbers(padding(node, rank))}};
  if (node.op == "MaxPool")
    made.arguments.push_back(numbers(axis_numbers(node, "dilations", rank, 1)));
  made.arguments.push_back({.value = int_attribute(node, "ceil_mode", 0) != 0 ? "True" : "False"});
  return made;
}

Operation global_pool(Program& program, const Node& node, const std::string& op) {
  const std::size_t rank = image_rank(node);
  return {op + std::to_string(rank) + "d", {program.operand(node, 0), numbers(Sizes(rank, 1))}};
}

Operation pad(Program& program, const Node& node, const std::string& op) {
  const std::string mode = text_attribute(node, "mode", "constant");
  const bool is_edge = mode == "edge";
  const bool is_wrap = mode == "wrap";
  const char* in_pytorch = is_edge ? "replicate" : is_wrap ? "circular" : mode.c_str();
  return {op, {program.operand(node, 0), {}, {.value = in_pytorch}}};
}

Operation along_axis(Program& program, const Node& node, const std::string& op) {
  const std::size_t rank = sizes_of(node, 0).size();
  const auto stated = node.op == "CumSum" ? integer(node.input(1)) : std::nullopt;
  const std::int64_t axis =
      stated.value_or(int_attribute(node, "axis", node.op.starts_with("Arg") ? 0 : -1));
  return {op,
          {program.operand(node, 0), number(static_cast<std::int64_t>(axis_or_throw(axis, rank)))}};
}

Operation reduction(Program& program, const Node& node, const std::string& op) {
  Sizes axes = ints_attribute_or_input(node, "axes", 1).value_or(Sizes{});
  if (axes.empty())
    for (std::size_t i = 0; i < sizes_of(node, 0).size(); ++i)
      axes.push_back(static_cast<std::int64_t>(i));
  Operation reduced{op, {program.operand(node, 0), numbers(axes)}};
  if (op == "linalg_vector_norm")  // its order comes before the axes
    reduced.arguments.insert(reduced.arguments.begin() + 1, number(node.op == "ReduceL1" ? 1 : 2));
  return reduced;
}

Operation product(Program& program, const Node& node, const std::string& op) {
  const MatrixOperands operands = *matrix_operands(node);
  const Value* weights = node.input(1);
  const bool is_linear = weights != nullptr && weights->is_constant && weights->sizes &&
                         weights->sizes->size() == 2 && !operands.transposes_a;
  if (!is_linear && (operands.transposes_a || operands.transposes_b || operands.has_bias))
    throw NodeError{"expected a product that PyTorch has"};
  if (!is_linear) return {op, {program.operand(node, 0), program.operand(node, 1)}};
  return {"linear",
          {program.operand(node, 0), program.linear_weights(*weights, operands.transposes_b),
           program.operand(node, 2)}};
}

Operation einsum(Program& program, const Node& node, const std::string& op) {
  return {op, {{.value = text_attribute(node, "equation", "")}, program.list(node.inputs)}};
}

Operation recurrent(Program& program, const Node& node, const std::string& op) {
  const Sizes& x = sizes_of(node, 0);
  const Sizes& state_weights = sizes_of(node, 2);
  if (int_attribute(node, "layout", 0) != 0 || x.size() != 3 || state_weights.size() != 3)
    throw NodeError{"expected a recurrent layer that PyTorch has"};
  const Sizes state{state_weights[0], x[1], state_weights[2]};
  Argument states{.is_list = true, .tensors = {program.made(state, node.input(0)->type)}};
  Argument learned = program.list({node.inputs[1], node.inputs[2]});
  const auto truth = [](bool value) { return Argument{.value = value ? "True" : "False"}; };
  return {op,
          {program.operand(node, 0), std::move(states), std::move(learned),
           truth(node.input(3) != nullptr), number(1), number(0), truth(false),
           truth(state_weights[0] == 2), truth(false)}};
}

Operation permutation(Program& program, const Node& node, const std::string& op) {
  Sizes order = ints_attribute(node, "perm").value_or(Sizes{});
  if (order.empty())
    for (std::size_t i = sizes_of(node, 0).size(); i > 0; --i)
      order.push_back(static_cast<std::int64_t>(i) - 1);
  return {op, {program.operand(node, 0), numbers(order)}};
}

Operation slice(Program& program, const Node& node, const std::string& op) {
  Operation made{op, {program.operand(node, 0)}};
  const Sizes& in = sizes_of(node, 0);
  const Sizes steps = integers(node.input(4)).value_or(Sizes{});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == 1) continue;
    const Sizes axes = integers(node.input(3)).value_or(Sizes{});
    const std::int64_t axis = i < axes.size() ? axes[i] : static_cast<std::int64_t>(i);
    if (steps[i] < 0) return {"flip", {program.operand(node, 0)}};
    if (made.arguments.size() > 1) throw NodeError{"expected steps along one axis"};
    made.arguments.insert(made.arguments.end(),
                          {number(static_cast<std::int64_t>(axis_or_throw(axis, in.size()))),
                           {},
                           {},
                           number(steps[i])});
  }
  return made;
}

Operation gather(Program& program, const Node& node, const std::string& op) {
  const Sizes& in = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, 0, in.size());
  const Argument from = program.operand(node, 0);
  const Argument at = number(static_cast<std::int64_t>(axis));
  if (sizes_of(node, 1).empty()) return {"select", {from, at}};
  const bool is_table = axis == 0 && in.size() == 2;
  if (is_table) return {"embedding", {from, program.operand(node, 1)}};
  return {op, {from, at, program.operand(node, 1)}};
}

Operation gather_elements(Program& program, const Node& node, const std::string& op) {
  const std::size_t axis = axis_of(node, 0, sizes_of(node, 0).size());
  return {op,
          {program.operand(node, 0), number(static_cast<std::int64_t>(axis)),
           program.operand(node, 1)}};
}

Operation scatter(Program& program, const Node& node, const std::string& op) {
  const std::size_t axis = axis_of(node, 0, sizes_of(node, 0).size());
  return {op,
          {program.operand(node, 0), number(static_cast<std::int64_t>(axis)),
           program.operand(node, 1), program.operand(node, 2)}};
}

Operation put(Program& program, const Node& node, const std::string& op) {
  return {op, {program.operand(node, 0), program.list({node.inputs[1]}), program.operand(node, 2)}};
}

Operation join(Program& program, const Node& node, const std::string& op) {
  Argument list = program.list(node.inputs);
  const std::size_t axis = axis_of(node, 0, node.outputs[0]->sizes->size());
  return {op, {std::move(list), number(static_cast<std::int64_t>(axis))}};
}

Operation norm(Program& program, const Node& node, const std::string& op) {
  return {op, {program.operand(node, 0), program.operand(node, 1)}};
}

/// Without a mean, by the batch's own.
Operation norm_of_batch(Program& program, const Node& node, const std::string& op) {
  Operation made = norm(program, node, op);
  const bool is_own = node.input(3) == nullptr || int_attribute(node, "training_mode", 0) != 0;
  made.arguments.insert(made.arguments.end(), {{}, {}, {}, {.value = is_own ? "True" : "False"}});
  return made;
}

Operation norm_of_last(Program& program, const Node& node, const std::string& op) {
  const Sizes& in = sizes_of(node, 0);
  Sizes normed;
  if (const auto axes = ints_attribute(node, "axes")) {
    for (const std::int64_t axis : *axes) normed.push_back(in[axis_or_throw(axis, in.size())]);
  } else {
    normed = part(in, axis_of(node, -1, in.size()));
  }
  return {op, {program.operand(node, 0), numbers(normed), program.operand(node, 1)}};
}

Operation norm_of_groups(Program& program, const Node& node, const std::string& op) {
  const auto joined = node.made.find("num_groups");  // from nodes
  const std::int64_t groups =
      joined != node.made.end() ? joined->second.front() : int_attribute(node, "num_groups", 1);
  return {op, {program.operand(node, 0), number(groups), program.operand(node, 1)}};
}

Operation clip(Program& program, const Node& node, const std::string& op) {
  const auto bound = [&](const char* name, std::size_t input) {
    if (node.input(input) != nullptr) return program.operand(node, input);
    const double stated = float_attribute(node, name, 0);
    return find_attribute(node, name) != nullptr ? Argument{.value = std::to_string(stated)}
                                                 : Argument{};
  };
  return {op, {program.operand(node, 0), bound("min", 1), bound("max", 2)}};
}

Operation resize(Program& program, const Node& node, const std::string& /*op*/) {
  const Sizes& in = sizes_of(node, 0);
  const Sizes& out = *node.outputs[0]->sizes;
  if (in == out) return {"alias", {program.operand(node, 0)}};
  const std::size_t rank = in.size() - 2;
  const std::string mode = text_attribute(node, "mode", "nearest");
  const bool is_nearest = mode == "nearest";
  const char* of_rank[] = {"linear", "bilinear", "trilinear"};
  if (in.size() < 3 || rank > 3 || (mode == "cubic" && rank != 2))
    throw NodeError{"expected an image that PyTorch can resize"};
  const std::string name = is_nearest ? "nearest" : mode == "cubic" ? "bicubic" : of_rank[rank - 1];
  return {"upsample_" + name + std::to_string(rank) + "d",
          {program.operand(node, 0), numbers(part(out, 2))}};
}

Operation attention_call(Program& program, const Node& node, const std::string& op) {
  for (std::size_t i = 4; i < node.inputs.size(); ++i)
    if (node.inputs[i] != nullptr) throw NodeError{"expected attention without past keys"};
  for (std::size_t i = 0; i < 3; ++i)
    if (node.input(i) == nullptr || sizes_of(node, i).size() != 4 || node.outputs.size() > 1)
      throw NodeError{"expected queries, keys and values by heads"};
  return {op,
          {program.operand(node, 0),
           program.operand(node, 1),
           program.operand(node, 2),
           program.operand(node, 3),
           {},
           {.value = int_attribute(node, "is_causal", 0) != 0 ? "True" : "False"}}};
}

/// The operators that PyTorch's exporters write, and what PyTorch runs for them.
constexpr Row rows[] = {
    {"Conv", "conv", convolution, 2},
    {"ConvTranspose", "conv_transpose", convolution, 2},
    {"MaxPool", "max_pool", pool},
    {"AveragePool", "avg_pool", pool},
    {"GlobalAveragePool", "adaptive_avg_pool", global_pool},
    {"GlobalMaxPool", "adaptive_max_pool", global_pool},
    {"Gemm Linear MatMul", "matmul", product, 2},
    {"Einsum", "einsum", einsum},
    {"LSTM", "lstm", recurrent, 3},
    {"GRU", "gru", recurrent, 3},
    {"RNN", "rnn_tanh", recurrent, 3},
    {"Attention", "scaled_dot_product_attention", attention_call, 3},
    {"BatchNormalization", "batch_norm", norm_of_batch},
    {"InstanceNormalization", "instance_norm", norm},
    {"LayerNormalization", "layer_norm", norm_of_last},
    {"RMSNormalization SimplifiedLayerNormalization", "rms_norm", norm_of_last},
    {"GroupNormalization", "group_norm", norm_of_groups},
    {"Softmax", "softmax", along_axis},
    {"LogSoftmax", "log_softmax", along_axis},
    {"CumSum", "cumsum", along_axis},
    {"ReduceMean", "mean", reduction},
    {"ReduceSum", "sum", reduction},
    {"ReduceMax", "amax", reduction},
    {"ReduceMin", "amin", reduction},
    {"ReduceProd", "prod", reduction},
    {"ArgMax", "argmax", along_axis},
    {"ArgMin", "argmin", along_axis},
    {"ReduceL1 ReduceL2", "linalg_vector_norm", reduction},
    {"Flatten Reshape Squeeze Unsqueeze", "reshape", first_operand},
    {"Transpose", "permute", permutation},
    {"Slice", "slice", slice},
    {"Split", "split_with_sizes", first_operand},
    {"Expand", "expand", first_operand},
    {"Identity Dropout", "alias", first_operand},
    {"Cast CastLike", "to", first_operand},
    {"Tile", "repeat", first_operand},
    {"Pad", "pad", pad},
    {"Resize Upsample", "", resize},
    {"DepthToSpace", "pixel_shuffle", first_operand},
    {"SpaceToDepth", "pixel_unshuffle", first_operand},
    {"Concat", "cat", join},
    {"Gather", "index_select", gather, 2},
    {"GatherElements", "gather", gather_elements, 2},
    {"GridSample", "grid_sampler", operands},
    {"NonMaxSuppression", "nms", operands},
    {"NonZero", "nonzero", operands},
    {"OneHot", "one_hot", operands},
    {"RoiAlign", "roi_align", operands},
    {"ScatterElements", "scatter", scatter, 3},
    {"ScatterND", "index_put", put, 3},
    {"TopK", "topk", operands},
    {"Clip", "clamp", clip},
    {"Swish", "silu", first_operand},
    {"Gelu FastGelu QuickGelu", "gelu", first_operand},
    {"HardSigmoid", "hardsigmoid", first_operand},
    {"HardSwish", "hardswish", first_operand},
    {"LeakyRelu", "leaky_relu", first_operand},
    {"PRelu", "prelu", operands},
    {"Abs", "abs", operands},
    {"Add Sum", "add", operands},
    {"And", "__and_", operands},
    {"Celu", "celu", operands},
    {"Ceil", "ceil", operands},
    {"Cos", "cos", operands},
    {"Div", "div", operands},
    {"Elu", "elu", operands},
    {"Equal", "eq", operands},
    {"Erf", "erf", operands},
    {"Exp", "exp", operands},
    {"Floor", "floor", operands},
    {"Greater", "gt", operands},
    {"GreaterOrEqual", "ge", operands},
    {"IsNaN", "isnan", operands},
    {"Less", "lt", operands},
    {"LessOrEqual", "le", operands},
    {"Log", "log", operands},
    {"Max", "maximum", operands},
    {"Min", "minimum", operands},
    {"Mish", "mish", operands},
    {"Mod", "remainder", operands},
    {"Mul", "mul", operands},
    {"Neg", "neg", operands},
    {"Not", "logical_not", operands},
    {"Or", "__or_", operands},
    {"Pow", "pow", operands},
    {"Reciprocal", "reciprocal", operands},
    {"Relu", "relu", operands},
    {"Round", "round", operands},
    {"Selu", "selu", operands},
    {"Sigmoid", "sigmoid", operands},
    {"Sign", "sign", operands},
    {"Sin", "sin", operands},
    {"Softplus", "softplus", operands},
    {"Sqrt", "sqrt", operands},
    {"Sub", "sub", operands},
    {"Tanh", "tanh", operands},
    {"Trilu", "tril", first_operand},
    {"Where", "where", operands},
    {"ConstantOfShape", "full", nothing, 0},
    {"Range", "arange", nothing, 0},
};

const Row* find_row(const Node& node) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Row*> found;
    for (const Row& row : rows)
      for (std::string_view names = row.onnx; !names.empty();)
        found.emplace(take(names, ' '), &row);
    return found;
  }();
  const auto found = by_name.find(node.op);
  return node.domain.empty() && found != by_name.end() ? found->second : nullptr;
}

}  // namespace
}  // namespace roofline::onnx_graph::as_pytorch

namespace roofline::onnx_graph {

std::optional<NetworkSpec> network_as_pytorch_runs(const Model& model, Graph& graph,
                                                   const LayerDefaults& defaults,
                                                   std::string& wrong) {
  restore_pytorch_operators(graph);
  LayerDefaults settings = defaults;
  settings.batch_override.reset();  // the graph has its sizes
  settings.dimensions.clear();
  try {
    as_pytorch::Program program(model, settings);
    for (const Node* node : graph.order) at_node(model.source, *node, [&] { program.run(*node); });
    for (const Value* each : graph.outputs)
      if (each != nullptr) program.keep(*each);
    return std::move(program).network();
  } catch (const InputError& error) {
    wrong = error.where + (error.where.empty() ? "" : ": ") + error.message;
    return std::nullopt;
  }
}

}  // namespace roofline::onnx_graph
