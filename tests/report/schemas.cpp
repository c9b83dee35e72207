// The schemas say of layers and rows what the tables say. ROOFLINE_UPDATE_GOLDEN=1 writes them
// anew.

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"
#include "model/layer_fields.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "report/fields.hpp"
#include "results/kernel_table.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"
#include "roofline/spec.hpp"

using namespace roofline;
using OrderedJson = nlohmann::ordered_json;

namespace {

OrderedJson reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }
OrderedJson at_least(std::uint64_t least) {
  return least == 1 ? reference("size") : OrderedJson{{"type", "integer"}, {"minimum", least}};
}

struct FieldSchema {
  OrderedJson operator()(const TextField&) const { return {{"type", "string"}}; }
  OrderedJson operator()(const ChoiceField& field) const {
    return {{"enum", std::vector<std::string>(field.names.begin(), field.names.end())}};
  }
  OrderedJson operator()(const ScalarField&) const {
    return {{"type", {"string", "number", "boolean"}}};
  }
  OrderedJson operator()(const UnusedField&) const { return {{"type", "number"}}; }
  OrderedJson operator()(const NoteField&) const { return true; }
  OrderedJson operator()(const CountField&) const { return reference("size"); }
  OrderedJson operator()(const DimensionField&) const { return {{"type", "integer"}}; }
  OrderedJson operator()(const FlagField&) const { return reference("flag"); }
  OrderedJson operator()(const ChoiceOfTwoField&) const { return reference("flag"); }
  OrderedJson operator()(const WorkField&) const { return reference("size"); }
  OrderedJson operator()(const SecondsField&) const { return reference("quantity"); }
  OrderedJson operator()(const AxesField& field) const {
    if (field.least == 1) return reference("axes");
    OrderedJson any = OrderedJson::array();
    if (field.takes_rule) any.push_back({{"enum", {"same", "valid"}}});
    any.push_back(at_least(field.least));
    any.push_back({{"type", "array"}, {"items", at_least(field.least)}, {"minItems", 1}});
    return {{"anyOf", any}};
  }
  OrderedJson operator()(const AxisField& field) const { return at_least(field.least); }
  OrderedJson operator()(const SizesField& field) const {
    return reference(field.takes_number ? "axes" : "sizes");
  }
  OrderedJson operator()(const OperandField&) const { return reference("operand"); }
  OrderedJson operator()(const OperandsField&) const {
    return {{"type", "array"}, {"items", reference("operand")}, {"minItems", 1}};
  }
  OrderedJson operator()(const KindField&) const { return reference("type"); }
  OrderedJson operator()(const DataTypeField&) const { return reference("tensor_type"); }
  OrderedJson operator()(const DataTypesField&) const { return reference("data_types"); }
  OrderedJson operator()(const MappingField&) const { return reference("mapping"); }
};

/// By key, each alias after its field.
OrderedJson layer_properties() {
  OrderedJson properties = OrderedJson::object();
  for (const LayerField& field : layer_fields()) {
    // cuDNN's letters are taken as capitals, too.
    const auto add_one = [&](const std::string& key) {
      OrderedJson schema = std::visit(FieldSchema{}, field.member);
      OrderedJson& known = properties[key];
      // "kernel" is a window's size or a mapping, by the kind.
      known = known.is_null() || known == schema ? schema : OrderedJson{{"anyOf", {known, schema}}};
    };
    const auto add = [&](std::string key) {
      if (key.empty()) return;
      add_one(key);
      if (key.size() > 1) return;
      key.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(key.front())));
      add_one(key);
    };
    add(std::string(field.key));
    for (const FieldAlias& alias : field.aliases) add(std::string(alias.key));
  }
  return properties;
}

/// What stands in one of the rows' groups ("bytes") or, for the empty one, beside them.
std::vector<std::string> keys_of_rows(const std::string& group) {
  std::vector<std::string> keys;
  for (const auto& field : layer_columns()) {
    if (field.is_head || field.path.empty()) continue;
    const std::string path(field.path);
    const std::size_t dot = path.find('.');
    if (group.empty() && (keys.empty() || keys.back() != path.substr(0, dot)))
      keys.push_back(path.substr(0, dot));
    else if (!group.empty() && dot != path.npos && path.substr(0, dot) == group)
      keys.push_back(path.substr(dot + 1));
  }
  return keys;
}

