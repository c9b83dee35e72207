#include "load/operand_reader.hpp"

namespace roofline {
namespace {

Operand named_operand(const Value& name, const LayerScope& scope) {
  const auto [index, layer] = scope.find_layer(name);
  return {layer->output, index, false};
}

Operand with_batch(ReadShape read, ObjectReader& object, const LayerScope& scope) {
  read.shape.batch =
      read_batch(object, scope, read.has_batch ? std::optional(read.shape.batch) : std::nullopt);
  return {read.shape, std::nullopt, false};
}

/// Channels stated beside an input that has them already must agree with it.
void check_channels(const std::optional<Value>& channels, const Shape& input) {
  if (channels && channels->integer(1) != input.channels)
    channels->fail("expected " + std::to_string(input.channels) + ", the channels of the input " +
                   to_text(input) + ", got " + std::to_string(channels->integer(1)));
}

Axes read_sizes(ObjectReader& object, std::uint8_t rank) {
  const auto size = object.take("input_size");
  const auto height = object.take("h");
  const auto width = object.take("w");
  if (size && (height || width)) size->fail("expected one spelling, got this and h or w");
  if (size) return read_axes(*size, rank, 1, 1);
  if (rank == 3) object.value().fail("expected input: [C, D, H, W] for a 3-D layer, got h and w");
  if (!width) object.fail_missing("w", "an integer >= 1");
  if (rank == 2 && !height) object.fail_missing("h", "an integer >= 1");
  if (rank == 1 && height) height->fail("expected only w for a 1-D layer, got h");
  return {1, height ? height->integer(1) : 1, width->integer(1)};
}

/// in_channels + input_size, or c, h, w.
Operand from_sizes(ObjectReader& object, const LayerScope& scope, std::uint8_t rank,
                   const std::optional<Value>& channels) {
  if (object.has("input")) object.fail_at("input", "expected one spelling, got this and sizes");
  if (!channels) object.fail_missing("in_channels", "an integer >= 1");
  ReadShape read;
  read.shape.channels = channels->integer(1);
  read.shape.spatial_rank = rank;
  read.shape.spatial = read_sizes(object, rank);
  return with_batch(read, object, scope);
}

/// So must a batch stated beside an earlier layer's output.
void check_batch(ObjectReader& object, const LayerScope& scope, const Shape& input) {
  const auto batch = object.take_one_of({"batch", "n"});
  if (batch && !scope.defaults.batch_override && batch->integer(1) != input.batch)
    batch->fail("expected " + std::to_string(input.batch) + ", the batch of the input " +
                to_text(input) + ", got " + std::to_string(batch->integer(1)));
}

Operand from_previous(const LayerScope& scope, const ObjectReader& object) {
  if (scope.previous == nullptr) {
    object.refuse_unknown();
    object.fail_at("input",
                   "expected a shape such as [3, 224, 224]: there is no layer before this one");
  }
  return {scope.previous->output, scope.previous_index, false};
}

}  // namespace

std::uint64_t read_batch(ObjectReader& object, const LayerScope& scope,
                         std::optional<std::uint64_t> shape_batch) {
  const auto stated = object.take_one_of({"batch", "n"});
  if (stated && shape_batch)
    stated->fail("expected the batch once, got it here and as the first number of the shape");
  const std::uint64_t own = stated ? stated->integer(1) : shape_batch.value_or(0);
  if (scope.defaults.batch_override) return *scope.defaults.batch_override;
  return own != 0 ? own : scope.file_batch.value_or(1);
}

Operand read_operand(ObjectReader& object, const LayerScope& scope,
                     std::optional<std::uint8_t> rank, Features features) {
  const auto channels = object.take_one_of({"in_channels", "c"});
  if (object.has("input_size") || object.has("h") || object.has("w"))
    return from_sizes(object, scope, rank.value_or(2), channels);
  const auto input = object.take("input");
  if (input && !input->is_string()) {
    if (channels) channels->fail("expected one spelling, got this and input");
    return with_batch(read_shape(*input, rank, features), object, scope);
  }
  if (!input && channels && scope.previous == nullptr)
    channels->fail("expected input_size, or h and w, beside the channels");
  const Operand operand = input ? named_operand(*input, scope) : from_previous(scope, object);
  check_channels(channels, operand.shape);
  check_batch(object, scope, operand.shape);
  return operand;
}

std::vector<Operand> read_operands(ObjectReader& object, const LayerScope& scope) {
  const Value list = object.require("inputs", "a list of shapes or names of earlier layers");
  if (!list.is_array() || list.size() == 0)
    list.fail_expected("a list of shapes or names of earlier layers");
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i);
    if (item.is_string()) {
      operands.push_back(named_operand(item, scope));
    } else if (item.node().is_object()) {
      ObjectReader parameter(item, object.origin(), "an operand", {"parameter"});
      const Value shape = parameter.require("parameter", "the shape of a learned operand");
      operands.push_back({read_shape(shape, std::nullopt, Features::first).shape, {}, true});
      parameter.finish();
    } else {
      operands.push_back(
          with_batch(read_shape(item, std::nullopt, Features::first), object, scope));
    }
  }
  check_batch(object, scope, operands.front().shape);
  return operands;
}

}  // namespace roofline
