#pragma once

// Prices of GPUs, from a file that the user gives.

#include <string>

#include "roofline/catalogue.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// CSV with the columns gpu and per_hour, of which others are not read; or JSON, an object of
/// prices by GPU or a list of objects with gpu and per_hour. A GPU stands in any spelling that
/// names it, once. Throws InputError.
Prices load_prices(const std::string& path, const Catalogue& catalogue);

}  // namespace roofline
