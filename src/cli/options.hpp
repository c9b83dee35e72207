#pragma once

// The command line as values.

#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/load.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// A file to write beside standard output.
struct Export {
  std::string path;
  Format format = Format::table;
};

struct Options {
  enum class Action : std::uint8_t { evaluate, list_gpus, show_gpu, list_networks, print_text };
  Action action = Action::evaluate;
  std::string text;  ///< of --help and --version
  std::vector<std::string> inputs;
  std::vector<std::string> gpus;
  std::vector<LayerDefaults> defaults;  ///< one for each --batch
  AnalysisOptions analysis;
  View view;
  std::string explain;           ///< name of the layer to explain, if any
  std::optional<Format> format;  ///< of standard output; none where only files are written
  std::vector<Export> exports;
};

/// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

}  // namespace roofline
