#include "load/own_rows.hpp"

#include <algorithm>
#include <set>

#include "load/json_layer.hpp"
#include "model/layer_fields.hpp"

namespace roofline {
namespace {

constexpr std::string_view version_key = "schema_version";
constexpr std::string_view layer_key = "layer";
constexpr std::string_view column_start = "layer_";
/// Of every row that this program writes, and of no layer file.
constexpr std::string_view row_key = "roofline_time_s";
constexpr std::string_view older_version =
    "expected rows with their layers, got some without: another version of this program wrote "
    "them; give the input that they are of";

/// Of rows of kernels, which have no layers.
constexpr std::string_view kernel_row_key = "nearest_roof";
Value rows_of(const Value& result) {
  if (!result.node().is_object() || !result.node().contains("layers"))
    result.fail_expected("a result with layers");
  Value rows = result.at("layers");
  if (!rows.is_array()) rows.fail_expected("a list of layers");
  return rows;
}

/// Where a report shows a choice of its rows, an operand may come from a layer that is not shown:
/// its shape is stated too.
void forget_unknown_producers(const std::set<std::string>& earlier, LayerSpec& layer) {
  for (OperandSpec* operand : operands_of(layer))
    if (!operand->sizes.empty() && !earlier.contains(operand->layer)) operand->layer.clear();
}

/// The first size of the first operand.
std::optional<std::uint64_t> batch_of(LayerSpec& layer) {
  const std::vector<OperandSpec*> operands = operands_of(layer);
  if (operands.empty() || operands.front()->sizes.empty()) return std::nullopt;
  return operands.front()->sizes.front();
}

constexpr std::string_view kernels_alone =
    "expected layers, got kernels without any, which this program wrote: give the profiler's file "
    "that they are of";

}  // namespace

bool is_own_report(const JsonNode& document) {
  return document.is_object() && document.contains(version_key) && document.contains("results");
}

void refuse_kernels_alone(const Value& report) {
  const JsonNode* tables = report.node().find("kernel_tables");
  if (report.node().find("results")->size() == 0 && tables != nullptr && tables->size() > 0)
    report.fail(std::string(kernels_alone));
}

bool is_own_row(const JsonNode& record) {
  return record.is_object() &&
         (record.contains(version_key) || record.contains(row_key) || record.contains(layer_key));
}

std::optional<LayerSpec> read_own_row(const Value& row) {
  if (!row.node().is_object()) row.fail_expected("an object");
  if (row.node().contains("error"))
    row.fail("expected a layer, got one that an earlier run could not evaluate");
  if (!row.node().contains(layer_key))
    row.fail(std::string(row.node().contains(kernel_row_key) ? kernels_alone : older_version));
  const Value stated = row.at(layer_key);
  if (stated.node().is_null()) return std::nullopt;
  LayerSpec layer = read_layer(stated, row.origin());
  if (layer.measured->is_known() && layer.measured->gpu.empty() && row.node().contains("gpu"))
    layer.measured.change([&](Measured& measured) { measured.gpu = row.at("gpu").text(); });
  return layer;
}

std::optional<std::string_view> layer_key_of_own_column(std::string_view column) {
  if (column.starts_with(column_start)) {
    column.remove_prefix(column_start.size());
    return is_layer_key(column) ? std::optional(column) : std::nullopt;
  }
  const auto key = find_field(LayerKind::conv, column);
  return key && key->unit != 1 ? std::optional(column) : std::nullopt;
}

bool is_own_header(const std::vector<std::string>& columns, const Origin& origin) {
  if (std::find(columns.begin(), columns.end(), kernel_row_key) != columns.end())
    throw origin.error("", std::string(kernels_alone));
  if (std::any_of(columns.begin(), columns.end(), [](const std::string& column) {
        return column.starts_with(column_start) && layer_key_of_own_column(column);
      }))
    return true;
  if (std::find(columns.begin(), columns.end(), row_key) != columns.end())
    throw origin.error("", std::string(older_version));
  return false;
}

void read_own_result(const Value& result, NetworkSpec& network) {
  const Value rows = rows_of(result);
  const JsonNode& object = result.node();
  if (const JsonNode* name = object.find("network"); name != nullptr && !name->is_null())
    network.name = result.at("network").text();
  const JsonNode* pass = object.find("pass");
  const bool training = pass != nullptr && pass->is_string() && pass->text() == "training";
  if (const JsonNode* dtype = object.find("dtype"); dtype != nullptr && dtype->is_string())
    if (const auto type = parse<DataType>(result.at("dtype").text());
        type && !is_tensor_type(*type))
      network.autocast = type;
  std::set<std::string> earlier;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::optional<LayerSpec> layer = read_own_row(rows.at(i));
    if (!layer) continue;
    const bool is_new = !layer->name || earlier.insert(*layer->name).second;
    if (training && !is_new) continue;  // another pass of the same layer
    if (training) layer->pass.reset();
    forget_unknown_producers(earlier, *layer);
    // Where products of matrices make it mixed, the batch is that of the first layer.
    if (network.layers.empty()) network.batch = batch_of(*layer);
    network.layers.push_back(std::move(*layer));
  }
  if (network.layers.empty()) rows.fail_expected("a list of at least one layer");
}

std::string layers_of_own_result(const Value& result) {
  const auto member_text = [](const JsonNode& object, std::string_view key) {
    const JsonNode* member = object.find(key);
    return text_of(member == nullptr ? JsonNode() : *member);
  };
  std::string layers = member_text(result.node(), "network");
  for (const JsonNode& row : rows_of(result).node().elements())
    if (row.is_object()) layers += '\n' + member_text(row, layer_key);
  return layers;
}

}  // namespace roofline
