#pragma once

// Comma-separated values by RFC 4180: quoted cells may hold commas, doubled quotes and line breaks.
// Spreadsheets of other languages write semicolons, and their clipboards tabs: a first row without
// commas chooses these.

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/byte_stream.hpp"

namespace roofline {

struct CsvRow {
  std::vector<std::string> cells;
  std::size_t line = 0;       ///< first line, from 1
  std::size_t text_byte = 0;  ///< length of its lines
};

class CsvRows {
 public:
  explicit CsvRows(ByteStream& stream) : stream_(&stream) {}
  /// The next row that is not blank; nullopt at the end. Throws InputError for an unclosed quote,
  /// and a first line that is not UTF-8 or breaks by CR alone.
  std::optional<CsvRow> next();
  /// Passes over the lines before a header of layers that begin with #. Returns their number.
  std::size_t pass_comments();
  std::size_t line() const { return line_; }  ///< last line read, from 1
  char separator() const { return separator_; }

 private:
  bool read_line(std::string& line);

  ByteStream* stream_;
  std::size_t line_ = 0;
  char separator_ = 0;  ///< 0 before the first row
};

/// nullopt unless the whole text is a number.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number parsed{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, parsed);
  return error == std::errc() && rest == end ? std::optional(parsed) : std::nullopt;
}

/// "0,5", a number as other languages write it.
bool is_decimal_comma(std::string_view text);

/// Throws InputError for a number with a decimal comma in a column of numbers.
void check_decimal_point(std::string_view column, std::string_view text, const CsvRow& row,
                         const std::string& source);

/// Throws InputError if the row's cells do not match the table's columns.
void check_width(const CsvRow& row, std::size_t columns, const std::string& source);

}  // namespace roofline
