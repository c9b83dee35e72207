#include "model/bias_kernels.hpp"

#include <utility>

#include "model/rewriting.hpp"

namespace roofline {
namespace {

bool adds_bias(const Layer& layer) {
  const bool convolves = layer.kind == LayerKind::conv || layer.kind == LayerKind::conv_transpose;
  return convolves && layer.bias && layer.pass == Pass::fwd && !layer.fused_into;
}

/// The parameters are the convolution's.
Layer bias_kernel(const Layer& convolution, std::size_t at) {
  Layer layer;
  layer.kind = LayerKind::add;
  const DataType type = convolution.dtypes.output;
  layer.dtypes = {type, type, type};
  Shape bias = convolution.output;
  bias.batch = 1;
  bias.spatial = {1, 1, 1};
  layer.inputs = {{convolution.output, at, false}, {bias, std::nullopt, true}};
  layer.output = convolution.output;
  layer.layout = convolution.layout;
  layer.training_only = convolution.training_only;
  layer.shared_weights = true;
  return layer;
}

}  // namespace

Network with_bias_kernels(const Network& network) {
  Rewriting rewriting(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& old = network.layers[i];
    std::size_t last = rewriting.add(rewriting.layer(i));
    if (adds_bias(old)) last = rewriting.insert(bias_kernel(old, last), old.name, ".bias");
    rewriting.replace(i, last);
  }
  return std::move(rewriting).network();
}

}  // namespace roofline
