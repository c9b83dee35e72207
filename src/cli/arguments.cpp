#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "roofline/algorithm.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view description =
    "For each layer of a neural network on a GPU: how much arithmetic, how many bytes, what binds\n"
    "it, how fast it could ever go, how fast it will go, and what limits it.\n"
    "\n"
    "  roofline conv.json --gpu v100          a file: one layer, an array, or a network\n"
    "  roofline layers/ --gpu v100,a100       a directory of .json, .ndjson, .jsonl and .csv\n"
    "  roofline resnet50 --gpu h100 --json    a built-in network\n"
    "  ... | roofline - --gpu t4              JSON or NDJSON from a pipe\n"
    "  roofline calibrate FILE... --gpu v100 -o my-v100.json   fit the model to measured layers\n";

constexpr std::string_view footer =
    "Exit codes: 0 all evaluated; 1 some inputs could not be, each named on stderr; 2 wrong usage.";

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

CLI::Validator positive() {
  return {[](const std::string& text) {
            double number = 0;
            const bool is_number = CLI::detail::lexical_cast(text, number);
            return is_number && std::isfinite(number) && number > 0
                       ? std::string()
                       : "expected a number > 0, got " + text;
          },
          ""};
}

std::string algorithm_list() {
  std::string all;
  for (const std::string_view name : statable_algorithm_names)
    all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

/// A list by commas, which takes no further words so that an input may follow it.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& words,
                      std::string_view help) {
  return app.add_option(name, words, wrapped(help))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
}

void add_inputs(CLI::App& app, Arguments& arguments) {
  app.add_option("input", arguments.inputs,
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
  app.add_option("--dim", arguments.dimensions,
                 wrapped("Value of a dimension that a model leaves open; may be repeated"))
      ->allow_extra_args(false)
      ->type_name("NAME=N");
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
               wrapped("Add the copies of a network's input and result over the host link, from "
                       "pinned memory "
                       "or with --host-copies=pageable"))
      ->check(one_of({"pinned", "pageable"}));
}

void add_measured(CLI::App& app, Arguments& arguments) {
  app.add_option("--measured", arguments.measured,
                 wrapped("Times of layers by name: CSV or JSON with name and measured_us, "
                         "measured_ms or measured_time_s, and network, batch, pass, dtype where "
                         "they matter"))
      ->type_name("FILE");
}

