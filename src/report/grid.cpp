#include "report/grid.hpp"

#include <algorithm>
#include <numeric>

#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t narrowest_name = 12;
constexpr std::size_t narrow_name = 28;
constexpr std::size_t narrowest_remark = 30;

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), column_gap.size() * (widths.size() - 1));
}

std::vector<std::size_t> natural_widths(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (const GridColumn& column : grid.columns) widths.push_back(column.width());
  return widths;
}

/// The columns' widths where the grid has to fit into `widest`.
std::vector<std::size_t> widths_of(const Grid& grid, std::optional<std::size_t> widest) {
  std::vector<std::size_t> widths = natural_widths(grid);
  if (!widest) return widths;
  const auto narrow = [&](std::size_t column, std::size_t least) {
    const std::size_t whole = sum_of(widths);
    const std::size_t excess = whole > *widest ? whole - *widest : 0;
    std::size_t& width = widths[column];
    width = std::max(std::min(width, least), width > excess ? width - excess : 0);
  };
  // A remark at the end gives way to names, until both are short.
  const bool has_remark = grid.columns.size() > 1 && grid.columns.back().left;
  narrow(0, narrow_name);
  if (has_remark) narrow(widths.size() - 1, narrowest_remark);
  narrow(0, narrowest_name);
  return widths;
}

std::string line_of(std::span<const std::string_view> cells, const Grid& grid,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = shortened(cells[i], widths[i]);
    const std::string blanks(widths[i] - std::min(widths[i], display_width(cell)), ' ');
    if (i > 0) line += column_gap;
    line += grid.columns[i].left ? cell + blanks : blanks + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string_view> headers_of(const Grid& grid) {
  std::vector<std::string_view> headers;
  for (const GridColumn& column : grid.columns) headers.emplace_back(column.header);
  return headers;
}

}  // namespace

void Cells::add(std::string_view cell) {
  const std::size_t at = text_.size();
  text_ += printable(cell);
  width_ = std::max(width_, display_width(std::string_view(text_).substr(at)));
  text_ += '\n';
}

std::size_t GridColumn::width() const { return std::max(display_width(header), cells.width()); }

void Grid::add_row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.add(cells[i]);
}

void for_each_row(const Grid& grid, const UseRow& use) {
  if (grid.is_empty()) return;
  std::vector<Cells::Iterator> at;
  for (const GridColumn& column : grid.columns) at.push_back(column.cells.begin());
  std::vector<std::string_view> row(at.size());
  for (bool is_last = false; !is_last;) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      row[i] = *at[i];
      ++at[i];
    }
    is_last = at.front() == grid.columns.front().cells.end();
    use(row, is_last);
  }
}

void write_aligned(const Grid& grid, const RenderStyle& style, OutputBuffer& out) {
  const std::vector<std::size_t> widths = widths_of(grid, style.width);
  const auto add = [&](const std::string& line, bool bold) {
    out.text() += bold && style.colour ? "\x1b[1m" + line + "\x1b[0m\n" : line + '\n';
    out.pass_on();
  };
  add(line_of(headers_of(grid), grid, widths), true);
  for_each_row(grid, [&](std::span<const std::string_view> cells, bool is_last) {
    add(line_of(cells, grid, widths), grid.has_total && is_last);
  });
}

std::string aligned(const Grid& grid, const RenderStyle& style) {
  return whole_text([&](OutputBuffer& out) { write_aligned(grid, style, out); });
}

void drop_columns(Grid& grid, std::optional<std::size_t> width,
                  std::span<const std::string_view> droppable) {
  std::erase_if(grid.columns, [](const GridColumn& column) { return column.cells.are_blank(); });
  for (const std::string_view header : droppable) {
    if (!width || sum_of(natural_widths(grid)) <= *width) return;
    std::erase_if(grid.columns, [&](const GridColumn& column) { return column.header == header; });
  }
}

void write_markdown_grid(const Grid& grid, OutputBuffer& out) {
  const auto add = [&](std::span<const std::string_view> cells) {
    for (const std::string_view cell : cells) out.text() += "| " + markdown_text(cell) + ' ';
    out.text() += "|\n";
    out.pass_on();
  };
  add(headers_of(grid));
  for (const GridColumn& column : grid.columns) out.text() += column.left ? "| :-- " : "| --: ";
  out.text() += "|\n";
  for_each_row(grid, [&](std::span<const std::string_view> cells, bool) { add(cells); });
}

}  // namespace roofline
