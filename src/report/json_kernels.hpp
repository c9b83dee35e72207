#pragma once

#include "report/json_writer.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// "kernel_tables": recordings without layers.
void write_kernel_tables(JsonWriter& writer, const Report& report);

}  // namespace roofline
