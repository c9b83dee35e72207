#pragma once

// A grid of texts as an aligned table or as Markdown.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// Between columns.
inline constexpr std::string_view column_gap = "  ";

struct GridColumn {
  std::string header;
  bool left = false;
};

struct Grid {
  std::vector<GridColumn> columns;
  std::vector<std::vector<std::string>> rows;
  bool has_total = false;  ///< the last row is a sum
};

struct RenderStyle;

/// As wide as the style says where shortening the first column can achieve it.
std::string aligned(Grid grid, const RenderStyle& style);
std::string markdown(Grid grid);
void erase_column(Grid& grid, std::size_t column);
/// Drops columns that are empty in every row and, until the grid fits `width`, those of these
/// headers, first to last.
void drop_columns(Grid& grid, std::optional<std::size_t> width,
                  std::span<const std::string_view> droppable);
/// Columns that the grid takes as an aligned table.
std::size_t width_of(const Grid& grid);

}  // namespace roofline
