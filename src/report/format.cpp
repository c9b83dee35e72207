#include <algorithm>
#include <array>
#include <utility>

#include "report/columns.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

std::string render_csv(const Report& report) {
  std::string out;
  for (const Column& column : columns()) out += (out.empty() ? "" : ",") + std::string(column.key);
  out += '\n';
  for (const Result& result : report.results)
    for (const LayerResult& layer : result.layers) {
      bool first = true;
      for (const Column& column : columns()) {
        out += (std::exchange(first, false) ? "" : ",") + csv_cell(column.value({result, layer}));
      }
      out += '\n';
    }
  return out;
}

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Format>, 8> names{{
      {"table", Format::table},
      {"txt", Format::table},
      {"json", Format::json},
      {"ndjson", Format::ndjson},
      {"jsonl", Format::ndjson},
      {"csv", Format::csv},
      {"markdown", Format::markdown},
      {"md", Format::markdown},
  }};
  for (const auto& [known, format] : names)
    if (known == name) return format;
  return std::nullopt;
}

std::string render(const Report& report, Format format, const TableStyle& style) {
  switch (format) {
    case Format::table: return render_table(report, style);
    case Format::json: return render_json(report);
    case Format::csv: return render_csv(report);
    case Format::markdown: return render_markdown(report);
    case Format::ndjson: break;
  }
  std::string lines;
  for (const Result& result : report.results) lines += render_ndjson(result);
  return lines;
}

}  // namespace roofline
