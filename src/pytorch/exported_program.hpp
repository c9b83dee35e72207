#pragma once

// The graph of a program of torch.export, node by node, as layers. An operator of the graph runs as
// one or several operators of the table (operator_table.hpp), or only says under which axes a
// tensor is seen. First its tensors: how views of them lie in memory, and which of their axes grow
// with the batch.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/json.hpp"
#include "pytorch/operator_call.hpp"
#include "roofline/network.hpp"
#include "roofline/spec.hpp"

namespace roofline {

Sizes contiguous_strides(const Sizes& sizes);
/// Of an image [N, C, positions...].
Sizes channels_last_strides(const Sizes& sizes);
/// Whether the elements lie so; strides of axes of one element say nothing.
bool has_strides(const TensorArgument& tensor, const Sizes& strides);

/// From the batch that a program states to the one that is asked for.
struct BatchChange {
  std::uint64_t stated = 1;
  std::uint64_t wanted = 1;

  bool is_none() const { return stated == wanted; }
  /// Works out the tensor's sizes from those stated; false where an axis does not divide.
  bool grow(TensorArgument& tensor) const;
};

/// An axis of a view: the one of the tensor, none for a new axis of that many equal elements.
struct ViewAxis {
  std::optional<std::size_t> from;
  std::uint64_t stated = 1;
  std::uint64_t step = 1;  ///< every so many elements
};
using ViewAxes = std::vector<ViewAxis>;

/// None where the batch cannot be followed.
std::optional<TensorArgument> view_of(const TensorArgument& tensor, const ViewAxes& axes,
                                      const BatchChange& batch);

/// The tensor's elements in their order under other sizes. `copied`: set where they lie so that no
/// view has these sizes. None where the batch cannot be followed.
std::optional<TensorArgument> reshaped(const TensorArgument& tensor, const Sizes& stated,
                                       const BatchChange& batch, bool& copied);

/// The sizes of a program under the batch and the dimensions that are asked for.
class ProgramSizes {
 public:
  ProgramSizes() = default;
  /// `program`: the root of model.json. `inputs`: the names of what a caller gives. Throws
  /// InputError where a size asked for is outside the range that the program states.
  ProgramSizes(const Value& program, const std::vector<std::string>& inputs,
               const LayerDefaults& defaults);

  /// {"as_int": 3} or {"as_expr": {"expr_str": "Symbol('s77')"}}. Throws InputError.
  std::int64_t number(const Value& size) const;
  Sizes sizes(const Value& list) const;
  /// None where the batch is a symbol, or the one that the program states.
  const BatchChange& batch_change() const { return change_; }
  std::uint64_t batch() const { return batch_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void read_symbols(const Value& program, const LayerDefaults& defaults);
  void set_batch(const Value& tensor, std::uint64_t wanted);
  void set(const std::string& symbol, double value);

  struct Range {
    double least = 0;
    double most = 0;
  };
  std::string source_;
  std::map<std::string, Range> ranges_;
  std::map<std::string, double> symbols_;
  BatchChange change_;
  std::uint64_t batch_ = 1;
  std::vector<std::string> notes_;
};

struct Node {
  Node() = default;
  /// `target`: "torch.ops.aten.conv2d.default".
  explicit Node(std::string_view target);

  std::string_view name;                ///< "conv2d_3"
  std::string_view target;              ///< "torch.ops.aten.conv2d.default"
  std::string_view library;             ///< "aten"
  std::string_view op;                  ///< "conv2d", without the "_" of its in-place variant
  std::vector<Argument> arguments;      ///< by position
  bool has_memory_format = false;       ///< a layout is asked for, by its name alone
  std::vector<Value> graphs;            ///< of a higher-order operator
  std::vector<TensorArgument> results;  ///< with the sizes that the program states
  std::vector<std::string_view> result_names;

  const Argument& argument(std::size_t i) const { return argument_at(arguments, i); }
  std::vector<const TensorArgument*> tensors() const;  ///< those of lists too
};

/// Where a layer comes from.
struct LayerOrigin {
  std::string module;  ///< its path in the network; empty for the top
  std::string label;   ///< what the layer is called within it
  LayerKind kind;
  std::string part = {};     ///< "scores", where its node becomes several layers
  bool is_own_name = false;  ///< the module is the node's own name: nothing is known but that
};
/// One name a layer, each unique: that of its module (`layer1.0.conv1`), followed by the label
/// where the module has layers of other labels, unless it is the only convolution or product.
std::vector<std::string> layer_names(const std::vector<LayerOrigin>& origins);

/// Makes layers of a program under these settings, of one that is read or is given node by node.
/// Used once. Its functions throw InputError.
class ProgramReader {
 public:
  ProgramReader(std::string source, const LayerDefaults& defaults)
      : source_(std::move(source)), defaults_(defaults) {}

  /// `program`: the root of model.json.
  void read(const Value& program);

  /// A tensor of these sizes at the batch that the program states; null for an unknown type.
  TensorArgument tensor(Sizes stated, const ElementType* type) const;
  /// The same as an input of the program, which is the caller's, or of the model a "parameter",
  /// "buffer" or "tensor_constant".
  TensorArgument input(TensorArgument tensor, std::string_view name, std::string_view kind);
  /// Makes layers of the node and sets its results. `module`: that it comes from.
  void run(Node& node, std::string module, std::string_view stack_trace);

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
  /// Runs a graph inside the node with these tensors as its inputs, several times.
  void run_graph(Node& node, const Value& graph, const std::vector<const TensorArgument*>& inputs,
                 std::uint64_t times = 1);
  const BatchChange& batch_change() const { return sizes_.batch_change(); }
  bool wants_channels_last() const { return defaults_.layout == Layout::nhwc; }
  /// The node cannot take another batch than the program's.
  [[noreturn]] void fail_batch(const Node& node) const;
  [[noreturn]] void fail(const Node& node, const std::string& message) const;
  void note(const std::string& text) { notes_.insert(text); }

 private:
  using Tensors = std::unordered_map<std::string_view, TensorArgument>;

  Tensors inputs(const Value& program);
  void run_nodes(const Value& graph, Tensors& tensors);
  Node node_of(const Value& json, const Value& graph, const Tensors& tensors) const;
  Argument argument_of(const Value& input, const Value& graph, const Tensors& tensors) const;
  static const TensorArgument& find(const Value& name, const Tensors& tensors);
  std::string value_text(const Value& value, const Value& graph) const;
  TensorArgument stated_tensor(const Value& name, const Value& graph) const;
  void set_names();

  std::string source_;
  const LayerDefaults& defaults_;
  ProgramSizes sizes_;
  std::uint64_t input_byte_ = 0;
  std::vector<LayerSpec> layers_;
  std::vector<LayerOrigin> origins_;  ///< one a layer
  std::string module_;                ///< that the present node comes from
  std::string source_line_;           ///< and the line of the model's code
  std::set<std::string> used_;        ///< weights that a layer has counted
  std::set<std::string> notes_;
  std::map<std::string, std::size_t> without_row_;
  std::size_t depth_ = 0;
  std::uint64_t times_ = 1;  ///< that the present graph runs
};

/// What the node does: layers, views, or nothing. Sets its results.
void run_node(ProgramReader& reader, Node& node);

/// Whether the operator only sees a tensor under other axes, as long as memory has it so.
bool is_view(std::string_view op);
/// The operators with how often each is there: "diff, index (2 times)".
std::string counted(const std::map<std::string, std::size_t>& operators);
/// Whether tensors of that element type are cast to the one that is asked for.
bool is_cast(const TensorArgument& tensor);

}  // namespace roofline
