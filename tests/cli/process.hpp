#pragma once

// The real program, as a user runs it.

#include <string>
#include <vector>

#include "temporary_folder.hpp"

/// A small layer, as a file has it.
inline const std::string conv = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})";

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// The line of shell for these words: of roofline, or after "calibrate" of roofline-calibrate.
inline std::string program_line(const std::string& words) {
  return (words.starts_with("calibrate ") ? "roofline-" : "roofline ") + words;
}

/// Runs a line of shell in the folder; `roofline` is the program under test. The user's own
/// configuration folder is empty unless the line says otherwise.
Outcome run(const TemporaryFolder& folder, const std::string& shell_line);

/// What a person sees who runs the line at a terminal of that many columns, both streams together;
/// without colour, in UTF-8.
std::string run_at_terminal(const std::string& folder, const std::string& shell_line, int columns);

std::vector<std::string> lines_of(const std::string& text);
