#include <initializer_list>

#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

using EngineCandidates = std::initializer_list<Engine>;

std::optional<Engine> first_present(const EngineRates& peaks, EngineCandidates candidates) {
  for (const Engine engine : candidates)
    if (rate_of(peaks, engine)) return engine;
  return std::nullopt;
}

std::optional<Engine> tensor_engine(DataType type, const EngineRates& peaks) {
  switch (type) {
    case DataType::fp64: return first_present(peaks, {Engine::fp64_tensor});
    case DataType::fp32: return first_present(peaks, {Engine::fp32_tensor});
    case DataType::tf32: return first_present(peaks, {Engine::tf32});
    case DataType::fp16: return first_present(peaks, {Engine::fp16_tensor});
    case DataType::bf16: return first_present(peaks, {Engine::bf16});
    case DataType::fp8: return first_present(peaks, {Engine::fp8});
    case DataType::int8:
    case DataType::int32: return first_present(peaks, {Engine::int8});
    // Without an engine of their own they are widened while loading, no further than must be.
    case DataType::int4: return first_present(peaks, {Engine::int4, Engine::int8});
    case DataType::fp4:
    case DataType::mxfp4:
    case DataType::nvfp4:
      return first_present(peaks, {Engine::fp4, Engine::fp6, Engine::fp8, Engine::fp16_tensor});
    case DataType::fp6:
    case DataType::mxfp6:
      return first_present(peaks, {Engine::fp6, Engine::fp8, Engine::fp16_tensor});
    case DataType::mxfp8: return first_present(peaks, {Engine::fp8, Engine::fp16_tensor});
    case DataType::amp:
    case DataType::amp_bf16: break;  // of no tensor
  }
  return std::nullopt;
}

/// The faster of a vector unit's own rate for a 16-bit type and converting to fp32 (consumer Pascal
/// runs fp16 at 1/64 of its fp32 rate, and its libraries compute fp16 data in fp32).
std::optional<Engine> half_or_fp32(Engine half, const EngineRates& peaks) {
  const std::optional<double> own = rate_of(peaks, half);
  const std::optional<double> single = rate_of(peaks, Engine::fp32);
  if (own && (!single || *own >= *single)) return half;
  return single ? std::optional(Engine::fp32) : std::nullopt;
}

std::optional<Engine> vector_engine(DataType type, const EngineRates& peaks) {
  switch (type) {
    case DataType::fp64: return first_present(peaks, {Engine::fp64});
    case DataType::fp32:
    case DataType::tf32: return first_present(peaks, {Engine::fp32});
    case DataType::fp16: return half_or_fp32(Engine::fp16, peaks);
    case DataType::bf16: return half_or_fp32(Engine::bf16_vector, peaks);
    case DataType::fp8:
    case DataType::fp6:
    case DataType::fp4:
    case DataType::mxfp8:
    case DataType::mxfp6:
    case DataType::mxfp4:
    case DataType::nvfp4: return half_or_fp32(Engine::fp16, peaks);
    case DataType::int4:
    case DataType::int8:
    case DataType::int32: return first_present(peaks, {Engine::dp4a, Engine::fp32});
    case DataType::amp:
    case DataType::amp_bf16: break;
  }
  return std::nullopt;
}

/// Whether any unit of the part computes in this type: data that could only be converted on the
/// fly does not count.
bool has_peak(DataType type, const EngineRates& peaks) {
  switch (type) {
    case DataType::fp16: return rate_of(peaks, Engine::fp16) || rate_of(peaks, Engine::fp16_tensor);
    case DataType::bf16: return rate_of(peaks, Engine::bf16) || rate_of(peaks, Engine::bf16_vector);
    case DataType::fp8: return rate_of(peaks, Engine::fp8).has_value();
    case DataType::int8:
    case DataType::int32: return rate_of(peaks, Engine::int8) || rate_of(peaks, Engine::dp4a);
    case DataType::int4: return tensor_engine(type, peaks) || rate_of(peaks, Engine::dp4a);
    case DataType::tf32:
    case DataType::fp6:
    case DataType::fp4:
    case DataType::mxfp8:
    case DataType::mxfp6:
    case DataType::mxfp4:
    case DataType::nvfp4: return tensor_engine(type, peaks).has_value();
    case DataType::fp64:
    case DataType::fp32: return tensor_engine(type, peaks) || vector_engine(type, peaks);
    case DataType::amp:
    case DataType::amp_bf16: break;
  }
  return false;
}

/// Masks and indices, which every GPU moves and compares, whatever it multiplies.
bool is_mask_work(const Layer& layer) {
  const bool moves = info(layer.kind).family == KindFamily::movement ||
                     layer.kind == LayerKind::concat || layer.kind == LayerKind::elementwise;
  return moves && layer.dtypes.input == DataType::int8;
}

/// What a contraction multiplies in: the wider of its operands' types. Narrower weights are widened
/// while they are loaded (weight-only quantisation).
DataType multiplied_type(const Layer& layer) {
  const auto [input, weight, output] = layer.dtypes;
  const bool has_weight = info(layer.kind).family == KindFamily::contraction;
  return has_weight && info(weight).bits > info(input).bits ? weight : input;
}

/// Sums in fp16, where the part has a rate of its own for them.
Engine with_fp16_sums(Engine engine, const EngineRates& peaks) {
  const Engine summing = engine == Engine::fp16_tensor ? Engine::fp16_tensor_fp16_accumulate
                         : engine == Engine::fp8       ? Engine::fp8_fp16_accumulate
                                                       : engine;
  return rate_of(peaks, summing) ? summing : engine;
}

}  // namespace

EngineChoice choice_for(const Layer& layer, const EngineChoices& choices) {
  const bool convolves = layer.kind == LayerKind::conv || layer.kind == LayerKind::conv_transpose;
  return convolves ? choices.convolutions : choices.products;
}

std::optional<Engine> select_engine(const Layer& layer, const EngineRates& peaks,
                                    const EngineChoices& choices) {
  EngineChoice choice = choice_for(layer, choices);
  const DataType type = multiplied_type(layer);
  if (!has_peak(type, peaks) && !is_mask_work(layer)) return std::nullopt;
  const KindFamily family = info(layer.kind).family;
  const bool multiplies = family == KindFamily::contraction || family == KindFamily::attention;
  if (!multiplies || is_depthwise(layer)) return vector_engine(type, peaks);
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

std::optional<Engine> other_engine(const Layer& layer, const EngineRates& peaks, Engine engine) {
  constexpr std::uint64_t vector_of_channels = 8;
  const bool whole_vectors = layer.inputs.front().shape.channels % vector_of_channels == 0 &&
                             layer.output.channels % vector_of_channels == 0;
  const bool dense = info(layer.kind).family == KindFamily::contraction && layer.groups == 1;
  if (!dense || layer.mapping != KernelMapping{}) return std::nullopt;
  if (engine != Engine::tf32 && whole_vectors) return std::nullopt;
  const std::optional<Engine> vector = vector_engine(multiplied_type(layer), peaks);
  return vector == engine ? std::nullopt : vector;
}

}  // namespace roofline
