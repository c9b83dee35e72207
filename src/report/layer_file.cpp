// Networks as layer files: every layer explicit, so that reading the file gives the same network.

#include <algorithm>
#include <utility>

#include "report/stated.hpp"
#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

/// The layer as its network's file states it: what goes without saying there is left out.
LayerSpec stated_in(const Network& network, const Layer& layer) {
  LayerSpec spec = stated(layer);
  const std::vector<OperandSpec*> operands = operands_of(spec);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!layer.inputs[i].producer) continue;
    const Layer& producer = network.layers[*layer.inputs[i].producer];
    operands[i]->layer = producer.name;
    // All of an earlier layer's output is its name, a part or another shape of it a view. A GEMM
    // states its sizes, whatever they come from.
    if (producer.output == layer.inputs[i].shape && layer.kind != LayerKind::matmul)
      operands[i]->sizes.clear();
  }
  if (spec.dtypes.input == network.layers.front().dtypes.input && !spec.dtypes.output)
    spec.dtypes.input.reset();
  if (spec.pass == Pass::fwd) spec.pass.reset();
  return spec;
}

}  // namespace

std::string render_layer_file(const Network& network) {
  std::string out = "{\"name\": ";
  JsonWriter(out, false).value(network.name);
  out += ",\n \"dtype\": \"" + std::string(name_of(network.layers.front().dtypes.input)) + '"';
  const std::uint64_t batch = network.layers.front().output.batch;
  if (std::all_of(network.layers.begin(), network.layers.end(),
                  [&](const Layer& layer) { return layer.output.batch % batch == 0; }))
    out += ",\n \"batch\": " + std::to_string(batch);
  out += ",\n \"layers\": [";
  bool first = true;
  for (const Layer& layer : network.layers) {
    if (layer.of_run) continue;
    out += std::exchange(first, false) ? "\n  " : ",\n  ";
    JsonWriter writer(out, false);
    write_layer(writer, stated_in(network, layer));
  }
  return out + "\n]}\n";
}

}  // namespace roofline
