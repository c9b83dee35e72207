#include "report/formats.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/requests.hpp"
#include "model/text.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

const OutputFormat output_table[] = {
    {.name = "table", .extensions = {"txt"}, .takes = write_table, .shows_points = true},
    {"json", {"json"}, write_json},
    {"ndjson", {"ndjson", "jsonl"}, RowFormat::ndjson},
    {"csv", {"csv"}, RowFormat::csv},
    {.name = "markdown", .extensions = {"md"}, .takes = write_markdown, .shows_points = true},
    {"svg", {"svg"}, write_svg, true},
    {"html", {"html"}, write_html},
    {"trace", {"trace.json"}, write_trace},
};

void check_one_kind(RowFormat format) {
  if (has_columns(format))
    throw InputError(
        "layers and kernels have different columns: write them in runs of their own, or as another "
        "format");
}

}  // namespace

std::optional<InputError> OutputFormat::write(const Report& report, const RenderStyle& style,
                                              const Sink& sink) const try {
  check_enumerator("RenderStyle::chart", style.chart);
  if (!sink) throw InputError("expected a sink for the output, got none");
  if (const RowFormat* format = rows())
    write_rows(*format, report, style.fields, sink);
  else if (const ReportFormat write_report = std::get<ReportFormat>(takes))
    write_report(report, style, sink);
  else
    throw InputError("expected one of output_formats(), got a format that writes nothing");
  return std::nullopt;
} catch (const InputError& error) {
  return error;
}

Expected<std::string> OutputFormat::render(const Report& report, const RenderStyle& style) const {
  std::string all;
  const auto error = write(report, style, [&all](std::string_view piece) { all += piece; });
  if (error) return *error;
  return all;
}

std::span<const OutputFormat> output_formats() { return output_table; }

const OutputFormat* find_output_format(std::string_view name) {
  const auto* found = std::ranges::find_if(output_table, [&](const OutputFormat& format) {
    return format.name == name || contains(format.extensions, name);
  });
  return found == std::end(output_table) ? nullptr : found;
}

std::string& RenderedRows::last_piece() {
  if (pieces_.empty() || pieces_.back().size() >= worth_byte)
    pieces_.emplace_back().reserve(worth_byte + worth_byte / 8);
  return pieces_.back();
}

void RenderedRows::add(const InputError& error) {
  if (has_columns(format_)) {
    errors_.push_back(error);
    return;
  }
  std::string& text = last_piece();
  JsonWriter writer(text, false);
  writer.begin_object().members({{"schema_version", schema_version},
                                 {"source", error.source},
                                 {"where", error.where},
                                 {"error", error.message}});
  if (const LayerId id{error.id_text, error.id_is_string}; id.is_known())
    writer.member("id", id_cell(id));
  writer.end_object();
  text += '\n';
}

void RenderedRows::add(const Result& result, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row)
    add(line_of(result, result.layers[row], !has_columns(format_)));
}

void RenderedRows::add(const KernelTable& table) {
  for (const KernelRow& row : table.rows) add(KernelLine{table, row});
}

RowStream::RowStream(RowFormat format, Sink sink, FieldNames fields)
    : format_(format), sink_(std::move(sink)), fields_(std::move(fields)) {}

void RowStream::begin(const RowKind& kind) {
  if (kind_ == &kind) return;
  if (kind_ != nullptr) check_one_kind(format_);
  kind.check(fields_);
  write_header(kind);
}

void RowStream::write_header(const RowKind& kind) {
  kind_ = &kind;
  if (!has_columns(format_)) return;
  columns_ = fields_.empty() ? kind.in_csv : fields_;
  sink_(joined(columns_, ",") + '\n');
}

void RowStream::write_errors() {
  std::string text;
  for (const InputError& error : std::exchange(errors_, {}))
    append_error_row(text, error, columns_);
  if (!text.empty()) sink_(text);
}

void RowStream::end() {
  if (kind_ == nullptr) write_header(row_kind<LayerLine>());
  write_errors();
}

void RowStream::take(const RenderedRows& part) {
  constexpr std::size_t most_waiting = 100;  // for rows, which say what the columns are
  has_begun_ = has_begun_ || !part.pieces_.empty();
  if (part.kind_ != nullptr) begin(*part.kind_);
  for (const std::string& piece : part.pieces_) sink_(piece);
  errors_.insert(errors_.end(), part.errors_.begin(), part.errors_.end());
  if (kind_ == nullptr && errors_.size() > most_waiting) begin(row_kind<LayerLine>());
  if (kind_ != nullptr) write_errors();
}

void write_rows(RowFormat format, const Report& report, const FieldNames& fields,
                const Sink& sink) {
  if (!report.results.empty() && !report.kernels.empty()) check_one_kind(format);
  RowStream stream(format, sink, fields);
  RenderedRows rows(format, fields);
  const auto write = [&](const auto& wholes, const auto& line) {
    for (const auto& whole : wholes)
      for (const std::size_t row : whole.selection.rows) {
        rows.add(line(whole, row));
        if (rows.is_large()) stream.take(std::exchange(rows, rows.empty()));
      }
    stream.take(std::exchange(rows, rows.empty()));
  };
  if (report.filter.ranks_gpus() && report.kernels.empty())
    write(report.points, [](const SettingsTable& table, std::size_t row) {
      return SettingLine{table, table.rows[row]};
    });
  else
    write(report.results, [&](const Result& result, std::size_t row) {
      return line_of(result, result.layers[row], !has_columns(format));
    });
  write(report.kernels, [](const KernelTable& table, std::size_t row) {
    return KernelLine{table, table.rows[row]};
  });
  for (const InputError& error : report.errors) rows.add(error);
  stream.take(rows);
  stream.end();
}

}  // namespace roofline
