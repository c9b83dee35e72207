#include "profilers/layer_list.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "load/network_reader.hpp"
#include "load/layer_check.hpp"
#include "model/spelling.hpp"

namespace roofline {

LayerList::LayerList(const ByteStream& stream, std::string name, BadRows& bad) : bad_(bad) {
  network_.source = stream.name();
  network_.name = name.empty() ? network_name(stream.name()) : std::move(name);
}

bool LayerList::add(LayerSpec layer, const std::string& text, std::size_t line) {
  const auto known = place_of_.find(text);
  if (known != place_of_.end()) {
    auto& repeat = network_.layers[known->second].repeat;
    repeat = repeat.value_or(1) + 1;
    return true;
  }
  layer.place.source = network_.source;
  layer.place.where = std::to_string(line);
  layer.place.pointers = false;
  if (const auto failure = failure_of(layer)) {
    bad_.add(*failure);
    return false;
  }
  const std::string name = layer.name.value_or(std::string(info(layer.kind).name));
  const std::size_t same = named_[name]++;
  layer.name = same == 0 ? name : name + "_" + std::to_string(same + 1);
  place_of_.emplace(text, network_.layers.size());
  network_.layers.push_back(std::move(layer));
  return true;
}

LayerSpec* LayerList::find(const std::string& text) {
  const auto known = place_of_.find(text);
  return known == place_of_.end() ? nullptr : &network_.layers[known->second];
}

std::shared_ptr<const NetworkSpec> LayerList::network() && {
  if (network_.layers.empty()) throw InputError(network_.source, "", "expected a layer, got none");
  return std::make_shared<const NetworkSpec>(std::move(network_));
}

std::optional<std::uint64_t> whole_number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> items_in(std::string_view text) {
  std::vector<std::string_view> items;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    items.push_back(trimmed(text.substr(0, end)));
    if (end == text.size()) return items;
    text.remove_prefix(end + 1);
  }
}

LayerSpec product_layer(const std::vector<std::uint64_t>& sizes) {
  LayerSpec layer;
  layer.kind = LayerKind::matmul;
  layer.m = sizes[0];
  layer.n = sizes[1];
  layer.k = sizes[2];
  return layer;
}

}  // namespace roofline
