#pragma once

// A grid of texts as an aligned table or as Markdown.

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/formats.hpp"

namespace roofline {

/// What stands between two columns.
inline constexpr std::string_view column_gap = "  ";

/// The cells of a column, of which there may be a million: they take the memory of their text.
class Cells {
 public:
  /// Goes through the cells, top to bottom.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    /// `rest` is the text from a cell on.
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    std::string_view operator*() const { return rest_.substr(0, rest_.find('\n')); }
    Iterator& operator++() {
      rest_.remove_prefix(rest_.find('\n') + 1);
      return *this;
    }
    bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

   private:
    std::string_view rest_;
  };

  /// Names come from files: whatever they hold, none may act on the terminal.
  void add(std::string_view cell);

  bool empty() const { return text_.empty(); }
  /// Whether no cell says anything.
  bool are_blank() const { return text_.find_first_not_of('\n') == text_.npos; }
  Iterator begin() const { return Iterator(text_); }
  Iterator end() const { return Iterator({}); }
  /// Columns of a terminal that the widest takes.
  std::size_t width() const { return width_; }

 private:
  std::string text_;  ///< a newline ends each cell
  std::size_t width_ = 0;
};

struct GridColumn {
  std::string header;
  bool left = false;
  Cells cells = {};

  /// Columns of a terminal that it takes.
  std::size_t width() const;
};

struct Grid {
  std::vector<GridColumn> columns;
  bool has_total = false;  ///< the last row is a sum

  /// A cell for each column.
  void add_row(const std::vector<std::string>& cells);
  bool is_empty() const { return columns.empty() || columns.front().cells.empty(); }
};

/// Is called with the cells of each row, which are views that hold during the call.
using UseRow = std::function<void(std::span<const std::string_view> cells, bool is_last)>;
void for_each_row(const Grid& grid, const UseRow& use);

/// As wide as the style says, if shortening names and remarks is enough for that; handed on at the
/// ends of lines.
void write_aligned(const Grid& grid, const RenderStyle& style, OutputBuffer& out);
std::string aligned(const Grid& grid, const RenderStyle& style);
void write_markdown_grid(const Grid& grid, OutputBuffer& out);

/// How a table is made of grids: aligned or Markdown, for a terminal or a file.
struct TableStyle {
  std::function<void(const Grid&, OutputBuffer&)> write;
  RenderStyle own;

  /// A grid of few rows, as a text.
  std::string render(const Grid& grid) const {
    return whole_text([&](OutputBuffer& out) { write(grid, out); });
  }
  bool is_terminal() const { return own.width.has_value(); }
};

/// Drops columns that are empty in every row and, until the grid fits `width`, those of these
/// headers, first to last.
void drop_columns(Grid& grid, std::optional<std::size_t> width,
                  std::span<const std::string_view> droppable);

}  // namespace roofline
