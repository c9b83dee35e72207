// A report as one JSON document: all results.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/derivation.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "report/formats.hpp"
#include "report/sections.hpp"
#include "results/changes.hpp"
#include "results/explanation.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

using W = JsonWriter;
/// Called between rows.
using PassOn = std::function<void()>;

void write_texts(W& w, std::string_view name, const std::vector<std::string>& texts) {
  w.list(name, texts, [&](const std::string& text) { w.value(text); });
}

/// The known rates by engine.
void write_rates(W& w, std::string_view name, const EngineRates& rates) {
  w.key(name).begin_object();
  for (const Engine engine : enumerators<Engine>)
    if (rates[engine]) w.member(name_of(engine), *rates[engine]);
  w.end_object();
}

template <Enumeration E>
void write_parts(W& w, const EnumArray<E, double>& part_s,
                 std::initializer_list<JsonMember> others = {}) {
  w.key("parts").begin_object();
  for (const E part : enumerators<E>) w.member(std::string(name_of(part)) + "_s", part_s[part]);
  w.members(others).end_object();
}

void write_uncertainty(W& w, const std::optional<Uncertainty>& uncertainty) {
  w.optional("expected_uncertainty", uncertainty, [&](const Uncertainty& each) {
    w.members({{"factor", each.factor}, {"factor_95", each.factor_95}, {"basis", each.basis}});
  });
}

void write_ceilings(W& w, const Result& result) {
  const Ceilings& ceilings = *result.bounds.ceilings;
  const double peak = *rate_of(ceilings.peak_flop_per_s, result.bounds.main_engine);
  w.key("ceilings").begin_object();
  write_rates(w, "peak_flop_per_s", ceilings.peak_flop_per_s);
  w.members({{"bandwidth_byte_per_s", ceilings.bandwidth_byte_per_s},
             {"engine", result.bounds.main_engine},
             {"ridge_flop_per_byte", peak / ceilings.bandwidth_byte_per_s},
             {"kind", ceilings.kind},
             {"cache_byte", result.bounds.cache_byte}});
  w.end_object();
}

void write_setting(W& w, const Setting& setting) {
  w.members({{"source", setting.source}, {"network", setting.network}, {"gpu", setting.gpu}});
}

void write_memory(W& w, const Result& result) {
  w.optional("memory", result.memory, [&](const Memory& memory) {
    w.members({{"weight_byte", memory.weight_byte},
               {"input_byte", memory.input_byte},
               {"peak_activation_byte", memory.peak_activation_byte},
               {"peak_layer", memory.peak_layer},
               {"training_weight_byte", memory.training_weight_byte},
               {"optimizer_state_byte", memory.optimizer_state_byte},
               {"saved_activation_byte", memory.saved_activation_byte},
               {"workspace_byte", memory.workspace_byte},
               {"needed_byte", needed_memory_byte(result)},
               {"gpu_byte", result.setting.gpu_memory_byte},
               {"reserved_byte", result.setting.reserved_memory_byte},
               {"fits", fits(result)}});
  });
}

void write_most_lost(W& w, const Result& result, const std::vector<LostTime>& most_lost) {
  w.list("most_lost", most_lost, [&](const LostTime& lost) {
    const Layer& layer = result.layers[lost.row].layer;
    w.object({{"name", layer.name},
              {"pass", layer.pass},
              {"layers", lost.layers},
              {"lost_s", lost.lost_s},
              {"why", lost.why},
              {"help", text_or_null(lost.help)}});
  });
}

void write_actions(W& w, std::string_view name, const std::vector<Advice>& actions) {
  w.list(name, actions, [&](const Advice& action) {
    w.object({{"action", action.action},
              {"text", action.text},
              {"saved_s", action.saved_s},
              {"at_most", action.at_most}});
  });
}

void write_slow_convolutions(W& w, const Result& result, const std::vector<SlowConvolution>& all) {
  w.list("slow_convolutions", all, [&](const SlowConvolution& slow) {
    const LayerResult& row = result.layers[slow.row];
    w.begin_object();
    w.members({{"name", row.layer.name},
               {"pass", row.layer.pass},
               {"layers", slow.layers},
               {"measured_time_s", row.measured_time_s},
               {"expected_time_s", row.expected_time_s()},
               {"kernel", text_or_null(row.measured->kernel)},
               {"family", text_or_null(slow.family)},
               {"transforms_share", slow.transforms_share}});
    write_texts(w, "traps", slow.traps);
    write_actions(w, "changes", slow.changes);
    w.end_object();
  });
}

