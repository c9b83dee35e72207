#pragma once

// The "accuracy" of a file of constants, in and out.

#include <map>
#include <string>

#include "kernel/constants.hpp"
#include "load/json.hpp"

namespace roofline {

/// Texts that a file's items name where several share one.
using SharedTexts = std::map<std::string, std::string, std::less<>>;

/// A file's own with those that it inherits. What says most of a layer comes first, and of what
/// says as much the file's own. Throws InputError.
MeasuredErrors read_measured_errors(const Value& value, const SharedTexts& origins,
                                    const MeasuredErrors& inherited);

/// As a member of a file's object, indented.
std::string measured_errors_json(const MeasuredErrors& errors);

}  // namespace roofline
