#pragma once

#include <string>

#include "roofline/report.hpp"

namespace roofline {

std::string render_table(const Report& report, const TableStyle& style);
std::string render_markdown(const Report& report);

}  // namespace roofline
