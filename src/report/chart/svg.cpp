// Charts as SVG: no script, no font of its own, plain classes so that converters understand it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/draw.hpp"
#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view style_sheet = R"css(
.chart text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1a1a1a}
.chart .muted{fill:#4d4d4d}
.chart .title{font-weight:600}
.chart .label{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.chart .paper{fill:#fff}
.chart .frame{fill:none;stroke:#767676;stroke-width:1}
.chart .grid{stroke:#e0e0e0;stroke-width:1}
.chart .join{stroke:#767676;stroke-width:.9}
.chart .dot{fill:#1a1a1a;stroke:#fff;stroke-width:.8}
.chart .open-dot{fill:#fff;stroke:#1a1a1a;stroke-width:1.3}
.chart .measured{stroke:#1a1a1a;stroke-width:2.4}
.chart .whisker{stroke:#1a1a1a;stroke-width:1}
.chart .bound-bar{fill:#1a1a1a;stroke:#fff;stroke-width:.7}
.chart .line{fill:none;stroke-width:1.8}
.chart .dashed{stroke-dasharray:7 4;stroke-width:1.5}
.chart .dash_dot{stroke-dasharray:9 3 2 3;stroke-width:1.4}
.chart .dotted{stroke-dasharray:1.5 3;stroke-width:1.2}
.chart .c-blue{fill:#0072b2}.chart .c-sky{fill:#56b4e9}.chart .c-vermillion{fill:#d55e00}
.chart .c-green{fill:#009e73}.chart .c-orange{fill:#e69f00}.chart .c-purple{fill:#cc79a7}
.chart .c-yellow{fill:#f0e442}.chart .c-grey{fill:#8c8c8c}.chart .c-ink{fill:#1a1a1a}
.chart .c-paper{fill:#fff}
.chart path[class^="c-"],.chart rect[class^="c-"]{stroke:#1a1a1a;stroke-width:.8}
.chart .s-blue{stroke:#0072b2}.chart .s-sky{stroke:#56b4e9}.chart .s-vermillion{stroke:#d55e00}
.chart .s-green{stroke:#009e73}.chart .s-orange{stroke:#e69f00}.chart .s-purple{stroke:#cc79a7}
.chart .s-yellow{stroke:#f0e442}.chart .s-grey{stroke:#8c8c8c}.chart .s-ink{stroke:#1a1a1a}
.chart path.c-paper{stroke-width:1.6}
.chart a:focus path,.chart a:focus rect,.chart g:hover>path{stroke-width:2.2}
@media screen and (prefers-color-scheme:dark){
.chart text{fill:#e8e8e8}
.chart .muted{fill:#b8bcc2}
.chart .label{stroke:#15181c}
.chart .paper,.chart .c-paper{fill:#15181c}
.chart .grid{stroke:#2f343a}
.chart .measured,.chart .whisker,.chart .s-ink{stroke:#e8e8e8}
.chart .dot,.chart .bound-bar{fill:#f4f4f4;stroke:#15181c}
.chart .open-dot{fill:#15181c;stroke:#f4f4f4}
.chart .c-ink{fill:#d8d8d8}
.chart path[class^="c-"],.chart rect[class^="c-"]{stroke:#e8e8e8}
}
)css";

std::string text_element(const Text& text) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}" font-size="{}" text-anchor="{}">{}</text>)"
                     "\n",
                     text.css, px(text.x), px(text.y), px(text.size), name_of(text.anchor),
                     xml_text(text.text));
}

constexpr double sign_width = 24;
constexpr double line_height = 18;
constexpr double label_gap = 8;

/// The sign about (x, y), `sign_width` wide.
void draw_sign(Scene& scene, const LegendItem& item, double x, double y) {
  using Sign = LegendItem::Sign;
  const auto bar = [&](std::string_view css, double height) {
    draw_rect(scene, {x - 9, y - height / 2, 18, height}, css);
  };
  switch (item.sign) {
    case Sign::mark: draw_symbol(scene, item.symbol, {x, y}, 5, css_name(item.colour)); break;
    case Sign::bound: draw_symbol(scene, Symbol::circle, {x, y}, 2.4, "dot"); break;
    case Sign::l2_bound: draw_symbol(scene, Symbol::circle, {x, y}, 2.4, "open-dot"); break;
    case Sign::line: draw_path(scene, {{x - 11, y}, {x + 11, y}}, item.line, item.colour); break;
    case Sign::bar: bar(css_name(item.colour), 10); break;
    case Sign::thin_bar: bar("bound-bar", 3); break;
    case Sign::whisker: draw_whisker(scene, {x - 9, y}, {x + 9, y}); break;
    case Sign::tick: draw_line(scene, {x, y - 7}, {x, y + 7}, "measured"); break;
  }
}

}  // namespace

void begin_layer(Scene& scene, const std::string& hover, const std::string& link) {
  if (scene.links && !link.empty()) scene.body += fmt::format("<a href=\"#{}\">", link);
  scene.body += "<g>";
  if (!hover.empty()) scene.body += "<title>" + xml_text(hover) + "</title>";
  scene.body += '\n';
}

void end_layer(Scene& scene, const std::string& link) {
  scene.body += scene.links && !link.empty() ? "</g></a>\n" : "</g>\n";
}

void draw_line(Scene& scene, Position from, Position to, std::string_view css) {
  scene.body += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)"
                            "\n",
                            css, px(from.x), px(from.y), px(to.x), px(to.y));
}

void draw_rect(Scene& scene, const Box& box, std::string_view css, const std::string& hover) {
  const std::string title = hover.empty() ? "" : "<title>" + xml_text(hover) + "</title>";
  scene.body += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>)"
                            "\n",
                            css, px(box.x), px(box.y), px(box.width), px(box.height), title);
}

void draw_whisker(Scene& scene, Position from, Position to) {
  constexpr double half_cap = 2.5;
  const bool is_upright = from.x == to.x;
  const Position half{is_upright ? half_cap : 0, is_upright ? 0 : half_cap};
  draw_line(scene, from, to, "whisker");
  for (const Position& end : {from, to})
    draw_line(scene, {end.x - half.x, end.y - half.y}, {end.x + half.x, end.y + half.y}, "whisker");
}

void draw_path(Scene& scene, const std::vector<Position>& path, LineStyle style, Colour colour) {
  std::string points;
  for (const Position& place : path)
    points += fmt::format("{}{},{}", points.empty() ? "M" : "L", px(place.x), px(place.y));
  scene.body += fmt::format(R"(<path class="line s-{} {}" d="{}"/>)"
                            "\n",
                            name_of(colour), name_of(style), points);
}

void draw_symbol(Scene& scene, Symbol symbol, Position at, double radius, std::string_view css) {
  scene.body += fmt::format(R"(<path class="{}" d="{}"/>)"
                            "\n",
                            css, symbol_path(symbol, at.x, at.y, radius));
}

namespace {

constexpr double width = page_width - 2 * page_margin;

double draw_legend(Scene& scene, const std::vector<LegendItem>& legend, double top) {
  if (legend.empty()) return top;
  double x = page_margin;
  double y = top + line_height / 2;
  for (const LegendItem& item : legend) {
    const std::string text = fitted_text(item.text, width - 2 * sign_width, small_text);
    const double item_width = sign_width + 4 + text_width(text, small_text) + 10;
    if (x > page_margin && x + item_width > page_margin + width) {
      x = page_margin;
      y += line_height;
    }
    draw_sign(scene, item, x + sign_width / 2, y);
    scene.texts.push_back({x + sign_width + 4, y + 4, text, Anchor::start, "ink"});
    x += item_width;
  }
  return y + line_height / 2 + 10;
}

double draw_key(Scene& scene, const std::vector<KeyRow>& key, double top) {
  constexpr double gap = 28;
  constexpr double number_width = 18;
  const double column_width = (width - gap) / 2;
  const std::size_t lines = (key.size() + 1) / 2;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const KeyRow& row = key[i];
    const double left = page_margin + (i < lines ? 0 : column_width + gap);
    const double y = top + line_height * (static_cast<double>(i % lines) + 0.5);
    const double right = left + column_width;
    const double name_at = left + number_width + sign_width;
    const double room = right - name_at - text_width(row.detail, small_text) - label_gap;
    draw_symbol(scene, row.symbol, {left + number_width + sign_width / 2, y}, 4.5,
                css_name(row.colour));
    const auto text = [&](double x, const std::string& words, Anchor anchor, std::string_view css) {
      scene.texts.push_back({x, y + 4, words, anchor, css});
    };
    text(left + number_width, fmt::format("{}", i + 1), Anchor::end, "ink title");
    text(name_at, fitted_text(row.name, room, small_text), Anchor::start, "ink");
    text(right, row.detail, Anchor::end, "muted");
  }
  return top + line_height * static_cast<double>(lines) + (key.empty() ? 0 : 8);
}

constexpr double row_height = 18;
constexpr double bar_height = 12;
constexpr double bound_height = 3;
constexpr double widest_label = 270;
constexpr std::size_t bar_label_columns = 40;
constexpr double bar_gap = 8;

void draw_bar(Scene& scene, const Bar& bar, const Scale& scale, double top) {
  const double middle = top + row_height / 2;
  begin_layer(scene, "", bar.link);
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
  end_layer(scene, bar.link);
}

double draw_bars(Scene& scene, const std::vector<Bar>& bars, double area_top) {
  double label_width = 0;
  double note_width = 0;
  double longest = 0;
  std::vector<std::string> labels;
  labels.reserve(bars.size());
  for (const Bar& bar : bars) labels.push_back(printable(bar.label));
  labels = short_names(labels, bar_label_columns);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    labels[i] = fitted_text(labels[i], widest_label, small_text);
    label_width = std::max(label_width, text_width(labels[i], small_text));
    note_width = std::max(note_width, text_width(bar.note, small_text));
    longest = std::max(longest, length_of(bar));
  }
  const double left = page_margin + label_width + bar_gap;
  const double right = page_margin + width - note_width - bar_gap;
  const double bottom = area_top + row_height * static_cast<double>(bars.size());
  const Axis axis{"", "s", false, 0, longest > 0 ? longest : 1};
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

/// Lines of text from `top` down; returns where they end.
double draw_paragraph(Scene& scene, std::string_view text, double top, double size,
                      std::string_view css) {
  std::string lines = broken(text, columns_within(width, size));
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    top += size * 1.35;
    scene.texts.push_back({page_margin, top, lines.substr(0, end), Anchor::start, css, size});
    lines.erase(0, end + 1);
  }
  return top;
}

/// The chart from `top` down; returns where it ends.
double draw_chart(Scene& scene, const Chart& chart, double top) {
  double y =
      draw_paragraph(scene, fitted_text(chart.title, 1.8 * width, 16), top + 8, 16, "ink title");
  y = draw_paragraph(scene, chart.subtitle, y + 2, 12, "muted") + 12;
  for (const Panel& panel : chart.panels) {
    if (!panel.heading.empty())
      y = draw_paragraph(scene, fitted_text(panel.heading, width, 12), y, 12, "ink title") + 8;
    const auto* plot = std::get_if<Plot>(&panel.body);
    y = plot != nullptr ? draw_plot(scene, *plot, y)
                        : draw_bars(scene, std::get<std::vector<Bar>>(panel.body), y);
    y = draw_legend(scene, panel.legend, y);
    y = draw_key(scene, panel.key, y);
  }
  return draw_paragraph(scene, chart.caption, y, small_text, "muted") + page_margin;
}

std::string element_of(const Scene& scene, const std::string& label, std::string_view role,
                       std::string_view head) {
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="{2}" aria-label="{3}">)"
      "\n{4}",
      px(scene.width), px(scene.height), role, xml_text(label), head);
  svg += fmt::format(R"(<rect class="paper" width="{}" height="{}"/>)"
                     "\n",
                     px(scene.width), px(scene.height));
  svg += scene.body;
  for (const Text& text : scene.texts) svg += text_element(text);
  return svg + "</svg>\n";
}

}  // namespace

Scene scene_of(const std::vector<Chart>& charts, bool links) {
  Scene scene;
  scene.links = links;
  scene.width = page_width;
  for (const Chart& chart : charts)
    scene.height = std::ceil(draw_chart(scene, chart, scene.height));
  return scene;
}

std::string svg_element(const Chart& chart) {
  return element_of(scene_of({chart}, true), chart.title + ": " + chart.subtitle, "group", "");
}

std::string_view svg_css() { return style_sheet; }

void write_svg(const Report& report, const RenderStyle& style, const Sink& sink) {
  std::vector<Chart> charts = charts_of(report, style.chart);
  if (charts.empty()) charts.push_back({.title = "no input could be evaluated"});
  std::string label;
  for (const Chart& chart : charts)
    label += (label.empty() ? "" : "; ") + chart.title + ": " + chart.subtitle;
  sink(element_of(scene_of(charts), label, "img", fmt::format("<style>{}</style>\n", style_sheet)));
}

}  // namespace roofline
