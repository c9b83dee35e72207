#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/infer/shapes.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "model/text.hpp"

namespace roofline {

namespace {

[[noreturn]] void fail_shape(std::string_view field, const std::vector<std::size_t>& index,
                             const std::string& expected, const std::vector<std::uint64_t>& sizes) {
  fail(field, "expected " + expected + ", got " + list_text(sizes), index);
}

void set_spatial(Shape& shape, const std::uint64_t* first, std::size_t rank) {
  shape.spatial_rank = static_cast<std::uint8_t>(rank);
  for (std::size_t i = 0; i < rank; ++i) shape.spatial[3 - rank + i] = first[i];
}

StatedShape features_last(const std::vector<std::uint64_t>& sizes) {
  StatedShape stated;
  stated.shape.channels = sizes.back();
  if (sizes.size() == 1) return stated;
  stated.has_batch = true;
  stated.shape.batch = sizes.front();
  set_spatial(stated.shape, sizes.data() + 1, sizes.size() - 2);
  return stated;
}

std::string expected_shape(std::uint8_t rank) {
  constexpr std::array<const char*, 4> forms{"[C] or [N, C]", "[C, L] or [N, C, L]",
                                             "[C, H, W] or [N, C, H, W]",
                                             "[C, D, H, W] or [N, C, D, H, W]"};
  return std::string("a shape ") + forms[rank];
}

/// The default number of spatial axes for a list of sizes.
std::uint8_t usual_rank(std::size_t size, bool whole) {
  constexpr std::array<std::uint8_t, 6> with_or_without_batch{0, 0, 0, 2, 2, 3};
  constexpr std::array<std::uint8_t, 6> with_batch{0, 0, 0, 1, 2, 3};
  return whole ? with_batch[size] : with_or_without_batch[size];
}

/// The batch of a whole shape, scaled from the network's stated batch to --batch.
std::uint64_t rescaled(std::uint64_t batch, const LayerScope& scope) {
  if (!scope.defaults.batch_override) return batch;
  const std::uint64_t stated = scope.network.batch.value_or(1);
  const std::uint64_t wanted = *scope.defaults.batch_override;
  if (stated == wanted) return batch;
  return batch % stated == 0 ? checked_mul(batch / stated, wanted) : wanted;
}

Operand with_batch(StatedShape stated, const LayerSpec& spec, const LayerScope& scope) {
  stated.shape.batch =
      infer_batch(spec, scope, stated.has_batch ? std::optional(stated.shape.batch) : std::nullopt);
  return {stated.shape};
}

std::size_t index_of_layer(const std::string& name, const LayerScope& scope, std::string_view field,
                           const std::vector<std::size_t>& index) {
  if (scope.network.record)
    fail(field, "expected a shape: a stream of layers remembers no names", index);
  if (scope.network.layer_count() == 1)
    fail(field, "expected a shape: there is no earlier layer to name", index);
  return scope.names.find(name, scope.copy, scope.copies, field, index);
}

Operand stated_operand(const OperandSpec& operand, const LayerSpec& spec, const LayerScope& scope,
                       std::optional<std::uint8_t> rank, std::string_view field,
                       const std::vector<std::size_t>& index) {
  const ShapeForm own{rank, info(spec.kind).features, operand.whole};
  // A record knows no other layers: it takes another layer's output as a shape.
  if (operand.layer.empty() || (scope.network.record && !operand.sizes.empty())) {
    const StatedShape stated = read_shape(operand.sizes, own, field, index);
    if (operand.is_parameter) return {stated.shape, std::nullopt, true, operand.parameters};
    if (!operand.whole) return with_batch(stated, spec, scope);
    Shape shape = stated.shape;
    shape.batch = rescaled(shape.batch, scope);
    return {shape};
  }
  const std::size_t producer = index_of_layer(operand.layer, scope, field, index);
  Shape shape = scope.layers[producer].output;
  if (!operand.sizes.empty()) {
    shape = read_shape(operand.sizes, own, field, index).shape;
    shape.batch = rescaled(shape.batch, scope);
  }
  return {shape, producer};
}

/// Channels stated beside an input must agree with it.
void check_channels(const LayerSpec& spec, const Shape& input) {
  if (spec.in_channels && *spec.in_channels != input.channels)
    fail("in_channels", concat("expected ", input.channels, ", the channels of the input ",
                               to_text(input), ", got ", *spec.in_channels));
}

/// A batch stated beside an earlier layer's output must agree with it.
void check_batch(const LayerSpec& spec, const LayerScope& scope, const Shape& input) {
  if (spec.batch && !scope.defaults.batch_override && *spec.batch != input.batch)
    fail("batch", concat("expected ", input.batch, ", the batch of the input ", to_text(input),
                         ", got ", *spec.batch));
}

/// From in_channels and input_size, or c, h, w.
Operand from_sizes(const LayerSpec& spec, const LayerScope& scope, std::uint8_t rank) {
  const AxesSpec& size = spec.input_size;
  if (spec.input) fail_twice("input", "sizes");
  if (!spec.in_channels) fail_missing("in_channels", "an integer >= 1");
  StatedShape stated;
  stated.shape.channels = *spec.in_channels;
  stated.shape.spatial_rank = rank;
  if (!size.numbers.empty() && (size.height || size.width)) fail_twice("input_size", "h or w");
  if (size.numbers.empty()) {
    if (rank == 3) fail_layer("expected input: [C, D, H, W] for a 3-D layer, got h and w");
    if (!size.width) fail_missing("w", "an integer >= 1");
    if (rank == 2 && !size.height) fail_missing("h", "an integer >= 1");
    if (rank == 1 && size.height) fail("h", "expected only w for a 1-D layer, got h");
  }
  constexpr AxesFields fields{"input_size", "h", "w"};
  stated.shape.spatial = *read_axes(size, rank, fields, 1);
  return with_batch(stated, spec, scope);
}

Operand from_previous(const LayerSpec& spec, const LayerScope& scope) {
  if (scope.network.record)
    fail("input",
         "expected a shape such as [3, 224, 224]: a record stands alone; give it an input, or all "
         "layers as one array");
  if (scope.previous_copies == 0)
    fail("input", "expected a shape such as [3, 224, 224]: there is no layer before this one");
  // The same copy of a layer with as many repeats; else the last copy.
  const std::size_t back =
      scope.previous_copies == scope.copies ? scope.previous_copies : std::size_t{1} + scope.copy;
  const std::size_t producer = scope.layers.size() - back;
  check_channels(spec, scope.layers[producer].output);
  check_batch(spec, scope, scope.layers[producer].output);
  return {scope.layers[producer].output, producer};
}

}  // namespace

StatedShape read_shape(const std::vector<std::uint64_t>& sizes, const ShapeForm& form,
                       std::string_view field, const std::vector<std::size_t>& index) {
  if (sizes.empty()) fail_shape(field, index, "a list of sizes such as [3, 224, 224]", sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 0) {
      std::vector<std::size_t> place = index;
      place.push_back(i);
      fail(field, "expected an integer >= 1, got 0", place);
    }
  const bool last = form.features == Features::last;
  if (sizes.size() > 5)
    fail_shape(
        field, index,
        last ? "1 to 5 sizes, [N, positions..., F]" : "1 to 5 sizes, [N, C, D, H, W] at most",
        sizes);
  if (last) return features_last(sizes);
  const std::uint8_t rank = form.rank.value_or(usual_rank(sizes.size(), form.whole));
  const std::size_t without_batch = std::size_t{rank} + 1;
  const bool has_batch = sizes.size() == without_batch + 1;
  if (!has_batch && sizes.size() != without_batch)
    fail_shape(field, index,
               expected_shape(rank) +
                   (rank == 2 && sizes.size() == 5 ? " (conv3d takes [N, C, D, H, W])" : ""),
               sizes);
  StatedShape stated;
  stated.has_batch = has_batch;
  const std::uint64_t* next = sizes.data();
  if (has_batch) stated.shape.batch = *next++;
  stated.shape.channels = *next++;
  set_spatial(stated.shape, next, rank);
  return stated;
}

std::optional<Axes> read_axes(const AxesSpec& spec, std::uint8_t rank, const AxesFields& fields,
                              std::uint64_t neutral) {
  if (!spec.numbers.empty() && (spec.height || spec.width))
    fail_twice(fields.all, spec.height ? fields.height : fields.width);
  Axes axes{neutral, neutral, neutral};
  if (!spec.numbers.empty()) {
    if ((spec.is_list || spec.numbers.size() > 1) && spec.numbers.size() != rank)
      fail(fields.all,
           concat("expected a number or a list of ", rank, ", got ", list_text(spec.numbers)));
    for (std::size_t i = 0; i < rank; ++i)
      axes[3U - rank + i] = spec.numbers[spec.numbers.size() == 1 ? 0 : i];
    return axes;
  }
  if (!spec.height && !spec.width) return std::nullopt;
  if (rank == 3)
    fail(spec.height ? fields.height : fields.width,
         "expected " + std::string(fields.all) + ": [d, h, w] for a 3-D layer");
  if (rank == 1 && spec.height) fail(fields.height, "expected only the width of a 1-D layer");
  if (spec.height) axes[1] = *spec.height;
  if (spec.width) axes[2] = *spec.width;
  return axes;
}

std::string to_text(const Shape& shape) {
  std::string text = concat("[", shape.batch, ", ", shape.channels);
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i) text += concat(", ", shape.spatial[i]);
  return text + "]";
}

