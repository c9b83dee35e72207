// Measured inputs in words: the verdict above the rows, the recording and the lost time below.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "report/columns.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// The layer's name as --explain takes it.
std::string name_text(const LayerResult& row) {
  constexpr std::size_t widest = 60;
  return short_name(printable(row.layer.name), widest);
}

std::string share_text(double part_s, double whole_s) {
  return whole_s > 0 ? percent(part_s / whole_s) : "";
}

/// From this idle share of a step on, idle time is reported before kernels.
constexpr double mostly_idle = 0.25;
/// Smaller parts of a sum are joined.
constexpr double least_named = 0.02;
/// A smaller rest is left out of a sum.
constexpr double least_shown = 1e-4;
/// If layers are a larger share of a step, nothing else gets a sentence.
constexpr double mostly_layers = 0.95;
/// If layers are a smaller share of a step, their bound hardly matters.
constexpr double few_layers = 0.1;
/// A larger share of kernels from unknown graphs is reported first.
constexpr double mostly_unknown = 0.5;
constexpr std::size_t most_actions = 2;

constexpr StepPart other_busy_parts[] = {StepPart::overcounted, StepPart::other_kernels,
                                         StepPart::collectives, StepPart::copies};
constexpr StepPart layer_parts[] = {StepPart::bound, StepPart::small_kernels,
                                    StepPart::instructions, StepPart::rates, StepPart::unexplained};

std::string bad_choices_sentence(const MeasuredSummary& summary) {
  const BadChoices& bad = summary.bad_choices;
  if (bad.layers == 0) return "";
  return fmt::format(
      "the library chose badly for {} of {} layers: {} = {} by better algorithms + {} to gain\n",
      bad.layers, summary.rows, duration(bad.measured_s), duration(bad.expected_s),
      duration(bad.gain_s()));
}

/// Joins small parts at the end, so that the parts sum to the whole.
class PartsText {
 public:
  explicit PartsText(double whole_s) : whole_s_(whole_s) {}

  void add(double time_s, std::string_view what) {
    if (std::fabs(time_s) < least_named * whole_s_)
      rest_s_ += time_s;
    else
      sum_.add(time_s, what);
  }
  void add(const Verdict& verdict, std::span<const StepPart> parts) {
    for (const StepPart part : parts) add(verdict.part_s[part], meaning_of(part));
  }
  std::string text() && {
    if (std::fabs(rest_s_) > least_shown * whole_s_) sum_.add(rest_s_, "other");
    return std::move(sum_.text);
  }

 private:
  double whole_s_;
  double rest_s_ = 0;
  SumText sum_;
};

std::string idle_sentence(const Verdict& verdict, const TraceSummary& recording) {
  PartsText sum(verdict.idle_s());
  auto parts = idle_parts;
  std::ranges::stable_sort(parts, std::greater(),
                           [&](const IdlePart& each) { return verdict.part_s[each.part]; });
  for (const IdlePart& each : parts) sum.add(verdict.part_s[each.part], meaning_of(each.part));
  std::string text =
      fmt::format("GPU idle {} of {}: {}", percent(verdict.idle_s() / verdict.step_s),
                  duration(verdict.step_s), std::move(sum).text());
  if (verdict.part_s[StepPart::idle_host] > verdict.idle_s() / 2)
    text += fmt::format("; the host launches a kernel every {}, the GPU runs it in {}",
                        duration(verdict.step_s / recording.launches),
                        duration(recording.kernel_s / recording.launches));
  return text + '\n';
}

std::string busy_sentence(const Verdict& verdict) {
  const double busy_s = verdict.step_s - verdict.idle_s();
  if (verdict.layers_s() > mostly_layers * verdict.step_s || !verdict.knows_gaps) return "";
  PartsText sum(busy_s);
  sum.add(verdict.layers_s(), "layers");
  sum.add(verdict, other_busy_parts);
  return fmt::format("GPU busy {} of {}: {}\n", percent(busy_s / verdict.step_s),
                     duration(verdict.step_s), std::move(sum).text());
}

