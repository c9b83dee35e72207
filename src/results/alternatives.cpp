#include "results/alternatives.hpp"

#include "roofline/error.hpp"

namespace roofline {

std::optional<double> Alternatives::time_s(const Layer& layer, Engine engine) const {
  try {
    const auto plan = plan_kernel(layer, count(layer), engine, model_, context_.options.cache);
    const bool runs = plan && *plan;  // not a mapping that cannot
    return runs ? std::optional(launched(**plan, model_, launch_).expected_time_s) : std::nullopt;
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

std::optional<double> Alternatives::time_s(const Layer& layer) const {
  const auto engine = select_engine(layer, context_.gpu.peak_flop_per_s, context_.options.engine);
  return engine ? time_s(layer, *engine) : std::nullopt;
}

void multiply_batch(Layer& layer, std::uint64_t factor) {
  for (Operand& operand : layer.inputs)
    if (!operand.is_parameter) operand.shape.batch *= factor;
  layer.output.batch *= factor;
}

void set_type(Layer& layer, DataType type) {
  layer.dtypes = {type, type, type};
  layer.fp16_accumulate = false;
  layer.layout.reset();
}

std::optional<double> Alternatives::at_batch_s(const LayerResult& row, std::uint64_t factor) const {
  Layer layer = row.layer;
  multiply_batch(layer, factor);
  auto time = time_s(layer, row.engine);
  if (time) *time /= static_cast<double>(factor);
  return time;
}

std::optional<double> Alternatives::in_type_s(const LayerResult& row, DataType type) const {
  Layer layer = row.layer;
  set_type(layer, type);
  return time_s(layer);
}

bool has_batch_of_samples(const LayerResult& row, const Result& result) {
  const Layer& layer = row.layer;
  const std::uint64_t batch = layer.output.batch;
  const bool is_one_value = elements(layer.output) == batch;
  // A recorded step of training has a batch that its result depends on.
  const bool is_recorded_training =
      result.measured.recording != nullptr && result.setting.pass != Pass::fwd;
  return result.setting.batch == batch && layer.inputs.front().shape.batch == batch &&
         layer.pass != Pass::wgrad && !is_one_value && !is_recorded_training;
}

bool changes_layout_in_half(const LayerResult& row) {
  return row.layer.kind == LayerKind::conv && row.layer.window->rank == 2 &&
         layout_of(row.layer) == Layout::nchw;
}

bool may_be_half(const LayerResult& row, const Result& result) {
  const DataType type = row.layer.dtypes.input;
  if (type != DataType::fp32 && type != DataType::tf32) return false;
  switch (info(row.layer.kind).family) {
    case KindFamily::contraction:
    case KindFamily::attention:
    case KindFamily::norm:
    case KindFamily::activation:
    case KindFamily::pool: return true;
    case KindFamily::combine: return has_batch_of_samples(row, result);
    default: return false;
  }
}

}  // namespace roofline
