#include "onnx/builder.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "onnx/operators.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

using Values = std::vector<Value*>;

/// The names of a graph or function, within those of the graph around it.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string, Value*> values;
  std::string path;  ///< prefix of node names: the calls and branches around it
  const Versions* versions = nullptr;
  const Call* call = nullptr;

  /// None where nothing has that name; null where an optional input of a function is left out.
  std::optional<Value*> find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
      if (const auto found = scope->values.find(name); found != scope->values.end())
        return found->second;
    return std::nullopt;
  }
};

// A model of a few kilobytes may state a graph of any size by functions that call functions, and by
// loops: what it is written out to is bounded. Large models have tens of thousands of nodes.
constexpr std::size_t most_nodes = 200000;
constexpr std::size_t most_operands = 1000000;
constexpr std::size_t most_values = 1000000;
constexpr std::size_t most_numbers_in_all = std::size_t{1} << 25;
constexpr std::size_t deepest_graph = 64;
constexpr std::size_t longest_path = 1000;

[[noreturn]] void fail_written_out(std::size_t most, const char* what) {
  throw NodeError{"expected at most " + std::to_string(most) + " " + what +
                  " once functions and loops are written out, got more"};
}

using Names = std::vector<const std::string*>;

/// Adds the names of everything that a node reads, graphs inside it included.
void add_reads(const NodeProto& node, Names& reads) {
  for (const std::string& name : node.inputs) reads.push_back(&name);
  for (const AttributeProto& attribute : node.attributes) {
    if (attribute.graph == nullptr) continue;
    const GraphProto& graph = *attribute.graph;
    std::unordered_set<std::string_view> own;
    Names inside;
    for (const TensorProto& tensor : graph.tensors) own.insert(tensor.name);
    for (const ValueProto& input : graph.inputs) own.insert(input.name);
    for (const NodeProto& inner : graph.nodes) {
      own.insert(inner.outputs.begin(), inner.outputs.end());
      add_reads(inner, inside);
    }
    for (const ValueProto& output : graph.outputs) inside.push_back(&output.name);
    for (const std::string* name : inside)
      if (!own.contains(*name)) reads.push_back(name);
  }
}

/// The nodes so that each comes after those that it reads from. Throws InputError naming a cycle.
std::vector<const NodeProto*> in_order(const std::vector<NodeProto>& nodes,
                                       const std::string& source) {
  std::unordered_map<std::string_view, std::size_t> maker;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& name : nodes[i].outputs)
      if (!name.empty()) maker[name] = i;
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> waits_for(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Names reads;
    add_reads(nodes[i], reads);
    for (const std::string* name : reads) {
      const auto found = maker.find(*name);
      if (found == maker.end()) continue;
      readers[found->second].push_back(i);
      ++waits_for[i];
    }
  }
  std::vector<const NodeProto*> order;
  std::vector<std::size_t> ready;
  for (std::size_t i = nodes.size(); i-- > 0;)
    if (waits_for[i] == 0) ready.push_back(i);
  while (!ready.empty()) {
    const std::size_t next = ready.back();
    ready.pop_back();
    order.push_back(&nodes[next]);
    for (std::size_t i = readers[next].size(); i-- > 0;)
      if (--waits_for[readers[next][i]] == 0) ready.push_back(readers[next][i]);
  }
  if (order.size() == nodes.size()) return order;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (waits_for[i] != 0)
      throw InputError(source, "",
                       "expected nodes without a cycle, got one through " + node_place(nodes[i]));
  return order;
}

Values inputs_of(const NodeProto& proto, const Scope& scope) {
  Values inputs;
  for (const std::string& name : proto.inputs) {
    const auto found = name.empty() ? std::optional<Value*>(nullptr) : scope.find(name);
    if (!found)
      throw NodeError{"expected an input that the model, a tensor of it or a node gives, got \"" +
                      name + "\""};
    inputs.push_back(*found);
  }
  return inputs;
}

/// Parameters behind a result that follows from constants alone: those of its largest operand, of
/// all of them where they are joined.
std::int64_t learned_behind(const Node& node) {
  if (!is_float(node.outputs[0]->type)) return 0;
  std::int64_t learned = 0;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (node.op != "Concat")
      learned = std::max(learned, input->learned);
    else if (__builtin_add_overflow(learned, input->learned, &learned))
      throw OverflowError();
  }
  return learned;
}

