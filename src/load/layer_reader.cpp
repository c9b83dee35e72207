#include "load/layer_reader.hpp"

#include <algorithm>
#include <array>

#include "load/geometry_reader.hpp"
#include "load/shape_reader.hpp"
#include "load/spelling.hpp"
#include "model/checked.hpp"
#include "roofline/counts.hpp"

namespace roofline {
namespace {

const std::vector<std::string_view> layer_keys{"name",
                                               "type",
                                               "batch",
                                               "n",
                                               "input",
                                               "in_channels",
                                               "c",
                                               "input_size",
                                               "h",
                                               "w",
                                               "inputs",
                                               "out_channels",
                                               "k",
                                               "kernel_size",
                                               "r",
                                               "s",
                                               "stride",
                                               "stride_h",
                                               "stride_w",
                                               "padding",
                                               "pad_h",
                                               "pad_w",
                                               "dilation",
                                               "dil_h",
                                               "dil_w",
                                               "groups",
                                               "depthwise",
                                               "bias",
                                               "in_features",
                                               "out_features",
                                               "m",
                                               "ceil_mode",
                                               "dtype",
                                               "dtypes",
                                               "output_padding",
                                               "pass",
                                               "kernel",
                                               "repeat",
                                               "output",
                                               "p",
                                               "q",
                                               "scale_factor",
                                               "measured_us",
                                               "measured_ms",
                                               "measured_cold_us",
                                               "training_only"};

/// The kind, and the rank that spellings such as "conv3d" add to it.
struct TypeName {
  LayerKind kind;
  std::optional<std::uint8_t> rank;
};

[[noreturn]] void fail_type(const Value& value) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < layer_kind_count; ++i)
    if (parse_layer_kind(info(static_cast<LayerKind>(i)).name))
      names.push_back(info(static_cast<LayerKind>(i)).name);
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  value.fail("expected a layer type (" + all + "), got \"" + value.text() + "\"" +
             did_you_mean(value.text(), names));
}

TypeName read_type(const std::optional<Value>& value) {
  if (!value) return {LayerKind::conv, std::nullopt};
  std::string name = value->text();
  std::optional<std::uint8_t> rank;
  if (name.size() > 2 && name.back() == 'd' && name[name.size() - 2] >= '1' &&
      name[name.size() - 2] <= '3') {
    rank = static_cast<std::uint8_t>(name[name.size() - 2] - '0');
    name.resize(name.size() - 2);
  }
  const std::optional<LayerKind> kind = parse_layer_kind(name);
  if (!kind) fail_type(*value);
  const bool windowed = *kind == LayerKind::conv || *kind == LayerKind::conv_transpose ||
                        info(*kind).family == KindFamily::pool;
  return {*kind, windowed ? rank : std::nullopt};
}

[[noreturn]] void fail_type_name(const Value& value, const std::string& hint) {
  std::string all;
  for (const std::string_view name : data_type_names)
    if (name != name_of(DataType::int32)) all += (all.empty() ? "" : ", ") + std::string(name);
  value.fail("expected one of " + all + ", got \"" + value.text() + "\"" + hint);
}

/// What frameworks call the types.
std::string type_hint(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> framework_names{
      {{"double", "fp64"},
       {"float64", "fp64"},
       {"float", "fp32"},
       {"float32", "fp32"},
       {"half", "fp16"},
       {"float16", "fp16"},
       {"bfloat16", "bf16"}}};
  for (const auto& [theirs, ours] : framework_names)
    if (name == theirs) return "; did you mean \"" + std::string(ours) + "\"?";
  return did_you_mean(name, {data_type_names.begin(), data_type_names.end()});
}

DataType read_output_type(const Value& value) {
  if (const auto type = parse_data_type(value.text())) return *type;
  fail_type_name(value, type_hint(value.text()));
}

DataTypes read_data_types(ObjectReader& object, DataType fallback) {
  if (object.has("dtypes") && object.has("dtype"))
    object.fail_at("dtypes", "expected one spelling, got this and dtype");
  if (const auto dtype = object.take("dtype")) fallback = read_data_type(*dtype);
  DataTypes types{fallback, fallback, fallback};
  const auto value = object.take("dtypes");
  if (!value) return types;
  ObjectReader each(*value, object.origin(), "dtypes", {"input", "weight", "output"});
  if (const auto type = each.take("input"))
    types = {read_data_type(*type), read_data_type(*type), read_data_type(*type)};
  if (const auto type = each.take("weight")) types.weight = read_data_type(*type);
  if (const auto type = each.take("output")) types.output = read_output_type(*type);
  each.finish();
  return types;
}

Algorithm read_algorithm(const Value& value) {
  const std::string name = value.text();
  if (const auto algorithm = parse_algorithm(name); algorithm && may_be_stated(*algorithm))
    return *algorithm;
  value.fail(expected_algorithm(name));
}

