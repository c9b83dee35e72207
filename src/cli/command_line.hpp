#pragma once

// The options as rows: each names what it fills, of Options where its meaning is its own, else of
// CommandLine, whose members mean something only together.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_values.hpp"
#include "cli/options.hpp"

namespace roofline {

/// What --explain without a name stands for.
inline constexpr std::string_view whole_network = ".";

struct CommandLine {
  Options options;
  LayerDefaults defaults;  ///< of all settings, without their types and batches
  std::vector<DataType> dtypes;
  Batches batches;
  std::optional<Pass> pass = Pass::fwd;  ///< none: training
  std::optional<FusionKind> fusion;
  std::string host_copies;
  std::uint64_t limits_factor = 1;
  bool json = false;
  const OutputFormat* format = nullptr;  ///< that --format names
  bool raw_csv = false;
  bool plot = false;
  std::string explain;
  bool list_gpus = false;
  bool list_networks = false;
  std::string show_gpu;
  std::string show_model;
  std::string script;
  std::optional<double> minutes;
};

/// Fills the command line in from its words. Returns the text that --help, --version or --complete
/// prints instead. `help_width`: columns of the terminal that --help is for. Throws UsageError.
std::optional<std::string> read_words(int argc, const char* const* argv, std::size_t help_width,
                                      CommandLine& line);

}  // namespace roofline
