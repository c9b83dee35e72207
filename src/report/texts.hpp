#pragma once

// Texts that are files of their own beside the source, in the library as they are.

#include <string_view>

namespace roofline {

extern const std::string_view words_tsv;  ///< a word, its line of a legend, its meaning
extern const std::string_view chart_css;
extern const std::string_view page_css;

}  // namespace roofline
