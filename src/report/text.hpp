#pragma once

// Text for people; empty for a number that is not finite.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/layer.hpp"

namespace roofline {

/// Scales the value to its number before the prefix: 17582848 to 17.582848, and "M".
std::string_view take_prefix(double& value);
/// Four significant digits with a power-of-ten prefix: si(17582848, "B") is "17.58 MB".
std::string si(double value, std::string_view unit);
template <std::integral Count>
std::string si(Count count, std::string_view unit) {
  return si(static_cast<double>(count), unit);
}
template <class Number>
std::string si(const std::optional<Number>& value, std::string_view unit) {
  return value ? si(*value, unit) : "";
}
/// si() for seconds: "40.07 us"; a shorter time than 1 ns is "<1 ns".
std::string duration(double seconds);
inline std::string duration(const std::optional<double>& seconds) {
  return seconds ? duration(*seconds) : "";
}
/// "65 to 90": the time by and times the ratio, in the unit of its duration().
std::string duration_range(double seconds, double ratio);
/// Four significant digits; a whole number from a thousand to ten million.
std::string plain(double value);
inline std::string plain(const std::optional<double>& value) { return value ? plain(*value) : ""; }
/// 0.1234 as "12.3%".
std::string percent(double share);
inline std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "";
}
/// A rate's share of a peak, or its ratio if caches or saved work lift it beyond: "12.3%", "x1.84".
std::string share_or_ratio(double share);
/// "x1.13"
std::string factor(double ratio);
/// "x1.23"; from a thousand on ">x1000".
std::string ratio_text(double ratio);
/// "last wave" for "last_wave".
std::string words(std::string_view name);
template <Enumeration E>
std::string words(E enumerator) {
  return words(name_of(enumerator));
}
template <Enumeration E>
std::string words(const std::optional<E>& enumerator) {
  return enumerator ? words(*enumerator) : "";
}
/// "1x64x256x256"
std::string shape_text(const Shape& shape);

/// Columns on a terminal: one for each character, or byte that is not UTF-8.
std::size_t display_width(std::string_view text);
/// Replaces the middle by "..." if the text has more than `columns`.
std::string shortened(std::string_view text, std::size_t columns);
/// Breaks lines of more than `columns` at blanks; the rest of an indented line is indented.
std::string broken(std::string_view text, std::size_t columns);
/// Width of sentences without a terminal.
inline constexpr std::size_t sentence_width = 79;
/// Replaces control characters, changes of text direction and invalid UTF-8 by "?", for terminals.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);
/// Escapes all markup of Markdown and HTML within a line.
std::string markdown_text(std::string_view text);
/// The unchanged text in a Markdown block that it cannot end.
std::string markdown_block(const std::string& text);
/// Whether the text is the same in every format, except for commas in CSV: printable ASCII without
/// quotation marks and backslashes.
bool is_plain(std::string_view text);
/// Replaces bytes that are not UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view text);

// Short names of layers and kernels.

/// {"layer1.0.conv1", "layer1.1.conv1"} is "layer1.{0,1}.conv1"; copies ("relu#2") count as their
/// first. The first name if more than one part differs.
std::string folded_name(const std::vector<std::string>& names);

/// A pattern of at most `columns` (at least 12) that fits the name: abbreviates leading parts
/// ("features.denseblock4.denselayer16.norm1" is "f*.d*4.denselayer16.norm1"), then cuts the
/// beginning, or the middle of a name without parts.
std::string short_name(const std::string& name, std::size_t columns);

/// Without namespaces, result types and argument lists: "elementwise_kernel<4, AddFunctor<float>>"
/// of "void at::native::elementwise_kernel<4, at::native::AddFunctor<float>>(int)". Names may have
/// thousands of characters and differ anywhere.
std::string short_signature(std::string_view name);

/// Replaces invalid UTF-8; escapes all non-ASCII characters if a terminal acts on one, such as
/// U+009B.
template <class Json>
std::string dumped(const Json& json, int indent) {
  std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  if (printable_lines(text) != text)
    text = json.dump(indent, ' ', true, Json::error_handler_t::replace);
  return text;
}

}  // namespace roofline
