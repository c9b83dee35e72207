// Convolutions of profilers before PyTorch 1.13, which record the sizes of tensors and no other
// values: strides and paddings follow from the result, which the next operator reads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

/// The least stride, with the least padding of at most half a window, that makes `out` results of
/// `in` values along an axis.
std::optional<std::pair<std::uint64_t, std::uint64_t>> stride_and_padding(std::uint64_t in,
                                                                          std::uint64_t out,
                                                                          std::uint64_t window) {
  if (in == 0 || out == 0 || window == 0) return std::nullopt;
  for (std::uint64_t stride = 1; stride <= in; ++stride)
    for (std::uint64_t padding = 0; padding <= window / 2; ++padding) {
      const std::uint64_t padded = in + 2 * padding;
      if (padded >= window && (padded - window) / stride + 1 == out)
        return std::pair(stride, padding);
    }
  return std::nullopt;
}

struct Convolution {
  TensorArgument input;
  TensorArgument weight;
  Sizes result;
  std::string stride;   ///< "[2, 2]"
  std::string padding;  ///< likewise

  std::string groups() const { return std::to_string(input.sizes[1] / weight.sizes[1]); }
};

std::string list_text(const Sizes& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) add_item(text, std::to_string(number));
  return '[' + text + ']';
}

/// nullopt if no convolution of these operands has this result.
std::optional<Convolution> convolution_of(const TensorArgument& input, const TensorArgument& weight,
                                          const Sizes& result) {
  const std::size_t rank = input.rank();
  if (rank < 3 || weight.rank() != rank || result.size() != rank || result[0] != input.sizes[0] ||
      result[1] != weight.sizes[0] || weight.sizes[1] == 0 || input.sizes[1] % weight.sizes[1] != 0)
    return std::nullopt;
  Sizes strides;
  Sizes paddings;
  for (std::size_t axis = 2; axis < rank; ++axis) {
    const auto found = stride_and_padding(input.sizes[axis], result[axis], weight.sizes[axis]);
    if (!found) return std::nullopt;
    strides.push_back(found->first);
    paddings.push_back(found->second);
  }
  return Convolution{input, weight, result, list_text(strides), list_text(paddings)};
}

Argument as_argument(const TensorArgument& tensor) {
  return {.type = std::string(tensor.type_name), .tensors = {tensor}};
}

Argument value_argument(std::string value) { return {.type = "Scalar", .value = std::move(value)}; }

class Completion {
 public:
  explicit Completion(Recording& recording) : recording_(recording) {}

  void run() {
    std::ranges::sort(recording_.operators, {}, &HostRange::start_us);
    for (std::size_t i = 0; i < recording_.operators.size(); ++i) {
      const std::string_view name = base_name(recording_.name(recording_.operators[i]));
      if (name == "cudnn_convolution" || name == "miopen_convolution") complete_forward(i);
      if (name == "cudnn_convolution_backward_input") complete_backward(i, "input");
      if (name == "cudnn_convolution_backward_weight") complete_backward(i, "weight");
    }
  }

 private:
  const Arguments& arguments_of(const HostRange& op) const {
    return recording_.arguments[op.arguments];
  }

  void set_call(HostRange& op, std::string_view name, Arguments arguments) {
    op.name = recording_.texts.id(name);
    op.arguments = static_cast<std::uint32_t>(recording_.arguments.size());
    recording_.arguments.push_back(std::move(arguments));
  }

  /// Strides of the first of the next operators of the thread that reads a possible result.
  std::optional<Convolution> forward(std::size_t index) const {
    constexpr int most_passed = 32;
    const HostRange& own = recording_.operators[index];
    const TensorArgument* input = argument_at(arguments_of(own), 0).typed_tensor();
    const TensorArgument* weight = argument_at(arguments_of(own), 1).typed_tensor();
    if (input == nullptr || weight == nullptr) return std::nullopt;
    int passed = 0;
    for (std::size_t i = index + 1; i < recording_.operators.size() && passed < most_passed; ++i) {
      const HostRange& next = recording_.operators[i];
      if (next.thread != own.thread || next.start_us < own.end_us) continue;
      ++passed;
      const TensorArgument* read = argument_at(arguments_of(next), 0).tensor();
      if (read == nullptr) continue;
      if (auto found = convolution_of(*input, *weight, read->sizes)) return found;
    }
    return std::nullopt;
  }

  void complete_forward(std::size_t index) {
    const std::optional<Convolution> found = forward(index);
    if (!found) return;
    by_weight_.insert_or_assign({found->weight.sizes, found->result}, *found);
    by_input_.insert_or_assign({found->input.sizes, found->result}, *found);
    set_call(
        recording_.operators[index], "aten::cudnn_convolution",
        {as_argument(found->input), as_argument(found->weight), value_argument(found->padding),
         value_argument(found->stride), value_argument("[1]"), value_argument(found->groups())});
  }

  /// A gradient by its forward pass: its sizes without the result's come from there.
  void complete_backward(std::size_t index, std::string_view of) {
    HostRange& op = recording_.operators[index];
    const TensorArgument* gradient = argument_at(arguments_of(op), 1).typed_tensor();
    const TensorArgument* operand = argument_at(arguments_of(op), 2).typed_tensor();
    if (gradient == nullptr || operand == nullptr) return;
    const auto& known = of == "input" ? by_weight_ : by_input_;
    const auto found = known.find({operand->sizes, gradient->sizes});
    if (found == known.end()) return;
    const Convolution& own = found->second;
    set_call(op, "aten::convolution_backward",
             {as_argument(*gradient), as_argument(own.input), as_argument(own.weight), Argument(),
              value_argument(own.stride), value_argument(own.padding), value_argument("[1]"),
              value_argument("False"), value_argument("[0]"), value_argument(own.groups()),
              value_argument(of == "input" ? "[True, False, False]" : "[False, True, False]")});
  }

  using BySizes = std::map<std::pair<Sizes, Sizes>, Convolution>;  // of an operand and the result

  Recording& recording_;
  BySizes by_weight_;
  BySizes by_input_;
};

}  // namespace

void state_strides(Recording& recording) {
  if (!recording.has_values) Completion(recording).run();
}

}  // namespace roofline
