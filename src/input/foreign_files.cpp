#include "input/foreign_files.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "model/text.hpp"

namespace roofline {
namespace {

bool is_table(const ForeignFile& file) { return file.place >= Seen::table; }

bool has_words(const ForeignFile& file, std::string_view text) {
  return std::ranges::all_of(file.words,
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool has_line_of_words(const ForeignFile& file, std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take(head, '\n');
    const bool is_json = line.find_first_of("{:") != line.npos;
    if (!is_json && has_words(file, line)) return true;
  }
  return false;
}

bool is_of_kind(const ForeignFile& file, std::string_view head) {
  constexpr std::size_t first_entry_byte = 100;
  if (file.begin.empty() && file.words[0].empty()) return false;
  if (is_table(file)) return has_line_of_words(file, head);
  if (!head.starts_with(file.begin)) return false;
  return has_words(file, file.place == Seen::head ? head : head.substr(0, first_entry_byte));
}

/// Whether the file is a printed text, which JSON is not: a layer may have such a name.
bool is_of_printed_text(const ForeignFile& file) {
  return file.begin.empty() && !file.words[0].starts_with('"');
}

/// The first row of a text, or null.
const ForeignFile* row_of(std::string_view head, bool among_tables) {
  const bool is_json = head.starts_with('{') || head.starts_with("[{") || head.starts_with("[\n");
  for (const ForeignFile& file : foreign_files())
    if (is_table(file) == among_tables && !(is_json && is_of_printed_text(file)) &&
        is_of_kind(file, head))
      return file.what.empty() ? nullptr : &file;
  return nullptr;
}

[[noreturn]] void refuse(const ForeignFile& file, const ByteStream& stream) {
  throw InputError(
      stream.name(), "",
      "this is " + std::string(file.what) + ", which is not read: " + std::string(file.to_do));
}

/// A byte that no text begins with, apart from a byte order mark.
bool is_binary(std::string_view mark) {
  return !mark.starts_with("\xEF\xBB") && std::ranges::any_of(mark, [](unsigned char byte) {
    return byte >= 0x80 || (byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n');
  });
}

}  // namespace

bool ends_with_any(std::string_view name, std::string_view endings) {
  while (!endings.empty())
    if (name.ends_with(take(endings, ' '))) return true;
  return false;
}

void refuse_binary_file(ByteStream& stream) {
  for (const ForeignFile& file : foreign_files())
    if (ends_with_any(stream.name(), file.name_endings)) refuse(file, stream);
  // A line from a pipe may be shorter than a binary file's begin.
  const std::string_view mark = stream.peek(2).substr(0, 2);
  const bool has_letters = mark == "SQ" || mark == "NV" || mark == "ft" || mark == "PK";
  if (!has_letters && !is_binary(mark)) return;
  const std::string_view head = stream.peek(head_byte);
  for (const ForeignFile& file : foreign_files())
    if (!file.begin.empty() && is_of_kind(file, head)) refuse(file, stream);
}

bool looks_like_foreign_file(std::string_view head) { return row_of(head, false) != nullptr; }

bool looks_like_foreign_table(std::string_view head) { return row_of(head, true) != nullptr; }

NetworkSpecs refuse_foreign_file(ByteStream& stream, const InputSet& inputs) {
  const std::string_view head = stream.peek(head_byte);
  const ForeignFile* file = row_of(head, false);
  if (file == nullptr) file = row_of(head, true);
  if (file == nullptr)
    throw InputError(stream.name(), "", "expected another program's file, got something else");
  if (file->place == Seen::side && inputs.names().size() > 1) return {};
  refuse(*file, stream);
}

}  // namespace roofline