std::optional<KernelMapping> read_mapping(ObjectReader& layer) {
  const auto value = layer.take("kernel");
  if (!value) return std::nullopt;
  KernelMapping mapping;
  ObjectReader object(
      *value, layer.origin(), "kernel",
      {"algorithm", "tile", "split_k", "threads", "stages", "registers", "shared_memory_byte"});
  if (const auto algorithm = object.take("algorithm"))
    mapping.algorithm = read_algorithm(*algorithm);
  if (const auto tile = object.take("tile")) {
    if (!tile->is_array() || tile->size() != 3) tile->fail_expected("[m, n, k]");
    mapping.tile = {tile->at(0).integer(1), tile->at(1).integer(1), tile->at(2).integer(1)};
  }
  if (const auto split_k = object.take("split_k")) mapping.split_k = split_k->integer(1);
  if (const auto threads = object.take("threads")) mapping.threads = threads->integer(1);
  if (const auto stages = object.take("stages")) mapping.stages = stages->integer(1);
  if (const auto registers = object.take("registers")) mapping.registers = registers->integer(1);
  if (const auto bytes = object.take("shared_memory_byte"))
    mapping.shared_memory_byte = bytes->integer(0);
  object.finish();
  return mapping;
}

Measured read_measured(ObjectReader& object) {
  Measured measured;
  if (const auto value = object.take_one_of({"measured_us", "measured_ms"})) {
    const bool milliseconds = value->pointer().ends_with("ms");
    measured.warm_s = value->positive_number() * (milliseconds ? 1e-3 : 1e-6);
  }
  if (const auto value = object.take("measured_cold_us"))
    measured.cold_s = value->positive_number() * 1e-6;
  return measured;
}

/// A size that the file states is checked against the computed one.
void check_output(ObjectReader& object, const Layer& layer, const LayerScope& scope) {
  const auto check = [&](const Value& value, std::size_t axis) {
    const std::uint64_t computed = layer.output.spatial[axis];
    const std::uint64_t stated = value.integer(1);
    if (stated != computed)
      value.fail("expected " + std::to_string(computed) + ", the computed output " +
                 axis_name(axis) + ", got " + std::to_string(stated) +
                 padding_hint(layer, axis, stated));
  };
  if (const auto p = object.take("p")) check(*p, 1);
  if (const auto q = object.take("q")) check(*q, 2);
  const auto output = object.take("output");
  if (!output) return;
  const std::uint8_t rank = layer.output.spatial_rank;
  const ReadShape stated = read_shape(*output, rank, Features::first);
  const std::size_t channels_at = stated.has_batch ? 1 : 0;
  // --batch may have replaced the batch that the output was written for.
  if (stated.has_batch && stated.shape.batch != layer.output.batch &&
      !scope.defaults.batch_override)
    output->at(0).fail("expected " + std::to_string(layer.output.batch) +
                       ", the layer's batch, got " + std::to_string(stated.shape.batch));
  if (stated.shape.channels != layer.output.channels)
    output->at(channels_at)
        .fail("expected " + std::to_string(layer.output.channels) +
              ", the computed output channels, got " + std::to_string(stated.shape.channels));
  for (std::size_t i = 0; i < rank; ++i) check(output->at(channels_at + 1 + i), 3U - rank + i);
}

/// Every count of every pass must fit 64 bits, repeats included.
void check_counts(const Layer& layer, const ObjectReader& object) {
  try {
    for (const Pass pass : {Pass::fwd, Pass::dgrad, Pass::wgrad}) {
      Layer probe = layer;
      probe.pass = pass;
      const Counts counts = count(probe);
      for (const std::uint64_t total : {counts.flops, counts.bytes.total, counts.params})
        static_cast<void>(checked_mul(total, layer.repeat));
    }
  } catch (const OverflowError&) {
    object.value().fail("expected counts below 2^64, got an overflow in layer \"" + layer.name +
                        "\"");
  }
}

}  // namespace

bool is_layer_key(std::string_view key) {
  return std::find(layer_keys.begin(), layer_keys.end(), key) != layer_keys.end();
}

DataType read_data_type(const Value& value) {
  const DataType type = read_output_type(value);
  if (type == DataType::int32) fail_type_name(value, ", which only outputs can be");
  return type;
}

Pass read_pass(const Value& value) {
  const std::string text = value.text();
  if (const auto pass = parse_pass(text)) return *pass;
  value.fail("expected fwd, dgrad or wgrad, got \"" + text + "\"");
}

Layer read_layer(const Value& value, const Origin& origin, const LayerScope& scope) {
  ObjectReader object(value, origin, "a layer", layer_keys);
  Layer layer;
  const TypeName type = read_type(object.take("type"));
  layer.kind = type.kind;
  const std::string kind_name(info(layer.kind).name);
  object.set_what("a " + kind_name + " layer");
  const auto name = object.take("name");
  layer.name = name ? name->text() : kind_name + std::to_string(scope.index);
  layer.dtypes = read_data_types(object, scope.defaults.dtype);
  const auto pass = object.take("pass");
  layer.pass = pass ? read_pass(*pass) : scope.defaults.pass;
  if (const auto repeat = object.take("repeat")) layer.repeat = repeat->integer(1);
  if (const auto only = object.take("training_only")) layer.training_only = only->boolean();
  layer.measured = read_measured(object);
  std::optional<KernelMapping> mapping;
  const KindFamily family = info(layer.kind).family;
  if (family == KindFamily::contraction) mapping = read_mapping(object);
  try {
    read_geometry(object, type.rank, scope, layer);
    check_output(object, layer, scope);
  } catch (const OverflowError&) {
    value.fail("expected sizes below 2^64, got an overflow in layer \"" + layer.name + "\"");
  }
  object.finish();
  if (layer.groups == 1 && family == KindFamily::contraction)
    layer.mapping = scope.defaults.mapping;
  if (mapping) layer.mapping = *mapping;
  check_counts(layer, object);
  return layer;
}

}  // namespace roofline
