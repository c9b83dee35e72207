#pragma once

#include <string>

#include "roofline/report.hpp"

namespace roofline {

std::string render_json(const Report& report);

}  // namespace roofline
