// Collects the layers of a graph's nodes, and names them as a model's user knows them: by module
// scopes of PyTorch's dynamo exporter, paths of its script exporter and of tf2onnx, and names of
// weights.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/network_reader.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "onnx/operators.hpp"
#include "operators/table.hpp"

namespace roofline::onnx_graph {

std::string module_of_weight(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || name.find("::") != std::string::npos || name.front() == '/')
    return "";
  std::string last = name.substr(dot + 1);
  for (const std::string_view suffix : {"weight", "bias"}) {
    if (!last.ends_with(suffix)) continue;
    last.resize(last.size() - suffix.size());
    while (last.ends_with('_')) last.pop_back();
    return name.substr(0, dot) + (last.empty() ? "" : "." + last);
  }
  return "";
}

namespace {

/// ONNX's names of attributes that layer files name otherwise.
const SharedValue<Spellings> spellings =
    Spellings{{"kernel_size", "kernel_shape"}, {"stride", "strides"}, {"padding", "pads"},
              {"dilation", "dilations"},       {"groups", "group"},   {"input", "input"}};

constexpr const char* no_fit = "their operands have other sizes than their rules take";

const Value* first_tensor(const std::vector<Value*>& values) {
  const auto found =
      std::ranges::find_if(values, [](const Value* each) { return each != nullptr; });
  return found == values.end() ? nullptr : *found;
}

/// Without their sizes, the totals would miss most of the work.
bool is_essential(const Node& node) {
  return node.op.find("Conv") != std::string::npos || node.op.find("MatMul") != std::string::npos ||
         node.op.find("Gemm") != std::string::npos || node.op == "Linear" || node.op == "Attention";
}

[[noreturn]] void fail_sizes(const Node& node) {
  for (const Value* input : node.inputs)
    if (input != nullptr && !input->sizes)
      throw NodeError{"expected operands of known sizes, got " + in_quotes(input->name) +
                      " of unknown ones; onnx.shape_inference can store them in the file"};
  fail("expected a result of known size", "none");
}

/// The last but one of "['', 'layer1', 'layer1.0', 'add']", PyTorch's list of scopes.
std::string module_of_scopes(const std::string& list) {
  std::string last;
  std::string last_but_one;
  std::size_t at = 0;
  while ((at = list.find('\'', at)) != std::string::npos) {
    const std::size_t end = list.find('\'', at + 1);
    if (end == std::string::npos) break;
    last_but_one = std::exchange(last, list.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return last_but_one;
}

/// "/layer1/layer1.0/conv1/Conv" is layer1.0.conv1: PyTorch's script exporter repeats lists' names.
std::string module_of_path(const std::string& path) {
  std::string module;
  std::string last;
  std::size_t at = 1;
  for (std::size_t end = path.find('/', at); end != std::string::npos; end = path.find('/', at)) {
    const std::string part = path.substr(at, end - at);
    if (!last.empty() && part.starts_with(last + "."))
      module += part.substr(last.size());
    else
      add_item(module, part, ".");
    last = part;
    at = end + 1;
  }
  return module;
}

/// The module of learned tensors that only this node reads.
std::string module_of_operands(const Node& node) {
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (input == nullptr || input->learned == 0 || input->consumers.size() != 1) continue;
    if (std::string module = module_of_weight(input->name); !module.empty()) return module;
  }
  return "";
}

std::string operator_name(const Node& node) {
  const std::size_t domain = node.op.rfind("::");
  return domain == std::string::npos ? node.op : node.op.substr(domain + 2);
}

std::string label_of(const Emitted& emitted) {
  const KindInfo& kind = info(emitted.spec->kind);
  return kind.named == Named::by_operator ? lower_case(operator_name(*emitted.node))
                                          : std::string(kind.name);
}

}  // namespace

std::string module_of(const Node& node) {
  if (node.name.starts_with('/')) return module_of_path(node.name);
  std::string module = module_of_operands(node);
  if (!module.empty() || node.origin == nullptr) return module;
  return module_of_scopes(node.origin->scopes);
}

namespace {

/// The module, or else the node's own name.
LayerOrigin origin_of(const Emitted& emitted) {
  const Node& node = *emitted.node;
  LayerOrigin origin{module_of(node), label_of(emitted), emitted.spec->kind, emitted.part};
  const bool has_notes =
      node.name.starts_with('/') || (node.origin != nullptr && !node.origin->scopes.empty());
  if (origin.module.empty() && !has_notes && !node.name.empty() &&
      !node.name.starts_with("node_")) {
    origin.module = node.name;
    origin.is_own_name = true;
  }
  return origin;
}

/// "conv1" of "StatefulPartitionedCall/resnet50/conv1/Conv2D".
void shorten_own_names(std::vector<LayerOrigin>& origins) {
  const auto folder_of = [](const LayerOrigin& origin) {
    return origin.is_own_name ? origin.module.substr(0, origin.module.rfind('/') + 1)
                              : std::string();
  };
  std::optional<std::string> common;  // "StatefulPartitionedCall/resnet50/"
  for (const LayerOrigin& origin : origins) {
    const std::string folder = folder_of(origin);
    if (folder.empty()) continue;
    if (!common) common = folder;
    while (!folder.starts_with(*common)) {
      common->pop_back();
      common->resize(common->rfind('/') + 1);
    }
  }
  for (LayerOrigin& origin : origins) {
    const std::string folder = folder_of(origin);
    if (folder.empty()) continue;
    origin.module = folder.substr(folder == common ? 0 : common->size());
    origin.module.pop_back();
  }
}

std::vector<LayerOrigin> layer_origins(const std::vector<Emitted>& emitted) {
  std::vector<LayerOrigin> origins = each_of(emitted, origin_of);
  shorten_own_names(origins);
  return origins;
}

}  // namespace

NetworkSpec Emitter::network(Graph& graph, std::uint64_t batch) {
  NetworkSpec network;
  network.source = model_.source;
  network.batch = batch;
  network.assumptions = graph.notes;
  for (const Node* node : graph.order) at_node(model_.source, *node, [&] { emit(*node); });
  mark_shared();
  name_layers(layers_, layer_origins(emitted_));
  add_notes(network);
  if (!layers_.empty()) {
    const auto layers = std::make_shared<const std::deque<LayerSpec>>(std::move(layers_));
    network.unread = {layers->size(), [layers](std::size_t index) { return (*layers)[index]; }};
    return network;
  }
  if (!without_sizes_.empty())
    throw InputError(model_.source, "",
                     "expected nodes that compute something, got none; the sizes of " +
                         node_place(*without_sizes_.front()) + " are not known");
  network.assumptions.emplace_back(
      graph.has_dead_nodes || !empty_.empty()
          ? "nothing to evaluate beside what is left out"
          : "nothing to evaluate: its nodes are views and constants, which cost nothing");
  return network;
}

void Emitter::emit(const Node& node) {
  const bool has_no_sizes = std::ranges::any_of(
      node.outputs, [](const Value* output) { return is_read(output) && !output->sizes; });
  if (has_no_sizes) {
    if (is_essential(node)) fail_sizes(node);
    return without_sizes_.push_back(&node);
  }
  const bool is_empty =
      std::ranges::all_of(node.outputs, [](const Value* output) { return !has_elements(output); });
  if (is_empty) return empty_.push_back(&node);
  // The file may state a result's sizes without the operands'.
  const bool has_operands = std::ranges::all_of(
      node.inputs, [](const Value* input) { return input == nullptr || input->sizes; });
  if (!has_operands && is_essential(node)) fail_sizes(node);
  const bool has_first = node.op == "Concat" || has_elements(node.input(0));
  const Operator& row = *node.row;
  if (row.is_view) return emit_view(node);
  if (row.state == nullptr && row.state_behind == nullptr)
    return emit_bytes(node, "there is no rule for them");
  if (!has_operands) return emit_bytes(node, "the sizes of their operands are not known");
  if (!has_first) return emit_bytes(node, "their first operand has no elements");
  const auto operation =
      row.state != nullptr ? row.state(*this, node) : row.state_behind(*this, node);
  if (operation)
    add(node, *operation);
  else
    emit_bytes(node, no_fit);
  if (row.beside == nullptr) return;
  for (const Traffic& traffic : row.beside(node)) {
    Operation beside = operation_of(*this, node, {.computed_in = usual_type(node)});
    beside.row = find_row("traffic");
    beside.operands =
        each_of(traffic.read, [&](const Value* value) { return typed(*value, *value->sizes); });
    beside.results = each_of(traffic.written, [&](const Value* value) {
      return Tensor{.sizes = unsigned_sizes(*value->sizes), .type = result_type(*value)};
    });
    if (beside.results.empty())
      beside.results = {{.sizes = {1}, .type = beside.operands.front().type}};
    add(node, beside, traffic.part, traffic.written);
  }
}

void Emitter::add(const Node& node, const Operation& operation) {
  if (operation.row->build == nullptr) return emit_view(node);
  Layers layers = operation.row->build(operation);
  if (layers.empty()) return emit_bytes(node, no_fit);
  const LayerKind kind = layers.back().kind;
  add_layers(node, std::move(layers));
  for (std::size_t i = 0; i < operation.results.size(); ++i) writes(node.outputs[i]);
  shares_weights(node, kind);
}

void Emitter::add(const Node& node, const Operation& operation, const char* part,
                  const std::vector<Value*>& written) {
  add_layers(node, operation.row->build(operation), part);
  for (Value* result : written) writes(result);
}

/// A join of empty tensors and another is that.
void Emitter::emit_view(const Node& node) {
  const Value* operand = node.input(0);
  const auto full = std::ranges::find_if(node.inputs, has_elements);
  if (operand != nullptr && operand->sizes && !has_elements(operand) && full != node.inputs.end())
    operand = *full;
  for (Value* output : node.outputs) view(output, operand);
}

void Emitter::emit_bytes(const Node& node, const char* reason) {
  ++by_bytes_[reason][node.op];
  const auto operation = bytes_of(*this, node);
  add(node, *operation, "", node.outputs);
}

void Emitter::add_layers(const Node& node, Layers layers, const char* part) {
  for (LayerSpec& built : layers) {
    LayerSpec& spec = layers_.emplace_back(std::move(built));
    emitted_.push_back({&spec, &node, part});
    spec.place = {model_.source, node_place(node), false, spellings};
    spec.pass.reset();
    if (!spec.dtypes.weight) spec.dtypes.weight = spec.dtypes.input;
  }
}

void Emitter::writes(Value* result) {
  if (result != nullptr) result->layer = emitted_.size() - 1;
}

/// A table, a norm's scale, the second of two matrices, or the first if that is the constant.
void Emitter::shares_weights(const Node& node, LayerKind kind) {
  const KindFamily family = info(kind).family;
  const bool has_weights = is_any(family, KindFamily::norm, KindFamily::contraction,
                                  KindFamily::recurrent, KindFamily::deformable);
  const Value* weights = has_weights ? node.input(1) : nullptr;
  const bool is_first =
      kind == LayerKind::gather ||
      (kind == LayerKind::linear && !node.input(1)->is_constant && node.input(0)->is_constant);
  if (is_first) weights = node.input(0);
  if (weights != nullptr) emitted_.back().weights = weights->weights;
}

void Emitter::view(Value* result, const Value* operand) {
  if (result == nullptr || operand == nullptr) return;
  result->layer = operand->layer;
  result->learned = operand->learned;
  if (operand->stored_type != 0 && result->stored_type == 0)
    result->stored_type = operand->stored_type;
}

/// A parameter repeated along the batch is read once. Other constants are not learned.
Tensor Emitter::tensor(const Value& value, const Sizes& sizes) {
  Tensor tensor{.sizes = unsigned_sizes(sizes), .producer = value.layer};
  const std::int64_t elements = product_or_throw(sizes);
  if (value.layer || (!value.is_constant && value.learned == 0)) return tensor;
  const auto learned = static_cast<std::uint64_t>(elements <= 1 ? 0 : value.learned);
  const bool is_batch = tensor.rank() >= fewest_operand_sizes && tensor.sizes.front() > 1;
  if (is_batch && learned != static_cast<std::uint64_t>(elements) / tensor.sizes.front())
    return tensor;
  if (is_batch) tensor.sizes.front() = 1;
  tensor.learned = learned;
  return tensor;
}

DataType Emitter::usual_type(const Node& node) const {
  const Value* operand = first_tensor(node.inputs);
  return operand != nullptr ? type_of(*operand) : defaults_.dtype;
}

DataType Emitter::type_of(const Value& value) const {
  const DataType type = element_type(value.stored_type != 0 ? value.stored_type : value.type).type;
  const bool is_own = value.stored_type == 0 && (value.type == 0 || is_float(value.type));
  return is_own && defaults_.dtype_given ? defaults_.dtype : type;
}

DataType Emitter::result_type(const Value& value) const {
  const Node* reader = only_reader(&value);
  if (value.type == element::int32 && value.producer != nullptr && is_essential(*value.producer))
    return DataType::int32;
  const Value* read = reader != nullptr ? reader->outputs[0] : nullptr;
  const bool is_quantised =
      read != nullptr && (reader->op == "QuantizeLinear" || read->stored_type != 0);
  return type_of(is_quantised ? *read : value);
}

/// Products and tables that read one tensor share it. Norms may read one only because theirs are
/// equal (ones, before training): they share it in a module that runs several times.
void Emitter::mark_shared() {
  std::set<std::pair<const Value*, std::string>> seen;
  for (Emitted& emitted : emitted_) {
    const bool is_norm = info(emitted.spec->kind).family == KindFamily::norm;
    if (emitted.weights == nullptr) {
      emitted.spec->shared_weights = is_norm;  // a norm without weights counts none
      continue;
    }
    const std::string module = is_norm ? origin_of(emitted).module : std::string();
    emitted.spec->shared_weights = !seen.emplace(emitted.weights, module).second;
  }
}

void Emitter::add_notes(NetworkSpec& network) const {
  const auto nodes = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " node" : " nodes");
  };
  for (const auto& [reason, counts] : by_bytes_) {
    std::string note = "counted by their bytes alone, as " + reason;
    const char* before = ": ";
    for (const auto& [op, count] : counts) {
      note.append(std::exchange(before, ", ")).append(op);
      note.append(" (").append(nodes(count)).append(")");
    }
    network.assumptions.push_back(std::move(note));
  }
  const auto note = [&](const std::vector<const Node*>& left_out, const char* why) {
    if (!left_out.empty())
      network.assumptions.push_back("left out " + nodes(left_out.size()) + why + ", the first " +
                                    node_place(*left_out.front()));
  };
  note(without_sizes_, " whose sizes are not known");
  note(empty_, " whose results are empty");
}

Item read_onnx(ByteStream& stream) {
  return {[model = read_model(stream)](const LayerDefaults& defaults) {
    const Dimensions dimensions(*model, defaults);
    Graph graph = build_graph(*model, dimensions, defaults.as_pytorch_runs);
    simplify(graph, model->source, !defaults.as_pytorch_runs);
    std::string wrong;
    std::optional<NetworkSpec> program;
    if (defaults.as_pytorch_runs) program = network_as_pytorch_runs(*model, graph, defaults, wrong);
    const bool is_program = program.has_value();
    auto network = std::make_shared<NetworkSpec>(
        is_program ? *std::move(program)
                   : Emitter(*model, defaults).network(graph, dimensions.batch()));
    if (is_program) {
      network->batch = dimensions.batch();
      network->assumptions.insert(network->assumptions.begin(), graph.notes.begin(),
                                  graph.notes.end());
    } else if (defaults.as_pytorch_runs) {
      network->assumptions.push_back(
          "ONNX does not tell all operators that PyTorch runs (" + wrong +
          "); torch.export.save(torch.export.export(model, (x,)), \"model.pt2\") does");
    }
    network->name = network_name(model->source);
    network->has_dimensions = true;
    return network;
  }};
}

}  // namespace roofline::onnx_graph
