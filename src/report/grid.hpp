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

/// Meanings of a table's words and marks: two lines below it, or all by `roofline words`.
class Legend {
 public:
  void add(const Grid& grid);
  void mention(const std::string& word) { words_.insert(word); }

  /// At most two lines on the least known words; empty if none was shown.
  std::string text() const;

 private:
  std::set<std::string> words_;  ///< headers, marks in cells, words of sentences
};

/// All meanings, or those of one word: empty without such a word.
std::string words_text(std::size_t width, std::string_view only = {});
/// The same as an object.
std::string words_json(std::string_view only = {});

struct TableStyle {
  std::optional<std::size_t> width = {};  ///< of the terminal; nullopt: a file
  bool is_markdown = false;
  Legend* legend = nullptr;  ///< records what grids show

  std::string render(const Grid& grid) const;
};

/// Drops columns without values, then by drop_order. Names can be shortened, so the first column
/// counts as at most `enough` wide.
void fit(Grid& grid, std::optional<std::size_t> width,
         std::size_t enough = std::numeric_limits<std::size_t>::max());

}  // namespace roofline
