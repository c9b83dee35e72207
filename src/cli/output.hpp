#pragma once

// Where bytes go. Results go to standard output or to files, all else to standard error.

#include <string>

namespace roofline {

/// The reader of standard output has gone (`| head`): there is nothing more to do, quietly.
struct OutputClosed {};

/// Throws OutputClosed, or UsageError where writing fails for any other reason.
void write_standard_output(const std::string& text);
/// Throws UsageError.
void write_file(const std::string& path, const std::string& text);
/// A line for the user on standard error.
void note(const std::string& text);

/// Whether standard output is a terminal and NO_COLOR is not set.
bool standard_output_has_colour();

}  // namespace roofline
