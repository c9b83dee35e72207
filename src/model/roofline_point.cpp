#include "roofline/roofline_point.hpp"

#include <algorithm>

#include "model/layer_kind.hpp"

namespace roofline {

RooflinePoint evaluate(const Counts& counts, double peak_flop_per_s, double bandwidth_byte_per_s) {
  const auto flops = static_cast<double>(counts.flops);
  const auto bytes = static_cast<double>(counts.bytes.total);
  RooflinePoint point;
  point.ridge_flop_per_byte = peak_flop_per_s / bandwidth_byte_per_s;
  point.compute_time_s = flops / peak_flop_per_s;
  point.memory_time_s = bytes / bandwidth_byte_per_s;
  point.roofline_time_s = std::max(point.compute_time_s, point.memory_time_s);
  if (bytes > 0) {
    point.intensity_flop_per_byte = flops / bytes;
    if (*point.intensity_flop_per_byte >= point.ridge_flop_per_byte) point.bound = Bound::compute;
  }
  if (point.roofline_time_s > 0) point.attainable_flop_per_s = flops / point.roofline_time_s;
  return point;
}

namespace {

std::optional<Engine> tensor_engine(DataType type, const EngineRates& peaks) {
  for (const std::optional<Engine> engine : info(type).tensor)
    if (engine && peaks[*engine]) return engine;
  return std::nullopt;
}

/// The faster of its own rate and conversion to fp32 (consumer Pascal runs fp16 at 1/64 of its fp32
/// rate, and its libraries compute fp16 data in fp32).
std::optional<Engine> vector_engine(DataType type, const EngineRates& peaks) {
  const Engine own = info(type).vector;
  const bool may_convert = type != DataType::fp64 && peaks[Engine::fp32];
  if (peaks[own] && (!may_convert || *peaks[own] >= *peaks[Engine::fp32])) return own;
  return may_convert ? std::optional(Engine::fp32) : std::nullopt;
}

/// Whether a unit of the GPU computes in this type, without conversion on loading.
bool has_peak(DataType type, const EngineRates& peaks) {
  const DataTypeInfo& own = info(type);
  return tensor_engine(type, peaks) || (own.computes_in_type && peaks[own.vector]);
}

/// Masks and indices: every GPU moves and compares them.
bool is_mask_work(const Layer& layer) {
  const bool moves =
      info(layer.kind).family == KindFamily::movement ||
      is_any(layer.kind, LayerKind::concat, LayerKind::elementwise, LayerKind::rowwise);
  return moves && layer.dtypes.input == DataType::int8;
}

/// The wider of the operands' types. Narrower weights (weight-only quantisation) widen on loading.
DataType multiplied_type(const Layer& layer) {
  const auto [input, weight, output] = layer.dtypes;
  const bool has_weight = is_any(info(layer.kind).family, KindFamily::contraction,
                                 KindFamily::recurrent, KindFamily::deformable);
  return has_weight && info(weight).bits > info(input).bits ? weight : input;
}

/// With fp16 sums, if the GPU has a separate rate for them.
Engine with_fp16_sums(Engine engine, const EngineRates& peaks) {
  const Engine summing = engine == Engine::fp16_tensor ? Engine::fp16_tensor_fp16_accumulate
                         : engine == Engine::fp8       ? Engine::fp8_fp16_accumulate
                                                       : engine;
  return rate_of(peaks, summing) ? summing : engine;
}

}  // namespace

EngineChoice choice_for(const Layer& layer, const EngineChoices& choices) {
  // cuDNN's own switch of TF32, not that of products, holds for its recurrent layers as well.
  const bool in_cudnn =
      is_convolution(layer.kind) || info(layer.kind).family == KindFamily::recurrent;
  return in_cudnn ? choices.convolutions : choices.products;
}

std::optional<Engine> select_engine(const Layer& layer, const EngineRates& peaks,
                                    const EngineChoices& choices) {
  EngineChoice choice = choice_for(layer, choices);
  const DataType type = multiplied_type(layer);
  if (!has_peak(type, peaks) && !is_mask_work(layer)) return std::nullopt;
  if (!multiplies(layer.kind) || is_depthwise(layer)) return vector_engine(type, peaks);
  const bool left_open = choice == EngineChoice::automatic || choice == EngineChoice::tf32;
  if (layer.fp16_accumulate && left_open && type != DataType::fp32)
    choice = EngineChoice::fp16_accumulate;
  switch (choice) {
    case EngineChoice::vector: return vector_engine(type, peaks);
    case EngineChoice::tensor: return tensor_engine(type, peaks);
    case EngineChoice::tf32:
      if (type == DataType::fp32 && rate_of(peaks, Engine::tf32)) return Engine::tf32;
      break;
    case EngineChoice::fp16_accumulate:
      if (const auto engine = tensor_engine(type, peaks)) return with_fp16_sums(*engine, peaks);
      break;
    case EngineChoice::automatic: break;
  }
  const std::optional<Engine> tensor = tensor_engine(type, peaks);
  return tensor ? tensor : vector_engine(type, peaks);
}

std::optional<Engine> fastest_engine(const Layer& layer, const EngineRates& peaks,
                                     const EngineChoices& choices) {
  std::optional<Engine> fastest = select_engine(layer, peaks, choices);
  if (!fastest || !multiplies(layer.kind)) return fastest;
  const EngineChoice choice = choice_for(layer, choices);
  const DataType type = multiplied_type(layer);
  const bool left_open = choice == EngineChoice::automatic || choice == EngineChoice::tf32;
  const bool sums_in_fp16 =
      choice == EngineChoice::fp16_accumulate || (left_open && layer.fp16_accumulate);
  const auto consider = [&](std::optional<Engine> engine) {
    if (engine && peaks[*engine] && *peaks[*engine] > *peaks[*fastest]) fastest = engine;
  };
  if (choice != EngineChoice::vector) {
    for (const std::optional<Engine> engine : info(type).tensor)
      consider(engine && sums_in_fp16 ? with_fp16_sums(*engine, peaks) : engine);
    if (type == DataType::tf32) consider(Engine::fp32_tensor);
    if (type == DataType::fp32 && choice == EngineChoice::tf32) consider(Engine::tf32);
  }
  if (choice != EngineChoice::tensor || is_depthwise(layer)) consider(vector_engine(type, peaks));
  return fastest;
}

std::optional<Engine> other_engine(const Layer& layer, const EngineRates& peaks, Engine engine) {
  constexpr std::uint64_t vector_of_channels = 8;
  const bool whole_vectors = layer.inputs.front().shape.channels % vector_of_channels == 0 &&
                             layer.output.channels % vector_of_channels == 0;
  const bool dense = info(layer.kind).family == KindFamily::contraction && layer.groups == 1;
  if (!dense || layer.mapping->tile) return std::nullopt;
  if (engine != Engine::tf32 && whole_vectors) return std::nullopt;
  const std::optional<Engine> vector = vector_engine(multiplied_type(layer), peaks);
  return vector == engine ? std::nullopt : vector;
}

}  // namespace roofline
