// What PyTorch runs of a model that its exporter wrote. Beside each node stands the operator that
// it is of, as torch.fx prints it. From these notes a program is made in the form of torch.export,
// with the sizes of the graph's tensors.

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "load/json.hpp"
#include "load/recording.hpp"
#include "onnx/emitter.hpp"
#include "pytorch/formats.hpp"

namespace roofline::onnx_graph {
namespace {

using Texts = std::vector<std::string_view>;

/// The items of "%x, [2, 2], None)": up to the end or the bracket that closes them.
Texts items_of(std::string_view list) {
  Texts items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size() && depth >= 0; ++i) {
    const char c = i < list.size() ? list[i] : ')';
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

  /// `operators`: with blanks around each.
  bool is_of(std::string_view operators) const {
    const std::string_view op = text_behind(target, "torch.ops.aten.");
    return mentions(operators, {" " + std::string(op.substr(0, op.find('.'))) + " "});
  }
  bool is_batch_norm() const {
    return is_of(" batch_norm _native_batch_norm_legit_no_training _batch_norm_no_update ");
  }
};

/// `%relu : [...] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})`
std::vector<Group> groups_of(const GraphProto& graph) {
  std::vector<Group> groups;
  std::unordered_map<std::string_view, std::size_t> by_text;
  for (const NodeProto& node : graph.nodes) {
    const std::string_view text = node.operator_text;
    if (text.empty() && node.op == "Split")  // what an optimiser made of several slices
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

/// PyTorch's numbers of the types of elements, by ONNX's.
constexpr std::array<std::uint64_t, 17> scalar_types{0,  7, 1, 2, 0, 0, 4, 5, 0,
                                                     12, 6, 8, 0, 0, 0, 0, 13};

/// Sizes, axes, factors, which are no tensors in a program.
bool is_literal(const Value& value) {
  return value.numbers && (value.type == element::int64 || value.numbers->size() == 1);
}

class ProgramWriter {
 public:
  ProgramWriter(const Model& model, const Graph& graph) : document_({model.source}) {
    for (const Value& value : graph.values) values_.emplace(value.name, &value);
    for (const ValueProto& input : model.graph.inputs)
      if (const Value& value = *values_.at(input.name); !value.is_constant && value.sizes)
        names_.emplace(&value, declare(input.name, value.type, *value.sizes, "user_input"));
    for (const Group& group : groups_of(model.graph)) add(group);
    for (const ValueProto& output : model.graph.outputs)
      if (const Value* value = find(output.name); value != nullptr) require(*value);
  }

  /// As model.json has it; valid as long as the writer.
  roofline::Value program() {
    const JsonNode graph = object({{"inputs", list(inputs_)},
                                   {"nodes", list(nodes_)},
                                   {"tensor_values", object({tensors_.begin(), tensors_.end()})}});
    const JsonNode signature = object({{"input_specs", list(specs_)}});
    document_.set_root(
        object({{"graph_module", object({{"graph", graph}, {"signature", signature}})}}));
    return document_.root();
  }

 private:
  JsonNode text(std::string_view text) { return {document_.keep(text)}; }
  JsonNode list(const std::vector<JsonNode>& parts) {
    return {JsonNode::Elements{document_.keep(parts)}};
  }
  JsonNode object(const std::map<std::string_view, JsonNode>& members) {
    std::vector<JsonNode> parts;
    parts.reserve(members.size());
    for (const auto& [key, node] : members) parts.push_back({node.content, document_.keep(key)});
    return {JsonNode::Members{document_.keep(parts)}};
  }
  JsonNode as_text(std::string_view value) { return object({{"as_string", text(value)}}); }
  JsonNode none() { return object({{"as_none", {true}}}); }
  JsonNode as_tensor(std::string_view name) {
    return object({{"as_tensor", object({{"name", text(name)}})}});
  }

  std::string_view add_tensor(std::string_view name, int type, const Sizes& sizes) {
    std::vector<JsonNode> parts;
    for (const std::int64_t size : sizes)
      parts.push_back(object({{"as_int", {static_cast<std::uint64_t>(size)}}}));
    const auto number = static_cast<std::size_t>(type);
    const JsonNode dtype{number < scalar_types.size() ? scalar_types[number] : 0};
    tensors_[document_.keep(name)] = object({{"sizes", list(parts)}, {"dtype", dtype}});
    return tensors_.find(name)->first;
  }

  /// An input of the program of that kind: the user's, a parameter or a buffer.
  std::string_view declare(std::string_view name, int type, const Sizes& sizes, const char* kind) {
    const JsonNode tensor = as_tensor(name);
    inputs_.push_back(tensor);
    const auto argument =
        object({{"as_tensor", object({{"name", text(name)}})}, {"name", text(name)}});
    specs_.push_back(object({{kind, object({{"arg", argument}})}}));
    return add_tensor(name, type, sizes);
  }

  /// The tensor of the graph; null where none has that name.
  const Value* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() ? found->second : nullptr;
  }

  /// A group with what its nodes read and no argument of it names.
  struct Operands {
    const Group& group;
    const Value& result;
    std::vector<const Value*> rest = {};

    const Value* take(bool is_constant) {
      const auto found = std::find_if(rest.begin(), rest.end(), [&](const Value* each) {
        return each->is_constant == is_constant;
      });
      if (found == rest.end()) return nullptr;
      const Value* taken = *found;
      rest.erase(found);
      return taken;
    }
  };

  void find_rest(Operands& operands) const {
    constexpr std::size_t most = 64;
    std::unordered_set<const Value*> known;
    for (const std::string_view argument : operands.group.arguments)
      for (const std::string_view each : items_of(argument.substr(argument.starts_with('['))))
        known.insert(find(each.substr(1)));
    std::unordered_set<const Value*> own;
    for (const NodeProto* node : operands.group.nodes)
      for (const std::string& output : node->outputs) own.insert(find(output));
    for (const NodeProto* node : operands.group.nodes)
      for (const std::string& input : node->inputs) {
        const Value* value = find(input);
        if (value == nullptr || own.contains(value)) continue;
        require(*value);
        if (operands.rest.size() < most && !is_literal(*value) && known.insert(value).second)
          operands.rest.push_back(value);
      }
  }

  /// What is no constant of the graph is a tensor of the program. Throws InputError.
  void require(const Value& value) const {
    if (value.is_constant ? !value.sizes : !names_.contains(&value))
      throw InputError(document_.origin().source, "",
                       "expected a note of what gives \"" + value.name + "\", got none");
  }

  /// The exporter keeps equal tensors once, transposes matrices, leaves out biases of zeros and
  /// folds batch norms: the sizes of those follow from the result, and other tensors are those
  /// left.
  JsonNode parameter(Operands& operands, std::size_t place, std::string_view name) {
    const Group& group = operands.group;
    const Sizes& result = *operands.result.sizes;
    const char* kind = name.starts_with("p_") ? "parameter" : "buffer";
    const bool is_linear = group.is_of(" linear ");
    const bool is_product = is_linear || group.is_of(" addmm ");
    const bool is_convolution = group.is_of(" conv1d conv2d conv3d conv_transpose2d ");
    const bool is_bias = is_product ? place == (is_linear ? 2 : 0) : is_convolution && place == 2;
    if ((is_bias || group.is_batch_norm()) && result.size() > 1) {
      const std::int64_t features = is_product ? result.back() : result[1];
      return as_tensor(declare(name, operands.result.type, {features}, kind));
    }
    const Value* value = operands.take(true);
    if (value == nullptr) return none();
    Sizes sizes = *value->sizes;
    if (is_linear && sizes.size() == 2 && sizes[0] != result.back()) std::swap(sizes[0], sizes[1]);
    return as_tensor(declare(name, value->type, sizes, kind));
  }

  /// The tensor that an argument names.
  JsonNode operand(Operands& operands, std::size_t place, std::string_view name) {
    if (tensors_.contains(name)) return as_tensor(name);
    if (name.starts_with("p_") || name.starts_with("b_")) return parameter(operands, place, name);
    const Value* value = find(name);
    if (value == nullptr) value = operands.take(false);
    if (value == nullptr) value = operands.take(true);
    if (value == nullptr) return none();
    const auto known = names_.find(value);
    if (known == names_.end())
      return value->is_constant ? as_tensor(declare(name, value->type, *value->sizes, "buffer"))
                                : none();
    // The exporter drops copies. Of a transposed tensor it was one; others were dropouts.
    const bool is_copy = name.starts_with("clone") && value->producer != nullptr &&
                         value->producer->op == "Transpose";
    if (!is_copy) return as_tensor(known->second);
    const NodeProto& node = *operands.group.nodes.front();
    write(node, "torch.ops.aten.contiguous.default", {as_tensor(known->second)},
          {add_tensor(name, value->type, *value->sizes)}, module_of_scopes(node.scopes));
    return as_tensor(name);
  }

  JsonNode argument(Operands& operands, std::size_t place) {
    const std::string_view stated = operands.group.arguments[place];
    if (stated.starts_with('%')) return operand(operands, place, stated.substr(1));
    if (stated == "None") return none();
    if (!stated.starts_with('[') || !operands.group.is_of(" cat stack index "))
      return as_text(stated);
    std::vector<JsonNode> tensors;
    for (const std::string_view each : items_of(stated.substr(1)))
      if (each.starts_with('%')) tensors.push_back(operand(operands, place, each.substr(1)));
    return object({{"as_optional_tensors", list(tensors)}});
  }

  void write(const NodeProto& node, std::string_view target, const std::vector<JsonNode>& arguments,
             const Texts& results, const std::string& module) {
    std::vector<JsonNode> inputs;
    std::vector<JsonNode> outputs;
    inputs.reserve(arguments.size());
    outputs.reserve(results.size());
    for (const JsonNode& each : arguments) inputs.push_back(object({{"arg", each}}));
    for (const std::string_view each : results) outputs.push_back(object({{"name", text(each)}}));
    nodes_.push_back(object({{"target", text(target)},
                             {"inputs", list(inputs)},
                             {"outputs", list({object({{"as_tensors", list(outputs)}})})},
                             {"metadata", object({{"nn_module_stack", text("," + module)},
                                                  {"stack_trace", text(node.stack_trace)}})}}));
  }

  /// The convolution or product that the batch norm behind it was folded into.
  void add_folded(const Group& group, const Value& result) {
    const NodeProto& node = *group.nodes.front();
    const std::string_view made = group.arguments.front().substr(1);
    const Value* weight = node.inputs.size() < 2 ? nullptr : find(node.inputs[1]);
    const auto image = names_.find(find(node.inputs.front()));
    if (image == names_.end() || weight == nullptr || !weight->sizes || tensors_.contains(made))
      return;
    const std::size_t axes = std::max<std::size_t>(weight->sizes->size(), 2) - 2;
    declare(weight->name, weight->type, *weight->sizes, "parameter");
    std::vector<JsonNode> arguments{as_tensor(image->second), as_tensor(weight->name), none()};
    const auto add_numbers = [&](const char* name) {
      const AttributeProto* found = find_in(node.attributes, name);
      const bool is_list = found != nullptr && found->ints.size() >= axes;
      arguments.push_back(
          is_list ? as_text(list_text(part(found->ints, 0, axes)))
                  : as_text(std::to_string(found != nullptr ? found->i.value_or(1) : 1)));
    };
    std::string target = "torch.ops.aten.linear";
    if (node.op == "Conv") {
      target = "torch.ops.aten.conv" + std::to_string(axes) + "d";
      for (const char* name : {"strides", "pads", "dilations", "group"}) add_numbers(name);
    } else if (node.op == "ConvTranspose") {
      target = "torch.ops.aten.conv_transpose" + std::to_string(axes) + "d";
      for (const char* name : {"strides", "pads", "output_padding", "group", "dilations"})
        add_numbers(name);
    }
    write(node, target, arguments, {add_tensor(made, result.type, *result.sizes)},
          module_of_weight(weight->name));
  }

  void add(const Group& group) {
    std::unordered_set<std::string_view> read;
    for (const NodeProto* node : group.nodes) read.insert(node->inputs.begin(), node->inputs.end());
    std::vector<const Value*> results;
    for (const NodeProto* node : group.nodes)
      for (const std::string& output : node->outputs)
        if (const Value* value = find(output);
            value != nullptr && value->sizes && !is_literal(*value) && !read.contains(output))
          results.push_back(value);
    // Python's own operators and sym_size work out sizes.
    const bool is_operator = group.target.starts_with("torch.ops.") && !group.is_of(" sym_size ");
    if (results.empty() || group.arguments.empty() || !is_operator) return;
    const NodeProto& first = *group.nodes.front();
    std::string module = module_of_scopes(first.scopes);
    if (group.is_batch_norm() && first.op != "BatchNormalization") {
      add_folded(group, *results.front());
      module += " (folded by the exporter)";
    }
    Operands operands{group, *results.front()};
    find_rest(operands);
    std::vector<JsonNode> arguments;
    for (std::size_t i = 0; i < group.arguments.size(); ++i)
      arguments.push_back(argument(operands, i));
    // Views that the exporter joined with those before them are what the node says; a norm without
    // running statistics has no places for them.
    std::string_view target = group.target;
    if (group.is_of(" unsqueeze squeeze ")) target = "torch.ops.aten.view.default";
    const AttributeProto* order = find_in(first.attributes, "perm");
    if (group.nodes.size() == 1 && order != nullptr) {
      target = "torch.ops.aten.permute.default";
      arguments = {arguments.front(), as_text(list_text(order->ints))};
    }
    if (target.ends_with(".no_stats") && arguments.size() > 3)
      arguments.insert(arguments.begin() + 3, 2, none());
    Texts names;
    for (const Value* value : results) {
      names.push_back(add_tensor(value->name, value->type, *value->sizes));
      names_.emplace(value, names.back());
    }
    write(first, target, arguments, names, module);
  }

  JsonDocument document_;
  std::unordered_map<std::string_view, const Value*> values_;
  std::unordered_map<const Value*, std::string_view> names_;  ///< in the program
  std::map<std::string_view, JsonNode> tensors_;
  std::vector<JsonNode> inputs_;
  std::vector<JsonNode> specs_;
  std::vector<JsonNode> nodes_;
};

}  // namespace

std::optional<NetworkSpec> network_as_pytorch_runs(const Model& model, const Graph& graph,
                                                   const LayerDefaults& defaults,
                                                   std::string& wrong) {
  const bool has_notes =
      std::any_of(model.graph.nodes.begin(), model.graph.nodes.end(),
                  [](const NodeProto& node) { return !node.operator_text.empty(); });
  if (!has_notes) return std::nullopt;
  LayerDefaults settings = defaults;
  settings.batch_override.reset();  // the graph has its sizes
  settings.dimensions.clear();
  try {
    ProgramWriter writer(model, graph);
    return read_program(writer.program(), settings);
  } catch (const InputError& error) {
    wrong = error.where + (error.where.empty() ? "" : ": ") + error.message;
    return std::nullopt;
  }
}

}  // namespace roofline::onnx_graph
