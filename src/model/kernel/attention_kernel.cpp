#include "model/kernel/attention_kernel.hpp"

#include <algorithm>

#include "model/kernel/contraction.hpp"
#include "model/kernel/rounding.hpp"

namespace roofline {
namespace {

constexpr double tile = 128;
constexpr double feature_step = 64;

/// One head's sizes.
struct Head {
  double queries = 1;
  double keys = 1;
  double query_tiles = 1;
  double key_tiles = 1;
  double query_features = 1;  ///< padded
  double value_features = 1;
};

double padded(std::uint64_t features) {
  return round_up(static_cast<double>(features), feature_step);
}

Head head_of(const Layer& layer) {
  Head head;
  head.queries = static_cast<double>(layer.inputs[0].shape.spatial[2]);
  head.keys = static_cast<double>(layer.inputs[1].shape.spatial[2]);
  head.query_tiles = divide_up(head.queries, tile);
  head.key_tiles = divide_up(head.keys, tile);
  head.query_features = padded(layer.inputs[0].shape.channels);
  head.value_features = padded(layer.output.channels);
  return head;
}

/// Pairs of a tile of queries and one of keys that a head computes: below the diagonal, of which
/// the last rows see all keys, where it is causal.
double tiles_of(const Head& head, bool causal) {
  if (!causal) return head.query_tiles * head.key_tiles;
  const double full = std::max(head.key_tiles - head.query_tiles, 0.0) * head.query_tiles;
  const double square = std::min(head.key_tiles, head.query_tiles);
  return full + square * (square + 1) / 2;
}

ThroughputWork work_of(const Layer& layer, const Counts& counts, const EngineModel& engine,
                       const ResolvedModel& model) {
  const bool is_forward = layer.pass == Pass::fwd;
  const AttentionConstants& kernels = model.constants->values.attention;
  const AttentionKernel& k = is_forward ? kernels.forward : kernels.backward;
  const Head head = head_of(layer);
  const Shape& query = layer.inputs[0].shape;
  const double heads = static_cast<double>(query.batch) * static_cast<double>(query.spatial[1]);
  ThroughputWork work;
  work.algorithm = is_forward ? Algorithm::fused_attention : Algorithm::fused_attention_backward;
  work.streams = streams_of(layer, counts);
  work.constant = &k.start_s;
  work.start_s = k.start_s;
  work.kernels = is_forward ? 1 : 3;
  work.threads = tile;
  work.blocks = heads * (is_forward ? head.query_tiles : head.key_tiles);
  if (head.queries == 1) return work;
  const double scores = heads * tiles_of(head, layer.causal) * tile * tile;
  const double features = is_forward ? head.query_features + head.value_features
                                     : 3 * head.query_features + 2 * head.value_features;
  work.flop = scores * 2 * features;
  work.flop_per_s =
      engine.peak_flop_per_s * (is_tensor_engine(engine.engine) ? k.tensor_share : k.vector_share);
  work.clocks.add("scores", scores, k.score_clock);
  work.clocks.add("blocks", work.blocks, k.block_clock);
  work.useful_share = static_cast<double>(counts.flops) / work.flop;
  // Blocks of a causal head differ in length and fill each other's gaps, but for half a wave.
  const double waves = work.blocks / model.machine.sm_count;
  const double whole = layer.causal && waves > 1 ? waves + 0.5 : divide_up(waves, 1);
  work.idle = whole / waves;
  return work;
}

}  // namespace

ThroughputKernel attention_kernel(const Layer& layer, const Counts& counts, Engine engine,
                                  const ResolvedModel& model, CacheState cache) {
  const ThroughputWork work = work_of(layer, counts, *engine_model(model, engine), model);
  return timed(work, model, cache, flop_s_of(counts, model, engine));
}

}  // namespace roofline
