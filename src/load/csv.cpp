#include "load/csv.hpp"

#include "roofline/error.hpp"

namespace roofline {
bool CsvRows::read_line(std::string& line) {
  if (!stream_->read_line(line)) return false;
  ++line_;
  return true;
}

std::optional<CsvRow> CsvRows::next() {
  std::string line;
  do {
    if (!read_line(line)) return std::nullopt;
  } while (line.empty() || line == "\r");

  CsvRow row{{""}, line_};
  bool quoted = false;
  for (std::size_t i = 0;; ++i) {
    if (i == line.size()) {
      if (!quoted) return row;
      row.cells.back() += '\n';
      if (!read_line(line))
        throw InputError(stream_->name(), std::to_string(row.line),
                         "expected a closing quote, got the end of the file");
      i = static_cast<std::size_t>(-1);
      continue;
    }
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      row.cells.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || row.cells.back().empty())) {  // within a cell: inches
      quoted = !quoted;
    } else if (c == '\r' && !quoted && i + 1 == line.size()) {
      continue;  // of the line break
    } else if (c == ',' && !quoted) {
      row.cells.emplace_back();
    } else {
      row.cells.back() += c;
    }
  }
}

}  // namespace roofline
