#pragma once

// What an operator was called with, by position as in PyTorch's schemas: tensors with their shapes,
// strides and types, and the values of the others.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/shape_parts.hpp"
#include "pytorch/recording.hpp"
#include "roofline/data_type.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// A type of elements as PyTorch names it, of tensors ("c10::Half") or of messages ("Half").
struct ElementType {
  std::string_view name;
  std::string_view shown;        ///< "fp16", "int64"
  std::optional<DataType> type;  ///< none: one that the model does not know
};

/// Null where there is no such type.
const ElementType* find_element_type(std::string_view name);

struct TensorArgument {
  Sizes sizes;
  Sizes strides;                 ///< elements; empty where the trace has none
  std::optional<DataType> type;  ///< none: one that the model does not know
  std::string_view type_name;    ///< as PyTorch writes it, "c10::Half"

  /// The elements that memory holds: an axis of stride 0 repeats one.
  Sizes stored_sizes() const;
  /// Of an image [N, C, positions...]; none where sizes or strides leave it open.
  std::optional<Layout> layout() const;
  /// Whether the last axis is not the innermost one in memory, as in a transposed matrix.
  bool is_transposed() const;
};

class OperatorArguments {
 public:
  OperatorArguments() = default;
  OperatorArguments(const ArgumentTexts& texts, const TextPool& pool);

  std::size_t count() const { return arguments_.size(); }
  /// Whether shapes of anything were recorded.
  bool has_shapes() const;
  /// Whether anything but tensors has a value: older profilers record none.
  bool has_values() const;
  bool is_tensor(std::size_t i) const;
  /// A tensor of at least one axis; none where the argument is something else.
  const TensorArgument* tensor(std::size_t i) const;
  /// The tensors of a list; empty where it is none, or too long for the trace to hold its shapes.
  const std::vector<TensorArgument>& tensors(std::size_t i) const;
  bool is_tensor_list(std::size_t i) const;
  /// "[2, 2]" or "2"; empty where it is neither.
  Sizes integers(std::size_t i) const;
  std::optional<std::int64_t> integer(std::size_t i) const;
  std::vector<std::int64_t> signed_integers(std::size_t i) const;
  std::optional<double> number(std::size_t i) const;
  std::optional<bool> flag(std::size_t i) const;
  std::vector<bool> flags(std::size_t i) const;
  /// "fp16 32x64x112x112, fp16 64".
  std::string tensors_text() const;

 private:
  struct Argument {
    std::string type;
    std::string value;
    bool is_list = false;
    std::vector<TensorArgument> tensors;
  };

  std::string_view value(std::size_t i) const;

  std::vector<Argument> arguments_;
};

/// The arguments of a recording, each read once.
class ArgumentCache {
 public:
  explicit ArgumentCache(const Recording& recording)
      : recording_(recording), known_(recording.arguments.size()) {}

  /// By index in Recording::arguments; stays where it is.
  const OperatorArguments& at(std::uint32_t index) {
    std::optional<OperatorArguments>& known = known_[index];
    if (!known) known.emplace(recording_.arguments[index], recording_.texts);
    return *known;
  }

 private:
  const Recording& recording_;
  std::vector<std::optional<OperatorArguments>> known_;
};

}  // namespace roofline
