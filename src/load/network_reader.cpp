#include "load/network_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "load/cuda_launch.hpp"
#include "load/recording.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

constexpr std::string_view version_key = "schema_version";

void name_after(const Origin& origin, NetworkSpec& network) {
  network.name = network_name(origin.source);
  network.source = origin.source;
}

NetworkSpec empty_network(const Origin& origin) {
  NetworkSpec network;
  name_after(origin, network);
  return network;
}

void read_layer_into(LayerSpec& spec, const Value& object, Place place);

using SharedDocument = std::shared_ptr<const JsonDocument>;

/// The layer's GPU, or else the file's.
LayerSpec measured_on(const std::string& gpu, LayerSpec layer) {
  if (layer.measured->is_known() && layer.measured->gpu.empty())
    layer.measured.change([&](Measured& measured) { measured.gpu = gpu; });
  return layer;
}

void read_layers(const Value& list, const std::string& gpu, const SharedDocument& document,
                 NetworkSpec& network) {
  if (!list.is_array() || list.size() == 0) list.fail_expected("a list of at least one layer");
  if (constexpr std::size_t many = 4096; list.size() > many) {
    network.unread = {list.size(), [document, list, gpu](std::size_t i) {
                        return measured_on(gpu, read_layer(list.at(i)));
                      }};
    return;
  }
  network.layers =
      each_of(list, [&](const Value& layer) { return measured_on(gpu, read_layer(layer)); });
}

void read_network_object(const Value& value, const SharedDocument& document, NetworkSpec& network) {
  value.check_keys("a network", {"name", "note", "comment", "meta", "gpu", "dtype", "batch",
                                 "runs_as", "layers"});
  if (const auto name = value.get("name")) network.name = name->text();
  if (const auto dtype = value.get("dtype")) network.dtype = read_data_type(*dtype);
  if (const auto batch = value.get("batch")) network.batch = batch->integer(1);
  if (const auto runs_as = value.get("runs_as"))
    network.runs_as = enumerators<RunsAs>[runs_as->choice(names_of<RunsAs>)];
  network.batch_is_fixed = is_fixed(network.runs_as);
  const auto gpu = value.get("gpu");
  read_layers(value.at("layers"), gpu ? gpu->text() : "", document, network);
}

/// Whether it is a row of this program's NDJSON, or a layer from a report.
bool is_own_row(const Value& record) {
  return record.contains(version_key) || record.contains(own_row::time_key) ||
         record.contains(own_row::layer_key);
}

/// How the row's run was, in the network that it is of.
void read_own_run(const Value& head, NetworkSpec& network) {
  if (const Value as = head.find("runs_as"); !as.is_null())
    network.runs_as = enumerators<RunsAs>[as.choice(names_of<RunsAs>)];
  if (const Value framework = head.find("framework"); !framework.is_null())
    network.framework = enumerators<Framework>[framework.choice(names_of<Framework>)];
  network.batch_is_fixed = is_fixed(network.runs_as);
}

bool is_host_copy(const Value& row) {
  return row.find("type").try_text() == info(LayerKind::host_copy).name;
}

constexpr const char* host_copies_left_out =
    "rows of copies over the host link have no layer and are left out: --assume host-copies adds "
    "them to a network";

/// What stands at a pointer into a document, known without a search.
Place place_at(const Value& value, const std::string& pointer) {
  return {value.origin().source, value.origin().where(pointer), true, {}};
}

/// The layer of a row that has one; `pointer`: the row's. A time gets the row's GPU by default.
LayerSpec read_own_row(const Value& row, const Value& stated, std::string pointer) {
  append_part(pointer, own_row::layer_key);
  const Value gpu = row.find("gpu");
  return measured_on(gpu.is_null() ? "" : gpu.text(), read_layer(stated, place_at(row, pointer)));
}

/// Null for a row without a layer. Throws InputError, also for an error record.
Value stated_in_row(const Value& row) {
  if (!row.is_object()) row.fail_expected("an object");
  if (row.contains("error"))
    row.fail("expected a layer, got one that an earlier run could not evaluate");
  if (!row.contains(own_row::layer_key)) row.fail(own_row::no_layers);
  return row.at(own_row::layer_key);
}

Value rows_of(const Value& result) {
  if (!result.contains("layers")) result.fail_expected("a result with layers");
  const Value rows = result.at("layers");
  if (!rows.is_array()) rows.fail_expected("a list of layers");
  return rows;
}

