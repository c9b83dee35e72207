#include "report/table_row.hpp"

#include <fmt/format.h>

#include "report/names.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Small counts are shown whole.
std::string count_text(double count, std::string_view unit) {
  if (count >= 1000) return si(count, unit);
  return fmt::format("{}{}{}", count, unit.empty() ? "" : " ", unit);
}

std::string number_text(Unit unit, double value) {
  switch (unit) {
    case Unit::count:
    case Unit::operation: return count_text(value, "");
    case Unit::byte: return count_text(value, "B");
    case Unit::second: return duration(value);
    case Unit::flop_per_second: return si(value, "FLOP/s");
    case Unit::byte_per_second: return si(value, "B/s");
    case Unit::share: return percent(value);
    case Unit::ratio: return ratio_text(value);
    case Unit::flop_per_byte:
    case Unit::none: return plain(value);
  }
  return "";
}

/// Whether equal rows add up in this unit.
bool adds_up(Unit unit) {
  return unit == Unit::count || unit == Unit::operation || unit == Unit::byte ||
         unit == Unit::second || unit == Unit::share;
}

std::optional<double> number_of(const Cell& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  return std::nullopt;
}

}  // namespace

bool is_in_cache(const LayerResult& row) {
  return row.kernel && row.point.bound == Bound::memory &&
         row.kernel->expected_time_s < row.point.roofline_time_s &&
         row.kernel->dram_read_byte + row.kernel->dram_write_byte <
             static_cast<double>(row.counts.bytes.total);
}

std::string carried_over_mark(const std::optional<Uncertainty>& uncertainty) {
  return uncertainty && uncertainty->basis != UncertaintyBasis::measured ? "~" : "";
}

std::string label_of(const TableRow& row) {
  std::vector<std::string> names;
  for (const std::size_t i : row.layers) names.push_back(row.result.layers[i].layer.name);
  std::string name = folded_name(names);
  if (row.result.measured.recording == nullptr) return name;
  const std::string pass = " " + std::string(name_of(row.first().layer.pass));
  const std::size_t at = name.rfind(pass);
  const std::size_t end = at + pass.size();
  if (at != name.npos && (end == name.size() || name[end] == ' ' || name[end] == '#'))
    name.erase(at, pass.size());
  return name;
}

std::string suffix_of(const TableRow& row) {
  const bool many_passes = row.result.setting.training || !row.result.setting.pass;
  // The layers of a recording are of one pass each, most of them forward.
  const bool goes_without_saying =
      row.result.measured.recording != nullptr && row.first().layer.pass == Pass::fwd;
  std::string text;
  if (many_passes && !goes_without_saying)
    text += fmt::format(" {}", name_of(row.first().layer.pass));
  if (row.layers.size() > 1) text += fmt::format(" x{}", row.layers.size());
  return text;
}

std::string value_text(Unit unit, const Cell& value) {
  if (const auto number = number_of(value)) return number_text(unit, *number);
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? std::string(*text) : "";
}

std::string field_text(const OutputField& field, const TableRow& row) {
  if (field.column.text != nullptr) return field.column.text(row.first());
  if (adds_up(field.unit)) return summed_text(field, row);
  const Row first = row_of(row.result, row.first());
  return value_text(field.unit, field.value(first));
}

std::string summed_text(const OutputField& field, const TableRow& row) {
  if (!adds_up(field.unit)) return "";
  double sum = 0;
  for (const std::size_t i : row.layers) {
    const Row layer = row_of(row.result, row.result.layers[i]);
    const std::optional<double> number = number_of(field.value(layer));
    if (!number) return "";
    sum += *number;
  }
  return number_text(field.unit, sum);
}

std::string total_text(const OutputField& field, const Total& total) {
  return field.column.total ? value_text(field.unit, field.column.total(total)) : "";
}

}  // namespace roofline
