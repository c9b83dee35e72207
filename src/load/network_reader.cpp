#include "load/network_reader.hpp"

#include <set>

#include "model/layer_fields.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

constexpr std::string_view version_key = "schema_version";

NetworkSpec empty_network(const Origin& origin) {
  NetworkSpec network;
  network.name = network_name(origin.source);
  network.source = origin.source;
  return network;
}

using Document = std::shared_ptr<const JsonDocument>;

/// The layer's GPU, or else the file's.
LayerSpec measured_on(const std::string& gpu, LayerSpec layer) {
  if (layer.measured->is_known() && layer.measured->gpu.empty())
    layer.measured.change([&](Measured& measured) { measured.gpu = gpu; });
  return layer;
}

void read_layers(const Value& list, const std::string& gpu, const Document& document,
                 NetworkSpec& network) {
  if (!list.is_array() || list.size() == 0) list.fail_expected("a list of at least one layer");
  if (constexpr std::size_t many = 4096; list.size() > many) {
    network.unread = {list.size(), [document, list, gpu](std::size_t i) {
                        return measured_on(gpu, read_layer(list.at(i)));
                      }};
    return;
  }
  network.layers.reserve(list.size());
  for (const Value layer : list) network.layers.push_back(measured_on(gpu, read_layer(layer)));
}

void read_network_object(const Value& value, const Document& document, NetworkSpec& network) {
  value.check_keys("a network", {"name", "note", "gpu", "dtype", "batch", "runs_as", "layers"});
  if (const auto name = value.get("name")) network.name = name->text();
  if (const auto note = value.get("note")) static_cast<void>(note->text());
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

/// nullopt for a copy over the host link. A time gets the row's GPU by default. Throws InputError,
/// also for an error record.
std::optional<LayerSpec> read_own_row(const Value& row) {
  if (!row.is_object()) row.fail_expected("an object");
  if (row.contains("error"))
    row.fail("expected a layer, got one that an earlier run could not evaluate");
  if (!row.contains(own_row::layer_key)) row.fail(own_row::no_layers);
  const Value stated = row.at(own_row::layer_key);
  if (stated.is_null()) return std::nullopt;
  return measured_on(row.contains("gpu") ? row.at("gpu").text() : "", read_layer(stated));
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

/// The network of a report's result: layers with several passes once, no copies over the host link.
NetworkSpec read_own_result(const Value& result) {
  NetworkSpec network = empty_network(result.origin());
  const Value rows = rows_of(result);
  if (const Value name = result.find("network"); !name.is_null()) network.name = name.text();
  network.batch = result.find("batch").try_integer();
  const std::set<std::string_view> trained = trained_layers(result);
  if (const auto type = parse<DataType>(result.find("dtype").try_text());
      type && !is_tensor_type(*type))
    network.autocast = type;
  std::set<std::string> earlier;
  for (const Value row : rows) {
    std::optional<LayerSpec> layer = read_own_row(row);
    if (!layer) continue;
    const bool is_new = !layer->name || earlier.insert(*layer->name).second;
    if (layer->name && trained.contains(*layer->name)) {
      if (!is_new) continue;
      layer->pass.reset();
    }
    forget_unknown_producers(earlier, *layer);
    // If the rows have several, the first one's counts.
    if (!network.batch && network.layers.empty()) network.batch = batch_of(*layer);
    network.layers.push_back(std::move(*layer));
  }
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
  for (const Value result : results)
    if (seen.insert(layers_of_own_result(result)).second)  // not another GPU's
      networks.push_back(std::make_shared<const NetworkSpec>(read_own_result(result)));
  return networks;
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

NetworkSpecs read_networks(const Document& document) {
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

std::shared_ptr<const NetworkSpec> read_record(const Value& record) {
  NetworkSpec network = empty_network(record.origin());
  network.record = record.origin().line;
  if (!is_own_row(record)) {
    network.layers.push_back(read_layer(record));
  } else if (std::optional<LayerSpec> layer = read_own_row(record)) {
    network.layers.push_back(std::move(*layer));
    if (record.contains("batch")) network.batch = record.at("batch").integer(1);
  }
  return std::make_shared<const NetworkSpec>(std::move(network));
}

Expected<Network> load_network(std::string_view json_text, const std::string& source,
                               const LayerDefaults& defaults) {
  return expected([&] {
    const auto document = std::make_shared<const JsonDocument>(json_text, Origin{source});
    return infer(*read_networks(document).front(), defaults).value();
  });
}

}  // namespace roofline
