#include "report/grid.hpp"

#include <algorithm>
#include <utility>

#include "report/text.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

constexpr std::size_t narrowest_name = 12;
constexpr std::size_t narrow_name = 28;
constexpr std::size_t narrowest_remark = 30;

/// Names come from files: whatever they hold, none may act on the terminal.
Grid printable_grid(Grid grid) {
  for (auto& row : grid.rows)
    for (std::string& cell : row) cell = printable(cell);
  return grid;
}

std::vector<std::size_t> natural_widths(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (const GridColumn& column : grid.columns) widths.push_back(display_width(column.header));
  for (const auto& row : grid.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  return widths;
}

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  std::size_t whole = column_gap.size() * (widths.size() - 1);
  for (const std::size_t width : widths) whole += width;
  return whole;
}

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

std::string line_of(const std::vector<std::string>& cells, const Grid& grid,
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

std::vector<std::string> headers_of(const Grid& grid) {
  std::vector<std::string> headers;
  for (const GridColumn& column : grid.columns) headers.push_back(column.header);
  return headers;
}

}  // namespace

std::string aligned(Grid raw, const RenderStyle& style) {
  const Grid grid = printable_grid(std::move(raw));
  const std::vector<std::size_t> widths = widths_of(grid, style.width);
  const auto bold = [&](const std::string& line) {
    return style.colour ? "\x1b[1m" + line + "\x1b[0m\n" : line + '\n';
  };
  std::string out;
  out.reserve((grid.rows.size() + 1) * (sum_of(widths) + 1));
  out += bold(line_of(headers_of(grid), grid, widths));
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const std::string line = line_of(grid.rows[i], grid, widths);
    out += grid.has_total && i + 1 == grid.rows.size() ? bold(line) : line + '\n';
  }
  return out;
}

std::size_t width_of(const Grid& grid) { return sum_of(natural_widths(printable_grid(grid))); }

void erase_column(Grid& grid, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  grid.columns.erase(grid.columns.begin() + at);
  for (auto& row : grid.rows) row.erase(row.begin() + at);
}

void drop_columns(Grid& grid, std::optional<std::size_t> width,
                  std::span<const std::string_view> droppable) {
  for (std::size_t column = grid.columns.size(); column-- > 0;)
    if (std::all_of(grid.rows.begin(), grid.rows.end(),
                    [&](const auto& row) { return row[column].empty(); }))
      erase_column(grid, column);
  for (const std::string_view header : droppable) {
    if (!width || width_of(grid) <= *width) return;
    for (std::size_t column = grid.columns.size(); column-- > 0;)
      if (grid.columns[column].header == header) erase_column(grid, column);
  }
}

std::string markdown(Grid raw) {
  const Grid grid = printable_grid(std::move(raw));
  std::string out;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) out += "| " + markdown_text(cell) + ' ';
    out += "|\n";
  };
  add(headers_of(grid));
  for (const GridColumn& column : grid.columns) out += column.left ? "| :-- " : "| --: ";
  out += "|\n";
  for (const auto& row : grid.rows) add(row);
  return out;
}

}  // namespace roofline
