#pragma once

// A grid of texts as an aligned table or as Markdown.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofline {

inline constexpr std::string_view column_gap = "  ";

struct GridColumn {
  std::string header;
  bool left = false;
  /// Order in which too wide a table drops columns; 0: never.
  std::size_t drop_order = 0;
  std::vector<std::string> cells = {};

  /// Makes the cell printable, as names come from files.
  void add(std::string_view cell);
  std::size_t width() const;
};

inline GridColumn left(std::string header, std::size_t drop_order = 0) {
  return {std::move(header), true, drop_order};
}
inline GridColumn right(std::string header, std::size_t drop_order = 0) {
  return {std::move(header), false, drop_order};
}

struct Grid {
  std::vector<GridColumn> columns;

  void add_row(const std::vector<std::string>& cells);
  std::size_t row_count() const { return columns.empty() ? 0 : columns.front().cells.size(); }
};

std::string aligned(const Grid& grid, std::optional<std::size_t> width);
std::string markdown_grid(const Grid& grid);

/// Drops columns without values.
void drop_empty_columns(Grid& grid);
/// Drops columns by drop_order until the grid is at most `width` wide. Names can be shortened, so
/// the first column counts as at most `enough` wide.
void drop_columns_beyond(Grid& grid, std::size_t width, std::size_t enough);

}  // namespace roofline
