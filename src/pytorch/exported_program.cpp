#include "pytorch/exported_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// Without kinds of their own; autocast keeps them in fp32 (ATen/autocast_mode.h).
constexpr std::string_view fp32_functions =
    " acos asin binary_cross_entropy_with_logits cdist cosh cosine_embedding_loss "
    "cosine_similarity cross_entropy_loss cumprod cumsum dist erfinv exp expm1 frobenius_norm "
    "hinge_embedding_loss huber_loss kl_div l1_loss linalg_matrix_norm linalg_vector_norm log "
    "log10 log1p log2 logsumexp margin_ranking_loss mse_loss multi_margin_loss "
    "multilabel_margin_loss nll_loss nll_loss2d norm nuclear_norm pdist poisson_nll_loss pow prod "
    "reciprocal renorm rsqrt sinh smooth_l1_loss soft_margin_loss softplus sum tan "
    "triplet_margin_loss upsample_bicubic2d upsample_bilinear2d upsample_linear1d "
    "upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d "
    "_upsample_bilinear2d_aa _upsample_nearest_exact2d ";

std::vector<std::string> user_inputs(const Value& program) {
  std::vector<std::string> names;
  for (const Value input : program.at("graph_module").at("signature").find("input_specs"))
    if (const Value tensor = input.find("user_input").find("arg").find("as_tensor");
        !tensor.is_null())
      names.push_back(tensor.require("name", "a name").text());
  return names;
}

/// "layer1.0.conv1" of "L__self__,,A;L__self__layer1_0,layer1.0,B;L__self__layer1.0.conv1,..."
std::string module_of(std::string_view stack) {
  const std::size_t last = stack.rfind(';');
  if (last != stack.npos) stack.remove_prefix(last + 1);
  const std::size_t begin = stack.find(',');
  if (begin == stack.npos || stack.starts_with("_empty_nn_module_stack")) return "";
  stack.remove_prefix(begin + 1);
  stack = stack.substr(0, stack.find(','));
  constexpr std::string_view self = "L['self'].";
  if (stack.starts_with(self)) stack.remove_prefix(self.size());
  return std::string(stack);
}

/// "timm/models/resnetv2.py:229": the innermost frame outside of PyTorch's code.
std::string source_line(std::string_view trace) {
  constexpr std::string_view begin = "File \"";
  constexpr std::string_view middle = "\", line ";
  constexpr std::string_view packages = "site-packages/";
  while (!trace.empty()) {
    const std::size_t at = trace.rfind(begin);
    if (at == trace.npos) return "";
    std::string_view path = trace.substr(at + begin.size());
    trace = trace.substr(0, at);
    const std::size_t end = path.find(middle);
    if (end == path.npos) continue;
    const std::string_view rest = path.substr(end + middle.size());
    const std::string line(rest.substr(0, rest.find_first_not_of("0123456789")));
    path = path.substr(0, end);
    if (const std::size_t own = path.rfind(packages); own != path.npos)
      path.remove_prefix(own + packages.size());
    if (!path.starts_with("torch/")) return std::string(path) + ":" + line;
  }
  return "";
}

/// Values of MemoryFormat in torch/_export/serde/schema.py; 0 and 4: unknown and preserved ones.
std::optional<Layout> layout_of(std::uint64_t memory_format) {
  if (memory_format == 1) return Layout::nchw;
  return memory_format == 2 || memory_format == 3 ? std::optional(Layout::nhwc) : std::nullopt;
}

/// `node "view_3" (aten.view)`
std::string place_of(const Node& node) {
  return "node " + in_quotes(node.name) + " (" + beginning(node.library) + "." +
         beginning(node.op) + ")";
}

