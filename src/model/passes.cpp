#include "model/passes.hpp"

#include "model/autocast.hpp"
#include "roofline/counts.hpp"

namespace roofline {

namespace {

/// Of the network itself, behind what autocast casts for it.
std::size_t first_layer(const Network& network) {
  std::size_t first = 0;
  while (casts_given(network, network.layers[first])) ++first;
  return first;
}

}  // namespace

std::vector<Pass> passes_of(const Network& network, std::size_t index, bool training) {
  const Layer& layer = network.layers[index];
  std::vector<Pass> passes;
  const auto add = [&](Pass pass) {
    if (runs(layer, pass)) passes.push_back(pass);
  };
  if (!training) {
    // A record is of no network whose inference could leave it out.
    if (!layer.training_only || network.record) add(layer.pass);
    return passes;
  }
  add(Pass::fwd);
  if (layer.of_run) return passes;
  const bool has_gradient = casts_given(network, layer)
                                ? casts_weights(network, layer)
                                : index > first_layer(network) || network.layers.size() == 1;
  if (has_gradient) add(Pass::dgrad);
  add(Pass::wgrad);
  return passes;
}

}  // namespace roofline
