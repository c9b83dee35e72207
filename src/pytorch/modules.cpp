// Modules of a recording: which one an operator ran in, and what its layers are called.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pytorch/recording.hpp"

namespace roofline {
namespace {

/// By the index of a backward operator: where its forward operator began.
using ForwardPlaces = std::unordered_map<std::uint32_t, const BackwardLink*>;

ForwardPlaces forward_places(const Recording& recording, const WorkOrigins& origins) {
  ForwardPlaces places;
  for (const BackwardLink& link : recording.backward_links) {
    const std::uint32_t op =
        innermost_at(recording.operators, origins.callers, link.backward_thread, link.backward_us);
    if (op != no_index) places.emplace(op, &link);
  }
  return places;
}

/// The outermost operator that is in the same module: what the module calls.
std::uint32_t called_by_module(const std::vector<ModuleNames::Place>& places,
                               const WorkOrigins& origins, std::uint32_t op) {
  for (std::uint32_t caller = origins.callers[op];
       caller != no_index && places[caller].module == places[op].module;
       caller = origins.callers[caller])
    op = caller;
  return op;
}

}  // namespace

ModuleNames::ModuleNames(const Recording& recording, const WorkOrigins& origins)
    : recording_(recording) {
  if (recording.modules.empty()) return;
  std::vector<HostRange> modules = recording.modules;
  sort_ranges(modules);
  const std::vector<std::uint32_t> outer = find_callers(modules);
  for (const std::uint32_t module : outer)
    if (module != no_index) of_several_.insert(modules[module].name);
  const auto module_at = [&](std::uint32_t thread, double time_us) {
    const std::uint32_t module = innermost_at(modules, outer, thread, time_us);
    return module == no_index ? TextPool::empty : modules[module].name;
  };

  const ForwardPlaces forward = forward_places(recording, origins);
  places_.resize(recording.operators.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    const HostRange& op = recording.operators[i];
    places_[i] = {module_at(op.thread, op.start_us), false};
    if (places_[i].module != TextPool::empty) continue;
    if (const auto link = forward.find(i); link != forward.end())
      places_[i] = {module_at(link->second->forward_thread, link->second->forward_us), true};
    else if (const std::uint32_t caller = origins.callers[i]; caller != no_index)
      places_[i] = places_[caller];  // callers come first
  }

  std::set<std::pair<TextId, TextId>> calls;  // module, operator
  std::unordered_map<TextId, std::size_t> count;
  for (const WorkOrigin& origin : origins.of_activities) {
    const std::uint32_t op = origin.operator_index;
    if (op == no_index || places_[op].module == TextPool::empty || places_[op].is_backward)
      continue;
    const std::uint32_t called = called_by_module(places_, origins, op);
    if (calls.emplace(places_[op].module, recording.operators[called].name).second &&
        ++count[places_[op].module] > 1)
      of_several_.insert(places_[op].module);
  }
}

std::string ModuleNames::name_of(Place place, const LayerSpec& layer) const {
  const std::string& module = recording_.texts.at(place.module);
  // What a backward pass adds beside gradients, such as sums for a bias, is no second layer.
  const bool is_other = place.is_backward && *layer.pass == Pass::fwd;
  const bool is_copy = layer.kind == LayerKind::copy;
  if (!of_several_.contains(place.module) && !is_other && !is_copy) return module;
  return module + "." + layer.name->substr(0, layer.name->find(' '));
}

}  // namespace roofline
