#pragma once

// The command line as values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/gate.hpp"
#include "roofline/gpu.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"
#include "roofline/settings_table.hpp"

namespace CLI {
class App;
}

namespace roofline {

/// A file to write beside standard output.
struct Export {
  std::string path;
  const OutputFormat* format;
  bool annotates = false;  ///< it is the recording itself, with what is expected
};

/// What layers are evaluated with.
struct LayerSetting {
  LayerDefaults defaults;
  std::optional<BatchGoal> batch_goal;  ///< the batch is searched for on each GPU
};

struct Options {
  enum class Action : std::uint8_t {
    evaluate,
    list_gpus,
    show_gpu,
    show_model,
    calibrate,
    write_script,
    list_networks,
    list_words,
    print_text
  };
  Action action = Action::evaluate;
  std::string text;     ///< what --help and --version print
  std::string command;  ///< all words as they were given
  std::vector<std::string> inputs;
  std::optional<std::size_t> first_line;  ///< where the inputs begin in a longer text
  std::vector<std::string> gpus;
  std::vector<GpuSetting> gpu_settings;  ///< what is set of each GPU
  std::string constants = "*";           ///< a pattern: which ones calibration may move
  std::optional<double> minutes;         ///< how long the script of calibrate measures
  std::string kernel_model;              ///< a file of constants in place of the GPUs'; empty: none
  std::vector<std::pair<std::string, double>> prices;  ///< of an hour of a GPU, in any spelling
  ReportOptions report;
  std::vector<Gate> gates;               ///< the conditions of --fail-if
  bool json = false;                     ///< --json; lists of GPUs are then printed so
  const OutputFormat* format = nullptr;  ///< what standard output gets; null: nothing
  std::optional<ChartKind> chart;        ///< what --chart names
  std::vector<Export> exports;
  bool asks_for_results = false;  ///< results were asked for by name
  std::string measured;           ///< a file of times to join, or a time; empty: none
  std::string measured_gpu;       ///< what times were measured on that name no GPU; empty: unknown
  std::string layer_file;         ///< to write the input's layers to; empty: none
  /// Whether that file gets the rows that are shown, a record each, in place of the input.
  bool writes_records() const {
    return layer_file.ends_with(".ndjson") || layer_file.ends_with(".jsonl");
  }
  std::size_t jobs = 1;  ///< threads that evaluate

  // What layers are evaluated with, as stated, and what it means together.
  std::vector<DataType> dtypes;
  std::vector<std::uint64_t> batches;
  std::vector<BatchGoal> batch_goals;
  std::optional<Pass> pass = Pass::fwd;  ///< none: training, all three
  std::optional<FusionKind> fusion;
  std::optional<Layout> layout;
  std::string host_copies;
  std::uint64_t limits_factor = 1;
  LayerDefaults defaults;              ///< what all settings share; types and batches follow
  std::vector<LayerSetting> settings;  ///< one for each --dtype and --batch
  AnalysisOptions analysis;
  AnalysisOptions program_analysis;  ///< of programs of PyTorch's, which name their framework
};

/// The formats of all that is written, standard output's first.
std::vector<const OutputFormat*> formats_of(const Options& options);

/// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

// What options.cpp, command_line.cpp and completion.cpp have in common:

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
