#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

/// A character, or an invalid byte.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;  ///< in bytes
  bool is_valid = false;
};

Character character_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || i + length > text.size()) return {};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t j = i + 1; j < i + length; ++j) {
    if ((byte(j) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(j) & 0x3FU);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
  return {code, length, true};
}

template <class IsBad>
std::string replaced(std::string_view text, std::string_view replacement, const IsBad& is_bad) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    const bool stays = character.is_valid && !is_bad(character.code);
    out += stays ? text.substr(i, character.length) : replacement;
    i += character.length;
  }
  return out;
}

/// Control characters, line separators, changes of text direction, and characters that XML forbids.
constexpr std::pair<char32_t, char32_t> acting[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200E, 0x200F},
    {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF}};

bool acts(char32_t code) {
  return std::ranges::any_of(
      acting, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

// Blocks of characters by the columns that terminals give them: Unicode 15, EastAsianWidth.txt (W
// and F) and UnicodeData.txt (Mn, and what joins or chooses the look of the character before).

using CharacterRange = std::pair<char32_t, char32_t>;

constexpr CharacterRange combining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
    {0x064B, 0x065F}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};
constexpr CharacterRange wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},  {0x2E80, 0x303E}, {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

std::size_t columns_of(char32_t code) {
  if (code < combining[0].first) return 1;
  const auto holds = [&](const CharacterRange& block) {
    return code >= block.first && code <= block.second;
  };
  return std::ranges::any_of(combining, holds) ? 0 : std::ranges::any_of(wide, holds) ? 2 : 1;
}

/// Byte offset behind the characters that are whole within so many columns, with their accents.
std::size_t offset_of(std::string_view text, std::size_t columns) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Character character = character_at(text, i);
    const std::size_t width = columns_of(character.code);
    if (width > columns) break;
    columns -= width;
    i += character.length;
  }
  return i;
}

std::string_view last_columns(std::string_view text, std::size_t columns) {
  const std::size_t whole = display_width(text);
  if (whole <= columns) return text;
  std::string_view last = text.substr(offset_of(text, whole - columns));
  while (display_width(last) > columns) last.remove_prefix(character_at(last, 0).length);
  return last;
}

constexpr std::array plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x7F; ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

/// Whether bytes are plain, all of a word at once.
template <class Word>
bool are_plain(const char* bytes) {
  constexpr auto each = static_cast<Word>(0x0101010101010101);
  constexpr Word highest = 0x80 * each;
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  // The highest bit of a byte tells of any below `least`, if none is above 0x7F.
  const auto below = [](Word all, Word least) { return all - least * each; };
  const Word wrong = word | below(word, 0x20) | (word + each) | below(word ^ ('"' * each), 1) |
                     below(word ^ ('\\' * each), 1);
  return (wrong & highest) == 0;
}

/// The last blank up to `width` that does not part a number from its unit.
std::size_t last_break(const std::string& line, std::size_t columns) {
  std::size_t blank = line.rfind(' ', columns);
  const auto is = [&](std::size_t i, int (*kind)(int)) {
    return i < line.size() && kind(static_cast<unsigned char>(line[i])) != 0;
  };
  while (blank != line.npos && blank > 0 && is(blank - 1, std::isdigit) &&
         is(blank + 1, std::isalpha))
    blank = line.rfind(' ', blank - 1);
  return blank;
}

/// Kernels take longer; such a time is the bound of a few bytes.
constexpr double shortest_shown_s = 1e-9;
/// Beyond it the bound is far below a kernel's launch.
constexpr int most_ratio = 1000;

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
  const std::vector<std::string> ends =
      each_of(values, [&](const std::string& value) { return value.substr(begin); });
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

std::string abbreviated(const std::string& name, std::size_t columns) {
  NameParts parts = parts_of(name);
  std::size_t own = display_width(name);
  for (std::size_t i = 0; i + 1 < parts.size() && own > columns; ++i) {
    std::string part = initial(parts[i]);
    own -= display_width(parts[i]) - display_width(part);
    parts[i] = std::move(part);
  }
  return fmt::format("{}", fmt::join(parts, "."));
}

