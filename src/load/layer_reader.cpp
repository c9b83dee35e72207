#include "load/network_reader.hpp"
#include "model/layer_fields.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

DataType read_tensor_type(const Value& value) {
  const std::string name = value.text();
  if (const auto type = data_type_named(name); type && is_tensor_type(*type)) return *type;
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
    const std::string word = lower_case(value.try_text());
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
  void operator()(const ScalarField& field) const {
    if (!value.is_string() && !value.is_number() && !value.is_boolean())
      value.fail_expected("a string, a number, true or false");
    spec.*field.member =
        LayerId{value.is_string() ? value.text() : value.json(), value.is_string()};
  }
  void operator()(const UnusedField&) const { static_cast<void>(value.number()); }
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

/// nullopt if the layer states no type.
std::optional<LayerType> read_type(const Value& object) {
  const std::optional<Value> stated = stated_type(object);
  if (!stated) return std::nullopt;
  const Value& value = *stated;
  const std::string name = value.text();
  if (const auto type = parse_layer_type(name)) return *type;
  std::vector<std::string_view> names;
  for (const KindInfo& kind : all_kinds())
    if (is_input_kind(kind.kind)) names.push_back(kind.name);
  value.fail_layer(LayerKind::conv, "expected a layer type (" + joined(names) + "), got " +
                                        in_quotes(name) + did_you_mean(name, names));
}

std::optional<FieldKey> key_of(const Value& member, LayerKind kind) {
  return find_field(kind, member.key(), member.is_number() || member.is_array());
}

/// What to write in place of a key that the kind does not have; or empty.
std::string hint_on(std::string_view key, LayerKind kind) {
  if (const std::string_view advice = advice_on(key); !advice.empty()) return std::string(advice);
  const std::string_view meant = meant_key(key);
  const bool helps = !meant.empty() && takes(kind, meant) && meant != key;
  return helps ? "did you mean " + in_quotes(meant) + "?" : "";
}

/// Fails at members that this kind does not have: in one message, however many.
[[noreturn]] void fail_keys(const Value& object, const std::vector<Value>& wrong, LayerKind kind) {
  const std::string what = with_article(info(kind).name) + " layer";
  if (wrong.size() == 1) {
    const Value& member = wrong.front();
    const std::string key = in_quotes(member.key());
    const std::string hint = hint_on(member.key(), kind);
    const std::string after = hint.empty() ? "" : "; " + hint;
    if (find_field(kind, member.key())) member.fail(what + " takes no " + key + after);
    member.fail_layer(kind, "expected a key of " + what + ", got " + key + after);
  }
  constexpr std::size_t most_named = 20;
  std::vector<std::string> keys;
  for (const Value& member : wrong) {
    const std::string hint = hint_on(member.key(), kind);
    keys.push_back(in_quotes(member.key()) + (hint.empty() ? "" : " (" + hint + ")"));
  }
  object.fail_layer(kind, "expected keys of " + what + ", got " + some_of(keys, most_named));
}

struct StatedKeys {
  std::vector<FieldKey> keys;  ///< of the members, in order
  std::vector<Value> wrong;    ///< members that the kind does not take
};

StatedKeys stated_keys(const Value& object, LayerKind kind) {
  StatedKeys stated;
  stated.keys.reserve(object.size());
  for (const Value member : object) {
    const std::optional<FieldKey> key = key_of(member, kind);
    if (!key || !key->field->applies_to(kind)) stated.wrong.push_back(member);
    stated.keys.push_back(key.value_or(FieldKey{}));
  }
  return stated;
}

/// The one kind that takes all known keys: m, n and k are a matmul's.
std::optional<LayerKind> only_kind_of(const Value& object) {
  std::optional<LayerKind> only;
  for (const KindInfo& kind : all_kinds()) {
    if (!is_input_kind(kind.kind)) continue;
    bool takes_all = true;
    for (const Value member : object) {
      const std::optional<FieldKey> key = key_of(member, kind.kind);
      takes_all = takes_all && (!key || key->field->applies_to(kind.kind));
    }
    if (takes_all && std::exchange(only, kind.kind)) return std::nullopt;
  }
  return only;
}

/// Fails if an earlier key states another value of the same field.
void check_once(const std::vector<FieldKey>& keys, std::size_t index, const Value& object) {
  const FieldKey& key = keys[index];
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(index);
  const auto same = std::find_if(keys.begin(), end,
                                 [&](const FieldKey& each) { return each.field == key.field; });
  if (same == end) return;
  const Value before = object.at(static_cast<std::size_t>(same - keys.begin()));
  const Value now = object.at(index);
  if (same->unit == key.unit && before.json() == now.json()) return;
  // reports the less usual key
  const bool this_is_first = now.key() == key.field->key;
  const Value& wrong = this_is_first ? before : now;
  const Value& other = this_is_first ? now : before;
  wrong.fail("expected one spelling, got this and " + std::string(other.key()));
}

}  // namespace

DataType read_data_type(const Value& value) {
  const DataType type = read_tensor_type(value);
  if (!is_operand_type(type)) value.fail(expected_data_type(name_of(type)));
  return type;
}

LayerSpec read_layer(const Value& object) {
  if (!object.is_object()) object.fail_expected("an object");
  const std::optional<LayerType> stated_as = read_type(object);
  LayerType type = stated_as.value_or(LayerType{});
  StatedKeys stated = stated_keys(object, type.kind);
  if (const auto only = stated.wrong.empty() || stated_as ? std::nullopt : only_kind_of(object)) {
    type.kind = *only;
    stated = stated_keys(object, type.kind);
  }
  if (!stated.wrong.empty()) fail_keys(object, stated.wrong, type.kind);
  LayerSpec spec;
  spec.kind = type.kind;
  spec.rank = type.rank;
  spec.depthwise = type.depthwise;
  spec.place = object.place();
  Spellings spellings;
  spellings.reserve(stated.keys.size());
  for (std::size_t i = 0; i < stated.keys.size(); ++i) {
    const FieldKey& key = stated.keys[i];
    const Value value = object.at(i);
    check_once(stated.keys, i, object);
    if (value.key() != key.field->key) spellings.emplace_back(key.field->key, value.key());
    std::visit(ReadField{value, key.unit, spec}, key.field->member);
  }
  spec.place.spellings = std::move(spellings);
  if (object.contains("dtype") && object.contains("dtypes"))
    object.at("dtypes").fail("expected one spelling, got this and dtype");
  return spec;
}

}  // namespace roofline
