// Plots with two continuous axes on a terminal.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/layers.hpp"
#include "report/chart/scale.hpp"
#include "report/chart/terminal.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t least_height = 12;
constexpr std::size_t most_height = 30;
constexpr std::size_t most_named_on_terminal = 8;
constexpr std::size_t terminal_label_columns = 30;

class TerminalPlot {
 public:
  TerminalPlot(const Plot& plot, const Screen& screen)
      : plot_(plot),
        screen_(screen),
        y_ticks_(ticks_of(plot.y, 8)),
        margin_(margin_of(y_ticks_)),
        canvas_(screen.width - margin_ - 1, std::clamp(screen.width / 4, least_height, most_height),
                screen),
        x_(plot.x, 0, static_cast<double>(canvas_.width())),
        y_(plot.y, static_cast<double>(canvas_.height()), 0) {}

  std::string text() {
    for (const Line& line : plot_.lines) draw(line);
    draw_marks();
    for (const Line& line : plot_.lines) label(line);
    if (plot_.notes.empty()) label_marks();
    for (const Note& note : plot_.notes) write(note);
    return rows() + x_axis();
  }

 private:
  static std::size_t margin_of(const std::vector<Tick>& ticks) {
    std::size_t margin = 0;
    for (const Tick& tick : ticks) margin = std::max(margin, tick.text.size());
    return margin + 1;
  }

  Position cell_of(const Position& place) const { return {x_(place.x), y_(place.y)}; }

  void draw(const Line& line) {
    for (std::size_t i = 1; i < line.path.size(); ++i)
      canvas_.line(cell_of(line.path[i - 1]), cell_of(line.path[i]), line.style);
  }

  void label(const Line& line) {
    if (line.label.empty()) return;
    const auto width = static_cast<std::ptrdiff_t>(display_width(line.label));
    if (line.label_at == Line::LabelAt::foot) {
      const auto column = static_cast<std::ptrdiff_t>(cell_of(line.path.back()).x);
      const auto row = static_cast<std::ptrdiff_t>(canvas_.height()) - 1;
      if (!canvas_.put_text(column + 1, row, line.label))
        canvas_.put_text(column - width, row - 1, line.label);
      return;
    }
    if (line.label_at == Line::LabelAt::end) {
      const auto row = static_cast<std::ptrdiff_t>(cell_of(line.path.back()).y);
      const auto column = static_cast<std::ptrdiff_t>(canvas_.width()) - width;
      for (const std::ptrdiff_t offset : {-1, 1, 0, -2})
        if (canvas_.put_text(column, row + offset, line.label)) return;
      return;
    }
    // To the left of the slope.
    const Position from = cell_of(line.path[0]);
    const Position to = cell_of(line.path[1]);
    for (double share = 0.25; share < 1; share += 0.08) {
      const auto column = static_cast<std::ptrdiff_t>(from.x + share * (to.x - from.x)) - width - 1;
      const auto row = static_cast<std::ptrdiff_t>(from.y + share * (to.y - from.y));
      if (canvas_.put_text(column, row, line.label)) return;
    }
  }

  void put(const Position& place, std::string_view character, Colour colour) {
    const Position cell = cell_of(place);
    if (cell.x >= 0 && cell.y >= 0)
      canvas_.put(static_cast<std::size_t>(cell.x), static_cast<std::size_t>(cell.y), character,
                  colour);
  }

  /// The longest last, on top.
  void draw_marks() {
    const std::vector<std::size_t> order = marks_by_share(plot_.marks);
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      const Mark& mark = plot_.marks[*i];
      if (mark.expected_y)
        put({mark.at.x, *mark.expected_y}, screen_.unicode ? "○" : "O", mark.colour);
      put(mark.at, symbol_character(mark.symbol, screen_), mark.colour);
    }
  }

  void write(const Note& note) {
    const auto width = static_cast<std::ptrdiff_t>(display_width(note.text));
    const auto column = static_cast<std::ptrdiff_t>(cell_of(note.at).x);
    const auto row = static_cast<std::ptrdiff_t>(cell_of(note.at).y);
    for (const std::ptrdiff_t offset : {0, 1, -1, 2, -2})
      if (canvas_.put_text(column + 2, row + offset, note.text) ||
          canvas_.put_text(column - width - 1, row + offset, note.text))
        return;
  }

  std::vector<std::string> mark_labels() const {
    std::vector<std::string> labels;
    for (const Mark& mark : plot_.marks) labels.push_back(mark.label);
    return labels;
  }

  void label_marks() {
    std::size_t count = 0;
    const std::vector<std::string> names = short_labels(mark_labels(), terminal_label_columns);
    for (const std::size_t i : marks_by_share(plot_.marks)) {
      const Mark& mark = plot_.marks[i];
      if (count == most_named_on_terminal) return;
      if (mark.label.empty()) continue;
      const std::string& name = names[i];
      const auto width = static_cast<std::ptrdiff_t>(display_width(name));
      const auto column = static_cast<std::ptrdiff_t>(cell_of(mark.at).x);
      const auto row = static_cast<std::ptrdiff_t>(cell_of(mark.at).y);
      if (canvas_.put_text(column + 2, row, name) ||
          canvas_.put_text(column - width - 1, row, name))
        ++count;
    }
  }

  std::string rows() const {
    std::string text;
    for (std::size_t row = 0; row < canvas_.height(); ++row) {
      const auto tick = std::find_if(y_ticks_.begin(), y_ticks_.end(), [&](const Tick& each) {
        return !each.text.empty() && static_cast<std::size_t>(y_(each.value)) == row;
      });
      const bool has_tick = tick != y_ticks_.end();
      const std::string_view edge =
          screen_.unicode ? (has_tick ? "┤" : "│") : (has_tick ? "+" : "|");
      text +=
          fmt::format("{:>{}}{}{}\n", has_tick ? tick->text : "", margin_, edge, canvas_.row(row));
    }
    return text;
  }

  std::string x_axis() const {
    Canvas axis(canvas_.width(), 1, screen_);
    std::vector<bool> has_tick(canvas_.width(), false);
    const auto add = [&](double value, const std::string& text, bool centred) {
      const double at = x_(value);
      if (at < 0 || at >= static_cast<double>(canvas_.width())) return;
      const auto shift = static_cast<std::ptrdiff_t>(centred ? text.size() / 2 : 0);
      if (axis.put_text(static_cast<std::ptrdiff_t>(at) - shift, 0, text))
        has_tick[static_cast<std::size_t>(at)] = true;
    };
    for (const Span& span : plot_.spans)
      if (x_(span.high) - x_(span.low) > static_cast<double>(display_width(span.text)))
        add(span.low, printable(span.text), false);
    if (plot_.spans.empty())
      for (const Tick& tick : ticks_of(plot_.x, 8))
        if (!tick.text.empty()) add(tick.value, tick.text, true);
    std::string text = std::string(margin_, ' ') + (screen_.unicode ? "└" : "+");
    for (const bool tick : has_tick)
      text += screen_.unicode ? (tick ? "┬" : "─") : (tick ? "+" : "-");
    return fmt::format("{}\n{:>{}}{}\n{:>{}}\n", text, "", margin_ + 1, axis.row(0), plot_.x.title,
                       screen_.width - 1);
  }

  const Plot& plot_;
  const Screen& screen_;
  std::vector<Tick> y_ticks_;
  std::size_t margin_;
  Canvas canvas_;
  Scale x_;
  Scale y_;
};

}  // namespace

std::string plot_text(const Plot& plot, const Screen& screen) {
  return plot.y.title + '\n' + TerminalPlot(plot, screen).text();
}

}  // namespace roofline