/// Null for a matmul, whose operands say it.
const TensorArgument* weights_of(const LayerSpec& layer, const Arguments& arguments,
                                 const CallRow& row) {
  if (layer.kind == LayerKind::matmul) return nullptr;
  if (layer.kind == LayerKind::gather) return argument_at(arguments, 0).tensor();
  const KindFamily family = info(layer.kind).family;
  if (!is_any(family, KindFamily::contraction, KindFamily::recurrent, KindFamily::norm))
    return nullptr;
  const Argument& weights =
      argument_at(arguments, argument_place("weight", argument_names(row, arguments)));
  return weights.is_list && !weights.tensors.empty() ? &weights.tensors.front() : weights.tensor();
}

}  // namespace

bool is_cast(const TensorArgument& tensor) {
  const ElementType* type = find_element_type(tensor.type_name);
  return type != nullptr && type->elements == Elements::numbers;
}

Node::Node(std::string_view program_target) : target(program_target) {
  constexpr std::string_view operators = "torch.ops.";
  std::string_view rest = target;
  if (rest.starts_with(operators)) rest.remove_prefix(operators.size());
  library = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(library.size() + 1, rest.size()));
  op = rest.substr(0, rest.find('.'));
  if (!op.starts_with("__")) op = base_name(op);
}

std::vector<const TensorArgument*> Node::tensors() const {
  std::vector<const TensorArgument*> all;
  for (const Argument& argument : arguments)
    for (const TensorArgument& tensor : argument.tensors) all.push_back(&tensor);
  return all;
}

ProgramReader::Tensors ProgramReader::inputs(const Value& program) {
  const Value module = program.at("graph_module");
  const Value graph = module.at("graph");
  std::map<std::string_view, std::string_view> kinds;
  for (const Value input : module.at("signature").find("input_specs"))
    for (const std::string_view kind : {"parameter", "buffer", "tensor_constant"})
      if (const Value name = input.find(kind).find("arg").find("name"); !name.is_null())
        kinds[name.try_text()] = kind;
  Tensors tensors;
  for (const Value each : graph.require("inputs", "an array of inputs"))
    if (const Value name = each.find("as_tensor").find("name"); !name.is_null())
      tensors[name.try_text()] =
          input(stated_tensor(name, graph), name.try_text(), kinds[name.try_text()]);
  return tensors;
}

/// The batch is first in the caller's tensors, and images have the requested layout.
TensorArgument ProgramReader::input(TensorArgument tensor, std::string_view name,
                                    std::string_view kind) {
  if (kind == "parameter") tensor.learned = element_count(tensor.sizes);
  if (kind == "buffer" || kind == "tensor_constant") tensor.learned = 0;
  if (tensor.learned) tensor.weights = name;
  const bool is_image = tensor.rank() >= 4 && tensor.rank() <= 5;
  const bool channels_last =
      is_image && (defaults_.layout ? wants_channels_last() : tensor.layout() == Layout::nhwc);
  if (!tensor.learned && !batch_change().is_none() && tensor.rank() > 0 &&
      tensor.stated.front() == batch_change().stated)
    tensor.batch_step.front() = 1;
  batch_change().grow(tensor);
  tensor.strides =
      channels_last ? channels_last_strides(tensor.sizes) : contiguous_strides(tensor.sizes);
  if (!tensor.learned)
    input_byte_ += stored_byte(element_count(tensor.sizes), tensor.type.value_or(DataType::fp32));
  return tensor;
}

void ProgramReader::read(const Value& program) {
  sizes_ = ProgramSizes(program, user_inputs(program), defaults_);
  const Value module = program.at("graph_module");
  const Value graph = module.at("graph");
  Tensors tensors = inputs(program);
  run_nodes(graph, tensors);
  for (const Value output : graph.find("outputs"))
    if (const auto found = tensors.find(output.find("as_tensor").find("name").try_text());
        found != tensors.end())
      keep(found->second);
}

void ProgramReader::keep(const TensorArgument& output) {
  if (output.producer) layers_[*output.producer].is_kept = true;
}

