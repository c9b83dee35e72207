// What stands below the rows of a measured input.

#include <fmt/format.h>

#include <algorithm>

#include "report/summary.hpp"
#include "report/text.hpp"
#include "report/transfers.hpp"

namespace roofline {
namespace {

std::string share_text(double part_s, double whole_s) {
  return whole_s > 0 ? percent(part_s / whole_s) : "";
}

std::string over(double a_s, double b_s) { return b_s > 0 ? ratio_text(a_s / b_s) : ""; }

}  // namespace

std::string_view unexplained_text(double unexplained_s) {
  return unexplained_s < 0 ? "faster than the model" : "slower than the model";
}

std::string recording_sentences(const Result& result) {
  if (!result.measured.recording) return "";
  const TraceSummary& trace = *result.measured.recording;
  std::string text = fmt::format("{}{}: GPU busy {}", printable(trace.recorder),
                                 trace.gpu.name.empty() ? "" : " on " + printable(trace.gpu.name),
                                 duration(trace.busy_s));
  if (trace.span_s > 0 && !trace.times_hold_launches)
    text += fmt::format(" and idle {} of {}", duration(trace.idle_s()), duration(trace.span_s));
  if (trace.steps > 1) text += fmt::format(" a step, the mean of {}", trace.steps);
  text += fmt::format("; {} launches\n", plain(trace.launches)) + explained_sentence(trace);
  if (trace.latency_s)
    text += fmt::format("one run timed from outside takes {}\n", duration(*trace.latency_s));
  for (const std::string& note : trace.notes) text += printable(note) + '\n';
  if (trace.times_hold_launches) return text;
  return text +
         "expected: kernels alone, without the gaps between them, as the profiler times them\n";
}

Grid idle_grid(const TraceSummary& recording, std::size_t most) {
  Grid grid;
  grid.columns = {{"GPU idle while the host ran", true},
                  {"cause", true},
                  {"gaps"},
                  {"longest"},
                  {"time"},
                  {"of idle"}};
  const double idle_s = recording.idle_s();
  double rest_s = idle_s;
  for (std::size_t i = 0; i < std::min(most, recording.gaps.size()); ++i) {
    const IdleGaps& gaps = recording.gaps[i];
    std::string cause(name_of(gaps.cause));
    std::replace(cause.begin(), cause.end(), '_', ' ');
    grid.add_row({gaps.during.empty()
                      ? (gaps.cause == IdleCause::queued ? "(work was queued)"
                                                         : "(nothing recorded, or short)")
                      : shortened(printable(gaps.during), 60),
                  cause, plain(gaps.count), duration(gaps.longest_s), duration(gaps.time_s),
                  share_text(gaps.time_s, idle_s)});
    rest_s -= gaps.time_s;
  }
  if (recording.gaps.size() > most)
    grid.add_row({"other", "", "", "", duration(rest_s), share_text(rest_s, idle_s)});
  grid.add_row({"idle", "", "", "", duration(idle_s), share_text(idle_s, idle_s)});
  grid.has_total = true;
  return grid;
}

Grid measured_parts_grid(const MeasuredSummary& summary) {
  Grid grid;
  grid.columns = {
      {"where the time went (measured total; split by the model)", true}, {"time"}, {"of it"}};
  const auto add = [&](const std::string& what, double time_s) {
    grid.add_row({what, duration(time_s), share_text(time_s, *summary.total.measured_time_s)});
  };
  for (const Limiter limiter : enumerators<Limiter>) {
    if (summary.total.part_s[limiter] <= 0) continue;
    std::string name(name_of(limiter));
    std::replace(name.begin(), name.end(), '_', ' ');
    add(fmt::format("{}: {}", name, meaning_of(limiter)), summary.total.part_s[limiter]);
  }
  add(std::string(unexplained_text(summary.unexplained_s)), summary.unexplained_s);
  add("measured", *summary.total.measured_time_s);
  grid.has_total = true;
  return grid;
}

Grid measured_types_grid(const MeasuredSummary& summary) {
  Grid grid;
  grid.columns = {{"type", true}, {"layers"},      {"roofline"}, {"expected"},
                  {"measured"},   {"of measured"}, {"/bound"},   {"/exp."}};
  const auto add = [&](const std::string& name, std::uint64_t rows, double roofline_s,
                       double expected_s, double measured_s) {
    grid.add_row({name, fmt::format("{}", rows), duration(roofline_s), duration(expected_s),
                  duration(measured_s), share_text(measured_s, *summary.total.measured_time_s),
                  over(measured_s, roofline_s), over(measured_s, expected_s)});
  };
  for (const TypeRow& type : summary.types)
    add(std::string(info(type.kind).name), type.rows, type.total.roofline_time_s,
        *type.total.expected_time_s, *type.total.measured_time_s);
  add("total", summary.rows, summary.total.roofline_time_s, *summary.total.expected_time_s,
      *summary.total.measured_time_s);
  grid.has_total = true;
  return grid;
}

std::string lost_sentences(const Result& result) {
  const MeasuredSummary& summary = *result.measured.summary;
  std::string text = "most time beyond the bound:\n";
  std::string_view last_help;  // said once of layers in a row that it helps alike
  for (const LostTime& lost : summary.most_lost) {
    const LayerResult& row = result.layers[lost.row];
    const bool says_help = !lost.help.empty() && lost.help != last_help;
    text += fmt::format("  {}{}: {} beyond its {} bound of {}: {}{}\n",
                        shortened(printable(row.layer.name), 40),
                        lost.layers > 1 ? fmt::format(" x{}", lost.layers) : "",
                        duration(lost.lost_s), name_of(row.point.bound),
                        duration(static_cast<double>(lost.layers) * row.point.roofline_time_s),
                        lost.why, says_help ? "\n    would help: " + lost.help : "");
    if (!lost.help.empty()) last_help = lost.help;
  }
  if (summary.most_lost.empty()) text.clear();
  std::string best;
  for (const Engine engine : enumerators<Engine>)
    if (summary.best_flop_per_s[engine])
      best += fmt::format("{}{} {}", best.empty() ? "" : ", ", name_of(engine),
                          si(*summary.best_flop_per_s[engine], "FLOP/s"));
  if (summary.best_byte_per_s)
    best += fmt::format("{}{}", best.empty() ? "" : ", ", si(*summary.best_byte_per_s, "B/s"));
  if (!best.empty()) text += "achieved at best, so sustained ceilings are no lower: " + best + '\n';
  return text;
}

Grid unmodelled_grid(const TraceSummary& recording, std::size_t most,
                     std::optional<std::size_t> width) {
  Grid grid;
  grid.columns = {{"not modelled", true}, {"launches"}, {"time"}, {"of kernels"}, {"why", true}};
  for (std::size_t i = 0; i < std::min(most, recording.unmodelled.size()); ++i) {
    const UnmodelledWork& work = recording.unmodelled[i];
    grid.add_row({shortened(work.name, 40), plain(work.launches), duration(work.time_s),
                  share_text(work.time_s, recording.kernel_s), work.reason});
  }
  constexpr std::string_view droppable[] = {"of kernels"};
  drop_columns(grid, width, droppable);
  return grid;
}

}  // namespace roofline
