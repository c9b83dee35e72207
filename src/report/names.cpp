
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/text.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

using NameParts = std::vector<std::string>;

NameParts parts_of(std::string_view name) {
  NameParts parts{""};
  for (const char c : name)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// How much all begin with, up to the first digit that differs in any.
std::size_t common_begin(const std::vector<std::string>& values) {
  const std::string& first = values.front();
  std::size_t size = first.size();
  for (const std::string& value : values) {
    const auto end = std::mismatch(value.begin(), value.end(), first.begin(), first.end()).second;
    size = std::min(size, static_cast<std::size_t>(end - first.begin()));
  }
  while (size > 0 && is_digit(first[size - 1])) --size;
  return size;
}

std::optional<unsigned long> parsed_number(const std::string& text) {
  const bool is_number = !text.empty() && text.size() < 10 && std::ranges::all_of(text, is_digit);
  return is_number ? std::optional(std::stoul(text)) : std::nullopt;
}

/// {"block1", "block2", "block3"} as "block{1-3}"; of others than numbers in a row three at most.
std::string braced(const std::vector<std::string>& values) {
  const std::size_t begin = common_begin(values);
  std::vector<std::string> ends;
  ends.reserve(values.size());
  for (const std::string& value : values) ends.push_back(value.substr(begin));
  bool consecutive = ends.size() > 2;
  for (std::size_t i = 0; i < ends.size() && consecutive; ++i)
    consecutive = parsed_number(ends[i]) &&
                  (i == 0 || *parsed_number(ends[i]) == *parsed_number(ends[i - 1]) + 1);
  const std::string head = values.front().substr(0, begin);
  if (consecutive) return fmt::format("{}{{{}-{}}}", head, ends.front(), ends.back());
  if (ends.size() > 3) return fmt::format("{}{{{},..,{}}}", head, ends.front(), ends.back());
  return fmt::format("{}{{{}}}", head, fmt::join(ends, ","));
}

/// A word's first letter and the numbers at its end: "denseblock4" is "d4", "layer{1-3}" "l{1-3}".
std::string initial(const std::string& part) {
  if (part.size() < 3) return part;
  std::size_t end = part.find('{');
  if (end == part.npos)
    for (end = part.size(); end > 1 && is_digit(part[end - 1]);) --end;
  return end == 0 ? part : part.substr(0, 1) + part.substr(end);
}

/// The name with as few leading parts abbreviated as make it fit.
std::string abbreviated(const std::string& name, std::size_t width) {
  NameParts parts = parts_of(name);
  std::string text = name;
  for (std::size_t i = 0; i + 1 < parts.size() && display_width(text) > width; ++i) {
    parts[i] = initial(parts[i]);
    text = joined(parts, ".");
  }
  return text;
}

/// The text, its beginning replaced by "..." where it is wider than `width`; of one without parts
/// its middle, as such begin with what they are.
std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  if (text.find('.') == text.npos) return shortened(text, width);
  std::size_t begin = 0;
  const auto is_continuation = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  while (begin < text.size() && display_width("..." + text.substr(begin)) > width) {
    ++begin;
    while (begin < text.size() && is_continuation(begin)) ++begin;
  }
  return "..." + text.substr(begin);
}

/// Reads a kernel's signature and leaves out what short_signature() says.
class Signature {
 public:
  explicit Signature(std::string_view name) : name_(name) {}

  std::string text() {
    constexpr std::size_t enough = 400;
    while (i_ < name_.size() && out_.size() < enough) step();
    while (out_.ends_with(' ')) out_.pop_back();
    return out_.empty() ? std::string(name_) : out_;
  }

 private:
  static bool opens(char c) { return c == '(' || c == '[' || c == '{' || c == '<'; }
  static bool closes(char c) { return c == ')' || c == ']' || c == '}' || c == '>'; }

  bool next_is(std::string_view text) const { return name_.substr(i_).starts_with(text); }

  void step() {
    const char c = name_[i_];
    const bool is_unnamed = c == '<' && begin_ == out_.size();  // "<unnamed>"
    if (next_is("::")) {
      out_.resize(begin_);  // it was a namespace
      i_ += 2;
    } else if (is_unnamed || (opens(c) && c != '<')) {
      skip_group();
    } else {
      out_ += c;
      ++i_;
      if (out_ == "void ") out_.clear();
      if (c == '<') open_.push_back(begin_);
      if (c == '<' || c == ',' || c == ' ') begin_ = out_.size();
      if (c == '>') close();
    }
  }

  /// What follows template arguments belongs to the name that has them.
  void close() {
    if (open_.empty()) return;
    begin_ = open_.back();
    open_.pop_back();
  }

  /// Arguments, a lambda or an unnamed namespace. What is qualified by a function's arguments is
  /// within that function, whose name says more.
  void skip_group() {
    std::size_t depth = 0;
    for (; i_ < name_.size(); ++i_) {
      if (opens(name_[i_])) ++depth;
      if (closes(name_[i_]) && --depth == 0) break;
    }
    if (i_ < name_.size()) ++i_;
    if (begin_ != out_.size())
      skip_rest();
    else if (next_is("::"))
      i_ += 2;
  }

  /// Skips to the end of this template argument, or of the name.
  void skip_rest() {
    std::size_t depth = 0;
    for (; i_ < name_.size(); ++i_) {
      const char c = name_[i_];
      if (depth == 0 && (c == '>' || c == ',')) return;
      if (opens(c)) ++depth;
      if (closes(c) && depth > 0) --depth;
    }
  }

  std::string_view name_;
  std::size_t i_ = 0;              ///< what is read next
  std::string out_;                ///< what is written so far
  std::size_t begin_ = 0;          ///< where the present component of a qualified name began in it
  std::vector<std::size_t> open_;  ///< where the names began whose arguments are open
};

}  // namespace

std::string folded_name(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  NameParts folded = parts_of(without_copy(names.front()));
  std::optional<std::size_t> differing;
  std::vector<NameParts> all;
  for (const std::string& name : names) {
    const NameParts& parts = all.emplace_back(parts_of(without_copy(name)));
    if (parts.size() != folded.size()) return names.front();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == folded[i] || differing == i) continue;
      if (differing) return names.front();
      differing = i;
    }
  }
  if (!differing) return joined(folded, ".");
  std::vector<std::string> values;
  for (const NameParts& parts : all)
    if (values.empty() || values.back() != parts[*differing]) values.push_back(parts[*differing]);
  folded[*differing] = braced(values);
  return joined(folded, ".");
}

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  return short_names(names, std::vector<std::size_t>(names.size(), width));
}

std::vector<std::string> short_names(const std::vector<std::string>& names,
                                     const std::vector<std::size_t>& widths) {
  std::vector<std::string> texts;
  std::map<std::string, std::set<std::string>> meanings;
  for (std::size_t i = 0; i < names.size(); ++i) {
    texts.push_back(cut(abbreviated(names[i], widths[i]), widths[i]));
    meanings[texts[i]].insert(names[i]);
  }
  // One count for all, so that two names cut once more cannot come out alike either.
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (meanings[texts[i]].size() < 2) continue;
    const std::size_t own = numbers.try_emplace(names[i], numbers.size() + 1).first->second;
    const std::string number = "~" + std::to_string(own);
    texts[i] = cut(abbreviated(names[i], widths[i]), widths[i] - number.size()) + number;
  }
  return texts;
}

std::string short_signature(std::string_view name) { return Signature(name).text(); }

}  // namespace roofline
