#include "report/rows.hpp"

#include <algorithm>

#include "report/formats.hpp"
#include "report/version.hpp"

namespace roofline {
namespace {

std::string_view group_of(const OutputField& field) {
  const std::size_t dot = field.path.find('.');
  return dot == field.path.npos ? std::string_view() : field.path.substr(0, dot);
}

/// Fields from `begin` on that have the same group.
std::span<const OutputField> same_group(std::span<const OutputField> fields) {
  const std::string_view group = group_of(fields.front());
  const auto end = std::find_if(fields.begin(), fields.end(),
                                [&](const OutputField& field) { return group_of(field) != group; });
  return fields.first(static_cast<std::size_t>(end - fields.begin()));
}

void write_group(JsonWriter& writer, const Row& row, std::span<const OutputField> group) {
  const std::string_view name = group_of(group.front());
  std::vector<Cell> cells;
  bool known = false;
  for (const OutputField& field : group) {
    cells.push_back(field.value(row));
    known = known || !std::holds_alternative<std::monostate>(cells.back());
  }
  writer.key(name);
  if (!known) {
    writer.value({});
    return;
  }
  writer.begin_object();
  for (std::size_t i = 0; i < group.size(); ++i)
    writer.member(group[i].path.substr(name.size() + 1), cells[i]);
  writer.end_object();
}

/// A row of the report as CSV.
void append_row(std::string& out, const Row& row) {
  bool first = true;
  for (const OutputField& field : output_fields()) {
    if (!first) out += ',';
    first = false;
    append_csv(out, field.value(row));
  }
  out += '\n';
}

std::string line_of(const Row& row) {
  std::string line;
  JsonWriter writer(line, false);
  writer.begin_object();
  write_fields(writer, row, true);
  writer.end_object();
  return line + '\n';
}

}  // namespace

void write_fields(JsonWriter& writer, const Row& row, bool with_head) {
  std::span<const OutputField> fields = output_fields();
  while (!fields.empty()) {
    const OutputField& field = fields.front();
    if (!group_of(field).empty()) {
      const auto group = same_group(fields);
      write_group(writer, row, group);
      fields = fields.subspan(group.size());
      continue;
    }
    if (with_head || !field.is_head) writer.member(field.path, field.value(row));
    fields = fields.subspan(1);
  }
}

std::string render_record(const std::string& source, const std::string& name,
                          const std::string& gpu, const std::vector<LayerResult>& rows) {
  std::string lines;
  for (const LayerResult& row : rows) lines += line_of({source, name, gpu, row, true});
  return lines;
}

std::string render_record_error(const InputError& error) {
  std::string line;
  JsonWriter writer(line, false);
  writer.begin_object()
      .member("schema_version", schema_version)
      .member("source", error.source)
      .member("where", error.where)
      .member("error", error.message)
      .end_object();
  return line + '\n';
}

std::string render_ndjson(const Report& report, const RenderStyle&) {
  std::string lines;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Result& result = report.results[i];
    for (const std::size_t row : report.selections[i].rows)
      lines += line_of({result.source, result.network, result.gpu, result.layers[row], true});
  }
  for (const InputError& error : report.errors) lines += render_record_error(error);
  return lines;
}

std::string render_csv(const Report& report, const RenderStyle&) {
  std::string out;
  for (const OutputField& field : output_fields())
    out += (out.empty() ? "" : ",") + column_of(field);
  out += '\n';
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Result& result = report.results[i];
    for (const std::size_t row : report.selections[i].rows)
      append_row(out, {result.source, result.network, result.gpu, result.layers[row]});
  }
  return out;
}

}  // namespace roofline
