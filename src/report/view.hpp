#pragma once

// Which rows of a result are shown, and in which order. Totals are of all rows all the same.

#include <vector>

#include "roofline/report.hpp"

namespace roofline {

/// Sorts and cuts the rows as asked.
void apply_view(Result& result, const View& view);

}  // namespace roofline
