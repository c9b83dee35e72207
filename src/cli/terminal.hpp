#pragma once

#include "roofline/render.hpp"

namespace roofline {

/// The style for charts as text, which keep to a width in pipes too: that of COLUMNS, else of the
/// terminal, else 80. Unicode where the locale is UTF-8, unless NO_UNICODE is set.
RenderStyle chart_style(RenderStyle style);

}  // namespace roofline
