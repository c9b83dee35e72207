#include "cli/options.hpp"

#include <algorithm>
#include <span>

#include "cli/errors.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

bool explains(const Options& options) {
  return options.report.explain_networks || !options.report.explain.empty();
}

/// What is asked for is written, or refused: layers and results do not mix, and are not both made
/// without a GPU.
void set_formats(Options& options) {
  if (options.json && options.format != nullptr && options.format->name != "json")
    throw UsageError("--json and --format " + std::string(options.format->name) +
                     " contradict each other");
  if (options.json) options.format = find_output_format("json");
  options.asks_for_results = options.format != nullptr || options.report.compare || options.chart ||
                             explains(options) || !options.exports.empty() ||
                             options.writes_records();
  const bool prints_layers = options.layer_file == "-";
  if (prints_layers && options.format != nullptr)
    throw UsageError(
        "--to-layers -: expected nothing else on standard output (-o FILE writes results)");
  if (options.exports.empty() && options.format == nullptr && !prints_layers)
    options.format = find_output_format("table");
  options.json = options.format != nullptr && options.format->name == "json";
  if (!options.layer_file.empty() && !options.writes_records() && options.report.filter.selects())
    throw UsageError("--to-layers " + options.layer_file +
                     ": expected FILE.ndjson, whose layers stand alone, for a choice of layers");
}

void check_chart(const Options& options) {
  if (!options.chart) return;
  const bool has_chart =
      std::ranges::any_of(formats_of(options), [](auto* format) { return format->shows_chart; });
  const std::string chart(name_of(*options.chart));
  if (options.chart != ChartKind::roofline && !options.report.explain.empty())
    throw UsageError("--explain with --chart " + chart +
                     ": the picture of a layer is its roofline");
  if (!has_chart)
    throw UsageError("--chart " + chart +
                     ": expected a format with a chart (--format svg, -o FILE.svg)");
}

/// Takes "calibrate" from the inputs.
void set_action(Options& options) {
  using enum Options::Action;
  const bool calibrates = !options.inputs.empty() && options.inputs.front() == "calibrate";
  if (options.action == write_script && !calibrates)
    throw UsageError("--script: expected calibrate --script");
  if (calibrates && (options.action == write_script || options.action == evaluate))
    options.inputs.erase(options.inputs.begin());
  if (options.action != evaluate) return;
  if (calibrates) options.action = calibrate;
  if (calibrates && options.inputs.empty())
    throw UsageError(
        "calibrate: expected measured layers, as in roofline calibrate measured.csv --gpu v100 -o "
        "mine.json; roofline calibrate --script prints what measures them");
  if (options.minutes) throw UsageError("--minutes: expected calibrate --script");
  if (!calibrates && options.constants != "*") throw UsageError("--constants: expected calibrate");
  if (!options.inputs.empty()) return;
  if (!options.report.explain.empty())
    throw UsageError("no input: --explain takes \"" + options.report.explain +
                     "\" for a layer; give the input first");
  throw UsageError(
      "no input: give a file, a directory, a built-in network, or - for standard input (see "
      "--help)");
}

/// Lists, scripts, what is known of a GPU and a calibration are no results: they are printed as
/// text and, those of GPUs, as JSON.
void check_unevaluated(const Options& options) {
  using enum Options::Action;
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
  refuse(explains(options), "--explain");
  refuse(options.report.compare, "--compare");
  const bool has_json =
      !calibrates && options.action != list_words && options.action != write_script;
  if (options.json) refuse(!has_json, "--json");
  if (options.format != nullptr && !options.json)
    refuse(options.format->name != "table", "--format " + std::string(options.format->name));
}

/// Formats that are rows of layers hold nothing else.
void check_formats(const Options& options) {
  for (const OutputFormat* format : formats_of(options)) {
    if (format->rows() == nullptr) continue;
    const auto refuse = [&](const std::string& option) {
      throw UsageError(option + " is no row of layers: expected table, markdown or json, got " +
                       std::string(format->name));
    };
    if (explains(options)) refuse("--explain");
    if (options.report.filter.by == RowsBy::type) refuse("--by type");
  }
}

/// Whoever chooses rows is told where they are not what is shown.
void check_selection(const Options& options) {
  const RowFilter& filter = options.report.filter;
  if (explains(options) && filter.selects())
    throw UsageError(
        "--explain: expected no choice of rows, got --top, --sort or --cover; a pattern such as "
        "'conv*' explains several layers");
  if (options.report.compare && (filter.sort || filter.cover_share))
    throw UsageError("--compare: expected --top N, for the largest changes, got --sort or --cover");
}

