#pragma once

// What the columns mean that tables show.

#include <set>
#include <string>

#include "report/grid.hpp"

namespace roofline {

/// What tables have shown, and nothing else, in words.
class Legend {
 public:
  void add(const Grid& grid);
  void mention(const std::string& word) { words_.insert(word); }

  /// What the columns mean.
  std::string text() const;
  /// What the cells of a column of limiters mean, each in a few words.
  std::string limiters_text() const;

 private:
  std::set<std::string> words_;  ///< headers, and what sentences mention
  std::set<std::string> limiters_;
  bool rows_below_roofline_ = false;
};

}  // namespace roofline
