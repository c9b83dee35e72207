#include "load/json_layer.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "load/json_fields.hpp"
#include "model/spelling.hpp"

namespace roofline {
namespace {

using Setter = void (*)(const Value&, LayerSpec&);

/// A key of a layer object: the field that it states, and how its value is read.
struct LayerKey {
  std::string_view key;
  Field field;
  Setter set;
};

template <auto Member>
void set_count(const Value& value, LayerSpec& spec) {
  spec.*Member = value.integer(1);
}
template <auto Member>
void set_flag(const Value& value, LayerSpec& spec) {
  spec.*Member = value.boolean();
}
template <auto Member, std::uint64_t Least>
void set_axes(const Value& value, LayerSpec& spec) {
  const AxesSpec read = read_axes_numbers(value, Least);
  (spec.*Member).numbers = read.numbers;
  (spec.*Member).is_list = read.is_list;
}
template <auto Member, std::uint64_t Least>
void set_height(const Value& value, LayerSpec& spec) {
  (spec.*Member).height = value.integer(Least);
}
template <auto Member, std::uint64_t Least>
void set_width(const Value& value, LayerSpec& spec) {
  (spec.*Member).width = value.integer(Least);
}
template <auto Member>
void set_sizes(const Value& value, LayerSpec& spec) {
  spec.*Member = read_sizes(value);
}
template <auto Member>
void set_seconds(const Value& value, LayerSpec& spec, double unit_s) {
  spec.measured.*Member = value.positive_number() * unit_s;
}

using L = LayerSpec;

/// Every key of a layer, by key. Of a field's several keys, field_name() is the first choice.
constexpr std::array keys = std::to_array<LayerKey>({
    {"batch", Field::batch, set_count<&L::batch>},
    {"bias", Field::bias, set_flag<&L::bias>},
    {"c", Field::in_channels, set_count<&L::in_channels>},
    {"causal", Field::causal, set_flag<&L::causal>},
    {"ceil_mode", Field::ceil_mode, set_flag<&L::ceil_mode>},
    {"depthwise", Field::depthwise, set_flag<&L::depthwise>},
    {"dil_h", Field::dilation_height, set_height<&L::dilation, 1>},
    {"dil_w", Field::dilation_width, set_width<&L::dilation, 1>},
    {"dilation", Field::dilation, set_axes<&L::dilation, 1>},
    {"dtype", Field::dtype,
     [](const Value& value, L& spec) { spec.dtypes.input = read_data_type(value); }},
    {"dtypes", Field::dtypes,
     [](const Value& value, L& spec) { spec.dtypes = read_data_types(value); }},
    {"groups", Field::groups, set_count<&L::groups>},
    {"h", Field::input_height, set_height<&L::input_size, 1>},
    {"in_channels", Field::in_channels, set_count<&L::in_channels>},
    {"in_features", Field::in_features, set_count<&L::in_features>},
    {"input", Field::input, [](const Value& value, L& spec) { spec.input = read_operand(value); }},
    {"input_size", Field::input_size, set_axes<&L::input_size, 1>},
    {"inputs", Field::inputs,
     [](const Value& value, L& spec) { spec.inputs = read_operands(value); }},
    {"k", Field::out_channels, set_count<&L::out_channels>},
    {"kernel", Field::mapping,
     [](const Value& value, L& spec) { spec.mapping = read_mapping(value); }},
    {"kernel_size", Field::kernel_size, set_axes<&L::kernel_size, 1>},
    {"m", Field::m, set_count<&L::m>},
    {"measured_cold_time_s", Field::measured_cold,
     [](const Value& v, L& spec) { set_seconds<&Measured::cold_s>(v, spec, 1); }},
    {"measured_cold_us", Field::measured_cold,
     [](const Value& v, L& spec) { set_seconds<&Measured::cold_s>(v, spec, 1e-6); }},
    {"measured_gpu", Field::measured_gpu,
     [](const Value& value, L& spec) { spec.measured.gpu = value.text(); }},
    {"measured_ms", Field::measured_warm,
     [](const Value& v, L& spec) { set_seconds<&Measured::warm_s>(v, spec, 1e-3); }},
    {"measured_time_s", Field::measured_warm,
     [](const Value& v, L& spec) { set_seconds<&Measured::warm_s>(v, spec, 1); }},
    {"measured_us", Field::measured_warm,
     [](const Value& v, L& spec) { set_seconds<&Measured::warm_s>(v, spec, 1e-6); }},
    {"n", Field::batch, set_count<&L::batch>},
    {"name", Field::name, [](const Value& value, L& spec) { spec.name = value.text(); }},
    {"normalized_shape", Field::normalized_shape,
     [](const Value& value,
        L& spec) { spec.normalized_shape = read_axes_numbers(value, 1).numbers; }},
    {"out_channels", Field::out_channels, set_count<&L::out_channels>},
    {"out_features", Field::out_features, set_count<&L::out_features>},
    {"output", Field::output, set_sizes<&L::output>},
    {"output_padding", Field::output_padding, set_axes<&L::output_padding, 0>},
    {"p", Field::output_height, set_count<&L::output_height>},
    {"pad_h", Field::padding_height, set_height<&L::padding, 0>},
    {"pad_w", Field::padding_width, set_width<&L::padding, 0>},
    {"padding", Field::padding, read_padding},
    {"pass", Field::pass, [](const Value& value, L& spec) { spec.pass = read_pass(value); }},
    {"q", Field::output_width, set_count<&L::output_width>},
    {"r", Field::kernel_height, set_height<&L::kernel_size, 1>},
    {"repeat", Field::repeat, set_count<&L::repeat>},
    {"s", Field::kernel_width, set_width<&L::kernel_size, 1>},
    {"scale_factor", Field::scale_factor, set_axes<&L::scale_factor, 1>},
    {"shared_weights", Field::shared_weights, set_flag<&L::shared_weights>},
    {"stride", Field::stride, set_axes<&L::stride, 1>},
    {"stride_h", Field::stride_height, set_height<&L::stride, 1>},
    {"stride_w", Field::stride_width, set_width<&L::stride, 1>},
    {"training", Field::batch_statistics,
     [](const Value& value, L& spec) { spec.batch_statistics = value.boolean(); }},
    {"training_only", Field::training_only,
     [](const Value& value, L& spec) { spec.training_only = value.boolean(); }},
    {"type", Field::type, [](const Value&, L&) {}},
    {"w", Field::input_width, set_width<&L::input_size, 1>},
});

/// What n and k are in a matmul: the GEMM's.
constexpr std::array gemm_keys = std::to_array<LayerKey>({
    {"k", Field::k, set_count<&L::k>},
    {"n", Field::n, set_count<&L::n>},
});

const LayerKey* find_key(std::span<const LayerKey> table, std::string_view name) {
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const LayerKey& key, std::string_view other) { return key.key < other; });
  return found != table.end() && found->key == name ? &*found : nullptr;
}

