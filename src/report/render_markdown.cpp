// A document as Markdown.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "report/document.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// The line without markup: it begins no heading, list or rule.
std::string escaped_line(std::string_view line) {
  constexpr std::string_view line_starts = "#+-=>";
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const bool is_markup = !line.empty() && line_starts.find(line.front()) != line_starts.npos;
  return (is_markup ? "\\" : "") + markdown_text(line);
}

class MarkdownRenderer {
 public:
  std::string text_of(const Document& document) {
    for (const Part& part : document.parts())
      std::visit([&](const auto& what) { add(what); }, part.what);
    return text_;
  }

 private:
  void begin() {
    if (!text_.empty()) text_ += '\n';
  }

  void add(const Heading& heading) {
    begin();
    text_ += "### " + escaped_line(heading.text) + '\n';
  }

  void add(const Paragraph& paragraph) {
    begin();
    for (const TextLine& line : paragraph.lines) {
      const bool is_last = &line == &paragraph.lines.back();
      text_ += escaped_line(one_line(line.text)) + (is_last ? "\n" : "\\\n");
    }
  }

  void add(const List& list) {
    begin();
    for (const List::Row& row : list.rows)
      text_ += row.term.empty() ? "  " + escaped_line(one_line(row.text)) + '\n'
                                : "- **" + markdown_text(row.term) + "** " +
                                      escaped_line(one_line(row.text)) + '\n';
  }

  void add(const Table& table) {
    begin();
    legend_.add(table.grid);
    text_ += markdown_grid(table.grid);
  }

  void add(const Block& block) {
    begin();
    text_ += markdown_block(block.text);
  }

  void add(const Picture&) {}  // of pages alone

  void add(Legend legend) {
    legend.add(std::exchange(legend_, {}));
    if (std::string text = legend.text(); !text.empty()) add(Paragraph{{{std::move(text)}}});
  }

  std::string text_;
  Legend legend_;  ///< words of tables since the last one
};

}  // namespace

std::string markdown_of(const Document& document) { return MarkdownRenderer().text_of(document); }

}  // namespace roofline
