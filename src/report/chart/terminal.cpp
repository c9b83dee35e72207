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

std::string plot_legend(const std::vector<LegendItem>& legend, const RenderStyle& style) {
  std::vector<std::string> items;
  for (const LegendItem& item : legend) {
    if (item.sign == LegendItem::Sign::mark)
      items.push_back(coloured(symbol_character(item.symbol, style), item.colour, style) + " " +
                      item.text);
    if (item.sign == LegendItem::Sign::open_mark)
      items.push_back(std::string(style.unicode ? "○ " : "O ") + item.text);
    if (item.sign == LegendItem::Sign::bar && style.colour)
      items.push_back(coloured(style.unicode ? "█" : "#", item.colour, style) + " " + item.text);
  }
  return flowing_text(items, "   ", style.width);
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

std::string chart_text(const Chart& chart, const RenderStyle& style) {
  std::string text =
      fmt::format("{}\n{}\n", shortened(printable(chart.title), style.width),
                  flowing_text(words_of(printable(chart.subtitle)), " ", style.width));
  for (const Panel& panel : chart.panels) {
    if (!panel.heading.empty()) text += shortened(printable(panel.heading), style.width) + '\n';
    if (const auto* plot = std::get_if<Plot>(&panel.body))
      text += plot_text(*plot, style) + plot_legend(panel.legend, style);
    else
      text += bars_text(std::get<Bars>(panel.body), panel.legend, style);
    text += '\n';
  }
  for (const std::string& sentence : chart.caption)
    text += flowing_text(words_of(sentence), " ", style.width);
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
  std::string text;
  for (const Chart& chart : charts_of(report, style.chart))
    text += (text.empty() ? "" : "\n") + chart_text(chart, style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace roofline
