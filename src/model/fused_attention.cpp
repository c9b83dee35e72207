#include "model/fused_attention.hpp"

#include <optional>
#include <vector>

namespace roofline {
namespace {

/// Readers of each layer: the one that reads it, where it is one.
class OnlyReaders {
 public:
  explicit OnlyReaders(const Network& network)
      : count_(network.layers.size()), reader_(network.layers.size()) {
    for (std::size_t i = 0; i < network.layers.size(); ++i)
      for (const Operand& operand : network.layers[i].inputs)
        if (operand.producer) {
          ++count_[*operand.producer];
          reader_[*operand.producer] = i;
        }
  }

  std::optional<std::size_t> of(std::size_t layer) const {
    return count_[layer] == 1 ? std::optional(reader_[layer]) : std::nullopt;
  }

 private:
  std::vector<std::size_t> count_;
  std::vector<std::size_t> reader_;
};

bool is_scale(LayerKind kind) {
  return kind == LayerKind::mul || kind == LayerKind::div || kind == LayerKind::elementwise;
}

/// The layers of one attention after its first product, in order; empty where it is none.
std::vector<std::size_t> rest_of_attention(std::size_t product, const Network& network,
                                           const OnlyReaders& readers) {
  std::vector<std::size_t> rest;
  bool weighs = false;  // the softmax is behind
  for (std::size_t at = product;;) {
    const auto next = readers.of(at);
    if (!next || network.layers[*next].pass != Pass::fwd) return {};
    const LayerKind kind = network.layers[*next].kind;
    rest.push_back(*next);
    at = *next;
    if (weighs && kind == LayerKind::matmul) return rest;
    if (kind == LayerKind::flatten) continue;
    if (weighs || !(is_scale(kind) || kind == LayerKind::softmax)) return {};
    weighs = kind == LayerKind::softmax;
  }
}

/// [products, 1 head, length, features]
Operand heads(std::uint64_t products, std::uint64_t length, std::uint64_t features) {
  Shape shape;
  shape.batch = products;
  shape.channels = features;
  shape.spatial = {1, 1, length};
  shape.spatial_rank = 2;
  return {shape, std::nullopt, false};
}

void make_attention(Network& network, std::size_t product, const std::vector<std::size_t>& rest) {
  Layer& host = network.layers[product];
  const Layer& last = network.layers[rest.back()];
  const Shape scores = host.output;  // a column a key
  const std::uint64_t queries = scores.spatial[2];
  Operand query = heads(scores.batch, queries, host.inputs.front().shape.channels);
  query.producer = host.inputs.front().producer;
  host.inputs = {query, heads(scores.batch, scores.channels, query.shape.channels),
                 heads(scores.batch, scores.channels, last.output.channels)};
  host.kind = LayerKind::attention;
  host.mapping = {};
  host.output = query.shape;
  host.output.channels = last.output.channels;
  for (const std::size_t i : rest) {
    network.layers[i].fused_into = product;
    network.layers[i].of_run = true;  // the attention stands for them
  }
}

}  // namespace

void fuse_attention(Network& network) {
  const OnlyReaders readers(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.kind != LayerKind::matmul || layer.pass != Pass::fwd || layer.fused_into) continue;
    const std::vector<std::size_t> rest = rest_of_attention(i, network, readers);
    if (!rest.empty()) make_attention(network, i, rest);
  }
}

}  // namespace roofline
