#pragma once

// The files of -o and --to-layers: opened, and refused where this run reads them.

#include <map>
#include <span>
#include <string>

#include "cli/options.hpp"
#include "cli/output_file.hpp"

namespace roofline {

/// The inputs that the words of the command line stand for, or why a word stands for none.
std::vector<Expected<std::string>> resolve_inputs(const std::vector<std::string>& words);

/// By their paths. To be called once what the options name is read, and before the inputs are: none
/// of these is written, and no file is written twice. Throws UsageError that names both, or
/// OutputError.
std::map<std::string, OutputFile> open_outputs(const Options& options,
                                               std::span<const Expected<std::string>> inputs);

}  // namespace roofline