/// Whether a tensor of the file has a name that its exporter made up for a constant, so that it is
/// most likely no parameter but a mask, a table of positions or the like.
bool is_made_up_constant(const std::string& name) {
  for (const std::string_view start : {"val_", "onnx::", "_", "/", "const_fold", "Constant"})
    if (name.starts_with(start)) return true;
  if (name.find("lifted_tensor") != std::string::npos) return true;
  // The operation that made it, and a number: "unsqueeze_2".
  constexpr std::string_view operations =
      " unsqueeze squeeze cat view expand slice_scatter select_scatter index fill exp log pow sqrt "
      "rsqrt sigmoid tanh add sub mul div cos sin arange full ones zeros stack where select slice "
      "reshape permute transpose clone tmp to linspace meshgrid repeat ";
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos) return true;
  const std::string stem = name.substr(0, name[end] == '_' ? end : end + 1);
  return operations.find(" " + stem + " ") != std::string_view::npos;
}

const GraphProto* graph_attribute(const Node& node, std::string_view name) {
  const AttributeProto* attribute = find_attribute(node, name);
  return attribute != nullptr ? attribute->graph.get() : nullptr;
}

/// Whether a condition is known, and holds.
std::optional<bool> known_condition(const Value* value) {
  if (value == nullptr || !value->numbers || value->numbers->empty()) return std::nullopt;
  return value->numbers->front() != 0;
}

class Builder {
 public:
  Builder(const Model& model, const Dimensions& dimensions)
      : model_(model), dimensions_(dimensions) {}

  Graph build() {
    Scope scope;
    scope.versions = &model_.versions;
    graph_.notes = dimensions_.notes();
    remember_stated_sizes(model_.graph);
    try {
      add_tensors(model_.graph, scope);
      add_inputs(model_.graph, scope);
    } catch (const NodeError& error) {
      throw InputError(model_.source, "", error.message);
    }
    add_nodes(model_.graph.nodes, scope);
    for (const ValueProto& output : model_.graph.outputs)
      if (Value* value = scope.find(output.name).value_or(nullptr)) graph_.outputs.push_back(value);
    return std::move(graph_);
  }

 private:
  Value* new_value(const std::string& name) {
    if (graph_.values.size() >= most_values) fail_written_out(most_values, "tensors");
    Value& value = graph_.values.emplace_back();
    value.name = name;
    return &value;
  }

  void add_tensors(const GraphProto& graph, Scope& scope) {
    for (const TensorProto& tensor : graph.tensors) {
      Value* value = new_value(tensor.name);
      scope.values[tensor.name] = value;
      value->type = tensor.type;
      value->is_constant = true;
      value->sizes = tensor.sizes;
      value->numbers = tensor.numbers;
      if (value->numbers) count_numbers(value->numbers->size());
      const auto elements = product(tensor.sizes);
      if (!elements)
        throw InputError(
            model_.source, "initializer \"" + tensor.name + "\"",
            "expected sizes whose product is below 2^63, got " + list_text(tensor.sizes));
      if (tensor.sizes.empty() || !(is_float(tensor.type) || is_quantised(tensor.type))) continue;
      value->weights = value;
      if (!is_made_up_constant(tensor.name)) value->learned = *elements;
    }
  }

  void add_inputs(const GraphProto& graph, Scope& scope) {
    for (const ValueProto& input : graph.inputs) {
      if (scope.values.contains(input.name)) continue;
      Value* value = new_value(input.name);
      value->type = input.type;
      if (dimensions_.has_input(input.name)) value->sizes = dimensions_.input(input.name);
      scope.values[input.name] = value;
    }
  }

  void add_nodes(const std::vector<NodeProto>& nodes, Scope& scope) {
    const char* advice =
        dimensions_.overrides_fixed_batch()
            ? "; the model's batch is fixed: export it with an open batch to change it"
            : "";
    for (const NodeProto* node : in_order(nodes, model_.source))
      at_node(
          model_.source, *node, [&] { add_node(*node, scope); }, advice);
  }

  void count_node(const NodeProto& proto) {
    if (++node_count_ > most_nodes) fail_written_out(most_nodes, "nodes");
    operand_count_ += proto.inputs.size() + proto.outputs.size();
    if (operand_count_ > most_operands) fail_written_out(most_operands, "operands");
  }

  void count_numbers(std::size_t count) {
    number_count_ += count;
    if (number_count_ > most_numbers_in_all)
      fail_written_out(most_numbers_in_all, "elements of small constants");
  }

