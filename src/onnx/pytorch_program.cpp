// PyTorch's operators as its exporter notes them beside nodes, in torch.fx' form. They become a
// program of torch.export with the graph's sizes.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "load/recording.hpp"
#include "model/text.hpp"
#include "onnx/emitter.hpp"
#include "pytorch/exported_program.hpp"

namespace roofline::onnx_graph {
namespace {

using Texts = std::vector<std::string_view>;

/// The items of "%x, [2, 2], None)": up to the end or the closing bracket.
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

/// Empty if `begin` does not occur.
std::string_view text_behind(std::string_view text, std::string_view begin) {
  const std::size_t at = text.find(begin);
  return at == text.npos ? std::string_view() : text.substr(at + begin.size());
}

struct Group {
  std::string_view target;  ///< "torch.ops.aten.relu.default"
  Texts arguments;          ///< "%x", "[2, 2]"
  std::vector<const NodeProto*> nodes;

  /// `operators`: names between blanks.
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
    if (text.empty() && node.op == "Split")  // several slices joined by an optimiser
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

/// Sizes, axes and factors are no tensors in a program.
bool is_literal(const Value& value) {
  return value.numbers && (value.type == element::int64 || value.numbers->size() == 1);
}

class NotedProgram {
 public:
  NotedProgram(const Model& model, const Graph& graph, const LayerDefaults& defaults)
      : source_(model.source), reader_(model.source, defaults) {
    for (const Value& value : graph.values) values_.emplace(value.name, &value);
    for (const ValueProto& input : model.graph.inputs)
      if (const Value& value = *values_.at(input.name); !value.is_constant && value.sizes) {
        declare(input.name, value.type, *value.sizes, "user_input");
        names_.emplace(&value, input.name);
      }
    for (const Group& group : groups_of(model.graph)) add(group);
    for (const ValueProto& output : model.graph.outputs)
      if (const Value* value = find(output.name); value != nullptr) require(*value);
  }

  NetworkSpec network() && { return std::move(reader_).network(); }

 private:
  TensorArgument tensor(int type, const Sizes& sizes) const {
    return reader_.tensor({sizes.begin(), sizes.end()}, element_type_in_onnx(type));
  }

  /// An input of the program: the user's, a parameter or a buffer.
  Argument declare(std::string_view name, int type, const Sizes& sizes, std::string_view kind) {
    return as_tensor(tensors_[name] = reader_.input(tensor(type, sizes), name, kind));
  }

  static Argument as_tensor(const TensorArgument& tensor) { return {.tensors = {tensor}}; }

  const Value* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() ? found->second : nullptr;
  }

  /// A group, and what its nodes read beside its named arguments.
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

  /// Every tensor but a constant must be in the program. Throws InputError.
  void require(const Value& value) const {
    if (value.is_constant ? !value.sizes : !names_.contains(&value))
      throw InputError(source_, "",
                       "expected a note of what gives " + in_quotes(value.name) + ", got none");
  }

  /// The exporter merges equal tensors, transposes matrices, drops zero biases and folds batch
  /// norms: their sizes follow from the result.
  Argument parameter(Operands& operands, std::size_t place, std::string_view name) {
    const Group& group = operands.group;
    const Sizes& result = *operands.result.sizes;
    const char* kind = name.starts_with("p_") ? "parameter" : "buffer";
    const bool is_linear = group.is_of(" linear ");
    const bool is_product = is_linear || group.is_of(" addmm ");
    const bool is_convolution = group.is_of(" conv1d conv2d conv3d conv_transpose2d ");
    const bool is_bias = is_product ? place == (is_linear ? 2 : 0) : is_convolution && place == 2;
    if ((is_bias || group.is_batch_norm()) && result.size() > 1) {
      const std::int64_t features = is_product ? result.back() : result[1];
      return declare(name, operands.result.type, {features}, kind);
    }
    const Value* value = operands.take(true);
    if (value == nullptr) return {};
    Sizes sizes = *value->sizes;
    if (is_linear && sizes.size() == 2 && sizes[0] != result.back()) std::swap(sizes[0], sizes[1]);
    return declare(name, value->type, sizes, kind);
  }

