// Charts as SVG without scripts and fonts, with plain classes that converters understand.

#include <fmt/format.h>

#include "report/chart/chart.hpp"
#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view sizes_css = R"css(
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
.chart path[class^="c-"],.chart rect[class^="c-"]{stroke:#1a1a1a;stroke-width:.8}
.chart .tint{fill-opacity:.09;stroke:none!important}
.chart path.c-paper{stroke-width:1.6}
.chart g:hover>path{stroke-width:2.2}
)css";

/// An element on a line of its own.
template <class... Args>
void add_element(std::string& svg, fmt::format_string<Args...> form, Args&&... args) {
  svg += fmt::format(form, std::forward<Args>(args)...) + '\n';
}

constexpr double sign_width = 24;
constexpr double line_height = 18;

void draw_sign(Scene& scene, const LegendItem& item, double x, double y) {
  using Sign = LegendItem::Sign;
  const auto bar = [&](std::string_view css, double height) {
    draw_rect(scene, {x - 9, y - height / 2, 18, height}, css);
  };
  switch (item.sign) {
    case Sign::mark: draw_symbol(scene, item.symbol, {x, y}, 5, css_name(item.colour)); break;
    case Sign::bound: draw_symbol(scene, Symbol::circle, {x, y}, 2.4, "dot"); break;
    case Sign::l2_bound: draw_symbol(scene, Symbol::circle, {x, y}, 2.4, "open-dot"); break;
    case Sign::bar: bar(css_name(item.colour), 10); break;
    case Sign::thin_bar: bar("bound-bar", 3); break;
    case Sign::whisker: draw_whisker(scene, {x - 9, y}, {x + 9, y}); break;
    case Sign::tick: draw_line(scene, {x, y - 7}, {x, y + 7}, "measured"); break;
  }
}

}  // namespace

std::string svg_css() {
  std::string css(sizes_css);
  for (const Colour colour : enumerators<Colour>)
    css += fmt::format(".chart .c-{0}{{fill:{1}}}.chart .s-{0}{{stroke:{1}}}\n", name_of(colour),
                       hex_of(colour));
  return css;
}

void begin_group(Scene& scene, const std::string& hover) {
  scene.body += fmt::format("<g><title>{}</title>\n", xml_text(hover));
}

void end_group(Scene& scene) { scene.body += "</g>\n"; }

void draw_line(Scene& scene, Position from, Position to, std::string_view css) {
  add_element(scene.body, R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", css, px(from.x),
              px(from.y), px(to.x), px(to.y));
}

void draw_rect(Scene& scene, const Box& box, std::string_view css, const std::string& hover) {
  const std::string title = hover.empty() ? "" : "<title>" + xml_text(hover) + "</title>";
  add_element(scene.body, R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>)", css,
              px(box.x), px(box.y), px(box.width), px(box.height), title);
}

void draw_whisker(Scene& scene, Position from, Position to) {
  constexpr double half_cap = 2.5;
  const bool is_upright = from.x == to.x;
  const Position half{is_upright ? half_cap : 0, is_upright ? 0 : half_cap};
  draw_line(scene, from, to, "whisker");
  for (const Position& end : {from, to})
    draw_line(scene, {end.x - half.x, end.y - half.y}, {end.x + half.x, end.y + half.y}, "whisker");
}

namespace {

std::string path_of(const std::vector<Position>& places) {
  std::string path;
  for (const Position& place : places)
    path += fmt::format("{}{},{}", path.empty() ? "M" : "L", px(place.x), px(place.y));
  return path;
}

}  // namespace

void draw_path(Scene& scene, const std::vector<Position>& path, LineStyle style, Colour colour) {
  add_element(scene.body, R"(<path class="line s-{} {}" d="{}"/>)", name_of(colour), name_of(style),
              path_of(path));
}

void draw_tint(Scene& scene, const std::vector<Position>& corners, Colour colour) {
  add_element(scene.body, R"(<path class="{} tint" d="{}Z"/>)", css_name(colour), path_of(corners));
}