/// A time below the model's has no parts, only ratios to the bound and the model.
std::string layers_sentence(const Verdict& verdict, const MeasuredSummary& summary) {
  if (summary.rows == 0 || verdict.layers_s() < few_layers * verdict.step_s) return "";
  const double measured_s = *summary.total.measured_time_s;
  const double bound_s = summary.total.roofline_time_s;
  const double expected_s = *summary.total.expected_time_s;
  std::string text = fmt::format("layers take {}", duration(measured_s));
  if (bound_s > 0) text += fmt::format(", {} of their bound", ratio_text(measured_s / bound_s));
  if (summary.not_split_s > 0)
    return fmt::format("{} of {}, {} of the {} that the model expects\n", text, duration(bound_s),
                       ratio_text(measured_s / expected_s), duration(expected_s));
  PartsText sum(measured_s);
  const double side_by_side = measured_s / verdict.layers_s();  // together they take less
  for (const StepPart part : layer_parts)
    sum.add(side_by_side * verdict.part_s[part], meaning_of(part));
  return fmt::format("{}: {}\n", text, std::move(sum).text());
}

std::string graphs_sentence(const TraceSummary& recording) {
  double unknown_s = 0;
  for (const UnmodelledWork& work : recording.unmodelled)
    if (work.reason == in_graph) unknown_s += work.time_s;
  if (unknown_s < mostly_unknown * recording.kernel_s || unknown_s <= 0) return "";
  return fmt::format(
      "{} of the kernels' time is of captured graphs, and nothing says of which layers: record it "
      "without CUDA graphs\n",
      percent(unknown_s / recording.kernel_s));
}

/// Once kernels are faster than the host launches them, the host limits the step.
std::string action_text(const Advice& action, const Result& result) {
  const double left_s = result.measured.verdict->step_s - action.saved_s;
  const double host_s = result.measured.recording ? result.measured.recording->host_s : 0;
  const bool host_binds = action.speeds_kernels && left_s < host_s;
  return fmt::format(
      "{}: saves {}{}, leaves {}{}", action.text, action.at_most ? "up to " : "",
      duration(action.saved_s), duration(left_s),
      host_binds ? fmt::format(" (but the host launches for {})", duration(host_s)) : "");
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
  return broken(text + '\n', sentence_width);
}

std::string verdict_sentences(const Result& result, std::size_t width) {
  if (!result.measured.verdict) return "";
  const Verdict& verdict = *result.measured.verdict;
  const bool is_idle = verdict.idle_s() >= mostly_idle * verdict.step_s;
  std::string text = result.measured.recording ? graphs_sentence(*result.measured.recording) : "";
  text += is_idle ? idle_sentence(verdict, *result.measured.recording)
                  : busy_sentence(verdict) + layers_sentence(verdict, *result.measured.summary);
  text += bad_choices_sentence(*result.measured.summary);
  return broken(text + action_sentences(result), width);
}

std::string action_sentences(const Result& result) {
  const std::vector<Advice>& actions = result.measured.verdict->actions;
  std::string text;
  for (std::size_t i = 0; i < std::min(most_actions, actions.size()); ++i)
    text += fmt::format("{}: {}\n", i == 0 ? "do first" : "or", action_text(actions[i], result));
  return text;
}

namespace {

std::string explained_sentence(const TraceSummary& recording) {
  const auto share = [&](double time_s) { return share_text(time_s, recording.kernel_s); };
  std::string text =
      fmt::format("layers stand for {} of the kernels' time", share(recording.layers_s));
  if (const double time_s = recording.between_gpus_s(); time_s > 0)
    text += fmt::format(", work between GPUs for {}", share(time_s));
  if (const double time_s = recording.host_link_s(); time_s > 0)
    text += fmt::format(", copies over the host link for {}", share(time_s));
  return text + '\n';
}

}  // namespace

std::string recording_sentences(const Result& result) {
  if (!result.measured.recording) return "";
  const TraceSummary& trace = *result.measured.recording;
  std::string text = fmt::format("{}{}: GPU busy {}", name_of(trace.recorder),
                                 trace.gpu.name.empty() ? "" : " on " + printable(trace.gpu.name),
                                 duration(trace.busy_s));
  if (trace.span_s > 0 && !trace.times_hold_launches)
    text += fmt::format(" and idle {} of {}", duration(trace.idle_s()), duration(trace.span_s));
  if (trace.steps > 1) text += fmt::format(" a step, the mean of {}", trace.steps);
  text += fmt::format("; {:.0f} launches\n", trace.launches) + explained_sentence(trace);
  if (trace.latency_s)
    text += fmt::format("one run timed from outside takes {}\n", duration(*trace.latency_s));
  for (const std::string& note : trace.notes) text += printable(note) + '\n';
  if (trace.times_hold_launches) return text;
  return text +
         "expected: kernels alone, without the gaps between them, as the profiler times them\n";
}

