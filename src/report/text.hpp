#pragma once

// Numbers, names and sentences for people. A number that is not finite is unknown: no text.

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/layer.hpp"

namespace roofline {

/// Four significant digits with a power-of-ten prefix: si(17582848, "B") is "17.58 MB".
std::string si(double value, std::string_view unit);
template <std::integral Count>
std::string si(Count count, std::string_view unit) {
  return si(static_cast<double>(count), unit);
}
/// Nothing for what is unknown.
template <class Number>
std::string si(const std::optional<Number>& value, std::string_view unit) {
  return value ? si(*value, unit) : "";
}
/// si() for seconds: "40.07 us"; what is shorter is "<1 ns".
std::string duration(double seconds);
inline std::string duration(const std::optional<double>& seconds) {
  return seconds ? duration(*seconds) : "";
}
/// Four significant digits, from a thousand to ten millions a whole number.
std::string plain(double value);
inline std::string plain(const std::optional<double>& value) { return value ? plain(*value) : ""; }
/// 0.1234 as "12.3%".
std::string percent(double share);
inline std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "";
}
/// A rate as a share of a peak; one beyond it, which caches or saved work allow, as a ratio:
/// "12.3%", "x1.84".
std::string share_or_ratio(double share);
/// "x1.13"
std::string factor(double ratio);
/// "x1.23"; from a thousand on ">x1000".
std::string ratio_text(double ratio);
/// An enumerator's name in words: "last wave" for "last_wave".
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

/// Columns that the text takes on a terminal, where it is UTF-8, one a character.
std::size_t display_width(std::string_view text);
/// The text, its middle replaced by "..." where it is wider than `width`.
std::string shortened(std::string_view text, std::size_t width);
/// The end of the text, at most that wide.
std::string_view last_columns(std::string_view text, std::size_t width);
/// Lines that are wider than `width` broken at blanks; an indented line goes on indented.
std::string broken(std::string_view text, std::size_t width);
/// The width of sentences where no terminal sets one.
inline constexpr std::size_t sentence_width = 79;
/// Control characters, what turns the direction of text, and bytes that are not UTF-8 replaced by
/// "?", so that a name cannot act on the terminal.
std::string printable(std::string_view text);
/// The same of a text of several lines.
std::string printable_lines(std::string_view text);
/// A text within a line of which nothing is markup of Markdown or HTML.
std::string markdown_text(std::string_view text);
/// Whole lines of which nothing is markup of Markdown or HTML.
std::string markdown_lines(std::string_view text);
/// A text as it is, in a block of Markdown that it cannot end.
std::string markdown_block(const std::string& text);
/// Whether every character is printable ASCII and neither a quotation mark nor a backslash: it
/// reads the same in every format but for the commas of CSV.
bool is_plain(std::string_view text);
/// Bytes that are not UTF-8 replaced by the replacement character U+FFFD.
std::string valid_utf8(std::string_view text);

// Names in few columns: what names of layers have in common is folded, what tells them apart stays;
// signatures of kernels without what goes without saying (names.cpp).

/// Several layers' names as one, parts in which they differ in braces:
/// {"layer1.0.conv1", "layer1.1.conv1"} is "layer1.{0,1}.conv1", and copies ("relu#2") are their
/// first. Names that differ in more than one part are the first of them.
std::string folded_name(const std::vector<std::string>& names);

/// A name in at most that many columns, at least 12, as a pattern that fits it: leading parts are
/// abbreviated ("features.denseblock4.denselayer16.norm1" is "f*.d*4.denselayer16.norm1"), then the
/// beginning is cut, of names without parts the middle.
std::string short_name(const std::string& name, std::size_t width);

/// A C++ kernel's name without namespaces, types of results and lists of arguments, but with
/// template arguments: "void at::native::elementwise_kernel<4, at::native::AddFunctor<float>>(int)"
/// as "elementwise_kernel<4, AddFunctor<float>>". It may hold thousands of characters, and what
/// tells it from others is anywhere in it.
std::string short_signature(std::string_view name);

/// JSON as text. Bytes that are not UTF-8 are replaced; where terminals act on a character beyond
/// ASCII, such as U+009B, all of these are written as escapes, which are the same text.
template <class Json>
std::string dumped(const Json& json, int indent) {
  std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  if (printable_lines(text) != text)
    text = json.dump(indent, ' ', true, Json::error_handler_t::replace);
  return text;
}

}  // namespace roofline
