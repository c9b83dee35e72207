#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

namespace roofline {
namespace {

constexpr std::string_view description =
    "For each layer of a neural network on a GPU: how much arithmetic, how many bytes, what binds\n"
    "it, and how fast it could ever go.\n"
    "\n"
    "  roofline conv.json --gpu v100          a file: one layer, an array, or a network\n"
    "  roofline configs/ --gpu v100,a100      a directory of .json, .ndjson, .jsonl and .csv\n"
    "  roofline resnet50 --gpu h100 --json    a built-in network\n"
    "  ... | roofline - --gpu t4              JSON or NDJSON from a pipe\n";

constexpr std::string_view footer =
    "Exit codes: 0 all evaluated; 1 some inputs could not be, each named on stderr; 2 wrong usage.";

/// What CLI11 fills before it is checked.
struct Arguments {
  std::vector<std::string> gpus;
  std::string dtype = "fp32";
  std::string pass = "fwd";
  std::vector<std::uint64_t> batches;
  std::string engine = "auto";
  std::string format;
  bool json = false;
  std::vector<std::string> outputs;
  double peak_tflops = 0;
  double bandwidth_gb_per_s = 0;
  bool list_gpus = false;
  bool list_networks = false;
};

void add_inputs(CLI::App& app, Options& options, Arguments& arguments) {
  app.add_option("input", options.inputs,
                 "Files, directories, built-in networks, or - for standard input");
  app.add_option("--gpu", arguments.gpus,
                 "GPUs by name, alias (any case) or path of a file; several separated by commas")
      ->delimiter(',');
  app.add_option("--dtype", arguments.dtype,
                 "Data type of layers that state none: fp64, fp32, tf32, fp16, bf16, fp8, int8")
      ->capture_default_str();
  app.add_option("--batch", arguments.batches,
                 "Batch of all layers, also of those whose file states another; several "
                 "separated by commas (a matmul's stated number of products stays)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--pass", arguments.pass, "Pass of layers that state none: fwd, dgrad, wgrad")
      ->capture_default_str();
}

void add_ceilings(CLI::App& app, Arguments& arguments) {
  app.add_option("--engine", arguments.engine, "Units for dense layers: auto, vector or tensor")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "vector", "tensor"}));
  app.add_option("--peak-tflops", arguments.peak_tflops,
                 "Peak in place of the GPU's, for the engine of the dense layers")
      ->check(CLI::PositiveNumber);
  app.add_option("--bandwidth-gbs", arguments.bandwidth_gb_per_s,
                 "Memory bandwidth in place of the GPU's, GB/s")
      ->check(CLI::PositiveNumber);
}

void add_output(CLI::App& app, Arguments& arguments) {
  app.add_option("--format", arguments.format, "table (default), json, ndjson, csv or markdown");
  app.add_flag("--json", arguments.json, "Same as --format json");
  app.add_option("-o,--output", arguments.outputs,
                 "Write to a file, in the format of its extension (.json .ndjson .csv .md .txt); "
                 "may be repeated. Standard output then stays empty unless --format is given");
  app.add_flag("--list-gpus", arguments.list_gpus, "List the GPUs (with --json: all fields)");
  app.add_flag("--list-networks", arguments.list_networks, "List the built-in networks");
}

Format require_format(const std::string& name, const std::string& found_in) {
  if (const auto format = parse_format(name)) return *format;
  throw UsageError(found_in + ": expected table, json, ndjson, csv or markdown, got \"" + name +
                   "\"");
}

void set_formats(const Arguments& arguments, Options& options) {
  if (arguments.json && !arguments.format.empty() && arguments.format != "json")
    throw UsageError("--json and --format " + arguments.format + " contradict each other");
  if (arguments.json) options.format = Format::json;
  if (!arguments.format.empty()) options.format = require_format(arguments.format, "--format");
  for (const std::string& path : arguments.outputs) {
    std::string extension = std::filesystem::path(path).extension().string();
    if (!extension.empty()) extension.erase(0, 1);
    options.exports.push_back({path, require_format(extension, "-o " + path)});
  }
  if (options.exports.empty() && !options.format) options.format = Format::table;
}

void set_defaults(const Arguments& arguments, Options& options) {
  LayerDefaults defaults;
  const auto dtype = parse_data_type(arguments.dtype);
  if (!dtype || *dtype == DataType::int32)
    throw UsageError("--dtype: expected fp64, fp32, tf32, fp16, bf16, fp8 or int8, got \"" +
                     arguments.dtype + "\"");
  defaults.dtype = *dtype;
  const auto pass = parse_pass(arguments.pass);
  if (!pass)
    throw UsageError("--pass: expected fwd, dgrad or wgrad, got \"" + arguments.pass + "\"");
  defaults.pass = *pass;
  for (const std::uint64_t batch : arguments.batches) {
    defaults.batch_override = batch;
    options.defaults.push_back(defaults);
  }
  if (arguments.batches.empty()) options.defaults.push_back(defaults);
}

void set_analysis(const Arguments& arguments, Options& options) {
  if (arguments.engine == "vector") options.analysis.engine = EngineChoice::vector;
  if (arguments.engine == "tensor") options.analysis.engine = EngineChoice::tensor;
  if (arguments.peak_tflops > 0) options.analysis.peak_flop_per_s = arguments.peak_tflops * 1e12;
  if (arguments.bandwidth_gb_per_s > 0)
    options.analysis.bandwidth_byte_per_s = arguments.bandwidth_gb_per_s * 1e9;
}

Options checked(const Arguments& arguments, Options options) {
  set_formats(arguments, options);
  if (arguments.list_gpus || arguments.list_networks) {
    options.action =
        arguments.list_gpus ? Options::Action::list_gpus : Options::Action::list_networks;
    return options;
  }
  if (options.inputs.empty())
    throw UsageError("no input: give a file, a directory, a built-in network or - (see --help)");
  if (arguments.gpus.empty())
    throw UsageError("no GPU: give one with --gpu, such as --gpu v100 (--list-gpus lists all)");
  options.gpus = arguments.gpus;
  set_defaults(arguments, options);
  set_analysis(arguments, options);
  return options;
}

Options print_text(std::string text) {
  Options options;
  options.action = Options::Action::print_text;
  options.text = std::move(text);
  return options;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  Options options;
  Arguments arguments;
  CLI::App app{std::string(description), "roofline"};
  app.footer(std::string(footer));
  app.set_version_flag("--version", "roofline " ROOFLINE_VERSION);
  add_inputs(app, options, arguments);
  add_ceilings(app, arguments);
  add_output(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print_text(app.help());
  } catch (const CLI::CallForVersion& version) {
    return print_text(std::string(version.what()) + '\n');
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see --help)");
  }
  return checked(arguments, std::move(options));
}

}  // namespace roofline
