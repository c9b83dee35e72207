#pragma once

// The table of PyTorch's operators, with the reader of each.

#include <span>

#include "layers/operands.hpp"
#include "pytorch/operator_call.hpp"

namespace roofline {

using Layers = std::vector<LayerSpec>;

struct OperatorRow {
  /// Operators of one reader, without "aten::" and the "_" of in-place variants; "::" is any other
  /// library.
  std::string_view names;
  /// None if the arguments do not fit, two for two gradients. Names with "backward" are gradients.
  Layers (*read)(const OperatorCall& call);
  LayerKind kind = LayerKind::other;
  /// Names of arguments in the order of PyTorch's schemas (native_functions.yaml); "-" for unused
  /// ones.
  std::string_view arguments = "input";
};

std::span<const OperatorRow> convolution_operators();
std::span<const OperatorRow> product_operators();
std::span<const OperatorRow> function_operators();
std::span<const OperatorRow> reduction_operators();
std::span<const OperatorRow> movement_operators();

/// Null for an unknown operator.
const OperatorRow* find_operator(std::string_view name);

struct CallLayers {
  Layers layers;  ///< by the row, or else by the operands' bytes; none if both are unknown
  bool by_operands = false;  ///< for lack of a row that fits
  std::string misfit;        ///< why the row does not fit: "expected ..., got ..."
};
CallLayers read_call(const OperatorCall& call);

/// Calls without a rule that fits, for notes.
class UnruledCalls {
 public:
  void add(const OperatorCall& call, const CallLayers& read);
  /// A product of other sizes than its operands tell.
  void add_product(std::string_view operator_name) { ++products_[std::string(operator_name)]; }
  bool has_products() const { return !products_.empty(); }
  /// The note of products comes first.
  void add_notes(std::vector<std::string>& notes) const;

 private:
  struct Misfit {
    std::size_t calls = 0;
    std::string reason;  ///< of the first call
  };
  using Misfits = std::map<std::string, Misfit>;
  static std::string text_of(const Misfits& misfits);

  std::map<std::string, std::size_t> products_;
  std::map<std::string, std::size_t> without_row_;
  Misfits by_bytes_;
  Misfits left_out_;
};

/// "fp16 32x64x112x112, fp16 64".
std::string tensors_text(const Arguments& arguments);

/// Whether a note says that operands tell little: optimizers' lists, and look-ups in whole tables.
bool says_little(std::string_view operator_name);

bool reads_cache(std::string_view operator_name);

// Shared by readers. Operands have two to five sizes; a layer's name has the stated shapes.

LayerSpec named_layer(LayerKind kind, std::string_view what, const std::string& shape_text,
                      DataType type, Pass pass = Pass::fwd);

/// Of tensors without axes, which hold a value each; none without such tensors.
Layers layer_of_one_value(LayerKind kind, const OperatorCall& call);

OperandSpec operand_of(const TensorArgument& tensor, const Sizes& sizes);

TensorArgument with_sizes(const TensorArgument& tensor, Sizes sizes);

/// Negative axes count from the back; nullopt if out of range.
std::optional<std::size_t> axis_at(std::optional<std::int64_t> axis, std::size_t rank);

/// [N, C, positions...] with elements on as many axes; callers may leave a batch of one out.
std::optional<TensorArgument> image_of(const TensorArgument* tensor, std::size_t axes);

/// "avg_pool2d" has images of two axes.
std::optional<TensorArgument> image_of(const TensorArgument* tensor,
                                       std::string_view operator_name);

/// Of operands that broadcast.
Sizes broadcast_sizes(const std::vector<const TensorArgument*>& tensors);
/// The result's, by PyTorch's promotion; nullopt for an unknown one.
std::optional<DataType> promoted_type(const std::vector<const TensorArgument*>& tensors);

/// A layer by the bytes that it reads and writes.
Layers traffic_layer(const OperatorCall& call, const std::vector<const TensorArgument*>& reads,
                     const std::vector<WrittenTensor>& writes);
Layers traffic_layer(const OperatorCall& call, const std::vector<const TensorArgument*>& reads,
                     const Sizes& writes, DataType type);
/// Of a function of several tensors.
Layers broadcast_traffic(const OperatorCall& call);

Sizes contiguous_strides(const Sizes& sizes);
/// Without gaps, in the order of the axes in memory.
Sizes dense_strides(const TensorArgument& tensor);
/// Ignores axes of one element.
bool has_strides(const TensorArgument& tensor, const Sizes& strides);

/// Access of an elementwise kernel in the order of the first tensor, the result or the operand
/// whose order it takes. nullopt if all lie alike without gaps, and for unknown strides or other
/// sizes.
std::optional<Access> access_of(const std::vector<const TensorArgument*>& tensors);

/// tf32 for fp32 on TF32 units.
DataType multiplied_type(const OperatorCall& call, DataType type);

}  // namespace roofline
