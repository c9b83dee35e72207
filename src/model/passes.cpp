#include "model/passes.hpp"

#include "roofline/counts.hpp"

namespace roofline {

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
  if (index > 0 || network.layers.size() == 1) add(Pass::dgrad);
  add(Pass::wgrad);
  return passes;
}

}  // namespace roofline
