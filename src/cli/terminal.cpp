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
constexpr std::size_t least_width = 40;
constexpr std::size_t most_width = 400;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t width() {
  const std::string_view columns = variable("COLUMNS");
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), width);
  winsize size{};
  if (error != std::errc() || end != columns.data() + columns.size() || width == 0)
    width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                            : default_width;
  return std::clamp(width, least_width, most_width);
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

RenderStyle chart_style(RenderStyle style) {
  style.unicode = is_utf8() && variable("NO_UNICODE").empty();
  style.width = width();
  return style;
}

}  // namespace roofline
