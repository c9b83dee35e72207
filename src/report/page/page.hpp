#pragma once

// One HTML page of a report: nothing is fetched, all can be read without its script.

#include <string>
#include <string_view>

#include "report/formats.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// Every layer as a table, and the derivations that its rows lead to: handed on as they grow.
void write_layers_section(const Report& report, OutputBuffer& page);
void write_derivations_section(const Report& report, OutputBuffer& page);

/// Of recordings without layers; empty where there are none.
std::string kernels_section(const Report& report);

std::string_view page_css();
/// Sorts and filters the table of layers and shows a layer's derivation below its row.
std::string_view page_script();

/// " data-batch=..." of what is shown for that batch alone; empty where it is for all.
std::string batch_attribute(const std::optional<std::uint64_t>& batch);

}  // namespace roofline
