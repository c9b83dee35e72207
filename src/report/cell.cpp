#include "report/cell.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/spreadsheet.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Of each byte, whether it stands for itself inside a JSON string.
constexpr std::array plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (std::size_t byte = 0x20; byte < 0x7F; ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}();

bool is_plain(char c) { return plain_bytes[static_cast<unsigned char>(c)]; }

void append_number(std::string& out, double value) {
  // What is whole and has at most 15 digits needs no search for the shortest.
  constexpr double most = 1e15;
  if (value >= 0 && value < most && !std::signbit(value)) {
    const auto whole = static_cast<std::uint64_t>(value);
    if (static_cast<double>(whole) == value) {
      append_count(out, whole);
      out += ".0";
      return;
    }
  }
  std::array<char, 32> digits;  // the shortest that reads back as the same takes 24 at most
  const char* end = fmt::format_to(digits.data(), FMT_COMPILE("{}"), value);
  const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  out += text;
  // Whole numbers keep a ".0", so that a reader knows them as floating.
  if (text.find_first_of(".e") == text.npos) out += ".0";
}

struct AppendJson {
  std::string& out;

  void operator()(std::monostate) const { out += "null"; }
  void operator()(std::string_view text) const { append_json_string(out, text); }
  void operator()(const std::string& text) const { append_json_string(out, text); }
  void operator()(std::uint64_t count) const { append_count(out, count); }
  void operator()(double value) const {
    if (std::isfinite(value))
      append_number(out, value);
    else
      out += "null";
  }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(const JsonText& json) const { out += json.text; }
};

void append_csv_text(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) {
    out += nlohmann::json(std::string(text))
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void append_count(std::string& out, std::uint64_t count) {
  const fmt::format_int digits(count);
  out.append(digits.data(), digits.size());
}

std::optional<std::string_view> text_in(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* name = std::get_if<std::string_view>(&cell)) return *name;
  return std::nullopt;
}

void append_json(std::string& out, const Cell& cell) { std::visit(AppendJson{out}, cell); }

void append_csv(std::string& out, const Cell& cell, bool raw) {
  if (const auto text = text_in(cell))
    return append_csv_text(out, raw ? valid_utf8(*text) : guarded(valid_utf8(*text)));
  if (const auto* json = std::get_if<JsonText>(&cell)) return append_csv_text(out, json->text);
  if (std::holds_alternative<std::monostate>(cell)) return;
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || std::isfinite(*number)) append_json(out, cell);
}

}  // namespace roofline
