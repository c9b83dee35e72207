#pragma once

// PyTorch's operators: their calls, and the table with the reader of each.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operators/element_types.hpp"
#include "operators/operands.hpp"
#include "operators/operation.hpp"
#include "operators/strides.hpp"
#include "roofline/layer.hpp"

namespace roofline {

// A call of a PyTorch operator; arguments are in the order of PyTorch's schemas.

struct TensorArgument : Tensor {
  std::string_view type_name = {};  ///< ElementType's

  // From programs, not recordings (exported_program.hpp):
  std::string weights = {};  ///< the model's tensor that it is a form of; empty: none
  Sizes stated = {};         ///< sizes at the program's batch
  /// Elements of each axis in a step of the batch: 6 for an axis with 6 heads a sample, 0 for
  /// others.
  Sizes batch_step = {};
};

/// A first axis of one element.
void add_batch(TensorArgument& tensor);

struct Argument {
  std::string type = {};   ///< "c10::Half", "Scalar", "TensorList"
  std::string value = {};  ///< "[2, 2]", "False"; empty for tensors and missing values
  bool is_list = false;
  std::vector<TensorArgument> tensors = {};  ///< one, or a list's

  bool is_tensor() const;
  /// Null unless a tensor of at least one axis.
  const TensorArgument* tensor() const;
  /// tensor() of a type that the model knows.
  const TensorArgument* typed_tensor() const;
  /// The numbers of "[2, 2]" or "2"; empty for others and negative numbers.
  Sizes integers() const;
  std::vector<std::int64_t> signed_integers() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> flag() const;
  std::vector<bool> flags() const;
};

/// By position.
using Arguments = std::vector<Argument>;

/// An empty one behind the last.
const Argument& argument_at(const Arguments& arguments, std::size_t place);

/// Tensors of at least one axis, without those in lists.
std::vector<const TensorArgument*> tensors_in(const Arguments& arguments);

struct Caller {
  std::string_view name;
  const Arguments* arguments = nullptr;
};

struct OperatorCall {
  std::string_view name;  ///< "aten::cudnn_convolution"
  const Arguments* arguments = nullptr;
  std::vector<Caller> callers = {};  ///< enclosing operators, innermost first
  bool is_tf32 = false;              ///< fp32 runs on TF32 units
  bool sums_in_fp16 = false;         ///< fp16 products are summed in fp16
  /// The type of lists of tensors, which PyTorch's profiler omits.
  std::optional<DataType> list_type = {};
  std::optional<Sizes> result = {};
  const Arguments* forward = nullptr;  ///< of the look-up whose gradient this is

  // From the operator's row:
  LayerKind kind = LayerKind::other;
  std::string_view argument_names = {};  ///< "input weight bias"
  const OperatorRow* row = nullptr;

  const Caller* caller(std::string_view wanted) const;
  Pass pass() const;

  /// The argument of the row's name; empty if missing.
  const Argument& operator[](std::string_view argument) const;
};

/// Index in a list of names between blanks; their count if missing.
std::size_t argument_place(std::string_view argument, std::string_view names);

/// "add" of "aten::add_".
std::string_view base_name(std::string_view operator_name);

// The orders of operators' arguments, with the reader of each.

struct CallRow {
  /// Operators of one reader, without "aten::" and the "_" of in-place variants; "::" is any other
  /// library.
  std::string_view names;
  LayerKind kind = LayerKind::other;
  /// Names of arguments in the order of PyTorch's schemas (native_functions.yaml); "-" for unused
  /// ones, "result?" for a result that callers may write to.
  std::string_view arguments = "input";
  const OperatorRow* row = nullptr;
  /// The call as operations: empty if the arguments do not fit, two for two gradients. Names with
  /// "backward" are gradients.
  Operations (*operations)(const OperatorCall& call) = nullptr;
};

// A call of an operator of the table of operators.
Operations convolution_operations(const OperatorCall& call);
Operations deformable_operations(const OperatorCall& call);
Operations pool_operations(const OperatorCall& call);
Operations function_operations(const OperatorCall& call);
Operations combination_operations(const OperatorCall& call);
Operations fill_operations(const OperatorCall& call);
Operations product_operations(const OperatorCall& call);
Operations attention_operations(const OperatorCall& call);
Operations recurrent_operations(const OperatorCall& call);
Operations plain_operations(const OperatorCall& call);       ///< of operands alone
Operations attributed_operations(const OperatorCall& call);  ///< of other operators

/// These operands, in the type that they are promoted to; empty for an unknown type.
Operations operation_on(const OperatorCall& call, const OperatorRow& row,
                        const std::vector<const TensorArgument*>& operands);
/// An operation on the first tensor, which has no axes and holds a value; empty without a tensor.
Operations operation_on_value(const OperatorCall& call, const OperatorRow& row);

/// The function that states a call of a row of moves; null for other rows.
auto mover_of(const OperatorRow& row) -> Operations (*)(const OperatorCall& call);

/// The row's, of these arguments: a result comes first if it has the sizes of the next tensor.
std::string_view argument_names(const CallRow& row, const Arguments& arguments);

/// Null for an unknown operator.
const CallRow* find_operator(std::string_view name);

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
  bool has_left_out() const { return !left_out_.empty(); }
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

/// Learned numbers stay: elements picked from a table teach the table.
TensorArgument with_sizes(const TensorArgument& tensor, Sizes sizes);

/// [N, C, positions...] with elements on as many axes; callers may leave a batch of one out.
std::optional<TensorArgument> image_of(const TensorArgument* tensor, std::size_t axes);

/// "avg_pool2d" has images of two axes.
std::optional<TensorArgument> image_of(const TensorArgument* tensor,
                                       std::string_view operator_name);

/// The common sizes of operands that broadcast.
Sizes broadcast_sizes(const std::vector<const TensorArgument*>& tensors);
/// The result's, by PyTorch's promotion; nullopt for an unknown one.
std::optional<DataType> promoted_type(const std::vector<const TensorArgument*>& tensors);

/// tf32 for fp32 on TF32 units.
DataType multiplied_type(const OperatorCall& call, DataType type);

}  // namespace roofline
