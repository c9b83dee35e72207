#include "report/formats.hpp"

#include <algorithm>

namespace roofline {
namespace {

const OutputFormat output_table[] = {
    {"table", {"txt"}, render_table},
    {"json", {"json"}, render_json},
    {"ndjson", {"ndjson", "jsonl"}, render_ndjson, true},
    {"csv", {"csv"}, render_csv, true},
    {"markdown", {"md"}, render_markdown},
    {"svg", {"svg"}, render_svg, false, true},
    {"html", {"html"}, render_html, false, false, true},
    {"plot", {}, render_plot, false, true},
};

}  // namespace

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