void write_measured_summary(W& w, const Result& result) {
  w.optional("measured", result.measured.summary, [&](const MeasuredSummary& summary) {
    w.members({{"rows", summary.rows},
               {"measured_time_s", summary.total.measured_time_s},
               {"roofline_time_s", summary.total.roofline_time_s},
               {"expected_time_s", summary.total.expected_time_s},
               {"unexplained_s", summary.unexplained_s},
               {"overcounted_rows", summary.overcounted},
               {"overcounted_s", summary.overcounted_s}});
    write_parts(w, summary.part_s, {{"not_split_s", summary.not_split_s}});
    w.list("by_type", summary.types, [&](const TypeRow& type) {
      w.object({{"type", info(type.kind).name},
                {"rows", type.rows},
                {"measured_time_s", type.total.measured_time_s},
                {"roofline_time_s", type.total.roofline_time_s},
                {"expected_time_s", type.total.expected_time_s}});
    });
    write_most_lost(w, result, summary.most_lost);
    write_slow_convolutions(w, result, summary.slow_convolutions);
    const BadChoices& bad = summary.bad_choices;
    w.key("bad_choices")
        .object({{"layers", bad.layers},
                 {"measured_s", bad.measured_s},
                 {"expected_s", bad.expected_s},
                 {"gain_s", bad.gain_s()}});
  });
}

void write_verdict(W& w, const Result& result) {
  w.optional("verdict", result.measured.verdict, [&](const Verdict& verdict) {
    w.members({{"step_s", verdict.step_s},
               {"recorded_step_s", verdict.recorded_step_s},
               {"step_is_stated", verdict.is_stated},
               {"knows_gaps", verdict.knows_gaps},
               {"idle_s", verdict.idle_s()}});
    write_parts(w, verdict.part_s);
    write_actions(w, "actions", verdict.actions);
  });
}

void write_recording(W& w, const Result& result) {
  w.optional("recording", result.measured.recording, [&](const TraceSummary& trace) {
    w.members({{"recorder", trace.recorder},
               {"device", text_or_null(trace.gpu.name)},
               {"steps", trace.steps},
               {"span_s", trace.span_s},
               {"busy_s", trace.busy_s},
               {"idle_s", trace.idle_s()},
               {"kernel_s", trace.kernel_s},
               {"layers_s", trace.layers_s},
               {"between_gpus_s", trace.between_gpus_s()},
               {"host_link_s", trace.host_link_s()},
               {"explained_share", trace.explained_share()},
               {"launches", trace.launches},
               {"latency_s", trace.latency_s},
               {"host_s", trace.host_s},
               {"copies_alone_s", trace.copies_alone_s},
               {"collectives_alone_s", trace.collectives_alone_s},
               {"layout_s", trace.layout_s}});
    write_recording_lists(w, result);
    write_texts(w, "notes", trace.notes);
  });
}

void write_layers(W& w, const ShownResult& result, const PassOn& pass_on) {
  w.objects("layers", result.selection.rows, [&](std::size_t row) {
    write_fields(w, line_of(result, result.layers[row]));
    pass_on();
  });
  // Reports of points have dropped their rows.
  w.member("layers_in_all", sum_over(result.types, &TypeRow::rows));
}

void write_sums(W& w, const Result& result) {
  const NetworkBounds* bounds = result.bounds.network ? &*result.bounds.network : nullptr;
  w.key("total").begin_object();
  write_fields(w, TypeRow{.total = result.total});
  w.members({{"cached_bound_s", bounds ? Cell(bounds->cached_bound_s) : Cell()},
             {"fused_bound_s", bounds ? Cell(bounds->fused_bound_s) : Cell()},
             {"compute_bound_s", bounds ? Cell(bounds->compute_bound_s) : Cell()}});
  w.end_object();
}

void write_result(W& w, const ShownResult& result, const PassOn& pass_on) {
  const Setting& setting = result.setting;
  write_setting(w, setting);
  w.list("gpu_changes", setting.gpu_changes, [&](const GpuChange& change) {
    w.object({{"field", change.field},
              {"unit", text_or_null(change.unit)},
              {"from", change.from},
              {"to", change.to}});
  });
  w.members({{"dtype", setting.dtype},
             {"batch", setting.batch},
             {"pass", setting.training ? Cell("training") : Cell(setting.pass)},
             {"framework", setting.framework},
             {"runs_as", runs_as_cell(setting.runs_as)}});
  write_ceilings(w, result);
  write_layers(w, result, pass_on);
  w.objects("by_type", result.types, [&](const TypeRow& type) { write_fields(w, type, true); });
  write_memory(w, result);
  write_accuracy(w, result);
  w.member("measured_times_not_compared", result.measured.not_compared);
  w.optional("impossible_times", result.measured.impossible, [&](const ImpossibleTimes& times) {
    w.members({{"rows", times.rows},
               {"name", result.layers[times.row].layer.name},
               {"least_time_s", times.least_s},
               {"factor", times.factor}});
  });
  write_measured_summary(w, result);
  write_verdict(w, result);
  write_recording(w, result);
  write_sums(w, result);
}

