#include "cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>

#include "cli/batches.hpp"

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
  std::vector<std::string> batches;
  std::string engine = "auto";
  std::string format;
  bool json = false;
  std::vector<std::string> outputs;
  double peak_tflops = 0;
  double bandwidth_gb_per_s = 0;
  std::string ceilings = "datasheet";
  std::string fuse = "none";
  std::string host_copies;
  std::string sort;
  std::string by;
  std::uint64_t top = 0;
  double cover_percent = 0;
  bool list_gpus = false;
  std::string show_gpu;
  bool list_networks = false;
};

constexpr std::size_t name_width = 26;
constexpr std::size_t help_width = 98;

/// Breaks lines so that the help fits a terminal of 100 columns.
std::string wrapped(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > help_width - name_width) {
      out += '\n';
      column = 0;
    }
    if (column > 0) out += ' ';
    out += text.substr(0, end);
    column += end + 1;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// One of a few words; the help text names them.
CLI::Validator one_of(std::initializer_list<const char*> words) {
  return CLI::IsMember(std::vector<std::string>(words.begin(), words.end())).description("");
}

CLI::Validator positive() { return CLI::Validator(CLI::PositiveNumber).description(""); }

/// A list by commas, which takes no further words so that an input may follow it.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& words,
                      std::string_view help) {
  return app.add_option(name, words, wrapped(help))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
}

void add_inputs(CLI::App& app, Options& options, Arguments& arguments) {
  app.add_option("input", options.inputs,
                 wrapped("Files, directories, built-in networks, or - for standard input"))
      ->type_name("");
  add_list(app, "--gpu", arguments.gpus,
           "GPUs by name, alias (any case) or path of a file; several separated by commas");
  app.add_option("--dtype", arguments.dtype,
                 wrapped("Data type of layers that state none: fp64, fp32 (default), tf32, fp16, "
                         "bf16, fp8 or int8"))
      ->type_name("TYPE");
  add_list(app, "--batch", arguments.batches,
           "Batch of all layers, also of those whose file states another; several as 1,8,64 or "
           "1,2,4,...,1024 are compared (a matmul keeps the number of products it states)");
  app.add_option("--pass", arguments.pass,
                 wrapped("Pass of layers that state none: fwd (default), dgrad, wgrad, or training "
                         "for all three"))
      ->type_name("PASS");
  app.add_option("--fuse", arguments.fuse,
                 wrapped("none (default), or epilogue: batch norms, activations and residual adds "
                         "run inside the convolution or linear layer before them"))
      ->type_name("HOW")
      ->check(one_of({"none", "epilogue"}));
  app.add_flag("--host-copies{pinned}", arguments.host_copies,
               wrapped("Add the copies of input and result over the host link, from pinned memory "
                       "or with --host-copies=pageable"))
      ->check(one_of({"pinned", "pageable"}));
}

