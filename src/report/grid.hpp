#pragma once

// A grid of texts as an aligned table or as Markdown.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/cells.hpp"
#include "report/pieces.hpp"

namespace roofline {

/// Between columns.
inline constexpr std::string_view column_gap = "  ";

struct GridColumn {
  std::string header;
  bool left = false;
  Cells cells = {};
};

struct Grid {
  std::vector<GridColumn> columns;
  bool has_total = false;  ///< the last row is a sum

  /// A cell for each column.
  void add_row(const std::vector<std::string>& cells);
  bool is_empty() const { return columns.empty() || columns.front().cells.empty(); }
};

/// What is done with the cells of a row, which hold while it is.
using UseRow = std::function<void(std::span<const std::string_view> cells, bool is_last)>;
void for_each_row(const Grid& grid, const UseRow& use);

struct RenderStyle;

/// As wide as the style says where shortening the first column can achieve it.
std::string aligned(const Grid& grid, const RenderStyle& style);
/// The same, handed on at the ends of lines.
void write_aligned(const Grid& grid, const RenderStyle& style, Pieces& out);
void write_markdown(const Grid& grid, Pieces& out);

void erase_column(Grid& grid, std::size_t column);
/// Drops columns that are empty in every row and, until the grid fits `width`, those of these
/// headers, first to last.
void drop_columns(Grid& grid, std::optional<std::size_t> width,
                  std::span<const std::string_view> droppable);
/// Columns that the grid takes as an aligned table.
std::size_t width_of(const Grid& grid);

}  // namespace roofline
