#pragma once

// The graph of a program of torch.export, node by node, as layers. An operator of the graph runs as
// one or several operators of the table (operator_table.hpp), or only says under which axes a
// tensor is seen.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/json.hpp"
#include "pytorch/program_sizes.hpp"
#include "pytorch/program_tensor.hpp"
#include "roofline/infer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct Node {
  std::string_view name;                ///< "conv2d_3"
  std::string_view target;              ///< "torch.ops.aten.conv2d.default"
  std::string_view library;             ///< "aten"
  std::string_view op;                  ///< "conv2d", without the "_" of its in-place variant
  std::vector<Argument> arguments;      ///< by position
  std::set<std::string_view> keywords;  ///< those given by name alone
  std::vector<Value> graphs;            ///< of a higher-order operator
  std::vector<TensorArgument> results;  ///< with the sizes that the program states
  std::vector<std::string_view> result_names;

  OperatorArguments read() const { return OperatorArguments(arguments); }
  std::vector<const TensorArgument*> tensors() const;  ///< those of lists too
};

/// Makes layers of a program under these settings. Used once.
class ProgramReader {
 public:
  /// `program`: the root of model.json. Throws InputError.
  ProgramReader(const Value& program, const LayerDefaults& defaults);

  NetworkSpec network() &&;

  // For what an operator runs as (exported_operators.cpp).

  /// An operator of the table runs on these arguments. Returns its last layer, none where it moves
  /// and computes nothing.
  std::optional<std::size_t> run(const Node& node, std::string_view op,
                                 std::vector<Argument> arguments, const Sizes& result);
  /// A copy of the tensor that lies so.
  TensorArgument copied(const Node& node, const TensorArgument& from, const Sizes& strides,
                        std::optional<DataType> type = {});
  /// One of the node's results is that view.
  void sees(Node& node, const std::optional<TensorArgument>& view, std::size_t result = 0);
  /// Says which layer wrote the node's results, and how they lie in memory.
  void writes(Node& node, std::optional<std::size_t> layer, const Sizes& strides = {});
  /// Runs a graph inside the node with these tensors as its inputs.
  void run_graph(Node& node, const Value& graph, const std::vector<const TensorArgument*>& inputs);
  const BatchChange& batch_change() const { return sizes_.batch_change(); }
  bool wants_channels_last() const { return defaults_.layout == Layout::nhwc; }
  /// The node cannot take another batch than the program's.
  [[noreturn]] void fail_batch(const Node& node) const;
  [[noreturn]] void fail(const Node& node, const std::string& message) const;
  void note(const std::string& text) { notes_.insert(text); }

 private:
  struct Origin {
    std::string module;
    std::string label;
  };
  using Tensors = std::unordered_map<std::string_view, TensorArgument>;

  Tensors inputs(const Value& graph) const;
  void run_nodes(const Value& graph, Tensors& tensors);
  Node node_of(const Value& json, const Value& graph, const Tensors& tensors) const;
  Argument argument_of(const Value& input, const Value& graph, const Tensors& tensors) const;
  static const TensorArgument& find(const Value& name, const Value& graph, const Tensors& tensors);
  TensorArgument stated_tensor(const Value& name, const Value& graph) const;
  void set_names();

  const Value& program_;
  const LayerDefaults& defaults_;
  ProgramSizes sizes_;
  std::vector<LayerSpec> layers_;
  std::vector<Origin> origins_;  ///< one a layer
  std::string module_;           ///< that the present node comes from
  std::string source_line_;      ///< and the line of the model's code
  std::set<std::string> used_;   ///< weights that a layer has counted
  std::set<std::string> notes_;
  std::map<std::string, std::size_t> without_row_;
  std::size_t depth_ = 0;
};

Argument value_argument(std::string text);
Argument tensor_argument(TensorArgument tensor);

/// What the node does: layers, views, or nothing. Sets its results.
void run_node(ProgramReader& reader, Node& node);

}  // namespace roofline