std::vector<std::string> keys_of(const OrderedJson& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::string one_line(const OrderedJson& node) {
  if (!node.is_structured()) return node.dump();
  std::string out;
  for (const auto& [key, value] : node.items()) {
    out += out.empty() ? "" : ", ";
    out += (node.is_object() ? OrderedJson(key).dump() + ": " : "") + one_line(value);
  }
  return node.is_object() ? "{" + out + "}" : "[" + out + "]";
}

/// On one line where it fits, as people write it; names in lines as long as they get.
void write(std::string& out, const OrderedJson& node, std::size_t indent, std::size_t before) {
  constexpr std::size_t width = 100;
  const std::string line = one_line(node);
  if (indent + before + line.size() < width || !node.is_structured()) {
    out += line;
    return;
  }
  const std::string pad(indent + 2, ' ');
  out += node.is_object() ? "{" : "[";
  std::size_t column = width;
  bool first = true;
  for (const auto& [key, value] : node.items()) {
    const std::string label = node.is_object() ? OrderedJson(key).dump() + ": " : "";
    const bool is_name = node.is_array() && !value.is_structured();
    out += first ? "" : ",";
    first = false;
    const std::size_t size = one_line(value).size() + 2;
    if (is_name && column + size <= width) {
      out += ' ';
    } else {
      out += '\n' + pad;
      column = pad.size();
    }
    column += size;
    out += label;
    write(out, value, indent + 2, label.size());
  }
  out += "\n" + std::string(indent, ' ') + (node.is_object() ? "}" : "]");
}

/// The names of an enumeration, and null where there may be none.
template <Enumeration E>
OrderedJson one_of(bool may_be_null = false) {
  OrderedJson names = names_of<E>;
  if (may_be_null) names.push_back(nullptr);
  return {{"enum", names}};
}

/// The names under which layers may state a type, those of frameworks too.
OrderedJson stated_types(bool of_output) {
  OrderedJson names = OrderedJson::array();
  for (const DataType type : enumerators<DataType>) {
    if (of_output ? !is_tensor_type(type) : !is_operand_type(type)) continue;
    names.push_back(name_of(type));
    std::istringstream aliases{std::string(aliases_of(type))};
    for (std::string alias; aliases >> alias;) names.push_back(alias);
  }
  return {{"enum", names}};
}

/// A value for each engine.
OrderedJson by_engine(const char* value) {
  OrderedJson properties = OrderedJson::object();
  for (const std::string_view name : names_of<Engine>)
    properties[std::string(name)] = reference(value);
  return properties;
}

std::string path_of(const std::string& name) {
  return ROOFLINE_SOURCE_FOLDER "/configs/schemas/" + name + ".json";
}

void check_or_write(const std::string& name, const OrderedJson& schema) {
  std::string text;
  write(text, schema, 0, 0);
  text += '\n';
  if (std::getenv("ROOFLINE_UPDATE_GOLDEN") != nullptr)
    std::ofstream(path_of(name), std::ios::binary) << text;
  CHECK(read_file(path_of(name)) == text);
}

}  // namespace

TEST_CASE("The schema of layers is that of their table", "[report/schemas]") {
  OrderedJson schema = OrderedJson::parse(read_file(path_of("input")));
  OrderedJson& definitions = schema.at("$defs");
  definitions.at("layer").at("properties") = layer_properties();
  OrderedJson& mapping = definitions.at("mapping").at("properties");
  mapping = {{"algorithm", mapping.at("algorithm")}, {"tile", mapping.at("tile")}};
  mapping.at("algorithm") = {{"enum", std::vector<std::string>(statable_algorithm_names.begin(),
                                                               statable_algorithm_names.end())}};
  for (const MappingNumber& number : mapping_numbers)
    mapping[std::string(number.key)] = at_least(number.least);
  definitions.at("network").at("properties").at("runs_as") = one_of<RunsAs>();
  const std::vector<std::string> types = definitions.at("type").at("enum");
  for (const KindInfo& kind : all_kinds())
    if (is_input_kind(kind.kind)) CHECK(std::ranges::find(types, kind.name) != types.end());
  definitions.at("data_type") = stated_types(false);
  definitions.at("tensor_type") = stated_types(true);
  check_or_write("input", schema);
}

TEST_CASE("The schema of rows has the keys of their table", "[report/schemas]") {
  OrderedJson schema = OrderedJson::parse(read_file(path_of("output")));
  OrderedJson& definitions = schema.at("$defs");
  // The line of code is there where a source states it.
  auto layer_keys = keys_of_rows("");
  layer_keys.insert(std::find(layer_keys.begin(), layer_keys.end(), "input"), "source_line");
  layer_keys.insert(std::find(layer_keys.begin(), layer_keys.end(), "source_line"), "id");
  CHECK(keys_of(definitions.at("layer_values").at("properties")) == layer_keys);
  CHECK(definitions.at("layer_values").at("required") == OrderedJson(keys_of_rows("")));
  CHECK(keys_of(definitions.at("bytes").at("properties")) == keys_of_rows("bytes"));
  CHECK(keys_of(definitions.at("kernel").at("properties")) == keys_of_rows("kernel"));
  CHECK(keys_of(definitions.at("measured_layer").at("properties")) == keys_of_rows("measured"));
  std::vector<std::string> kernel_keys;
  for (const auto& field : kernel_columns())
    if (!field.is_head && !field.path.empty()) kernel_keys.emplace_back(field.path);
  OrderedJson& kernel = definitions.at("kernel_values");
  CHECK(keys_of(kernel.at("properties")) == kernel_keys);
  CHECK(kernel.at("required") == OrderedJson(kernel_keys));
  kernel.at("properties").at("engine") = one_of<Engine>(true);
  kernel.at("properties").at("nearest_roof") = one_of<KernelRoof>(true);
  definitions.at("kernel_table").at("properties").at("ceilings").at("properties").at("engine") =
      one_of<Engine>();
  definitions.at("kind") = one_of<LayerKind>();
  definitions.at("data_type") = one_of<DataType>();
  definitions.at("data_type_or_null") = one_of<DataType>(true);
  definitions.at("framework_or_null") = one_of<Framework>(true);
  definitions.at("layer_values").at("properties").at("engine") = one_of<Engine>(true);
  definitions.at("kernel").at("properties").at("engine").at("enum") = one_of<Engine>().at("enum");
  definitions.at("rates").at("properties") = by_engine("amount");
  definitions.at("recording")
      .at("properties")
      .at("transfers")
      .at("items")
      .at("properties")
      .at("kind") = one_of<TransferKind>();
  definitions.at("result").at("properties").at("ceilings").at("properties").at("engine") =
      one_of<Engine>();
  check_or_write("output", schema);
}

TEST_CASE("The schema of GPUs has the engines", "[report/schemas]") {
  OrderedJson schema = OrderedJson::parse(read_file(path_of("gpu")));
  schema.at("$defs").at("engines").at("properties") = by_engine("quantity");
  check_or_write("gpu", schema);
}
