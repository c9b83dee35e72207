// Convolutions and pools as operations of the table.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

/// One for all axes or one each; nullopt if they do not fit the image.
std::optional<Sizes> window_numbers(const Argument& argument, const TensorArgument& image) {
  const Sizes numbers = argument.integers();
  const bool fits = numbers.size() == 1 || numbers.size() + 2 == image.rank();
  return fits ? std::optional(numbers) : std::nullopt;
}

/// An argument; a depthwise operator without it has a group for each channel.
std::uint64_t groups_of(const OperatorCall& call, const TensorArgument& image) {
  const bool is_argument = has_word(call.argument_names, "groups");
  if (!is_argument && mentions(call.name, {"depthwise"})) return image.sizes[1];
  const Sizes groups = call["groups"].integers();
  return groups.size() == 1 ? groups.front() : 1;
}

/// A weight is [out, in / groups, kernel...]; a transposed convolution's is [in, out / groups,
/// kernel...].
Operations convolution(const OperatorCall& call, Pass pass) {
  const TensorArgument* filter = call["weight"].tensor();
  if (filter == nullptr || filter->rank() < 3 || element_count(filter->sizes) == 0) return {};
  const auto input = image_of(call["input"].tensor(), filter->rank() - 2);
  if (!input) return {};
  const auto stride = window_numbers(call["stride"], *input);
  const auto padding = window_numbers(call["padding"], *input);
  const auto dilation =
      call["dilation"].integers().empty() ? Sizes{1} : window_numbers(call["dilation"], *input);
  const std::uint64_t groups = groups_of(call, *input);
  if (!stride || !padding || !dilation || groups == 0) return {};
  const Sizes& weight = filter->sizes;
  const bool is_transposed =
      call["transposed"].flag().value_or(call.kind == LayerKind::conv_transpose);
  Operation operation{.row = find_row(is_transposed ? "transposed_convolution" : "convolution"),
                      .operands = {*input},
                      .pass = pass,
                      .called = base_name(call.name)};
  operation.operands.front().type = multiplied_type(call, *input->type);
  Attributes& attributes = operation.attributes;
  attributes.channels = is_transposed ? weight[1] * groups : weight[0];
  attributes.kernel = axes_list(Sizes(weight.begin() + 2, weight.end()));
  attributes.stride = axes_of(*stride);
  attributes.padding = axes_of(*padding);
  attributes.dilation = axes_of(*dilation);
  attributes.output_padding = axes_of(is_transposed ? call["output_padding"].integers() : Sizes{});
  attributes.groups = groups;
  attributes.bias = call["bias"].tensor() != nullptr;
  return {std::move(operation)};
}

/// Wanted positions, or else a gradient of the result.
Operations adaptive_pool(const OperatorCall& call) {
  const auto input = image_of(call["input"].tensor(), call.name);
  const auto gradient = image_of(call["gradient"].tensor(), call.name);
  const Sizes wanted = call["sizes"].integers();
  if (!input || (!gradient && wanted.empty())) return {};
  Operation operation{.row = call.row, .operands = {*input}, .called = base_name(call.name)};
  Sizes result(input->sizes.begin(), input->sizes.begin() + 2);
  if (gradient) {
    const bool is_one = element_count(gradient->sizes) == element_count(result);
    operation.pass = Pass::dgrad;
    operation.operands = {is_one ? *input : *gradient};
    result = is_one ? gradient->sizes : input->sizes;
  } else {
    result.insert(result.end(), wanted.begin(), wanted.end());
  }
  operation.results = {{.sizes = std::move(result), .type = input->type}};
  return {std::move(operation)};
}

}  // namespace

/// The mask selects gradients of input, weight and bias; the bias' sum is an operator of its own.
Operations convolution_operations(const OperatorCall& call) {
  if (!has_word(call.argument_names, "mask")) return convolution(call, Pass::fwd);
  const std::vector<bool> mask = call["mask"].flags();
  Operations both;
  for (const auto& [index, pass] : {std::pair{0U, Pass::dgrad}, {1U, Pass::wgrad}}) {
    if (index >= mask.size() || !mask[index]) continue;
    for (Operation& own : convolution(call, pass)) both.push_back(std::move(own));
  }
  return both;
}

/// torchvision's call has a mask even where it uses none.
Operations deformable_operations(const OperatorCall& call) {
  const TensorArgument* filter = call["weight"].tensor();
  const TensorArgument* offsets = call["offset"].tensor();
  const auto input = image_of(call["input"].tensor(), 2);
  if (filter == nullptr || filter->rank() != 4 || offsets == nullptr || !input) return {};
  Operation operation{
      .row = call.row, .operands = {*input, *filter, *offsets}, .called = base_name(call.name)};
  if (const TensorArgument* mask = call["mask"].tensor();
      mask != nullptr && call["use_mask"].flag().value_or(false))
    operation.operands.push_back(*mask);
  const auto pair = [&](std::string_view height, std::string_view width) {
    Sizes numbers;
    for (const std::string_view axis : {height, width})
      numbers.push_back(static_cast<std::uint64_t>(call[axis].integer().value_or(0)));
    return axes_list(numbers);
  };
  Attributes& attributes = operation.attributes;
  attributes.channels = filter->sizes[0];
  attributes.kernel = axes_list(Sizes(filter->sizes.begin() + 2, filter->sizes.end()));
  attributes.stride = pair("stride_h", "stride_w");
  attributes.padding = pair("pad_h", "pad_w");
  attributes.dilation = pair("dilation_h", "dilation_w");
  attributes.groups = static_cast<std::uint64_t>(call["groups"].integer().value_or(1));
  attributes.bias = call["bias"].tensor() != nullptr;
  return {std::move(operation)};
}

Operations pool_operations(const OperatorCall& call) {
  if (!has_word(call.argument_names, "kernel")) return adaptive_pool(call);
  const auto input = image_of(call["input"].tensor(), call.name);
  if (!input) return {};
  Operation operation{
      .row = call.row, .operands = {*input}, .pass = call.pass(), .called = base_name(call.name)};
  Attributes& attributes = operation.attributes;
  attributes.kernel = axes_of(call["kernel"].integers());
  attributes.stride = axes_of(call["stride"].integers());
  attributes.padding = axes_of(call["padding"].integers());
  attributes.dilation = axes_of(call["dilation"].integers());
  attributes.ceil_mode = call["ceil"].flag().value_or(false);
  return {std::move(operation)};
}

}  // namespace roofline
