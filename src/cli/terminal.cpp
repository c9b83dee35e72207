#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace roofline {
namespace {

constexpr std::size_t default_width = 80;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Of the terminal that standard output is; 0 where it does not say.
std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// COLUMNS; 0 where it is not set.
std::size_t stated_columns() {
  const std::string_view text = variable("COLUMNS");
  std::size_t columns = 0;
  const char* end = text.data() + text.size();
  return std::from_chars(text.data(), end, columns).ptr == end ? columns : 0;
}

/// Of the first of these variables that is set.
bool is_utf8() {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = variable(name);
  constexpr std::array<std::string_view, 4> codings{"UTF-8", "utf-8", "UTF8", "utf8"};
  return std::any_of(codings.begin(), codings.end(),
                     [&](std::string_view coding) { return locale.find(coding) != locale.npos; });
}

}  // namespace

RenderStyle standard_output_style() {
  constexpr std::size_t least = 80;
  RenderStyle style;
  style.unicode = is_utf8() && variable("NO_UNICODE").empty();
  if (isatty(STDOUT_FILENO) != 1) return style;
  style.colour = variable("NO_COLOR").empty();
  style.width = std::max(least, terminal_columns());
  return style;
}

RenderStyle chart_style(RenderStyle style) {
  constexpr std::size_t least = 40;
  constexpr std::size_t most = 400;
  std::size_t width = stated_columns();
  if (width == 0) width = terminal_columns();
  if (width == 0) width = default_width;
  style.width = std::clamp(width, least, most);
  return style;
}

}  // namespace roofline
