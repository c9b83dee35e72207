// What PyTorch runs of a model that its exporter wrote. Beside each node stands the operator that
// it is of, as torch.fx prints it. From these notes a program is made in the form of torch.export,
// with the sizes of the graph's tensors.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "load/json.hpp"
#include "load/recording.hpp"
#include "model/text.hpp"
#include "onnx/emitter.hpp"
#include "pytorch/formats.hpp"

namespace roofline::onnx_graph {
namespace {

using Texts = std::vector<std::string_view>;

/// The items of "%x, [2, 2], None)": up to the bracket that closes them.
Texts items_of(std::string_view list) {
  Texts items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size() && depth >= 0; ++i) {
    const char c = list[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth > 0 || (depth == 0 && c != ',')) continue;
    if (i > begin) items.push_back(list.substr(begin, i - begin));
    begin = i + 2;  // behind ", "
  }
  return items;
}

/// Empty where `begin` does not stand in it.
std::string_view text_behind(std::string_view text, std::string_view begin) {
  const std::size_t at = text.find(begin);
  return at == text.npos ? std::string_view() : text.substr(at + begin.size());
}

/// The nodes that one operator of the program became.
struct Group {
  std::string_view target;  ///< "torch.ops.aten.relu.default"
  Texts arguments;          ///< "%x", "[2, 2]"
  std::vector<const NodeProto*> nodes;

  bool is_of(std::string_view operators) const {
    const std::string_view op = text_behind(target, "torch.ops.aten.");
    return mentions(operators, {" " + std::string(op.substr(0, op.find('.'))) + " "});
  }
};

/// `%relu : [...] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})`
std::vector<Group> groups_of(const GraphProto& graph) {
  std::vector<Group> groups;
  std::unordered_map<std::string_view, std::size_t> by_text;
  for (const NodeProto& node : graph.nodes) {
    const std::string_view text = node.operator_text;
    // What the exporter's optimiser makes of several operators has no note.
    if (text.empty() && node.op == "Split")
      groups.push_back({"torch.ops.aten.split_with_sizes.default", {"%"}, {&node}});
    if (text.empty()) continue;
    const auto [found, is_new] = by_text.emplace(text, groups.size());
    if (is_new) {
      const std::string_view target = text_behind(text, "call_function[target=");
      groups.push_back(
          {target.substr(0, target.find(']')), items_of(text_behind(target, "(args = (")), {}});
    }
    groups[found->second].nodes.push_back(&node);
  }
  return groups;
}

/// "layer1_0_bn1_weight" of "layer1.0.BN1.weight", as programs name it behind "p_".
std::string parameter_key(std::string_view name) {
  std::string key = lower_case(name);
  std::replace(key.begin(), key.end(), '.', '_');
  return key;
}

/// PyTorch's number of a type of elements.
std::uint64_t scalar_type(int type) {
  constexpr std::pair<element::Type, std::uint64_t> numbers[] = {
      {element::uint8, 1},   {element::int8, 2},     {element::int32, 4},
      {element::int64, 5},   {element::float16, 6},  {element::float32, 7},
      {element::float64, 8}, {element::boolean, 12}, {element::bfloat16, 13}};
  for (const auto& [own, number] : numbers)
    if (own == type) return number;
  return 0;
}

// Operators with blanks around them.
constexpr std::string_view batch_norms =
    " batch_norm _native_batch_norm_legit_no_training _batch_norm_no_update ";
constexpr std::string_view convolutions =
    " conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d ";

/// Writes the program of a graph.
class ProgramWriter {
 public:
  ProgramWriter(const Model& model, const Graph& graph) : document_({model.source}) {
    for (const Value& value : graph.values) values_.emplace(value.name, &value);
    for (const TensorProto& tensor : model.graph.tensors)
      parameters_.emplace(parameter_key(tensor.name), values_.at(tensor.name));
    for (const ValueProto& input : model.graph.inputs)
      if (const Value& value = *values_.at(input.name); !value.is_constant && value.sizes) {
        add_tensor(input.name, value.type, *value.sizes);
        names_.emplace(&value, input.name);
        add_input(input.name, "user_input", as_tensor(input.name));
      }
    for (const NodeProto& node : model.graph.nodes)
      for (const std::string& input : node.inputs) ++reads_[input];
    for (const ValueProto& output : model.graph.outputs) ++reads_[output.name];
    for (const Group& group : groups_of(model.graph)) add(group);
  }

