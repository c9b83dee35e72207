#pragma once

#include "roofline/render.hpp"

namespace roofline {

/// How standard output shows tables: in the width of its terminal (80 columns at least), in colour
/// unless NO_COLOR is set; plain where it is no terminal. Unicode where the locale is UTF-8 and
/// NO_UNICODE is not set.
RenderStyle standard_output_style();

/// The same for charts as text, which keep to a width in pipes too: that of COLUMNS, else of the
/// terminal, else 80.
RenderStyle chart_style(RenderStyle style);

}  // namespace roofline
