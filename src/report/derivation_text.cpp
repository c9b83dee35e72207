// The steps of a derivation as lines, their origins as notes below.

#include <fmt/format.h>

#include <algorithm>

#include "report/explain.hpp"

namespace roofline {
namespace {

constexpr std::size_t widest = 100;
constexpr std::size_t quantity_width = 36;

/// Six significant digits as in the expressions; whole numbers all.
std::string value_text(const DerivationStep& step) {
  const bool whole =
      step.value < 1e15 && step.value == static_cast<double>(static_cast<long long>(step.value));
  return fmt::format("{}{}{}",
                     whole ? fmt::format("{:.0f}", step.value) : fmt::format("{:.6g}", step.value),
                     step.unit.empty() ? "" : " ", step.unit);
}

/// "  [1, 3]": the numbers of the notes that say where a step's constants come from.
std::string note_marks(const DerivationStep& step, std::vector<std::string>& notes) {
  std::string marks;
  for (const std::string& origin : step.origins) {
    const auto found = std::find(notes.begin(), notes.end(), origin);
    marks += fmt::format("{}{}", marks.empty() ? "" : ", ", found - notes.begin() + 1);
    if (found == notes.end()) notes.push_back(origin);
  }
  return marks.empty() ? "" : fmt::format("  [{}]", marks);
}

/// The expression, but where it would only say the value once more.
std::string said_expression(const DerivationStep& step) {
  return value_text({{}, {}, step.value, {}, {}}) == step.expression ? "" : step.expression;
}

}  // namespace

std::string derivation_text(const std::vector<DerivationStep>& steps) {
  std::string text;
  std::vector<std::string> notes;
  for (const DerivationStep& step : steps) {
    const std::string expression = said_expression(step);
    const std::string result =
        (expression.empty() ? "" : "= ") + value_text(step) + note_marks(step, notes);
    std::string line = fmt::format("  {:<{}} {}", step.quantity, quantity_width, expression);
    line.erase(line.find_last_not_of(' ') + 1);
    const std::size_t begin = std::max(line.size() + 1, quantity_width + 3);
    if (begin + result.size() <= widest)
      text += fmt::format("{:<{}}{}\n", line, begin, result);
    else
      text += fmt::format("{}\n{:<{}}{}\n", line, "", quantity_width + 3, result);
  }
  for (std::size_t i = 0; i < notes.size(); ++i)
    text += fmt::format("  [{}] {}\n", i + 1, notes[i]);
  return text;
}

}  // namespace roofline
