#include "report/formats.hpp"

#include <algorithm>

namespace roofline {
namespace {

const OutputFormat output_table[] = {
    {"table", {"txt"}, render_table},
    {"json", {"json"}, render_json, write_json},
    {"ndjson", {"ndjson", "jsonl"}, render_ndjson, write_ndjson, true},
    {"csv", {"csv"}, render_csv, write_csv, true},
    {"markdown", {"md"}, render_markdown},
    {"svg", {"svg"}, render_svg, nullptr, false, true},
    {"html", {"html"}, render_html, nullptr, false, false, true},
    {"plot", {}, render_plot, nullptr, false, true},
};

std::string collected(void (*write)(const Report&, const Sink&), const Report& report) {
  std::string all;
  write(report, [&all](std::string_view piece) { all += piece; });
  return all;
}

}  // namespace

std::string render_json(const Report& report, const RenderStyle&) {
  return collected(write_json, report);
}
std::string render_ndjson(const Report& report, const RenderStyle&) {
  return collected(write_ndjson, report);
}
std::string render_csv(const Report& report, const RenderStyle&) {
  return collected(write_csv, report);
}

std::span<const OutputFormat> output_formats() { return output_table; }

const OutputFormat* find_output_format(std::string_view name) {
  const auto found =
      std::find_if(std::begin(output_table), std::end(output_table), [&](const auto& format) {
        const auto& extensions = format.extensions;
        return format.name == name ||
               std::find(extensions.begin(), extensions.end(), name) != extensions.end();
      });
  return found == std::end(output_table) ? nullptr : &*found;
}

}  // namespace roofline
