#include <map>

#include "load/layer_reader.hpp"
#include "load/spelling.hpp"

namespace roofline {
namespace {

using nlohmann::json;

/// Names of the layers so far, and which of them are used twice.
class LayerNames {
 public:
  void add(const std::string& name, std::size_t index) {
    const auto [entry, inserted] = index_of_.emplace(name, index);
    if (!inserted) entry->second = ambiguous;
  }

  std::size_t find(const Value& value) const {
    const std::string name = value.text();
    const auto entry = index_of_.find(name);
    if (entry == index_of_.end())
      value.fail("expected the name of an earlier layer, got \"" + name + "\"" +
                 did_you_mean(name, all()));
    if (entry->second == ambiguous)
      value.fail("expected the name of one earlier layer, got \"" + name + "\", which two have");
    return entry->second;
  }

 private:
  static constexpr std::size_t ambiguous = static_cast<std::size_t>(-1);

  std::vector<std::string_view> all() const {
    std::vector<std::string_view> names;
    for (const auto& [name, index] : index_of_) names.push_back(name);
    return names;
  }

  std::map<std::string, std::size_t> index_of_;
};

void read_layers(const Value& list, const Origin& origin, const LayerDefaults& defaults,
                 std::optional<std::uint64_t> file_batch, Network& network) {
  if (!list.is_array() || list.size() == 0) list.fail_expected("a list of at least one layer");
  LayerNames names;
  LayerScope scope;
  scope.defaults = defaults;
  scope.file_batch = file_batch;
  scope.find_layer = [&](const Value& name) {
    const std::size_t index = names.find(name);
    return std::pair<std::size_t, const Layer*>(index, &network.layers[index]);
  };
  network.layers.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    scope.index = i;
    network.layers.push_back(read_layer(list.at(i), origin, scope));
    names.add(network.layers.back().name, i);
    scope.previous = &network.layers.back();
    scope.previous_index = i;
  }
}

void read_network_object(const Value& value, const Origin& origin, LayerDefaults defaults,
                         Network& network) {
  ObjectReader object(value, origin, "a network", {"name", "note", "dtype", "batch", "layers"});
  if (const auto name = object.take("name")) network.name = name->text();
  if (const auto note = object.take("note")) static_cast<void>(note->text());
  if (const auto dtype = object.take("dtype")) defaults.dtype = read_data_type(*dtype);
  std::optional<std::uint64_t> batch;
  if (const auto stated = object.take("batch")) batch = stated->integer(1);
  const Value layers = *object.take("layers");
  object.finish();
  read_layers(layers, origin, defaults, batch, network);
}

}  // namespace

std::string network_name(const std::string& source) {
  if (source == "-") return "stdin";
  const std::size_t slash = source.find_last_of('/');
  std::string name = slash == std::string::npos ? source : source.substr(slash + 1);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

Network load_network(std::string_view json_text, const std::string& source,
                     const LayerDefaults& defaults) {
  const Origin origin{source, std::nullopt};
  const json root = parse_json(json_text, origin);
  const Value value(root, origin);
  if (root.is_object() && root.contains("peak_tflops"))
    value.fail("expected layers, got a GPU file: give it to --gpu");
  Network network{network_name(source), source, {}};
  if (root.is_array()) {
    read_layers(value, origin, defaults, std::nullopt, network);
  } else if (root.is_object() && root.contains("layers")) {
    read_network_object(value, origin, defaults, network);
  } else {
    LayerScope scope;
    scope.defaults = defaults;
    scope.find_layer = [](const Value& name) -> std::pair<std::size_t, const Layer*> {
      name.fail("expected a shape: there is no earlier layer to name");
    };
    network.layers.push_back(read_layer(value, origin, scope));
  }
  return network;
}

}  // namespace roofline
