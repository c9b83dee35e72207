#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/as_run.hpp"
#include "model/layer_kind.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// The reader of each layer's output, if there is exactly one.
std::vector<std::optional<std::size_t>> only_readers(const Network& network) {
  const std::vector<std::size_t> counts = reader_counts(network);
  std::vector<std::optional<std::size_t>> only(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (const Operand& operand : network.layers[i].inputs)
      if (operand.producer && counts[*operand.producer] == 1) only[*operand.producer] = i;
  return only;
}

/// By one number, not by a tensor as large as the scores.
bool scales(const Layer& layer) {
  const bool multiplies =
      is_any(layer.kind, LayerKind::mul, LayerKind::div, LayerKind::elementwise);
  return multiplies && std::ranges::count_if(layer.inputs, [](const Operand& operand) {
                         return elements(operand.shape) != 1;
                       }) <= 1;
}

/// The layers of an attention after its first product, in order; empty if there is no attention.
std::vector<std::size_t> rest_of_attention(std::size_t product, const Network& network,
                                           const std::vector<std::optional<std::size_t>>& readers) {
  std::vector<std::size_t> rest;
  bool weighs = false;  // the softmax is behind
  for (std::size_t at = product;;) {
    const auto next = readers[at];
    if (!next || network.layers[*next].pass != Pass::fwd) return {};
    const LayerKind kind = network.layers[*next].kind;
    const bool is_first = network.layers[*next].inputs.front().producer == at;
    if (kind == LayerKind::matmul && !is_first) return {};
    rest.push_back(*next);
    at = *next;
    if (weighs && kind == LayerKind::matmul) return rest;
    if (info(kind).family == KindFamily::free) continue;
    if (weighs || !(scales(network.layers[*next]) || kind == LayerKind::softmax)) return {};
    weighs = kind == LayerKind::softmax;
  }
}

/// Shape [products, 1 head, length, features].
Operand heads(std::uint64_t products, std::uint64_t length, std::uint64_t features) {
  return {{products, features, {1, 1, length}, 2}};
}

void make_attention(Network& network, std::size_t product, const std::vector<std::size_t>& rest) {
  Layer& host = network.layers[product];
  const Layer& last = network.layers[rest.back()];
  const Shape scores = host.output;  // one column per key
  const std::uint64_t queries = scores.spatial[2];
  Operand query = heads(scores.batch, queries, host.inputs.front().shape.channels);
  query.producer = host.inputs.front().producer;
  const auto second = [&](const Layer& layer, std::uint64_t features) {
    Operand operand = heads(layer.inputs[1].shape.batch, scores.channels, features);
    const auto producer = layer.inputs[1].producer;
    if (producer && *producer < product) operand.producer = producer;
    return operand;
  };
  host.inputs = {query, second(host, query.shape.channels), second(last, last.output.channels)};
  host.kind = LayerKind::attention;
  host.mapping = {};
  host.output = query.shape;
  host.output.channels = last.output.channels;
  for (const std::size_t i : rest) {
    network.layers[i].fused_into = product;
    network.layers[i].is_inserted = true;  // the attention stands for them
  }
}

/// Joins the layers of an exported attention: a product of queries and keys, scaled or not; its
/// softmax; the product with the values. The first product becomes the attention and the others are
/// fused into it, unless another layer reads a tensor in between. Scores with an added tensor (the
/// position bias of windows) stay separate, as models run them.
void fuse_attention(Network& network) {
  const auto readers = only_readers(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.kind != LayerKind::matmul || layer.pass != Pass::fwd || layer.fused_into) continue;
    const std::vector<std::size_t> rest = rest_of_attention(i, network, readers);
    if (!rest.empty()) make_attention(network, i, rest);
  }
}

bool may_host(const Layer& layer) {
  return info(layer.kind).fused == Fused::joined ||
         info(layer.kind).family == KindFamily::contraction;
}

struct Fusion {
  explicit Fusion(const Network& network)
      : readers(reader_counts(network, false)), host(network.layers.size()) {
    for (std::size_t i = 0; i < network.layers.size(); ++i)
      if (may_host(network.layers[i])) host[i] = i;
  }

  std::vector<std::size_t> readers;
  std::vector<std::optional<std::size_t>> host;
};

/// An operand of the host's result: the layer after it may see both in another shape.
Operand as_seen_by(const Layer& host, Operand operand) {
  if (elements(operand.shape) == elements(host.output)) operand.shape = host.output;
  return operand;
}

