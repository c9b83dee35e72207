#include "cli/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <thread>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/batches.hpp"
#include "cli/chart_options.hpp"
#include "cli/required.hpp"
#include "cli/terminal.hpp"
#include "model/spelling.hpp"

namespace roofline {
namespace {

const OutputFormat* require_format(const std::string& name) {
  for (const OutputFormat& format : output_formats())
    if (format.name == name) return &format;
  throw UsageError("--format: expected one of " + format_names() + ", got \"" + name + "\"");
}

void set_raw_csv(Options& options) {
  const auto make_raw = [](const OutputFormat*& format) {
    if (format != nullptr && format->name == "csv") format = require_format("raw-csv");
    return format != nullptr && format->name == "raw-csv";
  };
  bool used = make_raw(options.format);
  for (Export& file : options.exports) used = make_raw(file.format) || used;
  if (!used) throw UsageError("--raw-csv: expected CSV to write (--format csv or -o FILE.csv)");
}

bool states_format(const Arguments& arguments) {
  return arguments.json || !arguments.format.empty();
}

void set_formats(const Arguments& arguments, Options& options) {
  if (arguments.json && !arguments.format.empty() && arguments.format != "json")
    throw UsageError("--json and --format " + arguments.format + " contradict each other");
  options.json = arguments.json || arguments.format == "json";
  if (options.json) options.format = require_format("json");
  if (!arguments.format.empty()) options.format = require_format(arguments.format);
  for (const std::string& path : arguments.outputs) {
    std::string extension = std::filesystem::path(path).extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    const OutputFormat* format = find_output_format(extension);
    if (format == nullptr || extension.empty())
      throw UsageError("-o " + path + ": expected an extension of " + format_extensions() +
                       ", got " + (extension.empty() ? "none" : '.' + extension));
    options.exports.push_back({path, format});
  }
  const bool prints_layers = arguments.layer_file == "-";
  if (options.exports.empty() && options.format == nullptr && !prints_layers)
    options.format = require_format("table");
  if (arguments.raw_csv) set_raw_csv(options);
}

/// What is asked for is written, or refused: layers and results do not mix, and are not both made
/// without a GPU.
void set_layer_file(const Arguments& arguments, Options& options) {
  if (arguments.layer_file == "-" && options.format != nullptr)
    throw UsageError(
        "--to-layers -: expected nothing else on standard output (-o FILE writes results)");
  options.asks_for_results = states_format(arguments) || arguments.plot || arguments.compare ||
                             !arguments.chart.empty() || !arguments.explain.empty() ||
                             !options.exports.empty();
}

/// Lists, scripts, what is known of a GPU and a calibration are no results: they are printed as
/// text and, those of GPUs, as JSON.
void check_unevaluated(const Arguments& arguments, const Options& options) {
  using enum Options::Action;
  if (options.action == evaluate) return;
  const bool calibrates = options.action == calibrate;
  const auto refuse = [calibrates](const std::string& option) {
    throw UsageError(option + ": expected inputs to evaluate, got " +
                     (calibrates ? "calibrate" : "none"));
  };
  const bool has_json =
      !calibrates && options.action != list_networks && options.action != write_script;
  if (!options.gates.empty()) refuse("--fail-if");
  if (!calibrates && !arguments.outputs.empty()) refuse("-o " + arguments.outputs.front());
  if (!arguments.layer_file.empty()) refuse("--to-layers " + arguments.layer_file);
  if (!arguments.measured.empty()) refuse("--measured " + arguments.measured);
  if (!arguments.explain.empty()) refuse("--explain");
  if (arguments.compare) refuse("--compare");
  if (arguments.plot) refuse("--plot");
  if (options.json ? !has_json : states_format(arguments) && arguments.format != "table")
    refuse(arguments.json ? "--json" : "--format " + arguments.format);
}

/// Formats that are rows of layers hold nothing else.
void check_formats(const Options& options) {
  const auto check = [&](const OutputFormat* format) {
    if (format == nullptr || format->rows() == nullptr) return;
    const std::string name(format->name);
    if (options.report.explain_networks || !options.report.explain.empty())
      throw UsageError("--explain is no row of layers: expected table, markdown or json, got " +
                       name);
    if (options.report.view.by == RowsBy::type)
      throw UsageError("--by type is no row of layers: expected table, markdown or json, got " +
                       name);
  };
  check(options.format);
  for (const Export& file : options.exports) check(file.format);
}

std::optional<std::uint64_t> given(std::uint64_t number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

/// "128x64x8"
std::array<std::uint64_t, 3> parse_tile(const std::string& text) {
  std::array<std::uint64_t, 3> tile{};
  const char* next = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (i > 0 && (next == end || *next++ != 'x')) break;
    next = std::from_chars(next, end, tile[i]).ptr;
  }
  if (next != end || tile[0] == 0 || tile[1] == 0 || tile[2] == 0)
    throw UsageError("--tile: expected MxNxK such as 128x64x8, got \"" + text + "\"");
  return tile;
}

Algorithm parse_stated(const std::string& name) {
  if (const auto algorithm = parse<Algorithm>(name); algorithm && may_be_stated(*algorithm))
    return *algorithm;
  throw UsageError("--algorithm: " + expected_algorithm(name));
}

KernelMapping mapping_of(const Arguments& arguments) {
  KernelMapping mapping;
  if (!arguments.algorithm.empty()) mapping.algorithm = parse_stated(arguments.algorithm);
  if (!arguments.tile.empty()) mapping.tile = parse_tile(arguments.tile);
  mapping.split_k = given(arguments.split_k);
  mapping.threads = given(arguments.threads);
  mapping.stages = given(arguments.stages);
  mapping.registers = given(arguments.registers);
  mapping.shared_memory_byte = given(arguments.shared_memory_byte);
  return mapping;
}

/// "NAME=VALUE"
std::vector<std::pair<std::string, std::uint64_t>> dimensions_of(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::uint64_t>> dimensions;
  for (const std::string& text : arguments.dimensions) {
    const std::size_t equals = text.find('=');
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    if (equals != text.npos && equals > 0 &&
        std::from_chars(text.data() + equals + 1, end, value).ptr == end && value > 0)
      dimensions.emplace_back(text.substr(0, equals), value);
    else
      throw UsageError("--dim: expected NAME=VALUE such as height=224, got \"" + text + "\"");
  }
  return dimensions;
}

/// The type of a network: of its layers, or how autocast runs them in fp32.
void set_type(DataType type, LayerDefaults& defaults) {
  defaults.dtype = is_tensor_type(type) ? type : DataType::fp32;
  defaults.autocast = is_tensor_type(type) ? std::nullopt : std::optional(type);
}

DataType parse_default_type(const std::string& name) {
  const auto dtype = parse<DataType>(name);
  if (!dtype || !is_network_type(*dtype))
    throw UsageError("--dtype: " + expected_network_type(name));
  return *dtype;
}

void set_defaults(const Arguments& arguments, Options& options) {
  LayerDefaults defaults;
  defaults.dtype_given = !arguments.dtypes.empty();
  defaults.dimensions = dimensions_of(arguments);
  defaults.limits = options.limits = InputLimits{}.raised(arguments.limits_factor);
  const bool training = arguments.pass == "training";
  const auto pass = training ? Pass::fwd : parse<Pass>(arguments.pass);
  if (!pass)
    throw UsageError("--pass: expected fwd, dgrad, wgrad or training, got \"" + arguments.pass +
                     "\"");
  defaults.pass = *pass;
  defaults.mapping = mapping_of(arguments);
  const Batches batches = parse_batches(arguments.batches);
  const std::vector<std::string> fp32{"fp32"};
  for (const std::string& dtype : defaults.dtype_given ? arguments.dtypes : fp32) {
    set_type(parse_default_type(dtype), defaults);
    defaults.batch_override.reset();
    if (batches.empty()) options.settings.push_back({defaults, std::nullopt});
    for (const BatchGoal goal : batches.goals) options.settings.push_back({defaults, goal});
    for (const std::uint64_t batch : batches.numbers) {
      defaults.batch_override = batch;
      options.settings.push_back({defaults, std::nullopt});
    }
  }
}

/// "GPU=PER_HOUR" or "FILE"
void set_prices(const Arguments& arguments, Options& options) {
  for (const std::string& text : arguments.prices) {
    const std::size_t equals = text.find('=');
    std::error_code error;
    if (equals == text.npos && std::filesystem::exists(text, error)) {
      options.prices.push_back({text, std::nullopt});
      continue;
    }
    double price = 0;
    const char* end = text.data() + text.size();
    const bool is_price = equals != text.npos && equals > 0 &&
                          std::from_chars(text.data() + equals + 1, end, price).ptr == end &&
                          std::isfinite(price) && price > 0;
    if (!is_price)
      throw UsageError("--price: expected GPU=PER_HOUR such as h100=2.5 or a file, got \"" + text +
                       "\"");
    options.prices.push_back({text.substr(0, equals), price});
  }
}

bool is_for_inference(FusionKind fusion) {
  return fusion == FusionKind::epilogue || fusion == FusionKind::pointwise;
}

void set_fusion(const Arguments& arguments, Options& options) {
  AnalysisOptions& analysis = options.analysis;
  const bool inference = arguments.pass == "fwd";
  if (const auto fusion = parse<FusionKind>(arguments.fuse)) {
    if (is_for_inference(*fusion) && !inference)
      throw UsageError("--fuse " + arguments.fuse + " is for inference: expected --pass fwd, got " +
                       arguments.pass);
    analysis.fusion = *fusion;
  } else if (is_for_inference(analysis.fusion) && !inference) {
    throw UsageError("--framework " + arguments.framework +
                     " is for inference: expected --pass fwd, got " + arguments.pass);
  }
  if (!inference) analysis.fused_attention = false;
}

void set_analysis(const Arguments& arguments, Options& options) {
  if (const auto framework = parse<Framework>(arguments.framework))
    options.analysis = options_of(*framework);
  options.analysis.training = arguments.pass == "training";
  if (const auto engine = parse<EngineChoice>(arguments.engine)) options.analysis.engine = *engine;
  if (const auto layout = parse<Layout>(arguments.layout)) options.analysis.layout = layout;
  if (arguments.peak_tflops > 0) options.analysis.peak_flop_per_s = arguments.peak_tflops * 1e12;
  if (arguments.bandwidth_gb_per_s > 0)
    options.analysis.bandwidth_byte_per_s = arguments.bandwidth_gb_per_s * 1e9;
  options.analysis.ceilings = *parse<CeilingKind>(arguments.ceilings);
  options.analysis.cache = *parse<CacheState>(arguments.cache);
  options.analysis.optimizer = *parse<Optimizer>(arguments.optimizer);
  set_fusion(arguments, options);
  if (const auto launch = parse<LaunchProtocol>(arguments.launch)) options.analysis.launch = launch;
  options.analysis.host_copies = parse<HostMemory>(arguments.host_copies);
}

void set_view(const Arguments& arguments, Options& options) {
  View& view = options.report.view;
  view.sort = parse<SortBy>(arguments.sort);
  if (arguments.top > 0) view.top = arguments.top;
  if (arguments.cover_percent > 0) view.cover_share = arguments.cover_percent / 100;
  view.by = parse<RowsBy>(arguments.by);
  view.all = arguments.all;
  if (!view.by && (view.sort == SortBy::energy || view.sort == SortBy::cost)) view.by = RowsBy::gpu;
  if (view.sort == SortBy::cost && options.prices.empty())
    throw UsageError("--sort cost: expected what GPUs cost, with --price, got nothing");
  options.report.explain_networks = arguments.explain == whole_network;
  if (!options.report.explain_networks) options.report.explain = arguments.explain;
}

std::vector<Gate> gates_of(const Arguments& arguments) {
  std::vector<Gate> gates;
  for (const std::string& text : arguments.gates) {
    Expected<Gate> gate = parse_gate(text);
    if (!gate) throw UsageError("--fail-if '" + text + "': " + gate.error().what());
    gates.push_back(*std::move(gate));
  }
  return gates;
}

std::vector<GpuSetting> gpu_settings_of(const Arguments& arguments) {
  std::vector<GpuSetting> settings;
  for (const std::string& text : arguments.gpu_settings) {
    Expected<GpuSetting> setting = parse_gpu_setting(text);
    if (!setting) throw UsageError("--set " + text + ": " + setting.error().what());
    settings.push_back(*std::move(setting));
  }
  return settings;
}

Options options_of(const Arguments& arguments) {
  Options options;
  options.inputs = arguments.inputs;
  options.gates = gates_of(arguments);
  set_formats(arguments, options);
  set_charts(arguments, options);
  set_layer_file(arguments, options);
  if (arguments.list_gpus || arguments.list_networks) {
    options.action =
        arguments.list_gpus ? Options::Action::list_gpus : Options::Action::list_networks;
    return options;
  }
  options.kernel_model = arguments.kernel_model;
  if (!arguments.show_gpu.empty() || !arguments.show_model.empty()) {
    const bool model = arguments.show_gpu.empty();
    options.action = model ? Options::Action::show_model : Options::Action::show_gpu;
    options.gpus = {model ? arguments.show_model : arguments.show_gpu};
    return options;
  }
  if (!options.inputs.empty() && options.inputs.front() == "calibrate") {
    options.action = Options::Action::calibrate;
    options.constants = arguments.constants;
    options.inputs.erase(options.inputs.begin());
  }
  if (const auto tool = parse<MeasuringTool>(arguments.script)) {
    if (options.action != Options::Action::calibrate || !options.inputs.empty())
      throw UsageError("--script: expected calibrate --script, without other inputs");
    options.action = Options::Action::write_script;
    constexpr double usual_minutes = 10;
    options.tool = *tool;
    options.minutes = arguments.minutes > 0 ? arguments.minutes : usual_minutes;
    return options;
  }
  if (arguments.minutes > 0) throw UsageError("--minutes: expected calibrate --script");
  if (options.action != Options::Action::calibrate && arguments.constants != "*")
    throw UsageError("--constants: expected calibrate");
  if (options.inputs.empty() && !arguments.explain.empty() && arguments.explain != whole_network)
    throw UsageError("no input: --explain takes \"" + arguments.explain +
                     "\" for a layer; give the input first");
  if (options.inputs.empty())
    throw UsageError("no input: give a file, a directory, a built-in network or - (see --help)");
  options.layer_file = arguments.layer_file;
  options.measured = arguments.measured;
  if (arguments.first_line > 0) options.first_line = arguments.first_line;
  options.jobs = arguments.jobs > 0 ? arguments.jobs
                                    : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  options.report.compare = arguments.compare;
  options.gpus = arguments.gpus;
  options.gpu_settings = gpu_settings_of(arguments);
  set_defaults(arguments, options);
  set_analysis(arguments, options);
  options.analysis.threads = options.jobs;
  set_prices(arguments, options);
  set_view(arguments, options);
  check_formats(options);
  return options;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  const std::size_t width = standard_output_style().width.value_or(100);
  const ParsedArguments parsed = parse_arguments(argc, argv, std::min<std::size_t>(width, 120));
  Options options;
  if (!parsed.text) {
    options = options_of(parsed.arguments);
    check_unevaluated(parsed.arguments, options);
    return options;
  }
  options.action = Options::Action::print_text;
  options.text = *parsed.text;
  return options;
}

}  // namespace roofline
