#pragma once

// The options as rows: each names what it fills, of Options where its meaning is its own, else of
// CommandLine, whose members mean something only together.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace CLI {
class App;
}

namespace roofline {

/// What --explain without a name stands for.
inline constexpr std::string_view whole_network = ".";

/// What --batch asks for.
struct Batches {
  std::vector<std::uint64_t> numbers;
  std::vector<BatchGoal> goals;
};

struct CommandLine {
  Options options;
  LayerDefaults defaults;  ///< what all settings share; types and batches follow
  std::vector<DataType> dtypes;
  Batches batches;
  std::optional<Pass> pass = Pass::fwd;  ///< none: training
  std::optional<FusionKind> fusion;
  std::optional<Layout> layout;
  std::string host_copies;
  std::uint64_t limits_factor = 1;
  bool json = false;
  const OutputFormat* format = nullptr;  ///< what --format names
  std::string explain;
  bool list_gpus = false;
  bool list_networks = false;
  std::string show_gpu;
  std::string show_model;
  bool script = false;
  std::optional<double> minutes;
};

/// Fills the command line in from its words. Returns the text that --help, --version or --complete
/// prints instead. `help_width`: columns of the terminal that --help is for. Throws UsageError.
std::optional<std::string> read_words(int argc, const char* const* argv, std::size_t help_width,
                                      CommandLine& line);

/// The output format that --format names.
const OutputFormat* require_format(std::string_view name);

/// What may stand next on the command line, for the shells' completion scripts (src/packaging),
/// after `previous`, a word, or the part of a word up to and with its "=": the candidates, one a
/// line, each with its description after a tab; a last line ":files" where a path may stand too.
std::string completions(CLI::App& app, const std::string& previous);

}  // namespace roofline
