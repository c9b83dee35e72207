#pragma once

// The command line as values.

#include <optional>
#include <string>
#include <vector>

#include "cli/measuring_script.hpp"
#include "roofline/analysis.hpp"
#include "roofline/batch_search.hpp"
#include "roofline/gate.hpp"
#include "roofline/gpu_setting.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// A file to write beside standard output.
struct Export {
  std::string path;
  const OutputFormat* format;
};

/// What layers are evaluated with.
struct LayerSetting {
  LayerDefaults defaults;
  std::optional<BatchGoal> batch_goal;  ///< a batch that each GPU has its own of
};

/// One --price: what an hour of a GPU costs, or a file of such prices.
struct StatedPrice {
  std::string name;                ///< of the GPU or the file
  std::optional<double> per_hour;  ///< of the GPU
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
    print_text
  };
  Action action = Action::evaluate;
  std::string text;  ///< of --help and --version
  std::vector<std::string> inputs;
  std::optional<std::size_t> first_line;  ///< of the inputs, in the text that they are cut out of
  std::vector<std::string> gpus;
  std::vector<GpuSetting> gpu_settings;  ///< of all of them
  std::string constants = "*";  ///< a pattern of the names of those that calibration may move
  MeasuringTool tool = MeasuringTool::pytorch;  ///< that the script of --script is for
  double minutes = 0;                           ///< that the script of --script takes
  std::string kernel_model;            ///< a file of constants in place of the GPUs'; empty: none
  std::vector<LayerSetting> settings;  ///< one for each --dtype and --batch
  std::vector<StatedPrice> prices;
  AnalysisOptions analysis;
  ReportOptions report;
  std::vector<Gate> gates;               ///< of --fail-if
  const OutputFormat* format = nullptr;  ///< of standard output; none where only files are written
  bool json = false;                     ///< of lists of GPUs
  std::optional<ChartKind> chart;        ///< that --chart names
  std::vector<Export> exports;
  bool asks_for_results = false;  ///< by name, rather than where nothing else is asked for
  std::string measured;           ///< a file of times to join; empty: none
  std::string layer_file;         ///< to write the input's layers to; empty: none
  std::size_t jobs = 1;           ///< threads that evaluate
  InputLimits limits;             ///< of each input
};

/// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

}  // namespace roofline
