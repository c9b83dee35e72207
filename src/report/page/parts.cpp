// A document as the body of a page.

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "report/document.hpp"

namespace roofline {
namespace {

class HtmlRenderer {
 public:
  std::string text_of(const Document& document) {
    for (const Part& part : document.parts())
      std::visit([&](const auto& what) { add(what); }, part.what);
    return text_;
  }

 private:
  void add(const Heading& heading) {
    text_ += fmt::format("<h3>{}</h3>\n", xml_text(heading.text));
  }

  void add(const Paragraph& paragraph) {
    text_ += "<p>";
    for (const TextLine& line : paragraph.lines) {
      const bool is_first = &line == &paragraph.lines.front();
      text_ += (is_first ? "" : "<br>\n") + xml_text(line.text);
    }
    text_ += "</p>\n";
  }

  void add(const List& list) {
    text_ += "<dl>\n";
    for (const List::Row& row : list.rows)
      text_ += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml_text(row.term), xml_text(row.text));
    text_ += "</dl>\n";
  }

  void add(const Table& table) {
    add(table.grid);
    const std::size_t all = table.whole.row_count();
    if (all <= table.grid.row_count()) return;
    text_ += fmt::format("<details>\n<summary>all {} rows</summary>\n", all);
    add(table.whole);
    text_ += "</details>\n";
  }

  void add(const Grid& grid) {
    text_ += "<div class=\"table\" tabindex=\"0\">\n<table>\n<thead><tr>";
    for (const GridColumn& column : grid.columns)
      text_ += cell("th scope=\"col\"", column, column.header, "th");
    text_ += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < grid.row_count(); ++i) add_row(grid, i);
    text_ += "</tbody>\n</table>\n</div>\n";
  }

  void add_row(const Grid& grid, std::size_t row) {
    text_ += "<tr>";
    for (const GridColumn& column : grid.columns) {
      const bool is_name = &column == &grid.columns.front();
      text_ += is_name ? cell("th scope=\"row\"", column, column.cells[row], "th")
                       : cell("td", column, column.cells[row], "td");
    }
    text_ += "</tr>\n";
  }

  static std::string cell(std::string_view open, const GridColumn& column, const std::string& text,
                          std::string_view close) {
    return fmt::format("<{}{}>{}</{}>", open, column.left ? " class=\"left\"" : "", xml_text(text),
                       close);
  }

  void add(const Block& block) {
    text_ += fmt::format("<pre tabindex=\"0\">{}</pre>\n", xml_text(block.text));
  }

  void add(const Picture& picture) {
    text_ += fmt::format(
        "<figure>\n<div class=\"wide\">\n{}</div>\n<div class=\"narrow\">\n{}</div>\n"
        "</figure>\n",
        svg_element(picture.chart), svg_element(picture.chart, narrow_page_width));
  }

  void add(const Legend&) {}  // a page holds all words

  std::string text_;
};

}  // namespace

std::string html_of(const Document& document) { return HtmlRenderer().text_of(document); }

}  // namespace roofline
