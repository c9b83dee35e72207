#include "load/own_output.hpp"

#include <algorithm>
#include <map>

#include "load/json_layer.hpp"
#include "roofline/layer_kind.hpp"

namespace roofline {
namespace {

using nlohmann::json;

constexpr std::string_view version_key = "schema_version";
/// Of every row that this program writes, and of no layer file.
constexpr std::string_view row_key = "roofline_time_s";

bool present(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

bool is_list_of_shapes(const json& value) {
  return value.is_array() && !value.empty() && !value.front().is_number();
}

std::optional<LayerType> type_of(const json& row) {
  const auto type = row.find("type");
  if (type == row.end() || !type->is_string()) return std::nullopt;
  return parse_layer_type(type->get_ref<const std::string&>());
}

/// The shapes of the layers read so far, by name.
using Outputs = std::map<std::string, json>;

/// A layer file's list of three is [C, H, W] where ours is [N, C, L]; as an object it is whole.
json whole_shape(const json& sizes, LayerKind kind) {
  const bool is_ambiguous = sizes.is_array() && sizes.size() == 3 && !has_window(kind) &&
                            info(kind).features == Features::first;
  return is_ambiguous ? json::object({{"shape", sizes}}) : sizes;
}

/// An operand of a network: an earlier layer's output, or a view of it; else the shape alone.
json operand_of(const json& sizes, const json& from, const Outputs& earlier, LayerKind kind) {
  if (sizes.is_array() && from.is_string()) {
    const auto producer = earlier.find(from.get<std::string>());
    if (producer != earlier.end() && producer->second == sizes) return from;
    if (producer != earlier.end()) return json::object({{"layer", from}, {"shape", sizes}});
  }
  return whole_shape(sizes, kind);
}

/// What other keys of a layer file say in place of the shapes of ours.
void state_shapes(const json& row, LayerKind kind, const Outputs& earlier, json& layer) {
  const json input = row.value("input", json());
  const json from = row.value("input_from", json());
  if (is_list_of_shapes(input)) {
    layer.erase("input");
    json& inputs = layer["inputs"] = json::array();
    for (std::size_t i = 0; i < input.size(); ++i)
      inputs.push_back(operand_of(input[i], from.is_array() && i < from.size() ? from[i] : json(),
                                  earlier, kind));
  } else if (present(row, "input")) {
    layer["input"] = operand_of(input, from, earlier, kind);
  }
  const json output = row.value("output", json());
  if (!output.is_array() || output.size() < 2) return;
  if (kind == LayerKind::conv || kind == LayerKind::conv_transpose)
    layer["out_channels"] = output[1];
  if (kind == LayerKind::linear) layer["out_features"] = output.back();
  if (kind == LayerKind::linear && input.is_array()) layer["in_features"] = input.back();
}

/// Times that were measured on the GPU of the row.
void state_measured(const json& row, const json& gpu, json& layer) {
  layer.erase("measured_time_s");  // a CSV column: that of the two which was compared
  layer.erase("measured_cold_time_s");
  const json measured = row.value("measured", json());
  if (measured.is_object() && present(measured, "warm_time_s"))
    layer["measured_time_s"] = measured["warm_time_s"];
  if (measured.is_object() && present(measured, "cold_time_s"))
    layer["measured_cold_time_s"] = measured["cold_time_s"];
  const bool is_measured =
      std::any_of(layer.items().begin(), layer.items().end(),
                  [](const auto& item) { return item.key().starts_with("measured_"); });
  if (is_measured && gpu.is_string() && !layer.contains("measured_gpu"))
    layer["measured_gpu"] = gpu;
}

json layer_of(const json& row, const json& gpu, const Outputs& earlier) {
  if (!row.is_object()) return row;
  json layer = json::object();
  for (const auto& [key, value] : row.items())
    if (!value.is_null() && is_layer_key(key)) layer[key] = value;
  layer.erase("kernel");  // the plan, not a mapping
  layer.erase("batch");   // the shapes hold it
  if (present(row, "dtypes")) layer.erase("dtype");
  if (present(row, "mapping")) layer["kernel"] = row["mapping"];
  if (const auto type = type_of(row)) state_shapes(row, type->kind, earlier, layer);
  state_measured(row, gpu, layer);
  return layer;
}

/// The first number of the first layer's output; 0 where there is none.
std::uint64_t first_batch(const json& rows) {
  const json output =
      rows.empty() || !rows.front().is_object() ? json() : rows.front().value("output", json());
  const bool known = output.is_array() && !output.empty() && output.front().is_number_unsigned();
  return known ? output.front().get<std::uint64_t>() : 0;
}

bool is_copy(const json& row) {
  return row.is_object() && row.value("type", json()) == info(LayerKind::host_copy).name;
}

}  // namespace

bool is_own_report(const json& document) {
  return document.is_object() && document.contains(version_key) && document.contains("results");
}

bool is_own_record(const json& record) {
  return record.is_object() && (record.contains(version_key) || record.contains(row_key));
}

std::optional<json> layer_of_output(const Value& record) {
  const json& row = record.node();
  if (is_copy(row)) return std::nullopt;
  if (row.contains("error"))
    record.fail("expected a layer, got one that an earlier run could not evaluate");
  json layer = layer_of(row, row.value("gpu", json()), {});
  layer.erase("training_only");  // the row says of which pass it is
  return layer;
}

bool is_own_header(const std::vector<std::string>& columns) {
  return std::find(columns.begin(), columns.end(), row_key) != columns.end();
}

json row_of_own_csv(json row) {
  constexpr std::pair<const char*, const char*> nested[] = {{"dtypes", "input"},
                                                            {"dtypes", "weight"},
                                                            {"dtypes", "output"},
                                                            {"measured", "warm_time_s"},
                                                            {"measured", "cold_time_s"}};
  for (const auto& [group, key] : nested)
    if (const auto cell = row.find(std::string(group) + "_" + key); cell != row.end())
      row[group][key] = json(*cell);
  return row;
}

json network_of_output(const Value& result) {
  if (!result.node().is_object() || !result.node().contains("layers"))
    result.fail_expected("a result with layers");
  const Value rows = result.at("layers");
  if (!rows.is_array()) rows.fail_expected("a list of layers");
  const bool training = result.node().value("pass", json()) == "training";
  json network = json::object();
  if (present(result.node(), "network")) network["name"] = result.node()["network"];
  json& layers = network["layers"] = json::array();
  // Where products of matrices make it mixed, the batch is that of the first layer.
  if (const std::uint64_t batch = first_batch(rows.node()); batch > 0) network["batch"] = batch;
  Outputs outputs;
  for (const json& row : rows.node()) {
    if (is_copy(row)) continue;
    json layer = layer_of(row, result.node().value("gpu", json()), outputs);
    const json name = layer.value("name", json());
    const bool is_new =
        !name.is_string() || outputs.emplace(name, row.value("output", json())).second;
    if (training && !is_new) continue;  // another pass of the same layer
    if (training) layer.erase("pass");
    layers.push_back(std::move(layer));
  }
  return network;
}

}  // namespace roofline
