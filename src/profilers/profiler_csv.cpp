#include "profilers/profiler_csv.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "load/recording.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

std::string_view without_unit(std::string_view column) {
  column = column.substr(0, column.find('('));
  while (column.ends_with(' ')) column.remove_suffix(1);
  return column;
}

bool is_header(const std::vector<std::string>& cells, Columns columns) {
  return std::all_of(columns.begin(), columns.end(), [&](std::string_view column) {
    return std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) {
      return cell == column || without_unit(cell) == column;
    });
  });
}

/// Names of columns hold no line breaks.
std::vector<std::string> header_cells(std::string_view line) try {
  const std::optional<CsvRow> row = CsvRows(*text_stream("", std::string(line))).next();
  return row ? row->cells : std::vector<std::string>();
} catch (const InputError&) {
  return {};  // not a header
}

}  // namespace

bool has_header(std::string_view head, Columns columns) {
  while (!head.empty()) {
    const std::string_view line = take(head, '\n');
    const bool may_be = std::all_of(columns.begin(), columns.end(), [&](std::string_view column) {
      return line.find(column) != std::string_view::npos;
    });
    if (may_be && is_header(header_cells(line), columns)) return true;
  }
  return false;
}

std::optional<double> profiler_number(std::string_view cell) {
  std::string digits;
  const std::size_t whole_end = std::min(cell.find_first_of(".eE"), cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == ',' && (i >= whole_end || (whole_end - i) % 4 != 0)) return std::nullopt;
    if (cell[i] != ',' && cell[i] != ' ') digits += cell[i];
  }
  constexpr double most = 1e30;  // sums of such numbers stay finite
  const std::optional<double> number = number_in<double>(std::string_view(digits));
  return number && std::fabs(*number) <= most ? number : std::nullopt;
}

std::optional<double> unit_factor(std::string_view unit) {
  if (const std::size_t slash = unit.find('/'); slash != unit.npos) {
    const std::optional<double> above = unit_factor(unit.substr(0, slash));
    return above ? std::optional(*above / unit_factor(unit.substr(slash + 1)).value_or(1)) : above;
  }
  struct Factor {
    std::string_view text;
    double factor;
  };
  constexpr Factor whole_units[] = {
      {"", 1},           {"%", 1e-2},    {"s", 1},          {"sec", 1},       {"second", 1},
      {"ms", 1e-3},      {"msec", 1e-3}, {"msecond", 1e-3}, {"us", 1e-6},     {"usec", 1e-6},
      {"usecond", 1e-6}, {"ns", 1e-9},   {"nsec", 1e-9},    {"nsecond", 1e-9}};
  if (const auto known = std::ranges::find(whole_units, unit, &Factor::text);
      known != std::end(whole_units))
    return known->factor;
  constexpr Factor prefixes[] = {{"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40},
                                 {"K", 1e3},     {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
                                 {"T", 1e12},    {"P", 1e15},    {"", 1}};
  constexpr std::string_view counted[] = {"byte",     "B",       "hz",        "Hz",    "inst",
                                          "warp",     "block",   "thread",    "cycle", "sector",
                                          "register", "request", "wavefront", "op",    "SM"};
  for (const Factor& prefix : prefixes)
    if (unit.starts_with(prefix.text) &&
        std::ranges::find(counted, unit.substr(prefix.text.size())) != std::end(counted))
      return prefix.factor;
  return std::nullopt;
}

ProfilerCsv::ProfilerCsv(ByteStream& stream, Columns columns)
    : source_(stream.name()), rows_(stream) {
  std::optional<CsvRow> row;
  while ((row = rows_.next()))
    if (is_header(row->cells, columns)) break;
  if (!row)
    throw InputError(
        source_, "",
        "expected a table with the column " + std::string(columns.front()) + ", got none");
  header_ = std::move(row->cells);
  for (const std::string& cell : header_) columns_.emplace_back(without_unit(cell));
  for (const std::string_view column : columns)
    least_cells_ = std::max(least_cells_, *place_of(column) + 1);
}

std::optional<std::size_t> ProfilerCsv::place_of(std::string_view column) const {
  const auto at = std::find(columns_.begin(), columns_.end(), column);
  return at == columns_.end() ? std::nullopt : std::optional(at - columns_.begin());
}

/// The unit behind the column's name; nanoseconds without one; nullopt if no unit of time.
std::optional<double> ProfilerCsv::seconds_a_unit(std::string_view column) const {
  const std::string_view name = header_[*place_of(column)];
  const std::size_t open = name.find('(');
  if (open == std::string_view::npos) return 1e-9;
  const std::string_view unit = name.substr(open + 1, name.find(')') - open - 1);
  return unit == "B" || unit.empty() ? std::nullopt : unit_factor(unit);
}

bool ProfilerCsv::next() {
  while (std::optional<CsvRow> row = rows_.next()) {
    if (row->cells.size() < least_cells_ || row->cells.size() > header_.size()) {
      note_other(*row);
      continue;
    }
    row_ = std::move(*row);
    row_.cells.resize(header_.size());
    return true;
  }
  return false;
}

void ProfilerCsv::note_other(const CsvRow& row) {
  if (others_ == 0) first_other_ = row.line;
  others_ += rows_.line() + 1 - row.line;
}

void ProfilerCsv::note_others(std::vector<std::string>& notes) const {
  if (others_ > 0)
    notes.push_back("lines below the header that are no rows of the table, left out: " +
                    std::to_string(others_) + ", the first is line " +
                    std::to_string(first_other_));
}

void ProfilerCsv::for_each_row(BadRows& bad, const std::function<void()>& take) {
  while (next()) try {
      take();
    } catch (const InputError& error) {
      bad.add(error);
    }
}

std::string_view ProfilerCsv::cell(std::string_view column) const {
  const auto place = place_of(column);
  return place ? cell(*place) : std::string_view();
}

InputError ProfilerCsv::error(std::string_view column, const std::string& expected) const {
  return {source_, std::to_string(row_.line),
          std::string(column) + ": expected " + expected + ", got " + in_quotes(cell(column))};
}

std::uint64_t ProfilerCsv::whole(std::string_view column, const std::string& expected) const {
  if (const auto number = number_in<std::uint64_t>(cell(column))) return *number;
  throw error(column, expected);
}

std::uint64_t ProfilerCsv::count(std::string_view column) const {
  constexpr std::uint64_t most = 1'000'000'000'000;
  const auto count = number_in<std::uint64_t>(cell(column));
  if (count && *count >= 1 && *count <= most) return *count;
  const bool is_large = count ? *count > most : is_beyond_64_bits(cell(column));
  throw error(column,
              is_large ? "a count from 1 to " + std::to_string(most) : "a count of at least 1");
}

double ProfilerCsv::seconds(std::string_view column) const {
  const std::optional<double> unit = seconds_a_unit(column);
  if (!unit)
    throw InputError(source_, std::to_string(row_.line),
                     "expected a unit of time such as ns, got the column " +
                         in_quotes(header_[*place_of(column)]));
  const double seconds = profiler_number(cell(column)).value_or(-1) * *unit;
  if (seconds < 0 || seconds > s_per_year) throw error(column, "a time of less than a year");
  return seconds;
}

void add_flop(std::span<const FlopCounter> counters,
              const std::function<std::optional<double>(std::string_view name)>& value_of,
              EnumArray<Engine, std::optional<double>>& flop) {
  for (const FlopCounter& counter : counters)
    if (const auto count = value_of(counter.name))
      flop[counter.engine] = flop[counter.engine].value_or(0) + counter.flop * *count;
}

}  // namespace roofline
