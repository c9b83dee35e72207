// A document as lines of a terminal or a text file.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "report/document.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view indent = "  ";

class TextRenderer {
 public:
  explicit TextRenderer(std::optional<std::size_t> width) : width_(width) {}

  std::string text_of(const Document& document) {
    for (const Part& part : document.parts()) {
      if (part.is_apart) text_ += '\n';
      std::visit([&](const auto& what) { add(what); }, part.what);
    }
    return width_ ? broken(text_, *width_) : text_;
  }

 private:
  std::size_t at_most(std::size_t widest) const {
    return std::min(width_.value_or(widest), widest);
  }

  void add(const Heading& heading) { text_ += heading.text + '\n'; }

  void add(const Paragraph& paragraph) {
    for (const TextLine& line : paragraph.lines)
      text_ += broken(line.text, at_most(line.widest)) + '\n';
  }

  void add(const List& list) {
    const std::size_t widest = width_.value_or(list.widest_in_files);
    for (const List::Row& row : list.rows) {
      const std::string term = fmt::format("{}{:<{}} ", indent, row.term, list.term_width);
      std::string lines = list.widest_in_files == unbroken
                              ? row.text
                              : broken(row.text, widest - std::min(widest, term.size()));
      for (std::size_t i = lines.find('\n'); i != lines.npos; i = lines.find('\n', i + 1))
        lines.insert(i + 1, term.size(), ' ');
      text_ += term + lines + '\n';
    }
  }

  void add(const Table& table) {
    const std::size_t width = width_.value_or(table.widest_in_files);
    Grid grid = table.grid;
    if (width != unbroken) drop_columns_beyond(grid, width, table.enough_name);
    legend_.add(grid);
    text_ += aligned(grid, width_);
  }

  void add(const Block& block) { text_ += block.text; }
  void add(const Picture&) {}  // of pages alone

  void add(Legend legend) {
    legend.add(std::exchange(legend_, {}));
    if (const std::string text = legend.text(); !text.empty())
      text_ += broken(text, at_most(sentence_width)) + '\n';
  }

  std::optional<std::size_t> width_;
  std::string text_;
  Legend legend_;  ///< words of tables since the last one
};

}  // namespace

std::string text_of(const Document& document, std::optional<std::size_t> width) {
  return TextRenderer(width).text_of(document);
}

}  // namespace roofline
