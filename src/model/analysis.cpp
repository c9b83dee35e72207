#include "roofline/analysis.hpp"

#include <algorithm>
#include <utility>

#include "model/checked.hpp"
#include "model/fusion.hpp"
#include "model/passes.hpp"
#include "model/score.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

bool is_dense_contraction(const Layer& layer) {
  return info(layer.kind).family == KindFamily::contraction && !is_depthwise(layer);
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
  const std::string unit = choice == EngineChoice::tensor   ? " on tensor cores"
                           : choice == EngineChoice::vector ? " on vector units"
                                                            : "";
  throw InputError(source, "",
                   "layer \"" + layer.name + "\" is in " +
                       std::string(name_of(layer.dtypes.input)) + ", for which " + gpu.name +
                       " has no peak" + unit + "; it has " + peaks_of(gpu));
}

[[noreturn]] void fail_overflow(const Result& result) {
  throw InputError(result.source, "", "expected totals below 2^64, got an overflow");
}

/// The engine that the network is spoken of with: that of its first dense contraction.
Engine main_engine_of(const std::vector<LayerResult>& rows) {
  const auto found = std::find_if(rows.begin(), rows.end(), [](const LayerResult& row) {
    return is_dense_contraction(row.layer);
  });
  return found == rows.end() ? rows.front().engine : found->engine;
}

Ceilings ceilings_of(const Gpu& gpu, Engine main_engine, const AnalysisOptions& options) {
  Ceilings ceilings{gpu.peak_flop_per_s, gpu.bandwidth_byte_per_s, options.ceilings};
  if (options.ceilings == CeilingKind::sustained && gpu.sustained) {
    // An engine that was not measured keeps its datasheet peak.
    for (std::size_t i = 0; i < engine_count; ++i)
      if (gpu.sustained->peak_flop_per_s[i])
        ceilings.peak_flop_per_s[i] = gpu.sustained->peak_flop_per_s[i];
    ceilings.bandwidth_byte_per_s =
        gpu.sustained->bandwidth_byte_per_s.value_or(gpu.bandwidth_byte_per_s);
  }
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

/// A sum is known as long as every part is.
void add_time(std::optional<double>& sum, const std::optional<double>& part, double copies) {
  if (sum && part)
    *sum += copies * *part;
  else
    sum.reset();
}

Total total_of(const std::vector<LayerResult>& rows) {
  Total total;
  for (const LayerResult& row : rows) add_to_total(total, row);
  return total;
}

void add_row(Result& result, const Layer& layer, Pass pass, const Gpu& gpu,
             const AnalysisOptions& options) {
  LayerResult row;
  row.layer = layer;
  row.layer.pass = pass;
  row.counts = count(row.layer);
  row.engine = require_engine(row.layer, gpu, options.engine, result.source);
  result.layers.push_back(std::move(row));
}

void add_passes(Result& result, const Network& network, std::size_t index, const Gpu& gpu,
                const AnalysisOptions& options) {
  bool first_pass = true;
  for (const Pass pass : passes_of(network, index, options.training)) {
    add_row(result, network.layers[index], pass, gpu, options);
    result.layers.back().first_pass = std::exchange(first_pass, false);
  }
}

/// The host's part of a run: the first layer's operand in, the last layer's result out.
Layer host_copy(std::string name, const Shape& shape, DataType type) {
  Layer layer;
  layer.name = std::move(name);
  layer.kind = LayerKind::host_copy;
  layer.dtypes = {type, type, type};
  layer.inputs = {{shape, std::nullopt, false}};
  layer.output = shape;
  return layer;
}

void add_copy_in(Result& result, const Layer& first, const Gpu& gpu,
                 const AnalysisOptions& options) {
  for (const Operand& operand : first.inputs)
    if (!operand.producer && !operand.is_parameter)
      add_row(result, host_copy("copy in", operand.shape, first.dtypes.input), Pass::fwd, gpu,
              options);
}

/// The kernel model under the ceilings that the options ask for.
KernelModel kernel_model_of(const Gpu& gpu, Engine main_engine, const AnalysisOptions& options) {
  KernelModel model = kernel_model_of(gpu);
  if (options.ceilings == CeilingKind::sustained && gpu.sustained)
    model =
        with_sustained(model, gpu.sustained->peak_flop_per_s, gpu.sustained->bandwidth_byte_per_s);
  if (!options.peak_flop_per_s && !options.bandwidth_byte_per_s) return model;
  EngineRates own;
  own[static_cast<std::size_t>(main_engine)] = options.peak_flop_per_s;
  return with_sustained(model, own, options.bandwidth_byte_per_s);
}

/// A layer without a kernel of its own (a view, fused, a copy over the host link) takes its bound.
void plan_row(LayerResult& row, const KernelModel& model, const std::string& source,
              CacheState cache) {
  const KindFamily family = info(row.layer.kind).family;
  if (!row.layer.fused_into.empty() || family == KindFamily::free ||
      family == KindFamily::transfer) {
    row.expected_time_s = row.point.roofline_time_s;
    return;
  }
  try {
    row.kernel = plan_kernel(row.layer, row.counts, row.engine, model, cache);
  } catch (const InputError& error) {
    throw InputError(source, error.where, "layer \"" + row.layer.name + "\": " + error.message);
  }
  if (row.kernel) row.expected_time_s = row.kernel->expected_time_s;
}

void evaluate_row(LayerResult& row, const Ceilings& ceilings, const Gpu& gpu,
                  const AnalysisOptions& options) {
  const double peak = *rate_of(ceilings.peak_flop_per_s, row.engine);
  const bool over_host_link = row.layer.kind == LayerKind::host_copy;
  row.point = evaluate(row.counts, peak,
                       over_host_link ? *host_copy_byte_per_s(gpu, *options.host_copies)
                                      : ceilings.bandwidth_byte_per_s);
}

std::string pass_of(const std::vector<LayerResult>& rows, bool training) {
  if (training) return "training";
  const auto pass = common(rows, [](const Layer& layer) { return layer.pass; });
  return pass ? std::string(name_of(*pass)) : "";
}

}  // namespace

