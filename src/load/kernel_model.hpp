#pragma once

// Files of the kernel model's constants (configs/kernels/*.json), in and out.

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

/// A file's object, or the path of a file beside the one that names it.
SharedConstants read_constants(const Value& value);

/// The built-in ones of the GPU's compute capability, else of its architecture.
SharedConstants built_in_constants(const Gpu& gpu);

/// The whole set as such a file, which inherits nothing.
std::string write_constants(const ModelConstants& constants);

/// A GPU's file with these in place of the constants that it held, which answers to more names.
std::string gpu_with_constants(std::string_view gpu_text, const std::string& source,
                               const ModelConstants& constants,
                               const std::vector<std::string>& more_names);

}  // namespace roofline
