#pragma once

// Shared by profilers' files: CSV tables within printed text, and counters of FLOP.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/csv.hpp"
#include "load/whole_input.hpp"
#include "model/recording.hpp"
#include "roofline/error.hpp"

namespace roofline {

// Names without the units in parentheses.
using Columns = std::span<const std::string_view>;

bool has_header(std::string_view head, Columns columns);

/// Without commas between digits; nullopt for text and impossible numbers.
std::optional<double> profiler_number(std::string_view cell);

/// In seconds, bytes, hertz or counts: 1e-6 for "usecond", 1024 for "KiB", 1e9 for "cycle/nsecond";
/// nullopt if unknown.
std::optional<double> unit_factor(std::string_view unit);

class ProfilerCsv {
 public:
  /// Reads up to the header. Throws InputError without one.
  ProfilerCsv(ByteStream& stream, Columns columns);

  const std::vector<std::string>& header() const { return header_; }
  bool has(std::string_view column) const { return place_of(column).has_value(); }

  /// The next row that has the required columns; missing others are empty. False at the end.
  bool next();
  /// The last row is not the table's.
  void pass_over() { note_other(row_); }
  /// Notes the count of foreign lines below the header.
  void note_others(std::vector<std::string>& notes) const;
  /// Calls `take` for each row; its InputError costs only that row.
  void for_each_row(BadRows& bad, const std::function<void()>& take);

  // The last row's. Throws InputError with the column and the expectation if a number is missing.
  std::size_t line() const { return row_.line; }
  std::string_view cell(std::size_t place) const { return row_.cells[place]; }
  /// Empty without the column.
  std::string_view cell(std::string_view column) const;
  std::string text(std::string_view column) const { return std::string(cell(column)); }
  std::uint64_t whole(std::string_view column, const std::string& expected) const;
  /// At least 1.
  std::uint64_t count(std::string_view column) const;
  /// A time or duration: not negative, less than a year.
  double seconds(std::string_view column) const;
  InputError error(std::string_view column, const std::string& expected) const;

 private:
  std::optional<std::size_t> place_of(std::string_view column) const;
  std::optional<double> seconds_a_unit(std::string_view column) const;
  void note_other(const CsvRow& row);

  std::string source_;
  CsvRows rows_;
  std::vector<std::string> header_;
  std::vector<std::string> columns_;  ///< without units
  std::size_t least_cells_ = 0;
  CsvRow row_;
  std::size_t others_ = 0;  ///< foreign lines below the header
  std::size_t first_other_ = 0;
};

/// Longer times come from broken clocks.
inline constexpr double s_per_year = 365.25 * 86400;

struct FlopCounter {
  Engine engine;
  std::string_view name;
  double flop;
};

void add_flop(std::span<const FlopCounter> counters,
              const std::function<std::optional<double>(std::string_view name)>& value_of,
              EnumArray<Engine, std::optional<double>>& flop);

}  // namespace roofline
