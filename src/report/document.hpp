#pragma once

// An output before it is text. A document is made once of a report; renderers lay it out
// for a terminal or a text file, as Markdown, and as a page.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/grid.hpp"
#include "report/legend.hpp"
#include "report/text.hpp"

namespace roofline {

/// Width of a line that breaks on a narrower terminal alone.
inline constexpr std::size_t unbroken = std::numeric_limits<std::size_t>::max();

struct Heading {
  std::string text;
};

/// Sentences that break at blanks into lines of at most `widest` columns.
struct TextLine {
  std::string text;
  std::size_t widest = unbroken;
};
struct Paragraph {
  std::vector<TextLine> lines;
};

/// Terms with their texts. A row without a term goes on with the row above, as do further lines.
struct List {
  struct Row {
    std::string term;
    std::string text;
  };

  std::vector<Row> rows;
  std::size_t term_width = 10;
  std::size_t widest_in_files = unbroken;

  /// Nothing without a text.
  void add(std::string_view term, std::string text) {
    if (!text.empty()) rows.push_back({std::string(term), std::move(text)});
  }
};

struct Table {
  Grid grid;
  /// Names shorten to this many columns before a narrow terminal drops other columns.
  std::size_t enough_name = unbroken;
  std::size_t widest_in_files = unbroken;
  Grid whole = {};  ///< all rows, behind the main ones where a format has room
};

/// Lines with their own layout, such as a derivation.
struct Block {
  std::string text;
};

struct Picture {
  Chart chart;
};

struct Part {
  std::variant<Heading, Paragraph, List, Table, Block, Picture, Legend> what;
  bool is_apart = false;  ///< a blank line in front
};

/// Parts in their order. Empty texts, lists and tables, and columns without values, add nothing.
class Document {
 public:
  void add_heading(std::string text);
  void add_line(std::string text, std::size_t widest = unbroken);
  void add_sentence(std::string text) { add_line(std::move(text), sentence_width); }
  void add_list(List list);
  void add_table(Table table);
  void add_block(std::string text);
  void add_picture(Chart chart) { add(Picture{std::move(chart)}); }
  /// The next part stands apart.
  void add_gap() { begins_apart_ = true; }
  /// For the legend: a word of a sentence.
  void mention(const std::string& word) { legend_.mention(word); }
  /// Meanings of the words in the tables above, as far as they are shown. Stands apart.
  void add_legend();
  /// Whether a legend would say something.
  bool needs_legend() const;

  bool is_empty() const { return parts_.empty(); }
  std::span<const Part> parts() const { return parts_; }

 private:
  template <class What>
  void add(What what) {
    parts_.push_back({std::move(what), std::exchange(begins_apart_, false) && !parts_.empty()});
  }

  std::vector<Part> parts_;
  bool begins_apart_ = false;
  Legend legend_;  ///< the next one
};

/// `width`: of a terminal; nullopt: a file.
std::string text_of(const Document& document, std::optional<std::size_t> width);
std::string markdown_of(const Document& document);
std::string html_of(const Document& document);

}  // namespace roofline
