#include "load/csv.hpp"

#include <algorithm>

#include "load/json.hpp"

namespace roofline {
namespace {

/// Takes the byte order mark off the first line, which tells how all lines are written.
void check_first_line(std::string& line, const std::string& source) {
  if (const auto wrong = wrong_encoding(line)) throw InputError(source, "", *wrong);
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  const std::size_t lone = line.find('\r');
  if (lone != line.npos && lone + 1 < line.size())
    throw InputError(source, "1", "expected lines that end in LF or CR LF, got a CR without an LF");
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_header(const std::optional<CsvRow>& header, const ListColumns& columns,
                  const std::string& source) {
  const std::string expected = "expected a header row with " + columns.wanted + ", got ";
  if (!header) throw InputError(source, "", expected + "an empty file");
  for (const std::string_view name : columns.required)
    if (std::find(header->cells.begin(), header->cells.end(), name) == header->cells.end())
      throw InputError(source, std::to_string(header->line),
                       expected + "none of " + std::string(name));
}

void read_csv(ByteStream& stream, const ListColumns& columns,
              const std::function<void(const Value&)>& read_row) {
  CsvRows rows(stream);
  const std::optional<CsvRow> header = rows.next();
  check_header(header, columns, stream.name());
  while (const std::optional<CsvRow> row = rows.next()) {
    check_width(*row, header->cells.size(), stream.name());
    JsonDocument document({stream.name(), row->line});
    std::vector<JsonKeyedNode> members;
    for (std::size_t i = 0; i < row->cells.size(); ++i) {
      const std::string& column = header->cells[i];
      if (row->cells[i].empty()) continue;
      if (columns.others_are_read || contains(columns.required, column))
        members.push_back(document.cell(column, row->cells[i], contains(columns.texts, column)));
    }
    document.set_root(document.row(members));
    read_row(document.root());
  }
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

void read_object_list(const std::string& path, const InputLimits& limits,
                      const ListColumns& columns,
                      const std::function<void(const Value& document)>& read_document,
                      const std::function<void(const Value& row)>& read_row) {
  const std::unique_ptr<ByteStream> stream = open_stream(path, limits);
  const std::string_view head = stream->peek(1);
  if (path.ends_with(".json") || head.starts_with('[') || head.starts_with('{'))
    read_document(JsonDocument(stream->read_rest(), {path}).root());
  else
    read_csv(*stream, columns, read_row);
}

}  // namespace roofline
