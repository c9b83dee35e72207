// ONNX models as an input format.

#include <utility>

#include "load/network_reader.hpp"
#include "onnx/builder.hpp"
#include "onnx/emitter.hpp"
#include "onnx/model.hpp"

namespace roofline::onnx_graph {

Item read_onnx(ByteStream& stream) {
  return {[model = read_model(stream)](const LayerDefaults& defaults) {
    const Dimensions dimensions(*model, defaults);
    Graph graph = build_graph(*model, dimensions);
    std::string wrong;
    std::optional<NetworkSpec> program;
    if (defaults.as_pytorch_runs) program = network_as_pytorch_runs(*model, graph, defaults, wrong);
    if (!program) simplify(graph, model->source);
    auto network = std::make_shared<NetworkSpec>(
        program ? *std::move(program)
                : Emitter(*model, defaults).network(graph, dimensions.batch()));
    if (network->is_pytorch_program) {
      network->batch = dimensions.batch();
      network->assumptions.insert(network->assumptions.begin(), graph.notes.begin(),
                                  graph.notes.end());
    } else if (defaults.as_pytorch_runs) {
      network->assumptions.push_back(
          "ONNX does not say which operators PyTorch runs, such as batch norms that are folded "
          "into "
          "convolutions" +
          (wrong.empty() ? "" : " (" + wrong + ")") +
          "; torch.export.save(torch.export.export(model, (x,)), \"model.pt2\") does");
    }
    network->name = network_name(model->source);
    network->has_dimensions = true;
    return network;
  }};
}

}  // namespace roofline::onnx_graph
