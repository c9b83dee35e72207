#pragma once

// Helpers for texts: the model has no formatting library.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "roofline/data_type.hpp"

namespace roofline {

/// At most `digits` significant digits: "1500", "0.88", "4.35e+12".
inline std::string number_text(double value, int digits = 6) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, digits);
  return {buffer.data(), result.ptr};
}

/// Like number_text, but whole numbers in full if their digits matter: "1605632", "1.25e+14".
inline std::string calculator_text(double value) {
  constexpr double readable = 1e9;
  constexpr double exact = 1e15;
  if (value != std::floor(value) || std::fabs(value) >= exact) return number_text(value);
  const bool round = std::fabs(value) >= readable && std::stod(number_text(value)) == value;
  return round ? number_text(value) : std::to_string(static_cast<std::int64_t>(value));
}

/// ASCII letters only, in any locale.
constexpr char lower_case(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = lower_case(letter);
  return lower;
}

/// Whether the whole text is one number of JSON: "1", "-0.5e3", not "01" or "+1".
bool is_json_number(std::string_view text);

constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// A finite number at the start of a text, and what follows it.
struct LeadingNumber {
  double value = 0;
  std::string_view rest;
};
std::optional<LeadingNumber> leading_number(std::string_view text);

/// Shortens names and keys of inputs, which may have any length, for messages.
std::string beginning(std::string_view text, std::size_t most_byte = 200);

/// Quotes input text in messages.
inline std::string in_quotes(std::string_view found) { return '"' + beginning(found) + '"'; }

/// Whether a text which does not parse as a 64-bit integer is an integer too large for it.
constexpr bool is_beyond_64_bits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}
inline constexpr std::string_view largest_integer = "18446744073709551615";

/// The error of a --dim that is not open; `open`: the names of the input's open sizes.
std::string no_open_size(std::string_view name, std::string_view open);

/// "a conv", "an attention"
std::string with_article(std::string_view noun);

/// The parts one after the other: texts, names of enumerators, and integers in digits.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  const auto add = [&text](const auto& part) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>)
      text += std::to_string(part);
    else if constexpr (Enumeration<std::remove_cvref_t<decltype(part)>>)
      text += name_of(part);
    else
      text += part;
  };
  (add(parts), ...);
  return text;
}

/// Appends an item to a list in a sentence: "a", then "a, b".
inline void add_item(std::string& list, std::string_view item, std::string_view separator = ", ") {
  if (!list.empty()) list += separator;
  list += item;
}

/// "a, b, c"
template <class Texts>
std::string joined(const Texts& items, std::string_view separator = ", ") {
  std::string list;
  for (const auto& item : items) add_item(list, item, separator);
  return list;
}

/// "a, b, c and 4 more" for more than `most` names.
inline std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  std::string shown;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    add_item(shown, beginning(names[i]));
  if (names.size() <= most) return shown;
  return shown + " and " + std::to_string(names.size() - most) + " more";
}

/// The name of a copy: a second "relu" is "relu#2".
inline std::string name_of_copy(std::string_view name, std::size_t number) {
  return std::string(name) + "#" + std::to_string(number);
}

/// The name without the number of a copy.
inline std::string_view without_copy(std::string_view name) {
  const std::size_t at = name.find_last_of('#');
  if (at == name.npos || at == 0 || at + 1 == name.size()) return name;
  const std::string_view number = name.substr(at + 1);
  const bool is_number = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? name.substr(0, at) : name;
}

/// Makes names unique: a second "conv" becomes "conv#2".
class UniqueNames {
 public:
  std::string operator()(const std::string& wanted) {
    const std::size_t uses = ++uses_[wanted];
    if (uses == 1) return wanted;
    std::string name = name_of_copy(wanted, uses);
    while (++uses_[name] > 1) name = name_of_copy(wanted, ++uses_[wanted]);
    return name;
  }

 private:
  /// Keeps names together, so freeing them leaves no gaps between layers.
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<std::string, std::size_t> uses_{&memory_};
};

/// Number of inserted, deleted or replaced letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// In characters. Nobody types a longer name, and comparing one takes its length squared.
inline constexpr std::size_t longest_typed_name = 200;

/// Candidates within a few typing errors of `word`, nearest first, at most `limit`.
std::vector<std::string> nearest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t limit = 1);

/// `; did you mean "stride"?`, or empty without a similar candidate.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

std::string operand_type_names();

std::string expected_data_type(std::string_view found);
/// In any case, also with a module's name: "torch.float16".
std::optional<DataType> data_type_named(std::string_view name);

std::string expected_algorithm(std::string_view found);

/// Whether spreadsheets run the text as a formula, apart from leading apostrophes.
bool is_formula(std::string_view text);
/// Disables formulas by an apostrophe.
std::string guarded(std::string_view text);

}  // namespace roofline
