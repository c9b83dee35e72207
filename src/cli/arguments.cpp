#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "cli/completion.hpp"
#include "cli/measuring_script.hpp"
#include "cli/required.hpp"
#include "model/spelling.hpp"
#include "roofline/algorithm.hpp"
#include "roofline/gpu_setting.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

constexpr std::string_view description =
    "For each layer of a neural network on a GPU: how much arithmetic, how many bytes, what binds\n"
    "it, its roofline bound, how fast it will go, and what limits it.\n"
    "\n"
    "  roofline conv.json --gpu v100          a file: one layer, an array, or a network\n"
    "  roofline layers/ --gpu v100,a100       a directory of .json, .ndjson, .jsonl and .csv\n"
    "  roofline resnet50 --gpu h100 --json    a built-in network\n"
    "  ... | roofline - --gpu t4              JSON or NDJSON from a pipe\n"
    "  roofline calibrate --script > measure.py    a PyTorch script that times layers on your GPU\n"
    "  roofline calibrate measured.csv -o mine.json   fit the model to what it measured\n";

constexpr std::string_view footer =
    "Exit codes: 0 all evaluated; 1 some could not be, named on stderr; 2 wrong usage; 3 "
    "--fail-if.";

constexpr std::size_t name_width = 26;

/// Breaks descriptions so that the help fits the terminal.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) { column_width(name_width); }

  /// Without what stands for an option's missing value, where that is a mark and no word.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::string mark = "{" + std::string(whole_network) + "}";
    if (const std::size_t at = name.find(mark); at != name.npos) name.erase(at, mark.size());
    return name;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_desc(option);
    std::string out;
    std::size_t column = 0;
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (column > 0 && column + 1 + end > width_ - name_width) {
        out += '\n';
        column = 0;
      }
      if (column > 0) out += ' ';
      out += rest.substr(0, end);
      column += end + 1;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
  }

 private:
  std::size_t width_;
};

/// CLI11 holds the names of each new option against those of all before, which took half of the
/// time that options take at every start. Here it does so group by group; a test of the help sees
/// the rest.
class GroupedApp : public CLI::App {
 public:
  using CLI::App::App;

  void start_group(const std::string& title) {
    std::move(options_.begin(), options_.end(), std::back_inserter(earlier_));
    options_.clear();
    option_defaults()->group(title);
  }

  void finish_groups() {
    start_group("");
    options_ = std::move(earlier_);
  }

 private:
  std::vector<CLI::Option_p> earlier_;
};

/// One of a few words. The help text names them; for --complete they are the check's name.
template <class Words>
CLI::Validator member_of(const Words& words) {
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : " ") + std::string(word);
  return CLI::IsMember(std::vector<std::string>(words.begin(), words.end()))
      .description("")
      .name(all);
}
template <Enumeration E>
CLI::Validator one_of() {
  return member_of(names_of<E>);
}

/// The number that a whole text is; none where it is more, less or something else.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// A number in decimal digits within limits, which are spelled as messages show them.
template <class Number>
CLI::Validator within(std::string_view least, std::string_view most) {
  return {
      [least, most](std::string& text) {
        const std::optional<Number> number = number_in<Number>(text);
        if (!number || !(*number >= number_in<Number>(least) && *number <= number_in<Number>(most)))
          return "expected " + std::string(std::is_integral_v<Number> ? "an integer" : "a number") +
                 " from " + std::string(least) + " to " + std::string(most) + ", got \"" + text +
                 '"';
        // Without leading zeros, which would make it octal.
        if (std::is_integral_v<Number>) text = std::to_string(*number);
        return std::string();
      },
      ""};
}

/// Beyond any part, and far from what doubles cannot hold.
CLI::Validator positive() { return within<double>("1e-9", "1e9"); }
CLI::Validator positive_integer() { return within<std::uint64_t>("1", "1000000000"); }

/// A variable of the shell that is not set leaves an option without its value.
CLI::Validator stated() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("expected a value, got an empty one") : std::string();
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
  return app.add_option(name, words, std::string(help))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
}

