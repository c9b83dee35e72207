#include <algorithm>
#include <array>
#include <vector>

#include "load/network_reader.hpp"
#include "model/layer_fields.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

DataType read_tensor_type(const Value& value) {
  const std::string name = value.text();
  if (const auto type = parse<DataType>(name); type && is_tensor_type(*type)) return *type;
  value.fail(expected_data_type(name));
}

bool multiplies(LayerKind kind) {
  const KindFamily family = info(kind).family;
  return family == KindFamily::contraction || family == KindFamily::attention;
}

DataTypesSpec read_data_types(const Value& value, LayerKind kind) {
  value.check_keys("dtypes", {"input", "weight", "output"});
  const auto read = multiplies(kind) ? read_data_type : read_tensor_type;
  DataTypesSpec types;
  if (const auto type = value.get("input")) types.input = read(*type);
  if (const auto type = value.get("weight")) types.weight = read(*type);
  if (const auto type = value.get("output")) types.output = read_tensor_type(*type);
  return types;
}

std::vector<std::uint64_t> read_integers(const Value& list, std::uint64_t least,
                                         const std::string& expected) {
  if (!list.is_array() || list.size() == 0) list.fail_expected(expected);
  std::vector<std::uint64_t> numbers;
  numbers.reserve(list.size());
  for (const Value number : list) numbers.push_back(number.integer(least));
  return numbers;
}

std::vector<std::uint64_t> read_sizes(const Value& list) {
  return read_integers(list, 1, "a list of sizes such as [3, 224, 224]");
}

/// A number, a list, or a rule if the field takes one.
void read_axes(const Value& value, const AxesField& field, AxesSpec& axes) {
  if (field.takes_rule && value.is_string()) {
    const std::string_view word = value.try_text();
    if (word != "same" && word != "valid") value.fail_expected("numbers, \"same\" or \"valid\"");
    axes.rule = word == "same" ? PaddingRule::same : PaddingRule::valid;
    return;
  }
  axes.is_list = value.is_array();
  if (axes.is_list)
    axes.numbers = read_integers(value, field.least, "a number or a list of numbers");
  else
    axes.numbers = {value.integer(field.least)};
}

/// {"layer": "conv1", "shape": [...]} is a view; {"parameter": [...]}, or {"shape": [...],
/// "parameter": true} with every axis, is learned.
OperandSpec read_operand_object(const Value& value) {
  value.check_keys("an operand", {"layer", "shape", "parameter", "parameters", "dtype"});
  const auto refuse = [&](std::string_view key) {
    if (value.contains(key)) value.fail_at(key, "an operand takes no " + in_quotes(key));
  };
  OperandSpec operand;
  if (const auto parameter = value.get("parameter")) {
    refuse("layer");
    operand.whole = parameter->is_boolean();
    if (!operand.whole) refuse("shape");
    operand.is_parameter = !operand.whole || parameter->boolean();
    operand.sizes = read_sizes(operand.whole ? value.require("shape", "the shape of the parameter")
                                             : *parameter);
    if (const auto count = value.get("parameters")) operand.parameters = count->integer(0);
  } else {
    refuse("parameters");
    if (const auto layer = value.get("layer")) operand.layer = layer->text();
    operand.sizes = read_sizes(value.require("shape", "the shape of the operand, batch first"));
    operand.whole = true;
  }
  if (const auto type = value.get("dtype")) operand.type = read_tensor_type(*type);
  return operand;
}

/// A shape, the name of an earlier layer, or an object.
OperandSpec read_operand(const Value& value) {
  if (value.is_object()) return read_operand_object(value);
  OperandSpec operand;
  if (value.is_string())
    operand.layer = value.text();
  else
    operand.sizes = read_sizes(value);
  return operand;
}

std::vector<OperandSpec> read_operands(const Value& list) {
  if (!list.is_array() || list.size() == 0)
    list.fail_expected("a list of shapes or names of earlier layers");
  std::vector<OperandSpec> operands;
  operands.reserve(list.size());
  for (const Value operand : list) operands.push_back(read_operand(operand));
  return operands;
}

Algorithm read_algorithm(const Value& value) {
  const std::string name = value.text();
  if (const auto algorithm = parse<Algorithm>(name); algorithm && may_be_stated(*algorithm))
    return *algorithm;
  value.fail(expected_algorithm(name));
}

KernelMapping read_mapping(const Value& value) {
  if (!value.is_object() && !value.is_string())
    value.fail_expected(
        "a kernel mapping such as {\"tile\": [128, 64, 8]} (the window's size is "
        "\"kernel_size\")");
  KernelMapping mapping;
  std::vector<std::string_view> known{"algorithm", "tile"};
  for (const MappingNumber& number : mapping_numbers) known.push_back(number.key);
  value.check_keys("kernel", known);
  if (const auto algorithm = value.get("algorithm")) mapping.algorithm = read_algorithm(*algorithm);
  if (const auto tile = value.get("tile")) {
    if (!tile->is_array() || tile->size() != 3) tile->fail_expected("[m, n, k]");
    mapping.tile = {tile->at(0).integer(1), tile->at(1).integer(1), tile->at(2).integer(1)};
  }
  for (const MappingNumber& number : mapping_numbers)
    if (const auto stated = value.get(number.key))
      mapping.*number.member = stated->integer(number.least);
  return mapping;
}

