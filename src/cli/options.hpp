#pragma once

// The command line as values.

#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/gate.hpp"
#include "roofline/gpu.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

/// A file to write beside standard output.
struct Export {
  std::string path;
  const OutputFormat* format;
};

/// What layers are evaluated with.
struct LayerSetting {
  LayerDefaults defaults;
  std::optional<BatchGoal> batch_goal;  ///< the batch is searched for on each GPU
};

/// One --price: what an hour of a GPU costs, or a file of such prices.
struct StatedPrice {
  std::string name;                ///< the GPU or the file
  std::optional<double> per_hour;  ///< absent: the name is that of a file
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
  std::string text;  ///< what --help and --version print
  std::vector<std::string> inputs;
  std::optional<std::size_t> first_line;  ///< where the inputs begin in a longer text
  std::vector<std::string> gpus;
  std::vector<GpuSetting> gpu_settings;  ///< what is set of each GPU
  std::string constants = "*";           ///< a pattern: which ones calibration may move
  double minutes = 10;                   ///< how long that script measures
  std::string kernel_model;              ///< a file of constants in place of the GPUs'; empty: none
  std::vector<LayerSetting> settings;    ///< one for each --dtype and --batch
  std::vector<StatedPrice> prices;
  AnalysisOptions analysis;
  AnalysisOptions program_analysis;  ///< of programs of PyTorch's, which name their framework
  ReportOptions report;
  std::vector<Gate> gates;               ///< the conditions of --fail-if
  const OutputFormat* format = nullptr;  ///< what standard output gets; null: nothing
  bool json = false;                     ///< lists of GPUs are printed as JSON
  std::optional<ChartKind> chart;        ///< what --chart names
  std::vector<Export> exports;
  bool asks_for_results = false;  ///< results were asked for by name
  std::string measured;           ///< a file of times to join; empty: none
  std::string layer_file;         ///< to write the input's layers to; empty: none
  std::size_t jobs = 1;           ///< threads that evaluate
  InputLimits limits;             ///< what each input may hold
};

/// The formats of all that is written, standard output's first.
std::vector<const OutputFormat*> formats_of(const Options& options);

/// Throws UsageError.
Options parse_options(int argc, const char* const* argv);

}  // namespace roofline
