#include "operators/names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/text.hpp"

namespace roofline {

namespace {

/// "7" of 7x7, "1x3" of others.
std::string axes_text(const Sizes& numbers) {
  const bool is_same = std::equal(numbers.begin() + 1, numbers.end(), numbers.begin());
  return is_same ? std::to_string(numbers.front()) : sizes_text(numbers);
}

/// "conv2d 32x3x224x224 to 64 k7 s2". Names a layout for which the library copies around its
/// kernel.
std::string name_of_convolution(const LayerSpec& spec) {
  std::string name(info(spec.kind).name);
  const Sizes& image = spec.input ? spec.input->sizes : spec.inputs.front().sizes;
  name += std::to_string(*spec.rank) + "d " + sizes_text(image) + " to " +
          std::to_string(*spec.out_channels) + " k" + axes_text(spec.kernel_size.numbers);
  for (const auto& [mark, axes] : {std::pair{" s", &spec.stride}, {" d", &spec.dilation}})
    if (std::ranges::any_of(axes->numbers, [](std::uint64_t number) { return number != 1; }))
      name += mark + axes_text(axes->numbers);
  if (*spec.groups > 1) name += " g" + std::to_string(*spec.groups);
  if (spec.layout && *spec.layout != usual_layout(*spec.dtypes.input))
    name += *spec.layout == Layout::nchw ? " channels first" : " channels last";
  return name;
}

std::string name_of_pool(const LayerSpec& spec) {
  const Sizes& kernel = spec.kernel_size.numbers;
  const Sizes& stride = spec.stride.numbers;
  return std::string(info(spec.kind).name) + " " + sizes_text(spec.input->sizes) + " k" +
         sizes_text(kernel) + " s" + sizes_text(stride.empty() ? kernel : stride);
}

/// "attention 8x16x512x64 to 77", the keys if they are not as many as the queries.
std::string name_of_attention(const LayerSpec& spec) {
  const Sizes& queries = spec.inputs[0].sizes;
  const std::uint64_t keys = spec.inputs[1].sizes[2];
  std::string name = "attention " + sizes_text(queries);
  if (keys != queries[2]) name += " to " + std::to_string(keys);
  return name;
}

/// "linear 64x512 to 1000", "matmul 8x64x32 by 8x32x64".
std::string name_of_product(const LayerSpec& spec) {
  if (spec.out_features)
    return "linear " + sizes_text(spec.input->sizes) + " to " + std::to_string(*spec.out_features);
  return "matmul " + sizes_text(spec.inputs[0].sizes) + " by " + sizes_text(spec.inputs[1].sizes);
}

/// "lstm 8x100x256 to 512 l2".
std::string name_of_recurrent(const LayerSpec& spec) {
  const std::uint64_t directions = spec.bidirectional ? 2 : 1;
  std::string name(info(spec.kind).name);
  name +=
      " " + sizes_text(spec.input->sizes) + " to " + std::to_string(directions * *spec.hidden_size);
  if (spec.num_layers) name += " l" + std::to_string(*spec.num_layers);
  return name;
}

/// "add 32x64x56x56 and 64", the larger operand first.
std::string name_of_combination(const Operation& operation, const LayerSpec& spec) {
  const auto elements = [](const Tensor& tensor) { return element_count(tensor.sizes); };
  const std::vector<Tensor>& operands = operation.operands;
  const auto largest = std::ranges::max_element(operands, {}, elements);
  std::string name(info(spec.kind).name);
  name += " " + sizes_text(largest->sizes);
  for (auto other = operands.begin(); other != operands.end(); ++other)
    if (other != largest && other->sizes != largest->sizes)
      name += " and " + (other->rank() == 0 ? "a value" : sizes_text(other->sizes));
  return name;
}

/// "copy 32x64 fp32 to fp16".
std::string name_of_copy(const Operation& operation, const LayerSpec& spec) {
  std::string name = std::string(operation.called) + " " + sizes_text(result_sizes(operation));
  if (spec.dtypes.input != spec.dtypes.output)
    name += " " + std::string(name_of(*spec.dtypes.input)) + " to " +
            std::string(name_of(*spec.dtypes.output));
  return name;
}

/// "concat of 2 to 32x128x56x56".
std::string name_of_join(const Operation& operation) {
  const std::size_t axis = operation.attributes.axes.front();
  Sizes sizes = operation.operands.front().sizes;
  sizes[axis] = 0;
  for (const Tensor& tensor : operation.operands) sizes[axis] += tensor.sizes[axis];
  return "concat of " + std::to_string(operation.operands.size()) + " to " + sizes_text(sizes);
}

/// "upsample 32x64x28x28 to 56x56".
std::string name_of_resize(const LayerSpec& spec) {
  return "upsample " + sizes_text(spec.input->sizes) + " to " +
         sizes_text(Sizes(spec.output.begin() + 2, spec.output.end()));
}

}  // namespace

std::string name_by_sizes(const Operation& operation, const LayerSpec& spec) {
  if (spec.out_channels) return name_of_convolution(spec);
  if (spec.hidden_size) return name_of_recurrent(spec);
  if (spec.kind == LayerKind::attention) return name_of_attention(spec);
  if (spec.out_features || spec.kind == LayerKind::matmul) return name_of_product(spec);
  if (!spec.kernel_size.empty()) return name_of_pool(spec);
  if (spec.kind == LayerKind::copy) return name_of_copy(operation, spec);
  if (spec.kind == LayerKind::concat) return name_of_join(operation);
  if (spec.kind == LayerKind::upsample) return name_of_resize(spec);
  if (spec.kind == LayerKind::gather)
    return std::string(operation.called) + " " + sizes_text(result_sizes(operation));
  const bool is_combination = operation.operands.size() > 1 && operation.attributes.computed_in;
  if (is_combination && spec.kind != LayerKind::other) return name_of_combination(operation, spec);
  const KindInfo& kind = info(spec.kind);
  const bool is_called = kind.named == Named::by_operator || spec.kind == LayerKind::scatter;
  std::string name(is_called ? operation.called : kind.name);
  if (spec.batch_statistics) name += " training";
  const Sizes& sizes =
      (operation.operands.empty() ? operation.results : operation.operands).front().sizes;
  name += " " + (sizes.empty() ? "of one value" : sizes_text(sizes));
  if (spec.kind == LayerKind::reduce) name += " to " + sizes_text(result_sizes(operation));
  if (!spec.output_size.empty()) name += " to " + sizes_text(spec.output_size.numbers);
  if (spec.kind == LayerKind::group_norm) name += " g" + std::to_string(*spec.groups);
  return name;
}

std::vector<std::string> names_by_module(const std::vector<LayerOrigin>& origins) {
  struct Module {
    std::size_t contractions = 0;
    std::string label;         ///< the first layer's
    bool has_labels = false;   ///< others have other labels
    bool has_modules = false;  ///< it contains modules
  };
  const auto is_contraction = [](const LayerOrigin& origin) {
    return is_any(info(origin.kind).family, KindFamily::contraction, KindFamily::recurrent,
                  KindFamily::deformable);
  };
  std::unordered_map<std::string_view, Module> modules;
  for (const LayerOrigin& origin : origins) {
    Module& own = modules[origin.module];
    if (own.label.empty()) own.label = origin.label;
    own.has_labels = own.has_labels || own.label != origin.label;
    if (is_contraction(origin)) ++own.contractions;
    constexpr int deepest_module = 64;
    std::size_t at = origin.module.find_first_of("./");
    for (int depth = 0; at != std::string::npos && depth < deepest_module; ++depth) {
      modules[std::string_view(origin.module).substr(0, at)].has_modules = true;
      at = origin.module.find_first_of("./", at + 1);
    }
  }
  std::vector<std::string> names;
  names.reserve(origins.size());
  std::set<std::string> taken;
  std::unordered_map<std::string, std::size_t> uses;
  for (const LayerOrigin& origin : origins) {
    const Module& module = modules.at(origin.module);
    const bool stands_for_module =
        !origin.module.empty() && !module.has_modules &&
        (!module.has_labels || (is_contraction(origin) && module.contractions == 1));
    std::string wanted = origin.module;
    if (!origin.part.empty())
      wanted = (wanted.empty() ? origin.label : wanted) + "." + origin.part;
    else if (!stands_for_module)
      add_item(wanted, origin.label, origin.is_own_name ? "/" : ".");
    std::string name = wanted;
    while (!taken.insert(name).second) name = wanted + "_" + std::to_string(++uses[wanted]);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace roofline
