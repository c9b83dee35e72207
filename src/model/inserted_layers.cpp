// Layers inserted for a run: autocast's casts, and PyTorch's additional kernels.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/as_run.hpp"
#include "model/layer_kind.hpp"
#include "model/sizes.hpp"
#include "model/text.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// Copies a network in order with new layers in between, and updates the operands' producers.
class GraphRewriter {
 public:
  explicit GraphRewriter(Network network)
      : old_(std::move(network.layers)), made_(std::move(network)), now_(old_.size()) {
    made_.layers.clear();
    for (const Layer& layer : old_) unique_name_(layer.name);
  }

  const std::vector<Layer>& old_layers() const { return old_; }
  const Network& made() const { return made_; }

  /// Layer `index` of the old network with updated references, before it is added.
  Layer layer(std::size_t index) const {
    Layer layer = old_[index];
    for (Operand& operand : layer.inputs)
      if (operand.producer) operand.producer = now_[*operand.producer];
    if (layer.fused_into) layer.fused_into = now_[*layer.fused_into];
    return layer;
  }

  /// Returns the index.
  std::size_t add(Layer layer) {
    made_.layers.push_back(std::move(layer));
    return made_.layers.size() - 1;
  }

  /// Adds a new layer named `of` + `what`: "conv1.bias", or "conv1.bias#2" if the name is taken.
  std::size_t insert(Layer layer, const std::string& of, const std::string& what) {
    layer.name = unique_name_(std::string(without_copy(of)) + what);
    return add(std::move(layer));
  }

  /// Later readers of the old layer's output read the new layer `now`.
  void replace(std::size_t old, std::size_t now) { now_[old] = now; }

  Network network() && { return std::move(made_); }

 private:
  std::vector<Layer> old_;
  Network made_;
  std::vector<std::size_t> now_;  ///< new index of each old layer
  UniqueNames unique_name_;
};

AutocastPolicy policy_of(const Layer& layer) {
  const AutocastPolicy policy = info(layer.kind).autocast;
  const bool is_fp32 = layer.fp32_under_autocast && policy != AutocastPolicy::half;
  return is_fp32 ? AutocastPolicy::fp32 : policy;
}

bool is_fp32(const DataTypes& types) {
  return types.input == DataType::fp32 && types.weight == DataType::fp32 &&
         types.output == DataType::fp32;
}

/// A vector, or a whole tensor as one.
Shape flat(std::uint64_t elements) { return {.channels = elements}; }

Layer cast(const Operand& operand, DataType from, DataType to) {
  Layer layer;
  layer.kind = LayerKind::copy;
  layer.dtypes = {from, from, to};
  layer.inputs = {operand};
  layer.output = operand.shape;
  return layer;
}

/// The weights count as another layer's.
Layer weight_cast(std::uint64_t elements, DataType to) {
  Layer layer = cast({flat(elements)}, DataType::fp32, to);
  layer.shared_weights = true;
  return layer;
}

std::uint64_t params_of(const Network& network) {
  std::uint64_t params = 0;
  for (const Layer& layer : network.layers) params = checked_add(params, count(layer).params);
  return params;
}

class Autocast {
 public:
  Autocast(Network network, DataType half) : half_(half), rewriter_(std::move(network)) {}

  Network network() && {
    for (std::size_t i = 0; i < rewriter_.old_layers().size(); ++i)
      rewriter_.replace(i,
                        rewriter_.add(cast_layer(rewriter_.old_layers()[i], rewriter_.layer(i))));
    return std::move(rewriter_).network();
  }

 private:
  /// Adds casts and returns the layer in its type. `now`: the layer with updated producers.
  Layer cast_layer(const Layer& old, Layer now) {
    if (!is_fp32(old.dtypes)) return now;
    const AutocastPolicy policy = policy_of(old);
    if (policy == AutocastPolicy::widest) {
      now.dtypes.input = now.dtypes.output = widest_operand(old, now);
      return now;
    }
    const DataType type = policy == AutocastPolicy::half ? half_ : DataType::fp32;
    now.dtypes = {type, type, type};
    if (rewriter_.made().record) return now;
    for (Operand& operand : now.inputs) cast_operand(old, operand, type);
    if (policy == AutocastPolicy::half) cast_weights(old);
    return now;
  }

  DataType type_of(const Operand& operand) const {
    return operand.producer ? rewriter_.made().layers[*operand.producer].dtypes.output
                            : DataType::fp32;
  }

  /// fp32 parameters make an fp32 result, except a norm's.
  DataType widest_operand(const Layer& old, const Layer& now) const {
    if (rewriter_.made().record) return half_;
    if (info(old.kind).family == KindFamily::lookup) return DataType::fp32;
    for (const Operand& operand : now.inputs)
      if (!operand.type && type_of(operand) == DataType::fp32) return DataType::fp32;
    return half_;
  }

  void cast_operand(const Layer& old, Operand& operand, DataType type) {
    const DataType from = type_of(operand);
    if (operand.is_parameter || operand.type || from == type) return;
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
    return count(owner).params;
  }

  static std::string named(const char* what, DataType type) {
    return what + (" to " + std::string(name_of(type)));
  }

  DataType half_;
  GraphRewriter rewriter_;
};

