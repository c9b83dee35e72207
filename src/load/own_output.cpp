#include "load/own_output.hpp"

#include <algorithm>

#include "load/json_layer.hpp"
#include "roofline/layer_kind.hpp"

namespace roofline {
namespace {

using nlohmann::json;

constexpr std::string_view version_key = "schema_version";

bool present(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

bool is_list_of_shapes(const json& value) {
  return value.is_array() && !value.empty() && !value.front().is_number();
}

}  // namespace

bool is_own_report(const json& document) {
  return document.is_object() && document.contains(version_key) && document.contains("results");
}

bool is_own_record(const json& record) {
  return record.is_object() && record.contains(version_key);
}

json layer_of_output(const json& row) {
  json layer = json::object();
  if (!row.is_object()) return row;
  for (const auto& [key, value] : row.items())
    if (!value.is_null() && is_layer_key(key)) layer[key] = value;
  layer.erase("kernel");  // the plan, not a mapping
  layer.erase("batch");   // the shapes hold it
  if (present(row, "dtypes")) layer.erase("dtype");
  if (present(row, "mapping")) layer["kernel"] = row["mapping"];
  if (is_list_of_shapes(row.value("input", json()))) {
    layer["inputs"] = row["input"];
    layer.erase("input");
  }
  if (const auto measured = row.find("measured"); measured != row.end() && measured->is_object()) {
    if (present(*measured, "time_s")) layer["measured_time_s"] = (*measured)["time_s"];
    if (present(*measured, "cold_time_s"))
      layer["measured_cold_time_s"] = (*measured)["cold_time_s"];
  }
  return layer;
}

bool is_own_header(const std::vector<std::string>& columns) {
  return std::find(columns.begin(), columns.end(), "roofline_time_s") != columns.end();
}

json row_of_own_csv(json record) {
  record[std::string(version_key)] = true;
  for (const char* part : {"input", "weight", "output"}) {
    const auto type = record.find(std::string("dtypes_") + part);
    if (type != record.end()) record["dtypes"][part] = *type;
  }
  return record;
}

json network_of_output(const Value& result) {
  if (!result.node().is_object() || !result.node().contains("layers"))
    result.fail_expected("a result with layers");
  json network = json::object();
  if (present(result.node(), "network")) network["name"] = result.node()["network"];
  json layers = json::array();
  const Value rows = result.at("layers");
  if (!rows.is_array()) rows.fail_expected("a list of layers");
  for (const json& row : rows.node()) {
    const auto type = row.find("type");
    const bool is_copy = type != row.end() && *type == info(LayerKind::host_copy).name;
    if (!is_copy) layers.push_back(layer_of_output(row));
  }
  network["layers"] = std::move(layers);
  return network;
}

}  // namespace roofline
