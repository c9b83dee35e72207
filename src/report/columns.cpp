#include "report/columns.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace roofline {
namespace {

std::string amount_text(double amount, std::string_view unit) {
  if (amount >= 1000) return si(amount, unit);
  return fmt::format("{}{}{}", amount, unit.empty() ? "" : " ", unit);
}

std::string number_text(Unit unit, double value) {
  switch (unit) {
    case Unit::count: return fmt::format("{:.0f}", value);
    case Unit::operation: return amount_text(value, "");
    case Unit::byte: return amount_text(value, "B");
    case Unit::second: return duration(value);
    case Unit::share: return percent(value);
    case Unit::ratio: return ratio_text(value);
    case Unit::rate: return si(value, "");
    case Unit::number:
    case Unit::none: return plain(value);
  }
  return "";
}

}  // namespace

std::optional<double> number_of(const Cell& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  return std::nullopt;
}

std::string value_text(Unit unit, const Cell& value) {
  if (const auto number = number_of(value)) return number_text(unit, *number);
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? std::string(*text) : "";
}

bool adds_up(Unit unit) {
  return unit == Unit::count || unit == Unit::operation || unit == Unit::byte ||
         unit == Unit::second || unit == Unit::share;
}

}  // namespace roofline