const LayerKey* find_key(LayerKind kind, std::string_view name) {
  if (kind == LayerKind::matmul)
    if (const LayerKey* key = find_key(gemm_keys, name)) return key;
  return find_key(keys, name);
}

LayerType read_type(const Value& object) {
  const auto node = object.node().find("type");
  if (node == object.node().end()) return {};
  const Value value = object.at("type");
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
std::string key_hint(const std::string& key) {
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
  std::vector<std::string_view> names;
  names.reserve(keys.size());
  for (const LayerKey& each : keys) names.push_back(each.key);
  return did_you_mean(key, names);
}

[[noreturn]] void fail_key(const Value& object, const std::string& key, LayerKind kind) {
  const std::string what = "a " + std::string(info(kind).name) + " layer";
  if (is_layer_key(key)) object.at(key).fail(what + " takes no \"" + key + "\"");
  object.at(key).fail("expected a key of " + what + ", got \"" + key + "\"" + key_hint(key));
}

/// Notes that `key` states its field; fails where another key has.
void claim(const Value& object, const LayerKey& key, Place& place,
           std::array<std::string_view, field_count>& claimed) {
  std::string_view& by = claimed[static_cast<std::size_t>(key.field)];
  if (!by.empty()) {
    // The error stands at the key that is not the field's first choice.
    const bool this_is_first = key.key == field_name(key.field);
    const std::string_view wrong = this_is_first ? by : key.key;
    const std::string_view other = this_is_first ? key.key : by;
    object.at(wrong).fail("expected one spelling, got this and " + std::string(other));
  }
  by = key.key;
  if (key.key != field_name(key.field)) place.spellings.emplace_back(key.field, key.key);
}

}  // namespace

bool is_layer_key(std::string_view key) { return find_key(keys, key) != nullptr; }

LayerSpec read_layer(const Value& object, const Origin& origin) {
  if (!object.node().is_object()) object.fail_expected("an object");
  const LayerType type = read_type(object);
  LayerSpec spec;
  spec.kind = type.kind;
  spec.rank = type.rank;
  spec.place = origin.place(object.pointer());
  std::array<std::string_view, field_count> claimed{};
  const auto& members = object.node().get_ref<const nlohmann::json::object_t&>();
  for (const auto& [name, node] : members)
    if (find_key(type.kind, name) == nullptr) fail_key(object, name, type.kind);
  for (const auto& member : members) {
    const LayerKey& key = *find_key(type.kind, member.first);
    if (!takes(type.kind, key.field)) fail_key(object, member.first, type.kind);
    claim(object, key, spec.place, claimed);
    key.set(object.at(member), spec);
  }
  if (object.node().contains("dtype") && object.node().contains("dtypes"))
    object.at("dtypes").fail("expected one spelling, got this and dtype");
  return spec;
}

}  // namespace roofline
