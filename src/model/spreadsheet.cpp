#include "model/spreadsheet.hpp"

namespace roofline {

bool is_formula(std::string_view text) {
  constexpr std::string_view starts = "=+-@\t\r";
  const std::size_t first = text.find_first_not_of('\'');
  return first != text.npos && starts.find(text[first]) != starts.npos;
}

std::string guarded(std::string_view text) {
  return (is_formula(text) ? "'" : "") + std::string(text);
}

std::string unguarded(std::string_view text) {
  return std::string(text.substr(text.starts_with('\'') && is_formula(text) ? 1 : 0));
}

}  // namespace roofline
