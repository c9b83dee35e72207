#pragma once

// One call of an operator of PyTorch, as the table of operators reads it: its name, and by position
// as in PyTorch's schemas its tensors, with shapes, strides and types, and its other values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/recording.hpp"
#include "roofline/data_type.hpp"
#include "roofline/layer.hpp"
#include "roofline/layer_kind.hpp"

namespace roofline {

/// A type of elements.
struct ElementType {
  std::string_view name;         ///< "half"
  std::string_view shown;        ///< "fp16", "int64"
  std::optional<DataType> type;  ///< none: one that the model does not know
};

/// As PyTorch names it of tensors ("c10::Half") or of messages ("Half"); null where there is no
/// such type.
const ElementType* find_element_type(std::string_view name);

struct TensorArgument {
  Sizes sizes;
  Sizes strides;                 ///< elements; empty where they are not stated
  std::optional<DataType> type;  ///< none: one that the model does not know
  std::string_view type_name;    ///< ElementType's

  // What a program says of it and a recording does not (program_tensor.hpp).
  std::optional<std::size_t> layer{};         ///< the layer that wrote it, by its index
  bool is_parameter = false;                  ///< it is the model's own
  std::optional<std::uint64_t> parameters{};  ///< learned numbers in it, where not all of them
  std::string weights{};  ///< the model's tensor that it is a form of; empty: none
  Sizes stated{};         ///< its sizes at the batch that the program states
  /// For each axis that grows with the batch how many of its elements one step of the batch is
  /// (6 of an axis that counts 6 heads in each sample); 0 for other axes.
  Sizes batch_step{};

  std::size_t rank() const { return sizes.size(); }
  /// The elements that memory holds: an axis of stride 0 repeats one.
  Sizes stored_sizes() const;
  /// The layout of an image [N, C, positions...]; none where sizes or strides leave it open.
  std::optional<Layout> layout() const;
  /// Whether the last axis is not the innermost one in memory, as in a transposed matrix.
  bool is_transposed() const;
};

struct Argument {
  std::string type = {};   ///< "c10::Half", "Scalar", "TensorList"
  std::string value = {};  ///< "[2, 2]", "False"; empty for tensors, and where none is stated
  bool is_list = false;
  std::vector<TensorArgument> tensors = {};  ///< one, or those of a list

  bool is_tensor() const;
  /// A tensor of at least one axis; null where the argument is something else.
  const TensorArgument* tensor() const;
  /// The same of a type that the model knows.
  const TensorArgument* typed_tensor() const;
  /// "[2, 2]" or "2"; empty where it is neither, or one is negative.
  Sizes integers() const;
  std::vector<std::int64_t> signed_integers() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> flag() const;
  std::vector<bool> flags() const;
};

/// By position.
using Arguments = std::vector<Argument>;

/// Absent behind the last one.
const Argument& argument_at(const Arguments& arguments, std::size_t place);

/// All tensors of at least one axis, without those in lists.
std::vector<const TensorArgument*> tensors_in(const Arguments& arguments);

struct Caller {
  std::string_view name;
  const Arguments* arguments = nullptr;
};

struct OperatorCall {
  std::string_view name;  ///< "aten::cudnn_convolution"
  const Arguments* arguments = nullptr;
  std::vector<Caller> callers = {};  ///< the operators that it ran in, innermost first
  bool is_tf32 = false;              ///< fp32 is multiplied by TF32 units
  bool sums_in_fp16 = false;         ///< products of fp16 are added up in fp16
  /// The type of elements in lists of tensors, for which PyTorch's profiler names none.
  std::optional<DataType> list_type = {};
  /// The sizes of the result, where they are stated.
  std::optional<Sizes> result = {};

  // What the operator's row in the table says of it.
  LayerKind kind = LayerKind::other;
  std::string_view argument_names = {};  ///< "input weight bias"

  const Caller* caller(std::string_view wanted) const;
  /// Whether it computes a gradient, as its name says.
  Pass pass() const;

  /// The argument that the row calls so; absent where it has no such name.
  const Argument& operator[](std::string_view argument) const;
};

/// Where an argument stands in a list of names with blanks between them; behind all where it is not
/// among them.
std::size_t argument_place(std::string_view argument, std::string_view names);

/// "aten::add_" without namespace and in-place mark: "add".
std::string_view base_name(std::string_view operator_name);

}  // namespace roofline
