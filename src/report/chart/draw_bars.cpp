#include "report/chart/draw.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr double row_height = 18;
constexpr double bar_height = 12;
constexpr double bound_height = 3;
constexpr double widest_label = 330;
constexpr std::size_t bar_label_columns = 45;
constexpr double bar_gap = 8;

void draw_bar(Scene& scene, const Bar& bar, const Scale& scale, double top) {
  const double middle = top + row_height / 2;
  double sum = 0;
  for (const Segment& segment : bar.segments) {
    const double from = scale(sum);
    sum += segment.value;
    draw_rect(scene, {from, middle - bar_height / 2, scale(sum) - from, bar_height},
              css_name(segment.colour), segment.hover);
  }
  if (bar.bound)
    draw_rect(scene,
              {scale(0), middle - bound_height / 2, scale(*bar.bound) - scale(0), bound_height},
              "bound-bar");
  if (bar.whisker) {
    const double below = middle + bar_height / 2 + 2;
    draw_whisker(scene, {scale(bar.whisker->low), below}, {scale(bar.whisker->high), below});
  }
  if (bar.measured)
    draw_line(scene, {scale(*bar.measured), top + 1}, {scale(*bar.measured), top + row_height - 1},
              "measured");
}

}  // namespace

double draw_bars(Scene& scene, const Bars& all, double area_top) {
  const std::vector<Bar>& bars = all.rows;
  double label_width = 0;
  double note_width = 0;
  double longest = 0;
  std::vector<std::string> labels;
  labels.reserve(bars.size());
  for (const Bar& bar : bars) {
    labels.push_back(
        fitted_text(short_name(printable(bar.label), bar_label_columns), widest_label, small_text));
    label_width = std::max(label_width, text_width(labels.back(), small_text));
    note_width = std::max(note_width, text_width(bar.note, small_text));
    longest = std::max(longest, length_of(bar));
  }
  const double left = page_margin + label_width + bar_gap;
  const double right = page_width - page_margin - note_width - bar_gap;
  const double bottom = area_top + row_height * static_cast<double>(bars.size());
  const Axis axis{"", all.unit, false, 0, longest > 0 ? longest : 1};
  const Scale scale(axis, left, right);
  for (const Tick& tick : ticks_of(axis, 6)) {
    draw_line(scene, {scale(tick.value), area_top}, {scale(tick.value), bottom + 3}, "grid");
    scene.texts.push_back({scale(tick.value), bottom + 16, tick.text, Anchor::middle, "muted"});
  }
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double top = area_top + row_height * static_cast<double>(i);
    draw_bar(scene, bar, scale, top);
    const double base = top + row_height / 2 + 4;
    scene.texts.push_back({left - bar_gap, base, labels[i], Anchor::end, "ink"});
    scene.texts.push_back(
        {scale(length_of(bar)) + bar_gap, base, bar.note, Anchor::start, "muted"});
  }
  return bottom + 24;
}

}  // namespace roofline