/// One setting for each data type and batch.
void set_settings(Options& options) {
  LayerDefaults& defaults = options.defaults;
  defaults.limits = InputLimits{}.raised(options.limits_factor);
  defaults.pass = options.pass.value_or(Pass::fwd);
  defaults.dtype_given = !options.dtypes.empty();
  if (options.dtypes.empty()) options.dtypes = {DataType::fp32};
  const std::optional<Framework> framework = options.analysis.framework;
  defaults.as_pytorch_runs =
      framework == Framework::pytorch || framework == Framework::torch_compile;
  std::vector<LayerSetting>& settings = options.settings;
  for (const DataType type : options.dtypes) {
    // The type of the network's layers, or how autocast runs them in fp32.
    defaults.dtype = is_tensor_type(type) ? type : DataType::fp32;
    defaults.autocast = is_tensor_type(type) ? std::nullopt : std::optional(type);
    // PyTorch runs a program in the order of its example's tensors, compilers in their own.
    if (options.layout)
      defaults.layout = options.layout;
    else if (framework && framework != Framework::pytorch)
      defaults.layout = info(*framework).layout.value_or(usual_layout(defaults.dtype));
    if (options.batches.empty() && options.batch_goals.empty())
      settings.push_back({defaults, std::nullopt});
    for (const BatchGoal goal : options.batch_goals) settings.push_back({defaults, goal});
    for (const std::uint64_t batch : options.batches) {
      settings.push_back({defaults, std::nullopt});
      settings.back().defaults.batch_override = batch;
    }
  }
}

void set_analysis(Options& options) {
  AnalysisOptions& analysis = options.analysis;
  analysis.training = !options.pass;
  analysis.threads = options.jobs;
  analysis.host_copies = parse<HostMemory>(options.host_copies);
  if (options.layout) analysis.layout = options.layout;
  analysis.fusion = options.fusion.value_or(analysis.fusion);
  const bool is_inference = options.pass == Pass::fwd;
  const bool fuses =
      analysis.fusion == FusionKind::epilogue || analysis.fusion == FusionKind::pointwise;
  if (fuses && !is_inference)
    throw UsageError((options.fusion ? "--fuse " + std::string(name_of(*options.fusion))
                                     : "--framework " + std::string(name_of(*analysis.framework))) +
                     " is for inference: expected --pass fwd, got " +
                     (options.pass ? std::string(name_of(*options.pass)) : "training"));
  if (!is_inference) analysis.fused_attention = false;
  AnalysisOptions& program = options.program_analysis;
  program = analysis;
  if (analysis.framework) return;
  const AnalysisOptions own = options_of(Framework::pytorch);
  program.framework = own.framework;
  if (program.engine == EngineChoices{}) program.engine = own.engine;
  if (!options.fusion) program.fusion = own.fusion;
  if (!program.launch) program.launch = own.launch;
}

void set_order(Options& options) {
  RowFilter& filter = options.report.filter;
  if (!filter.by && (filter.sort == SortBy::energy || filter.sort == SortBy::cost))
    filter.by = RowsBy::gpu;
  if (filter.sort == SortBy::cost && options.prices.empty())
    throw UsageError("--sort cost: expected what GPUs cost, with --price, got nothing");
}

}  // namespace

std::vector<const OutputFormat*> formats_of(const Options& options) {
  std::vector<const OutputFormat*> formats;
  if (options.format != nullptr) formats.push_back(options.format);
  for (const Export& file : options.exports) formats.push_back(file.format);
  return formats;
}

Options parse_options(int argc, const char* const* argv) {
  using enum Options::Action;
  Options options;
  options.command = "roofline " + joined(std::span(argv, argv + argc).subspan(1), " ");
  if (auto text = read_words(argc, argv, options)) {
    options.action = print_text;
    options.text = *std::move(text);
    return options;
  }
  if (options.report.explain == whole_network) {
    options.report.explain_networks = true;
    options.report.explain.clear();
  }
  set_formats(options);
  check_chart(options);
  set_action(options);
  if (options.action == evaluate || options.action == calibrate || options.action == write_script) {
    set_settings(options);
    set_analysis(options);
    set_order(options);
    check_formats(options);
    check_selection(options);
  }
  if (options.action != evaluate) check_unevaluated(options);
  return options;
}

}  // namespace roofline
