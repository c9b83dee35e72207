#include "load/object_list.hpp"

#include <algorithm>

#include "load/csv.hpp"

namespace roofline {
namespace {

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
    std::vector<JsonNode> members;
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
