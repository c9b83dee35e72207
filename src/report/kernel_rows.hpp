#pragma once

// A recording's kernels as people read them.

#include <string>

#include "report/grid.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// What stands above the table: where the recording is from, the roofs, what the GPU did.
std::string kernel_title(const KernelTable& table);
Grid kernel_grid(const KernelTable& table, const KernelSelection& selection,
                 const RenderStyle& style);
/// What the columns mean that the tables have.
std::string kernel_legend(const Report& report);

std::string kernel_label(const KernelRow& row);
/// "24.57 us, 12.3%, x4": its time, its share of all, its launches.
std::string kernel_note(const KernelRow& row);
/// All that is known of a kernel, a line each.
std::string kernel_hover(const KernelRow& row);

}  // namespace roofline
