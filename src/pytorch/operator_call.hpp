#pragma once

// A call of a PyTorch operator; arguments are in the order of PyTorch's schemas.

#include "layers/element_types.hpp"
#include "load/recording.hpp"
#include "roofline/layer.hpp"

namespace roofline {

struct TensorArgument {
  Sizes sizes;
  Sizes strides;                 ///< in elements; empty if unknown
  std::optional<DataType> type;  ///< nullopt: unknown
  std::string_view type_name;    ///< ElementType's

  // From programs, not recordings (program_tensor.hpp):
  std::optional<std::size_t> layer{};         ///< index of the writing layer
  bool is_parameter = false;                  ///< the model's own
  std::optional<std::uint64_t> parameters{};  ///< learned numbers in it, if not all
  std::string weights{};  ///< the model's tensor that it is a form of; empty: none
  Sizes stated{};         ///< sizes at the program's batch
  /// Elements of each axis in a step of the batch: 6 for an axis with 6 heads a sample, 0 for
  /// others.
  Sizes batch_step{};

  std::size_t rank() const { return sizes.size(); }
  /// Sizes in memory, where an axis of stride 0 has one element.
  Sizes stored_sizes() const;
  /// Of an image [N, C, positions...]; nullopt if sizes or strides do not tell.
  std::optional<Layout> layout() const;
  /// The last axis is not innermost in memory, as in a transposed matrix.
  bool is_transposed() const;
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
  /// Of "[2, 2]" or "2"; empty for others and negative numbers.
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

/// Of at least one axis, without tensors in lists.
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
  /// Of lists of tensors, whose types PyTorch's profiler omits.
  std::optional<DataType> list_type = {};
  std::optional<Sizes> result = {};

  // From the operator's row:
  LayerKind kind = LayerKind::other;
  std::string_view argument_names = {};  ///< "input weight bias"

  const Caller* caller(std::string_view wanted) const;
  Pass pass() const;

  /// The argument of the row's name; empty if missing.
  const Argument& operator[](std::string_view argument) const;
};

/// Index in a list of names between blanks; their count if missing.
std::size_t argument_place(std::string_view argument, std::string_view names);

/// "add" of "aten::add_".
std::string_view base_name(std::string_view operator_name);

}  // namespace roofline