void draw_symbol(Scene& scene, Symbol symbol, Position at, double radius, std::string_view css) {
  add_element(scene.body, R"(<path class="{}" d="{}"/>)", css,
              symbol_path(symbol, at.x, at.y, radius));
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

/// Returns the bottom.
double draw_paragraph(Scene& scene, std::string_view text, Position corner, double size,
                      std::string_view css) {
  std::string lines = broken(text, columns_within(width, size));
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    corner.y += size * 1.35;
    scene.texts.push_back({corner.x, corner.y, lines.substr(0, end), Anchor::start, css, size});
    lines.erase(0, end + 1);
  }
  return corner.y;
}

/// A panel in one of the chart's columns; returns the bottom.
double draw_panel(Scene& scene, const Panel& panel, double top, std::size_t column,
                  std::size_t columns) {
  const double share = width / static_cast<double>(columns);
  const double left = page_margin + static_cast<double>(column) * share;
  if (!panel.heading.empty()) {
    const std::size_t letters = columns_within(share, 12);
    std::string lines = columns > 1 ? shortened(panel.heading, letters) : panel.heading;
    top = draw_paragraph(scene, lines, {left, top}, 12, "ink title") + 8;
  }
  const auto* plot = std::get_if<Plot>(&panel.body);
  return plot != nullptr ? draw_plot(scene, *plot, {left, top}, share)
                         : draw_bars(scene, std::get<Bars>(panel.body), top);
}

/// Returns the bottom.
double draw_chart(Scene& scene, const Chart& chart, double top) {
  const auto paragraph = [&](std::string_view text, double at, double size, std::string_view css) {
    return draw_paragraph(scene, text, {page_margin, at}, size, css);
  };
  double y = paragraph(fitted_text(chart.title, 1.8 * width, 16), top + 8, 16, "ink title");
  y = paragraph(chart.subtitle, y + 2, 12, "muted") + 12;
  std::size_t column = 0;
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const Panel& panel = chart.panels[i];
    const bool is_plot = std::holds_alternative<Plot>(panel.body);
    const double end = draw_panel(scene, panel, y, column, is_plot ? chart.columns : 1);
    const bool goes_on =
        i + 1 < chart.panels.size() && std::holds_alternative<Plot>(chart.panels[i + 1].body);
    column = is_plot && goes_on ? (column + 1) % chart.columns : 0;
    if (column == 0) y = draw_legend(scene, panel.legend, end);
  }
  return paragraph(chart.caption, y, small_text, "muted") + page_margin;
}

std::string element_of(const Scene& scene, const std::string& label, std::string_view role,
                       std::string_view head) {
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="{2}" aria-label="{3}">)"
      "\n{4}",
      px(scene.width), px(scene.height), role, xml_text(label), head);
  add_element(svg, R"(<rect class="paper" width="{}" height="{}"/>)", px(scene.width),
              px(scene.height));
  svg += scene.body;
  for (const Text& text : scene.texts)
    add_element(svg, R"(<text class="{}" x="{}" y="{}" font-size="{}" text-anchor="{}">{}</text>)",
                text.css, px(text.x), px(text.y), px(text.size), name_of(text.anchor),
                xml_text(text.text));
  return svg + "</svg>\n";
}

}  // namespace

Scene scene_of(const std::vector<Chart>& charts) {
  Scene scene;
  scene.width = page_width;
  for (const Chart& chart : charts)
    scene.height = std::ceil(draw_chart(scene, chart, scene.height));
  return scene;
}

std::string svg_element(const Chart& chart) {
  return element_of(scene_of({chart}), chart.title + ": " + chart.subtitle, "group", "");
}

void write_svg(const Report& report, const RenderStyle& style, const Sink& sink) {
  std::vector<Chart> charts = charts_of(report, style.chart);
  if (charts.empty()) charts.push_back({.title = "no input could be evaluated"});
  std::string label;
  for (const Chart& chart : charts)
    label += (label.empty() ? "" : "; ") + chart.title + ": " + chart.subtitle;
  sink(element_of(scene_of(charts), label, "img", fmt::format("<style>{}</style>\n", svg_css())));
}

}  // namespace roofline
