#pragma once

// A table of CSV in what a profiler prints: messages stand before its header and, where the
// profiled program wrote to the same place, between its rows.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/csv.hpp"
#include "roofline/error.hpp"

namespace roofline {

using Columns = std::span<const std::string_view>;

/// Whether the text has a line that is a header with all of these columns. A column's unit, in
/// parentheses behind its name, does not matter.
bool has_header(std::string_view head, Columns columns);

/// The number that a cell holds, without the commas that group its digits; none where it holds no
/// number, or one that no profiler counts.
std::optional<double> profiler_number(std::string_view cell);

class ProfilerCsv {
 public:
  /// Reads up to the header with these columns. Throws InputError where there is none.
  ProfilerCsv(ByteStream& stream, Columns columns);

  const std::vector<std::string>& header() const { return header_; }
  /// The place of a column, without its unit; none where the table lacks it.
  std::optional<std::size_t> find(std::string_view column) const;

  /// The next row that reaches the columns asked for; what it lacks behind them is empty. False at
  /// the end.
  bool next();
  std::size_t line() const { return row_.line; }
  /// Empty where the table lacks the column.
  std::string_view cell(std::optional<std::size_t> column) const;
  /// Throws InputError, which says what was `expected`.
  std::uint64_t whole(std::size_t column, const std::string& expected) const;
  /// How many times: at least 1. Throws InputError.
  std::uint64_t count(std::size_t column) const;
  /// A time by the profiler's clock, or between two: not negative, and less than a year. Throws
  /// InputError.
  double seconds(std::size_t column) const;
  InputError error(std::size_t column, const std::string& expected) const;

 private:
  double seconds_a_unit(std::size_t column) const;

  std::string source_;
  CsvRows rows_;
  std::vector<std::string> header_;
  mutable std::map<std::string, std::optional<std::size_t>, std::less<>> found_;  ///< by find()
  std::size_t least_cells_ = 0;
  CsvRow row_;
};

}  // namespace roofline
