#pragma once

// The "accuracy" of a file of constants, in and out.

#include <map>
#include <string>

#include "load/json_value.hpp"
#include "model/kernel/measured_errors.hpp"

namespace roofline {

/// Texts that a file's items name where several share one.
using SharedTexts = std::map<std::string, std::string, std::less<>>;

/// What says most of a layer comes first. Throws InputError.
MeasuredErrors read_measured_errors(const Value& value, const SharedTexts& origins);

/// As a member of a file's object, indented.
std::string measured_errors_json(const MeasuredErrors& errors);

}  // namespace roofline
