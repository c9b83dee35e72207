// Recordings without layers: their charts, and their kernels as a table.

#include <fmt/format.h>

#include "report/chart/draw.hpp"
#include "report/chart/makers.hpp"
#include "report/kernel_rows.hpp"
#include "report/page/page.hpp"

namespace roofline {
namespace {

std::string grid_table(const Grid& grid) {
  std::string text =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"kernels-title\">\n"
      "<table>\n<thead><tr>";
  for (const GridColumn& column : grid.columns)
    text += fmt::format("<th scope=\"col\">{}</th>", xml_text(column.header));
  text += "</tr></thead>\n<tbody>\n";
  for_each_row(grid, [&](std::span<const std::string_view> cells, bool) {
    text += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += fmt::format("<td{}>{}</td>", grid.columns[i].left ? "" : " class=\"n\"",
                          xml_text(cells[i]));
    text += "</tr>\n";
  });
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace

std::string kernels_section(const Report& report) {
  if (report.kernels.empty()) return "";
  std::string text =
      "<section id=\"kernels\" aria-labelledby=\"kernels-title\">\n"
      "<h2 id=\"kernels-title\">Kernels</h2>\n";
  for (const Chart& chart : kernel_charts(report, std::nullopt))
    text += fmt::format("<figure>\n{}</figure>\n", svg_element(chart, {}));
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    text += fmt::format(
        "<pre>{}</pre>\n{}", xml_text(kernel_title(report.kernels[i])),
        grid_table(kernel_grid(report.kernels[i], report.kernel_selections[i], RenderStyle())));
  return text + fmt::format("<p>{}</p>\n</section>\n", xml_text(kernel_legend(report)));
}

}  // namespace roofline
