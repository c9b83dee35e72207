#include "report/formats.hpp"

#include "report/row_stream.hpp"

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
  const auto found =
      std::find_if(std::begin(output_table), std::end(output_table), [&](const auto& format) {
        const auto& extensions = format.extensions;
        return format.name == name || std::ranges::find(extensions, name) != extensions.end();
      });
  return found == std::end(output_table) ? nullptr : &*found;
}

}  // namespace roofline
