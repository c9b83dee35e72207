#pragma once

// One function a format; formats.cpp has them in one table.

#include <string>

#include "roofline/render.hpp"

namespace roofline {

std::string render_table(const Report& report, const RenderStyle& style);
std::string render_markdown(const Report& report, const RenderStyle& style);
std::string render_json(const Report& report, const RenderStyle& style);
void write_json(const Report& report, const Sink& sink);
std::string render_ndjson(const Report& report, const RenderStyle& style);
void write_ndjson(const Report& report, const Sink& sink);
std::string render_csv(const Report& report, const RenderStyle& style);
void write_csv(const Report& report, const Sink& sink);
std::string render_svg(const Report& report, const RenderStyle& style);
std::string render_html(const Report& report, const RenderStyle& style);
std::string render_plot(const Report& report, const RenderStyle& style);

}  // namespace roofline
