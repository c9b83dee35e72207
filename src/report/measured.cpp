// Measured inputs in words: the verdict above the rows, the recording and the lost time below.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "report/fields.hpp"
#include "report/sections.hpp"

namespace roofline {
namespace {

/// The layer's name as --explain takes it.
std::string name_text(const LayerResult& row) {
  constexpr std::size_t widest = 60;
  return short_name(printable(row.layer.name), widest);
}

/// A larger share of kernels from unknown graphs is reported first.
constexpr double mostly_unknown = 0.5;
constexpr std::size_t most_actions = 2;
constexpr std::size_t most_convolutions = 5;

std::string bad_choices_sentence(const MeasuredSummary& summary) {
  const BadChoices& bad = summary.bad_choices;
  if (bad.layers == 0) return "";
  return fmt::format(
      "the library chose badly for {} of {} layers: {} = {} by better algorithms + {} to gain",
      bad.layers, summary.rows, duration(bad.measured_s), duration(bad.expected_s),
      duration(bad.gain_s()));
}

std::string graphs_sentence(const TraceSummary& recording) {
  double unknown_s = 0;
  for (const UnmodelledWork& work : recording.unmodelled)
    if (work.reason == in_graph) unknown_s += work.time_s;
  if (unknown_s < mostly_unknown * recording.kernel_s || unknown_s <= 0) return "";
  return fmt::format(
      "{} of the kernels' time is of captured graphs, and nothing says of which layers: record it "
      "without CUDA graphs",
      percent(unknown_s / recording.kernel_s));
}

/// How long other ranks wait for the recorded one.
std::string ranks_sentence(const TraceSummary& recording) {
  if (recording.ranks.empty()) return "";
  const RecordedRank& own = recording.ranks.front();
  const auto others = std::span(recording.ranks).subspan(1);
  const RecordedRank& longest = *std::ranges::max_element(others, {}, &RecordedRank::waiting_s);
  const RecordedRank& busiest = *std::ranges::max_element(others, {}, &RecordedRank::computing_s);
  const std::string name = printable(own.name);
  return fmt::format(
      "{} waits {} a step in collectives for {}, the most of {} ranks; other kernels take {} on "
      "{}, "
      "at most {} on the others",
      printable(longest.name), duration(longest.waiting_s), name, recording.ranks.size(),
      duration(own.computing_s), name, duration(busiest.computing_s));
}

/// What most of the idle time is, if a step's gaps tell.
std::string idle_text(const Verdict& verdict, const TraceSummary& recording) {
  constexpr double nearly_all = 0.8;
  const double first_use_s = first_uses_s(recording);
  if (first_use_s > verdict.idle_s() / 2)
    return fmt::format("; {} of it for first uses of kernels", duration(first_use_s));
  for (const IdleGaps& gaps : recording.gaps)
    if (gaps.longest_s > nearly_all * verdict.step_s)
      return fmt::format("; one gap of {} is nearly all of it: record more than one step",
                         duration(gaps.longest_s));
  if (verdict.part_s[StepPart::idle_host] - first_use_s <= verdict.idle_s() / 2) return "";
  return fmt::format("; the host launches a kernel every {}, the GPU runs it in {}",
                     duration((verdict.step_s - first_use_s) / recording.launches),
                     duration(recording.kernel_s / recording.launches));
}

std::string action_text(const Advice& action, const Result& result) {
  return fmt::format("{}: leaves {}, saves {}{}", action.text,
                     duration(result.measured.verdict->step_s - action.saved_s),
                     action.at_most ? "up to " : "", duration(action.saved_s));
}

using IdleTime = In<IdleGaps, TraceSummary>;
using IdleIn = const IdleTime&;

std::string during_text(IdleIn i) {
  if (!i.row.during.empty()) return shortened(printable(i.row.during), 60);
  return i.row.cause == IdleCause::queued ? "(work was queued)" : "(nothing recorded, or short)";
}

constexpr std::array idle_columns = std::to_array<Column<IdleTime>>({
    {"during",
     Unit::none,
     [](IdleIn i) { return text_or_null(i.row.during); },
     {.header = "recorded idle while the host ran", .text = during_text}},
    {"cause",
     Unit::none,
     [](IdleIn i) -> Cell { return i.row.cause; },
     {.header = "cause", .text = [](IdleIn i) { return words(i.row.cause); }}},
    {"count", Unit::count, [](IdleIn i) -> Cell { return i.row.count; }, {.header = "gaps"}},
    {"longest_s",
     Unit::second,
     [](IdleIn i) -> Cell { return i.row.longest_s; },
     {.header = "longest", .text = [](IdleIn i) { return duration(i.row.longest_s); }}},
    {"time_s", Unit::second, [](IdleIn i) -> Cell { return i.row.time_s; }, {.header = "time"}},
    {"",
     Unit::share,
     [](IdleIn i) -> Cell { return share_of(i.row.time_s, i.whole.idle_s()); },
     {.header = "of idle"}},
});

Grid idle_grid(const TraceSummary& recording, std::size_t most) {
  const auto columns = shown_columns<IdleTime>(idle_columns);
  const std::vector<IdleTime> all = rows_in(recording.gaps, recording);
  const auto shown = first_of(all, most);
  const auto rest = std::span(all).subspan(shown.size());
  Grid grid = grid_of<IdleTime>(columns, shown);
  if (!rest.empty()) add_sum<IdleTime>(grid, columns, "other", rest);
  add_sum<IdleTime>(grid, columns, "idle", all);
  return grid;
}

void add_lost(Document& document, const Result& result) {
  const MeasuredSummary& summary = *result.measured.summary;
  if (summary.most_lost.empty()) return;
  document.add_line("most time beyond the bound:");
  std::string_view last_help;  // repeated help of consecutive layers is left out
  for (const LostTime& lost : summary.most_lost) {
    const LayerResult& row = result.layers[lost.row];
    document.add_line(
        fmt::format("  {}{}: {} beyond its {} bound of {}: {}", name_text(row),
                    lost.layers > 1 ? fmt::format(" x{}", lost.layers) : "", duration(lost.lost_s),
                    name_of(row.point.bound),
                    duration(static_cast<double>(lost.layers) * row.point.roofline_time_s),
                    printable(lost.why)));
    if (!lost.help.empty() && lost.help != last_help)
      document.add_line("    would help: " + lost.help);
    if (!lost.help.empty()) last_help = lost.help;
  }
}

using UnmodelledLine = In<UnmodelledWork, TraceSummary>;
using UnmodelledIn = const UnmodelledLine&;

constexpr std::array unmodelled_columns = std::to_array<Column<UnmodelledLine>>({
    {"name",
     Unit::none,
     [](UnmodelledIn u) -> Cell { return u.row.name; },
     {.header = "not modelled", .text = [](UnmodelledIn u) { return shortened(u.row.name, 40); }}},
    {"shapes", Unit::none, [](UnmodelledIn u) { return text_or_null(u.row.shapes); }},
    {"launches",
     Unit::count,
     [](UnmodelledIn u) -> Cell { return u.row.launches; },
     {.header = "launches"}},
    {"time_s",
     Unit::second,
     [](UnmodelledIn u) -> Cell { return u.row.time_s; },
     {.header = "time"}},
    {"",
     Unit::share,
     [](UnmodelledIn u) -> Cell { return share_of(u.row.time_s, u.whole.kernel_s); },
     {.header = "of kernels", .drop_order = {1}}},
    {"reason", Unit::none, [](UnmodelledIn u) -> Cell { return u.row.reason; }, {.header = "why"}},
});

using Transferred = In<Transfer, Result>;
using TransferIn = const Transferred&;

/// "all_reduce bf16 8816192", "host to device pinned".
std::string transfer_label(TransferIn t) {
  const std::string_view kind = name_of(t.row.kind);
  const std::string name = is_between_gpus(t.row.kind) ? std::string(kind) : words(kind);
  return printable(t.row.what.empty() ? name : name + ' ' + t.row.what);
}

std::string share_of_link(TransferIn t) {
  const std::optional<double> rate = t.row.algorithm_byte_per_s();
  const std::optional<double>& link_byte_per_s = t.whole.setting.host_link_byte_per_s;
  return rate && link_byte_per_s ? share_or_ratio(share_of(*rate, *link_byte_per_s)) : "";
}

constexpr Facts over_link = 2;
constexpr Facts between_gpus = 4;

constexpr std::array transfer_columns = std::to_array<Column<Transferred>>({
    {"kind",
     Unit::none,
     [](TransferIn t) -> Cell { return t.row.kind; },
     {.header = "transfer", .text = transfer_label}},
    {"what", Unit::none, [](TransferIn t) { return text_or_null(t.row.what); }},
    {"ranks", Unit::count, [](TransferIn t) -> Cell { return t.row.ranks; }, {.header = "ranks"}},
    {"launches",
     Unit::count,
     [](TransferIn t) -> Cell { return t.row.launches; },
     {.header = "launches", .drop_order = {2}}},
    {"byte",
     Unit::number,
     [](TransferIn t) -> Cell { return t.row.byte; },
     {.header = "bytes", .text = [](TransferIn t) { return si(t.row.byte, "B"); }}},
    {"time_s", Unit::second, [](TransferIn t) -> Cell { return t.row.time_s; }, {.header = "time"}},
    {"",
     Unit::share,
     [](TransferIn t)
         -> Cell { return share_of(t.row.time_s, t.whole.measured.recording->kernel_s); },
     {.header = "of kernels", .drop_order = {1}}},
    {"hidden_s", Unit::second, [](TransferIn t) -> Cell { return t.row.hidden_s; }},
    {"waiting_s",
     Unit::second,
     [](TransferIn t) -> Cell { return t.row.waiting_s; },
     {.header = "waiting",
      .text =
          [](TransferIn t) {
            return t.whole.measured.recording->ranks.empty() ? "" : duration(t.row.waiting_s);
          },
      .hidden = over_link}},
    {"exposed_s",
     Unit::second,
     [](TransferIn t) -> Cell { return t.row.exposed_s(); },
     {.header = "exposed"}},
    {"",
     Unit::share,
     [](TransferIn t) -> Cell { return share_of(t.row.hidden_s, t.row.time_s); },
     {.header = "hidden", .drop_order = {3}}},
    {"algorithm_byte_per_s",
     Unit::rate,
     [](TransferIn t) -> Cell { return t.row.algorithm_byte_per_s(); },
     {.header = "rate",
      .text = [](TransferIn t) { return si(t.row.algorithm_byte_per_s(), "B/s"); }}},
    {"bus_byte_per_s",
     Unit::rate,
     [](TransferIn t) -> Cell { return t.row.bus_byte_per_s(); },
     {.header = "bus rate",
      .text = [](TransferIn t) { return si(t.row.bus_byte_per_s(), "B/s"); },
      .hidden = over_link,
      .drop_order = {4}}},
    {"",
     Unit::share,
     nullptr,
     {.header = "of link", .text = share_of_link, .hidden = between_gpus}},
});

Grid transfers_grid(const Result& result, bool gpus, std::size_t most) {
  std::vector<Transferred> lines;
  Transfer total;
  std::size_t count = 0;
  for (const Transfer& each : result.measured.recording->transfers) {
    if (is_between_gpus(each.kind) != gpus) continue;
    total.launches += each.launches;
    total.time_s += each.time_s;
    total.hidden_s += each.hidden_s;
    total.waiting_s += each.waiting_s;
    if (++count <= most) lines.push_back({each, result});
  }
  if (count > 1) lines.push_back({total, result});
  const Facts facts = gpus ? between_gpus : over_link;
  Grid grid = grid_of<Transferred>(shown_columns<Transferred>(transfer_columns, facts), lines,
                                   facts, gpus ? "between GPUs" : "over the host link");
  if (count > 1) grid.columns.front().cells.back() = "total";
  return grid;
}

using AccuracyIn = const Accuracy&;

std::string worst_text(AccuracyIn a) {
  constexpr std::size_t widest = 22;
  return fmt::format("{} {}", short_name(printable(a.worst.front().name), widest),
                     factor(a.worst.front().ratio));
}

constexpr std::array accuracy_columns = std::to_array<Column<Accuracy>>({
    {"class",
     Unit::none,
     [](AccuracyIn a) -> Cell { return a.layer_class; },
     {.header = "accuracy"}},
    {"dtype", Unit::none, [](AccuracyIn a) -> Cell { return a.dtype; }, {.header = "dtype"}},
    {"pass", Unit::none, [](AccuracyIn a) -> Cell { return a.pass; }, {.header = "pass"}},
    {"layers", Unit::count, [](AccuracyIn a) -> Cell { return a.layers; }, {.header = "layers"}},
    {"expected.bias",
     Unit::ratio,
     [](AccuracyIn a) -> Cell { return a.expected.bias; },
     {.header = "bias"}},
    {"expected.gerr",
     Unit::ratio,
     [](AccuracyIn a) -> Cell { return a.expected.geometric_error; },
     {.header = "gerr"}},
    {"expected.median_error",
     Unit::share,
     [](AccuracyIn a) -> Cell { return a.expected.median_error; },
     {.header = "median", .drop_order = {1}}},
    {"expected.within_25",
     Unit::share,
     [](AccuracyIn a) -> Cell { return a.expected.within_25; },
     {.header = "within 25%",
      .text = [](AccuracyIn a) { return fmt::format("{:.0f}%", 100 * a.expected.within_25); },
      .drop_order = {2}}},
    {"roofline.bias", Unit::ratio, [](AccuracyIn a) -> Cell { return a.roofline.bias; }},
    {"roofline.gerr",
     Unit::ratio,
     [](AccuracyIn a) -> Cell { return a.roofline.geometric_error; },
     {.header = "roofline"}},
    {"roofline.median_error", Unit::share,
     [](AccuracyIn a) -> Cell { return a.roofline.median_error; }},
    {"roofline.within_25", Unit::share, [](AccuracyIn a) -> Cell { return a.roofline.within_25; }},
    {"", Unit::none, nullptr, {.header = "worst", .text = worst_text, .drop_order = {3}}},
});

std::string_view cause_text(BelowBound reason) {
  switch (reason) {
    case BelowBound::fewer_macs: return "Winograd or FFT do fewer multiply-adds than are counted";
    case BelowBound::in_l2: return "the operands fit in L2, so device memory hardly moves";
    case BelowBound::ceilings_too_low:
      return "the part does more than these ceilings (clocks, engine or data type differ?)";
    case BelowBound::fewer_bytes:        // below no bound
    case BelowBound::impossible: break;  // reported first
  }
  return "";
}

/// Layers faster than their bound, whose bytes are an upper estimate.
std::string overcounted_sentence(const Result& result) {
  const auto& summary = result.measured.summary;
  if (!summary || summary->overcounted == 0) return "";
  const auto first =
      std::ranges::find(result.layers, BelowBound::fewer_bytes, &LayerResult::below_bound);
  return fmt::format(
      "without a bound: {} measured {} (the first: {}, {}): counted by all that such a layer may "
      "touch, of which it touched a part",
      summary->overcounted, summary->overcounted == 1 ? "time" : "times", name_text(*first),
      duration(*first->measured_time_s));
}

void add_below_bound(Document& document, const Result& result) {
  for (const BelowBound reason :
       {BelowBound::fewer_macs, BelowBound::in_l2, BelowBound::ceilings_too_low}) {
    std::size_t count = 0;
    const LayerResult* fastest = nullptr;
    const auto ratio = [](const LayerResult& row) {
      return *row.measured_time_s / row.point.roofline_time_s;
    };
    for (const LayerResult& row : result.layers) {
      if (row.below_bound != reason) continue;
      ++count;
      if (fastest == nullptr || ratio(row) < ratio(*fastest)) fastest = &row;
    }
    if (fastest != nullptr)
      document.add_line(fmt::format("measured below the bound: {} (most: {}, x{} of it): {}", count,
                                    name_text(*fastest), plain(ratio(*fastest)),
                                    cause_text(reason)));
  }
}

std::string not_compared_sentence(const Result& result) {
  if (result.measured.not_compared == 0) return "";
  return fmt::format(
      "measured times left out: {}, of another batch, pass or GPU than here, or with caches in "
      "another state",
      result.measured.not_compared);
}

/// Limits of tables; JSON has all rows.
constexpr std::size_t most_gaps = 5;
constexpr double least_idle_share = 0.05;

constexpr std::size_t most_transfers = 10;
constexpr std::size_t most_unmodelled = 10;

bool run_side_by_side(const TraceSummary& trace) {
  return trace.kernel_s > trace.busy_s && duration(trace.kernel_s) != duration(trace.busy_s);
}

/// "2.200 ms", where it differs from what layers take and the GPU is busy.
std::string kernels_text(const TraceSummary& trace) {
  const std::string kernels = duration(trace.kernel_s);
  const bool differs = kernels != duration(trace.layers_s) || kernels != duration(trace.busy_s);
  return differs ? kernels : "time";
}

/// The factor of the estimate within which 68 of 100 steps lie, of 40 timed without a recorder.
constexpr double unrecorded_error = 1.15;

/// "about 3.021 ms (2.6 to 3.5) without the recorder (5.008 ms with it)"
std::string step_text(const Verdict& verdict) {
  if (!verdict.recorded_step_s) return duration(verdict.step_s);
  const std::string without = verdict.is_stated
                                  ? duration(verdict.step_s) + " as given, without"
                                  : fmt::format("about {} ({}) without", duration(verdict.step_s),
                                                duration_range(verdict.step_s, unrecorded_error));
  return fmt::format("{} the recorder ({} with it)", without, duration(*verdict.recorded_step_s));
}

}  // namespace

std::string impossible_sentence(const Result& result) {
  if (!result.measured.impossible) return "";
  const ImpossibleTimes& times = *result.measured.impossible;
  const LayerResult& row = result.layers[times.row];
  std::string text = fmt::format(
      "faster than this GPU can be: check units and batch of {} measured {} ({}: {}, at least {})",
      times.rows, times.rows == 1 ? "time" : "times", name_text(row),
      duration(*row.measured_time_s), duration(times.least_s));
  if (times.factor)
    text += fmt::format("; x{:.0f} would fit{}", *times.factor,
                        *times.factor == 1000                   ? ": ms given as us?"
                        : *times.factor == result.setting.batch ? ", the batch: a time an image?"
                                                                : "");
  return text;
}

Grid step_grid(const Verdict& verdict) {
  constexpr double least_share = 5e-4;  // 0.1 % as rounded
  constexpr double s_per_ns = 1e-9;     // less is what sums round
  using enum StepPart;
  Grid grid{{left(verdict.knows_gaps ? "where a step goes" : "where the time went"), right("time"),
             right("share")}};
  for (const StepPart part : enumerators<StepPart>) {
    const bool is_usual =
        part < overcounted ||
        (verdict.knows_gaps && is_any(part, other_kernels, idle_host, idle_queued));
    const double time_s = verdict.part_s[part];
    const double share = share_of(time_s, verdict.step_s);
    if (is_usual || share >= least_share)
      grid.add_row({part_text(part), duration(time_s < s_per_ns ? 0 : time_s), percent(share)});
  }
  grid.add_row({"total", duration(verdict.step_s), percent(1)});
  return grid;
}

Grid accuracy_grid(const Result& result) {
  return grid_of<Accuracy>(shown_columns<Accuracy>(accuracy_columns), result.measured.accuracy);
}

std::string part_text(StepPart part) {
  const bool is_idle = part >= StepPart::idle_host;
  const bool is_of_layers = part < StepPart::overcounted;
  return (is_idle ? "idle, " : is_of_layers ? "layers: " : "") + std::string(meaning_of(part));
}

std::string time_headline(const Result& result) {
  const Total& total = result.total;
  const auto& verdict = result.measured.verdict;
  if (verdict && verdict->knows_gaps)
    return fmt::format("a step of {}, GPU idle {}", step_text(*verdict),
                       percent(share_of(verdict->idle_s(), verdict->step_s)));
  const bool is_measured = total.measured_time_s.has_value();
  const auto& time_s = is_measured ? total.measured_time_s : total.expected_time_s;
  if (!time_s) return duration(total.roofline_time_s) + " by the roofline";
  std::string text = fmt::format("{} {}", duration(*time_s), is_measured ? "measured" : "expected");
  if (total.is_overcounted) return text;
  // No roof is near what is mostly a start.
  if (const double launch_s = total.part_s[Limiter::launch]; launch_s > *time_s / 2)
    return text + ", mostly " + std::string(meaning_of(Limiter::launch));
  return fmt::format("{}, {} its roofline", text, ratio_text(*time_s / total.roofline_time_s));
}

void add_verdict(Document& document, const Result& result) {
  if (!result.measured.verdict) return;
  const Verdict& verdict = *result.measured.verdict;
  const TraceSummary* recording = result.measured.recording.get();
  std::string headline = time_headline(result);
  if (recording != nullptr) {
    document.add_sentence(graphs_sentence(*recording));
    if (verdict.knows_gaps) headline += idle_text(verdict, *recording);
  }
  document.add_sentence(std::move(headline));
  if (recording != nullptr) document.add_sentence(ranks_sentence(*recording));
  if (result.measured.summary->slow_convolutions.empty())
    document.add_sentence(bad_choices_sentence(*result.measured.summary));
  add_actions(document, result);
}

void add_slow_convolutions(Document& document, const Result& result) {
  if (!result.measured.summary || result.measured.summary->slow_convolutions.empty()) return;
  const std::vector<SlowConvolution>& all = result.measured.summary->slow_convolutions;
  document.add_sentence("convolutions on slow kernels, the worst first:");
  for (const SlowConvolution& slow : first_of(all, most_convolutions)) {
    const LayerResult& row = result.layers[slow.row];
    std::vector<std::string> changes;
    for (const Advice& change : slow.changes)
      if (changes.size() < most_actions)
        changes.push_back(fmt::format("{}: saves {}{}", change.text, change.at_most ? "up to " : "",
                                      duration(change.saved_s)));
    const std::string times = slow.layers > 1 ? fmt::format(" x{}", slow.layers) : "";
    const std::string kernel = shortened(printable(row.measured->kernel), 60);
    document.add_sentence(
        fmt::format("  {}{}: {}{}{}{}{}{}{}", name_text(row), times, duration(*row.measured_time_s),
                    slow.layers > 1 ? " each" : "", kernel.empty() ? "" : ", by " + kernel,
                    slow.family.empty() ? "" : ", ", slow.family, slow.traps.empty() ? "" : "; ",
                    fmt::join(slow.traps, "; ")));
    document.add_sentence(fmt::format("    {}", fmt::join(changes, "; or ")));
  }
  if (all.size() > most_convolutions)
    document.add_sentence(
        fmt::format("  and {} more, all of them with --json", all.size() - most_convolutions));
}

void add_actions(Document& document, const Result& result) {
  const std::vector<Advice>& actions = result.measured.verdict->actions;
  for (std::size_t i = 0; i < std::min(most_actions, actions.size()); ++i)
    document.add_sentence(
        fmt::format("{}: {}", i == 0 ? "do first" : "or", action_text(actions[i], result)));
}

void add_recording(Document& document, const Result& result) {
  constexpr double mostly_explained = 0.8;
  constexpr double least_share_said = 5e-4;  // what 0.1 % rounds
  if (!result.measured.recording) return;
  const TraceSummary& trace = *result.measured.recording;
  std::string text = fmt::format("{}{}: GPU busy {}", name_of(trace.recorder),
                                 trace.gpu.name.empty() ? "" : " on " + printable(trace.gpu.name),
                                 duration(trace.busy_s));
  if (trace.span_s > 0 && !trace.times_hold_launches)
    text += fmt::format(" and idle {} of {}", duration(trace.idle_s()), duration(trace.span_s));
  if (trace.steps > 1) text += fmt::format(" a step, the mean of {}", trace.steps);
  const auto share = [&](double time_s) { return percent(share_of(time_s, trace.kernel_s)); };
  document.add_line(fmt::format("{}; {:.0f} launches", text, trace.launches));
  text = fmt::format("layers stand for {} of the kernels' {}", share(trace.layers_s),
                     kernels_text(trace));
  if (trace.between_gpus_s() > 0)
    text += fmt::format(", work between GPUs for {}", share(trace.between_gpus_s()));
  if (trace.host_link_s() > least_share_said * trace.kernel_s)
    text += fmt::format(", copies over the host link for {}", share(trace.host_link_s()));
  if (run_side_by_side(trace)) text += ", some side by side";
  if (trace.explained_share() < mostly_explained && !trace.unmodelled.empty())
    text += fmt::format("; most of the rest: {}, {}",
                        shortened(printable(trace.unmodelled.front().name), 60),
                        printable(trace.unmodelled.front().reason));
  document.add_line(std::move(text));
  if (trace.latency_s)
    document.add_line(
        fmt::format("one run timed from outside takes {}", duration(*trace.latency_s)));
  for (const std::string& note : trace.notes) document.add_line(printable(note));
  if (!trace.times_hold_launches)
    document.add_line(
        "expected: kernels alone, without the gaps between them, as the profiler times them");
}

void write_recording_lists(JsonWriter& w, const Result& result) {
  const TraceSummary& recording = *result.measured.recording;
  write_rows<idle_columns>(w, "gaps", rows_in(recording.gaps, recording));
  w.objects("ranks", recording.ranks, [&](const RecordedRank& rank) {
    w.members(
        {{"name", rank.name}, {"computing_s", rank.computing_s}, {"waiting_s", rank.waiting_s}});
  });
  w.objects("chains", recording.chains, [&](const ElementwiseChain& chain) {
    w.member("runs", chain.runs);
    w.list("layers", chain.layers, [&](const std::string& layer) { w.value(layer); });
  });
  write_rows<transfer_columns>(w, "transfers", rows_in(recording.transfers, result));
  write_rows<unmodelled_columns>(w, "unmodelled", rows_in(recording.unmodelled, recording));
}

void write_accuracy(JsonWriter& w, const Result& result) {
  w.objects("accuracy", result.measured.accuracy, [&](const Accuracy& score) {
    write_columns<accuracy_columns>(w, score);
    w.list("worst", score.worst, [&](const WorstLayer& layer) {
      w.object({{"name", layer.name}, {"ratio", layer.ratio}});
    });
  });
}

void add_measured_notes(Document& document, const Result& result) {
  add_below_bound(document, result);
  document.add_line(overcounted_sentence(result));
  document.add_line(not_compared_sentence(result));
}

void add_measured(Document& document, const Result& result) {
  const auto add = [&](Grid grid) {
    if (grid.row_count() == 0) return;
    document.add_gap();
    document.add_table({std::move(grid)});
  };
  const auto& verdict = result.measured.verdict;
  const TraceSummary* recording = result.measured.recording.get();
  if (verdict) add(step_grid(*verdict));
  if (verdict && verdict->idle_s() > least_idle_share * verdict->step_s)
    add(idle_grid(*recording, most_gaps));
  if (result.measured.summary) {
    document.add_gap();
    add_lost(document, result);
  }
  if (recording != nullptr) {
    for (const bool gpus : {true, false}) add(transfers_grid(result, gpus, most_transfers));
    std::vector<UnmodelledLine> unmodelled = rows_in(recording->unmodelled, *recording);
    add(grid_of<UnmodelledLine>(shown_columns<UnmodelledLine>(unmodelled_columns),
                                first_of(unmodelled, most_unmodelled)));
  }
  // A recording's are for who asks how its numbers come about.
  if (recording == nullptr) add(accuracy_grid(result));
  add_measured_notes(document, result);
}

}  // namespace roofline
