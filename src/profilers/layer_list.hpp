#pragma once

// Layers out of a list of benchmarks or of a log: each stands alone, and one that comes again is
// counted.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "load/whole_input.hpp"
#include "roofline/spec.hpp"

namespace roofline {

class LayerList {
 public:
  /// `name`: of the list. Layers that the model refuses go to `bad`.
  LayerList(const ByteStream& stream, std::string name, BadRows& bad);

  /// `text`: what it was read from; the same text again is the same layer once more. `line`, from
  /// 1: where it stands. False where the model refuses it.
  bool add(LayerSpec layer, const std::string& text, std::size_t line);
  bool empty() const { return network_.layers.empty(); }
  /// The layer that this text gave; null for none.
  LayerSpec* find(const std::string& text);

  /// Throws InputError where there are no layers.
  std::shared_ptr<const NetworkSpec> network() &&;

 private:
  NetworkSpec network_;
  BadRows& bad_;
  std::map<std::string, std::size_t> place_of_;  ///< in the network's layers, by text
  std::map<std::string, std::size_t> named_;     ///< how many layers have a name
};

/// A whole number that makes up the text; none for any other text.
std::optional<std::uint64_t> whole_number_in(std::string_view text);
/// What commas separate, without blanks at both ends.
std::vector<std::string_view> items_in(std::string_view text);
/// A product of matrices by its m, n and k.
LayerSpec product_layer(const std::vector<std::uint64_t>& sizes);

}  // namespace roofline