  bool is_empty() const { return nodes_.empty(); }

  /// As model.json has it; valid as long as the writer.
  roofline::Value program() {
    const std::vector<Member> tensors(tensors_.begin(), tensors_.end());
    const JsonNode graph = object(
        {{"inputs", list(inputs_)}, {"nodes", list(nodes_)}, {"tensor_values", object(tensors)}});
    const JsonNode signature = object({{"input_specs", list(specs_)}});
    document_.set_root(
        object({{"graph_module", object({{"graph", graph}, {"signature", signature}})}}));
    return document_.root();
  }

 private:
  using Member = std::pair<std::string_view, JsonNode>;
  using Members = std::vector<Member>;

  JsonNode text(std::string_view text) { return {document_.keep(text)}; }
  JsonNode list(const std::vector<JsonNode>& parts) {
    return {JsonNode::Elements{document_.keep(parts)}};
  }
  JsonNode object(const Members& members) {
    std::vector<JsonNode> parts;
    for (const auto& [key, node] : members) parts.push_back({node.content, document_.keep(key)});
    std::sort(parts.begin(), parts.end(),
              [](const JsonNode& a, const JsonNode& b) { return a.key < b.key; });
    return {JsonNode::Members{document_.keep(parts)}};
  }
  JsonNode named(std::string_view name) { return object({{"name", text(name)}}); }
  JsonNode as_tensor(std::string_view name) { return object({{"as_tensor", named(name)}}); }
  JsonNode as_text(std::string_view value) { return object({{"as_string", text(value)}}); }
  JsonNode none() { return object({{"as_none", {true}}}); }

  void add_tensor(std::string_view name, int type, const Sizes& sizes) {
    std::vector<JsonNode> parts;
    for (const std::int64_t size : sizes)
      parts.push_back(object({{"as_int", {static_cast<std::uint64_t>(size)}}}));
    tensors_.insert_or_assign(std::string(name),
                              object({{"sizes", list(parts)}, {"dtype", {scalar_type(type)}}}));
  }

  void add_input(std::string_view name, const char* kind, JsonNode argument) {
    inputs_.push_back(as_tensor(name));
    specs_.push_back(object({{kind, object({{"arg", argument}})}}));
  }

  JsonNode constant(std::string_view name, int type, const Sizes& sizes, bool is_learned) {
    add_tensor(name, type, sizes);
    add_input(name, is_learned ? "parameter" : "buffer", named(name));
    return as_tensor(name);
  }

  /// The tensor of the graph that has this name in the program; null where none has.
  const Value* find(std::string_view name) const {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const auto found =
        parameters_.find(std::string(name.substr(std::min<std::size_t>(2, name.size()))));
    return found != parameters_.end() ? found->second : nullptr;
  }

  /// A group with what its nodes read and no argument names.
  struct Operands {
    const Group& group;
    const Value& result;
    std::vector<const Value*> rest;
  };

  std::vector<const Value*> unnamed_operands(const Group& group) const {
    std::unordered_set<const Value*> known;
    for (const std::string_view argument : group.arguments)
      for (const std::string_view each : items_of(argument.substr(argument.starts_with('['))))
        if (each.starts_with('%')) known.insert(find(each.substr(1)));
    for (const NodeProto* node : group.nodes)
      for (const std::string& output : node->outputs) known.insert(values_.at(output));
    std::vector<const Value*> rest;
    for (const NodeProto* node : group.nodes)
      for (const std::string& input : node->inputs) {
        const auto found = values_.find(input);
        if (found == values_.end() || !known.insert(found->second).second) continue;
        const Value& value = *found->second;
        const bool is_shape = value.numbers && value.type == element::int64;
        if (value.is_constant ? value.sizes && !is_shape : names_.contains(&value))
          rest.push_back(&value);
      }
    return rest;
  }

