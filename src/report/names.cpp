#include <fmt/format.h>

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

/// Length of the common beginning, up to the first differing digit.
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

/// Whether the texts are consecutive numbers of few digits.
bool count_up(const std::vector<std::string>& texts) {
  const std::string& first = texts.front();
  if (first.empty() || first.size() > 9 || !std::ranges::all_of(first, is_digit)) return false;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i] != std::to_string(std::stoul(first) + i)) return false;
  return true;
}

/// {"block1", "block2", "block3"} as "block{1-3}"; at most three values that are not consecutive.
std::string braced(const std::vector<std::string>& values) {
  const std::size_t begin = common_begin(values);
  std::vector<std::string> ends;
  ends.reserve(values.size());
  for (const std::string& value : values) ends.push_back(value.substr(begin));
  const std::string head = values.front().substr(0, begin);
  if (ends.size() > 2 && count_up(ends))
    return fmt::format("{}{{{}-{}}}", head, ends.front(), ends.back());
  if (ends.size() > 3) return fmt::format("{}{{{},..,{}}}", head, ends.front(), ends.back());
  return fmt::format("{}{{{}}}", head, fmt::join(ends, ","));
}

/// "denseblock4" is "d*4", "layer{1-3}" "l*{1-3}"; --explain takes these as patterns.
std::string initial(const std::string& part) {
  if (part.size() < 4) return part;
  std::size_t end = part.find('{');
  if (end == part.npos)
    for (end = part.size(); end > 1 && is_digit(part[end - 1]);) --end;
  return end < 3 ? part : part.substr(0, 1) + '*' + part.substr(end);
}

std::string abbreviated(const std::string& name, std::size_t width) {
  NameParts parts = parts_of(name);
  std::size_t columns = display_width(name);
  for (std::size_t i = 0; i + 1 < parts.size() && columns > width; ++i) {
    std::string part = initial(parts[i]);
    columns -= display_width(parts[i]) - display_width(part);
    parts[i] = std::move(part);
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

/// Cuts the beginning; without parts the middle, as such names begin with the kind of layer.
std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  const std::size_t kept = width - 1;
  const std::size_t tail = text.find('.') == text.npos ? kept / 2 : kept;
  std::string_view end = last_columns(text, tail);
  // drops the rest of a cut brace
  if (const std::size_t close = end.find('}'); close < end.find('{') && close != end.npos)
    end.remove_prefix(close + 1);
  const std::string_view rest = last_columns(text, display_width(text) - (kept - tail));
  return text.substr(0, text.size() - rest.size()) + '*' + std::string(end);
}

bool opens(char c) { return c == '(' || c == '[' || c == '{' || c == '<'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}' || c == '>'; }

void skip_group(std::string_view& rest) {
  std::size_t depth = 0;
  do {
    if (opens(rest[0])) ++depth;
    if (closes(rest[0])) --depth;
    rest.remove_prefix(1);
  } while (depth > 0 && !rest.empty());
}

bool ends_argument(char c) { return c == ',' || c == '>'; }

std::string short_argument(std::string_view& rest) {
  std::string text;
  std::size_t begin = 0;  // of the present component of a qualified name
  const auto take = [&] {
    text += rest[0];
    rest.remove_prefix(1);
  };
  while (!rest.empty() && !ends_argument(rest[0])) {
    const bool has_name = text.size() > begin;
    if (rest.starts_with("::")) {
      text.resize(begin);  // it was a namespace
      rest.remove_prefix(2);
    } else if (rest[0] == '<' && has_name) {
      do {
        take();
        text += short_argument(rest);
      } while (!rest.empty() && rest[0] == ',');
      if (!rest.empty()) take();
    } else if (opens(rest[0])) {
      skip_group(rest);
      // A name qualified by a function's arguments is within that function, whose name says more.
      while (has_name && !rest.empty() && !ends_argument(rest[0]))
        if (opens(rest[0]))
          skip_group(rest);
        else
          rest.remove_prefix(1);
    } else {
      take();
      if (text == "void ") text.clear();
      if (text.ends_with(' ') || text.empty()) begin = text.size();
    }
  }
  return text;
}

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

std::string short_name(const std::string& name, std::size_t width) {
  return cut(abbreviated(name, width), width);
}

std::string short_signature(std::string_view name) {
  constexpr std::size_t most_read = 4000;  // limits the depth of nested arguments
  constexpr std::size_t enough = 400;
  if (name.starts_with("Mem")) return std::string(name);  // "Memcpy HtoD (Pageable -> Device)"
  std::string_view rest = name.substr(0, most_read);
  std::string text;
  while (!rest.empty() && text.size() < enough) {
    text += short_argument(rest);
    if (rest.empty()) break;
    text += rest[0];
    rest.remove_prefix(1);
  }
  text.resize(std::min(text.size(), enough));
  text.erase(text.find_last_not_of(' ') + 1);
  return text.empty() ? std::string(name) : text;
}

}  // namespace roofline
