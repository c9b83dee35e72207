// What stands first of a measured input: the verdict in sentences.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "report/summary.hpp"
#include "report/text.hpp"

namespace roofline {
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
/// One part of a cause's gaps that is this share of them needs no number of its own.
constexpr double all_of_it = 0.99;
constexpr std::size_t most_actions = 2;

constexpr StepPart other_busy_parts[] = {StepPart::other_kernels, StepPart::collectives,
                                         StepPart::copies};
constexpr StepPart layer_parts[] = {StepPart::bound, StepPart::small_kernels,
                                    StepPart::instructions, StepPart::rates, StepPart::unexplained};

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

/// What the host ran in most of the gaps of a cause: " (592.5 us of it in aten::addmm)".
std::string host_text(const TraceSummary& recording, IdleCause cause) {
  const auto found = std::find_if(
      recording.gaps.begin(), recording.gaps.end(),
      [&](const IdleGaps& gaps) { return !gaps.during.empty() && gaps.cause == cause; });
  if (found == recording.gaps.end()) return "";
  const std::string name = shortened(printable(found->during), 40);
  if (found->time_s >= all_of_it * recording.idle_by_cause_s[cause])
    return fmt::format(" (in {})", name);
  return fmt::format(" ({} of it in {})", duration(found->time_s), name);
}

std::string idle_sentence(const Verdict& verdict, const TraceSummary& recording) {
  PartsText sum(verdict.idle_s());
  auto parts = idle_parts;
  std::stable_sort(parts.begin(), parts.end(), [&](const IdlePart& a, const IdlePart& b) {
    return verdict.part_s[a.part] > verdict.part_s[b.part];
  });
  for (const auto& [part, cause] : parts)
    sum.add(verdict.part_s[part], std::string(meaning_of(part)) + host_text(recording, cause));
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

std::string verdict_sentences(const Result& result) {
  if (!result.measured.verdict) return "";
  const Verdict& verdict = *result.measured.verdict;
  const bool is_idle = verdict.idle_s() >= mostly_idle * verdict.step_s;
  std::string text = is_idle ? idle_sentence(verdict, *result.measured.recording)
                             : busy_sentence(verdict) + layers_sentence(verdict);
  for (std::size_t i = 0; i < std::min(most_actions, verdict.actions.size()); ++i) {
    const Advice& action = verdict.actions[i];
    text += fmt::format("{}: {}\n", i == 0 ? "do first" : "or", action_text(action, result));
  }
  return broken(text, sentence_width);
}

}  // namespace roofline
