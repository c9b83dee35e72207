#include "kernel/wider_type.hpp"

#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

bool is_narrow(DataType type) { return info(type).bits < 16; }

DataType widened(DataType type) { return is_narrow(type) ? DataType::fp16 : type; }

EngineRates rates_of(const ResolvedModel& model) {
  EngineRates rates;
  for (const Engine engine : enumerators<Engine>)
    if (const EngineModel* const own = engine_model(model, engine))
      rates[engine] = own->rate_flop_per_s;
  return rates;
}

}  // namespace

std::optional<WiderLayer> in_16_bits(const Layer& layer, Engine engine,
                                     const ResolvedModel& model) {
  const auto [input, weight, output] = layer.dtypes;
  if (!is_narrow(input) || !is_narrow(weight) || output == DataType::int32 ||
      layer.mapping != KernelMapping{})
    return std::nullopt;
  const EngineRates rates = rates_of(model);
  if (select_engine(layer, rates, EngineChoice::automatic) != engine) return std::nullopt;
  WiderLayer wider{layer, {}, engine};
  wider.layer.dtypes = {widened(input), widened(weight), widened(output)};
  wider.layer.kernels = KernelSource::inference_engine;
  const auto own = select_engine(wider.layer, rates, EngineChoice::automatic);
  if (!own || *rates[*own] > *rates[engine]) return std::nullopt;
  wider.engine = *own;
  wider.counts = count(wider.layer);
  return wider;
}

}  // namespace roofline
