#pragma once

// A torch.export program as layers: an operator runs as operators of the table
// (operator_table.hpp), or is a view. Tensors come first: views in memory, and axes that grow with
// the batch.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/json.hpp"
#include "model/layer_fields.hpp"
#include "operators/names.hpp"
#include "pytorch/operator_table.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// Strides of an image [N, C, positions...] with channels innermost.
Sizes channels_last_strides(const Sizes& sizes);

struct BatchChange {
  std::uint64_t stated = 1;
  std::uint64_t wanted = 1;

  bool is_none() const { return stated == wanted; }
  /// Sets sizes from `stated`; false if an axis does not divide.
  bool grow(TensorArgument& tensor) const;
};

/// `from`: the tensor's axis; nullopt: a new axis of repeated elements.
struct ViewAxis {
  std::optional<std::size_t> from;
  std::uint64_t stated = 1;
  std::uint64_t step = 1;                 ///< every `step`-th element
  std::optional<std::size_t> and_from{};  ///< a second axis: their diagonal
};
using ViewAxes = std::vector<ViewAxis>;

/// nullopt if the batch is lost.
std::optional<TensorArgument> view_of(const TensorArgument& tensor, const ViewAxes& axes,
                                      const BatchChange& batch);

/// The elements in order with other sizes. Sets `copied` if no view has them. nullopt if the batch
/// is lost.
std::optional<TensorArgument> reshaped(const TensorArgument& tensor, const Sizes& stated,
                                       const BatchChange& batch, bool& copied);

class ProgramSizes {
 public:
  ProgramSizes() = default;
  /// `program`: the root of model.json; `inputs`: the caller's tensors. Throws InputError for a
  /// size out of range.
  ProgramSizes(const Value& program, const std::vector<std::string>& inputs,
               const LayerDefaults& defaults);

  /// {"as_int": 3} or {"as_expr": {"expr_str": "Symbol('s77')"}}. Throws InputError.
  std::int64_t number(const Value& size) const;
  Sizes sizes(const Value& list) const;
  /// None if the batch is a symbol, or unchanged.
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
  explicit Node(std::string_view target);

  std::string_view name;                  ///< "conv2d_3"
  std::string_view target;                ///< "torch.ops.aten.conv2d.default"
  std::string_view library;               ///< "aten"
  std::string_view op;                    ///< "conv2d", without the "_" of its in-place variant
  std::vector<Argument> arguments;        ///< by position
  std::optional<Layout> memory_format{};  ///< nchw is contiguous; nullopt: the tensor's own order
  std::vector<Value> graphs;              ///< of a higher-order operator
  std::vector<TensorArgument> results;    ///< with the program's sizes
  std::vector<std::string_view> result_names;

  const Argument& argument(std::size_t i) const { return argument_at(arguments, i); }
  std::vector<const TensorArgument*> tensors() const;  ///< including those in lists
};

/// For single use; functions throw InputError.
class ProgramReader {
 public:
  ProgramReader(std::string source, const LayerDefaults& defaults)
      : source_(std::move(source)), defaults_(defaults) {}

  /// `program`: the root of model.json.
  void read(const Value& program);

  /// At the program's batch; null for an unknown type.
  TensorArgument tensor(Sizes stated, const ElementType* type) const;
  /// The caller's tensor, or the model's "parameter", "buffer" or "tensor_constant".
  TensorArgument input(TensorArgument tensor, std::string_view name, std::string_view kind);
  /// Adds the node's layers and sets its results.
  void run(Node& node, std::string module, std::string_view stack_trace = "");
  /// The tensor is a result of the program.
  void keep(const TensorArgument& output);

  NetworkSpec network() &&;

  /// Returns the operator's last layer; nullopt if it moves and computes nothing.
  std::optional<std::size_t> run(const Node& node, std::string_view op,
                                 std::vector<Argument> arguments, const Sizes& result);
  TensorArgument copied(const Node& node, const TensorArgument& from, const Sizes& strides,
                        std::optional<DataType> type = {});
  void sees(Node& node, const std::optional<TensorArgument>& view, std::size_t result = 0);
  void writes(Node& node, std::optional<std::size_t> layer, const Sizes& strides = {});
  void run_graph(Node& node, const Value& graph, const std::vector<const TensorArgument*>& inputs);
  const BatchChange& batch_change() const { return sizes_.batch_change(); }
  bool wants_channels_last() const { return defaults_.layout == Layout::nhwc; }
  [[noreturn]] void fail_batch(const Node& node) const;
  [[noreturn]] void fail(const Node& node, const std::string& message) const;
  void note(const std::string& text) { notes_.insert(text); }
  /// The operator may hold products that its operands do not tell.
  void cannot_size(const Node& node) { unruled_.add_product(node.op); }

 private:
  using Tensors = std::unordered_map<std::string_view, TensorArgument>;

  Tensors inputs(const Value& program);
  void run_nodes(const Value& graph, Tensors& tensors);
  Node node_of(const Value& json, const Value& graph, const Tensors& tensors) const;
  Argument argument_of(const Value& input, const Value& graph, const Tensors& tensors) const;
  static const TensorArgument& find(const Value& name, const Tensors& tensors);
  std::string value_text(const Value& value, const Value& graph) const;
  TensorArgument stated_tensor(const Value& name, const Value& graph) const;

  std::string source_;
  const LayerDefaults& defaults_;
  ProgramSizes sizes_;
  std::uint64_t input_byte_ = 0;
  std::vector<LayerSpec> layers_;
  std::vector<LayerOrigin> origins_;  ///< one a layer
  std::string module_;                ///< of the present node
  std::string source_line_;           ///< of the present node, in the model's code
  std::set<std::string> used_;        ///< weights that are counted
  std::set<std::string> notes_;
  UnruledCalls unruled_;
  std::size_t depth_ = 0;
};

/// Adds layers or views, and sets the results.
void run_node(ProgramReader& reader, Node& node);

/// Whether the operator is a view if memory allows it.
bool is_view(std::string_view op);
/// Whether the requested type replaces this tensor's.
bool is_cast(const TensorArgument& tensor);

Items read_exported_programs(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