void write_kernel_table(W& w, const Shown<KernelTable>& table) {
  const KernelRecording& recording = *table.recording;
  const bool knows_idle = recording.span_s && recording.busy_s;
  w.members({{"source", recording.source},
             {"recording", recording.name},
             {"gpu", text_or_null(table.gpu)},
             {"recorder", recording.recorder},
             {"device", text_or_null(recording.gpu.name)},
             {"span_s", recording.span_s},
             {"busy_s", recording.busy_s},
             {"idle_s", knows_idle ? Cell(*recording.span_s - *recording.busy_s) : Cell()},
             {"time_s", table.time_s},
             {"launches", table.launches}});
  w.optional("ceilings", table.bounds, [&](const Bounds& bounds) {
    write_rates(w, "peak_flop_per_s", bounds.ceilings->peak_flop_per_s);
    w.members({{"bandwidth_byte_per_s", bounds.ceilings->bandwidth_byte_per_s},
               {"l2_byte_per_s", bounds.roofs->l2_byte_per_s},
               {"engine", bounds.main_engine},
               {"kind", bounds.ceilings->kind}});
  });
  w.objects("kernels", table.selection.rows, [&](std::size_t row) {
    write_fields(w, KernelLine{table, table.rows[row]});
    write_rates(w, "flops_by_engine", table.rows[row].kernel.counters.flop);
  });
  w.member("kernels_in_all", table.rows.size());
  write_texts(w, "notes", recording.notes);
}

/// The selected rows, and the best ones.
void write_points(W& w, const Shown<SettingsTable>& table, const std::string& currency) {
  std::set<std::size_t> rows(table.selection.rows.begin(), table.selection.rows.end());
  for (const auto& row : {table.best, table.cheapest})
    if (row) rows.insert(*row);
  const auto place_of = [&](const std::optional<std::size_t>& row) -> Cell {
    if (!row) return {};
    return static_cast<std::uint64_t>(std::distance(rows.begin(), rows.find(*row)));
  };
  w.members({{"network", table.work}, {"training", table.training}});
  w.objects("rows", rows, [&](std::size_t row) {
    write_fields(w, SettingLine{table, table.rows[row]});
  });
  w.members({{"rows_in_all", table.rows.size()},
             {"ranked_by", table.ranked_by},
             {"best", place_of(table.best)},
             {"cheapest", place_of(table.cheapest)},
             {"currency", text_or_null(currency)}});
}

void write_change_group(W& w, std::string_view name, const Changes& changes,
                        const ChangeGroup& group) {
  const auto expected = [&](double number) {
    return changes.times == ChangesOf::expected ? Cell(number) : Cell();
  };
  w.list(name, group.work, [&](const Change& each) {
    w.object({{"name", each.name},
              {"later_name", text_or_null(each.later_name)},
              {"pass", each.pass},
              {"before_s", each.before.time_s},
              {"after_s", each.after.time_s},
              {"before_count", each.before.count},
              {"after_count", each.after.count},
              {"before_flop", expected(each.before.flop)},
              {"after_flop", expected(each.after.flop)},
              {"before_byte", expected(each.before.byte)},
              {"after_byte", expected(each.after.byte)},
              {"before_limiter", each.before.limiter},
              {"after_limiter", each.after.limiter},
              {"hardware_ratio", part_of(each.split, &RatioSplit::hardware)},
              {"kernels_ratio", part_of(each.split, &RatioSplit::kernels)},
              {"library_ratio", part_of(each.split, &RatioSplit::library)}});
  });
}

