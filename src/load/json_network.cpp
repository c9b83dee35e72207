#include "load/json_network.hpp"

#include <set>

#include "load/json_layer.hpp"
#include "load/own_rows.hpp"

namespace roofline {
namespace {

NetworkSpec empty_network(const Origin& origin) {
  NetworkSpec network;
  network.name = network_name(origin.source);
  network.source = origin.source;
  return network;
}

using Document = std::shared_ptr<const JsonDocument>;

/// `document`, of the list, is there where it may be kept.
void read_layers(const Value& list, const Origin& origin, const Document& document,
                 NetworkSpec& network) {
  if (!list.is_array() || list.size() == 0) list.fail_expected("a list of at least one layer");
  if (constexpr std::size_t many = 4096; document && list.size() > many) {
    network.unread = {list.size(), [document, origin, &node = list.node()](std::size_t index) {
                        const Value root(document->root(), origin);
                        return read_layer(root.beneath(node).at(index), origin);
                      }};
    return;
  }
  network.layers.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    network.layers.push_back(read_layer(list.at(i), origin));
}

void read_network_object(const Value& value, const Origin& origin, const Document& document,
                         NetworkSpec& network) {
  ObjectReader object(value, "a network", {"name", "note", "dtype", "batch", "layers"});
  if (const auto name = object.take("name")) network.name = name->text();
  if (const auto note = object.take("note")) static_cast<void>(note->text());
  if (const auto dtype = object.take("dtype")) network.dtype = read_data_type(*dtype);
  if (const auto batch = object.take("batch")) network.batch = batch->integer(1);
  const Value layers = *object.take("layers");
  object.finish();
  read_layers(layers, origin, document, network);
}

/// The results of a report that this program wrote.
std::vector<std::shared_ptr<const NetworkSpec>> read_report(const Value& report,
                                                            const Origin& origin) {
  std::vector<std::shared_ptr<const NetworkSpec>> networks;
  refuse_kernels_alone(report);
  const Value results = report.at("results");
  if (!results.is_array() || results.size() == 0)
    results.fail_expected("a list of at least one result");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value result = results.at(i);
    if (!seen.insert(layers_of_own_result(result)).second) continue;  // the same on another GPU
    NetworkSpec network = empty_network(origin);
    read_own_result(result, network);
    networks.push_back(std::make_shared<const NetworkSpec>(std::move(network)));
  }
  return networks;
}

std::vector<std::shared_ptr<const NetworkSpec>> networks_of(const JsonNode& node,
                                                            const Origin& origin,
                                                            const Document& document) {
  const Value value(node, origin);
  if (node.is_object() && node.contains("peak_tflops"))
    value.fail("expected layers, got a GPU file, which says what to evaluate on");
  if (is_own_report(node)) return read_report(value, origin);
  NetworkSpec network = empty_network(origin);
  if (node.is_array())
    read_layers(value, origin, document, network);
  else if (node.is_object() && node.contains("layers"))
    read_network_object(value, origin, document, network);
  else
    network.layers.push_back(read_layer(value, origin));
  return {std::make_shared<const NetworkSpec>(std::move(network))};
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

std::vector<std::shared_ptr<const NetworkSpec>> read_networks(const JsonNode& document,
                                                              const Origin& origin) {
  return networks_of(document, origin, nullptr);
}

std::vector<std::shared_ptr<const NetworkSpec>> read_networks(const Document& document,
                                                              const Origin& origin) {
  return networks_of(document->root(), origin, document);
}

std::shared_ptr<const NetworkSpec> read_record(const JsonNode& record, const Origin& origin) {
  NetworkSpec network = empty_network(origin);
  network.record = origin.line;
  const Value value(record, origin);
  if (is_own_row(record)) {
    if (std::optional<LayerSpec> layer = read_own_row(value)) {
      network.layers.push_back(std::move(*layer));
      if (record.contains("batch")) network.batch = value.at("batch").integer(1);
    }
  } else {
    network.layers.push_back(read_layer(value, origin));
  }
  return std::make_shared<const NetworkSpec>(std::move(network));
}

}  // namespace roofline
