#pragma once

// A network made anew, with layers between those of the one that was loaded.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "roofline/network.hpp"

namespace roofline {

/// Takes the layers of a network in order and whatever goes between them. Operands that name a
/// layer find it where it now is.
class GraphRewriter {
 public:
  /// Everything of the network but its layers.
  explicit GraphRewriter(const Network& network);

  /// Layer `index` of the old network as it now is, before it is added.
  Layer layer(std::size_t index) const;
  /// What the layer of that index, as it now is, writes.
  DataType type_of(std::size_t now) const;
  /// Adds such a layer. Returns its index.
  std::size_t add(Layer layer);
  /// Adds a layer that the old network does not have, called `what` of the layer `of`:
  /// "conv1.bias", or if that is taken "conv1.bias#2".
  std::size_t insert(Layer layer, const std::string& of, const std::string& what);
  /// Who reads the old layer's output reads that of the new layer `now` from here on.
  void replace(std::size_t old, std::size_t now);

  Network network() &&;

 private:
  const Network& old_;
  Network made_;
  std::vector<std::size_t> now_;             ///< for each old layer
  std::set<std::string> names_;              ///< taken
  std::map<std::string, std::size_t> uses_;  ///< of the name of an inserted layer
};

}  // namespace roofline