  Argument operand(Operands& operands, std::size_t place, std::string_view name) {
    if (const auto made = tensors_.find(name); made != tensors_.end())
      return as_tensor(made->second);
    if (name.starts_with("p_") || name.starts_with("b_")) return parameter(operands, place, name);
    const Value* value = find(name);
    if (value == nullptr) value = operands.take(false);
    if (value == nullptr) value = operands.take(true);
    if (value == nullptr) return {};
    const auto known = names_.find(value);
    if (known == names_.end())
      return value->is_constant ? declare(name, value->type, *value->sizes, "buffer") : Argument();
    // The exporter drops clones: a copy of a transposed tensor, or else a dropout.
    const bool is_copy = name.starts_with("clone") && value->producer != nullptr &&
                         value->producer->op == "Transpose";
    Argument made = as_tensor(tensors_.at(known->second));
    if (!is_copy) return made;
    const NodeProto& node = *operands.group.nodes.front();
    run(node, "torch.ops.aten.contiguous.default", {made},
        {{name, tensor(value->type, *value->sizes)}}, module_of_scopes(node.scopes));
    return as_tensor(tensors_.at(name));
  }

  Argument argument(Operands& operands, std::size_t place) {
    const std::string_view stated = operands.group.arguments[place];
    if (stated.starts_with('%')) return operand(operands, place, stated.substr(1));
    if (stated == "None") return {};
    if (!stated.starts_with('[') || !operands.group.is_of(" cat stack index "))
      return {.value = std::string(stated)};
    Argument list{.is_list = true};
    for (const std::string_view each : items_of(stated.substr(1)))
      if (each.starts_with('%'))
        for (TensorArgument& tensor : operand(operands, place, each.substr(1)).tensors)
          list.tensors.push_back(std::move(tensor));
    return list;
  }

  using Results = std::vector<std::pair<std::string_view, TensorArgument>>;

  void run(const NodeProto& proto, std::string_view target, std::vector<Argument> arguments,
           Results results, std::string module) {
    roofline::Node node(target);
    node.name = results.front().first;
    node.arguments = std::move(arguments);
    node.results.reserve(results.size());
    for (auto& [name, tensor] : results) node.results.push_back(std::move(tensor));
    reader_.run(node, std::move(module), proto.stack_trace);
    for (std::size_t i = 0; i < results.size(); ++i)
      tensors_[results[i].first] = std::move(node.results[i]);
  }

  void add_folded(const Group& group, const Value& result) {
    const NodeProto& node = *group.nodes.front();
    const std::string_view made = group.arguments.front().substr(1);
    const Value* weight = node.inputs.size() < 2 ? nullptr : find(node.inputs[1]);
    const auto image = names_.find(find(node.inputs.front()));
    if (image == names_.end() || weight == nullptr || !weight->sizes || tensors_.contains(made))
      return;
    const std::size_t axes = std::max<std::size_t>(weight->sizes->size(), 2) - 2;
    std::vector<Argument> arguments{
        as_tensor(tensors_.at(image->second)),
        declare(weight->name, weight->type, *weight->sizes, "parameter"),
        {}};
    const auto add_numbers = [&](const char* name) {
      const AttributeProto* found = find_in(node.attributes, name);
      std::string text = "1";
      if (found != nullptr)
        text = found->ints.size() >= axes ? list_text(part(found->ints, 0, axes))
                                          : std::to_string(found->i.value_or(1));
      arguments.push_back({.value = text});
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
    run(node, target, std::move(arguments), {{made, tensor(result.type, *result.sizes)}},
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
    // Python's own operators and sym_size compute sizes.
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
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < group.arguments.size(); ++i)
      arguments.push_back(argument(operands, i));
    // Views joined with earlier ones follow the node. Norms without running statistics lack
    // arguments.
    std::string_view target = group.target;
    if (group.is_of(" unsqueeze squeeze ")) target = "torch.ops.aten.view.default";
    const AttributeProto* order = find_in(first.attributes, "perm");
    if (group.nodes.size() == 1 && order != nullptr) {
      target = "torch.ops.aten.permute.default";
      arguments = {arguments.front(), {.value = list_text(order->ints)}};
    }
    if (target.ends_with(".no_stats") && arguments.size() > 3)
      arguments.insert(arguments.begin() + 3, 2, Argument());
    Results made;
    made.reserve(results.size());
    for (const Value* value : results) {
      made.emplace_back(value->name, tensor(value->type, *value->sizes));
      names_.emplace(value, value->name);
    }
    run(first, target, std::move(arguments), std::move(made), std::move(module));
  }

  const std::string& source_;
  ProgramReader reader_;
  std::unordered_map<std::string_view, const Value*> values_;
  std::unordered_map<const Value*, std::string_view> names_;  ///< in the program
  std::unordered_map<std::string_view, TensorArgument> tensors_;
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
    return NotedProgram(model, graph, settings).network();
  } catch (const InputError& error) {
    wrong = error.where + (error.where.empty() ? "" : ": ") + error.message;
    return std::nullopt;
  }
}

}  // namespace roofline::onnx_graph