NetworkSpec ProgramReader::network() && {
  NetworkSpec network;
  name_layers(layers_, origins_);
  network.source = source_;
  network.runs_as = RunsAs::pytorch_program;
  network.input_byte = input_byte_;
  network.batch = sizes_.batch();
  network.has_dimensions = true;
  network.lacks_products = unruled_.has_products();
  network.lacks_operators = unruled_.has_left_out();
  network.assumptions = sizes_.notes();
  network.assumptions.insert(network.assumptions.end(), notes_.begin(), notes_.end());
  unruled_.add_notes(network.assumptions);
  if (layers_.empty())
    network.assumptions.emplace_back(
        network.lacks_operators
            ? "nothing to evaluate beside what is left out"
            : "nothing to evaluate: its operators are views and constants, which cost nothing");
  network.layers = std::move(layers_);
  return network;
}

TensorArgument ProgramReader::stated_tensor(const Value& name, const Value& graph) const {
  const Value stated = graph.find("tensor_values").find(name.try_text());
  if (stated.is_null())
    name.fail("expected a tensor whose sizes the program states, got " + in_quotes(name.text()));
  TensorArgument found =
      tensor(sizes_.sizes(stated.require("sizes", "an array of sizes")),
             element_type_in_program(stated.find("dtype").try_integer().value_or(0)));
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 53U;
  if (element_count(found.stated) > most_elements)
    name.fail("expected a tensor of at most 2^53 elements, got " + sizes_text(found.stated));
  if (const Value strides = stated.find("strides"); strides.size() == found.rank())
    found.strides = sizes_.sizes(strides);
  return found;
}

TensorArgument ProgramReader::tensor(Sizes stated, const ElementType* type) const {
  TensorArgument tensor;
  tensor.stated = std::move(stated);
  tensor.sizes = tensor.stated;
  tensor.strides = contiguous_strides(tensor.sizes);
  tensor.batch_step.assign(tensor.rank(), 0);
  if (type != nullptr) {
    tensor.type = type->type;
    tensor.type_name = type->name;
  }
  if (defaults_.dtype_given && is_cast(tensor)) tensor.type = defaults_.dtype;
  return tensor;
}

const TensorArgument& ProgramReader::find(const Value& name, const Tensors& tensors) {
  const auto found = tensors.find(name.try_text());
  if (found == tensors.end())
    name.fail("expected a tensor that an input or an earlier node gives, got " +
              in_quotes(name.text()));
  return found->second;
}

Argument ProgramReader::argument_of(const Value& input, const Value& graph,
                                    const Tensors& tensors) const {
  Argument argument;
  const Value stated = input.require("arg", "an argument");
  if (!stated.is_object() || stated.size() != 1) stated.fail_expected("a value under its kind");
  const Value value = stated.at(std::size_t{0});
  const std::string_view kind = value.key();
  const auto take_tensor = [&](const Value& each) {
    if (!each.is_null()) argument.tensors.push_back(find(each.require("name", "a name"), tensors));
  };
  if (kind == "as_tensor") {
    take_tensor(value);
  } else if (kind == "as_optional_tensor") {
    take_tensor(value.find("as_tensor"));
  } else if (kind == "as_tensors" || kind == "as_optional_tensors") {
    argument.is_list = true;
    for (const Value each : value)
      take_tensor(kind == "as_tensors" ? each : each.find("as_tensor"));
    if (kind == "as_optional_tensors")
      for (const Value each : value)
        add_item(argument.value, each.find("as_tensor").is_null() ? "False" : "True");
  } else if (kind != "as_none") {
    argument.value = value_text(value, graph);
  }
  return argument;
}

/// In the form of recordings: "[2, 2]", "True".
std::string ProgramReader::value_text(const Value& value, const Value& graph) const {
  if (value.is_string()) return value.text();
  if (value.is_boolean()) return value.boolean() ? "True" : "False";
  if (value.is_array()) {
    std::string text;
    for (const Value each : value) add_item(text, value_text(each, graph));
    return "[" + text + "]";
  }
  if (!value.is_object()) return value.json();
  if (const auto number = value.get("as_int")) return number->json();
  const Value size = graph.find("sym_int_values").find(value.find("as_name").try_text());
  return size.is_null() ? "" : std::to_string(sizes_.number(size));
}

