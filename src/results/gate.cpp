#include "results/gate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"

namespace roofline {

/// A whole network, or one layer with its own sums.
struct GateSubject {
  Total total;
  std::optional<std::uint64_t> batch;
  std::optional<std::uint64_t> tokens;
  std::optional<std::uint64_t> memory_byte;
  const Verdict* step = nullptr;            ///< of a recording with its gaps
  const TraceSummary* recording = nullptr;  ///< likewise
  std::optional<double> ratio;              ///< to the first of two inputs that are compared
};

namespace {

struct GateUnit {
  std::string_view suffix;  ///< of the field's name
  double size = 1;          ///< in base units
};

struct GateField {
  std::string_view name;
  std::span<const GateUnit> units;                             ///< the usual one first
  std::optional<double> (*value)(const GateSubject& subject);  ///< in base units
  bool has_layers;                                             ///< layers have it, too
  std::string_view meaning;
};

using S = const GateSubject&;
using Known = std::optional<double>;

GateSubject subject_of(const LayerResult& row) {
  GateSubject subject;
  add_to_total(subject.total, row);
  // Only a layer's first pass adds them to a total.
  subject.total.params = row.counts.params;
  return subject;
}

bool knows_step(const Result& result) {
  return result.measured.verdict && result.measured.verdict->knows_gaps;
}

/// The ratio of whole steps, else of measured layers, else of expected ones: the first that both
/// have.
std::optional<double> ratio_between(const Result& before, const Result& after) {
  const auto over = [](double a, double b) { return b > 0 ? std::optional(a / b) : std::nullopt; };
  if (knows_step(before) && knows_step(after))
    return over(after.measured.verdict->step_s, before.measured.verdict->step_s);
  if (before.total.measured_time_s && after.total.measured_time_s)
    return over(*after.total.measured_time_s, *before.total.measured_time_s);
  return over(after.total.time_s, before.total.time_s);
}

/// `before`: null where nothing is compared.
GateSubject subject_of(const Result& result, const Result* before) {
  GateSubject subject;
  subject.total = result.total;
  subject.batch = result.setting.batch;
  subject.tokens = result.setting.tokens;
  subject.memory_byte = needed_memory_byte(result);
  if (knows_step(result)) {
    subject.step = &*result.measured.verdict;
    subject.recording = result.measured.recording.get();
  }
  if (before != nullptr) subject.ratio = ratio_between(*before, result);
  return subject;
}

template <class Of>
std::optional<double> of_step(const GateSubject& subject, Of of) {
  return subject.step != nullptr ? std::optional<double>(of(*subject.step)) : std::nullopt;
}

Known known(const std::optional<std::uint64_t>& count) {
  return count ? Known(static_cast<double>(*count)) : Known();
}

Known lost(const Total& total) {
  if (!total.measured_time_s) return {};
  return total.lost_s;
}

/// Work without time, such as a view, has no ratio.
Known known_ratio(const Known& part, const Known& whole) {
  return part && whole && *whole > 0 ? Known(*part / *whole) : Known();
}

Known share_of_bound(const Total& total) {
  if (total.is_overcounted) return {};
  return known_ratio(total.roofline_time_s,
                     total.measured_time_s ? total.measured_time_s : total.expected_time_s);
}

constexpr std::array<GateUnit, 3> gate_times{{{"_ms", 1e-3}, {"_us", 1e-6}, {"_s", 1}}};
constexpr std::array<GateUnit, 3> gate_sizes{{{"_mb", 1e6}, {"_gb", 1e9}, {"_byte", 1}}};
constexpr std::array<GateUnit, 1> no_unit{{{"", 1}}};

constexpr std::array gate_fields = std::to_array<GateField>({
    {"expected", gate_times, [](S s) { return s.total.expected_time_s; }, true,
     "the expected time, known where the model has all that it needs of the GPU"},
    {"roofline", gate_times, [](S s) -> Known { return s.total.roofline_time_s; }, true,
     "the roofline bound"},
    {"measured", gate_times, [](S s) { return s.total.measured_time_s; }, true,
     "the measured time, of a network known where every layer has one (a recorded step is "
     "step_ms)"},
    {"step", gate_times,
     [](S s) { return of_step(s, [](const Verdict& step) { return step.step_s; }); }, false,
     "a recording's step with its gaps, known where the recording tells them; without the "
     "recorder's "
     "time, which is estimated unless --measured step=TIME states the step"},
    {"idle_share", no_unit,
     [](S s) {
       return of_step(s, [](const Verdict& step) { return share_of(step.idle_s(), step.step_s); });
     },
     false, "the share of step_ms in which the GPU idles, known where step_ms is"},
    {"kernel", gate_times,
     [](S s) { return s.recording != nullptr ? Known(s.recording->kernel_s) : Known(); }, false,
     "all kernels and copies of a recorded step added up, known where step_ms is"},
    {"ratio", no_unit, [](S s) { return s.ratio; }, false,
     "the second input's time over the first one's (of steps, else of measured layers, else "
     "expected), known with --compare"},
    {"lost", gate_times, [](S s) { return lost(s.total); }, true,
     "the measured time beyond the roofline bound, of a network known where every layer has one"},
    {"share_of_bound", no_unit, [](S s) { return share_of_bound(s.total); }, true,
     "the roofline bound over the measured time, or else over the expected one"},
    {"over_expected", no_unit,
     [](S s) { return known_ratio(s.total.measured_time_s, s.total.expected_time_s); }, true,
     "the measured time over the expected one"},
    {"images_per_s", no_unit,
     [](S s) { return s.tokens ? Known() : known_ratio(known(s.batch), s.total.expected_time_s); },
     false,
     "the batch over the expected time, known where all layers have one batch (a language model "
     "has tokens_per_s)"},
    {"tokens_per_s", no_unit,
     [](S s) { return known_ratio(known(s.tokens), s.total.expected_time_s); }, false,
     "the tokens of all sequences over the expected time, known of a language model"},
    {"memory", gate_sizes, [](S s) { return known(s.memory_byte); }, false,
     "the GPU memory that the network needs; a stream of layers is no network"},
    {"macs", no_unit, [](S s) { return known(s.total.macs); }, true, "multiply-adds"},
    {"flops", no_unit, [](S s) { return known(s.total.flops); }, true, "FLOP"},
    {"params", no_unit, [](S s) { return known(s.total.params); }, true, "parameters"},
    {"bytes", no_unit, [](S s) { return known(s.total.bytes.total); }, true,
     "bytes of operands and results"},
});

std::string written_name(const GateField& field, const GateUnit& unit) {
  return std::string(field.name) + std::string(unit.suffix);
}

[[noreturn]] void fail_field(std::string_view name) {
  std::string usual;
  std::vector<std::string> all;
  for (const GateField& field : gate_fields) {
    add_item(usual, written_name(field, field.units.front()));
    for (const GateUnit& unit : field.units) all.push_back(written_name(field, unit));
  }
  throw InputError("expected one of " + usual + ", got " + in_quotes(name) +
                   did_you_mean(name, {all.begin(), all.end()}));
}

/// A column's name as a condition's: "expected_time_s" is "expected_s", "measured_lost_s" "lost_s",
/// "bytes_total" "bytes", and "needed_memory_byte" "memory_byte".
std::string name_of_column(std::string_view column) {
  constexpr std::pair<std::string_view, std::string_view> parts[] = {{"_time_", "_"},
                                                                     {"measured_lost", "lost"},
                                                                     {"measured_over_e", "over_e"},
                                                                     {"needed_memory", "memory"},
                                                                     {"bytes_total", "bytes"}};
  std::string name(column);
  for (const auto& [theirs, ours] : parts)
    if (const std::size_t at = name.find(theirs); at != name.npos)
      name.replace(at, theirs.size(), ours);
  return name;
}

void set_field(Gate& gate, std::string_view written) {
  gate.name = name_of_column(written);
  for (const GateField& field : gate_fields)
    for (const GateUnit& unit : field.units) {
      if (gate.name != written_name(field, unit)) continue;
      if (gate.of_layers && !field.has_layers)
        throw InputError(gate.name + " is of networks, not of layers");
      gate.meaning = field.meaning;
      gate.value = field.value;
      gate.unit = unit.size;
      return;
    }
  fail_field(written);
}

Gate parsed_gate(std::string_view text) {
  Gate gate;
  gate.text = text;
  const std::size_t at = text.find_first_of("<>");
  std::string_view name = trimmed(text.substr(0, at));
  if (at == text.npos || name.empty())
    throw InputError("expected a field, one of > >= < <=, and a number, as in 'expected_ms > 2.5'");
  gate.comparison = text.substr(at, text.substr(at + 1).starts_with('=') ? 2 : 1);
  gate.of_layers = name.starts_with("layer.");
  if (gate.of_layers || name.starts_with("total.")) name.remove_prefix(std::size("layer.") - 1);
  set_field(gate, name);
  const std::string_view limit = trimmed(text.substr(at + gate.comparison.size()));
  const auto number = leading_number(limit);
  if (!number || !number->rest.empty())
    throw InputError("expected a number after " + gate.comparison + ", got " + in_quotes(limit) +
                     "; a unit stands in the name, as in expected_ms");
  gate.limit = number->value;
  return gate;
}

bool holds(const Gate& gate, double value) {
  if (value == gate.limit) return gate.comparison.size() == 2;
  return gate.comparison.front() == (value > gate.limit ? '>' : '<');
}

/// Whether the value is known; appends a failure.
bool answer(const Gate& gate, const GateSubject& subject, GateFailure place,
            std::vector<GateFailure>& failures) {
  const Known value = gate.value(subject);
  if (!value) return false;
  place.value = *value / gate.unit;
  if (holds(gate, place.value)) failures.push_back(place);
  return true;
}

}  // namespace

Expected<Gate> parse_gate(std::string_view text) {
  return expected([&] { return parsed_gate(text); });
}

Expected<GateOutcome> check_gate(const Gate& gate, const std::vector<const Result*>& results,
                                 bool compares_two) {
  constexpr std::string_view comparisons[] = {">", ">=", "<", "<="};
  const bool is_known = std::ranges::find(comparisons, gate.comparison) != std::end(comparisons);
  if (gate.value == nullptr || !(gate.unit > 0) || !is_known)
    return InputError("expected a gate as parse_gate returns it, got " + in_quotes(gate.text));
  GateOutcome outcome;
  const bool has_before = compares_two && results.size() == 2;
  for (std::size_t i = has_before ? 1 : 0; i < results.size(); ++i) {
    const Result& result = *results[i];
    bool answered = false;
    if (!gate.of_layers)
      answered = answer(gate, subject_of(result, has_before ? results.front() : nullptr),
                        {i, {}, 0}, outcome.failures);
    else
      for (std::size_t row = 0; row < result.layers.size(); ++row)
        if (answer(gate, subject_of(result.layers[row]), {i, row, 0}, outcome.failures))
          answered = true;
    if (!answered) outcome.unanswered.push_back(i);
  }
  return outcome;
}

}  // namespace roofline
