#include "report/chart/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/formats.hpp"
#include "report/text.hpp"

namespace roofline {

namespace {

/// U+2800 and the dots of a cell, as UTF-8.
std::string braille(std::uint8_t dots) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 | (dots >> 6U)),
          static_cast<char>(0x80 | (dots & 0x3FU))};
}

/// The bit of a dot by its column (0, 1) and row (0..3) in the cell.
constexpr std::array<std::array<std::uint8_t, 4>, 2> dot_bits{
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

/// Samples of a line that are drawn, of each `period`.
struct Pattern {
  std::size_t period;
  std::size_t drawn;
};

Pattern pattern_of(LineStyle style) {
  switch (style) {
    case LineStyle::solid: return {1, 1};
    case LineStyle::dashed: return {6, 3};
    case LineStyle::dash_dot: return {4, 2};
    case LineStyle::dotted: return {4, 1};
  }
  return {1, 1};
}

char stroke_of(Position from, Position to, LineStyle style) {
  if (style == LineStyle::dotted) return ':';
  if (std::fabs(to.y - from.y) < 0.5) return style == LineStyle::solid ? '-' : '.';
  return style == LineStyle::solid ? '/' : '.';
}

/// The first character of the text, in bytes.
std::size_t character_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
    ++length;
  return length;
}

}  // namespace

Canvas::Canvas(std::size_t width, std::size_t height, const Screen& screen)
    : width_(width), height_(height), screen_(screen), cells_(width * height) {}

void Canvas::dot(double column, double row, char stroke) {
  if (column < 0 || row < 0) return;
  const auto x = static_cast<std::size_t>(column * 2);
  const auto y = static_cast<std::size_t>(row * 4);
  if (x / 2 >= width_ || y / 4 >= height_) return;
  Cell& cell = at(x / 2, y / 4);
  cell.dots |= dot_bits[x % 2][y % 4];
  cell.stroke = stroke;
}

void Canvas::line(Position from, Position to, LineStyle style) {
  const double steps =
      std::ceil(std::max({2 * std::fabs(to.x - from.x), 4 * std::fabs(to.y - from.y), 1.0}));
  const Pattern pattern = pattern_of(style);
  const char stroke = stroke_of(from, to, style);
  const auto count = static_cast<std::size_t>(std::min(steps, 10000.0));
  for (std::size_t i = 0; i <= count; ++i) {
    if (i % pattern.period >= pattern.drawn) continue;
    const double share = static_cast<double>(i) / static_cast<double>(count);
    dot(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y), stroke);
  }
}

void Canvas::put(std::size_t column, std::size_t row, std::string_view character, Colour colour) {
  if (column >= width_ || row >= height_) return;
  at(column, row).character = character;
  at(column, row).colour = colour;
}

bool Canvas::put_text(std::ptrdiff_t column, std::ptrdiff_t row, std::string_view text) {
  const std::size_t columns = display_width(text);
  if (column < 0 || row < 0 || static_cast<std::size_t>(row) >= height_ ||
      static_cast<std::size_t>(column) + columns > width_)
    return false;
  auto x = static_cast<std::size_t>(column);
  const auto y = static_cast<std::size_t>(row);
  // Texts do not touch each other either.
  for (std::size_t i = x > 0 ? x - 1 : 0; i < std::min(width_, x + columns + 1); ++i)
    if (!at(i, y).character.empty() || at(i, y).is_covered) return false;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::size_t wide = display_width(text.substr(0, length));
    if (wide == 0 && x > 0) at(x - 1, y).character += text.substr(0, length);
    if (wide > 0) put(x, y, text.substr(0, length));
    if (wide == 2) at(x + 1, y).is_covered = true;
    x += wide;
    text.remove_prefix(length);
  }
  return true;
}

std::string Canvas::row(std::size_t row) const {
  std::string text;
  std::size_t kept = 0;
  for (std::size_t column = 0; column < width_; ++column) {
    const Cell& cell = at(column, row);
    if (cell.is_covered) continue;
    if (!cell.character.empty())
      text += coloured(cell.character, cell.colour, screen_);
    else if (cell.dots == 0)
      text += ' ';
    else
      text += screen_.unicode ? braille(cell.dots) : std::string(1, cell.stroke);
    if (!cell.character.empty() || cell.dots != 0) kept = text.size();
  }
  text.resize(kept);
  return text;
}

