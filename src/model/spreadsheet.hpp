#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// Texts that spreadsheets run as formulas where they begin a cell, if an apostrophe does not go
/// before them. One that has apostrophes already gets one more, so that each text has its own.
std::string guarded(std::string_view text);
/// What guarded() made its text of; any other text as it is.
std::string unguarded(std::string_view text);

}  // namespace roofline