void write_changes(W& w, const std::optional<Changes>& all) {
  w.optional("changes", all, [&](const Changes& changes) {
    w.members({{"before", changes.before},
               {"after", changes.after},
               {"times", changes.times},
               {"before_s", changes.changed.before_s},
               {"after_s", changes.changed.after_s},
               {"hardware_ratio", part_of(changes.changed.split, &RatioSplit::hardware)},
               {"kernels_ratio", part_of(changes.changed.split, &RatioSplit::kernels)},
               {"library_ratio", part_of(changes.changed.split, &RatioSplit::library)},
               {"only_before", changes.gone.work.size()},
               {"only_after", changes.come.work.size()},
               {"gone_s", changes.gone.before_s},
               {"come_s", changes.come.after_s}});
    write_run(w, "before_run", changes.before_run);
    write_run(w, "after_run", changes.after_run);
    write_change_group(w, "layers", changes, changes.changed);
    write_change_group(w, "gone", changes, changes.gone);
    write_change_group(w, "come", changes, changes.come);
  });
}

void write_advice(W& w, std::string_view name, const std::vector<Advice>& all) {
  w.list(name, all, [&](const Advice& advice) {
    w.object({{"change", advice.text},
              {"time_s", advice.time_s},
              {"speedup", advice.time_s ? Cell(advice.speedup) : Cell()}});
  });
}

void write_explanation(W& w, const Report& report, const Explanation& explanation) {
  const Result& result = report.results[explanation.result];
  write_fields(w, line_of(result, result.layers[explanation.row]), true);
  w.list("derivation", explanation.steps, [&](const DerivationStep& step) {
    const std::string origin = fmt::format("{}", fmt::join(step.origins, "; "));
    w.object({{"quantity", step.quantity},
              {"expression", text_or_null(step.expression)},
              {"value", step.value},
              {"unit", text_or_null(step.unit)},
              {"origin", text_or_null(origin)}});
  });
  write_advice(w, "advice", explanation.advice);
}

void write_network_explanation(W& w, const Report& report, const NetworkExplanation& explanation) {
  const Result& result = report.results[explanation.result];
  write_setting(w, result.setting);
  w.members({{"dtype", result.setting.dtype},
             {"batch", result.setting.batch},
             {"time_s", result.total.time_s}});
  write_uncertainty(w, result.total.expected_uncertainty);
  w.key("limiter_share").begin_object();
  for (const Limiter limiter : enumerators<Limiter>)
    w.member(name_of(limiter), explanation.limiter_share[limiter]);
  w.member("other", explanation.other_share).end_object();
  w.list("layers", explanation.layers, [&](const MainLayer& layer) {
    const LayerResult& first = result.layers[layer.rows.front()];
    w.object({{"name", first.layer.name},
              {"pass", first.layer.pass},
              {"layers", layer.rows.size()},
              {"time_s", layer.time_s},
              {"share", layer.share},
              {"limiter", first.kernel ? Cell(first.kernel->limiter()) : Cell()}});
  });
  write_advice(w, "changes", explanation.changes);
  w.list("sensitivity", explanation.sensitivity, [&](const Sensitivity& each) {
    w.object({{"what", each.what}, {"time_s", each.time_s}, {"saved_share", each.saved_share}});
  });
}

void write_head(W& w) {
  w.members({{"schema_version", schema_version}, {"roofline_version", ROOFLINE_VERSION}});
  w.key("conventions")
      .object({{"flop_per_mac", std::uint64_t{2}},
               {"bytes",
                "what is needed of each operand read once, each result written once, at its own "
                "data type"},
               {"peaks", "dense; tensor peaks with fp32 accumulation"},
               {"units", "powers of ten, base units in every key"}});
}

}  // namespace

void write_json(const Report& report, const RenderStyle&, const Sink& sink) {
  std::string text;
  const PassOn pass_on = [&] {
    if (text.size() < worth_byte) return;
    sink(text);
    text.clear();
  };
  W w(text, true);
  w.begin_object();
  write_head(w);
  w.objects("results", report.results,
            [&](const ShownResult& result) { write_result(w, result, pass_on); });
  w.objects("kernel_tables", report.kernels,
            [&](const Shown<KernelTable>& table) { write_kernel_table(w, table); });
  w.objects("points", report.points,
            [&](const Shown<SettingsTable>& table) { write_points(w, table, report.currency); });
  write_changes(w, report.changes);
  w.objects("explanations", report.explanations,
            [&](const Explanation& each) { write_explanation(w, report, each); });
  w.objects("network_explanations", report.network_explanations,
            [&](const NetworkExplanation& each) { write_network_explanation(w, report, each); });
  w.list("errors", report.errors, [&](const InputError& error) {
    w.object({{"source", error.source}, {"where", error.where}, {"message", error.message}});
  });
  w.end_object();
  sink(text + '\n');
}

}  // namespace roofline
