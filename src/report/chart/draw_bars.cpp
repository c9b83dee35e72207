// Bars from left to right, a row each.

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/draw.hpp"
#include "report/chart/layers.hpp"
#include "report/chart/scale.hpp"

namespace roofline {
namespace {

constexpr double row_height = 18;
constexpr double bar_height = 12;
constexpr double bound_height = 3;
constexpr double widest_label = 230;
constexpr std::size_t bar_label_columns = 32;
constexpr double bar_gap = 8;

void draw_rect(Scene& scene, const Box& box, std::string_view css, const std::string& hover) {
  const std::string title = hover.empty() ? "" : "<title>" + xml_text(hover) + "</title>";
  scene.body += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>)"
                            "\n",
                            css, px(box.x), px(box.y), px(box.width), px(box.height), title);
}

void draw_bar(Scene& scene, const Bar& bar, const Scale& scale, double top, const SvgStyle& style) {
  const double middle = top + row_height / 2;
  begin_layer(scene, "", bar.link, style);
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
              "bound-bar", "");
  if (bar.whisker) {
    const double below = middle + bar_height / 2 + 2;
    draw_whisker(scene, {scale(bar.whisker->low), below}, {scale(bar.whisker->high), below});
  }
  if (bar.measured)
    draw_line(scene, {scale(*bar.measured), top + 1}, {scale(*bar.measured), top + row_height - 1},
              "measured");
  end_layer(scene, bar.link, style);
}

}  // namespace

double draw_bars(Scene& scene, const Bars& bars, const Box& area, const SvgStyle& style) {
  double label_width = 0;
  double note_width = 0;
  std::vector<std::string> labels;
  for (const Bar& bar : bars.bars) labels.push_back(bar.label);
  labels = short_labels(labels, bar_label_columns);
  for (std::size_t i = 0; i < bars.bars.size(); ++i) {
    const Bar& bar = bars.bars[i];
    labels[i] = fitted_text(labels[i], widest_label, small_text);
    label_width = std::max(label_width, text_width(labels[i], small_text));
    note_width = std::max(note_width, text_width(bar.note, small_text));
  }
  const double left = area.x + label_width + bar_gap;
  const double right = area.x + area.width - note_width - bar_gap;
  const double bottom = area.y + row_height * static_cast<double>(bars.bars.size());
  Axis axis = bars.axis;
  if (!(axis.high > 0)) axis.high = 1;
  const Scale scale(axis, left, right);
  for (const Tick& tick : ticks_of(axis, 6)) {
    draw_line(scene, {scale(tick.value), area.y}, {scale(tick.value), bottom + 3}, "grid");
    scene.texts.push_back(
        {scale(tick.value), bottom + 16, tick.text, small_text, Anchor::middle, 0, "muted"});
  }
  for (std::size_t i = 0; i < bars.bars.size(); ++i) {
    const Bar& bar = bars.bars[i];
    const double top = area.y + row_height * static_cast<double>(i);
    draw_bar(scene, bar, scale, top, style);
    const double base = top + row_height / 2 + 4;
    scene.texts.push_back({left - bar_gap, base, labels[i], small_text, Anchor::end, 0, "ink"});
    scene.texts.push_back(
        {scale(length_of(bar)) + bar_gap, base, bar.note, small_text, Anchor::start, 0, "muted"});
  }
  return bottom + 24;
}

}  // namespace roofline
