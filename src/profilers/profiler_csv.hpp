#pragma once

// What profilers' files have in common: a table of CSV in what the profiler prints, with messages
// before its header and, where the profiled program wrote to the same place, between its rows; and
// counters of FLOP.

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
#include "roofline/error.hpp"
#include "roofline/recording.hpp"

namespace roofline {

// Columns are named without their units, which stand in parentheses behind the names.
using Columns = std::span<const std::string_view>;

/// Whether the text has a line that is a header with all of these columns.
bool has_header(std::string_view head, Columns columns);

/// The number that a cell holds, without the commas that group its digits by three; none where it
/// holds no number, or one that no profiler counts.
std::optional<double> profiler_number(std::string_view cell);

/// One of the unit in seconds, bytes, hertz or counts: 1e-6 for "usecond", 1024 for "KiB", 1e6 for
/// "Minst/cycle", 1e9 for "cycle/nsecond"; none for a unit that profilers do not use.
std::optional<double> unit_factor(std::string_view unit);

class ProfilerCsv {
 public:
  /// Reads up to the header with these columns. Throws InputError where there is none.
  ProfilerCsv(ByteStream& stream, Columns columns);

  const std::vector<std::string>& header() const { return header_; }
  bool has(std::string_view column) const { return place_of(column).has_value(); }

  /// The next row that reaches the columns asked for; what it lacks behind them is empty. False at
  /// the end.
  bool next();
  /// The row that was read last is none of the table's.
  void pass_over() { note_other(row_); }
  /// Says how many lines below the header are no rows of the table.
  void note_others(std::vector<std::string>& notes) const;
  /// Gives each row to `take`; one for which that throws an InputError costs only itself.
  void for_each_row(BadRows& bad, const std::function<void()>& take);

  // What follows is of the row that was read last. Numbers have to be there: else an InputError
  // names the column and says what was expected.
  std::size_t line() const { return row_.line; }
  std::string_view cell(std::size_t place) const { return row_.cells[place]; }
  /// Empty where the table lacks the column.
  std::string_view cell(std::string_view column) const;
  std::string text(std::string_view column) const { return std::string(cell(column)); }
  std::uint64_t whole(std::string_view column, const std::string& expected) const;
  /// How many times: at least 1.
  std::uint64_t count(std::string_view column) const;
  /// A time by the profiler's clock, or between two: not negative, and less than a year.
  double seconds(std::string_view column) const;
  InputError error(std::string_view column, const std::string& expected) const;

 private:
  std::optional<std::size_t> place_of(std::string_view column) const;
  std::optional<double> seconds_a_unit(std::string_view column) const;
  void note_other(const CsvRow& row);

  std::string source_;
  CsvRows rows_;
  std::vector<std::string> header_;
  std::vector<std::string> columns_;  ///< its cells without units
  std::size_t least_cells_ = 0;
  CsvRow row_;
  std::size_t others_ = 0;  ///< lines below the header that are no rows
  std::size_t first_other_ = 0;
};

/// Longer than any launch: what profilers' clocks that went wrong say.
inline constexpr double s_per_year = 365.25 * 86400;

/// What one count of a hardware counter stands for.
struct FlopCounter {
  Engine engine;
  std::string_view name;
  double flop;
};

/// The FLOP of each engine by those of its counters that were recorded.
void add_flop(std::span<const FlopCounter> counters,
              const std::function<std::optional<double>(std::string_view name)>& value_of,
              EnumArray<Engine, std::optional<double>>& flop);

}  // namespace roofline