  /// Exporters keep equal tensors once, transpose matrices, leave out biases of zeros and fold what
  /// a batch norm has: such a tensor is the one that is left over, or has a number for each
  /// feature.
  JsonNode parameter(Operands& operands, std::size_t place, std::string_view name) {
    const Group& group = operands.group;
    const Sizes& result = *operands.result.sizes;
    const bool is_product = group.is_of(" linear addmm ");
    const bool is_norm = group.is_of(batch_norms);
    const bool has_features = is_product || is_norm || group.is_of(convolutions);
    const bool is_vector = has_features && (is_norm || place == (group.is_of(" addmm ") ? 0 : 2));
    const Value* value = find(name);
    const auto left =
        std::find_if(operands.rest.begin(), operands.rest.end(), [&](const Value* each) {
          return each->is_constant && (!has_features || (each->sizes->size() == 1) == is_vector);
        });
    if (value == nullptr && left != operands.rest.end()) {
      value = *left;
      operands.rest.erase(left);
    }
    const bool is_learned = name.starts_with("p_");
    if (value == nullptr || !value->sizes) {
      if (!is_vector || result.empty()) return none();
      const std::size_t axis = is_product || result.size() < 2 ? result.size() - 1 : 1;
      return constant(name, operands.result.type, {result[axis]}, is_learned);
    }
    Sizes sizes = *value->sizes;
    if (group.is_of(" linear ") && sizes.size() == 2 && sizes[0] != result.back())
      std::swap(sizes[0], sizes[1]);
    return constant(name, value->type, sizes, is_learned);
  }

  /// The tensor that an argument names.
  JsonNode operand(Operands& operands, std::size_t place, std::string_view name) {
    if (tensors_.contains(std::string(name))) return as_tensor(name);
    if (name.starts_with("p_") || name.starts_with("b_")) return parameter(operands, place, name);
    const Value* value = find(name);
    if (value == nullptr && !operands.rest.empty()) {
      value = operands.rest.front();
      operands.rest.erase(operands.rest.begin());
    }
    if (value == nullptr) return none();
    if (const auto known = names_.find(value); known != names_.end())
      return as_tensor(known->second);
    if (!value->is_constant || !value->sizes) return none();
    names_.emplace(value, name);
    return constant(name, value->type, *value->sizes, value->learned > 0);
  }

  JsonNode argument(Operands& operands, std::size_t place) {
    const std::string_view stated = operands.group.arguments[place];
    if (stated.starts_with('%')) return operand(operands, place, stated.substr(1));
    if (stated == "None") return none();
    if (!stated.starts_with("[") || !operands.group.is_of(" cat stack index "))
      return as_text(stated);
    std::vector<JsonNode> tensors;
    for (const std::string_view each : items_of(stated.substr(1)))
      if (each.starts_with('%')) tensors.push_back(operand(operands, place, each.substr(1)));
    return object({{"as_optional_tensors", list(tensors)}});
  }

  void write(const NodeProto& node, std::string_view target, const std::string& module,
             const std::vector<JsonNode>& arguments, const Texts& results) {
    std::vector<JsonNode> inputs;
    std::vector<JsonNode> outputs;
    for (const JsonNode& each : arguments) inputs.push_back(object({{"arg", each}}));
    for (const std::string_view each : results) outputs.push_back(named(each));
    const JsonNode output = object({{"as_tensors", list(outputs)}});
    const JsonNode metadata =
        object({{"nn_module_stack", text("," + module)}, {"stack_trace", text(node.stack_trace)}});
    nodes_.push_back(object({{"target", text(target)},
                             {"inputs", list(inputs)},
                             {"outputs", list({output})},
                             {"metadata", metadata}}));
  }

