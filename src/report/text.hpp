#pragma once

// Numbers and shapes for people. What is not finite is unknown: no text.

#include <string>
#include <string_view>
#include <vector>

#include "roofline/layer.hpp"

namespace roofline {

/// Four significant digits with a power-of-ten prefix: si(17582848, "B") is "17.58 MB".
std::string si(double value, std::string_view unit);
/// si() for seconds: "40.07 us"; what is shorter is "<1 ns".
std::string duration(double seconds);
/// Four significant digits, from a thousand to ten millions a whole number.
std::string plain(double value);
/// 0.1234 as "12.3%".
std::string percent(double share);
/// "x1.13"
std::string factor(double ratio);
/// "x1.23"; from a thousand on ">x1000".
std::string ratio_text(double ratio);
/// An enumerator's name in words: "last wave" for "last_wave".
std::string words(std::string_view name);
/// "1x64x256x256"
std::string shape_text(const Shape& shape);

/// Columns that the text takes on a terminal, where it is UTF-8; East Asian characters and
/// pictographs take two, the escapes of colours none.
std::size_t display_width(std::string_view text);
/// The text, its middle replaced by "..." where it is wider than `width`.
std::string shortened(std::string_view text, std::size_t width);
/// Lines that are wider than `width` broken at blanks; an indented line goes on indented.
std::string broken(std::string_view text, std::size_t width);
/// The width of sentences where no terminal sets one.
inline constexpr std::size_t sentence_width = 79;
/// Control characters, what turns the direction of text, and bytes that are not UTF-8 replaced by
/// "?", so that a name cannot act on the terminal.
std::string printable(std::string_view text);
/// A text within a line of which nothing is markup of Markdown or HTML.
std::string markdown_text(std::string_view text);
/// The same of whole lines.
std::string markdown_lines(std::string_view text);
/// A text as it is, in a block of Markdown that it cannot end.
std::string markdown_block(const std::string& text);
/// Whether every character is printable ASCII and neither a quotation mark nor a backslash: it
/// reads the same in every format but for the commas of CSV.
bool is_plain(std::string_view text);
/// Bytes that are not UTF-8 replaced by the replacement character U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace roofline
