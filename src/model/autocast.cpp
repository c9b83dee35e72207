#include <string>
#include <utility>

#include "model/as_run.hpp"
#include "model/sizes.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

enum class Policy : std::uint8_t { half, fp32, widest };

Policy policy_of(LayerKind kind) {
  const KindFamily family = info(kind).family;
  if (family == KindFamily::contraction || family == KindFamily::attention) return Policy::half;
  switch (kind) {
    case LayerKind::prelu: return Policy::half;
    case LayerKind::softmax:
    case LayerKind::layer_norm:
    case LayerKind::rms_norm:
    case LayerKind::group_norm:
    case LayerKind::local_response_norm: return Policy::fp32;
    default: return Policy::widest;
  }
}

bool is_fp32(const DataTypes& types) {
  return types.input == DataType::fp32 && types.weight == DataType::fp32 &&
         types.output == DataType::fp32;
}

/// A vector or, as one, a whole tensor.
Shape flat(std::uint64_t elements) {
  Shape shape;
  shape.channels = elements;
  return shape;
}

Layer cast(const Operand& operand, DataType from, DataType to) {
  Layer layer;
  layer.kind = LayerKind::copy;
  layer.dtypes = {from, from, to};
  layer.inputs = {operand};
  layer.output = operand.shape;
  return layer;
}

/// The cast of weights, which count as another layer's.
Layer weight_cast(std::uint64_t elements, DataType to) {
  Layer layer = cast({flat(elements), std::nullopt, false}, DataType::fp32, to);
  layer.shared_weights = true;
  return layer;
}

std::uint64_t params_of(const Network& network) {
  std::uint64_t params = 0;
  for (const Layer& layer : network.layers) params = checked_add(params, count(layer).params);
  return params;
}

/// Divides the gradients of so many weights by the scale of the loss.
Layer unscaling(std::uint64_t params) {
  Layer layer;
  layer.kind = LayerKind::elementwise;
  layer.inputs = {{flat(params), std::nullopt, false}};
  layer.output = flat(params);
  layer.training_only = true;
  layer.shared_weights = true;
  layer.is_inserted = true;
  return layer;
}

class Autocast {
 public:
  Autocast(const Network& network, DataType half)
      : network_(network), half_(half), rewriter_(network) {}

  Network network() && {
    for (std::size_t i = 0; i < network_.layers.size(); ++i)
      rewriter_.replace(i, rewriter_.add(cast_layer(network_.layers[i], rewriter_.layer(i))));
    return std::move(rewriter_).network();
  }

 private:
  /// The layer in its type, `now` with its producers where they are; casts before it are added.
  Layer cast_layer(const Layer& old, Layer now) {
    if (!is_fp32(old.dtypes)) return now;
    const Policy policy = policy_of(old.kind);
    if (policy == Policy::widest) {
      now.dtypes.input = now.dtypes.output = widest_operand(old, now);
      return now;
    }
    const DataType type = policy == Policy::half ? half_ : DataType::fp32;
    now.dtypes = {type, type, type};
    if (network_.record) return now;
    for (Operand& operand : now.inputs) cast_operand(old, operand, type);
    if (policy == Policy::half) cast_weights(old);
    return now;
  }

  DataType type_of(const Operand& operand) const {
    return operand.producer ? rewriter_.type_of(*operand.producer) : DataType::fp32;
  }

  /// Parameters in fp32 make a result in fp32; those of a norm do not.
  DataType widest_operand(const Layer& old, const Layer& now) const {
    if (network_.record) return half_;
    if (info(old.kind).family == KindFamily::lookup) return DataType::fp32;
    for (const Operand& operand : now.inputs)
      if (type_of(operand) == DataType::fp32) return DataType::fp32;
    return half_;
  }

  void cast_operand(const Layer& old, Operand& operand, DataType type) {
    const DataType from = type_of(operand);
    if (operand.is_parameter || from == type) return;
    operand.producer = rewriter_.insert(cast(operand, from, type), old.name, named(".input", type));
  }

  void cast_weights(const Layer& old) {
    const std::uint64_t bias = old.bias ? old.output.channels : 0;
    const std::uint64_t all = own_params(old);
    if (all == 0) return;
    rewriter_.insert(weight_cast(all - bias, half_), old.name, named(".weight", half_));
    if (bias > 0) rewriter_.insert(weight_cast(bias, half_), old.name, named(".bias", half_));
  }

  static std::uint64_t own_params(const Layer& layer) {
    Layer owner = layer;
    owner.shared_weights = false;
    return layer.kind == LayerKind::matmul ? 0 : count(owner).params;
  }

  static std::string named(const char* what, DataType type) {
    return what + (" to " + std::string(name_of(type)));
  }

  const Network& network_;
  DataType half_;
  GraphRewriter rewriter_;
};

}  // namespace

Network autocast(const Network& network, DataType how) {
  Network cast = Autocast(network, *autocast_type(how)).network();
  cast.autocast = how;
  return with_unscaling(cast);
}

Network with_unscaling(const Network& network) {
  const std::uint64_t params = network.record ? 0 : params_of(network);
  if (network.autocast != DataType::amp || params == 0) return network;
  GraphRewriter rewriter(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    rewriter.replace(i, rewriter.add(rewriter.layer(i)));
  rewriter.insert(unscaling(params), "gradients", ".unscale");
  return std::move(rewriter).network();
}

bool casts_given(const Network& network, const Layer& layer) {
  return network.autocast && layer.kind == LayerKind::copy &&
         layer.dtypes.input != layer.dtypes.output && !layer.inputs.front().producer;
}

bool casts_weights(const Network& network, const Layer& layer) {
  return casts_given(network, layer) && layer.shared_weights;
}

}  // namespace roofline