/// Equal for one network's results on several GPUs.
std::string layers_of_own_result(const Value& result) {
  std::string layers = result.find("network").json();
  for (const Value row : rows_of(result)) layers += '\n' + row.find(own_row::layer_key).json();
  return layers;
}

/// Reports may hide the layer that an operand comes from; its shape is stated too.
void forget_unknown_producers(const std::set<std::string>& earlier, LayerSpec& layer) {
  for (OperandSpec* operand : operands_of(layer))
    if (!operand->sizes.empty() && !earlier.contains(operand->layer)) operand->layer.clear();
}

std::optional<std::uint64_t> batch_of(LayerSpec& layer) {
  const std::vector<OperandSpec*> operands = operands_of(layer);
  if (operands.empty() || operands.front()->sizes.empty()) return std::nullopt;
  return operands.front()->sizes.front();
}

/// Other rows of these layers are their passes: the layer then states no pass.
std::set<std::string_view> trained_layers(const Value& result) {
  std::set<std::string_view> names;
  if (result.find("pass").try_text() != "training") return names;
  for (const Value row : rows_of(result)) {
    const Value layer = row.find(own_row::layer_key);
    if (layer.find("pass").try_text() == "fwd") names.insert(layer.find("name").try_text());
  }
  return names;
}

/// Rows without layers, which the network's own way to run adds, or the request.
class RowsLeftOut {
 public:
  void add(const Value& row) {
    if (is_host_copy(row))
      has_copies_ = true;
    else if (!row.find("fused_into").is_null())
      ++parts_;
    else if (count_++ == 0)
      first_ = row.find("name").try_text();
  }

  void say(NetworkSpec& network) const {
    if (has_copies_) network.assumptions.emplace_back(host_copies_left_out);
    if (parts_ > 0)
      network.assumptions.push_back(concat(
          parts_, parts_ == 1 ? " row, part" : " rows, parts", " of an attention in one kernel, ",
          parts_ == 1 ? "has" : "have", " no layer of ", parts_ == 1 ? "its" : "their",
          " own: the attention stands for ", parts_ == 1 ? "it" : "them"));
    if (count_ == 0 || network.framework || network.runs_as != RunsAs::layers) return;
    network.assumptions.push_back(
        concat(count_, count_ == 1 ? " row, " : " rows, the first of them ", in_quotes(first_),
               count_ == 1 ? ", has no layer and is" : ", have no layers and are",
               " left out: a framework adds such kernels (--framework pytorch)"));
  }

 private:
  std::size_t count_ = 0;  ///< but copies and parts
  std::size_t parts_ = 0;  ///< of attentions
  std::string_view first_;
  bool has_copies_ = false;
};

/// The network of a report's result, at this pointer: layers with several passes once.
NetworkSpec read_own_result(const Value& result, const std::string& pointer) {
  NetworkSpec network = empty_network(result.origin());
  read_own_run(result, network);
  // Layers of a stream have no memory of a whole network. Those of a program have its kernels.
  network.states_all_kernels =
      network.runs_as == RunsAs::pytorch_program && result.find("memory").is_null();
  const Value rows = rows_of(result);
  if (const Value name = result.find("network"); !name.is_null()) network.name = name.text();
  network.batch = result.find("batch").try_integer();
  const std::set<std::string_view> trained = trained_layers(result);
  if (const auto type = parse<DataType>(result.find("dtype").try_text());
      type && !is_tensor_type(*type))
    network.autocast = type;
  std::set<std::string> earlier;
  RowsLeftOut left_out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Value row = rows.at(i);
    const Value stated = stated_in_row(row);
    if (stated.is_null()) {
      left_out.add(row);
      continue;
    }
    LayerSpec layer = read_own_row(row, stated, concat(pointer, "/layers/", i));
    const bool is_new = !layer.name || earlier.insert(*layer.name).second;
    if (layer.name && trained.contains(*layer.name)) {
      if (!is_new) continue;
      layer.pass.reset();
    }
    forget_unknown_producers(earlier, layer);
    // If the rows have several, the first one's counts.
    if (!network.batch && network.layers.empty()) network.batch = batch_of(layer);
    network.layers.push_back(std::move(layer));
  }
  left_out.say(network);
  if (network.layers.empty()) rows.fail_expected("a list of at least one layer");
  return network;
}

NetworkSpecs read_own_report(const Value& report) {
  const Value results = report.at("results");
  if (results.size() == 0 && report.find("kernel_tables").size() > 0)
    report.fail(own_row::no_layers);
  if (!results.is_array() || results.size() == 0)
    results.fail_expected("a list of at least one result");
  NetworkSpecs networks;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value result = results.at(i);
    if (!seen.insert(layers_of_own_result(result)).second) continue;  // another GPU's
    networks.push_back(
        std::make_shared<const NetworkSpec>(read_own_result(result, concat("/results/", i))));
  }
  return networks;
}

