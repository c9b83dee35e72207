#pragma once

// Meanings of the words and marks in tables.

#include <set>
#include <string>
#include <string_view>

#include "report/grid.hpp"

namespace roofline {

class Document;

/// Meanings of a table's words and marks: two lines below it, or all by `roofline words`.
class Legend {
 public:
  void add(const Grid& grid);
  void add(const Legend& other) { words_.insert(other.words_.begin(), other.words_.end()); }
  void mention(const std::string& word) { words_.insert(word); }

  /// At most two lines on the least known words; empty if none was shown.
  std::string text() const;

 private:
  std::set<std::string> words_;  ///< headers, marks in cells, words of sentences
};

/// All meanings, or those of one word: empty without such a word.
Document words_document(std::string_view only = {});
/// The same as an object.
std::string words_json(std::string_view only = {});

}  // namespace roofline
