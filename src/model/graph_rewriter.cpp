#include <utility>

#include "model/as_run.hpp"
#include "model/text.hpp"

namespace roofline {

GraphRewriter::GraphRewriter(const Network& network) : old_(network), now_(network.layers.size()) {
  made_.name = network.name;
  made_.source = network.source;
  made_.batch = network.batch;
  made_.autocast = network.autocast;
  made_.is_pytorch_program = network.is_pytorch_program;
  made_.record = network.record;
  made_.item = network.item;
  made_.assumptions = network.assumptions;
  made_.recording = network.recording;
  made_.measured_parts_s = network.measured_parts_s;
  for (const Layer& layer : network.layers) names_.insert(layer.name);
}

Layer GraphRewriter::layer(std::size_t index) const {
  Layer layer = old_.layers[index];
  for (Operand& operand : layer.inputs)
    if (operand.producer) operand.producer = now_[*operand.producer];
  if (layer.fused_into) layer.fused_into = now_[*layer.fused_into];
  return layer;
}

DataType GraphRewriter::type_of(std::size_t now) const { return made_.layers[now].dtypes.output; }

std::size_t GraphRewriter::add(Layer layer) {
  made_.layers.push_back(std::move(layer));
  return made_.layers.size() - 1;
}

std::size_t GraphRewriter::insert(Layer layer, const std::string& of, const std::string& what) {
  const std::string name = std::string(without_copy(of)) + what;
  std::size_t& uses = uses_[name];
  do {
    ++uses;
    layer.name = uses == 1 ? name : name_of_copy(name, uses);
  } while (!names_.insert(layer.name).second);
  return add(std::move(layer));
}

void GraphRewriter::replace(std::size_t old, std::size_t now) { now_[old] = now; }

Network GraphRewriter::network() && { return std::move(made_); }

}  // namespace roofline
