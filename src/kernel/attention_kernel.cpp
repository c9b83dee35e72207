// Fused attention: a block keeps 128 queries of a head and walks the keys in steps of 128
// (backward: 128 keys, walking the queries). Scores stay on the SM, so only operands move. A single
// query per head only reads its keys and values: bytes alone count. A few queries may be faster one
// by one.

#include <cmath>
#include <cstdint>
#include <utility>

#include "kernel/plans.hpp"

namespace roofline {
namespace {

constexpr double tile = 128;         ///< of queries and of keys
constexpr double feature_step = 64;  ///< features are padded to this

/// Causal heads stop at the diagonal; their last rows see all keys.
template <class Number>
Number tile_pairs(const Number& query_tiles, const Number& key_tiles, bool causal,
                  Eval<Number>& eval) {
  Number pairs = query_tiles * key_tiles;
  if (causal) {
    const Number square = min({key_tiles, query_tiles});
    pairs = max({key_tiles - query_tiles, 0}) * query_tiles + square * (square + 1) / 2;
  }
  return eval.named("pairs of tiles of a head", pairs);
}

/// PyTorch's compiler writes out products whose mask has non-contiguous rows, in fp32 without
/// tensor cores: queries, keys and values are cast; scores are written, normalised and read again.
template <class Number>
Works<Number> written_out(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const EngineModel* const vector = engine_model(request.model, Engine::fp32);
  const double peak_flop_per_s =
      vector != nullptr ? vector->peak_flop_per_s : request.own_engine()->peak_flop_per_s;
  const Heads query = heads_of(layer.inputs[0].shape);
  const Heads key = heads_of(layer.inputs[1].shape);
  const double scores = static_cast<double>(query.batch) * static_cast<double>(query.heads) *
                        static_cast<double>(query.length) * static_cast<double>(key.length);
  const double narrow_byte = static_cast<double>(request.counts.bytes.total);
  const double wide_byte = narrow_byte * 4 / element_byte(layer.dtypes.input);
  KernelWork<Number> products;
  products.algorithm = Algorithm::gemm;
  products.kernels = 2;
  products.flop = eval.named("FLOP", static_cast<double>(request.counts.flops), "FLOP", "layer");
  products.flop_per_s =
      peak_flop_per_s * eval(request.model.constants->values.attention.forward.vector_share);
  products.streams = {wide_byte + 4 * scores, wide_byte + 4 * scores};
  KernelWork<Number> casts;
  casts.kernels = 4;
  casts.streams = {(narrow_byte + wide_byte) / 2, (narrow_byte + wide_byte) / 2};
  KernelWork<Number> softmax;
  const CompiledKernel& compiled = request.model.constants->values.streaming.compiled;
  softmax.clocks =
      eval.named("scores", scores, "", "layer") *
      (eval(compiled.place_clock) + eval(compiled.function_clock) + eval(compiled.reduction_clock));
  softmax.streams = {4 * scores, 4 * scores};
  return {products, casts, softmax};
}

/// Kernels of one query a head, one after the other, on vector units.
template <class Number>
KernelWork<Number> single_queries(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const bool forward = layer.pass == Pass::fwd;
  const AttentionConstants& kernels = request.model.constants->values.attention;
  const AttentionKernel& kernel = forward ? kernels.forward : kernels.backward;
  const auto queries = static_cast<double>(heads_of(layer.inputs[0].shape).length);
  KernelWork<Number> work;
  work.algorithm = forward ? Algorithm::fused_attention : Algorithm::fused_attention_backward;
  work.streams = streams_of(layer, request.counts);
  work.start_s = eval.named("start beyond the launch", eval(kernel.start_s) * queries, "s");
  work.kernels = queries * (forward ? 1 : 3);
  work.threads = tile;
  const double element = element_byte(layer.dtypes.input);
  const double operands =
      element * (element_count(layer.inputs[1].shape) + element_count(layer.inputs[2].shape));
  work.streams.again_byte = (queries - 1) * operands;
  work.streams.between_byte = operands;
  if (queries == 1) return work;
  const EngineModel* const vector = engine_model(request.model, Engine::fp32);
  work.flop = eval.named("FLOP", static_cast<double>(request.counts.flops), "FLOP", "layer");
  work.flop_per_s = (vector != nullptr ? *vector : *request.own_engine()).peak_flop_per_s *
                    eval(kernel.vector_share);
  return work;
}

template <class Number>
KernelWork<Number> query_tiles(const PlanRequest& request, const MachineRates<Number>& rates,
                               Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const EngineModel& engine = *request.own_engine();
  const bool forward = layer.pass == Pass::fwd;
  const AttentionConstants& kernels = request.model.constants->values.attention;
  const AttentionKernel& kernel = forward ? kernels.forward : kernels.backward;
  const auto size = [&eval](const char* quantity, std::uint64_t number) {
    return eval.named(quantity, static_cast<double>(number), "", "layer");
  };
  const Heads query = heads_of(layer.inputs[0].shape);
  const Heads key = heads_of(layer.inputs[1].shape);
  const Number images = size("images", query.batch);
  const Number heads = images * size("heads", query.heads);
  const Number queries = size("queries of a head", query.length);
  const Number query_tiles = divide_up(queries, tile);
  const bool sees_some = layer.causal && layer.causal_from_first && query.length < key.length;
  const std::uint64_t seen = sees_some ? query.length : key.length;
  const Number key_tiles = divide_up(size("keys of a head", seen), tile);
  const Number blocks = eval.named("blocks", heads * (forward ? query_tiles : key_tiles));

  KernelWork<Number> work;
  work.algorithm = forward ? Algorithm::fused_attention : Algorithm::fused_attention_backward;
  work.streams = streams_of(layer, request.counts);
  work.start_s = eval.named("start beyond the launch", eval(kernel.start_s), "s");
  work.kernels = forward ? 1 : 3;
  work.threads = tile;
  work.blocks = value_of(blocks);

  const Number scores =
      eval.named("scores, on whole tiles",
                 heads * tile_pairs(query_tiles, key_tiles, layer.causal, eval) * tile * tile);
  const Number q = round_up(size("features of a query", query.features), feature_step);
  const Number v = round_up(size("features of a value", layer.output.channels), feature_step);
  work.flop =
      eval.named("FLOP on whole tiles", scores * 2 * (forward ? q + v : 3 * q + 2 * v), "FLOP");
  const bool tensor = is_tensor_engine(engine.engine);
  const bool older =
      tensor && layer.backend.value_or(AttentionBackend::cudnn) != AttentionBackend::cudnn;
  const Number slower =
      eval.factor("share of the fastest kernels' rate", older ? eval(kernels.flash_share) : 1);
  const Number share = eval(tensor ? kernel.tensor_share : kernel.vector_share) * slower;
  work.flop_per_s = eval.named("rate of the products", engine.peak_flop_per_s * share, "FLOP/s");
  work.clocks = scores * eval(kernel.score_clock) / slower + blocks * eval(kernel.block_clock);
  if (layer.masked) {
    const double row_byte = static_cast<double>(key.length) * element_byte(layer.dtypes.input);
    const double loads = std::fmod(row_byte, 16) == 0 ? 1 : 2;
    work.clocks = work.clocks + scores * loads * eval(kernels.mask_score_clock);
  }
  work.useful_share = eval.factor("useful share of the arithmetic",
                                  static_cast<double>(request.counts.flops) / work.flop);
  // Blocks of a causal head differ in length and fill each other's gaps, up to half a wave.
  const Number waves = eval.named("waves", blocks / rates.sm_count);
  const Number whole = eval.factor("whole waves / waves",
                                   (layer.causal && waves > 1 ? waves + 0.5 : ceil(waves)) / waves);
  // The power limit is one on all SMs: those without a block leave their power to others.
  const Number flop_s = work.flop / work.flop_per_s;
  const Number at_full_clock = min({1, engine.peak_flop_per_s / engine.rate_flop_per_s});
  const Number clocks_s = work.clocks / rates.issue_clock_per_s;
  work.idle =
      eval.factor("the same, with the power that idle SMs leave",
                  max({1, whole * (clocks_s + flop_s * at_full_clock) / (clocks_s + flop_s)}));
  return work;
}

double alone_s(const PlanRequest& request, const MachineRates<double>& rates,
               KernelWork<double> work) {
  Planning eval;
  work.least_s = practical_flop_s(request.counts, request.own_engine(), eval);
  return work_s(work, rates, request.model.memory, request.cache);
}

/// Few queries may be faster one by one than in a tile that they fill partly. Twice the queries
/// take at most twice as long either way.
bool runs_single_queries(const PlanRequest& request) {
  if (heads_of(request.layer.inputs[0].shape).length == 1) return true;
  Planning eval;
  const auto rates = machine_rates(request.model.machine, eval);
  return alone_s(request, rates, single_queries(request, eval)) <
         alone_s(request, rates, query_tiles(request, rates, eval));
}

/// From 32 bits on vector units may multiply as fast as matrix units.
PlanRequest on_faster_units(const PlanRequest& request) {
  const bool is_wide = is_any(request.engine, Engine::fp32_tensor, Engine::fp64_tensor);
  const Engine vector = request.engine == Engine::fp64_tensor ? Engine::fp64 : Engine::fp32;
  if (!is_wide || engine_model(request.model, vector) == nullptr) return request;
  const PlanRequest other{request.layer, request.counts, vector,
                          request.model, request.cache,  request.problem};
  Planning eval;
  const auto rates = machine_rates(request.model.machine, eval);
  const auto tiles_s = [&](const PlanRequest& on) {
    return alone_s(on, rates, query_tiles(on, rates, eval));
  };
  return tiles_s(other) < tiles_s(request) ? other : request;
}

}  // namespace

template <class Number>
Works<Number> attention_works(const PlanRequest& request, const MachineRates<Number>& rates,
                              Eval<Number>& eval) {
  if (request.layer.kernels == KernelSource::compiler) return written_out(request, eval);
  const PlanRequest faster = on_faster_units(request);
  if (runs_single_queries(faster)) return {single_queries(faster, eval)};
  auto work = query_tiles(faster, rates, eval);
  if (faster.engine != request.engine) {
    work.engine = faster.engine;
    work.least_s = practical_flop_s(faster.counts, faster.own_engine(), eval);
  }
  return {std::move(work)};
}

template Works<double> attention_works(const PlanRequest&, const MachineRates<double>&, Planning&);
template Works<Explained> attention_works(const PlanRequest&, const MachineRates<Explained>&,
                                          Explaining&);

}  // namespace roofline
