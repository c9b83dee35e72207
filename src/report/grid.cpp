#include "report/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/ranges.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t narrowest_name = 12;
constexpr std::size_t narrow_name = 28;
constexpr std::size_t narrowest_remark = 30;

std::size_t sum_of(const std::vector<std::size_t>& widths) {
  return sum_over(widths, std::identity()) + column_gap.size() * (widths.size() - 1);
}

std::vector<std::size_t> widths_of(const Grid& grid, std::optional<std::size_t> widest) {
  std::vector<std::size_t> widths = each_of(grid.columns, &GridColumn::width);
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

std::string line_of(const std::vector<std::string_view>& cells, const Grid& grid,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell =
        i == 0 ? short_name(std::string(cells[i]), widths[i]) : shortened(cells[i], widths[i]);
    const std::string blanks(widths[i] - std::min(widths[i], display_width(cell)), ' ');
    if (i > 0) line += column_gap;
    line += grid.columns[i].left ? cell + blanks : blanks + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// The cells of a row, or of the header.
std::vector<std::string_view> cells_of(const Grid& grid, std::optional<std::size_t> row = {}) {
  return each_of(grid.columns, [&](const GridColumn& column) -> std::string_view {
    return row ? column.cells[*row] : column.header;
  });
}

}  // namespace

void GridColumn::add(std::string_view cell) { cells.push_back(printable(cell)); }

std::size_t GridColumn::width() const {
  std::size_t widest = display_width(header);
  for (const std::string& cell : cells) widest = std::max(widest, display_width(cell));
  return widest;
}

void Grid::add_row(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].add(cells[i]);
}

std::string aligned(const Grid& grid, std::optional<std::size_t> width) {
  const std::vector<std::size_t> widths = widths_of(grid, width);
  std::string text;
  const auto add = [&](const std::vector<std::string_view>& cells) {
    text += line_of(cells, grid, widths) + '\n';
  };
  add(cells_of(grid));
  for (std::size_t i = 0; i < grid.row_count(); ++i) add(cells_of(grid, i));
  return text;
}

std::string markdown_grid(const Grid& grid) {
  std::string text;
  const auto add = [&](const std::vector<std::string_view>& cells) {
    for (const std::string_view cell : cells) text += "| " + markdown_text(cell) + ' ';
    text += "|\n";
  };
  add(cells_of(grid));
  for (const GridColumn& column : grid.columns) text += column.left ? "| :-- " : "| --: ";
  text += "|\n";
  for (std::size_t i = 0; i < grid.row_count(); ++i) add(cells_of(grid, i));
  return text;
}

void drop_empty_columns(Grid& grid) {
  std::erase_if(grid.columns, [](const GridColumn& column) {
    return std::ranges::all_of(column.cells, [&](const std::string& cell) {
      return cell.empty() || (!column.left && cell == "0");
    });
  });
}

void drop_columns_beyond(Grid& grid, std::size_t width, std::size_t enough) {
  std::vector<GridColumn>& columns = grid.columns;
  const auto is_too_wide = [&] {
    std::vector<std::size_t> widths = each_of(grid.columns, &GridColumn::width);
    widths.front() = std::min(widths.front(), enough);
    return sum_of(widths) > width;
  };
  const auto order = [](const GridColumn& column) { return column.drop_order - 1; };  // 0: last
  while (!columns.empty() && is_too_wide()) {
    const auto next = std::ranges::min_element(columns, {}, order);
    if (next->drop_order == 0) return;
    columns.erase(next);
  }
}

}  // namespace roofline
