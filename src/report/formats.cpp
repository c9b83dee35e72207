#include "report/formats.hpp"

#include "model/text.hpp"

namespace roofline {
namespace {

const OutputFormat output_table[] = {
    {.name = "table", .extensions = {"txt"}, .takes = write_table, .shows_points = true},
    {"json", {"json"}, write_json},
    {"ndjson", {"ndjson", "jsonl"}, RowFormat::ndjson},
    {"csv", {"csv"}, RowFormat::csv},
    {"spreadsheet", {}, RowFormat::spreadsheet},
    {.name = "markdown", .extensions = {"md"}, .takes = write_markdown, .shows_points = true},
    {"svg", {"svg"}, write_svg, true},
    {"html", {"html"}, write_html},
};

void append_error(std::string& text, RowFormat format, const InputError& error) {
  if (has_columns(format)) return;
  JsonWriter(text, false)
      .object({{"schema_version", schema_version},
               {"source", error.source},
               {"where", error.where},
               {"error", error.message}});
  text += '\n';
}

[[noreturn]] void fail_mixed() {
  throw InputError(
      "layers and kernels have different columns: write them in runs of their own, or as another "
      "format");
}

LayerLine line_in(const Result& result, std::size_t row, RowFormat format) {
  return line_of(result, result.layers[row], !has_columns(format));
}
KernelLine line_in(const KernelTable& table, std::size_t row, RowFormat) {
  return {table, table.rows[row]};
}
SettingLine line_in(const SettingsTable& table, std::size_t row, RowFormat) {
  return {table, table.rows[row]};
}

std::string header_of(const FieldNames& fields, const std::string& all) {
  return fields.empty() ? all : joined(fields, ",") + '\n';
}

}  // namespace

std::optional<InputError> OutputFormat::write(const Report& report, const RenderStyle& style,
                                              const Sink& sink) const try {
  if (const RowFormat* format = rows())
    write_rows(*format, report, style.fields, sink);
  else
    std::get<ReportFormat>(takes)(report, style, sink);
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
    const auto& extensions = format.extensions;
    return format.name == name || std::ranges::find(extensions, name) != extensions.end();
  });
  return found == std::end(output_table) ? nullptr : found;
}

std::string& RenderedRows::last_piece() {
  if (pieces_.empty() || pieces_.back().size() >= OutputBuffer::worth_byte)
    pieces_.emplace_back().reserve(OutputBuffer::worth_byte + OutputBuffer::worth_byte / 8);
  return pieces_.back();
}

void RenderedRows::add(const InputError& error) { append_error(last_piece(), format_, error); }

void RenderedRows::add(const Result& result, std::size_t begin, std::size_t end) {
  for (std::size_t row = begin; row < end; ++row)
    append_row(last_piece(), format_, line_in(result, row, format_), fields_);
}

void RenderedRows::add(const KernelTable& table) {
  header_ = &csv_header<KernelLine>();
  for (const KernelRow& row : table.rows)
    append_row(last_piece(), format_, KernelLine{table, row}, fields_);
}

RowStream::RowStream(RowFormat format, Sink sink, FieldNames fields)
    : format_(format), sink_(std::move(sink)), fields_(std::move(fields)) {}

void RowStream::write(std::string_view text, const std::string& header) {
  if (header_ == nullptr) {
    header_ = &header;
    if (has_columns(format_)) sink_(header_of(fields_, header));
  }
  if (text.empty()) return;
  if (&header != header_ && has_columns(format_)) fail_mixed();
  sink_(text);
}

void RowStream::take(const RenderedRows& part) {
  for (const std::string& piece : part.pieces_) write(piece, *part.header_);
}

void write_rows(RowFormat format, const Report& report, const FieldNames& fields,
                const Sink& sink) {
  OutputBuffer out(sink);
  const bool of_points = report.filter.ranks_gpus() && report.kernels.empty();
  const bool of_kernels = report.results.empty() && !report.kernels.empty();
  if (!report.results.empty() && !report.kernels.empty() && has_columns(format)) fail_mixed();
  if (has_columns(format))
    out.text() = header_of(fields, of_points    ? csv_header<SettingLine>()
                                   : of_kernels ? csv_header<KernelLine>()
                                                : csv_header<LayerLine>());
  const auto write = [&](const auto& wholes, const auto& selections) {
    for (std::size_t i = 0; i < wholes.size(); ++i)
      for (const std::size_t row : selections[i].rows) {
        append_row(out.text(), format, line_in(wholes[i], row, format), fields);
        out.pass_on();
      }
  };
  if (of_points)
    write(report.points, report.point_selections);
  else
    write(report.results, report.selections);
  write(report.kernels, report.kernel_selections);
  for (const InputError& error : report.errors) append_error(out.text(), format, error);
  out.flush();
}

}  // namespace roofline
