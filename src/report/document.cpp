#include "report/document.hpp"

#include <string>
#include <utility>
#include <variant>

namespace roofline {

void Document::add_heading(std::string text) {
  if (!text.empty()) add(Heading{std::move(text)});
}

void Document::add_line(std::string text, std::size_t widest) {
  if (text.empty()) return;
  TextLine line{std::move(text), widest};
  auto* last = parts_.empty() ? nullptr : std::get_if<Paragraph>(&parts_.back().what);
  if (last != nullptr && !begins_apart_)
    last->lines.push_back(std::move(line));
  else
    add(Paragraph{{std::move(line)}});
}

void Document::add_list(List list) {
  if (!list.rows.empty()) add(std::move(list));
}

void Document::add_table(Table table) {
  if (table.grid.row_count() == 0) return;
  drop_empty_columns(table.grid);
  drop_empty_columns(table.whole);
  add(std::move(table));
}

void Document::add_block(std::string text) {
  if (!text.empty()) add(Block{std::move(text)});
}

void Document::add_legend() {
  add_gap();
  add(std::exchange(legend_, {}));
}

bool Document::needs_legend() const {
  Legend legend = legend_;
  for (const Part& part : parts_)
    if (const auto* table = std::get_if<Table>(&part.what)) legend.add(table->grid);
  return !legend.text().empty();
}

}  // namespace roofline