void add_inputs(GroupedApp& app, Arguments& arguments) {
  app.start_group("Input");
  app.add_option("input", arguments.inputs,
                 "Files, directories, built-in networks (--list-networks), or - for standard input")
      ->type_name("");
  add_list(
      app, "--batch", arguments.batches,
      "Batch of all layers, also of those whose file states another; several as 1,8,64 or "
      "1,2,4,...,1024 are compared (a matmul keeps the number of products it states). max: the "
      "largest that fits each GPU; best: the smallest nearly as fast an image as any");
  add_list(app, "--dtype", arguments.dtypes,
           "Data type of layers that state none, fp32 by default: " + network_type_names() +
               " (amp: PyTorch's autocast to fp16, with its casts); several are compared");
  app.add_option("--pass", arguments.pass,
                 "Pass of layers that state none: fwd (default), dgrad, wgrad, or training for all "
                 "three")
      ->type_name("PASS");
  app.add_option("--dim", arguments.dimensions,
                 "Value of a dimension that a model leaves open; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=N");
  app.add_option("--measured", arguments.measured,
                 "Times of layers by name: CSV or JSON with name and measured_us, measured_ms or "
                 "measured_time_s, and network, batch, pass, dtype where they matter")
      ->type_name("FILE");
  app.add_option("--first-line", arguments.first_line,
                 "The inputs are NDJSON cut out of a longer text, of which their first line is the "
                 "N-th: names and errors count from there")
      ->type_name("N")
      ->transform(within<std::uint64_t>("1", "1000000000000000"));
  app.add_option("--jobs", arguments.jobs,
                 "Threads that evaluate records and files (default: all cores); the output is the "
                 "same for any number")
      ->type_name("N")
      ->transform(within<std::uint64_t>("1", "1024"));
  app.add_option("--raise-limits", arguments.limits_factor,
                 "Let an input be N times as large as usual: 256 MB of text in one piece, 200,000 "
                 "layers by repeat, gzip data that give 200 bytes for each")
      ->type_name("N")
      ->transform(within<std::uint64_t>("1", "1000000"));
  app.add_flag("--list-networks", arguments.list_networks, "List the built-in networks");
}

void add_gpus(GroupedApp& app, Arguments& arguments) {
  app.start_group("GPU");
  add_list(app, "--gpu", arguments.gpus,
           "GPUs by name, alias (any case) or path of a file; several separated by commas. all, a "
           "maker, an architecture or limits, as nvidia, hopper or 'amd>=48GB<=750W', rank those "
           "that can do the work");
  app.add_flag("--list-gpus", arguments.list_gpus, "List the GPUs (--json: all fields)");
  app.add_option("--show-gpu", arguments.show_gpu, "All that is known of a GPU, with its sources")
      ->type_name("GPU");
  app.add_option("--engine", arguments.engine,
                 "Units for dense layers: auto (default), vector, tensor, tf32 for fp32 layers in "
                 "TF32, or fp16-accumulate for sums in fp16, at twice the rate on GeForce parts")
      ->type_name("UNIT")
      ->check(one_of<EngineChoice>());
  app.add_option("--ceilings", arguments.ceilings,
                 "datasheet (default), or sustained: measured, for GPUs that have them")
      ->type_name("KIND")
      ->check(
          member_of(std::array{name_of(CeilingKind::datasheet), name_of(CeilingKind::sustained)}));
  app.add_option("--peak-tflops", arguments.peak_tflops,
                 "Peak in place of the GPU's, for the engine of the dense layers")
      ->type_name("N")
      ->check(positive());
  app.add_option("--bandwidth-gbs", arguments.bandwidth_gb_per_s,
                 "Memory bandwidth in place of the GPU's, GB/s")
      ->type_name("N")
      ->check(positive());
  add_list(app, "--set", arguments.gpu_settings,
           "What if the GPU had another " + settable_gpu_fields() +
               " or peak of an engine: bandwidth=4TB/s, l2=x2, sms=+10%, fp16_tensor=400TFLOP/s; "
               "with --compare, against the GPU as it is")
      ->type_name("NAME=VALUE");
  add_list(
      app, "--price", arguments.prices,
      "What an hour of a GPU costs, for the cost of a million images, as h100=2.5,t4=0.35, or a "
      "file of prices (CSV or JSON with gpu and per_hour)");
}