std::string list_text(const std::vector<std::uint64_t>& sizes) {
  constexpr std::size_t longest = 60;
  std::string text;
  for (const std::uint64_t size : sizes) text += concat((text.empty() ? "" : ","), size);
  if (text.size() + 2 > longest) return concat("an array of ", sizes.size());
  return "[" + text + "]";
}

std::string axis_name(std::size_t axis) {
  constexpr std::array<const char*, 3> names{"depth", "height", "width"};
  return names[axis];
}

void LayerNames::add(const std::string& name, std::size_t first, std::size_t copies) {
  const auto [entry, inserted] = entries_.try_emplace(name, Entry{first, copies, false});
  if (!inserted) entry->second.ambiguous = true;
}

std::size_t LayerNames::find(const std::string& name, std::size_t copy, std::size_t copies,
                             std::string_view field, const std::vector<std::size_t>& index) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    std::vector<std::string_view> known =
        each_of(entries_, [](const auto& each) { return std::string_view(each.first); });
    std::ranges::sort(known);
    fail(
        field,
        "expected the name of an earlier layer, got " + in_quotes(name) + did_you_mean(name, known),
        index);
  }
  const Entry& entry = found->second;
  if (entry.ambiguous)
    fail(field,
         "expected the name of one earlier layer, got " + in_quotes(name) + ", which two have",
         index);
  return entry.first + (entry.copies == copies ? copy : entry.copies - 1);
}

