#pragma once

// The words of the command line, which only command_line.cpp and options.cpp see.

#include <cstdint>
#include <functional>
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
  Request request;  ///< what single words set
  // Words whose meaning depends on others:
  std::vector<std::string> gpus;
  std::vector<std::pair<std::string, double>> prices;  ///< of a GPU-hour, in any spelling
  std::string kernel_model;                            ///< path of the constants
  std::vector<std::string> measured;                   ///< a path, one time, or NAME=TIME each
  std::string measured_gpu;
  const OutputFormat* format = nullptr;  ///< of standard output
  std::vector<Output> files;             ///< of -o
  std::string layer_file;                ///< of --to-layers
  std::vector<DataType> dtypes;
  std::vector<std::uint64_t> batches;
  std::vector<BatchGoal> batch_goals;
  std::optional<Pass> pass = Pass::fwd;  ///< nullopt: training, all three passes
  std::vector<Framework> frameworks;
  std::vector<std::function<void(AnalysisOptions&)>> assumed;  ///< in place of the frameworks' own
  std::optional<FusionKind> fusion;
  std::optional<Layout> layout;
  std::uint64_t limits_factor = 1;
  LayerDefaults defaults;  ///< shared by all settings
};

/// Value of --explain without a name.
inline constexpr std::string_view whole_network = ".";

/// Shell completion: candidates after `previous`, a word or the part of a word up to and with "=".
/// One a line with its description after a tab; a last line ":files" if a path is valid too.
std::string completions(CLI::App& app, const std::string& previous);

// Steps of resolving the words, which roofline-calibrate shares. All throw UsageError, InputError.

void set_settings(Options& options);
void set_analysis(Options& options);
void set_constants(const Options& options, Request& request);
/// Prints errors of the user's other GPU files; `end`: what becomes of those.
void note_problems(const Options& options, const Request& request, std::string_view end);
/// A GPU that is both named and selected counts as named; duplicates count once. `selects`: words
/// may select several.
void set_gpus(const Options& options, Request& request, bool selects);

}  // namespace roofline
