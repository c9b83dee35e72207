#pragma once

// What each format does; formats.cpp has them in one table.

#include <string>

#include "roofline/render.hpp"

namespace roofline {

extern const RowFormat ndjson_rows;
extern const RowFormat csv_rows;
extern const RowFormat raw_csv_rows;  ///< with texts that spreadsheets run

void write_json(const Report& report, const RenderStyle& style, const Sink& sink);
void write_table(const Report& report, const RenderStyle& style, const Sink& sink);
void write_markdown(const Report& report, const RenderStyle& style, const Sink& sink);
void write_html(const Report& report, const RenderStyle& style, const Sink& sink);
std::string render_svg(const Report& report, const RenderStyle& style);
std::string render_plot(const Report& report, const RenderStyle& style);

}  // namespace roofline
