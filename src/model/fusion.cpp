#include "model/fusion.hpp"

#include <algorithm>
#include <optional>

#include "model/eager_kernels.hpp"
#include "model/fused_attention.hpp"

namespace roofline {
namespace {

/// PyTorch's inductor puts a concatenation of no more operands into the kernel that reads it
/// (`MAX_COMPLEX_POINTWISE_CAT` of its lowering).
constexpr std::size_t most_operands_read_in_place = 8;

/// What goes element by element is joined; an engine folds it into contractions too, a compiler
/// into a concatenation before it.
bool may_host(const Layer& layer, FusionKind kind) {
  if (is_pointwise(layer.kind)) return true;
  if (kind == FusionKind::epilogue) return info(layer.kind).family == KindFamily::contraction;
  return layer.kind == LayerKind::concat && layer.inputs.size() <= most_operands_read_in_place;
}

/// For each layer: how many layers read its output, and whose kernel now produces it.
struct Fusion {
  Fusion(const Network& network, FusionKind kind)
      : readers(network.layers.size(), 0), host(network.layers.size()) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const Layer& layer = network.layers[i];
      if (may_host(layer, kind)) host[i] = i;
      if (layer.training_only) continue;
      for (const Operand& operand : layer.inputs)
        if (operand.producer) ++readers[*operand.producer];
    }
  }

  std::vector<std::size_t> readers;
  std::vector<std::optional<std::size_t>> host;
};

/// The operand whose kernel can take the layer in: the one computed last, so that the others
/// are there when its epilogue runs.
std::optional<std::size_t> fusable_operand(const Network& network, const Layer& layer,
                                           const Fusion& fusion) {
  std::optional<std::size_t> best;
  std::size_t best_host = 0;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const std::optional<std::size_t> producer = layer.inputs[i].producer;
    if (!producer || !fusion.host[*producer] || fusion.readers[*producer] != 1) continue;
    const std::size_t host = *fusion.host[*producer];
    if (network.layers[host].output != layer.output) continue;
    if (!best || host > best_host) {
      best = i;
      best_host = host;
    }
  }
  return best;
}

/// The layer whose kernel writes the last part of a concatenation, where each operand is written by
/// a kernel and read by nothing else. A compiler has only the kernels that it writes itself.
std::optional<std::size_t> last_writer(const Network& network, const Layer& layer,
                                       const Fusion& fusion, FusionKind kind) {
  std::size_t last = 0;
  for (const Operand& operand : layer.inputs) {
    if (!operand.producer || fusion.readers[*operand.producer] != 1) return std::nullopt;
    const std::size_t writer = fusion.host[*operand.producer].value_or(*operand.producer);
    if (kind == FusionKind::pointwise && !is_pointwise(network.layers[writer].kind))
      return std::nullopt;
    last = std::max(last, writer);
  }
  return last;
}

}  // namespace

void fuse(Network& network, FusionKind kind) {
  if (kind == FusionKind::none) return;
  if (kind == FusionKind::eager) {
    network = with_eager_kernels(network);
    return;
  }
  Fusion fusion(network, kind);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    if (layer.kind == LayerKind::concat) {
      layer.fused_into = last_writer(network, layer, fusion, kind);
      if (layer.fused_into) fusion.host[i].reset();
    }
    if (layer.kind == LayerKind::max_pool || layer.kind == LayerKind::avg_pool)
      layer.kernels = KernelSource::compiler;
    if (!is_pointwise(layer.kind) || layer.training_only) continue;
    // Chains that no contraction takes are one kernel written for them.
    layer.kernels = KernelSource::compiler;
    const std::optional<std::size_t> operand = fusable_operand(network, layer, fusion);
    if (!operand) continue;
    const std::size_t host_index = *fusion.host[*layer.inputs[*operand].producer];
    Layer& host = network.layers[host_index];
    for (std::size_t j = 0; j < layer.inputs.size(); ++j)
      if (j != *operand) host.inputs.push_back(layer.inputs[j]);
    if (host.kind == LayerKind::concat) host.kernels = KernelSource::compiler;
    host.joined_inputs += layer.inputs.size() - 1;
    host.folded_norm = host.folded_norm || layer.kind == LayerKind::batch_norm;
    layer.fused_into = host_index;
    fusion.host[i] = host_index;
  }
}

Network as_run(Network network, const AnalysisOptions& options) {
  if (options.fused_attention) fuse_attention(network);
  if (options.fused_attention || options.fusion != FusionKind::none) fuse(network, options.fusion);
  return network;
}

}  // namespace roofline
