#pragma once

// Comma-separated values as RFC 4180 has them: quoted cells may hold commas, doubled quotes and
// line breaks.

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/network.hpp"

namespace roofline {

struct CsvRow {
  std::vector<std::string> cells;
  std::size_t line = 0;       ///< where it starts, from 1
  std::size_t text_byte = 0;  ///< how long its lines are
};

class CsvRows {
 public:
  explicit CsvRows(ByteStream& stream) : stream_(&stream) {}
  /// The next row that is not blank; none at the end. Throws InputError for an unclosed quote, and
  /// where the first line is no text in UTF-8 or has the line breaks of another time.
  std::optional<CsvRow> next();
  std::size_t line() const { return line_; }  ///< the last that was read, from 1

 private:
  bool read_line(std::string& line);

  ByteStream* stream_;
  std::size_t line_ = 0;
};

/// The number that a text is; none for any other text.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// Throws InputError where a row has more or fewer cells than its table has columns.
void check_width(const CsvRow& row, std::size_t columns, const std::string& source);

}  // namespace roofline
