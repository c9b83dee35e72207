#pragma once

// What a run is asked for: the words of the command line, resolved once. Nothing changes it
// afterwards, and nothing after it sees the words.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/kernel_model.hpp"
#include "load/user_lists.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/gate.hpp"
#include "roofline/gpu.hpp"
#include "roofline/render.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// Something to write, to a file or to standard output.
struct Output {
  enum class What : std::uint8_t {
    report,     ///< all results, in a format
    rows,       ///< rows in a format, each as it is computed
    recording,  ///< the recording itself, with what is expected
    layers,     ///< one network as a layer file
    records,    ///< every layer of all inputs and settings, as a layer file of records
    choice,     ///< the rows that are chosen, as a layer file of records
  };
  What what;
  std::string path;                      ///< empty: standard output
  const OutputFormat* format = nullptr;  ///< null of layers

  bool holds_layers() const { return what >= What::layers; }
};

/// What layers are evaluated with.
struct LayerSetting {
  LayerDefaults defaults;
  std::optional<BatchGoal> batch_goal;  ///< the batch is searched for on each GPU
};

struct AskedGpu {
  std::string word;  ///< of --gpu
  Gpu gpu;
  bool is_selected = false;  ///< the word is not its name but selects GPUs, for what they can do
};

/// What runs the layers: what the options state, or where they leave it open, one of these.
enum class Stack : std::uint8_t { stated, program, pytorch, torch_compile, tensorrt };

/// Which inputs are evaluated on which GPUs, and as what.
enum class Pairing : std::uint8_t {
  all,            ///< each input on each GPU
  input_and_gpu,  ///< two inputs that are compared, on two GPUs: each on its own, in their order
  gpu_and_as_set  ///< one GPU as it is, and as --set has it
};

/// What the outputs need.
struct Needs {
  std::vector<const OutputFormat*> rows;  ///< formats of Output::What::rows, each once
  bool gpu = false;                       ///< also where layers are written
  bool report = false;
  bool layers = false;    ///< also where work is evaluated in several ways
  bool notes = false;     ///< of recordings, as no format that is written shows them
  bool networks = false;  ///< for a layer file of all layers
  bool explained_networks = false;
};

struct Request {
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
  InputLimits limits;
  std::vector<LayerSetting> settings;     ///< one for each type and batch
  std::optional<MeasuredTimes> measured;  ///< times to join, in the order of the inputs
  std::size_t jobs = 1;                   ///< threads that evaluate

  std::optional<Catalogue> catalogue;  ///< where any GPU is asked for
  std::vector<AskedGpu> gpus;          ///< those that are named first
  std::vector<GpuSetting> gpu_settings;
  SharedConstants constants;  ///< in place of the GPUs'; null: none
  std::string measured_gpu;   ///< what times were measured on that name no GPU; empty: unknown
  Pairing pairing = Pairing::all;

  EnumArray<Stack, AnalysisOptions> analysis;
  bool deploys = false;  ///< networks run as people deploy them, by what the GPU's maker has

  ReportOptions report;
  std::vector<Gate> gates;  ///< the conditions of --fail-if
  std::vector<Output> outputs;
  std::optional<ChartKind> chart;
  Needs needs;
  bool json = false;  ///< lists of GPUs and networks are printed so

  std::string fitted = "*";  ///< a pattern of the constants that calibration may move
  double minutes = 10;       ///< how long the script of calibrate measures

  bool writes(Output::What what) const {
    return std::ranges::find(outputs, what, &Output::what) != outputs.end();
  }
  bool writes_layers() const {
    return std::ranges::any_of(outputs, [](const Output& each) { return each.holds_layers(); });
  }
  /// The name of the one GPU that is named; empty without one, or of several.
  std::string_view only_gpu() const {
    return gpus.size() == 1 && !gpus.front().is_selected ? gpus.front().gpu.name
                                                         : std::string_view();
  }
};

/// Reads what the options name, GPUs, constants and times, and says on standard error which of a
/// person's own GPU files are ignored. Throws UsageError, InputError.
Request make_request(int argc, const char* const* argv);

/// The GPU of this name, with the constants of the request. Throws as Catalogue::find does.
Gpu named_gpu(const Request& request, const std::string& name);

}  // namespace roofline