void add_view(GroupedApp& app, Arguments& arguments) {
  app.start_group("View");
  app.add_flag("--all", arguments.all,
               "Every row, also where a terminal shows those that matter or several GPUs, types "
               "and batches one row each");
  app.add_option("--top", arguments.top, "Only the first N rows, by time unless sorted")
      ->type_name("N")
      ->transform(positive_integer());
  app.add_option("--cover", arguments.cover_percent,
                 "Only the rows that make up this percentage of the time")
      ->type_name("PERCENT")
      ->check(within<double>("1", "100"));
  app.add_option("--sort", arguments.sort,
                 "Rows in descending time, flops, bytes or intensity; of measured layers also lost "
                 "(time beyond the bound) or error (of the expected time). GPUs, best first, by "
                 "time, energy or cost")
      ->type_name("KEY")
      ->check(one_of<SortBy>());
  app.add_option(
         "--by", arguments.by,
         "type: a row for each type of layer; layer: with several GPUs, compare layers too; "
         "gpu: rank GPUs, types and batches")
      ->type_name("WHAT")
      ->check(one_of<RowsBy>());
  app.add_flag("--explain{" + std::string(whole_network) + "}", arguments.explain,
               "Derive the numbers of the layers of that name, or that fit a pattern with * and ?, "
               "instead of listing all, as one does by hand; with --all number by number, with -o "
               "FILE.svg as a picture. Without a name or with a network's, the network on one "
               "screen: what limits it, what would help")
      ->expected(0, 1)
      ->type_name("[LAYER]");
  app.add_flag("--compare", arguments.compare,
               "Hold two results against each other, of two inputs, GPUs, types or batches: what "
               "changed in all, which layers went, came and changed");
  app.add_option("--fail-if", arguments.gates,
                 "Exit with 3, and say on standard error where, if this holds for a network, as "
                 "'expected_ms > 2.5', or for a layer, as 'layer.share_of_bound < 0.4'; may be "
                 "repeated. Where something cannot be evaluated the exit code is 1")
      ->allow_extra_args(false)
      ->type_name("CONDITION");
}

void add_output(GroupedApp& app, Arguments& arguments) {
  app.start_group("Output");
  app.add_option("--format", arguments.format, "One of " + format_names() + "; default: table")
      ->type_name("NAME");
  app.add_flag("--json", arguments.json, "Same as --format json");
  app.add_option("-o,--output", arguments.outputs,
                 "Write to a file in the format of its extension (" + format_extensions() +
                     "); may be "
                     "repeated. Standard output then stays empty unless --format is given")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_flag("--raw-csv", arguments.raw_csv,
               "CSV with texts as they are, also those that begin with = + - @ and that a "
               "spreadsheet would run, where an apostrophe else goes before them");
  app.add_flag("--plot", arguments.plot,
               "Draw on the terminal, the roofline unless --chart says otherwise");
  app.add_option("--chart", arguments.chart,
                 "What SVG and the terminal's plot show: roofline (default), intensity of each "
                 "layer, time of each layer, sweep of batches, compare GPUs")
      ->type_name("NAME")
      ->check(one_of<ChartKind>());
  app.add_option("--to-layers", arguments.layer_file,
                 "Write the input as a layer file, every layer explicit, to edit or to read again "
                 "(- for standard output, then of layers alone); needs no --gpu")
      ->type_name("FILE");
}

std::string framework_list() {
  std::string all;
  for (const Framework framework : enumerators<Framework>)
    all += (all.empty() ? "" : ", ") + std::string(name_of(framework)) + " (" +
           std::string(info(framework).meaning) + ")";
  return all;
}

void add_model(GroupedApp& app, Arguments& arguments) {
  app.start_group("Model");
  app.add_option("--framework", arguments.framework,
                 "Who runs the network: " + framework_list() +
                     ". Sets --engine, --fuse, --launch and --layout where you do not")
      ->type_name("NAME")
      ->check(one_of<Framework>());
  app.add_option("--layout", arguments.layout,
                 "Of images whose layers state none: nchw, nhwc (channels last) or blocked; "
                 "default: nchw for fp32 and fp64, else nhwc")
      ->type_name("ORDER")
      ->check(one_of<Layout>());
  app.add_option("--fuse", arguments.fuse,
                 "none (default); epilogue: batch norms, activations and residual adds run inside "
                 "the convolution or linear layer before them; pointwise: chains of them run as "
                 "one kernel; eager: not even a convolution's bias runs inside it")
      ->type_name("HOW")
      ->check(one_of<FusionKind>());
  app.add_option("--cache", arguments.cache,
                 "warm (default) or cold: whether operands are in the L2 cache at the start")
      ->type_name("STATE")
      ->check(one_of<CacheState>());
  app.add_option("--launch", arguments.launch,
                 "What starts the kernels: graph (default; the device), stream (library calls; "
                 "default with --fuse epilogue), kernel (nothing: durations as a profiler gives "
                 "them) or eager (a framework's operators, each at the host's cost)")
      ->type_name("HOW")
      ->check(one_of<LaunchProtocol>());
  app.add_flag("--host-copies{pinned}", arguments.host_copies,
               "Add the copies of a network's input and result over the host link, from pinned "
               "memory or with --host-copies=pageable")
      ->check(one_of<HostMemory>());
  app.add_option("--optimizer", arguments.optimizer,
                 "Of training, for what its memory keeps of each weight: sgd (default), momentum "
                 "or adam")
      ->type_name("NAME")
      ->check(one_of<Optimizer>());
}