Node ProgramReader::node_of(const Value& json, const Value& graph, const Tensors& tensors) const {
  constexpr int by_keyword = 2;
  Node node(json.require("target", "an operator").try_text());
  node.name = json.find("name").try_text();
  for (const Value input : json.require("inputs", "an array of arguments")) {
    if (const auto inner = input.find("arg").find("as_graph").get("graph"))
      node.graphs.push_back(*inner);
    if (const auto format = input.find("arg").find("as_memory_format").try_integer())
      node.memory_format = layout_of(*format);
    if (input.find("kind").try_integer() != by_keyword)
      node.arguments.push_back(argument_of(input, graph, tensors));
  }
  const auto add_result = [&](const Value& tensor) {
    const Value name = tensor.require("name", "a name");
    node.result_names.push_back(name.try_text());
    node.results.push_back(stated_tensor(name, graph));
  };
  for (const Value output : json.require("outputs", "an array of results")) {
    if (const Value one = output.find("as_tensor"); !one.is_null()) add_result(one);
    for (const Value each : output.find("as_tensors")) add_result(each);
  }
  if (node.name.empty())
    node.name = node.result_names.empty() ? node.target : node.result_names.front();
  return node;
}

void ProgramReader::run_nodes(const Value& graph, Tensors& tensors) {
  for (const Value json : graph.require("nodes", "an array of nodes")) {
    Node node = node_of(json, graph, tensors);
    const Value origin = json.find("metadata");
    run(node, module_of(origin.find("nn_module_stack").try_text()),
        origin.find("stack_trace").try_text());
    for (std::size_t i = 0; i < node.results.size(); ++i)
      tensors[node.result_names[i]] = std::move(node.results[i]);
  }
}

void ProgramReader::run(Node& node, std::string module, std::string_view stack_trace) {
  module_ = std::move(module);
  source_line_ = source_line(stack_trace);
  run_node(*this, node);
}

void ProgramReader::run_graph(Node& node, const Value& graph,
                              const std::vector<const TensorArgument*>& given) {
  constexpr std::size_t deepest_graph = 16;
  if (depth_ >= deepest_graph) fail(node, "expected at most 16 graphs inside each other, got more");
  Tensors tensors;
  std::size_t next = 0;
  for (const Value input : graph.require("inputs", "an array of inputs"))
    if (const Value name = input.find("as_tensor").find("name"); !name.is_null()) {
      if (next == given.size()) fail(node, "expected as many tensors as its graph takes, got less");
      tensors[name.try_text()] = *given[next++];
    }
  ++depth_;
  run_nodes(graph, tensors);
  --depth_;
  std::size_t result = 0;
  for (const Value output : graph.require("outputs", "an array of results"))
    if (const Value name = output.find("as_tensor").find("name"); !name.is_null())
      if (result < node.results.size()) node.results[result++] = find(name, tensors);
}

