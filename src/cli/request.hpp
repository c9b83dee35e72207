#pragma once

// The words of the command line, resolved once: later stages neither change it nor see the words.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/kernel_model.hpp"
#include "load/user_lists.hpp"
#include "results/gate.hpp"
#include "results/kernel_table.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/render.hpp"

namespace roofline {

struct Output {
  enum class What : std::uint8_t {
    report,   ///< all results, in a format
    rows,     ///< rows in a format, each as it is computed
    layers,   ///< one network as a layer file
    records,  ///< all layers of all inputs and settings, as records
    choice,   ///< the chosen rows, as records
  };
  What what;
  std::string path;                      ///< empty: standard output
  const OutputFormat* format = nullptr;  ///< null for layer files

  bool holds_layers() const { return what >= What::layers; }
};

/// A value that an option was given: "--by type", "--compare", "--assume engine=tf32"; an output
/// file is "--format csv".
struct GivenOption {
  std::string word;
  std::string shown;  ///< as the user wrote it
};

struct LayerSetting {
  LayerDefaults defaults;
  std::optional<BatchGoal> batch_goal;  ///< a batch to search for on each GPU
  std::size_t framework = 0;            ///< index in Request::analysis
};

struct AskedGpu {
  std::string word;  ///< as given to --gpu
  Gpu gpu;
  bool is_selected = false;  ///< the word selects GPUs by a property instead of a name
};

enum class Pairing : std::uint8_t {
  all,            ///< each input on each GPU
  input_and_gpu,  ///< two inputs to compare, each on its own GPU, in order
  gpu_and_as_set  ///< one GPU without and with --set
};

struct Needs {
  std::vector<const OutputFormat*> rows;  ///< formats of Output::What::rows, each once
  bool gpu = false;                       ///< false if only layers are written
  bool report = false;
  bool layers = false;              ///< also if one work is evaluated in several ways
  bool leading_rows_alone = false;  ///< a stream's chosen rows and sums suffice
  bool notes = false;               ///< of recordings; printed, as no output format shows them
  bool networks = false;            ///< for a layer file of all layers
  bool explained_networks = false;
  bool text = false;   ///< for people: a table, Markdown, a page
  bool steps = false;  ///< of named stacks, beside kernels alone
};

struct Request {
  enum class Action : std::uint8_t { evaluate, fields, gpus, kernels, networks, words, print_text };
  Action action = Action::evaluate;
  std::string text;     ///< of --help and --version; the word to explain
  std::string command;  ///< all words as given
  std::vector<GivenOption> given;

  std::vector<std::string> inputs;
  std::optional<std::size_t> first_line;  ///< line of the first record in a longer text
  InputLimits limits;
  std::vector<LayerSetting> settings;     ///< one for each framework, type and batch
  std::optional<MeasuredTimes> measured;  ///< times to join, in input order
  std::size_t jobs = 1;                   ///< evaluating threads

  std::optional<Catalogue> catalogue;  ///< only if a GPU is asked for
  std::vector<AskedGpu> gpus;          ///< named GPUs first
  std::vector<GpuSetting> gpu_settings;
  SharedConstants constants;       ///< in place of the GPUs' constants; null: keep those
  std::vector<std::string> files;  ///< read for options
  std::string measured_gpu;        ///< for measured times that name no GPU; empty: unknown
  Pairing pairing = Pairing::all;

  /// One for each framework of --framework, or one for none.
  std::vector<AnalysisOptions> analysis;

  ReportOptions report;
  std::vector<Gate> gates;  ///< of --fail-if
  std::vector<Output> outputs;
  std::optional<ChartKind> chart;
  std::vector<std::string> fields;  ///< columns of rows; empty: all
  Needs needs;
  bool json = false;  ///< prints lists of GPUs, kernels and networks as JSON
  bool csv = false;   ///< prints the list of GPUs or kernels as CSV

  const AnalysisOptions& stated(std::size_t framework = 0) const { return analysis[framework]; }
  bool writes(Output::What what) const {
    return std::ranges::find(outputs, what, &Output::what) != outputs.end();
  }
  bool writes_layers() const {
    return std::ranges::any_of(outputs, [](const Output& each) { return each.holds_layers(); });
  }
  /// Name of the only GPU; empty if --gpu selects it or names none or several.
  std::string_view only_gpu() const {
    return gpus.size() == 1 && !gpus.front().is_selected ? gpus.front().gpu.name
                                                         : std::string_view();
  }
};

/// How a framework, or none, has an input read; `layout`: as stated for all.
void set_framework(LayerDefaults& defaults, std::optional<Framework> framework,
                   std::optional<Layout> layout);

/// Reads the GPUs, constants and times that the options name; prints errors of the user's other GPU
/// files. Throws UsageError, InputError.
Request make_request(int argc, const char* const* argv);

// An option that would do nothing is wrong usage, or an error of the input that cannot take it
// (nothing_ignored.cpp).

/// Rejects options that do nothing beside others, whatever the input. Throws UsageError.
void check_combinations(const Request& request);

/// The given options that kernels without layers do not change, with commas between them.
std::string useless_for(const KernelTable& kernels, const Request& request);
/// A given option that asks for another output than they have; null if there is none.
const GivenOption* output_without_layers(const Request& request);

/// What an input's layers are, beside what each states.
struct AskedInput {
  std::optional<RunsAs> runs_as;  ///< absent for a record
  bool ran = false;               ///< in its own pass and types
  bool under_autocast = false;
};
AskedInput asked_input(const Network& network);

/// Options that layers may state for themselves, or not be able to take.
class LayerOptions {
 public:
  explicit LayerOptions(const Request& request);

  /// One bit for each given option that this row obeys.
  unsigned obeyed(const AskedInput& input, const LayerSetting& setting,
                  const LayerResult& row) const;
  /// Whether an option without a bit may do something on another GPU.
  bool may_be_of_gpu(unsigned obeyed) const;
  /// Why each option without a bit does nothing; empty if all are obeyed.
  std::string problem(unsigned obeyed) const;

 private:
  const Request* request_;
  std::vector<const GivenOption*> given_;  ///< null if not given
  unsigned not_given_ = 0;                 ///< the bits of those
};

}  // namespace roofline