std::string coloured(std::string_view text, Colour colour, const Screen& screen) {
  // Of the 256 colours of terminals those closest to the palette's.
  const auto code = [colour] {
    switch (colour) {
      case Colour::blue: return 32;
      case Colour::sky: return 117;
      case Colour::vermillion: return 166;
      case Colour::green: return 36;
      case Colour::orange: return 214;
      case Colour::purple: return 175;
      case Colour::yellow: return 227;
      case Colour::grey: return 245;
      case Colour::ink:
      case Colour::paper: return 0;  // the terminal's own
    }
    return 0;
  }();
  if (!screen.colour || code == 0) return std::string(text);
  return fmt::format("\x1b[38;5;{}m{}\x1b[0m", code, text);
}

std::string_view symbol_character(Symbol symbol, const Screen& screen) {
  switch (symbol) {
    case Symbol::circle: return screen.unicode ? "●" : "o";
    case Symbol::hexagon: return screen.unicode ? "◉" : "@";
    case Symbol::square: return screen.unicode ? "■" : "#";
    case Symbol::diamond: return screen.unicode ? "◆" : "*";
    case Symbol::triangle: return screen.unicode ? "▲" : "^";
    case Symbol::triangle_down: return screen.unicode ? "▼" : "v";
    case Symbol::plus: return "+";
    case Symbol::cross: return screen.unicode ? "×" : "x";
  }
  return "";
}

namespace {

/// Without escape sequences of colours.
std::size_t visible_width(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\x1b')
      i = std::min(text.find('m', i), text.size());
    else
      shown += text[i];
  return display_width(shown);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string plot_legend(const std::vector<LegendItem>& legend, const Screen& screen) {
  std::vector<std::string> items;
  for (const LegendItem& item : legend) {
    if (item.sign == LegendItem::Sign::mark)
      items.push_back(coloured(symbol_character(item.symbol, screen), item.colour, screen) + " " +
                      item.text);
    if (item.sign == LegendItem::Sign::open_mark)
      items.push_back(std::string(screen.unicode ? "○ " : "O ") + item.text);
    if (item.sign == LegendItem::Sign::bar)
      items.push_back(
          (screen.colour ? coloured(screen.unicode ? "█" : "#", item.colour, screen) + " " : "") +
          shortened(printable(item.text), screen.width - 2));
  }
  return flowing_text(items, "   ", screen.width);
}

/// Characters that a terminal of ASCII lacks, replaced.
std::string ascii_only(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x80)
      out += c;
    else if ((static_cast<unsigned char>(c) & 0xC0U) == 0xC0U)
      out += '?';
  return out;
}

std::string chart_text(const Chart& chart, const Screen& screen) {
  std::string text =
      fmt::format("{}\n{}\n", shortened(printable(chart.title), screen.width),
                  flowing_text(words_of(printable(chart.subtitle)), " ", screen.width));
  for (const Panel& panel : chart.panels) {
    if (!panel.heading.empty()) text += shortened(printable(panel.heading), screen.width) + '\n';
    if (const auto* plot = std::get_if<Plot>(&panel.body))
      text += plot_text(*plot, screen) + plot_legend(panel.legend, screen);
    else
      text += bars_text(std::get<Bars>(panel.body), panel.legend, screen);
    text += '\n';
  }
  for (const std::string& sentence : chart.caption)
    text += flowing_text(words_of(sentence), " ", screen.width);
  return text;
}

}  // namespace

std::string flowing_text(const std::vector<std::string>& items, std::string_view between,
                         std::size_t width) {
  std::string text;
  std::size_t column = 0;
  for (const std::string& item : items) {
    const std::size_t columns = visible_width(item);
    if (column > 0 && column + between.size() + columns > width) {
      text += '\n';
      column = 0;
    }
    if (column > 0) {
      text += between;
      column += between.size();
    }
    text += item;
    column += columns;
  }
  return text.empty() ? text : text + '\n';
}

std::string render_plot(const Report& report, const RenderStyle& style) {
  constexpr std::size_t default_width = 80;
  const Screen screen{style.width.value_or(default_width), style.unicode, style.colour};
  std::string text;
  for (const Chart& chart : charts_of(report, style.chart))
    text += (text.empty() ? "" : "\n") + chart_text(chart, screen);
  return screen.unicode ? text : ascii_only(text);
}

}  // namespace roofline