  void add_node(const NodeProto& proto, Scope& scope) {
    count_node(proto);
    Node node;
    node.name = scope.path + proto.name;
    node.op = proto.op;
    node.domain = proto.domain;
    node.proto = node.origin = &proto;
    node.call = scope.call;
    constexpr int recent_version = 17;
    const auto version = scope.versions->find(node.domain);
    node.version = version != scope.versions->end() ? version->second : recent_version;
    node.inputs = inputs_of(proto, scope);
    const auto function = model_.functions.find(function_key(proto.domain, proto.op));
    if (function != model_.functions.end()) return add_call(node, function->second, scope);
    if (node.domain.empty() && node.op == "If") return add_if(node, scope);
    if (node.domain.empty() && node.op == "Loop" && add_loop(node, scope)) return;
    node.row = find_operator(node.domain, node.op);
    if (node.row->rewrite != nullptr) {
      node.row->rewrite(node);
      node.row = find_operator(node.domain, node.op);
    }
    // Patterns know operators by name: somebody else's is not ONNX's of that name.
    if (node.row->name.empty() && !node.domain.empty())
      node.op = function_key(node.domain, node.op);
    for (const std::string& name : proto.outputs) {
      const bool is_left_out = name.empty() && !node.outputs.empty();  // never the first
      node.outputs.push_back(is_left_out ? nullptr : new_value(name));
      if (!name.empty()) scope.values[name] = node.outputs.back();
    }
    if (!node.outputs.empty()) settle(std::move(node));
  }

  /// One level of a call or a graph inside a node.
  void go_deeper(const char* what) {
    if (depth_++ >= deepest_graph)
      throw NodeError{std::string("expected ") + what + " at most " +
                      std::to_string(deepest_graph) + " deep, got more"};
  }

  void add_call(const Node& node, const FunctionProto& function, Scope& scope) {
    go_deeper("functions that call each other");
    Scope inner;
    graph_.calls.push_back({node.proto, &function, scope.call});
    inner.call = &graph_.calls.back();
    inner.path = scope.path;
    if (inner.path.size() < longest_path)
      inner.path += (node.proto->name.empty() ? node.op : node.proto->name) + "/";
    const auto [versions, is_new] = versions_.emplace(&function, function.versions);
    if (is_new) versions->second.insert(model_.versions.begin(), model_.versions.end());
    inner.versions = &versions->second;
    // One left out is an input without a value, which optional inputs inside then are too.
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
      inner.values[function.inputs[i]] = i < node.inputs.size() ? node.inputs[i] : nullptr;
    add_nodes(function.nodes, inner);
    --depth_;
    Values outputs;
    for (const std::string& name : function.outputs)
      outputs.push_back(inner.find(name).value_or(nullptr));
    bind_outputs(node, outputs, scope);
  }