void add_kernel_model(GroupedApp& app, Arguments& arguments) {
  app.start_group("Constants of the kernel model");
  app.add_option(
         "--show-model", arguments.show_model,
         "The constants of a GPU's kernel model, with units, ranges and origins (--json: as "
         "a file to edit)")
      ->type_name("GPU");
  app.add_option("--kernel-model", arguments.kernel_model,
                 "Constants from a file, in place of those of the GPU's architecture")
      ->type_name("FILE");
  app.add_option("--constants", arguments.constants,
                 "calibrate: only the constants that fit a pattern with * and ?, such as "
                 "'dense.tensor.*'")
      ->type_name("PATTERN");
  app.add_flag(
         "--script{pytorch}", arguments.script,
         "calibrate: print a Python file instead, which times layers on your GPU with "
         "PyTorch and writes the CSV to calibrate with; --script=miopen is a shell script for "
         "convolutions with MIOpen's own driver")
      ->check(one_of<MeasuringTool>());
  app.add_option("--minutes", arguments.minutes,
                 "calibrate --script: how long that takes (default: 10)")
      ->type_name("N")
      ->check(positive());
}

void add_mapping(GroupedApp& app, Arguments& arguments) {
  app.start_group("Kernel mapping, of contractions that state none");
  app.add_option("--algorithm", arguments.algorithm, "The algorithm: " + algorithm_list())
      ->type_name("NAME");
  app.add_option("--tile", arguments.tile,
                 "The tile MxNxK, as 128x64x8: one block computes M rows and N columns of "
                 "the product (output positions by output channels, forward) in steps of "
                 "K")
      ->type_name("MxNxK");
  app.add_option("--split-k", arguments.split_k, "Blocks that share a tile's sum")
      ->type_name("N")
      ->transform(positive_integer());
  app.add_option("--threads", arguments.threads, "Threads a block")
      ->type_name("N")
      ->transform(positive_integer());
  app.add_option("--stages", arguments.stages, "Stages of the pipeline")
      ->type_name("N")
      ->transform(positive_integer());
  app.add_option("--registers", arguments.registers, "Registers a thread")
      ->type_name("N")
      ->transform(positive_integer());
  app.add_option("--shared-memory-byte", arguments.shared_memory_byte, "Shared memory a block")
      ->type_name("N")
      ->transform(positive_integer());
}

}  // namespace

std::string format_names() {
  std::string names;
  for (const OutputFormat& format : output_formats())
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::string format_extensions() {
  std::string names;
  for (const OutputFormat& format : output_formats())
    if (!format.extensions.empty())
      names += (names.empty() ? "." : ", .") + std::string(format.extensions.front());
  return names;
}

ParsedArguments parse_arguments(int argc, const char* const* argv, std::size_t help_width) {
  ParsedArguments parsed;
  GroupedApp app{std::string(description), "roofline"};
  app.footer(std::string(footer));
  app.formatter(std::make_shared<HelpFormatter>(help_width));
  app.set_version_flag("--version", "roofline " ROOFLINE_VERSION);
  add_inputs(app, parsed.arguments);
  add_gpus(app, parsed.arguments);
  add_view(app, parsed.arguments);
  add_output(app, parsed.arguments);
  add_model(app, parsed.arguments);
  add_kernel_model(app, parsed.arguments);
  add_mapping(app, parsed.arguments);
  app.finish_groups();
  std::string word;
  for (CLI::Option* option : app.get_options())
    if (!option->get_positional() && option->get_items_expected_min() > 0) option->check(stated());
  app.add_option("--complete", word);  // of no group: not in the help
  try {
    app.parse(argc, argv);
    if (!word.empty()) parsed.text = completions(app, word);
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
