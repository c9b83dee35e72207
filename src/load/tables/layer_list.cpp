#include "load/tables/layer_list.hpp"

#include <charconv>
#include <utility>

#include "load/json_network.hpp"
#include "load/layer_check.hpp"

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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace roofline
