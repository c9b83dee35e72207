#pragma once

#include "roofline/render.hpp"

namespace roofline {

/// What standard output can show: its width as COLUMNS or the terminal says, else 80; colour on a
/// terminal unless NO_COLOR is set; Unicode where the locale is UTF-8 unless NO_UNICODE is set.
RenderStyle standard_output_style();

}  // namespace roofline
