#pragma once

// The words of the command line, as CLI11 reads them (command_line.cpp) and make_request()
// (options.cpp) resolves them. Nothing else includes this.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/request.hpp"

namespace CLI {
class App;
}

namespace roofline {

struct Options {
  Request request;  ///< what words say by themselves
  // Words whose meaning depends on others.
  std::vector<std::string> gpus;
  std::vector<std::pair<std::string, double>> prices;  ///< of an hour of a GPU, in any spelling
  std::string kernel_model;                            ///< a file of constants
  std::string measured;                                ///< a file of times to join, or a time
  std::string measured_gpu;
  const OutputFormat* format = nullptr;  ///< of standard output
  std::vector<Output> files;             ///< of -o
  std::string layer_file;                ///< of --to-layers
  std::optional<double> minutes;
  std::vector<DataType> dtypes;
  std::vector<std::uint64_t> batches;
  std::vector<BatchGoal> batch_goals;
  std::optional<Pass> pass = Pass::fwd;  ///< none: training, all three
  std::optional<FusionKind> fusion;
  std::optional<Layout> layout;
  std::string host_copies;
  std::uint64_t limits_factor = 1;
  LayerDefaults defaults;  ///< what all settings share
};

/// What --explain without a name stands for.
inline constexpr std::string_view whole_network = ".";

/// Fills the options in from words. Returns the text that --help, --version or --complete prints
/// instead. Throws UsageError.
std::optional<std::string> read_words(int argc, const char* const* argv, Options& options);

/// What may stand next on the command line, for the shells' completion scripts (src/packaging),
/// after `previous`, a word, or the part of a word up to and with its "=": the candidates, one a
/// line, each with its description after a tab; a last line ":files" where a path may stand too.
std::string completions(CLI::App& app, const std::string& previous);

}  // namespace roofline