/// A kernel in one type without own weights.
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

/// One number per channel, with the output's number of axes.
Shape per_channel(const Layer& layer) {
  return {1, layer.output.channels, {1, 1, 1}, layer.output.spatial_rank};
}

Layer bias_kernel(const Layer& convolution, std::size_t at) {
  Layer layer = kernel(LayerKind::add,
                       {{convolution.output, at}, {per_channel(convolution), std::nullopt, true}},
                       convolution.output, convolution.dtypes.output);
  layer.layout = convolution.layout;
  layer.training_only = convolution.training_only;
  return layer;
}

Layer bias_gradient(const Layer& layer) {
  Layer sum = in_training(
      kernel(LayerKind::reduce, {{layer.output}}, per_channel(layer), layer.dtypes.output));
  sum.layout = layer.layout;
  return sum;
}

/// Numbers of output gradients with a layout unlike the output's: repeats, parts of larger ones.
std::vector<std::size_t> gradients_apart(const Network& network) {
  std::vector<std::size_t> apart(network.layers.size());
  for (const Layer& layer : network.layers) {
    using enum LayerKind;
    if (layer.kind != concat && layer.kind != global_avg_pool && layer.kind != reduce) continue;
    for (const Operand& operand : layer.inputs)
      if (operand.producer) ++apart[*operand.producer];
  }
  return apart;
}

Layer gradient_kernel(LayerKind kind, const Layer& layer, std::size_t operands) {
  const Operand gradient{layer.output};
  return in_training(
      kernel(kind, std::vector<Operand>(operands, gradient), layer.output, layer.dtypes.output));
}

/// A repeated operand's gradient is summed; a factor's gradient after a product.
void add_repeated_gradients(const Layer& layer, GraphRewriter& rewriter) {
  if (info(layer.kind).family != KindFamily::combine || layer.kind == LayerKind::concat) return;
  const bool scales = layer.kind == LayerKind::mul || layer.kind == LayerKind::div;
  for (const Operand& operand : layer.inputs) {
    if (operand.shape == layer.output || !(operand.producer || operand.is_parameter)) continue;
    if (scales)
      rewriter.insert(gradient_kernel(LayerKind::mul, layer, 2), layer.name, ".factor gradient");
    Layer sum = gradient_kernel(LayerKind::reduce, layer, 1);
    sum.output = operand.shape;
    sum.layout = layer.layout;
    rewriter.insert(std::move(sum), layer.name, ".sum of gradients");
  }
}

/// What training does to numbers that it keeps: gradients by the loss' scale, a counter of batches.
Layer update_of(std::uint64_t numbers) {
  return in_training(
      kernel(LayerKind::elementwise, {{flat(numbers)}}, flat(numbers), DataType::fp32));
}

/// `apart`: the number of gradients with another layout (gradients_apart).
void add_training_kernels(const Layer& layer, std::size_t readers, std::size_t apart,
                          GraphRewriter& rewriter) {
  if (layer.bias) rewriter.insert(bias_gradient(layer), layer.name, ".bias gradient");
  if (layer.kind == LayerKind::batch_norm) rewriter.insert(update_of(1), layer.name, ".counter");
  // An overwritten input is copied first if its gradient needs it.
  if (layer.in_place && layer.kind != LayerKind::elementwise &&
      info(layer.kind).saved == Saved::input)
    rewriter.insert(gradient_kernel(LayerKind::copy, layer, 1), layer.name, ".input kept");
  add_repeated_gradients(layer, rewriter);
  for (std::size_t reader = 1; reader < readers; ++reader) {
    Layer sum = gradient_kernel(LayerKind::add, layer, 2);
    if (reader <= apart) sum.access = Access::strided;
    rewriter.insert(std::move(sum), layer.name, ".gradient sum");
  }
}

}  // namespace

Network with_eager_kernels(Network network) {
  const std::vector<std::size_t> readers = reader_counts(network);
  const std::vector<std::size_t> apart = gradients_apart(network);
  GraphRewriter rewriter(std::move(network));
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const Layer layer = rewriter.layer(i);
    std::size_t last = rewriter.add(layer);
    if (layer.pass == Pass::fwd && !layer.fused_into && !rewriter.made().record) {
      if (layer.bias && is_convolution(layer.kind))
        last = rewriter.insert(bias_kernel(layer, last), layer.name, ".bias");
      if (!layer.states_pass) add_training_kernels(layer, readers[i], apart[i], rewriter);
    }
    rewriter.replace(i, last);
  }
  return std::move(rewriter).network();
}

Network autocast(Network network, DataType how) {
  Network cast = Autocast(std::move(network), *autocast_type(how)).network();
  cast.autocast = how;
  return with_unscaling(std::move(cast));
}

Network with_unscaling(Network network) {
  const std::uint64_t params = network.record ? 0 : params_of(network);
  if (network.autocast != DataType::amp || params == 0) return network;
  GraphRewriter rewriter(std::move(network));
  for (std::size_t i = 0; i < rewriter.old_layers().size(); ++i)
    rewriter.replace(i, rewriter.add(rewriter.layer(i)));
  rewriter.insert(update_of(params), "gradients", ".unscale");
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