std::uint64_t infer_batch(const LayerSpec& spec, const LayerScope& scope,
                          std::optional<std::uint64_t> shape_batch) {
  if (spec.batch && shape_batch && *spec.batch != *shape_batch)
    fail("batch",
         concat("expected ", *shape_batch, ", the first number of the shape, got ", *spec.batch));
  if (scope.defaults.batch_override) return *scope.defaults.batch_override;
  if (spec.batch) return *spec.batch;
  return shape_batch ? *shape_batch : scope.network.batch.value_or(1);
}

Operand infer_operand(const LayerSpec& spec, const LayerScope& scope,
                      std::optional<std::uint8_t> rank) {
  if (!spec.input_size.empty()) return from_sizes(spec, scope, rank.value_or(2));
  if (!spec.input) {
    if (spec.in_channels && scope.previous_copies == 0)
      fail("in_channels", "expected input_size, or h and w, beside the channels");
    return from_previous(spec, scope);
  }
  const bool is_named = !spec.input->layer.empty();
  Operand operand = stated_operand(*spec.input, spec, scope, rank, "input", {});
  operand.type = spec.input->type;
  check_channels(spec, operand.shape);
  if (is_named) check_batch(spec, scope, operand.shape);
  return operand;
}

std::vector<Operand> infer_operands(const std::vector<OperandSpec>& stated, std::string_view field,
                                    const LayerSpec& spec, const LayerScope& scope,
                                    std::optional<std::uint8_t> rank) {
  if (stated.empty()) fail_missing(field, "a list of shapes or names of earlier layers");
  std::vector<Operand> operands;
  bool uses_batch = false;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const OperandSpec& each = stated[i];
    operands.push_back(stated_operand(each, spec, scope, rank, field, {i}));
    operands.back().type = each.type;
    uses_batch = uses_batch || (each.layer.empty() && !each.is_parameter);
  }
  if (!uses_batch) check_batch(spec, scope, operands.front().shape);
  return operands;
}

}  // namespace roofline
