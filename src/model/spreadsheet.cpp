#include "model/spreadsheet.hpp"

#include <algorithm>
#include <array>

namespace roofline {

/// Also in full width, as spreadsheets in East Asian languages take them.
constexpr std::array<std::string_view, 8> formula_starts{"=",      "+",      "-",      "@",
                                                         "\uff1d", "\uff0b", "\uff0d", "\uff20"};

/// What spreadsheets may leave out before a formula: blanks, no-break and wide ones as well, marks
/// without width, and characters that no text begins with.
constexpr std::array<std::string_view, 4> wide_blanks{"\u00a0", "\u3000", "\u200b", "\ufeff"};

bool is_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  const auto first = text.empty() ? 0 : static_cast<unsigned char>(text.front());
  if (first > '@' && first < 0x80) return false;  // a letter, as nearly all texts begin
  const auto starts = [&text](std::string_view start) { return text.starts_with(start); };
  if (starts("\t") || starts("\r") || starts("\n")) return true;
  while (!text.empty()) {
    const auto* blank = std::find_if(wide_blanks.begin(), wide_blanks.end(), starts);
    const bool is_narrow = static_cast<unsigned char>(text.front()) <= ' ';
    if (!is_narrow && blank == wide_blanks.end()) break;
    text.remove_prefix(is_narrow ? 1 : blank->size());
  }
  return std::any_of(formula_starts.begin(), formula_starts.end(), starts);
}

std::string guarded(std::string_view text) {
  return (is_formula(text) ? "'" : "") + std::string(text);
}

std::string unguarded(std::string_view text) {
  return std::string(text.substr(text.starts_with('\'') && is_formula(text) ? 1 : 0));
}

}  // namespace roofline
