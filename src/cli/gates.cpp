#include "cli/gates.hpp"

#include <fmt/format.h>

#include "model/text.hpp"
#include "report/chart/layers.hpp"

namespace roofline {
namespace {

constexpr int not_evaluated = 1;
constexpr int condition_holds = 3;

/// With as many digits as tell it from the limit that it is held against.
std::string value_text(double value, double limit) {
  const std::string text = calculator_text(value);
  return value != limit && text == fmt::format("{}", limit) ? fmt::format("{:.12g}", value) : text;
}

std::string line_of(const Gate& gate, const GateFailure& failure, const Result& result) {
  std::string place = work_title(result, true);
  if (failure.row) {
    const Layer& layer = result.layers[*failure.row].layer;
    place += ": " + layer.name;
    if (result.setting.training) place += fmt::format(" {}", name_of(layer.pass));
  }
  return fmt::format("{}: {} {} {} {}", place, gate.name, value_text(failure.value, gate.limit),
                     name_of(gate.comparison), gate.limit);
}

void add_unanswered(const Gate& gate, const Report& report, const GateOutcome& outcome,
                    std::vector<std::string>& lines) {
  for (const std::size_t result : outcome.unanswered)
    lines.push_back(fmt::format("{}: --fail-if '{}' has no answer: expected {}, got none{}",
                                work_title(report.results[result], true), gate.text,
                                meaning_of(*gate.field), gate.of_layers ? " for any layer" : ""));
  for (const KernelTable& table : report.kernels)
    lines.push_back(fmt::format("{}: --fail-if '{}' has no answer: expected layers, got kernels",
                                table.recording->source, gate.text));
}

}  // namespace

GateReport check_gates(const std::vector<Gate>& gates, const Report& report) {
  GateReport all;
  std::vector<std::string> unanswered;
  for (const Gate& gate : gates) {
    const GateOutcome outcome = check_gate(gate, report.results);
    for (const GateFailure& failure : outcome.failures)
      all.lines.push_back(line_of(gate, failure, report.results[failure.result]));
    add_unanswered(gate, report, outcome, unanswered);
  }
  if (!all.lines.empty()) all.exit_code = condition_holds;
  if (!gates.empty() && report.results.empty() && report.kernels.empty())
    unanswered.emplace_back("roofline: --fail-if: nothing was evaluated");
  if (!unanswered.empty()) all.exit_code = not_evaluated;
  all.lines.insert(all.lines.end(), unanswered.begin(), unanswered.end());
  return all;
}

}  // namespace roofline
