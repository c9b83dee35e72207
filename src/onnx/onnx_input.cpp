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
    simplify(graph, model->source);
    auto network =
        std::make_shared<NetworkSpec>(Emitter(*model, defaults).network(graph, dimensions.batch()));
    network->name = network_name(model->source);
    network->has_dimensions = true;
    return network;
  }};
}

}  // namespace roofline::onnx_graph
