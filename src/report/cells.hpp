#pragma once

// The cells of a column of a table, of which there may be a million: they cost what they print.

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace roofline {

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

    /// `rest`: of the text, from a cell on.
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    std::string_view operator*() const { return rest_.substr(0, rest_.find('\n')); }
    Iterator& operator++() {
      rest_.remove_prefix(rest_.find('\n') + 1);
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
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

}  // namespace roofline
