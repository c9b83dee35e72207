#pragma once

// Reads and writes constants of the kernel model (configs/kernels/*.json).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constants.hpp"
#include "load/json.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

using SharedConstants = std::shared_ptr<const ModelConstants>;

/// With inherited constants; from a GPU's file those it holds. Throws InputError.
SharedConstants load_constants(std::string_view json_text, const std::string& source);

/// An object, the name of a built-in set, or the path of a file relative to the naming one.
SharedConstants read_constants(const Value& value);

/// By compute capability, or else by architecture.
SharedConstants built_in_constants(const Gpu& gpu);

/// Throws InputError for anything but a number from `least` to `most`.
double number_within(const Value& value, double least, double most);

/// The largest error of a class of layers in a file.
inline constexpr double most_error_factor = 100;

/// As a file that inherits nothing.
std::string write_constants(const ModelConstants& constants);

std::string measured_errors_json(const MeasuredErrors& errors);

/// The GPU's file with new constants and additional names.
std::string gpu_with_constants(std::string_view gpu_text, const std::string& source,
                               const ModelConstants& constants,
                               const std::vector<std::string>& more_names);

}  // namespace roofline