  /// The convolution or product that the batch norm behind it was folded into.
  void add_folded(const Group& group, const Value& result) {
    const NodeProto& node = *group.nodes.front();
    const std::string_view made = group.arguments.front().substr(1);
    const Value* weight = node.inputs.size() < 2 ? nullptr : find(node.inputs[1]);
    const auto image = names_.find(find(node.inputs.front()));
    if (image == names_.end() || weight == nullptr || !weight->sizes ||
        tensors_.contains(std::string(made)))
      return;
    const std::size_t axes = std::max<std::size_t>(weight->sizes->size(), 2) - 2;
    const auto numbers = [&](const char* name) {
      const AttributeProto* found = find_in(node.attributes, name);
      if (found != nullptr && found->i) return as_text(std::to_string(*found->i));
      if (found == nullptr || found->ints.size() < axes) return none();
      return as_text(list_text(part(found->ints, 0, axes)));  // of paddings those in front
    };
    std::vector<JsonNode> arguments{
        as_tensor(image->second),
        constant(weight->name, weight->type, *weight->sizes, weight->learned > 0), none()};
    std::string target = "torch.ops.aten.linear";
    if (node.op == "Conv" || node.op == "ConvTranspose") {
      const bool is_transposed = node.op == "ConvTranspose";
      target = "torch.ops.aten.conv" + std::string(is_transposed ? "_transpose" : "") +
               std::to_string(axes) + "d";
      for (const char* name :
           {"strides", "pads", is_transposed ? "output_padding" : "dilations", "group"})
        arguments.push_back(numbers(name));
      if (is_transposed) arguments.push_back(numbers("dilations"));
    }
    add_tensor(made, result.type, *result.sizes);
    write(node, target, module_of_weight(weight->name), arguments, {made});
  }

  void add(const Group& group) {
    std::unordered_map<std::string_view, std::size_t> own_reads;
    for (const NodeProto* node : group.nodes)
      for (const std::string& input : node->inputs) ++own_reads[input];
    std::vector<const Value*> results;
    for (const NodeProto* node : group.nodes)
      for (const std::string& output : node->outputs)
        if (const auto found = values_.find(output);
            found != values_.end() && found->second->sizes && reads_[output] > own_reads[output])
          results.push_back(found->second);
    // Python's own operators and sym_size work out sizes.
    if (results.empty() || !group.target.starts_with("torch.ops.") || group.is_of(" sym_size "))
      return;
    const NodeProto& first = *group.nodes.front();
    std::string module = module_of_scopes(first.scopes);
    if (group.is_of(batch_norms) && group.nodes.size() == 1 && first.op != "BatchNormalization" &&
        !group.arguments.empty()) {
      add_folded(group, *results.front());
      module += " (folded by the exporter)";
    }
    Operands operands{group, *results.front(), unnamed_operands(group)};
    std::vector<JsonNode> arguments;
    for (std::size_t i = 0; i < group.arguments.size(); ++i)
      arguments.push_back(argument(operands, i));
    Texts names;
    for (const Value* value : results) {
      names.push_back(value->name);
      add_tensor(value->name, value->type, *value->sizes);
      names_.emplace(value, value->name);
    }
    write(first, group.target, module, arguments, names);
  }

  JsonDocument document_;
  std::unordered_map<std::string_view, const Value*> values_;
  std::unordered_map<std::string, const Value*> parameters_;  ///< by parameter_key
  std::unordered_map<std::string_view, std::size_t> reads_;
  std::unordered_map<const Value*, std::string> names_;  ///< in the program
  std::map<std::string, JsonNode> tensors_;
  std::vector<JsonNode> inputs_;
  std::vector<JsonNode> specs_;
  std::vector<JsonNode> nodes_;
};

}  // namespace

std::optional<NetworkSpec> network_as_pytorch_runs(const Model& model, const Graph& graph,
                                                   const LayerDefaults& defaults,
                                                   std::string& wrong) {
  ProgramWriter writer(model, graph);
  if (writer.is_empty()) return std::nullopt;
  LayerDefaults settings = defaults;
  settings.batch_override.reset();  // the graph has its sizes
  settings.dimensions.clear();
  try {
    return read_program(writer.program(), settings);
  } catch (const InputError& error) {
    wrong = error.what();
    return std::nullopt;
  }
}

}  // namespace roofline::onnx_graph
