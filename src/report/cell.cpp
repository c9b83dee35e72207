#include "report/cell.hpp"

#include <cmath>

#include "model/spreadsheet.hpp"
#include "report/json_writer.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

void append_csv_text(Appender& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) {
    out.add(text);
    return;
  }
  out.add('"');
  for (const char c : text) {
    if (c == '"') out.add('"');
    out.add(c);
  }
  out.add('"');
}

struct AppendCsv {
  Appender& out;
  bool raw;

  void operator()(std::monostate) const {}
  void operator()(std::string_view text) const {
    std::string changed;
    if (!is_plain(text)) text = changed = valid_utf8(text);
    if (!raw && is_formula(text)) text = changed = guarded(text);
    append_csv_text(out, text);
  }
  void operator()(std::uint64_t count) const { out.add_count(count); }
  void operator()(double value) const {
    if (std::isfinite(value)) out.add_number(value);
  }
  void operator()(bool value) const { out.add(value ? "true" : "false"); }
  void operator()(const JsonValue& json) const {
    std::string text;
    JsonWriter(text, false).value(json);
    append_csv_text(out, text);
  }
};

}  // namespace

void append_csv(Appender& out, const Cell& cell, bool raw) {
  std::visit(AppendCsv{out, raw}, cell);
}

}  // namespace roofline
