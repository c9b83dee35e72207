#pragma once

// Files of the kernel model's constants (configs/kernels/*.json), in and out.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constants.hpp"
#include "load/json.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

using SharedConstants = std::shared_ptr<const ModelConstants>;

/// The file's constants, with all that it inherits; out of a GPU's file those that it holds. Throws
/// InputError.
SharedConstants load_constants(std::string_view json_text, const std::string& source);

/// A file's object, the name of a built-in set, or the path of a file beside the one that names it.
SharedConstants read_constants(const Value& value);

/// The built-in ones of the GPU's compute capability, else of its architecture.
SharedConstants built_in_constants(const Gpu& gpu);

// What the reading and writing of a file's parts share.

/// Texts that a file's items name where several share one.
using SharedTexts = std::map<std::string, std::string, std::less<>>;

/// The text behind the object's "origin".
std::string origin_in(const Value& object, const SharedTexts& origins);

/// Throws InputError for what is no number from `least` to `most`.
double number_within(const Value& value, double least, double most);

/// The largest error that a file may state of a class of layers.
inline constexpr double most_error_factor = 100;

/// A file's "accuracy" with that which it inherits. What says most of a layer comes first, and of
/// what says as much the file's own. Throws InputError.
MeasuredErrors read_measured_errors(const Value& value, const SharedTexts& origins,
                                    const MeasuredErrors& inherited);

/// The whole set as such a file, which inherits nothing.
std::string write_constants(const ModelConstants& constants);

/// The "accuracy" of such a file, indented as its member.
std::string measured_errors_json(const MeasuredErrors& errors);

/// A GPU's file with these in place of the constants that it held, which answers to more names.
std::string gpu_with_constants(std::string_view gpu_text, const std::string& source,
                               const ModelConstants& constants,
                               const std::vector<std::string>& more_names);

}  // namespace roofline