void add_ceilings(CLI::App& app, Arguments& arguments) {
  app.add_option("--engine", arguments.engine,
                 wrapped("Units for dense layers: auto (default), vector or tensor"))
      ->type_name("UNIT")
      ->check(one_of({"auto", "vector", "tensor"}));
  app.add_option("--ceilings", arguments.ceilings,
                 wrapped("datasheet (default), or sustained: measured, for GPUs that have them"))
      ->type_name("KIND")
      ->check(one_of({"datasheet", "sustained"}));
  app.add_option("--peak-tflops", arguments.peak_tflops,
                 wrapped("Peak in place of the GPU's, for the engine of the dense layers"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--bandwidth-gbs", arguments.bandwidth_gb_per_s,
                 wrapped("Memory bandwidth in place of the GPU's, GB/s"))
      ->type_name("N")
      ->check(positive());
}

void add_view(CLI::App& app, Arguments& arguments) {
  app.add_option("--sort", arguments.sort,
                 wrapped("Rows in descending time, flops, bytes or intensity"))
      ->type_name("KEY")
      ->check(one_of({"time", "flops", "bytes", "intensity"}));
  app.add_option("--top", arguments.top, wrapped("Only the first N rows, by time unless sorted"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--cover", arguments.cover_percent,
                 wrapped("Only the rows that make up this percentage of the time"))
      ->type_name("PERCENT")
      ->check(CLI::Range(1.0, 100.0).description(""));
  app.add_option("--by", arguments.by, wrapped("type: a row for each type of layer"))
      ->type_name("WHAT")
      ->check(one_of({"type"}));
}

void add_output(CLI::App& app, Arguments& arguments) {
  app.add_option("--format", arguments.format,
                 wrapped("table (default), json, ndjson, csv or markdown"))
      ->type_name("NAME");
  app.add_flag("--json", arguments.json, wrapped("Same as --format json"));
  app.add_option("-o,--output", arguments.outputs,
                 wrapped("Write to a file in the format of its extension (.json .ndjson .csv .md "
                         ".txt); may be repeated. Standard output then stays empty unless "
                         "--format is given"))
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_flag("--list-gpus", arguments.list_gpus, wrapped("List the GPUs (--json: all fields)"));
  app.add_option("--show-gpu", arguments.show_gpu,
                 wrapped("All that is known of a GPU, with its sources"))
      ->type_name("GPU");
  app.add_flag("--list-networks", arguments.list_networks, wrapped("List the built-in networks"));
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
  options.analysis.training = arguments.pass == "training";
  const auto pass = options.analysis.training ? Pass::fwd : parse_pass(arguments.pass);
  if (!pass)
    throw UsageError("--pass: expected fwd, dgrad, wgrad or training, got \"" + arguments.pass +
                     "\"");
  defaults.pass = *pass;
  for (const std::uint64_t batch : parse_batches(arguments.batches)) {
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
  if (arguments.ceilings == "sustained") options.analysis.ceilings = CeilingKind::sustained;
  options.analysis.fuse_epilogues = arguments.fuse == "epilogue";
  if (options.analysis.fuse_epilogues && arguments.pass != "fwd")
    throw UsageError("--fuse epilogue is for inference: expected --pass fwd, got " +
                     arguments.pass);
  if (!arguments.host_copies.empty())
    options.analysis.host_copies =
        arguments.host_copies == "pageable" ? HostMemory::pageable : HostMemory::pinned;
}

void set_view(const Arguments& arguments, Options& options) {
  constexpr std::array<std::pair<std::string_view, SortBy>, 4> keys{
      {{"time", SortBy::time},
       {"flops", SortBy::flops},
       {"bytes", SortBy::bytes},
       {"intensity", SortBy::intensity}}};
  for (const auto& [name, by] : keys)
    if (arguments.sort == name) options.view.sort = by;
  if (arguments.top > 0) options.view.top = arguments.top;
  if (arguments.cover_percent > 0) options.view.cover_share = arguments.cover_percent / 100;
  options.view.by_type = arguments.by == "type";
}

Options checked(const Arguments& arguments, Options options) {
  set_formats(arguments, options);
  if (arguments.list_gpus || arguments.list_networks) {
    options.action =
        arguments.list_gpus ? Options::Action::list_gpus : Options::Action::list_networks;
    return options;
  }
  if (!arguments.show_gpu.empty()) {
    options.action = Options::Action::show_gpu;
    options.gpus = {arguments.show_gpu};
    return options;
  }
  if (options.inputs.empty())
    throw UsageError("no input: give a file, a directory, a built-in network or - (see --help)");
  if (arguments.gpus.empty())
    throw UsageError("no GPU: give one with --gpu, such as --gpu v100 (--list-gpus lists all)");
  options.gpus = arguments.gpus;
  set_defaults(arguments, options);
  set_analysis(arguments, options);
  set_view(arguments, options);
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
  app.get_formatter()->column_width(name_width);
  app.set_version_flag("--version", "roofline " ROOFLINE_VERSION);
  add_inputs(app, options, arguments);
  add_ceilings(app, arguments);
  add_view(app, arguments);
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
