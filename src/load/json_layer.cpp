#include "load/json_layer.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "load/json_fields.hpp"
#include "model/layer_fields.hpp"
#include "model/spelling.hpp"

namespace roofline {
namespace {

/// Reads a field's value into the member that holds it.
struct ReadField {
  const Value& value;
  double unit;
  LayerSpec& spec;

  void operator()(const TextField& field) const { field.set(spec, value.text()); }
  void operator()(const ChoiceField& field) const {
    field.set(spec, read_choice(value, field.names));
  }
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
  void operator()(const KindField&) const {}  // read first: it says which others there are
  void operator()(const DataTypeField&) const { spec.dtypes.input = read_data_type(value); }
  void operator()(const DataTypesField&) const { spec.dtypes = read_data_types(value); }
  void operator()(const MappingField&) const {
    spec.mapping = std::make_shared<const KernelMapping>(read_mapping(value));
  }
};

LayerType read_type(const Value& object) {
  const JsonNode* stated = object.node().find("type");
  if (stated == nullptr) return {};
  const Value value = object.beneath(*stated);
  const std::string name = value.text();
  if (const auto type = parse_layer_type(name)) return *type;
  std::vector<std::string_view> names;
  std::string all;
  for (const KindInfo& kind : all_kinds())
    if (is_input_kind(kind.kind)) {
      names.push_back(kind.name);
      all += (all.empty() ? "" : ", ") + std::string(kind.name);
    }
  value.fail("expected a layer type (" + all + "), got \"" + name + "\"" +
             did_you_mean(name, names));
}

/// The key that somebody means who writes this one.
std::string key_hint(std::string_view key) {
  constexpr auto others = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"pad", "padding"},
      {"pads", "padding"},
      {"kernel_shape", "kernel_size"},
      {"filter_size", "kernel_size"},
      {"filters", "out_channels"},
      {"num_filters", "out_channels"},
      {"num_features", "in_channels"},
      {"num_groups", "groups"},
      {"output_size", "output"},
      {"strides", "stride"},
      {"dilations", "dilation"},
      {"group", "groups"},
      {"C", "c\" or \"in_channels"},
      {"K", "k\" or \"out_channels"},
      {"N", "n\" or \"batch"},
      {"H", "h"},
      {"W", "w"},
      {"R", "r\" or \"kernel_size"},
      {"S", "s\" or \"kernel_size"},
      {"batch_size", "batch"},
      {"op", "type"},
      {"kind", "type"},
      {"data_type", "dtype"},
      {"precision", "dtype"},
      {"id", "name"},
  });
  for (const auto& [theirs, ours] : others)
    if (key == theirs) return "; did you mean \"" + std::string(ours) + "\"?";
  return did_you_mean(key, {layer_keys().begin(), layer_keys().end()});
}

[[noreturn]] void fail_key(const Value& object, std::string_view key, LayerKind kind) {
  const std::string what = "a " + std::string(info(kind).name) + " layer";
  if (is_layer_key(key)) object.at(key).fail(what + " takes no \"" + std::string(key) + "\"");
  object.at(key).fail("expected a key of " + what + ", got \"" + std::string(key) + "\"" +
                      key_hint(key));
}

/// What the members state, one by one; fails where that is unknown.
std::vector<FieldKey> stated_keys(const Value& object, LayerKind kind) {
  std::vector<FieldKey> keys;
  keys.reserve(object.size());
  for (const auto& [name, node] : object.node().members()) {
    const std::optional<FieldKey> key = find_field(kind, name);
    if (!key) fail_key(object, name, kind);
    keys.push_back(*key);
  }
  return keys;
}

/// Fails where an earlier key states the same field.
void check_once(const FieldKey& key, std::span<const FieldKey> earlier, const Value& object) {
  const auto same = std::find_if(earlier.begin(), earlier.end(),
                                 [&](const FieldKey& each) { return each.field == key.field; });
  if (same == earlier.end()) return;
  // The error stands at the key that is not the field's first choice.
  const bool this_is_first = key.key == key.field->key;
  const std::string_view wrong = this_is_first ? same->key : key.key;
  const std::string_view other = this_is_first ? key.key : same->key;
  object.at(wrong).fail("expected one spelling, got this and " + std::string(other));
}

}  // namespace

LayerSpec read_layer(const Value& object, const Origin& origin) {
  if (!object.node().is_object()) object.fail_expected("an object");
  const LayerType type = read_type(object);
  LayerSpec spec;
  spec.kind = type.kind;
  spec.rank = type.rank;
  spec.place = origin.place(object.pointer());
  const std::vector<FieldKey> keys = stated_keys(object, type.kind);
  Spellings spellings;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const FieldKey& key = keys[i];
    if (!key.field->taken(type.kind)) fail_key(object, key.key, type.kind);
    check_once(key, std::span(keys).first(i), object);
    if (key.key != key.field->key) spellings.emplace_back(key.field->key, key.key);
    const Value value = object.beneath(object.node().members()[i].value);
    std::visit(ReadField{value, key.unit, spec}, key.field->member);
  }
  spec.place.spellings = std::move(spellings);
  if (object.node().contains("dtype") && object.node().contains("dtypes"))
    object.at("dtypes").fail("expected one spelling, got this and dtype");
  return spec;
}

}  // namespace roofline