void add_ceilings(CLI::App& app, Arguments& arguments) {
  app.add_option("--engine", arguments.engine,
                 wrapped("Units for dense layers: auto (default), vector, tensor, or tf32 for fp32 "
                         "layers in TF32"))
      ->type_name("UNIT")
      ->check(one_of({"auto", "vector", "tensor", "tf32"}));
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

void add_kernel_model(CLI::App& app, Arguments& arguments) {
  app.add_option("--launch", arguments.launch,
                 wrapped("What starts the kernels: graph (default; the device), kernel (nothing: "
                         "durations as a profiler gives them), stream (library calls) or eager (a "
                         "framework's operators, each at the host's cost)"))
      ->type_name("HOW")
      ->check(one_of({"kernel", "graph", "stream", "eager"}));
  app.add_option("--kernel-model", arguments.kernel_model,
                 wrapped("Constants of the kernel model from a file, in place of those of the "
                         "GPU's architecture"))
      ->type_name("FILE");
  app.add_option("--constants", arguments.constants,
                 wrapped("calibrate: only the constants that fit a pattern with * and ?, such as "
                         "'dense.tensor.*'"))
      ->type_name("PATTERN");
}

void add_mapping(CLI::App& app, Arguments& arguments) {
  app.add_option(
         "--cache", arguments.cache,
         wrapped("warm (default) or cold: whether operands are in the L2 cache at the start"))
      ->type_name("STATE")
      ->check(one_of({"warm", "cold"}));
  app.add_option("--explain", arguments.explain,
                 wrapped("Derive the numbers of the layers of that name, or that fit a pattern "
                         "with * and ?, instead of listing all"))
      ->type_name("LAYER");
  app.add_option("--algorithm", arguments.algorithm,
                 wrapped("Kernel mapping of contractions that state none: the algorithm (" +
                         algorithm_list() + ") ..."))
      ->type_name("NAME");
  app.add_option(
         "--tile", arguments.tile,
         wrapped("... its tile MxNxK, as 128x64x8: one block computes M rows and N columns of "
                 "the product (output positions by output channels, forward) in steps of "
                 "K"))
      ->type_name("MxNxK");
  app.add_option("--split-k", arguments.split_k, wrapped("... blocks that share a tile's sum"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--threads", arguments.threads, wrapped("... threads a block"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--stages", arguments.stages, wrapped("... stages of the pipeline"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--registers", arguments.registers, wrapped("... registers a thread"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--shared-memory-byte", arguments.shared_memory_byte,
                 wrapped("... shared memory a block"))
      ->type_name("N")
      ->check(positive());
}

void add_view(CLI::App& app, Arguments& arguments) {
  app.add_option(
         "--sort", arguments.sort,
         wrapped("Rows in descending time, flops, bytes or intensity; of measured layers also "
                 "lost (time beyond the bound) or error (of the expected time)"))
      ->type_name("KEY")
      ->check(one_of({"time", "flops", "bytes", "intensity", "lost", "error"}));
  app.add_option("--top", arguments.top, wrapped("Only the first N rows, by time unless sorted"))
      ->type_name("N")
      ->check(positive());
  app.add_option("--cover", arguments.cover_percent,
                 wrapped("Only the rows that make up this percentage of the time"))
      ->type_name("PERCENT")
      ->check(CLI::Range(1.0, 100.0).description(""));
  app.add_option("--by", arguments.by,
                 wrapped("type: a row for each type of layer; layer: with several GPUs, compare "
                         "layers too"))
      ->type_name("WHAT")
      ->check(one_of({"type", "layer"}));
}

void add_output(CLI::App& app, Arguments& arguments) {
  app.add_flag("--compare", arguments.compare,
               wrapped("Hold the measured times of two inputs against each other, the largest "
                       "changes first"));
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
  app.add_option(
         "--to-layers", arguments.layer_file,
         wrapped("Write the input as a layer file, every layer explicit, to edit or to read "
                 "again (- for standard output); needs no --gpu"))
      ->type_name("FILE");
  app.add_flag("--list-gpus", arguments.list_gpus, wrapped("List the GPUs (--json: all fields)"));
  app.add_option("--show-gpu", arguments.show_gpu,
                 wrapped("All that is known of a GPU, with its sources"))
      ->type_name("GPU");
  app.add_option("--show-model", arguments.show_model,
                 wrapped("The constants of a GPU's kernel model, with units, ranges and origins "
                         "(--json: as a file to edit)"))
      ->type_name("GPU");
  app.add_flag("--list-networks", arguments.list_networks, wrapped("List the built-in networks"));
}

}  // namespace

ParsedArguments parse_arguments(int argc, const char* const* argv) {
  ParsedArguments parsed;
  CLI::App app{std::string(description), "roofline"};
  app.footer(std::string(footer));
  app.get_formatter()->column_width(name_width);
  app.set_version_flag("--version", "roofline " ROOFLINE_VERSION);
  add_inputs(app, parsed.arguments);
  add_measured(app, parsed.arguments);
  add_ceilings(app, parsed.arguments);
  add_kernel_model(app, parsed.arguments);
  add_mapping(app, parsed.arguments);
  add_view(app, parsed.arguments);
  add_output(app, parsed.arguments);
  try {
    app.parse(argc, argv);
    parsed.arguments.dtype_given = app.count("--dtype") > 0;
  } catch (const CLI::CallForHelp&) {
    parsed.text = app.help();
  } catch (const CLI::CallForVersion& version) {
    parsed.text = std::string(version.what()) + '\n';
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see --help)");
  }
  return parsed;
}

}  // namespace roofline
