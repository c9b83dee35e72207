// Scenes as SVG: no script, no font of its own, plain classes so that converters understand it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/chart/draw.hpp"
#include "report/formats.hpp"

namespace roofline {
namespace {

constexpr double page_width = 800;
constexpr double margin = 16;

constexpr std::string_view css = R"css(
.chart text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1a1a1a}
.chart .muted{fill:#4d4d4d}
.chart .title{font-weight:600}
.chart .label{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.chart .paper{fill:#fff}
.chart .frame{fill:none;stroke:#767676;stroke-width:1}
.chart .grid{stroke:#e0e0e0;stroke-width:1}
.chart .tick{stroke:#767676;stroke-width:1}
.chart .stem{stroke:#b0b0b0;stroke-width:.7}
.chart .join{stroke:#767676;stroke-width:.9}
.chart .leader{stroke:#767676;stroke-width:.7;stroke-dasharray:2 2}
.chart .dot{fill:#1a1a1a;stroke:#fff;stroke-width:.8}
.chart .open-dot{fill:#fff;stroke:#1a1a1a;stroke-width:1.3}
.chart .measured{stroke:#1a1a1a;stroke-width:2.4}
.chart .whisker{stroke:#1a1a1a;stroke-width:1}
.chart .bound-bar{fill:#1a1a1a;stroke:#fff;stroke-width:.7}
.chart .line{fill:none;stroke-width:1.8}
.chart .dashed{stroke-dasharray:7 4;stroke-width:1.5}
.chart .dash-dot{stroke-dasharray:9 3 2 3;stroke-width:1.4}
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
.chart .stem{stroke:#5a6068}
.chart .measured,.chart .whisker,.chart .s-ink{stroke:#e8e8e8}
.chart .dot,.chart .bound-bar{fill:#f4f4f4;stroke:#15181c}
.chart .open-dot{fill:#15181c;stroke:#f4f4f4}
.chart .c-ink{fill:#d8d8d8}
.chart path[class^="c-"],.chart rect[class^="c-"]{stroke:#e8e8e8}
}
)css";

std::string_view anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::start: return "start";
    case Anchor::middle: return "middle";
    case Anchor::end: return "end";
  }
  return "";
}

std::string text_element(const Text& text) {
  const std::string turn = text.angle == 0 ? ""
                                           : fmt::format(" transform=\"rotate({} {} {})\"",
                                                         px(text.angle), px(text.x), px(text.y));
  return fmt::format(R"(<text class="{}" x="{}" y="{}" font-size="{}" text-anchor="{}"{}>{}</text>)"
                     "\n",
                     text.css, px(text.x), px(text.y), px(text.size), anchor_name(text.anchor),
                     turn, xml_text(text.text));
}

/// Lines of text from `top` down; returns where they end.
double draw_paragraph(Scene& scene, std::string_view text, double top, double size,
                      std::string_view name) {
  for (const std::string& line : wrapped_text(text, page_width - 2 * margin, size)) {
    top += size * 1.35;
    scene.texts.push_back({margin, top, line, size, Anchor::start, 0, name});
  }
  return top;
}

/// The chart from `top` down; returns where it ends.
double draw_chart(Scene& scene, const Chart& chart, double top, const SvgStyle& style) {
  const double width = page_width - 2 * margin;
  double y =
      draw_paragraph(scene, fitted_text(chart.title, 1.8 * width, 16), top + 8, 16, "ink title");
  y = draw_paragraph(scene, chart.subtitle, y + 2, 12, "muted") + 12;
  for (const Panel& panel : chart.panels) {
    if (!panel.heading.empty())
      y = draw_paragraph(scene, fitted_text(panel.heading, width, 12), y, 12, "ink title") + 8;
    const Box area{margin, y, width, 0};
    std::vector<KeyRow> key;
    if (const auto* plot = std::get_if<Plot>(&panel.body)) {
      DrawnPlot drawn = draw_plot(scene, *plot, area, style);
      y = drawn.end;
      key = std::move(drawn.key);
    } else {
      y = draw_bars(scene, std::get<Bars>(panel.body), area, style);
    }
    y = draw_legend(scene, panel.legend, {margin, y, width, 0}) + 10;
    if (!key.empty()) y = draw_key(scene, key, {margin, y, width, 0}) + 8;
  }
  std::string caption = chart.key;
  for (const std::string& text : chart.caption) caption += (caption.empty() ? "" : " ") + text;
  return draw_paragraph(scene, caption, y, small_text, "muted") + margin;
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

Scene scene_of(const std::vector<Chart>& charts, const SvgStyle& style) {
  Scene scene;
  scene.width = page_width;
  for (const Chart& chart : charts)
    scene.height = std::ceil(draw_chart(scene, chart, scene.height, style));
  return scene;
}

std::string svg_document(const std::vector<Chart>& charts) {
  std::string label;
  for (const Chart& chart : charts)
    label += (label.empty() ? "" : "; ") + chart.title + ": " + chart.subtitle;
  return element_of(scene_of(charts, {}), label, "img", fmt::format("<style>{}</style>\n", css));
}

std::string svg_element(const Chart& chart, const SvgStyle& style) {
  return element_of(scene_of({chart}, style), chart.title + ": " + chart.subtitle, "group", "");
}

std::string_view svg_css() { return css; }

std::string render_svg(const Report& report, const RenderStyle& style) {
  std::vector<Chart> charts = charts_of(report, style.chart);
  if (charts.empty()) charts.push_back({"no input could be evaluated", "", {}, {}, {}, {}});
  return svg_document(charts);
}

}  // namespace roofline
