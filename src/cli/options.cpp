#include "cli/options.hpp"

#include <algorithm>

#include "cli/command_line.hpp"
#include "cli/errors.hpp"
#include "cli/output.hpp"

namespace roofline {
namespace {

bool states_format(const CommandLine& line) { return line.json || line.format != nullptr; }

void set_formats(CommandLine& line) {
  Options& options = line.options;
  if (line.json && line.format != nullptr && line.format->name != "json")
    throw UsageError("--json and --format " + std::string(line.format->name) +
                     " contradict each other");
  options.format = line.json ? require_format("json") : line.format;
  options.json = options.format != nullptr && options.format->name == "json";
  const bool prints_layers = options.layer_file == "-";
  if (options.exports.empty() && options.format == nullptr && !prints_layers)
    options.format = require_format("table");
}

void set_charts(CommandLine& line) {
  Options& options = line.options;
  bool has_chart = false;
  for (const OutputFormat* format : formats_of(options)) {
    has_chart = has_chart || format->shows_chart;
    options.report.derive_all = options.report.derive_all || format->derives_all;
  }
  if (!options.chart) return;
  const std::string chart(name_of(*options.chart));
  const bool explains_layers = !line.explain.empty() && line.explain != whole_network;
  if (options.chart != ChartKind::roofline && explains_layers)
    throw UsageError("--explain with --chart " + chart +
                     ": the picture of a layer is its roofline");
  if (!has_chart)
    throw UsageError("--chart " + chart +
                     ": expected a format with a chart (--format svg, -o FILE.svg)");
}

/// What is asked for is written, or refused: layers and results do not mix, and are not both made
/// without a GPU.
void check_layer_file(CommandLine& line) {
  Options& options = line.options;
  if (options.layer_file == "-" && options.format != nullptr)
    throw UsageError(
        "--to-layers -: expected nothing else on standard output (-o FILE writes results)");
  options.asks_for_results = states_format(line) || options.report.compare || options.chart ||
                             !line.explain.empty() || !options.exports.empty();
}

/// What the words make the program do. Takes "calibrate" from the inputs.
void set_action(CommandLine& line) {
  using enum Options::Action;
  Options& options = line.options;
  const auto is_stated = [](const std::string& text) { return !text.empty(); };
  if (line.list_gpus || line.list_networks) {
    options.action = line.list_gpus ? list_gpus : list_networks;
  } else if (is_stated(line.show_gpu) || is_stated(line.show_model)) {
    options.action = is_stated(line.show_gpu) ? show_gpu : show_model;
    options.gpus = {is_stated(line.show_gpu) ? line.show_gpu : line.show_model};
  } else if (!options.inputs.empty() && options.inputs.front() == "calibrate") {
    options.action = calibrate;
    options.inputs.erase(options.inputs.begin());
  }
  if (options.action != evaluate && options.action != calibrate) return;
  if (line.script) {
    if (options.action != calibrate || !options.inputs.empty())
      throw UsageError("--script: expected calibrate --script, without other inputs");
    options.action = write_script;
    options.minutes = line.minutes.value_or(options.minutes);
    return;
  }
  if (line.minutes) throw UsageError("--minutes: expected calibrate --script");
  if (options.action != calibrate && options.constants != "*")
    throw UsageError("--constants: expected calibrate");
  if (options.inputs.empty() && !line.explain.empty() && line.explain != whole_network)
    throw UsageError("no input: --explain takes \"" + line.explain +
                     "\" for a layer; give the input first");
  if (options.inputs.empty())
    throw UsageError("no input: give a file, a directory, a built-in network or - (see --help)");
}

/// Lists, scripts, what is known of a GPU and a calibration are no results: they are printed as
/// text and, those of GPUs, as JSON.
void check_unevaluated(const CommandLine& line) {
  using enum Options::Action;
  const Options& options = line.options;
  if (options.action == evaluate) return;
  const bool calibrates = options.action == calibrate;
  const auto refuse = [calibrates](bool given, const std::string& option) {
    if (given)
      throw UsageError(option + ": expected inputs to evaluate, got " +
                       (calibrates ? "calibrate" : "none"));
  };
  refuse(!options.gates.empty(), "--fail-if");
  if (!calibrates && !options.exports.empty()) refuse(true, "-o " + options.exports.front().path);
  refuse(!options.layer_file.empty(), "--to-layers " + options.layer_file);
  refuse(!options.measured.empty(), "--measured " + options.measured);
  refuse(!line.explain.empty(), "--explain");
  refuse(options.report.compare, "--compare");
  const bool has_json =
      !calibrates && options.action != list_networks && options.action != write_script;
  const bool is_table = line.format != nullptr && line.format->name == "table";
  if (options.json ? !has_json : states_format(line) && !is_table)
    refuse(true, line.json ? "--json" : "--format " + std::string(line.format->name));
}

/// Formats that are rows of layers hold nothing else.
void check_formats(const Options& options) {
  for (const OutputFormat* format : formats_of(options)) {
    if (format->rows() == nullptr) continue;
    const auto refuse = [&](const std::string& option) {
      throw UsageError(option + " is no row of layers: expected table, markdown or json, got " +
                       std::string(format->name));
    };
    if (options.report.explain_networks || !options.report.explain.empty()) refuse("--explain");
    if (options.report.filter.by == RowsBy::type) refuse("--by type");
  }
}

/// One setting for each data type and batch.
void set_settings(CommandLine& line) {
  LayerDefaults& defaults = line.defaults;
  defaults.limits = line.options.limits = InputLimits{}.raised(line.limits_factor);
  defaults.pass = line.pass.value_or(Pass::fwd);
  defaults.dtype_given = !line.dtypes.empty();
  if (line.dtypes.empty()) line.dtypes = {DataType::fp32};
  const std::optional<Framework> framework = line.options.analysis.framework;
  std::vector<LayerSetting>& settings = line.options.settings;
  for (const DataType type : line.dtypes) {
    // The type of the network's layers, or how autocast runs them in fp32.
    defaults.dtype = is_tensor_type(type) ? type : DataType::fp32;
    defaults.autocast = is_tensor_type(type) ? std::nullopt : std::optional(type);
    // PyTorch runs a program in the order of its example's tensors, compilers in their own.
    if (line.layout)
      defaults.layout = line.layout;
    else if (framework && framework != Framework::pytorch)
      defaults.layout = info(*framework).layout.value_or(usual_layout(defaults.dtype));
    if (line.batches.numbers.empty() && line.batches.goals.empty())
      settings.push_back({defaults, std::nullopt});
    for (const BatchGoal goal : line.batches.goals) settings.push_back({defaults, goal});
    for (const std::uint64_t batch : line.batches.numbers) {
      settings.push_back({defaults, std::nullopt});
      settings.back().defaults.batch_override = batch;
    }
  }
}

void set_analysis(CommandLine& line) {
  AnalysisOptions& analysis = line.options.analysis;
  analysis.training = !line.pass;
  analysis.threads = line.options.jobs;
  analysis.host_copies = parse<HostMemory>(line.host_copies);
  if (line.layout) analysis.layout = line.layout;
  analysis.fusion = line.fusion.value_or(analysis.fusion);
  const bool is_inference = line.pass == Pass::fwd;
  const bool fuses =
      analysis.fusion == FusionKind::epilogue || analysis.fusion == FusionKind::pointwise;
  if (fuses && !is_inference)
    throw UsageError((line.fusion ? "--fuse " + std::string(name_of(*line.fusion))
                                  : "--framework " + std::string(name_of(*analysis.framework))) +
                     " is for inference: expected --pass fwd, got " +
                     (line.pass ? std::string(name_of(*line.pass)) : "training"));
  if (!is_inference) analysis.fused_attention = false;
  AnalysisOptions& program = line.options.program_analysis;
  program = analysis;
  if (analysis.framework) return;
  const AnalysisOptions own = options_of(Framework::pytorch);
  program.framework = own.framework;
  if (program.engine == EngineChoices{}) program.engine = own.engine;
  if (!line.fusion) program.fusion = own.fusion;
  if (!program.launch) program.launch = own.launch;
}

void set_view(CommandLine& line) {
  ReportOptions& report = line.options.report;
  RowFilter& filter = report.filter;
  if (!filter.by && (filter.sort == SortBy::energy || filter.sort == SortBy::cost))
    filter.by = RowsBy::gpu;
  if (filter.sort == SortBy::cost && line.options.prices.empty())
    throw UsageError("--sort cost: expected what GPUs cost, with --price, got nothing");
  report.explain_networks = line.explain == whole_network;
  if (!report.explain_networks) report.explain = line.explain;
}

/// What options mean together.
void combine(CommandLine& line) {
  set_formats(line);
  set_charts(line);
  check_layer_file(line);
  set_action(line);
  using enum Options::Action;
  if (line.options.action == evaluate || line.options.action == calibrate) {
    set_settings(line);
    set_analysis(line);
    set_view(line);
    check_formats(line.options);
  }
  check_unevaluated(line);
}

}  // namespace

std::vector<const OutputFormat*> formats_of(const Options& options) {
  std::vector<const OutputFormat*> formats;
  if (options.format != nullptr) formats.push_back(options.format);
  for (const Export& file : options.exports) formats.push_back(file.format);
  return formats;
}

Options parse_options(int argc, const char* const* argv) {
  const std::size_t width = standard_output_style().width.value_or(100);
  CommandLine line;
  if (auto text = read_words(argc, argv, std::min<std::size_t>(width, 120), line)) {
    line.options.action = Options::Action::print_text;
    line.options.text = *std::move(text);
  } else {
    combine(line);
  }
  return std::move(line.options);
}

}  // namespace roofline