struct ReadField {
  const Value& value;
  double unit;
  LayerSpec& spec;

  void operator()(const TextField& field) const { field.set(spec, value.text()); }
  void operator()(const ChoiceField& field) const { field.set(spec, value.choice(field.names)); }
  void operator()(const CountField& field) const { spec.*field.member = value.integer(1); }
  void operator()(const FlagField& field) const { spec.*field.member = value.boolean(); }
  void operator()(const SecondsField& field) const {
    const double time_s = value.positive_number() * unit;
    spec.measured.change([&](Measured& measured) { measured.*field.member = time_s; });
  }
  void operator()(const AxesField& field) const { read_axes(value, field, spec.*field.member); }
  void operator()(const AxisField& field) const {
    spec.*field.axes.*field.member = value.integer(field.least);
  }
  void operator()(const SizesField& field) const {
    spec.*field.member = field.takes_number && !value.is_array()
                             ? std::vector<std::uint64_t>{value.integer(1)}
                             : read_sizes(value);
  }
  void operator()(const OperandField& field) const { spec.*field.member = read_operand(value); }
  void operator()(const OperandsField& field) const { spec.*field.member = read_operands(value); }
  void operator()(const KindField&) const {}  // read first: it decides about the other fields
  void operator()(const DataTypeField&) const {
    spec.dtypes.input = multiplies(spec.kind) ? read_data_type(value) : read_tensor_type(value);
  }
  void operator()(const DataTypesField&) const { spec.dtypes = read_data_types(value, spec.kind); }
  void operator()(const MappingField&) const {
    spec.mapping = std::make_shared<const KernelMapping>(read_mapping(value));
  }
};

/// The kind's member, under any of its keys.
std::optional<Value> stated_type(const Value& object) {
  static const LayerField& field = *find_field(LayerKind::conv, "type")->field;
  if (const auto type = object.get(field.key)) return type;
  for (const FieldAlias& alias : field.aliases)
    if (const auto type = object.get(alias.key)) return type;
  return std::nullopt;
}

LayerType read_type(const Value& object) {
  const std::optional<Value> stated = stated_type(object);
  if (!stated) return {};
  const Value& value = *stated;
  const std::string name = value.text();
  if (const auto type = parse_layer_type(name)) return *type;
  std::vector<std::string_view> names;
  for (const KindInfo& kind : all_kinds())
    if (is_input_kind(kind.kind)) names.push_back(kind.name);
  value.fail_layer(LayerKind::conv, "expected a layer type (" + joined(names) + "), got " +
                                        in_quotes(name) + did_you_mean(name, names));
}

/// Fails at a member that this kind does not have.
[[noreturn]] void fail_key(const Value& member, LayerKind kind) {
  const std::string what = with_article(info(kind).name) + " layer";
  const std::string key = in_quotes(member.key());
  if (is_layer_key(member.key())) member.fail(what + " takes no " + key);
  const std::string_view meant = member.key() == "id" ? "name" : meant_key(member.key());
  const std::string hint = meant.empty() ? "" : "; did you mean " + in_quotes(meant) + "?";
  member.fail_layer(kind, "expected a key of " + what + ", got " + key + hint);
}

std::vector<FieldKey> stated_keys(const Value& object, LayerKind kind) {
  std::vector<FieldKey> keys;
  keys.reserve(object.size());
  for (const Value member : object) {
    const std::optional<FieldKey> key = find_field(kind, member.key());
    if (!key) fail_key(member, kind);
    keys.push_back(*key);
  }
  return keys;
}

/// Fails if an earlier key states another value of the same field.
void check_once(const FieldKey& key, std::span<const FieldKey> earlier, const Value& object) {
  const auto same = std::find_if(earlier.begin(), earlier.end(),
                                 [&](const FieldKey& each) { return each.field == key.field; });
  if (same == earlier.end()) return;
  if (same->unit == key.unit && object.at(same->key).json() == object.at(key.key).json()) return;
  // reports the less usual key
  const bool this_is_first = key.key == key.field->key;
  const std::string_view wrong = this_is_first ? same->key : key.key;
  const std::string_view other = this_is_first ? key.key : same->key;
  object.at(wrong).fail("expected one spelling, got this and " + std::string(other));
}

}  // namespace

DataType read_data_type(const Value& value) {
  const DataType type = read_tensor_type(value);
  if (!is_operand_type(type)) value.fail(expected_data_type(name_of(type)));
  return type;
}

LayerSpec read_layer(const Value& object) {
  if (!object.is_object()) object.fail_expected("an object");
  const LayerType type = read_type(object);
  LayerSpec spec;
  spec.kind = type.kind;
  spec.rank = type.rank;
  spec.place = object.place();
  const std::vector<FieldKey> keys = stated_keys(object, type.kind);
  Spellings spellings;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const FieldKey& key = keys[i];
    const Value value = object.at(i);
    if (!key.field->applies_to(type.kind)) fail_key(value, type.kind);
    check_once(key, std::span(keys).first(i), object);
    if (key.key != key.field->key) spellings.emplace_back(key.field->key, key.key);
    std::visit(ReadField{value, key.unit, spec}, key.field->member);
  }
  spec.place.spellings = std::move(spellings);
  if (object.contains("dtype") && object.contains("dtypes"))
    object.at("dtypes").fail("expected one spelling, got this and dtype");
  return spec;
}

}  // namespace roofline