namespace {

using IdleTime = In<IdleGaps, TraceSummary>;
using IdleIn = const IdleTime&;

std::string during_text(IdleIn i) {
  if (!i.row.during.empty()) return shortened(printable(i.row.during), 60);
  return i.row.cause == IdleCause::queued ? "(work was queued)" : "(nothing recorded, or short)";
}

// clang-format off
constexpr std::array idle_columns = std::to_array<Column<IdleTime>>({
    {"during", Unit::none, [](IdleIn i) { return text_or_null(i.row.during); }, {.header = "GPU idle while the host ran", .text = during_text}},
    {"cause", Unit::none, [](IdleIn i) -> Cell { return i.row.cause; }, {.header = "cause", .text = [](IdleIn i) { return words(i.row.cause); }}},
    {"count", Unit::number, [](IdleIn i) -> Cell { return i.row.count; }, {.header = "gaps"}},
    {"longest_s", Unit::second, [](IdleIn i) -> Cell { return i.row.longest_s; }, {.header = "longest", .text = [](IdleIn i) { return duration(i.row.longest_s); }}},
    {"time_s", Unit::second, [](IdleIn i) -> Cell { return i.row.time_s; }, {.header = "time"}},
    {"", Unit::share, [](IdleIn i) -> Cell { return share_of(i.row.time_s, i.whole.idle_s()); }, {.header = "of idle"}},
});
// clang-format on

Grid idle_grid(const TraceSummary& recording, std::size_t most) {
  const auto columns = shown_columns<IdleTime>(idle_columns);
  const std::vector<IdleTime> all = rows_in(recording.gaps, recording);
  const auto shown = std::span(all).first(std::min(most, all.size()));
  const auto rest = std::span(all).subspan(shown.size());
  Grid grid = grid_of<IdleTime>(columns, shown);
  if (!rest.empty()) add_sum<IdleTime>(grid, columns, "other", rest);
  add_sum<IdleTime>(grid, columns, "idle", all);
  return grid;
}

Grid measured_parts_grid(const MeasuredSummary& summary) {
  Grid grid{
      {{"where the time went (split as a library's kernels spend it)", true}, {"time"}, {"of it"}}};
  const auto add = [&](const std::string& what, double time_s) {
    if (time_s > 0)
      grid.add_row({what, duration(time_s), share_text(time_s, *summary.total.measured_time_s)});
  };
  for (const Limiter limiter : enumerators<Limiter>)
    add(fmt::format("{}: {}", words(limiter), meaning_of(limiter)), summary.part_s[limiter]);
  add("slower than the model", summary.unexplained_s);
  add("measured", *summary.total.measured_time_s);
  return grid;
}

std::string lost_sentences(const Result& result) {
  const MeasuredSummary& summary = *result.measured.summary;
  if (summary.most_lost.empty()) return "";
  std::string text = "most time beyond the bound:\n";
  std::string_view last_help;  // repeated help of consecutive layers is left out
  for (const LostTime& lost : summary.most_lost) {
    const LayerResult& row = result.layers[lost.row];
    const bool says_help = !lost.help.empty() && lost.help != last_help;
    text += fmt::format("  {}{}: {} beyond its {} bound of {}: {}{}\n", name_text(row),
                        lost.layers > 1 ? fmt::format(" x{}", lost.layers) : "",
                        duration(lost.lost_s), name_of(row.point.bound),
                        duration(static_cast<double>(lost.layers) * row.point.roofline_time_s),
                        printable(lost.why), says_help ? "\n    would help: " + lost.help : "");
    if (!lost.help.empty()) last_help = lost.help;
  }
  return text;
}

using UnmodelledLine = In<UnmodelledWork, TraceSummary>;
using UnmodelledIn = const UnmodelledLine&;

// clang-format off
constexpr std::array unmodelled_columns = std::to_array<Column<UnmodelledLine>>({
    {"name", Unit::none, [](UnmodelledIn u) -> Cell { return u.row.name; }, {.header = "not modelled", .text = [](UnmodelledIn u) { return shortened(u.row.name, 40); }}},
    {"shapes", Unit::none, [](UnmodelledIn u) { return text_or_null(u.row.shapes); }},
    {"launches", Unit::number, [](UnmodelledIn u) -> Cell { return u.row.launches; }, {.header = "launches"}},
    {"time_s", Unit::second, [](UnmodelledIn u) -> Cell { return u.row.time_s; }, {.header = "time"}},
    {"", Unit::share, [](UnmodelledIn u) -> Cell { return share_of(u.row.time_s, u.whole.kernel_s); }, {.header = "of kernels", .drop_order = {1}}},
    {"reason", Unit::none, [](UnmodelledIn u) -> Cell { return u.row.reason; }, {.header = "why"}},
});
// clang-format on

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

constexpr Facts over_link = 2, between_gpus = 4;

// clang-format off
constexpr std::array transfer_columns = std::to_array<Column<Transferred>>({
    {"kind", Unit::none, [](TransferIn t) -> Cell { return t.row.kind; }, {.header = "transfer", .text = transfer_label}},
    {"what", Unit::none, [](TransferIn t) { return text_or_null(t.row.what); }},
    {"ranks", Unit::count, [](TransferIn t) -> Cell { return t.row.ranks; }, {.header = "ranks"}},
    {"launches", Unit::number, [](TransferIn t) -> Cell { return t.row.launches; }, {.header = "launches", .drop_order = {2}}},
    {"byte", Unit::number, [](TransferIn t) -> Cell { return t.row.byte; }, {.header = "bytes", .text = [](TransferIn t) { return si(t.row.byte, "B"); }}},
    {"time_s", Unit::second, [](TransferIn t) -> Cell { return t.row.time_s; }, {.header = "time"}},
    {"", Unit::share, [](TransferIn t) -> Cell { return share_of(t.row.time_s, t.whole.measured.recording->kernel_s); }, {.header = "of kernels", .drop_order = {1}}},
    {"hidden_s", Unit::second, [](TransferIn t) -> Cell { return t.row.hidden_s; }},
    {"exposed_s", Unit::second, [](TransferIn t) -> Cell { return t.row.exposed_s(); }, {.header = "exposed"}},
    {"", Unit::share, [](TransferIn t) -> Cell { return share_of(t.row.hidden_s, t.row.time_s); }, {.header = "hidden", .drop_order = {3}}},
    {"algorithm_byte_per_s", Unit::rate, [](TransferIn t) -> Cell { return t.row.algorithm_byte_per_s(); }, {.header = "rate", .text = [](TransferIn t) { return si(t.row.algorithm_byte_per_s(), "B/s"); }}},
    {"bus_byte_per_s", Unit::rate, [](TransferIn t) -> Cell { return t.row.bus_byte_per_s(); }, {.header = "bus rate", .text = [](TransferIn t) { return si(t.row.bus_byte_per_s(), "B/s"); }, .hidden = over_link, .drop_order = {4}}},
    {"", Unit::share, nullptr, {.header = "of link", .text = share_of_link, .hidden = between_gpus}},
});
// clang-format on

Grid transfers_grid(const Result& result, bool gpus, std::size_t most) {
  std::vector<Transferred> lines;
  Transfer total;
  std::size_t count = 0;
  for (const Transfer& each : result.measured.recording->transfers) {
    if (is_between_gpus(each.kind) != gpus) continue;
    total.launches += each.launches;
    total.time_s += each.time_s;
    total.hidden_s += each.hidden_s;
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

// clang-format off
constexpr std::array accuracy_columns = std::to_array<Column<Accuracy>>({
    {"class", Unit::none, [](AccuracyIn a) -> Cell { return a.layer_class; }, {.header = "accuracy"}},
    {"dtype", Unit::none, [](AccuracyIn a) -> Cell { return a.dtype; }, {.header = "dtype"}},
    {"pass", Unit::none, [](AccuracyIn a) -> Cell { return a.pass; }, {.header = "pass"}},
    {"layers", Unit::count, [](AccuracyIn a) -> Cell { return a.layers; }, {.header = "layers"}},
    {"expected.bias", Unit::ratio, [](AccuracyIn a) -> Cell { return a.expected.bias; }, {.header = "bias"}},
    {"expected.gerr", Unit::ratio, [](AccuracyIn a) -> Cell { return a.expected.geometric_error; }, {.header = "gerr"}},
    {"expected.median_error", Unit::share, [](AccuracyIn a) -> Cell { return a.expected.median_error; }, {.header = "median", .drop_order = {1}}},
    {"expected.within_25", Unit::share, [](AccuracyIn a) -> Cell { return a.expected.within_25; }, {.header = "within 25%", .text = [](AccuracyIn a) { return fmt::format("{:.0f}%", 100 * a.expected.within_25); }, .drop_order = {2}}},
    {"roofline.bias", Unit::ratio, [](AccuracyIn a) -> Cell { return a.roofline.bias; }},
    {"roofline.gerr", Unit::ratio, [](AccuracyIn a) -> Cell { return a.roofline.geometric_error; }, {.header = "roofline"}},
    {"roofline.median_error", Unit::share, [](AccuracyIn a) -> Cell { return a.roofline.median_error; }},
    {"roofline.within_25", Unit::share, [](AccuracyIn a) -> Cell { return a.roofline.within_25; }},
    {"", Unit::none, nullptr, {.header = "worst", .text = worst_text, .drop_order = {3}}},
});
// clang-format on

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
      "touch, of which it touched a part\n",
      summary->overcounted, summary->overcounted == 1 ? "time" : "times", name_text(*first),
      duration(*first->measured_time_s));
}

std::string below_bound_sentences(const Result& result) {
  std::string text;
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
      text += fmt::format("measured below the bound: {} (most: {}, x{} of it): {}\n", count,
                          name_text(*fastest), plain(ratio(*fastest)), cause_text(reason));
  }
  return text;
}

