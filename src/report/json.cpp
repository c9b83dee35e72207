#include <fmt/format.h>

#include <cmath>

#include "report/fields.hpp"
#include "report/formats.hpp"
#include "report/json_kernels.hpp"
#include "report/json_measured.hpp"
#include "report/pieces.hpp"
#include "report/point_fields.hpp"
#include "report/version.hpp"

namespace roofline {
namespace {

void write_bytes(JsonWriter& w, const Bytes& bytes) {
  w.key("bytes")
      .begin_object()
      .member("input", bytes.input)
      .member("weight", bytes.weight)
      .member("output", bytes.output)
      .member("total", bytes.total)
      .end_object();
}

void write_uncertainty(JsonWriter& w, const std::optional<Uncertainty>& uncertainty) {
  w.key("expected_uncertainty");
  if (!uncertainty) {
    w.value({});
    return;
  }
  w.begin_object()
      .member("factor", uncertainty->factor)
      .member("factor_95", uncertainty->factor_95)
      .member("basis", cell(name_of(uncertainty->basis)))
      .end_object();
}

void write_total(JsonWriter& w, const Total& total) {
  w.member("macs", total.macs)
      .member("flops", total.flops)
      .member("params", total.params)
      .member("buffers", total.buffers);
  write_bytes(w, total.bytes);
  w.member("compute_time_s", total.compute_time_s)
      .member("memory_time_s", total.memory_time_s)
      .member("roofline_time_s", total.roofline_time_s)
      .member("expected_time_s", cell(total.expected_time_s));
  write_uncertainty(w, total.expected_uncertainty);
  w.member("measured_time_s", cell(total.measured_time_s));
}

/// Unknown of anything but a whole network.
void write_network_bounds(JsonWriter& w, const std::optional<NetworkBounds>& bounds) {
  const auto compute_s = bounds ? std::optional(bounds->compute_bound_s) : std::nullopt;
  w.member("cached_bound_s", cell(bounds ? bounds->cached_bound_s : std::nullopt))
      .member("fused_bound_s", cell(bounds ? bounds->fused_bound_s : std::nullopt))
      .member("compute_bound_s", cell(compute_s));
}

void write_ceilings(JsonWriter& w, const Result& result) {
  const Ceilings& ceilings = result.bounds.ceilings;
  const double peak = *rate_of(ceilings.peak_flop_per_s, result.bounds.main_engine);
  w.key("ceilings").begin_object().key("peak_flop_per_s");
  write_rates(w, ceilings.peak_flop_per_s);
  w.member("bandwidth_byte_per_s", ceilings.bandwidth_byte_per_s)
      .member("engine", cell(name_of(result.bounds.main_engine)))
      .member("ridge_flop_per_byte", peak / ceilings.bandwidth_byte_per_s)
      .member("kind", cell(name_of(ceilings.kind)))
      .member("cache_byte", cell(result.bounds.cache_byte))
      .end_object();
}

void write_gpu_changes(JsonWriter& w, const std::vector<GpuChange>& changes) {
  w.key("gpu_changes").begin_array();
  for (const GpuChange& change : changes)
    w.begin_object()
        .member("field", change.field)
        .member("unit", text_or_null(change.unit))
        .member("from", cell(change.from))
        .member("to", change.to)
        .end_object();
  w.end_array();
}

void write_memory(JsonWriter& w, const Result& result) {
  w.key("memory");
  if (!result.memory) {
    w.value({});
    return;
  }
  const Memory& memory = *result.memory;
  w.begin_object()
      .member("weight_byte", memory.weight_byte)
      .member("peak_activation_byte", memory.peak_activation_byte)
      .member("peak_layer", memory.peak_layer)
      .member("training_weight_byte", memory.training_weight_byte)
      .member("optimizer_state_byte", memory.optimizer_state_byte)
      .member("saved_activation_byte", memory.saved_activation_byte)
      .member("workspace_byte", memory.workspace_byte)
      .member("needed_byte", cell(needed_memory_byte(result)))
      .member("gpu_byte", cell(result.setting.gpu_memory_byte))
      .member("fits", cell(fits(result)))
      .end_object();
}

void write_types(JsonWriter& w, const Result& result) {
  w.key("by_type").begin_array();
  for (const TypeRow& type : result.types) {
    w.begin_object().member("type", cell(info(type.kind).name)).member("rows", type.rows);
    write_total(w, type.total);
    w.member("time_share", type.time_share).end_object();
  }
  w.end_array();
}

void write_error(JsonWriter& w, std::string_view name, const ModelError& error) {
  w.key(name)
      .begin_object()
      .member("bias", error.bias)
      .member("gerr", error.gerr)
      .member("median_error", error.median_error)
      .member("within_25", error.within_25)
      .end_object();
}

void write_accuracy(JsonWriter& w, const Result& result) {
  w.key("accuracy").begin_array();
  for (const Accuracy& score : result.measured.accuracy) {
    w.begin_object()
        .member("class", cell(name_of(score.layer_class)))
        .member("pass", cell(name_of(score.pass)))
        .member("dtype", cell(name_of(score.dtype)))
        .member("layers", score.layers);
    write_error(w, "expected", score.expected);
    write_error(w, "roofline", score.roofline);
    w.key("worst").begin_array();
    for (const WorstLayer& layer : score.worst)
      w.begin_object().member("name", layer.name).member("ratio", layer.ratio).end_object();
    w.end_array().end_object();
  }
  w.end_array();
}

void write_explanation(JsonWriter& w, const Report& report, const Explanation& explanation) {
  const Result& result = report.results[explanation.result];
  const LayerResult& row = result.layers[explanation.row];
  w.begin_object();
  write_fields(w, {result.setting.source, result.setting.network, result.setting.gpu, row}, true);
  w.key("derivation").begin_array();
  for (const DerivationStep& step : explanation.steps) {
    const std::string origin = fmt::format("{}", fmt::join(step.origins, "; "));
    w.begin_object()
        .member("quantity", step.quantity)
        .member("expression", text_or_null(step.expression))
        .member("value", step.value)
        .member("unit", text_or_null(step.unit))
        .member("origin", text_or_null(origin))
        .end_object();
  }
  w.end_array().key("advice").begin_array();
  for (const Advice& advice : explanation.advice)
    w.begin_object()
        .member("change", advice.change)
        .member("time_s", cell(advice.time_s))
        .member("speedup", advice.time_s ? Cell(advice.speedup) : Cell())
        .end_object();
  w.end_array().end_object();
}

void write_comparison(JsonWriter& w, const std::vector<ComparisonRow>& rows) {
  w.key("comparison").begin_array();
  for (const ComparisonRow& row : rows)
    w.begin_object()
        .member("name", row.name)
        .member("batch", cell(row.batch))
        .member("gpu", row.gpu)
        .member("time_s", row.time_s)
        .member("speedup", row.speedup)
        .member("roofline_time_s", row.roofline_time_s)
        .member("compute_bound_share", row.compute_bound_share)
        .member("energy_at_tdp_j", cell(row.energy_at_tdp_j))
        .member("fewest_joules", row.fewest_joules)
        .end_object();
  w.end_array();
}

void write_sweep(JsonWriter& w, const Sweep& sweep) {
  w.begin_object().member("network", sweep.network).member("gpu", sweep.gpu);
  w.key("rows").begin_array();
  for (const SweepRow& row : sweep.rows)
    w.begin_object()
        .member("batch", row.batch)
        .member("copies_s", row.copies_s)
        .member("conv_s", row.conv_s)
        .member("linear_s", row.linear_s)
        .member("pool_s", row.pool_s)
        .member("other_s", row.other_s)
        .member("total_s", row.total_s)
        .member("roofline_time_s", row.roofline_time_s)
        .member("time_per_image_s", row.time_per_image_s)
        .member("images_per_s", row.images_per_s)
        .member("needed_memory_byte", cell(row.needed_memory_byte))
        .member("fits", cell(row.fits))
        .end_object();
  w.end_array()
      .member("best_batch", cell(sweep.best_batch))
      .member("near_best_from_batch", cell(sweep.near_best_from))
      .end_object();
}

void write_points(JsonWriter& w, const PointTable& table) {
  const auto at = [](const std::optional<std::size_t>& index) {
    return index ? Cell(std::uint64_t{*index}) : Cell();
  };
  w.begin_object().member("network", table.network).member("training", table.training);
  w.key("rows").begin_array();
  for (const OperatingPoint& point : table.points) {
    w.begin_object();
    write_point_fields(w, table, point, false);
    w.end_object();
  }
  w.end_array()
      .member("ranked_by", optional_name(table.ranked_by))
      .member("best", at(table.best))
      .member("fewest_joules", at(table.fewest_joules))
      .member("cheapest", at(table.cheapest));
  w.key("compute_bound_from").begin_array();
  for (const ComputeBoundFrom& each : table.compute_bound_from)
    w.begin_object()
        .member("gpu", each.gpu)
        .member("dtype", optional_name(each.dtype))
        .member("batch", cell(each.batch))
        .end_object();
  w.end_array().end_object();
}

/// Unknown without a framework, and where it runs every layer on its data type's engine.
void write_other_engine(JsonWriter& w, const Result& result) {
  w.key("other_engine");
  if (!result.other_engine) {
    w.value({});
    return;
  }
  w.begin_object()
      .member("engine", cell(name_of(result.other_engine->engine)))
      .member("own_engine", cell(name_of(result.other_engine->own)))
      .member("expected_time_s", result.other_engine->expected_s)
      .member("own_expected_time_s", result.other_engine->own_expected_s)
      .end_object();
}

/// Of points as well, which have no rows any more.
std::uint64_t layers_of_all_types(const Result& result) {
  std::uint64_t layers = 0;
  for (const TypeRow& type : result.types) layers += type.rows;
  return layers;
}

void write_result(JsonWriter& w, const Result& result, const Selection& selection, Pieces& pieces) {
  w.begin_object()
      .member("source", result.setting.source)
      .member("network", result.setting.network)
      .member("gpu", result.setting.gpu);
  write_gpu_changes(w, result.setting.gpu_changes);
  w.member("dtype", optional_name(result.setting.dtype))
      .member("batch", cell(result.setting.batch))
      .member("pass",
              result.setting.training ? cell("training") : optional_name(result.setting.pass))
      .member("framework", optional_name(result.setting.framework));
  write_other_engine(w, result);
  write_ceilings(w, result);
  w.key("layers").begin_array();
  for (const std::size_t row : selection.rows) {
    w.begin_object();
    write_fields(
        w, {result.setting.source, result.setting.network, result.setting.gpu, result.layers[row]},
        false);
    w.end_object();
    pieces.pass_on();
  }
  w.end_array();
  w.member("layers_in_all", layers_of_all_types(result));
  write_types(w, result);
  write_memory(w, result);
  write_accuracy(w, result);
  w.member("measured_times_not_compared", result.measured.not_compared);
  write_measured_summary(w, result);
  write_verdict(w, result);
  write_recording(w, result);
  w.key("total").begin_object();
  write_total(w, result.total);
  write_network_bounds(w, result.bounds.network);
  w.end_object().end_object();
}

void write_network_explanation(JsonWriter& w, const NetworkExplanation& explanation,
                               const Result& result) {
  w.begin_object()
      .member("source", result.setting.source)
      .member("network", result.setting.network)
      .member("gpu", result.setting.gpu)
      .member("dtype", optional_name(result.setting.dtype))
      .member("batch", cell(result.setting.batch))
      .member("time_s", result.total.time_s);
  write_uncertainty(w, result.total.expected_uncertainty);
  w.key("limiter_share").begin_object();
  for (const Limiter limiter : enumerators<Limiter>)
    w.member(name_of(limiter), explanation.limiter_share[limiter]);
  w.member("other", explanation.other_share).end_object().key("layers").begin_array();
  for (const MainLayer& layer : explanation.layers) {
    const LayerResult& first = result.layers[layer.rows.front()];
    w.begin_object()
        .member("name", first.layer.name)
        .member("pass", cell(name_of(first.layer.pass)))
        .member("layers", std::uint64_t{layer.rows.size()})
        .member("time_s", layer.time_s)
        .member("share", layer.share)
        .member("limiter", first.kernel ? cell(name_of(first.kernel->limiter)) : Cell())
        .end_object();
  }
  w.end_array().key("changes").begin_array();
  for (const NetworkChange& change : explanation.changes)
    w.begin_object()
        .member("change", change.change)
        .member("time_s", change.time_s)
        .member("speedup", change.speedup)
        .end_object();
  w.end_array().key("sensitivity").begin_array();
  for (const Sensitivity& each : explanation.sensitivity)
    w.begin_object()
        .member("what", each.what)
        .member("time_s", each.time_s)
        .member("saved_share", each.saved_share)
        .end_object();
  w.end_array().end_object();
}

void write_network_explanations(JsonWriter& w, const Report& report) {
  w.key("network_explanations").begin_array();
  for (const NetworkExplanation& each : report.network_explanations)
    write_network_explanation(w, each, report.results[each.result]);
  w.end_array();
}

void write_conventions(JsonWriter& w) {
  w.key("conventions")
      .begin_object()
      .member("flop_per_mac", std::uint64_t{2})
      .member("bytes", cell("each operand read once, each result written once, at its own data "
                            "type"))
      .member("peaks", cell("dense; tensor peaks with fp32 accumulation"))
      .member("units", cell("powers of ten, base units in every key"))
      .end_object();
}

}  // namespace

void write_json(const Report& report, const RenderStyle&, const Sink& sink) {
  Pieces pieces(sink);
  JsonWriter w(pieces.text(), true);
  w.begin_object()
      .member("schema_version", schema_version)
      .member("roofline_version", cell(ROOFLINE_VERSION));
  write_conventions(w);
  w.key("results").begin_array();
  for (std::size_t i = 0; i < report.results.size(); ++i)
    write_result(w, report.results[i], report.selections[i], pieces);
  w.end_array();
  write_kernel_tables(w, report);
  write_comparison(w, report.comparison);
  w.key("sweeps").begin_array();
  for (const Sweep& sweep : report.sweeps) write_sweep(w, sweep);
  w.end_array().key("points").begin_array();
  for (const PointTable& table : report.points) write_points(w, table);
  w.end_array();
  write_changes(w, report.changes);
  w.key("explanations").begin_array();
  for (const Explanation& each : report.explanations) write_explanation(w, report, each);
  w.end_array();
  write_network_explanations(w, report);
  w.key("errors").begin_array();
  for (const InputError& error : report.errors)
    w.begin_object()
        .member("source", error.source)
        .member("where", error.where)
        .member("message", error.message)
        .end_object();
  w.end_array().end_object();
  pieces.text() += '\n';
  pieces.flush();
}

}  // namespace roofline
