// ONNX models as an input format.

#include <utility>

#include "load/network_reader.hpp"
#include "onnx/builder.hpp"
#include "onnx/emitter.hpp"
#include "onnx/model.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

using onnx_graph::Model;

std::shared_ptr<const NetworkSpec> read_network(const Model& model, const LayerDefaults& defaults) {
  const onnx_graph::Dimensions dimensions(model, defaults);
  onnx_graph::Graph graph = onnx_graph::build_graph(model, dimensions);
  onnx_graph::simplify(graph, model.source);
  auto network = std::make_shared<NetworkSpec>(
      onnx_graph::Emitter(model, defaults).network(graph, dimensions.batch()));
  network->name = network_name(model.source);
  network->has_dimensions = true;
  return network;
}

/// One model, read whole at the first call.
class OnnxReader : public Reader {
 public:
  explicit OnnxReader(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}

  std::optional<Expected<Item>> next() override {
    if (!stream_) return std::nullopt;
    const std::unique_ptr<ByteStream> stream = std::move(stream_);
    try {
      const std::shared_ptr<const Model> model = onnx_graph::read_model(*stream);
      return Item{
          [model](const LayerDefaults& defaults) { return read_network(*model, defaults); }};
    } catch (const InputError& error) {
      return error;
    }
  }

 private:
  std::unique_ptr<ByteStream> stream_;
};

}  // namespace

std::unique_ptr<Reader> onnx_graph::open_model(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<OnnxReader>(std::move(stream));
}

}  // namespace roofline