double time_s(const LayerResult& row) {
  return row.expected_time_s.value_or(row.point.roofline_time_s);
}
double time_s(const Total& total) { return total.expected_time_s.value_or(total.roofline_time_s); }

void add_to_total(Total& total, const LayerResult& row) {
  const std::uint64_t repeat = row.layer.repeat;
  const auto copies = static_cast<double>(repeat);
  total.macs = checked_add(total.macs, checked_mul(row.counts.macs, repeat));
  total.flops = checked_add(total.flops, checked_mul(row.counts.flops, repeat));
  if (row.first_pass) {
    total.params = checked_add(total.params, checked_mul(row.counts.params, repeat));
    total.buffers = checked_add(total.buffers, checked_mul(row.counts.buffers, repeat));
  }
  add_bytes(total.bytes, row.counts.bytes, repeat);
  total.compute_time_s += copies * row.point.compute_time_s;
  total.memory_time_s += copies * row.point.memory_time_s;
  total.roofline_time_s += copies * row.point.roofline_time_s;
  add_time(total.expected_time_s, row.expected_time_s, copies);
  add_time(total.measured_time_s, row.layer.measured.warm_s, copies);
}

std::uint64_t needed_memory_byte(const Result& result) {
  return result.pass == "training" ? result.memory->training_byte()
                                   : result.memory->inference_byte();
}

std::optional<double> host_copy_byte_per_s(const Gpu& gpu, HostMemory memory) {
  if (memory == HostMemory::pageable) return gpu.host_pageable_byte_per_s;
  return gpu.host_pinned_byte_per_s ? gpu.host_pinned_byte_per_s : gpu.host_link_byte_per_s;
}

Result begin_result(const std::string& source, const std::string& network, const Gpu& gpu) {
  Result result;
  result.source = source;
  result.network = network;
  result.gpu = gpu.name;
  result.gpu_memory_byte = gpu.memory_byte;
  result.tdp_w = gpu.tdp_w;
  return result;
}

void add_layer(Result& result, const Layer& layer, const Gpu& gpu, const AnalysisOptions& options) {
  const Network alone{"", "", {layer}};
  add_passes(result, alone, 0, gpu, options);
}

void finish_result(Result& result, const Gpu& gpu, const AnalysisOptions& options) {
  std::vector<LayerResult>& rows = result.layers;
  if (rows.empty())
    throw InputError(result.source, "", "expected a layer that runs in this pass, got none");
  result.dtype = common(rows, [](const Layer& layer) { return layer.dtypes.input; });
  result.batch = common(rows, [](const Layer& layer) { return layer.output.batch; });
  result.pass = pass_of(rows, options.training);
  result.main_engine = main_engine_of(rows);
  result.ceilings = ceilings_of(gpu, result.main_engine, options);
  const KernelModel model = kernel_model_of(gpu, result.main_engine, options);
  for (LayerResult& row : rows) {
    evaluate_row(row, result.ceilings, gpu, options);
    plan_row(row, model, result.source, options.cache);
  }
  try {
    result.total = total_of(rows);
  } catch (const OverflowError&) {
    fail_overflow(result);
  }
  result.accuracy = score(rows, options.cache);
  for (LayerResult& row : rows)
    if (time_s(result.total) > 0)
      row.time_share = static_cast<double>(row.layer.repeat) * time_s(row) / time_s(result.total);
}

Result analyze(const Network& network, const Gpu& gpu, const AnalysisOptions& options) {
  Network fused;
  if (options.fuse_epilogues) {
    fused = network;
    fuse_epilogues(fused);
  }
  const Network& prepared = options.fuse_epilogues ? fused : network;
  Result result = begin_result(network.source, network.name, gpu);
  if (options.host_copies) add_copy_in(result, prepared.layers.front(), gpu, options);
  for (std::size_t i = 0; i < prepared.layers.size(); ++i)
    add_passes(result, prepared, i, gpu, options);
  if (options.host_copies) {
    const Layer& last = prepared.layers.back();
    add_row(result, host_copy("copy out", last.output, last.dtypes.output), Pass::fwd, gpu,
            options);
  }
  try {
    result.memory = memory_of(prepared);
  } catch (const OverflowError&) {
    fail_overflow(result);
  }
  finish_result(result, gpu, options);
  return result;
}

}  // namespace roofline