/// The operand which can host the layer: the one computed last, so the others exist by then.
std::optional<std::size_t> fusable_operand(const Network& network, const Layer& layer,
                                           const Fusion& fusion) {
  std::optional<std::size_t> best;
  std::size_t best_host = 0;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const std::optional<std::size_t> producer = layer.inputs[i].producer;
    if (!producer || !fusion.host[*producer] || fusion.readers[*producer] != 1) continue;
    const std::size_t host = *fusion.host[*producer];
    if (elements(network.layers[host].output) != elements(layer.output)) continue;
    if (!best || host > best_host) {
      best = i;
      best_host = host;
    }
  }
  return best;
}

/// The layer whose kernel writes the last part of a concatenation, if nothing else reads the parts.
std::optional<std::size_t> last_writer(const Layer& layer, const Fusion& fusion) {
  std::size_t last = 0;
  for (const Operand& operand : layer.inputs) {
    if (!operand.producer || fusion.readers[*operand.producer] != 1) return std::nullopt;
    last = std::max(last, fusion.host[*operand.producer].value_or(*operand.producer));
  }
  return last;
}

void fuse_epilogues(Network& network) {
  Fusion fusion(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    if (layer.kind == LayerKind::concat) layer.fused_into = last_writer(layer, fusion);
    if (layer.kind == LayerKind::max_pool || layer.kind == LayerKind::avg_pool)
      layer.kernels = KernelSource::compiler;
    if (info(layer.kind).fused == Fused::alone || layer.training_only) continue;
    // Chains outside contractions run in one compiled kernel.
    layer.kernels = KernelSource::compiler;
    const std::optional<std::size_t> operand = fusable_operand(network, layer, fusion);
    if (!operand) continue;
    const std::size_t host_index = *fusion.host[*layer.inputs[*operand].producer];
    Layer& host = network.layers[host_index];
    for (std::size_t j = 0; j < layer.inputs.size(); ++j)
      if (j != *operand) host.inputs.push_back(as_seen_by(host, layer.inputs[j]));
    host.fused_input_count += layer.inputs.size() - 1;
    host.folded_norm = host.folded_norm || layer.kind == LayerKind::batch_norm;
    layer.fused_into = host_index;
    fusion.host[i] = host_index;
  }
}

/// The network's first layer after autocast's casts.
std::size_t first_layer(const Network& network) {
  std::size_t first = 0;
  while (casts_given(network, network.layers[first])) ++first;
  return first;
}

}  // namespace

std::vector<std::size_t> reader_counts(const Network& network, bool in_training) {
  std::vector<std::size_t> readers(network.layers.size());
  for (const Layer& layer : network.layers)
    if (in_training || !layer.training_only)
      for (const Operand& operand : layer.inputs)
        if (operand.producer) ++readers[*operand.producer];
  return readers;
}

Network as_run(Network network, const AnalysisOptions& options) {
  if (network.states_all_kernels) return network;
  // A program with fused attention has it as one operator.
  const bool runs_as_stated =
      network.runs_as == RunsAs::pytorch_program && options.fusion != FusionKind::epilogue;
  if (options.fused_attention && !runs_as_stated) fuse_attention(network);
  switch (options.fusion) {
    case FusionKind::none: break;
    case FusionKind::epilogue: fuse_epilogues(network); break;
    case FusionKind::pointwise:
      fuse_compiled(network, options.framework == Framework::torch_compile);
      break;
    case FusionKind::eager: return with_eager_kernels(std::move(network));
  }
  return network;
}

std::vector<Pass> passes_of(const Network& network, std::size_t index, bool training) {
  const Layer& layer = network.layers[index];
  std::vector<Pass> passes;
  const auto add = [&](Pass pass) {
    if (runs(layer, pass)) passes.push_back(pass);
  };
  if (!training || layer.states_pass) {
    if (training || !layer.training_only) add(layer.pass);
    return passes;
  }
  add(Pass::fwd);
  if (layer.is_inserted) return passes;
  const bool has_gradient = casts_given(network, layer)
                                ? casts_weights(network, layer)
                                : index > first_layer(network) || network.layers.size() == 1;
  if (has_gradient) add(Pass::dgrad);
  add(Pass::wgrad);
  return passes;
}

}  // namespace roofline
