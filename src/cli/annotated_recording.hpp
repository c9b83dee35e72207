#pragma once

#include <string>

#include "roofline/render.hpp"

namespace roofline {

/// Gives the recording that the report is of as a gzip file, with what is expected of each piece of
/// GPU work that is a layer's among its arguments. `path`: what messages call the file. Throws
/// InputError where the report is of anything else.
void write_annotated(const Report& report, const std::string& path, const InputLimits& limits,
                     const Sink& sink);

}  // namespace roofline
