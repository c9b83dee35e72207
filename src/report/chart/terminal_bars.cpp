// Bars on a terminal.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/layers.hpp"
#include "report/chart/terminal.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Neighbours in a bar differ without colours too.
std::string_view fill_of(Colour colour, const Screen& screen) {
  switch (colour) {
    case Colour::blue: return screen.unicode ? "█" : "#";
    case Colour::sky: return screen.unicode ? "▒" : "%";
    case Colour::vermillion: return screen.unicode ? "▓" : "=";
    case Colour::green: return screen.unicode ? "░" : "-";
    case Colour::orange: return screen.unicode ? "╱" : "/";
    case Colour::purple: return screen.unicode ? "▚" : "+";
    case Colour::yellow: return screen.unicode ? "=" : "~";
    case Colour::grey: return screen.unicode ? "▁" : "_";
    case Colour::ink: return screen.unicode ? "▪" : "o";
    case Colour::paper: return screen.unicode ? "·" : ".";
  }
  return "";
}

std::string_view bound_stroke(const Screen& screen) { return screen.unicode ? "╎" : "!"; }
std::string_view measured_stroke(const Screen& screen) { return screen.unicode ? "┃" : "|"; }

bool is_stacked(const Bars& bars) {
  return std::any_of(bars.bars.begin(), bars.bars.end(),
                     [](const Bar& bar) { return bar.segments.size() > 1; });
}

class BarText {
 public:
  BarText(const Bars& bars, const Screen& screen) : bars_(bars), screen_(screen) {
    for (const Bar& bar : bars.bars) labels_.push_back(bar.label);
    labels_ = short_labels(labels_, screen.width / 3);
    for (const std::string& label : labels_)
      label_width_ = std::max(label_width_, display_width(label));
    for (const Bar& bar : bars.bars) add_note(bar.note);
    const std::size_t taken = label_width_ + note_width_ + 3;
    bar_width_ = screen.width > taken + least_bar ? screen.width - taken : least_bar;
  }

  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < bars_.bars.size(); ++i) {
      const Bar& bar = bars_.bars[i];
      const std::string& label = labels_[i];
      std::string line = std::string(label_width_ - display_width(label), ' ') + label + ' ' +
                         (is_stacked(bars_) ? stacked(bar) : single(bar)) + ' ' + notes_[i];
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

 private:
  static constexpr std::size_t least_bar = 10;

  /// As many of its parts as there is room for.
  void add_note(std::string note) {
    const std::size_t room = screen_.width - std::min(screen_.width, label_width_ + 3 + least_bar);
    for (std::size_t end = note.rfind(", "); display_width(note) > room && end != note.npos;
         end = note.rfind(", "))
      note.resize(end);
    note_width_ = std::max(note_width_, display_width(note));
    notes_.push_back(std::move(note));
  }

  std::size_t cells(double value) const {
    if (!(bars_.axis.high > 0)) return 0;
    return static_cast<std::size_t>(
        std::lround(value / bars_.axis.high * static_cast<double>(bar_width_)));
  }

  /// The bound and the measured time as strokes over the parts.
  std::string stacked(const Bar& bar) const {
    std::vector<std::string> columns;
    double sum = 0;
    for (const Segment& segment : bar.segments) {
      sum += segment.value;
      columns.resize(std::max(columns.size(), cells(sum)),
                     coloured(fill_of(segment.colour, screen_), segment.colour, screen_));
    }
    const auto stroke = [&](const std::optional<double>& value, std::string_view sign) {
      if (!value) return;
      const std::size_t at = std::min(cells(*value), bar_width_ - 1);
      if (at >= columns.size()) columns.resize(at + 1, " ");
      columns[at] = sign;
    };
    stroke(bar.bound, bound_stroke(screen_));
    stroke(bar.measured, measured_stroke(screen_));
    std::string text;
    for (const std::string& column : columns) text += column;
    return text;
  }

  /// The bound within the bar, or beyond it; the measured time as a stroke.
  std::string single(const Bar& bar) const {
    const Segment& segment = bar.segments.front();
    const std::size_t whole = cells(segment.value);
    const std::size_t bound = bar.bound ? cells(*bar.bound) : whole;
    const std::size_t length =
        std::max({whole, bound, bar.measured ? cells(*bar.measured) + 1 : 0});
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      const bool is_measured = bar.measured && i == cells(*bar.measured);
      if (is_measured)
        text += measured_stroke(screen_);
      else if (i < whole)
        text += coloured(i < bound ? bound_fill() : rest_fill(), segment.colour, screen_);
      else
        text += i < bound ? (screen_.unicode ? "┄" : ".") : " ";
    }
    return text;
  }

  std::string_view bound_fill() const { return screen_.unicode ? "█" : "#"; }
  std::string_view rest_fill() const { return screen_.unicode ? "░" : "-"; }

  const Bars& bars_;
  const Screen& screen_;
  std::vector<std::string> labels_;
  std::vector<std::string> notes_;
  std::size_t label_width_ = 0;
  std::size_t note_width_ = 0;
  std::size_t bar_width_ = 0;
};

std::string legend_text(const Bars& bars, const std::vector<LegendItem>& legend,
                        const Screen& screen) {
  const bool stacked = is_stacked(bars);
  std::vector<std::string> items;
  for (const LegendItem& item : legend) {
    if (item.sign == LegendItem::Sign::bar && (stacked || screen.colour))
      items.push_back(fmt::format(
          "{} {}", coloured(fill_of(item.colour, screen), item.colour, screen), item.text));
    if (item.sign == LegendItem::Sign::thin_bar && !stacked)
      items.push_back(fmt::format("{} {}, {} expected", screen.unicode ? "█" : "#", item.text,
                                  screen.unicode ? "░" : "-"));
    if (item.sign == LegendItem::Sign::thin_bar && stacked)
      items.push_back(fmt::format("{} {}", bound_stroke(screen), item.text));
    if (item.sign == LegendItem::Sign::tick)
      items.push_back(fmt::format("{} {}", measured_stroke(screen), item.text));
  }
  return flowing_text(items, "   ", screen.width);
}

}  // namespace

std::string bars_text(const Bars& bars, const std::vector<LegendItem>& legend,
                      const Screen& screen) {
  return BarText(bars, screen).text() + legend_text(bars, legend, screen);
}

}  // namespace roofline
