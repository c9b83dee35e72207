#include <algorithm>
#include <set>
#include <utility>

#include "load/network_reader.hpp"
#include "model/text.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// ONNX's names of attributes that layer files name otherwise.
const SharedValue<Spellings> spellings =
    Spellings{{"kernel_size", "kernel_shape"}, {"stride", "strides"}, {"padding", "pads"},
              {"dilation", "dilations"},       {"groups", "group"},   {"input", "input"}};

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

}  // namespace

NetworkSpec Emitter::network(Graph& graph, std::uint64_t batch) {
  NetworkSpec network;
  network.source = model_.source;
  network.batch = batch;
  network.assumptions = graph.notes;
  for (const Node* node : graph.order) at_node(model_.source, *node, [&] { emit(*node); });
  mark_shared();
  set_names();
  add_notes(network);
  if (!layers_.empty()) {
    const auto layers = std::make_shared<const std::deque<LayerSpec>>(std::move(layers_));
    network.unread = {layers->size(), [layers](std::size_t index) { return (*layers)[index]; }};
    return network;
  }
  if (without_sizes_.nodes > 0)
    throw InputError(model_.source, "",
                     "expected nodes that compute something, got none; the sizes of " +
                         without_sizes_.first + " are not known");
  network.assumptions.emplace_back(
      "nothing to evaluate: its nodes are views and constants, which cost nothing");
  return network;
}

void Emitter::emit(const Node& node) {
  const bool has_no_sizes = std::ranges::any_of(
      node.outputs, [](const Value* output) { return is_read(output) && !output->sizes; });
  if (has_no_sizes) {
    if (is_essential(node)) fail_sizes(node);
    return without_sizes_.add(node);
  }
  const bool is_empty =
      std::ranges::all_of(node.outputs, [](const Value* output) { return !has_elements(output); });
  if (is_empty) return empty_.add(node);
  // The file may state a result's sizes without the operands'.
  const bool has_operands = std::ranges::all_of(
      node.inputs, [](const Value* input) { return input == nullptr || input->sizes; });
  if (!has_operands && is_essential(node)) fail_sizes(node);
  const bool has_first = node.op == "Concat" || has_elements(node.input(0));
  if (node.row->layer == nullptr) return emit_by_bytes(*this, node, no_rule);
  if (node.row->layer == emit_view) return emit_view(*this, node);
  if (!has_operands) return emit_by_bytes(*this, node, "the sizes of their operands are not known");
  if (!has_first) return emit_by_bytes(*this, node, "their first operand has no elements");
  node.row->layer(*this, node);
}

LayerSpec& Emitter::add(const Node& node, LayerKind kind, const char* part) {
  LayerSpec& spec = layers_.emplace_back();
  drafts_.push_back({&spec, &node, part});
  spec.kind = kind;
  spec.place = {model_.source, node_place(node), false, spellings};
  const Value* operand = first_tensor(node.inputs);
  const Value* result = first_tensor(node.outputs);
  spec.dtypes.input = operand != nullptr ? type_of(*operand) : defaults_.dtype;
  spec.dtypes.weight = spec.dtypes.input;
  spec.dtypes.output = result != nullptr ? result_type(*result) : *spec.dtypes.input;
  if (std::string_view(part).empty()) writes(node.outputs[0]);
  return spec;
}

void Emitter::writes(Value* result) {
  if (result != nullptr) result->layer = drafts_.size() - 1;
}

void Emitter::view(Value* result, const Value* operand) {
  if (result == nullptr || operand == nullptr) return;
  result->layer = operand->layer;
  result->learned = operand->learned;
  if (operand->stored_type != 0 && result->stored_type == 0)
    result->stored_type = operand->stored_type;
}

OperandSpec Emitter::operand(const Value& value, const Sizes& sizes) {
  OperandSpec spec;
  spec.sizes = layer_sizes(sizes);
  spec.whole = true;
  const std::int64_t elements = product_or_throw(sizes);
  if (value.layer) {
    spec.layer = std::to_string(*value.layer);
    return spec;
  }
  if (!value.is_constant && value.learned == 0) return spec;
  // A parameter repeated along the batch is read once. Other constants are not learned.
  std::uint64_t& batch = spec.sizes.front();
  const auto learned = static_cast<std::uint64_t>(elements <= 1 ? 0 : value.learned);
  const std::uint64_t one = static_cast<std::uint64_t>(elements) / batch;
  if (batch > 1 && learned == one) batch = 1;
  spec.is_parameter = batch == 1;
  const std::uint64_t stated = batch == 1 ? one : static_cast<std::uint64_t>(elements);
  if (spec.is_parameter && learned != stated) spec.parameters = learned;
  return spec;
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
  for (Draft& draft : drafts_) {
    const bool is_norm = info(draft.spec->kind).family == KindFamily::norm;
    if (draft.weights == nullptr) {
      draft.spec->shared_weights = is_norm;  // a norm without weights counts none
      continue;
    }
    const std::string module = is_norm ? module_of(draft) : std::string();
    draft.spec->shared_weights = !seen.emplace(draft.weights, module).second;
  }
}

void Emitter::set_names() {
  const std::vector<std::string> names = layer_names(layer_origins(drafts_));
  const auto resolve = [&](OperandSpec& operand) {
    if (!operand.layer.empty()) operand.layer = names[std::stoul(operand.layer)];
  };
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    LayerSpec& spec = layers_[i];
    spec.name = names[i];
    if (spec.input) resolve(*spec.input);
    for (OperandSpec& each : spec.inputs) resolve(each);
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
  const auto note = [&](const LeftOut& left_out, const char* why) {
    if (left_out.nodes > 0)
      network.assumptions.push_back("left out " + nodes(left_out.nodes) + why + ", the first " +
                                    left_out.first);
  };
  note(without_sizes_, " whose sizes are not known");
  note(empty_, " whose results are empty");
}

Item read_onnx(ByteStream& stream) {
  return {[model = read_model(stream)](const LayerDefaults& defaults) {
    const Dimensions dimensions(*model, defaults);
    Graph graph = build_graph(*model, dimensions);
    simplify(graph, model->source);
    auto network =
        std::make_shared<NetworkSpec>(Emitter(*model, defaults).network(graph, dimensions.batch()));
    if (defaults.as_pytorch_runs)
      network->assumptions.emplace_back(
          "ONNX does not say which operators PyTorch runs, such as batch norms that are folded "
          "into convolutions; torch.export.save(torch.export.export(model, (x,)), \"model.pt2\") "
          "does");
    network->name = network_name(model->source);
    network->has_dimensions = true;
    return network;
  }};
}

}  // namespace roofline::onnx_graph
