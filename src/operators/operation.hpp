#pragma once

// One call of an operator, whatever source states it, and the row of the table that says what it
// is. A reader makes an Operation; the row's builder makes the layers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "load/recording.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// A tensor as any source states it.
struct Tensor {
  Sizes sizes = {};
  Sizes strides = {};                         ///< in elements; empty if unknown
  std::optional<DataType> type = {};          ///< nullopt: unknown
  std::optional<Layout> stated_layout = {};   ///< of an image whose source names it
  std::optional<std::size_t> producer = {};   ///< index of the layer that wrote it
  std::optional<std::uint64_t> learned = {};  ///< learned numbers in it; nullopt: an activation

  std::size_t rank() const { return sizes.size(); }
  /// Sizes in memory, where an axis of stride 0 has one element.
  Sizes stored_sizes() const;
  /// The layout of an image [N, C, positions...]; nullopt if neither source nor strides tell.
  std::optional<Layout> layout() const;
  /// The last axis is not innermost in memory, as in a transposed matrix.
  bool is_transposed() const;
};

/// An operand of a layer, with two to five of these sizes.
OperandSpec operand_of(const Tensor& tensor, const Sizes& sizes);

/// What an operator is told beside its tensors, in one spelling.
struct Attributes {
  std::vector<std::size_t> axes = {};  ///< that are reduced, or are one row together; ascending
  std::uint64_t groups = 1;
  std::uint64_t features = 0;  ///< of a norm of rows: elements of a row
  /// Rows are stated as a matrix. Otherwise a norm along the last axis keeps the operand's axes.
  bool rows_are_matrix = false;
  bool batch_statistics = false;  ///< a batch norm that computes them

  struct Bounds {
    std::optional<double> least = {};
    std::optional<double> most = {};
  };
  Bounds bounds = {};  ///< of a clamp; not a number: known to data alone
  /// The type of arithmetic, whose operands may have others: each format has rules of its own.
  std::optional<DataType> computed_in = {};
  std::optional<Interpolation> interpolation = {};  ///< of a resize

  // Windows, as LayerSpec states them.
  AxesSpec kernel = {};
  AxesSpec stride = {};
  AxesSpec padding = {};
  AxesSpec dilation = {};
  AxesSpec output_padding = {};
  bool ceil_mode = false;
  std::uint64_t channels = 0;  ///< of a convolution's or linear layer's result
  bool bias = false;

  // Attention.
  bool causal = false;
  bool has_past = false;  ///< queries are the last positions; else the first, if they are fewer
  bool masked = false;
  bool mask_is_transposed = false;
  std::optional<AttentionBackend> backend = {};

  // Recurrent networks.
  std::uint64_t state = 0;  ///< features of a direction's state
  std::uint64_t layers = 1;
  bool bidirectional = false;
  bool batch_first = false;  ///< [N, steps, features], not [steps, N, features]
};

struct OperatorRow;

struct Operation {
  const OperatorRow* row = nullptr;
  std::vector<Tensor> operands = {};  ///< in the order of the row
  std::vector<Tensor> results = {};   ///< empty if the source omits them
  Attributes attributes = {};
  Pass pass = Pass::fwd;
  std::string_view called = {};  ///< its source's name of the operator
};

/// One call may run as several operations: both gradients of a convolution.
using Operations = std::vector<Operation>;
using Layers = std::vector<LayerSpec>;

/// What an operator is, said once.
struct OperatorRow {
  std::string_view name;  ///< ours
  /// No layers where the operands do not fit. Null for another shape of the operand.
  Layers (*build)(const Operation& operation);
  LayerKind kind = LayerKind::other;
  std::string_view onnx = "";  ///< names between blanks
  /// "native_layer_norm layer_norm: input sizes weight;...": names, and the order of arguments in
  /// PyTorch's schemas, as pytorch/operator_table.hpp explains it.
  std::string_view pytorch = "";
  std::string_view tensorrt = "";       ///< types of layers, between blanks
  std::optional<DataType> writes = {};  ///< of results, if not the operands'
};

/// The first result's: stated, or by the reduced axes, which keep one element.
Sizes result_sizes(const Operation& operation);

}  // namespace roofline