/// Cuts the beginning; without parts the middle, as such names begin with the kind of layer.
std::string cut(const std::string& text, std::size_t columns) {
  if (display_width(text) <= columns) return text;
  const std::size_t kept = columns - 1;
  const std::size_t tail = text.find('.') == text.npos ? kept / 2 : kept;
  std::string_view end = last_columns(text, tail);
  // drops the rest of a cut brace
  if (const std::size_t close = end.find('}'); close < end.find('{') && close != end.npos)
    end.remove_prefix(close + 1);
  return text.substr(0, offset_of(text, kept - tail)) + '*' + std::string(end);
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

std::string plain(double value) {
  if (!std::isfinite(value)) return "";
  if (value == 0) return "0";
  const double magnitude = std::fabs(value);
  if (magnitude >= 9'999'999.5 || magnitude < 1e-3) return fmt::format("{:.3e}", value);
  if (magnitude >= 999.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:#.4g}", value);
}

std::string_view take_prefix(double& value) {
  constexpr std::array<std::string_view, 11> prefixes{"p", "n", "u", "m", "", "k",
                                                      "M", "G", "T", "P", "E"};
  std::size_t prefix = 4;
  while (std::fabs(value) >= 999.95 && prefix + 1 < prefixes.size()) value /= 1000, ++prefix;
  while (value != 0 && std::fabs(value) < 0.99995 && prefix > 0) value *= 1000, --prefix;
  return prefixes[prefix];
}

std::string si(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "";
  const std::string scale = fmt::format("{}{}", take_prefix(value), unit);
  return scale.empty() ? plain(value) : fmt::format("{} {}", plain(value), scale);
}

std::string duration(double seconds) {
  if (seconds > 0 && seconds < shortest_shown_s) return "<1 ns";
  if (seconds >= 1 && std::isfinite(seconds)) return plain(seconds) + " s";
  return si(seconds, "s");
}

std::string duration_range(double seconds, double ratio) {
  if (seconds < 1) take_prefix(seconds);
  const auto digits = [](double number) {
    return number < 9.95 ? fmt::format("{:.2g}", number) : fmt::format("{:.0f}", number);
  };
  return fmt::format("{} to {}", digits(seconds / ratio), digits(seconds * ratio));
}

std::string share_or_ratio(double share) { return share > 1 ? ratio_text(share) : percent(share); }

std::string percent(double share) {
  if (!std::isfinite(share)) return "";
  return share < 1000 ? fmt::format("{:.1f}%", 100 * share) : plain(100 * share) + "%";
}

std::string factor(double ratio) {
  if (!std::isfinite(ratio)) return "";
  return ratio >= 0.005 && ratio < 10000 ? fmt::format("x{:.2f}", ratio) : "x" + plain(ratio);
}

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) return "";
  return ratio < most_ratio ? fmt::format("x{:.2f}", ratio) : fmt::format(">x{}", most_ratio);
}

std::string words(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string shape_text(const Shape& shape) {
  std::string text = fmt::format("{}x{}", shape.batch, shape.channels);
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i)
    text += fmt::format("x{}", shape.spatial[i]);
  return text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = character_at(text, i);
    width += columns_of(character.code);
    i += character.length;
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  const std::size_t kept = columns - 3;
  const std::size_t tail = kept / 2;
  return std::string(text.substr(0, offset_of(text, kept - tail))) + "..." +
         std::string(last_columns(text, tail));
}

std::string broken(std::string_view text, std::size_t columns) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(own > 0 ? own + 2 : 0, ' ');
    while (display_width(line) > columns) {
      const std::size_t blank = last_break(line, columns);
      if (blank == line.npos || blank < indent.size() + 1) break;
      out += line.substr(0, blank) + '\n';
      line.replace(0, blank + 1, indent);
    }
    out += line;
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string printable(std::string_view text) { return replaced(text, "?", acts); }

std::string printable_lines(std::string_view text) {
  return replaced(text, "?", [](char32_t code) { return code != U'\n' && acts(code); });
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view markup = "\\|<`*[&~$";
  const auto is_in_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool underlines = text[i] == '_' && !(is_in_word(i - 1) && is_in_word(i + 1));
    if (markup.find(text[i]) != markup.npos || underlines) out += '\\';
    out += text[i];
  }
  return out;
}

std::string markdown_block(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fence + '\n' + text + fence + '\n';
}

bool is_plain(std::string_view text) {
  // The last word may overlap with the one before.
  const auto are_all = [text](auto word) {
    using Word = decltype(word);
    const char* const last = text.data() + text.size() - sizeof(Word);
    for (const char* bytes = text.data(); bytes < last; bytes += sizeof(Word))
      if (!are_plain<Word>(bytes)) return false;
    return are_plain<Word>(last);
  };
  if (text.size() >= sizeof(std::uint64_t)) return are_all(std::uint64_t{});
  if (text.size() >= sizeof(std::uint32_t)) return are_all(std::uint32_t{});
  return std::ranges::all_of(text,
                             [](char c) { return plain_bytes[static_cast<unsigned char>(c)]; });
}

std::string valid_utf8(std::string_view text) {
  return replaced(text, "\xEF\xBF\xBD", [](char32_t) { return false; });
}

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

std::string short_name(const std::string& name, std::size_t columns) {
  return cut(abbreviated(name, columns), columns);
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
