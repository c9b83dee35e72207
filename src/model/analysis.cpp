#include "roofline/analysis.hpp"

#include <algorithm>

#include "model/checked.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

bool is_dense_contraction(const Layer& layer) {
  return info(layer.kind).family == KindFamily::contraction &&
         (layer.groups == 1 || layer.groups != layer.inputs.front().shape.channels);
}

std::string peaks_of(const Gpu& gpu) {
  std::string list;
  for (std::size_t i = 0; i < engine_count; ++i)
    if (gpu.peak_flop_per_s[i]) list += (list.empty() ? "" : ", ") + std::string(engine_names[i]);
  return list;
}

Engine require_engine(const Layer& layer, const Gpu& gpu, EngineChoice choice,
                      const std::string& source) {
  if (const auto engine = select_engine(layer, gpu.peak_flop_per_s, choice)) return *engine;
  const std::string unit = choice == EngineChoice::automatic ? ""
                           : choice == EngineChoice::tensor  ? " on tensor cores"
                                                             : " on vector units";
  throw InputError(source, "",
                   "layer \"" + layer.name + "\" is in " +
                       std::string(name_of(layer.dtypes.input)) + ", for which " + gpu.name +
                       " has no peak" + unit + "; it has " + peaks_of(gpu));
}

/// The engine that the network is spoken of with: that of its first dense contraction.
Engine main_engine_of(const std::vector<LayerResult>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [](const LayerResult& row) {
    return is_dense_contraction(row.layer);
  });
  return found == rows.end() ? rows.front().engine : found->engine;
}

Ceilings ceilings_of(const Gpu& gpu, Engine main_engine, const AnalysisOptions& options) {
  Ceilings ceilings{gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s, CeilingKind::datasheet};
  if (options.peak_flop_per_s)
    ceilings.peak_flop_per_s[static_cast<std::size_t>(main_engine)] = options.peak_flop_per_s;
  if (options.bandwidth_byte_per_s) ceilings.bandwidth_byte_per_s = *options.bandwidth_byte_per_s;
  if (options.peak_flop_per_s || options.bandwidth_byte_per_s) ceilings.kind = CeilingKind::user;
  return ceilings;
}

/// The value that all layers share, if they do.
template <class Get>
auto common(const std::vector<LayerResult>& rows, Get get)
    -> std::optional<decltype(get(rows.front().layer))> {
  const auto first = get(rows.front().layer);
  for (const LayerResult& row : rows)
    if (get(row.layer) != first) return std::nullopt;
  return first;
}

void add_bytes(Bytes& sum, const Bytes& bytes, std::uint64_t repeat) {
  sum.input = checked_add(sum.input, checked_mul(bytes.input, repeat));
  sum.weight = checked_add(sum.weight, checked_mul(bytes.weight, repeat));
  sum.output = checked_add(sum.output, checked_mul(bytes.output, repeat));
  sum.total = checked_add(sum.total, checked_mul(bytes.total, repeat));
}

void add_to_total(Total& total, const LayerResult& row) {
  const std::uint64_t repeat = row.layer.repeat;
  const auto copies = static_cast<double>(repeat);
  total.macs = checked_add(total.macs, checked_mul(row.counts.macs, repeat));
  total.flops = checked_add(total.flops, checked_mul(row.counts.flops, repeat));
  total.params = checked_add(total.params, checked_mul(row.counts.params, repeat));
  add_bytes(total.bytes, row.counts.bytes, repeat);
  total.compute_time_s += copies * row.point.compute_time_s;
  total.memory_time_s += copies * row.point.memory_time_s;
  total.roofline_time_s += copies * row.point.roofline_time_s;
  if (total.measured_time_s && row.layer.measured.warm_s)
    *total.measured_time_s += copies * *row.layer.measured.warm_s;
  else
    total.measured_time_s.reset();
}

Total total_of(const std::vector<LayerResult>& rows) {
  Total total;
  total.measured_time_s = 0;
  for (const LayerResult& row : rows) add_to_total(total, row);
  return total;
}

}  // namespace

Result begin_result(const std::string& source, const std::string& network, const Gpu& gpu) {
  Result result;
  result.source = source;
  result.network = network;
  result.gpu = gpu.name;
  return result;
}

void add_layer(Result& result, const Layer& layer, const Gpu& gpu, const AnalysisOptions& options) {
  const Engine engine = require_engine(layer, gpu, options.engine, result.source);
  result.layers.push_back({layer, count(layer), engine, {}, 0});
}

void finish_result(Result& result, const Gpu& gpu, const AnalysisOptions& options) {
  std::vector<LayerResult>& rows = result.layers;
  result.dtype = common(rows, [](const Layer& layer) { return layer.dtypes.input; });
  result.batch = common(rows, [](const Layer& layer) { return layer.output.batch; });
  result.pass = common(rows, [](const Layer& layer) { return layer.pass; });
  result.main_engine = main_engine_of(rows);
  result.ceilings = ceilings_of(gpu, result.main_engine, options);
  for (LayerResult& row : rows)
    row.point = evaluate(row.counts, *rate_of(result.ceilings.peak_flop_per_s, row.engine),
                         result.ceilings.bandwidth_byte_per_s);
  try {
    result.total = total_of(rows);
  } catch (const OverflowError&) {
    throw InputError(result.source, "", "expected totals below 2^64, got an overflow");
  }
  for (LayerResult& row : rows)
    if (result.total.roofline_time_s > 0)
      row.time_share = static_cast<double>(row.layer.repeat) * row.point.roofline_time_s /
                       result.total.roofline_time_s;
}

Result analyze(const Network& network, const Gpu& gpu, const AnalysisOptions& options) {
  Result result = begin_result(network.source, network.name, gpu);
  for (const Layer& layer : network.layers) add_layer(result, layer, gpu, options);
  finish_result(result, gpu, options);
  return result;
}

}  // namespace roofline
