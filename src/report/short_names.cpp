#include "report/short_names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "model/copies.hpp"
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

std::string joined(const NameParts& parts) {
  std::string name;
  for (std::size_t i = 0; i < parts.size(); ++i) name += (i == 0 ? "" : ".") + parts[i];
  return name;
}

std::ptrdiff_t to_difference(std::size_t size) { return static_cast<std::ptrdiff_t>(size); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What all begin with, up to the first digit that differs in any.
std::size_t common_begin(const std::vector<std::string>& values) {
  std::size_t size = values.front().size();
  for (const std::string& value : values) {
    size = std::min(size, value.size());
    const auto [end, _] =
        std::mismatch(value.begin(), value.begin() + to_difference(size), values.front().begin());
    size = static_cast<std::size_t>(end - value.begin());
  }
  while (size > 0 && is_digit(values.front()[size - 1])) --size;
  return size;
}

std::optional<unsigned long> number(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() < 10 && std::all_of(text.begin(), text.end(), is_digit);
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
    consecutive = number(ends[i]) && (i == 0 || *number(ends[i]) == *number(ends[i - 1]) + 1);
  const std::string head = values.front().substr(0, begin) + "{" + ends.front();
  if (consecutive) return head + "-" + ends.back() + "}";
  if (ends.size() > 3) return head + ",..," + ends.back() + "}";
  std::string text = head;
  for (std::size_t i = 1; i < ends.size(); ++i) text += "," + ends[i];
  return text + "}";
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
    text = joined(parts);
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

}  // namespace

std::string folded_name(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  const NameParts first = parts_of(without_copy(names.front()));
  std::optional<std::size_t> differing;
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const NameParts parts = parts_of(without_copy(name));
    if (parts.size() != first.size()) return names.front();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == first[i] || differing == i) continue;
      if (differing) return names.front();
      differing = i;
    }
  }
  if (!differing) return joined(first);
  for (const std::string& name : names) {
    const std::string value = parts_of(without_copy(name))[*differing];
    if (values.empty() || values.back() != value) values.push_back(value);
  }
  NameParts folded = first;
  folded[*differing] = braced(values);
  return joined(folded);
}

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const std::string& name : names) texts.push_back(cut(abbreviated(name, width), width));
  std::map<std::string, std::set<std::string>> meanings;
  for (std::size_t i = 0; i < names.size(); ++i) meanings[texts[i]].insert(names[i]);
  // One count for all, so that two names cut once more cannot come out alike either.
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (meanings[texts[i]].size() < 2) continue;
    const std::size_t own = numbers.try_emplace(names[i], numbers.size() + 1).first->second;
    const std::string number = "~" + std::to_string(own);
    texts[i] = cut(abbreviated(names[i], width), width - number.size()) + number;
  }
  return texts;
}

}  // namespace roofline
