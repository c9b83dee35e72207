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

/// The number of a note that says where a constant comes from.
std::string note_mark(const std::string& origin, std::vector<std::string>& notes) {
  if (origin.empty()) return "";
  const auto found = std::find(notes.begin(), notes.end(), origin);
  const auto number = found - notes.begin() + 1;
  if (found == notes.end()) notes.push_back(origin);
  return fmt::format("  [{}]", number);
}

}  // namespace

std::string derivation_text(const std::vector<DerivationStep>& steps) {
  std::string text;
  std::vector<std::string> notes;
  for (const DerivationStep& step : steps) {
    const std::string result =
        (step.expression.empty() ? "" : "= ") + value_text(step) + note_mark(step.origin, notes);
    std::string line = fmt::format("  {:<{}} {}", step.quantity, quantity_width, step.expression);
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
