#include "report/json_measured.hpp"

namespace roofline {
namespace {

void write_most_lost(JsonWriter& w, const Result& result) {
  w.key("most_lost").begin_array();
  for (const LostTime& lost : result.measured.summary->most_lost)
    w.begin_object()
        .member("name", result.layers[lost.row].layer.name)
        .member("pass", cell(name_of(result.layers[lost.row].layer.pass)))
        .member("layers", std::uint64_t{lost.layers})
        .member("lost_s", lost.lost_s)
        .member("why", lost.why)
        .member("help", text_or_null(lost.help))
        .end_object();
  w.end_array();
}

void write_transfers(JsonWriter& w, const TraceSummary& trace) {
  w.key("transfers").begin_array();
  for (const Transfer& each : trace.transfers)
    w.begin_object()
        .member("kind", name_of(each.kind))
        .member("what", text_or_null(each.what))
        .member("ranks", cell(each.ranks))
        .member("launches", each.launches)
        .member("byte", cell(each.byte))
        .member("time_s", each.time_s)
        .member("hidden_s", each.hidden_s)
        .member("exposed_s", each.exposed_s())
        .member("algorithm_byte_per_s", cell(each.algorithm_byte_per_s()))
        .member("bus_byte_per_s", cell(each.bus_byte_per_s()))
        .end_object();
  w.end_array();
}

void write_run(JsonWriter& w, std::string_view name, const RunTotals& run) {
  w.key(name)
      .begin_object()
      .member("work_s", run.work_s)
      .member("step_s", cell(run.step_s))
      .member("busy_s", cell(run.busy_s))
      .member("idle_s", cell(run.idle_s))
      .member("launches", cell(run.launches))
      .member("roofline_s", cell(run.roofline_s))
      .member("time_per_image_s", cell(run.time_per_image_s))
      .member("images_per_s", cell(run.images_per_s))
      .member("flop", cell(run.flop))
      .member("byte", cell(run.byte))
      .member("needed_memory_byte", cell(run.needed_memory_byte))
      .end_object();
}

void write_group(JsonWriter& w, std::string_view name, const Changes& changes,
                 const ChangeGroup& group) {
  const auto expected = [&](double number) {
    return changes.times == ChangesOf::expected ? Cell(number) : Cell();
  };
  const auto limiter = [](const WorkTime& work) {
    return work.limiter ? cell(name_of(*work.limiter)) : Cell();
  };
  w.key(name).begin_array();
  for (const Change& each : group.work)
    w.begin_object()
        .member("name", each.name)
        .member("later_name", text_or_null(each.later_name))
        .member("pass", each.pass ? cell(name_of(*each.pass)) : Cell())
        .member("before_s", each.before.time_s)
        .member("after_s", each.after.time_s)
        .member("before_count", each.before.count)
        .member("after_count", each.after.count)
        .member("before_flop", expected(each.before.flop))
        .member("after_flop", expected(each.after.flop))
        .member("before_byte", expected(each.before.byte))
        .member("after_byte", expected(each.after.byte))
        .member("before_limiter", limiter(each.before))
        .member("after_limiter", limiter(each.after))
        .end_object();
  w.end_array();
}

}  // namespace

void write_rates(JsonWriter& w, const EngineRates& rates) {
  w.begin_object();
  for (const Engine engine : enumerators<Engine>)
    if (rates[engine]) w.member(name_of(engine), *rates[engine]);
  w.end_object();
}

void write_measured_summary(JsonWriter& w, const Result& result) {
  w.key("measured");
  if (!result.measured.summary) {
    w.value({});
    return;
  }
  const MeasuredSummary& summary = *result.measured.summary;
  w.begin_object()
      .member("rows", summary.rows)
      .member("measured_time_s", summary.measured_s)
      .member("roofline_time_s", summary.roofline_s)
      .member("expected_time_s", summary.expected_s)
      .member("unexplained_s", summary.unexplained_s);
  w.key("parts").begin_object();
  for (const Limiter limiter : enumerators<Limiter>)
    w.member(std::string(name_of(limiter)) + "_s", summary.part_s[limiter]);
  w.end_object().key("by_type").begin_array();
  for (const MeasuredType& type : summary.types)
    w.begin_object()
        .member("type", cell(info(type.kind).name))
        .member("rows", type.rows)
        .member("measured_time_s", type.measured_s)
        .member("roofline_time_s", type.roofline_s)
        .member("expected_time_s", type.expected_s)
        .end_object();
  w.end_array();
  write_most_lost(w, result);
  w.key("best_achieved").begin_object().key("flop_per_s");
  write_rates(w, summary.best_flop_per_s);
  w.member("byte_per_s", cell(summary.best_byte_per_s)).end_object().end_object();
}

void write_verdict(JsonWriter& w, const Result& result) {
  w.key("verdict");
  if (!result.measured.verdict) {
    w.value({});
    return;
  }
  const Verdict& verdict = *result.measured.verdict;
  w.begin_object()
      .member("step_s", verdict.step_s)
      .member("knows_gaps", verdict.knows_gaps)
      .member("idle_s", verdict.idle_s());
  w.key("parts").begin_object();
  for (const StepPart part : enumerators<StepPart>)
    w.member(std::string(name_of(part)) + "_s", verdict.part_s[part]);
  w.end_object().key("actions").begin_array();
  for (const Action& action : verdict.actions)
    w.begin_object()
        .member("action", cell(name_of(action.kind)))
        .member("text", action.text)
        .member("saved_s", action.saved_s)
        .member("at_most", action.at_most)
        .end_object();
  w.end_array().end_object();
}

void write_changes(JsonWriter& w, const std::optional<Changes>& changes) {
  w.key("changes");
  if (!changes) {
    w.value({});
    return;
  }
  w.begin_object()
      .member("before", changes->before)
      .member("after", changes->after)
      .member("times", cell(name_of(changes->times)))
      .member("before_s", changes->changed.before_s)
      .member("after_s", changes->changed.after_s)
      .member("only_before", std::uint64_t{changes->gone.work.size()})
      .member("only_after", std::uint64_t{changes->come.work.size()})
      .member("gone_s", changes->gone.before_s)
      .member("come_s", changes->come.after_s);
  write_run(w, "before_run", changes->before_run);
  write_run(w, "after_run", changes->after_run);
  write_group(w, "layers", *changes, changes->changed);
  write_group(w, "gone", *changes, changes->gone);
  write_group(w, "come", *changes, changes->come);
  w.end_object();
}

void write_recording(JsonWriter& w, const Result& result) {
  w.key("recording");
  if (!result.measured.recording) {
    w.value({});
    return;
  }
  const TraceSummary& trace = *result.measured.recording;
  w.begin_object()
      .member("recorder", trace.recorder)
      .member("device", text_or_null(trace.gpu.name))
      .member("steps", std::uint64_t{trace.steps})
      .member("span_s", trace.span_s)
      .member("busy_s", trace.busy_s)
      .member("idle_s", trace.idle_s())
      .member("kernel_s", trace.kernel_s)
      .member("layers_s", trace.layers_s)
      .member("between_gpus_s", trace.between_gpus_s())
      .member("host_link_s", trace.host_link_s())
      .member("explained_share", trace.explained_share())
      .member("launches", trace.launches)
      .member("latency_s", cell(trace.latency_s))
      .member("host_s", trace.host_s)
      .member("copies_alone_s", trace.copies_alone_s)
      .member("collectives_alone_s", trace.collectives_alone_s)
      .member("layout_s", trace.layout_s);
  w.key("gaps").begin_array();
  for (const IdleGaps& gaps : trace.gaps)
    w.begin_object()
        .member("cause", cell(name_of(gaps.cause)))
        .member("during", text_or_null(gaps.during))
        .member("count", gaps.count)
        .member("time_s", gaps.time_s)
        .member("longest_s", gaps.longest_s)
        .end_object();
  w.end_array().key("chains").begin_array();
  for (const ElementwiseChain& chain : trace.chains) {
    w.begin_object().member("runs", chain.runs).key("layers").begin_array();
    for (const std::string& name : chain.layers) w.value(name);
    w.end_array().end_object();
  }
  w.end_array();
  write_transfers(w, trace);
  w.key("unmodelled").begin_array();
  for (const UnmodelledWork& work : trace.unmodelled)
    w.begin_object()
        .member("name", work.name)
        .member("reason", work.reason)
        .member("shapes", text_or_null(work.shapes))
        .member("launches", work.launches)
        .member("time_s", work.time_s)
        .end_object();
  w.end_array().key("notes").begin_array();
  for (const std::string& note : trace.notes) w.value(note);
  w.end_array().end_object();
}

}  // namespace roofline
