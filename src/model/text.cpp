#include "model/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>

#include "roofline/layer.hpp"

namespace roofline {

std::optional<LeadingNumber> leading_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  LeadingNumber number;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.value);
  if (error != std::errc() || !std::isfinite(number.value)) return std::nullopt;
  number.rest = {stop, static_cast<std::size_t>(end - stop)};
  return number;
}

std::string beginning(std::string_view text, std::size_t most_byte) {
  if (text.size() <= most_byte) return std::string(text);
  const auto is_inside = [&](std::size_t at) {  // of a UTF-8 character
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (most_byte > 0 && is_inside(most_byte)) --most_byte;
  return std::string(text.substr(0, most_byte)) + "...";
}

std::string with_article(std::string_view noun) {
  const bool sounds_open = std::string_view("aeiou").find(noun.front()) != std::string_view::npos ||
                           noun.starts_with("rms") || noun.starts_with("lstm") ||
                           noun.starts_with("rnn");
  return (sounds_open ? "an " : "a ") + std::string(noun);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

namespace {

/// The unit that a name ends with, as "ms" of "measured_ms"; empty without one.
std::string_view unit_at_end_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> units{"s",  "ms", "us",  "ns",  "byte", "kb",
                                                   "mb", "gb", "mhz", "ghz", "gbps", "tbps"};
  const std::size_t last = name.rfind('_');
  if (last == name.npos) return {};
  const auto found = std::ranges::find(units, name.substr(last + 1));
  return found == units.end() ? std::string_view() : *found;
}

/// Names that differ by a unit stand for numbers that differ by a thousand: "time_us" and
/// "time_ms", "time_m" and "time_ms", "gflops" and "flops".
bool differ_by_unit(std::string_view word, std::string_view candidate) {
  constexpr std::string_view prefixes = "kmgt";
  if (word.size() == candidate.size() + 1 && word.ends_with(candidate) &&
      prefixes.find(word.front()) != prefixes.npos)
    return true;
  const std::string_view unit = unit_at_end_of(candidate);
  if (unit.empty()) return false;
  const std::size_t last = word.rfind('_');
  if (last == word.npos || word.substr(last + 1) == unit) return false;
  const bool is_same_amount =
      candidate.substr(0, candidate.size() - unit.size()) == word.substr(0, last + 1);
  return is_same_amount || !unit_at_end_of(word).empty();
}

}  // namespace

std::vector<std::string> nearest(std::string_view word,
                                 const std::vector<std::string_view>& candidates,
                                 std::size_t limit) {
  if (word.size() > longest_typed_name) return {};
  const std::size_t most = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string_view candidate : candidates) {
    if (differ_by_unit(word, candidate)) continue;
    // The start of a name means this name.
    constexpr std::size_t least_letters = 4;
    if (word.size() >= least_letters && candidate.starts_with(word)) {
      found.emplace_back(0, candidate);
      continue;
    }
    // Each additional letter is an edit.
    if (word.size() > candidate.size() + most || candidate.size() > word.size() + most) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= most) found.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > limit) found.resize(limit);
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const auto& [distance, candidate] : found) names.emplace_back(candidate);
  return names;
}

std::string no_open_size(std::string_view name, std::string_view open) {
  const std::string got = ", got " + in_quotes(name);
  return open.empty() ? "--dim: expected an input with open sizes" + got + " for one without"
                      : "--dim: expected an open size of the input, " + std::string(open) + got;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::vector<std::string> names = nearest(word, candidates);
  return names.empty() ? "" : "; did you mean " + in_quotes(names.front()) + "?";
}

std::string operand_type_names() {
  std::string all;
  for (const DataType type : enumerators<DataType>)
    if (is_operand_type(type)) add_item(all, name_of(type));
  return all;
}

std::optional<DataType> data_type_named(std::string_view name) {
  if (const auto type = parse<DataType>(name)) return type;
  return parse<DataType>(lower_case(name.substr(name.rfind('.') + 1)));
}

bool is_json_number(std::string_view text) {
  const auto pass_digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    const bool is_padded = count > 1 && text.front() == '0';
    text.remove_prefix(count);
    return count == 0 ? 0 : is_padded ? 2 : 1;
  };
  constexpr int none = 0;
  constexpr int usual = 1;
  if (text.starts_with('-')) text.remove_prefix(1);
  if (pass_digits() != usual) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (pass_digits() == none) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (pass_digits() == none) return false;
  }
  return text.empty();
}

std::string expected_data_type(std::string_view found) {
  const std::string text = "expected one of " + operand_type_names() + ", got " + in_quotes(found);
  const auto type = data_type_named(found);
  if (!type)
    return text + did_you_mean(found, {names_of<DataType>.begin(), names_of<DataType>.end()});
  return text + (is_tensor_type(*type) ? ", which only outputs can be"
                                       : ", which only whole networks can be (--dtype)");
}

std::string expected_algorithm(std::string_view found) {
  return "expected an algorithm (" + joined(statable_algorithm_names) + "), got " +
         in_quotes(found) +
         did_you_mean(found, {statable_algorithm_names.begin(), statable_algorithm_names.end()});
}

namespace {

/// Also in full width, as in East Asian spreadsheets.
constexpr std::array<std::string_view, 8> formula_starts{"=",      "+",      "-",      "@",
                                                         "\uff1d", "\uff0b", "\uff0d", "\uff20"};

/// Skipped by spreadsheets before a formula: wide and no-break blanks, zero-width marks.
constexpr std::array<std::string_view, 4> wide_blanks{"\u00a0", "\u3000", "\u200b", "\ufeff"};

}  // namespace

bool is_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  const auto first = text.empty() ? 0 : static_cast<unsigned char>(text.front());
  if (first > '@' && first < 0x80) return false;  // a letter, the start of nearly all texts
  const auto starts = [&text](std::string_view start) { return text.starts_with(start); };
  if (starts("\t") || starts("\r") || starts("\n")) return true;
  while (!text.empty()) {
    const auto* blank = std::ranges::find_if(wide_blanks, starts);
    const bool is_narrow = static_cast<unsigned char>(text.front()) <= ' ';
    if (!is_narrow && blank == wide_blanks.end()) break;
    text.remove_prefix(is_narrow ? 1 : blank->size());
  }
  return std::ranges::any_of(formula_starts, starts);
}

std::string guarded(std::string_view text) {
  return (is_formula(text) ? "'" : "") + std::string(text);
}

}  // namespace roofline
