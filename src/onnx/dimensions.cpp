// A model's open sizes: the batch and the others.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/text.hpp"
#include "onnx/graph.hpp"

namespace roofline::onnx_graph {
namespace {

using Input = const ValueProto*;

bool is_batch_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> names{"batch", "batch_size", "batchsize", "batch_dim",
                                                  "bs",    "n",          "b",         "num_batch"};
  return std::ranges::find(names, lower_case(name)) != names.end();
}

/// Some exporters write an open size as 0 or -1.
bool is_open(const Dimension& dimension) { return dimension.size.value_or(0) <= 0; }

/// Written as 0 and without a name: open perhaps, and no batch of 1.
bool is_zero(const Dimension& dimension) { return dimension.size == 0 && dimension.name.empty(); }

/// Fails for a size that is neither a number of elements nor open (-1).
void check_size(const Model& model, const ValueProto& input, std::size_t axis) {
  const std::int64_t size = (*input.shape)[axis].size.value_or(0);
  if (size < -1)
    throw InputError(model.source, "input " + in_quotes(input.name),
                     "expected sizes of 1 to 2^63 - 1, got " +
                         std::to_string(static_cast<std::uint64_t>(size)) + " along axis " +
                         std::to_string(axis));
}

std::string name_of(Input input, std::size_t axis) {
  const std::string& name = (*input->shape)[axis].name;
  return name.empty() ? input->name + "." + std::to_string(axis) : name;
}

}  // namespace

Dimensions::Dimensions(const Model& model, const LayerDefaults& defaults) : model_(model) {
  std::set<std::string> initializers;
  for (const auto& tensor : model.graph.tensors) initializers.insert(tensor.name);
  std::vector<Input> inputs;
  for (const auto& input : model.graph.inputs)
    if (!initializers.contains(input.name) && input.shape) inputs.push_back(&input);
  for (const Input input : inputs)
    for (std::size_t axis = 0; axis < input->shape->size(); ++axis) {
      check_size(model, *input, axis);
      if (is_open((*input->shape)[axis])) names_.insert(name_of(input, axis));
    }
  for (const auto& [name, value] : defaults.dimensions) {
    values_[name] = static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
    if (!names_.contains(name))
      throw InputError(model_.source, "", no_open_size(name, joined(names_)));
  }
  find_batch(inputs, defaults);
  bind_inputs(inputs);
}

/// The batch: an open size named like "batch"; else the first size of the first input with it open,
/// and all unnamed first sizes; else the first size of the first input. A size of 0 is no batch of
/// 1: it has to be given.
void Dimensions::find_batch(const std::vector<Input>& inputs, const LayerDefaults& defaults) {
  std::vector<std::string> batches;
  std::set<std::string> zeros;
  for (const std::string& name : names_)
    if (is_batch_name(name)) batches.push_back(name);
  for (const Input input : inputs) {
    if (input->shape->empty() || !is_open(input->shape->front())) continue;
    const bool has_name = !input->shape->front().name.empty();
    if (batches.empty() || !has_name) batches.push_back(name_of(input, 0));
    if (is_zero(input->shape->front())) zeros.insert(name_of(input, 0));
  }
  if (!batches.empty()) {
    const auto stated = values_.find(batches.front());
    if (defaults.batch_override)
      batch_ = *defaults.batch_override;
    else if (stated != values_.end())
      batch_ = static_cast<std::uint64_t>(stated->second);
    for (const std::string& name : batches)
      if (defaults.batch_override || (!values_.contains(name) && !zeros.contains(name)))
        values_[name] = static_cast<std::int64_t>(std::min<std::uint64_t>(batch_, INT64_MAX));
    return;
  }
  for (const Input input : inputs) {
    if (input->shape->size() < 2) continue;
    const std::int64_t fixed = input->shape->front().size.value_or(0);
    batch_ = defaults.batch_override.value_or(static_cast<std::uint64_t>(fixed));
    if (batch_ != static_cast<std::uint64_t>(fixed)) fixed_batch_ = fixed;
    return;
  }
}

void Dimensions::bind_inputs(const std::vector<Input>& inputs) {
  std::set<std::string> missing;
  for (const Input input : inputs) {
    Sizes& sizes = inputs_[input->name];
    for (std::size_t axis = 0; axis < input->shape->size(); ++axis) {
      const Dimension& dimension = (*input->shape)[axis];
      const auto value = values_.find(name_of(input, axis));
      if (is_open(dimension) && value == values_.end()) missing.insert(name_of(input, axis));
      sizes.push_back(!is_open(dimension)      ? *dimension.size
                      : value == values_.end() ? 1
                                               : value->second);
    }
    if (fixed_batch_ != 0 && !sizes.empty() && sizes.front() == fixed_batch_)
      sizes.front() = static_cast<std::int64_t>(batch_);
  }
  if (missing.empty()) return;
  InputError error(
      model_.source, "",
      "expected values of " + joined(missing) + ", which the model leaves open, got none");
  error.remedy = Remedy::dimensions;
  throw error;
}

std::optional<Sizes> Dimensions::stated(const ValueProto& value) const {
  if (!value.shape || overrides_fixed_batch()) return std::nullopt;
  Sizes sizes;
  for (const Dimension& dimension : *value.shape) {
    if (dimension.size.value_or(-1) >= 0) {
      sizes.push_back(*dimension.size);
      continue;
    }
    const auto known = values_.find(dimension.name);
    if (dimension.name.empty() || known == values_.end()) return std::nullopt;
    sizes.push_back(known->second);
  }
  return sizes;
}

Sizes Dimensions::rescaled(Sizes shape) const {
  if (fixed_batch_ > 0 && !shape.empty() && shape.front() > 0 && shape.front() % fixed_batch_ == 0)
    shape.front() =
        product_or_throw({shape.front() / fixed_batch_, static_cast<std::int64_t>(batch_)});
  return shape;
}

}  // namespace roofline::onnx_graph
