#include "report/chart/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/canvas.hpp"
#include "report/formats.hpp"
#include "report/text.hpp"

namespace roofline {
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
