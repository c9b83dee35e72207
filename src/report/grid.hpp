#pragma once

// A grid of texts as an aligned table or as Markdown.

#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofline {

/// What stands between two columns.
inline constexpr std::string_view column_gap = "  ";

struct GridColumn {
  std::string header;
  bool left = false;
  /// A table that is too wide goes without its columns in this order; 0: never.
  std::size_t drop_order = 0;
  std::vector<std::string> cells = {};

  /// Names come from files: whatever they hold, none may act on the terminal.
  void add(std::string_view cell);
  /// Columns of a terminal that it takes.
  std::size_t width() const;
  bool says_nothing() const;
};

/// Of texts, and of numbers.
inline GridColumn left(std::string header, std::size_t drop_order = 0) {
  return {std::move(header), true, drop_order};
}
inline GridColumn right(std::string header, std::size_t drop_order = 0) {
  return {std::move(header), false, drop_order};
}

struct Grid {
  std::vector<GridColumn> columns;

  /// A cell for each column.
  void add_row(const std::vector<std::string>& cells);
  std::size_t row_count() const { return columns.empty() ? 0 : columns.front().cells.size(); }
};

/// As wide as that, if shortening names and remarks is enough for that.
std::string aligned(const Grid& grid, std::optional<std::size_t> width);
std::string markdown_grid(const Grid& grid);

/// What the words and marks of tables mean: in two lines below a table, all of them by --words.
class Legend {
 public:
  /// What tables have shown.
  void add(const Grid& grid);
  void mention(const std::string& word) { words_.insert(word); }

  /// Two lines at most of what was shown and is the least known; empty where nothing was.
  std::string text() const;

 private:
  std::set<std::string> words_;  ///< headers, marks in cells, and what sentences mention
};

/// Every word and mark with its meaning.
std::string words_text(std::size_t width);

/// How a table is made of grids: aligned or Markdown, for a terminal or a file.
struct TableStyle {
  std::optional<std::size_t> width = {};  ///< of the terminal; none: a file
  bool is_markdown = false;
  Legend* legend = nullptr;  ///< is told what grids show

  std::string render(const Grid& grid) const;
};

/// Drops columns that say nothing of any row and, until the grid fits into `width`, those that have
/// an order for that. The first column counts as no wider than `enough`: names can be shortened.
void fit(Grid& grid, std::optional<std::size_t> width,
         std::size_t enough = std::numeric_limits<std::size_t>::max());

}  // namespace roofline