std::optional<std::size_t> ProgramReader::run(const Node& node, std::string_view op,
                                              std::vector<Argument> arguments,
                                              const Sizes& result) {
  const std::string name =
      (node.library == "aten" ? "aten::" : std::string(node.library) + "::") + std::string(op);
  std::vector<std::string> stated;
  std::vector<std::string> counted;
  OperatorCall call;
  for (Argument& argument : arguments)
    for (TensorArgument& tensor : argument.tensors) {
      if (!call.list_type) call.list_type = tensor.type;
      if (tensor.learned) stated.push_back(tensor.weights);
      if (tensor.learned && used_.contains(tensor.weights)) tensor.learned = 0;
    }
  call.name = name;
  call.arguments = &arguments;
  call.result = result;
  const CallRow* row = find_operator(name);
  CallLayers read = read_call(call);
  unruled_.add(call, read);
  if (read.layers.empty()) return std::nullopt;
  for (LayerSpec& layer : read.layers) {
    layer.place = {source_, place_of(node), false, {}};
    layer.source_line = source_line_;
    layer.fp32_under_autocast = fp32_functions.find(' ' + std::string(op) + ' ') != op.npos;
    layer.in_place = node.target.find("_.") != node.target.npos;
    if (layer.pass == Pass::fwd) layer.pass.reset();
    // The only input of a norm or a copy counts as a tensor: weights on their way to their layer.
    const KindFamily family = info(layer.kind).family;
    if (layer.input && layer.kind != LayerKind::gather && family != KindFamily::activation)
      layer.input->is_parameter = false;
    if (std::ranges::any_of(operands_of(layer), &OperandSpec::is_parameter))
      counted.insert(counted.end(), stated.begin(), stated.end());
    // Weights count once, those of norms once a module, as others' may just be equal.
    const bool is_norm = family == KindFamily::norm;
    const TensorArgument* weights = row != nullptr ? weights_of(layer, arguments, *row) : nullptr;
    const std::string own = weights != nullptr && !weights->weights.empty()
                                ? weights->weights + (is_norm ? module_ : "")
                                : "";
    if (weights != nullptr || is_norm)
      layer.shared_weights = own.empty() || used_.contains(own) || used_.contains(weights->weights);
    if (!own.empty()) counted.push_back(own);
    origins_.push_back({module_, std::string(base_name(op)), layer.kind});
    layers_.push_back(std::move(layer));
  }
  used_.insert(counted.begin(), counted.end());
  return layers_.size() - 1;
}

void ProgramReader::sees(Node& node, const std::optional<TensorArgument>& view,
                         std::size_t result) {
  if (!view) fail_batch(node);
  if (view->stated != node.results[result].stated)
    fail(node, "expected a result of " + sizes_text(view->stated) +
                   ", as its operand is seen, got " + sizes_text(node.results[result].stated));
  const std::optional<DataType> type = node.results[result].type;
  node.results[result] = *view;
  node.results[result].type = type;
}

TensorArgument ProgramReader::copied(const Node& node, const TensorArgument& from,
                                     const Sizes& strides, std::optional<DataType> type) {
  TensorArgument to = from;
  to.strides = strides;
  to.type = type ? type : from.type;
  to.learned.reset();
  to.producer.reset();
  to.producer = run(node, "copy", {{.tensors = {to}}, {.tensors = {from}}}, to.sizes);
  return to;
}

void ProgramReader::writes(Node& node, std::optional<std::size_t> layer, const Sizes& strides) {
  // A tensor made of weights alone is a form of the largest.
  const std::vector<const TensorArgument*> operands = node.tensors();
  const TensorArgument* weights = nullptr;
  for (const TensorArgument* operand : operands)
    if (weights == nullptr || element_count(operand->sizes) > element_count(weights->sizes))
      weights = operand;
  const bool is_constant = std::ranges::none_of(
      operands, [](const TensorArgument* operand) { return operand->weights.empty(); });
  for (TensorArgument& result : node.results) {
    if (is_constant && weights != nullptr) result.weights = weights->weights;
    result.producer = layer;
    result.strides = strides.size() == result.rank() ? strides : contiguous_strides(result.sizes);
  }
}

void ProgramReader::fail(const Node& node, const std::string& message) const {
  throw InputError(source_, place_of(node), message);
}

void ProgramReader::fail_batch(const Node& node) const {
  fail(node, "expected an operator that another batch than the program's " +
                 std::to_string(batch_change().stated) +
                 " can be followed through, got sizes that mix samples; export it with "
                 "torch.export.export(model, (x,), dynamic_shapes=({0: "
                 "torch.export.Dim(\"batch\", min=1, max=4096)},))");
}

}  // namespace roofline
