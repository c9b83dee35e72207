#pragma once

// One HTML page of a report: nothing is fetched, all can be read without its script.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/formats.hpp"

namespace roofline {

/// Every layer as a table, and the derivations that its rows lead to: handed on as they grow.
void write_layers_section(const Report& report, OutputBuffer& page);
void write_derivations_section(const Report& report, OutputBuffer& page);
/// Recordings without layers: their charts, and their kernels as a table; empty where there are
/// none.
std::string kernels_section(const Report& report);

std::string_view page_css();
/// Sorts and filters the table of layers and shows a layer's derivation below its row.
std::string_view page_script();

inline constexpr std::string_view section_end = "</section>\n";
std::string section_begin(std::string_view id, std::string_view title);
/// A table that may scroll sideways in the section of that id, up to its first row.
/// `attributes` begin with a blank.
std::string table_begin(std::string_view section, const std::vector<std::string_view>& heads,
                        std::string_view attributes = "");
inline constexpr std::string_view table_end = "</tbody>\n</table>\n</div>\n";
std::string text_cell(std::string_view text);
std::string number_cell(std::string_view text);
/// What is unfolded by a click on its heading.
std::string details(std::string_view attributes, std::string_view summary, std::string_view text);
/// " data-batch=..." of what is shown for that batch alone; empty where it is for all.
std::string batch_attribute(const std::optional<std::uint64_t>& batch);

}  // namespace roofline
