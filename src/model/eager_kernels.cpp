#include <utility>
#include <vector>

#include "model/as_run.hpp"

namespace roofline {
namespace {

bool convolves(const Layer& layer) {
  return layer.kind == LayerKind::conv || layer.kind == LayerKind::conv_transpose;
}

/// A kernel of one type whose operands nobody has to learn or to load.
Layer kernel(LayerKind kind, std::vector<Operand> inputs, const Shape& output, DataType type) {
  Layer layer;
  layer.kind = kind;
  layer.dtypes = {type, type, type};
  layer.inputs = std::move(inputs);
  layer.output = output;
  layer.shared_weights = true;
  layer.is_inserted = true;
  return layer;
}

Layer in_training(Layer layer) {
  layer.training_only = true;
  return layer;
}

/// A number a channel, in a tensor of as many axes.
Shape per_channel(const Layer& layer) {
  Shape shape = layer.output;
  shape.batch = 1;
  shape.spatial = {1, 1, 1};
  return shape;
}

Layer bias_kernel(const Layer& convolution, std::size_t at) {
  Layer layer =
      kernel(LayerKind::add,
             {{convolution.output, at, false}, {per_channel(convolution), std::nullopt, true}},
             convolution.output, convolution.dtypes.output);
  layer.layout = convolution.layout;
  layer.training_only = convolution.training_only;
  return layer;
}

Layer bias_gradient(const Layer& layer) {
  Layer sum = in_training(kernel(LayerKind::reduce, {{layer.output, std::nullopt, false}},
                                 per_channel(layer), layer.dtypes.output));
  sum.layout = layer.layout;
  return sum;
}

Layer gradient_sum(const Layer& layer) {
  const Operand gradient{layer.output, std::nullopt, false};
  return in_training(
      kernel(LayerKind::add, {gradient, gradient}, layer.output, layer.dtypes.output));
}

Layer counter() {
  return in_training(
      kernel(LayerKind::elementwise, {{Shape(), std::nullopt, false}}, Shape(), DataType::fp32));
}

}  // namespace

Network with_eager_kernels(const Network& network) {
  GraphRewriter rewriter(network);
  const std::vector<std::size_t> readers = reader_counts(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer layer = rewriter.layer(i);
    std::size_t last = rewriter.add(layer);
    if (layer.pass == Pass::fwd && !layer.fused_into && !network.record) {
      if (layer.bias && convolves(layer))
        last = rewriter.insert(bias_kernel(layer, last), layer.name, ".bias");
      if (layer.bias) rewriter.insert(bias_gradient(layer), layer.name, ".bias gradient");
      if (layer.kind == LayerKind::batch_norm) rewriter.insert(counter(), layer.name, ".counter");
      for (std::size_t reader = 1; reader < readers[i]; ++reader)
        rewriter.insert(gradient_sum(layer), layer.name, ".gradient sum");
    }
    rewriter.replace(i, last);
  }
  return std::move(rewriter).network();
}

}  // namespace roofline