  /// Adds the nodes of a graph inside a node, with these as its inputs; gives its outputs, null
  /// where nothing makes one.
  Values add_body(const GraphProto& graph, const Values& inputs, Scope& scope) {
    go_deeper("graphs nested");
    Scope inner;
    inner.outer = &scope;
    inner.path = scope.path;
    inner.versions = scope.versions;
    inner.call = scope.call;
    remember_stated_sizes(graph);
    add_tensors(graph, inner);
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const std::string& name = graph.inputs[i].name;
      inner.values[name] = i < inputs.size() ? inputs[i] : new_value(name);
    }
    add_nodes(graph.nodes, inner);
    --depth_;
    Values outputs;
    for (const ValueProto& output : graph.outputs)
      outputs.push_back(inner.find(output.name).value_or(nullptr));
    return outputs;
  }

  void bind_outputs(const Node& node, const Values& values, Scope& scope) {
    for (std::size_t i = 0; i < node.proto->outputs.size(); ++i) {
      const std::string& name = node.proto->outputs[i];
      if (name.empty()) continue;
      Value* value = i < values.size() ? values[i] : nullptr;
      scope.values[name] = value != nullptr ? value : new_value(name);
    }
  }

  void add_if(const Node& node, Scope& scope) {
    const GraphProto* then_branch = graph_attribute(node, "then_branch");
    const GraphProto* else_branch = graph_attribute(node, "else_branch");
    if (then_branch == nullptr || else_branch == nullptr)
      fail("expected then_branch and else_branch", "not both");
    auto holds = known_condition(node.input(0));
    if (!holds) {
      holds = then_branch->nodes.size() >= else_branch->nodes.size();
      note_once("an If whose condition depends on data takes the branch of more nodes");
    }
    bind_outputs(node, add_body(*holds ? *then_branch : *else_branch, {}, scope), scope);
  }

  /// Written out where the number of trips is known; false where it is not, or is too large, and
  /// where the loop gives out results of each trip.
  bool add_loop(const Node& node, Scope& scope) {
    constexpr std::int64_t most_nodes_of_loop = 100000;
    const GraphProto* body = graph_attribute(node, "body");
    const auto trips = integer(node.input(0));
    if (body == nullptr || node.inputs.size() < 2 || !trips) return false;
    const auto nodes = static_cast<std::int64_t>(body->nodes.size());
    if (*trips > most_nodes_of_loop / std::max<std::int64_t>(1, nodes)) return false;

    Values carried(node.inputs.begin() + 1, node.inputs.end());  // the condition, the rest
    if (body->outputs.size() != carried.size()) return false;
    for (std::int64_t trip = 0; trip < *trips; ++trip) {
      if (!known_condition(carried.front()).value_or(true)) break;
      Value* counter = new_value("");
      counter->type = element::int64;
      counter->sizes = Sizes{};
      counter->numbers = Numbers{static_cast<double>(trip)};
      counter->is_constant = true;
      Values arguments{counter};
      arguments.insert(arguments.end(), carried.begin(), carried.end());
      carried = add_body(*body, arguments, scope);
      if (std::count(carried.begin(), carried.end(), nullptr) != 0) return false;
    }
    bind_outputs(node, Values(carried.begin() + 1, carried.end()), scope);
    return true;
  }

  /// Works out the results' sizes, and their numbers where they are constant; else the node joins
  /// the graph.
  void settle(Node node) {
    infer(node);
    const bool is_constant =
        (node.row->reads_sizes_only && node.outputs[0]->sizes) ||
        std::all_of(node.inputs.begin(), node.inputs.end(),
                    [](const Value* input) { return input == nullptr || input->is_constant; });
    if (is_constant) {
      fold(node);
      const std::int64_t learned = learned_behind(node);
      const bool keeps = node.row->keeps_weights && node.input(0) != nullptr;
      const Value* weights = keeps ? node.input(0)->weights : nullptr;
      for (Value* output : node.outputs) {
        if (output == nullptr) continue;
        output->is_constant = true;
        output->learned = learned;
        if (output->numbers) count_numbers(output->numbers->size());
        output->weights = weights != nullptr ? weights : output;
      }
      return;
    }
    Node& kept = graph_.nodes.emplace_back(std::move(node));
    for (Value* output : kept.outputs)
      if (output != nullptr) output->producer = &kept;
    graph_.order.push_back(&kept);
  }

  void infer(Node& node) {
    if (node.row->sizes != nullptr) {
      // A shape written for the fixed batch; without it the same rule reports what does not fit.
      const bool rescales = dimensions_.overrides_fixed_batch() && node.op == "Reshape";
      if (const auto shape = rescales ? integers(node.input(1)) : std::nullopt) {
        node.made["shape"] = dimensions_.rescaled(*shape);
        try {
          return infer_results(node);
        } catch (const NodeError&) {
          node.made.clear();
        }
      }
      infer_results(node);
      if (node.is_largest)
        note_once(
            "sizes that depend on data (NonZero, TopK, NonMaxSuppression, Slice) are taken at "
            "their largest");
    }
    take_stated_sizes(node);
  }

  void remember_stated_sizes(const GraphProto& graph) {
    for (const ValueProto& value : graph.values) stated_[value.name] = &value;
    for (const ValueProto& value : graph.outputs)
      if (value.shape || value.type != element::unknown) stated_[value.name] = &value;
  }

  /// What the file stores of a tensor serves where no rule does.
  void take_stated_sizes(Node& node) {
    for (Value* output : node.outputs) {
      if (output == nullptr || (output->sizes && output->type != 0)) continue;
      const auto stated = stated_.find(output->name);
      if (stated == stated_.end()) continue;
      if (!output->sizes) output->sizes = dimensions_.stated(*stated->second);
      if (output->sizes && !product(*output->sizes)) throw OverflowError();
      if (output->type == 0) output->type = stated->second->type;
    }
  }

  void note_once(const std::string& note) {
    if (noted_.insert(note).second) graph_.notes.push_back(note);
  }

  const Model& model_;
  const Dimensions& dimensions_;
  Graph graph_;
  std::unordered_map<std::string, const ValueProto*> stated_;
  /// Versions of the operator sets in functions.
  std::unordered_map<const FunctionProto*, Versions> versions_;
  std::set<std::string> noted_;
  std::size_t node_count_ = 0;
  std::size_t operand_count_ = 0;
  std::size_t number_count_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Graph build_graph(const Model& model, const Dimensions& dimensions) {
  return Builder(model, dimensions).build();
}

}  // namespace roofline::onnx_graph
