#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// Whether spreadsheets run the text as a formula where it begins a cell, but for apostrophes that
/// go before it.
bool is_formula(std::string_view text);
/// Formulas with an apostrophe before them, so that they are not run. One that has apostrophes
/// already gets one more, so that each text has its own.
std::string guarded(std::string_view text);
/// What guarded() made its text of; any other text as it is.
std::string unguarded(std::string_view text);

}  // namespace roofline
