// Measured inputs in words: the verdict, what stands first; what a profiler recorded; and, below
// the rows, where the time went.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// A layer's name in a sentence, as --explain takes it.
std::string name_text(const LayerResult& row) {
  constexpr std::size_t widest = 60;
  return short_name(printable(row.layer.name), widest);
}

std::string share_text(double part_s, double whole_s) {
  return whole_s > 0 ? percent(part_s / whole_s) : "";
}

}  // namespace

std::string_view unexplained_text(double unexplained_s) {
  return unexplained_s < 0 ? "faster than the model" : "slower than the model";
}

namespace {

/// A GPU that is idle for this share of a step has that reported first, not its kernels.
constexpr double mostly_idle = 0.25;
/// Parts that are a smaller share of what is split up are named together.
constexpr double least_named = 0.02;
/// A rest below this share of what is split up shows in no sum.
constexpr double least_shown = 1e-4;
/// Where layers are this share of a step, nothing else needs a sentence.
constexpr double mostly_layers = 0.95;
/// Where layers are a smaller share of a step, their bound is not what matters.
constexpr double few_layers = 0.1;
/// Where more of the kernels' time is of unknown graphs, that is said first.
constexpr double mostly_unknown = 0.5;
constexpr std::size_t most_actions = 2;

constexpr StepPart other_busy_parts[] = {StepPart::other_kernels, StepPart::collectives,
                                         StepPart::copies};
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

std::string_view text_of(const Verdict& verdict, StepPart part) {
  return part == StepPart::unexplained ? unexplained_text(verdict.part_s[part]) : meaning_of(part);
}

/// A sum of parts of a whole: what is too small to be named stands last, so that the parts sum.
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
    for (const StepPart part : parts) add(verdict.part_s[part], text_of(verdict, part));
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

/// What a GPU works on beside layers.
std::string busy_sentence(const Verdict& verdict) {
  const double busy_s = verdict.step_s - verdict.idle_s();
  if (verdict.layers_s() > mostly_layers * verdict.step_s || !verdict.knows_gaps) return "";
  PartsText sum(busy_s);
  sum.add(verdict.layers_s(), "layers");
  sum.add(verdict, other_busy_parts);
  return fmt::format("GPU busy {} of {}: {}\n", percent(busy_s / verdict.step_s),
                     duration(verdict.step_s), std::move(sum).text());
}

std::string layers_sentence(const Verdict& verdict) {
  if (verdict.layers_s() < few_layers * verdict.step_s) return "";
  const double bound_s = verdict.part_s[StepPart::bound];
  PartsText sum(verdict.layers_s());
  sum.add(verdict, layer_parts);
  const std::string over = bound_s > 0 ? ratio_text(verdict.layers_s() / bound_s) : "";
  return fmt::format("layers take {}, {} of their bound: {}\n", duration(verdict.layers_s()), over,
                     std::move(sum).text());
}

/// What a recording of captured graphs lacks.
std::string graphs_sentence(const TraceSummary& recording) {
  double unknown_s = 0;
  for (const UnmodelledWork& work : recording.unmodelled)
    if (work.reason == in_graph) unknown_s += work.time_s;
  if (unknown_s < mostly_unknown * recording.kernel_s || unknown_s <= 0) return "";
  return fmt::format(
      "{} of the kernels' time is of captured graphs, and nothing says of which layers: give the "
      "recording that was made while they were captured beside this one\n",
      percent(unknown_s / recording.kernel_s));
}

/// What an action saves and leaves. Where kernels get faster than the host launches them, the host
/// is what is left.
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
                  : busy_sentence(verdict) + layers_sentence(verdict);
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

/// "all_reduce bf16 8816192", "host to device pinned".
std::string transfer_label(const Transfer& transfer) {
  const std::string_view kind = name_of(transfer.kind);
  const std::string name = is_between_gpus(transfer.kind) ? std::string(kind) : words(kind);
  return printable(transfer.what.empty() ? name : name + ' ' + transfer.what);
}

/// What layers, work between GPUs and copies over the host link stand for.
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
  text += fmt::format("; {} launches\n", plain(trace.launches)) + explained_sentence(trace);
  if (trace.latency_s)
    text += fmt::format("one run timed from outside takes {}\n", duration(*trace.latency_s));
  for (const std::string& note : trace.notes) text += printable(note) + '\n';
  if (trace.times_hold_launches) return text;
  return text +
         "expected: kernels alone, without the gaps between them, as the profiler times them\n";
}