std::string not_compared_sentence(const Result& result) {
  if (result.measured.not_compared == 0) return "";
  return fmt::format(
      "measured times left out: {}, of another batch, pass or GPU than here, or with caches in "
      "another state\n",
      result.measured.not_compared);
}

/// Limits of tables; JSON has all rows.
constexpr std::size_t most_gaps = 5;
constexpr double least_idle_share = 0.05;

constexpr std::size_t most_transfers = 10;
constexpr std::size_t most_unmodelled = 10;

}  // namespace

void write_recording_lists(JsonWriter& w, const Result& result) {
  const TraceSummary& recording = *result.measured.recording;
  write_rows<idle_columns>(w, "gaps", rows_in(recording.gaps, recording));
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

std::string measured_text(const Result& result, const TableStyle& style) {
  std::string text;
  const auto add = [&](Grid grid) {
    if (grid.row_count() == 0) return;
    fit(grid, style.width);
    text += '\n' + style.render(grid);
  };
  const auto& verdict = result.measured.verdict;
  const TraceSummary* recording = result.measured.recording.get();
  if (verdict && verdict->idle_s() > least_idle_share * verdict->step_s)
    add(idle_grid(*recording, most_gaps));
  if (result.measured.summary) {
    const MeasuredSummary& summary = *result.measured.summary;
    if (summary.rows > 0 && summary.not_split_s == 0) add(measured_parts_grid(summary));
    text += '\n' + lost_sentences(result);
  }
  if (recording != nullptr) {
    for (const bool gpus : {true, false}) add(transfers_grid(result, gpus, most_transfers));
    std::vector<UnmodelledLine> unmodelled = rows_in(recording->unmodelled, *recording);
    add(grid_of<UnmodelledLine>(
        shown_columns<UnmodelledLine>(unmodelled_columns),
        std::span(unmodelled).first(std::min(most_unmodelled, unmodelled.size()))));
  }
  add(grid_of<Accuracy>(shown_columns<Accuracy>(accuracy_columns), result.measured.accuracy));
  return text + below_bound_sentences(result) + overcounted_sentence(result) +
         not_compared_sentence(result);
}

}  // namespace roofline
