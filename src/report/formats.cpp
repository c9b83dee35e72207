#include "report/formats.hpp"

#include <algorithm>

#include "report/fields.hpp"
#include "report/row_stream.hpp"

namespace roofline {
namespace {

// Formats that are rows and nothing else: NDJSON, a line each, and CSV.

/// A line that is an object, whose members `write` writes.
template <class Write>
void append_line(std::string& text, const Write& write) {
  JsonWriter writer(text, false);
  writer.begin_object();
  write(writer);
  writer.end_object();
  text += '\n';
}

std::size_t append_row_line(std::string& text, const Row& row) {
  append_line(text, [&](JsonWriter& writer) { write_fields(writer, row, true); });
  return 0;
}

void append_kernel_line(std::string& text, const KernelTable& table, const KernelRow& row) {
  append_line(text, [&](JsonWriter& writer) { write_kernel_fields(writer, table, row, true); });
}

void append_point_line(std::string& text, const SettingsTable& table, const SettingRow& row) {
  append_line(text, [&](JsonWriter& writer) { write_setting_fields(writer, table, row, true); });
}

void append_error_line(std::string& text, const InputError& error) {
  append_line(text, [&](JsonWriter& writer) {
    writer.members({{"schema_version", schema_version},
                    {"source", error.source},
                    {"where", error.where},
                    {"error", error.message}});
  });
}

/// The names of columns, one for each field; a layer's fields have a column each.
template <class Fields>
std::string header_of(const Fields& fields) {
  std::string out;
  for (const auto& field : fields)
    out += (out.empty() ? "" : ",") +
           (field.path == layer_path ? layer_columns() : column_of(field.path));
  return out + '\n';
}

std::string csv_header(RowsOf what) {
  switch (what) {
    case RowsOf::layers: return header_of(output_fields());
    case RowsOf::kernels: return header_of(kernel_fields());
    case RowsOf::points: return header_of(setting_fields());
  }
  return "";
}

template <bool raw>
std::size_t append_row_cells(std::string& text, const Row& row) {
  TextBuffer out(text);
  std::size_t share_at = 0;
  for (const OutputField& field : output_fields()) {
    if (&field != output_fields().data()) out.add(',');
    if (field.path == "time_share") share_at = out.size();
    if (field.path == layer_path)
      append_layer_cells(out, row, raw);
    else
      append_csv(out, field.value(row), raw);
  }
  out.add('\n');
  out.flush();
  return share_at;
}

template <bool raw, class Fields, class... Of>
void append_cells(std::string& text, const Fields& fields, const Of&... of) {
  TextBuffer out(text);
  for (const auto& field : fields) {
    if (&field != fields.data()) out.add(',');
    append_csv(out, field.value(of...), raw);
  }
  out.add('\n');
  out.flush();
}

template <bool raw>
void append_kernel_cells(std::string& text, const KernelTable& table, const KernelRow& row) {
  append_cells<raw>(text, kernel_fields(), table, row);
}

template <bool raw>
void append_point_cells(std::string& text, const SettingsTable& table, const SettingRow& row) {
  append_cells<raw>(text, setting_fields(), table, row);
}

/// `raw`: with texts that spreadsheets run.
template <bool raw>
constexpr RowFormat csv{.order = RowOrder::by_result,
                        .row = append_row_cells<raw>,
                        .begin = csv_header,
                        .error = nullptr,
                        .kernel = append_kernel_cells<raw>,
                        .point = append_point_cells<raw>};

constexpr RowFormat ndjson{.order = RowOrder::as_computed,
                           .row = append_row_line,
                           .error = append_error_line,
                           .kernel = append_kernel_line,
                           .point = append_point_line};

const OutputFormat output_table[] = {
    {.name = "table", .extensions = {"txt"}, .takes = write_table, .shows_points = true},
    {"json", {"json"}, write_json},
    {"ndjson", {"ndjson", "jsonl"}, ndjson},
    {"csv", {"csv"}, csv<false>},
    {"raw-csv", {}, csv<true>},
    {.name = "markdown", .extensions = {"md"}, .takes = write_markdown, .shows_points = true},
    {"svg", {"svg"}, write_svg, true},
    {"html", {"html"}, write_html, false, true},
};

}  // namespace

std::optional<InputError> OutputFormat::write(const Report& report, const RenderStyle& style,
                                              const Sink& sink) const try {
  if (const RowFormat* format = rows())
    write_rows(*format, report, sink);
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
  const auto found =
      std::find_if(std::begin(output_table), std::end(output_table), [&](const auto& format) {
        const auto& extensions = format.extensions;
        return format.name == name || std::ranges::find(extensions, name) != extensions.end();
      });
  return found == std::end(output_table) ? nullptr : &*found;
}

}  // namespace roofline