namespace {

Grid idle_grid(const TraceSummary& recording, std::size_t most) {
  Grid grid{{left("GPU idle while the host ran"), left("cause"), right("gaps"), right("longest"),
             right("time"), right("of idle")}};
  const double idle_s = recording.idle_s();
  double rest_s = idle_s;
  for (std::size_t i = 0; i < std::min(most, recording.gaps.size()); ++i) {
    const IdleGaps& gaps = recording.gaps[i];
    grid.add_row({gaps.during.empty()
                      ? (gaps.cause == IdleCause::queued ? "(work was queued)"
                                                         : "(nothing recorded, or short)")
                      : shortened(printable(gaps.during), 60),
                  words(gaps.cause), plain(gaps.count), duration(gaps.longest_s),
                  duration(gaps.time_s), share_text(gaps.time_s, idle_s)});
    rest_s -= gaps.time_s;
  }
  if (recording.gaps.size() > most)
    grid.add_row({"other", "", "", "", duration(rest_s), share_text(rest_s, idle_s)});
  grid.add_row({"idle", "", "", "", duration(idle_s), share_text(idle_s, idle_s)});
  return grid;
}

Grid measured_parts_grid(const MeasuredSummary& summary) {
  Grid grid{
      {{"where the time went (split as a library's kernels spend it)", true}, {"time"}, {"of it"}}};
  const auto add = [&](const std::string& what, double time_s) {
    grid.add_row({what, duration(time_s), share_text(time_s, *summary.total.measured_time_s)});
  };
  for (const Limiter limiter : enumerators<Limiter>) {
    const double part_s = summary.total.part_s[limiter];
    if (part_s > 0) add(fmt::format("{}: {}", words(limiter), meaning_of(limiter)), part_s);
  }
  add(std::string(unexplained_text(summary.unexplained_s)), summary.unexplained_s);
  add("measured", *summary.total.measured_time_s);
  return grid;
}

std::string lost_sentences(const Result& result) {
  const MeasuredSummary& summary = *result.measured.summary;
  std::string text = "most time beyond the bound:\n";
  std::string_view last_help;  // said once of layers in a row that it helps alike
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
  if (summary.most_lost.empty()) text.clear();
  return text;
}

Grid unmodelled_grid(const TraceSummary& recording, std::size_t most,
                     std::optional<std::size_t> width) {
  Grid grid{
      {left("not modelled"), right("launches"), right("time"), right("of kernels"), left("why")}};
  for (std::size_t i = 0; i < std::min(most, recording.unmodelled.size()); ++i) {
    const UnmodelledWork& work = recording.unmodelled[i];
    grid.add_row({shortened(work.name, 40), plain(work.launches), duration(work.time_s),
                  share_text(work.time_s, recording.kernel_s), work.reason});
  }
  drop_columns(grid, width, {"of kernels"});
  return grid;
}

/// Transfers between GPUs, or else over the host link.
Grid transfers_grid(const Result& result, bool gpus, std::size_t most,
                    std::optional<std::size_t> width) {
  const TraceSummary& recording = *result.measured.recording;
  const std::optional<double>& link_byte_per_s = result.setting.host_link_byte_per_s;
  Grid grid{{left(gpus ? "between GPUs" : "over the host link"), right("ranks"), right("launches"),
             right("bytes"), right("time"), right("of kernels"), right("exposed"), right("hidden"),
             right("rate"), right(gpus ? "bus rate" : "of link")}};
  const auto add = [&](const std::string& name, const Transfer& each) {
    const std::optional<double> rate = each.algorithm_byte_per_s();
    grid.add_row({name, each.ranks ? fmt::format("{}", *each.ranks) : "", plain(each.launches),
                  si(each.byte, "B"), duration(each.time_s),
                  share_text(each.time_s, recording.kernel_s), duration(each.exposed_s()),
                  share_text(each.hidden_s, each.time_s), si(rate, "B/s"),
                  gpus                      ? si(each.bus_byte_per_s(), "B/s")
                  : rate && link_byte_per_s ? share_text(*rate, *link_byte_per_s)
                                            : ""});
  };
  Transfer total;
  std::size_t count = 0;
  for (const Transfer& each : recording.transfers) {
    if (is_between_gpus(each.kind) != gpus) continue;
    total.launches += each.launches;
    total.time_s += each.time_s;
    total.hidden_s += each.hidden_s;
    if (++count <= most) add(transfer_label(each), each);
  }
  if (count > 1) add("total", total);
  drop_columns(grid, width, {"of kernels", "launches", "hidden", "bus rate"});
  return grid;
}

Grid accuracy_grid(const Result& result, std::optional<std::size_t> width) {
  constexpr std::size_t widest_worst = 22;
  Grid grid{{left("accuracy"), left("dtype"), left("pass"), right("layers"), right("bias"),
             right("gerr"), right("median"), right("within 25%"), right("roofline"),
             left("worst")}};
  for (const Accuracy& cell : result.measured.accuracy)
    grid.add_row({std::string(name_of(cell.layer_class)), std::string(name_of(cell.dtype)),
                  std::string(name_of(cell.pass)), fmt::format("{}", cell.layers),
                  factor(cell.expected.bias), factor(cell.expected.geometric_error),
                  percent(cell.expected.median_error),
                  fmt::format("{:.0f}%", 100 * cell.expected.within_25),
                  ratio_text(cell.roofline.geometric_error),
                  fmt::format("{} {}", short_name(printable(cell.worst.front().name), widest_worst),
                              factor(cell.worst.front().ratio))});
  drop_columns(grid, width, {"median", "within 25%", "worst"});
  return grid;
}

std::string_view cause_text(BelowBound reason) {
  switch (reason) {
    case BelowBound::fewer_macs: return "Winograd or FFT do fewer multiply-adds than are counted";
    case BelowBound::in_l2: return "the operands fit in L2, so device memory hardly moves";
    case BelowBound::ceilings_too_low:
      return "the part does more than these ceilings (clocks, engine or data type differ?)";
    case BelowBound::impossible: break;  // said first
  }
  return "";
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

/// Kinds of gaps of a GPU that is idle for more than this share; JSON has more.
constexpr std::size_t most_gaps = 5;
constexpr double least_idle_share = 0.05;

/// Rows of transfers, and of work that no layer stands for; JSON has all.
constexpr std::size_t most_transfers = 10;
constexpr std::size_t most_unmodelled = 10;

}  // namespace

std::string measured_text(const Result& result, const TableStyle& style) {
  std::string text;
  const auto& verdict = result.measured.verdict;
  if (verdict && verdict->idle_s() > least_idle_share * verdict->step_s)
    text += '\n' + style.render(idle_grid(*result.measured.recording, most_gaps));
  if (result.measured.summary) {
    text += '\n' + style.render(measured_parts_grid(*result.measured.summary));
    text += '\n' + lost_sentences(result);
  }
  if (result.measured.recording)
    for (const bool gpus : {true, false})
      if (const Grid grid = transfers_grid(result, gpus, most_transfers, style.width);
          grid.row_count() > 0)
        text += '\n' + style.render(grid);
  if (result.measured.recording && !result.measured.recording->unmodelled.empty())
    text += '\n' +
            style.render(unmodelled_grid(*result.measured.recording, most_unmodelled, style.width));
  if (!result.measured.accuracy.empty())
    text += '\n' + style.render(accuracy_grid(result, style.width));
  return text + below_bound_sentences(result) + not_compared_sentence(result);
}

}  // namespace roofline
