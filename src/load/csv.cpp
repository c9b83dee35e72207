#include "load/csv.hpp"

namespace roofline {
namespace {

/// Removes the byte order mark; rejects other encodings and line breaks.
void check_first_line(std::string& line, const std::string& source) {
  if (const auto wrong = wrong_encoding(line)) throw InputError(source, "", *wrong);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  const std::size_t lone = line.find('\r');
  if (lone != line.npos && lone + 1 < line.size())
    throw InputError(source, "1", "expected lines that end in LF or CR LF, got a CR without an LF");
}

}  // namespace

bool CsvRows::read_line(std::string& line) {
  if (!stream_->read_line(line)) return false;
  if (++line_ == 1) check_first_line(line, stream_->name());
  return true;
}

std::optional<CsvRow> CsvRows::next() {
  std::string line;
  do {
    if (!read_line(line)) return std::nullopt;
  } while (line.empty() || line == "\r");

  CsvRow row{{""}, line_, line.size()};
  const InputLimits& limits = stream_->limits();
  std::uint64_t values = 1;  // lists in cells count by their values
  bool quoted = false;
  for (std::size_t i = 0;; ++i) {
    if (i == line.size()) {
      if (!quoted) return row;
      row.cells.back() += '\n';
      if (!read_line(line))
        throw InputError(stream_->name(), std::to_string(row.line),
                         "expected a closing quote, got the end of the file");
      row.text_byte += line.size();
      i = static_cast<std::size_t>(-1);
      continue;
    }
    const char c = line[i];
    if (c == ',' && ++values > limits.values)
      throw limit_error(stream_->name(), std::to_string(row.line), expected_values(limits));
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      row.cells.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || row.cells.back().empty())) {  // within a cell: inches
      quoted = !quoted;
    } else if (c == '\r' && !quoted && i + 1 == line.size()) {
      continue;  // part of the line break CR LF
    } else if (c == ',' && !quoted) {
      row.cells.emplace_back();
    } else {
      row.cells.back() += c;
    }
  }
}

void check_width(const CsvRow& row, std::size_t columns, const std::string& source) {
  if (row.cells.size() != columns)
    throw InputError(
        source, std::to_string(row.line),
        "expected " + std::to_string(columns) + " cells, got " + std::to_string(row.cells.size()));
}

}  // namespace roofline
