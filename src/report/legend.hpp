#pragma once

// What the words and marks of tables mean: in two lines below a table, all of them by --words.

#include <set>
#include <string>

#include "report/grid.hpp"

namespace roofline {

/// What tables have shown.
class Legend {
 public:
  void add(const Grid& grid);
  void mention(const std::string& word) { words_.insert(word); }

  /// Two lines at most of what was shown and is the least known; empty where nothing was.
  std::string text() const;

 private:
  std::set<std::string> words_;  ///< headers, marks in cells, and what sentences mention
};

/// Every word and mark with its meaning.
std::string words_text(std::size_t width);

}  // namespace roofline
