#include "report/stated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "roofline/spec.hpp"

namespace roofline {
namespace {

std::string list(std::span<const std::uint64_t> numbers) {
  std::string text = "[";
  for (const std::uint64_t number : numbers) {
    if (text.size() > 1) text += ',';
    append_count(text, number);
  }
  return text += ']';
}

/// A few sizes, of a shape or of a window's axes.
class FewSizes {
 public:
  void add(std::uint64_t size) { sizes_[count_++] = size; }
  std::span<const std::uint64_t> all() const { return {sizes_.data(), count_}; }

 private:
  std::array<std::uint64_t, 6> sizes_{};  // both ends of three axes' padding
  std::size_t count_ = 0;
};

FewSizes sizes_of(const Shape& shape, LayerKind kind) {
  const bool last = info(kind).features == Features::last;
  FewSizes sizes;
  sizes.add(shape.batch);
  if (!last) sizes.add(shape.channels);
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i) sizes.add(shape.spatial[i]);
  if (last) sizes.add(shape.channels);
  return sizes;
}

/// Without the batch, which a parameter has none of; all sizes where a list without it would be
/// read as another shape.
std::string parameter(const Operand& operand) {
  const Shape& shape = operand.shape;
  const FewSizes sizes = sizes_of(shape, LayerKind::add);
  const std::string count =
      operand.parameters ? fmt::format(",\"parameters\":{}", *operand.parameters) : "";
  if (shape.spatial_rank % 2 != 0)
    return "{\"shape\":" + list(sizes.all()) + ",\"parameter\":true" + count + "}";
  return "{\"parameter\":" + list(sizes.all().subspan(1)) + count + "}";
}

std::string second_matrix(const Layer& layer) {
  const Shape& first = layer.inputs.front().shape;
  return list(std::array{first.batch, first.channels, layer.output.channels});
}

std::string operand_text(const Operand& operand, LayerKind kind) {
  return operand.is_parameter ? parameter(operand) : stated_shape(operand.shape, kind);
}

std::span<const std::uint64_t> window_axes(const Window& window, const Axes& axes) {
  return std::span(axes).last(window.rank);
}

}  // namespace

std::string stated_shape(const Shape& shape, LayerKind kind) {
  return list(sizes_of(shape, kind).all());
}

Cell stated_parameter(const Operand& operand) { return JsonText{parameter(operand)}; }

Cell stated_second_matrix(const Layer& layer) { return JsonText{second_matrix(layer)}; }

Cell stated_input(const Layer& layer) {
  if (layer.kind == LayerKind::matmul) {
    const std::string first = stated_shape(layer.inputs.front().shape, layer.kind);
    return JsonText{"[" + first + "," + second_matrix(layer) + "]"};
  }
  if (!takes(layer.kind, Field::inputs))
    return JsonText{stated_shape(layer.inputs.front().shape, layer.kind)};
  std::string all;
  for (const Operand& operand : layer.inputs)
    all += (all.empty() ? "" : ",") + operand_text(operand, layer.kind);
  return JsonText{"[" + all + "]"};
}

Cell stated_producers(const LayerResult& row) {
  const std::vector<std::string>& names = row.input_from;
  if (!takes(row.layer.kind, Field::inputs))
    return text_or_null(names.empty() ? std::string() : names.front());
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return name.empty(); }))
    return {};
  std::string all;
  for (const std::string& name : names) {
    if (!all.empty()) all += ',';
    append_json(all, text_or_null(name));
  }
  return JsonText{"[" + all + "]"};
}

Cell stated_output(const Layer& layer) { return JsonText{stated_shape(layer.output, layer.kind)}; }

Cell stated_axes(const Layer& layer, const Axes& axes) {
  if (!has_window(layer.kind)) return {};
  return JsonText{list(window_axes(layer.window, axes))};
}

Cell stated_padding(const Layer& layer) {
  if (!has_window(layer.kind)) return {};
  const Window& window = layer.window;
  if (window.pad_begin == window.pad_end)
    return JsonText{list(window_axes(window, window.pad_begin))};
  FewSizes numbers;
  for (const Axes* axes : {&window.pad_begin, &window.pad_end})
    for (const std::uint64_t number : window_axes(window, *axes)) numbers.add(number);
  return JsonText{list(numbers.all())};
}

Cell stated_mapping(const Layer& layer) {
  const KernelMapping& mapping = layer.mapping;
  std::string members;
  const auto add = [&](std::string_view key, const std::string& value) {
    members += fmt::format("{}\"{}\":{}", members.empty() ? "" : ",", key, value);
  };
  const auto add_count = [&](std::string_view key, const std::optional<std::uint64_t>& count) {
    if (count) add(key, fmt::format("{}", *count));
  };
  if (mapping.algorithm) add("algorithm", fmt::format("\"{}\"", name_of(*mapping.algorithm)));
  if (mapping.tile) add("tile", list(*mapping.tile));
  add_count("split_k", mapping.split_k);
  add_count("threads", mapping.threads);
  add_count("stages", mapping.stages);
  add_count("registers", mapping.registers);
  add_count("shared_memory_byte", mapping.shared_memory_byte);
  if (members.empty()) return {};
  return JsonText{"{" + members + "}"};
}

Cell stated_normalized_shape(const Layer& layer) {
  if (layer.kind != LayerKind::layer_norm) return {};
  return JsonText{list(std::array{layer.norm_elements})};
}

Cell stated_groups(const Layer& layer) {
  if (layer.kind == LayerKind::conv || layer.kind == LayerKind::conv_transpose) return layer.groups;
  if (layer.kind != LayerKind::group_norm) return {};
  const Axes& spatial = layer.output.spatial;
  return layer.output.channels * spatial[0] * spatial[1] * spatial[2] / layer.norm_elements;
}

}  // namespace roofline
