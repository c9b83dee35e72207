#include "report/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "report/document.hpp"
#include "report/text.hpp"
#include "report/texts.hpp"
#include "report/writer.hpp"
#include "roofline/analysis.hpp"

namespace roofline {
namespace {

struct Word {
  std::string_view word;     ///< a header or a mark
  std::string_view brief;    ///< for a legend; empty: left out
  std::string_view meaning;  ///< for `roofline words`
};

/// The least known first.
const std::vector<Word>& words_and_marks() {
  static const std::vector<Word> all = [] {
    std::vector<Word> rows;
    std::string_view rest = words_tsv;
    while (!rest.empty()) rows.push_back({take(rest, '\t'), take(rest, '\t'), take(rest, '\n')});
    return rows;
  }();
  return all;
}

bool ends_in_count(std::string_view cell) {
  const std::size_t digits = cell.find_last_not_of("0123456789");
  return digits != cell.npos && digits > 0 && digits + 1 < cell.size() && cell[digits] == 'x' &&
         cell[digits - 1] == ' ';
}

}  // namespace

void Legend::add(const Grid& grid) {
  for (const GridColumn& column : grid.columns) {
    words_.insert(column.header);
    for (const std::string& cell : column.cells) {
      if (cell.starts_with('~')) words_.insert("~");
      if (column.header.starts_with("bound") && cell.ends_with('*')) words_.insert("*");
      if (column.header == "layer" && ends_in_count(cell)) words_.insert("x2");
    }
  }
}

std::string Legend::text() const {
  constexpr std::string_view more = "roofline words explains all.";
  std::string text;
  const auto fits = [&](std::string_view brief) {
    const std::string longer = fmt::format("{}{}. {}", text, brief, more);
    return std::ranges::count(broken(longer, sentence_width), '\n') < 2;
  };
  for (const Word& each : words_and_marks())
    if (!each.brief.empty() && words_.contains(std::string(each.word)) && fits(each.brief))
      text += fmt::format("{}. ", each.brief);
  return text.empty() ? text : text + std::string(more);
}

std::string words_json(std::string_view only) {
  std::string text;
  JsonWriter writer(text, true);
  bool any = false;
  const auto add = [&](std::string_view word, std::string_view meaning) {
    if (!only.empty() && only != word) return;
    any = true;
    writer.member(word, meaning);
  };
  writer.begin_object();
  for (const Word& each : words_and_marks()) add(each.word, each.meaning);
  for (const Limiter limiter : enumerators<Limiter>) add(words(limiter), meaning_of(limiter));
  writer.end_object();
  return any ? text + '\n' : "";
}

Document words_document(std::string_view only) {
  const List empty{.rows = {}, .term_width = 12, .widest_in_files = 80};
  List in_tables = empty;
  List parts = empty;
  const auto add = [&](List& list, std::string_view word, std::string_view meaning) {
    if (only.empty() || only == word) list.add(word, std::string(meaning));
  };
  for (const Word& each : words_and_marks()) add(in_tables, each.word, each.meaning);
  for (const Limiter limiter : enumerators<Limiter>)
    add(parts, words(limiter), meaning_of(limiter));
  Document document;
  document.add_list(std::move(in_tables));
  document.add_gap();
  if (only.empty()) document.add_heading("parts of the expected time");
  document.add_list(std::move(parts));
  return document;
}

}  // namespace roofline