DataType read_tensor_type(const Value& value) {
  const std::string name = value.text();
  if (const auto type = data_type_named(name); type && is_tensor_type(*type)) return *type;
  value.fail(expected_data_type(name));
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
  return each_of(list, [&](const Value& number) { return number.integer(least); });
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
  return each_of(list, read_operand);
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

/// nullopt for a value that is no id.
std::optional<LayerId> read_id(const Value& value) {
  if (!value.is_string() && !value.is_number() && !value.is_boolean()) return std::nullopt;
  return LayerId{value.is_string() ? value.text() : value.json(), value.is_string()};
}

struct ReadField {
  const Value& value;
  double unit;
  LayerSpec& spec;

  void operator()(const TextField& field) const { field.set(spec, value.text()); }
  void operator()(const ChoiceField& field) const { field.set(spec, value.choice(field.names)); }
  void operator()(const ScalarField& field) const {
    const std::optional<LayerId> id = read_id(value);
    if (!id) value.fail_expected("a string, a number, true or false");
    spec.*field.member = *id;
  }
  void operator()(const UnusedField&) const { static_cast<void>(value.number()); }
  void operator()(const NoteField&) const {}
  void operator()(const CountField& field) const { spec.*field.member = value.integer(1); }
  void operator()(const DimensionField& field) const {
    const double axis = value.number();
    constexpr double most = 5;
    if (axis != std::floor(axis) || std::abs(axis) > most)
      value.fail_expected("an integer from -5 to 4");
    spec.*field.member = static_cast<std::int64_t>(axis);
  }
  void operator()(const FlagField& field) const { spec.*field.member = value.boolean(); }
  void operator()(const ChoiceOfTwoField& field) const { spec.*field.member = value.boolean(); }
  void operator()(const WorkField& field) const {
    const std::uint64_t count = value.integer(1);
    spec.work.change([&](StatedWork& work) { work.*field.member = count; });
  }
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
  void operator()(const MappingField&) const { spec.mapping = read_mapping(value); }
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

/// Whether a name states a time in no unit of ours. A near name of ours may be off by a thousand.
bool is_time_of_no_unit(std::string_view key) {
  const std::string small = lower_case(key);
  return small.starts_with("measured_") || small.starts_with("time_");
}

/// What to write in place of a key that the kind does not have; or empty.
std::string hint_on(std::string_view key, LayerKind kind) {
  if (const std::string_view advice = advice_on(key); !advice.empty()) return std::string(advice);
  const std::string_view meant = meant_key(key);
  const bool helps = !meant.empty() && takes(kind, meant) && meant != key;
  if (helps) return "did you mean " + in_quotes(meant) + "?";
  return is_time_of_no_unit(key) ? std::string(advice_on("time")) : "";
}

/// The layer in our keys, where all of the wrong ones state a launch and the rest is a layer.
std::string in_our_keys(const Value& object, const std::vector<Value>& wrong) {
  CudaLaunch launch;
  for (const Value& member : wrong)
    if (!launch.takes(member)) return "";
  std::string text;
  for (const Value member : object)
    if (std::ranges::none_of(wrong, [&](const Value& each) { return each.key() == member.key(); }))
      add_item(text, in_quotes(member.key()) + ": " + member.json());
  if (const std::string mapping = launch.mapping(); !mapping.empty()) add_item(text, mapping);
  text = "{" + text + "}";
  try {
    const JsonDocument document(text, Origin{});
    static_cast<void>(read_layer(document.root()));
  } catch (const InputError&) {
    return "";
  }
  return text;
}

/// Fails at members that this kind does not have: in one message, however many.
[[noreturn]] void fail_keys(const Value& object, const std::vector<Value>& wrong, LayerKind kind) {
  const std::string what = with_article(info(kind).name) + " layer";
  if (const std::string ours = in_our_keys(object, wrong); !ours.empty()) {
    std::string keys;
    for (const Value& member : wrong) add_item(keys, in_quotes(member.key()));
    object.fail(concat("expected ", wrong.size() > 1 ? "keys" : "a key", " of ", what, ", got ",
                       keys, "; this layer in our keys: ", ours));
  }
  if (wrong.size() == 1) {
    const Value& member = wrong.front();
    const std::string key = in_quotes(member.key());
    const std::string hint = hint_on(member.key(), kind);
    const std::string after = hint.empty() ? "" : "; " + hint;
    if (find_field(kind, member.key())) member.fail_layer(kind, what + " takes no " + key + after);
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

/// The keys of the layer of each kind that was read last: a stream's records have the same ones, in
/// the same order.
class KnownKeys {
 public:
  /// Null unless that layer had this key there, in our own spelling.
  const FieldKey* find(std::size_t index, std::string_view key, LayerKind kind) const {
    const std::vector<FieldKey>& keys = keys_[kind];
    if (index >= keys.size() || keys[index].key != key) return nullptr;
    return keys[index].field != nullptr ? &keys[index] : nullptr;
  }
  void set(const std::vector<FieldKey>& keys, LayerKind kind) {
    keys_[kind] = keys;
    // Its field depends on its value: a window or a mapping.
    for (FieldKey& each : keys_[kind])
      if (each.key == "kernel") each = {};
  }

 private:
  EnumArray<LayerKind, std::vector<FieldKey>> keys_;
};

StatedKeys stated_keys(const Value& object, LayerKind kind) {
  thread_local KnownKeys known;
  StatedKeys stated;
  stated.keys.reserve(object.size());
  bool are_new = false;
  for (const Value member : object) {
    const std::size_t index = stated.keys.size();
    if (const FieldKey* const key = known.find(index, member.key(), kind)) {
      stated.keys.push_back(*key);
      continue;
    }
    const std::optional<FieldKey> key = key_of(member, kind);
    if (!key || !key->field->applies_to(kind)) stated.wrong.push_back(member);
    stated.keys.push_back(key.value_or(FieldKey{}));
    are_new = true;
  }
  if (are_new && stated.wrong.empty()) known.set(stated.keys, kind);
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

/// Keras states images with channels last: of its keys, `filters` beside `input_shape` is of no
/// other library.
void read_as_keras(const Spellings& spellings, LayerSpec& spec) {
  const auto is_spelled = [&](std::string_view key) {
    return std::ranges::any_of(spellings, [&](const auto& each) { return each.second == key; });
  };
  if (!spec.input || !is_spelled("filters") || !is_spelled("input_shape")) return;
  std::vector<std::uint64_t>& sizes = spec.input->sizes;
  const std::size_t axes = spec.rank.value_or(2);
  if (sizes.size() != axes + 1 && sizes.size() != axes + 2) return;
  std::rotate(sizes.end() - static_cast<std::ptrdiff_t>(axes + 1), sizes.end() - 1, sizes.end());
}

/// The words of courses for a convolution: B images, M results of it a position, and K or Mask for
/// the side of its window, where K is no number of filters. Nothing for other keys.
std::string_view course_key(std::string_view key, bool states_m) {
  const std::string small = lower_case(key);
  if (small == "b") return "batch";
  if (small == "m") return "out_channels";
  if (small == "mask" || (states_m && small == "k")) return "kernel_size";
  return {};
}

/// stated_keys() of a convolution in these words.
StatedKeys course_keys(const Value& object, LayerKind kind) {
  const bool states_m = object.contains("M") || object.contains("m");
  StatedKeys stated;
  for (const Value member : object) {
    const std::string_view theirs = course_key(member.key(), states_m);
    const auto key = theirs.empty() ? key_of(member, kind) : find_field(kind, theirs);
    if (!key || !key->field->applies_to(kind)) stated.wrong.push_back(member);
    stated.keys.push_back(key.value_or(FieldKey{}));
  }
  return stated;
}

/// `spec`: an empty one.
void read_layer_into(LayerSpec& spec, const Value& object, Place place) {
  if (!object.is_object()) object.fail_expected("an object");
  const std::optional<LayerType> stated_as = read_type(object);
  LayerType type = stated_as.value_or(LayerType{});
  StatedKeys stated = stated_keys(object, type.kind);
  if (const auto only = stated.wrong.empty() || stated_as ? std::nullopt : only_kind_of(object)) {
    type.kind = *only;
    stated = stated_keys(object, type.kind);
  }
  if (!stated.wrong.empty() && type.kind == LayerKind::conv)
    stated = course_keys(object, type.kind);
  if (!stated.wrong.empty()) fail_keys(object, stated.wrong, type.kind);
  spec.kind = type.kind;
  spec.rank = type.rank;
  spec.depthwise = type.depthwise;
  spec.place = std::move(place);
  Spellings spellings;
  for (std::size_t i = 0; i < stated.keys.size(); ++i) {
    const FieldKey& key = stated.keys[i];
    const Value value = object.at(i);
    check_once(stated.keys, i, object);
    if (value.key() != key.field->key) spellings.emplace_back(key.field->key, value.key());
    std::visit(ReadField{value, key.unit, spec}, key.field->member);
  }
  if (!spellings.empty()) read_as_keras(spellings, spec);
  spec.place.spellings = std::move(spellings);
  if (object.contains("dtype") && object.contains("dtypes"))
    object.at("dtypes").fail("expected one spelling, got this and dtype");
}

/// The memory of the layer of a record that is gone, longer than allocators' quick lists have: the
/// next one that this thread reads takes it over.
struct SpareLayer {
  std::vector<LayerSpec> memory;

  ~SpareLayer() { is_gone = true; }
  static thread_local bool is_gone;
};
thread_local bool SpareLayer::is_gone = false;
thread_local SpareLayer spare_layer;

void give_back(NetworkSpec* record) {
  if (!SpareLayer::is_gone && record->layers.size() == 1) {
    record->layers.clear();
    spare_layer.memory = std::move(record->layers);
  }
  delete record;
}

std::shared_ptr<NetworkSpec> new_record() {
  std::shared_ptr<NetworkSpec> record(new NetworkSpec, give_back);
  record->layers = std::exchange(spare_layer.memory, {});
  return record;
}

}  // namespace

std::string network_name(const std::string& source) {
  if (source == "-") return "stdin";
  const std::size_t slash = source.find_last_of('/');
  std::string_view name = source;
  if (slash != name.npos) name.remove_prefix(slash + 1);
  const std::size_t dot = name.find_last_of('.');
  return std::string(dot == 0 ? name : name.substr(0, dot));
}

NetworkSpecs read_networks(const SharedDocument& document) {
  const Value root = document->root();
  if (root.contains("peak_tflops"))
    root.fail("expected layers, got a GPU file, which says what to evaluate on");
  if (root.contains(version_key) && root.contains("results")) return read_own_report(root);
  NetworkSpec network = empty_network(document->origin());
  if (root.is_array())
    read_layers(root, "", document, network);
  else if (root.contains("layers"))
    read_network_object(root, document, network);
  else
    network.layers.push_back(read_layer(root));
  return {std::make_shared<const NetworkSpec>(std::move(network))};
}

namespace {

std::shared_ptr<const NetworkSpec> read_stated_record(const Value& record) {
  const std::shared_ptr<NetworkSpec> network = new_record();
  name_after(record.origin(), *network);
  network->record = record.origin().line;
  if (!is_own_row(record)) {
    read_layer_into(network->layers.emplace_back(), record, record.place());
    return network;
  }
  read_own_run(record, *network);
  if (const Value host = record.find("fused_into"); !host.is_null())
    network->fused_into = host.text();
  if (const auto batch = record.get("batch")) network->batch = batch->integer(1);
  const Value stated = stated_in_row(record);
  if (!stated.is_null()) {
    network->layers.push_back(read_own_row(record, stated, ""));
    // The row says that it ran.
    LayerSpec& layer = network->layers.back();
    if (layer.pass) layer.training_only = false;
  } else if (is_host_copy(record)) {
    network->assumptions.emplace_back(host_copies_left_out);
  } else {
    record.fail_at(own_row::layer_key,
                   "expected a layer, got null: a kernel that the run added and an older version "
                   "did not write; give the input that it is of");
  }
  return network;
}

}  // namespace

std::shared_ptr<const NetworkSpec> read_record(const Value& record) {
  try {
    return read_stated_record(record);
  } catch (InputError& error) {
    // A program that writes records learns which one failed.
    const std::optional<Value> id = record.is_object() ? record.get("id") : std::nullopt;
    if (const auto known = id ? read_id(*id) : std::nullopt) {
      error.id_text = known->text;
      error.id_is_string = known->is_string;
    }
    throw;
  }
}

Expected<Network> load_network(std::string_view json_text, const std::string& source,
                               const LayerDefaults& defaults) {
  return expected([&] {
    const auto document = std::make_shared<const JsonDocument>(json_text, Origin{source});
    return infer(*read_networks(document).front(), defaults).value();
  });
}

DataType read_data_type(const Value& value) {
  const DataType type = read_tensor_type(value);
  if (!is_operand_type(type)) value.fail(expected_data_type(name_of(type)));
  return type;
}

LayerSpec read_layer(const Value& object) { return read_layer(object, object.place()); }

LayerSpec read_layer(const Value& object, Place place) {
  LayerSpec spec;
  read_layer_into(spec, object, std::move(place));
  return spec;
}

}  // namespace roofline
