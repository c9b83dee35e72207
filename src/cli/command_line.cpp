#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <thread>
#include <type_traits>

#include "cli/errors.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "load/csv.hpp"
#include "model/text.hpp"
#include "report/text.hpp"
#include "roofline/layer.hpp"

namespace roofline {

namespace {

using Names = std::vector<std::string_view>;

Names format_names() {
  Names names;
  for (const OutputFormat& format : output_formats()) names.push_back(format.name);
  return names;
}

Names network_types() {
  Names names;
  for (const DataType type : enumerators<DataType>)
    if (is_network_type(type)) names.push_back(name_of(type));
  return names;
}

std::string format_extensions() {
  std::string names;
  for (const OutputFormat& format : output_formats())
    if (!format.extensions.empty()) add_item(names, '.' + std::string(format.extensions.front()));
  return names;
}

// Parsers of single values. All throw UsageError.

constexpr std::size_t most_batches = 1000;

std::uint64_t parse_batch(const std::string& word) {
  const std::optional<std::uint64_t> batch = number_in<std::uint64_t>(word);
  if (!batch || *batch == 0)
    throw UsageError("--batch: expected integers " +
                     (is_beyond_64_bits(word) ? "from 1 to " + std::string(largest_integer)
                                              : std::string(">= 1")) +
                     " such as 1,8,64, max or best, got " + in_quotes(word));
  return *batch;
}

/// Continues the step of the last two batches up to `end`.
void fill_in(std::vector<std::uint64_t>& batches, std::uint64_t end) {
  if (batches.size() < 2)
    throw UsageError("--batch: expected two numbers before \"...\", such as 1,2,4,...,1024");
  const std::uint64_t before = batches[batches.size() - 2];
  const std::uint64_t last = batches.back();
  if (last <= before) throw UsageError("--batch: expected rising numbers before \"...\"");
  if (end <= last)
    throw UsageError("--batch: expected a number above " + std::to_string(last) +
                     " after \"...\", got " + std::to_string(end));
  const bool multiplies = last % before == 0;  // 1,2 doubles
  const std::uint64_t factor = last / before;
  const std::uint64_t step = last - before;
  const auto has_next = [&](std::uint64_t number) {
    return multiplies ? number <= (end - 1) / factor : number < end - step;
  };
  for (std::uint64_t next = last; has_next(next);) {
    next = multiplies ? next * factor : next + step;
    if (batches.size() == most_batches)
      throw UsageError("--batch: expected at most " + std::to_string(most_batches) +
                       " numbers, got more up to " + std::to_string(end));
    batches.push_back(next);
  }
}

/// "..." continues the step before it: 1,2,4,...,1024 doubles and 8,16,24,...,64 adds 8.
void parse_batches(const std::vector<std::string>& words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const auto goal = parse<BatchGoal>(words[i]))
      options.batch_goals.push_back(*goal);
    else if (words[i] != "...")
      options.batches.push_back(parse_batch(words[i]));
    else if (i + 1 < words.size())
      fill_in(options.batches, parse_batch(words[i + 1]));
    else
      throw UsageError("--batch: expected a number after \"...\"");
}

std::pair<std::string, std::uint64_t> parse_dimension(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const std::string_view number =
      std::string_view(text).substr(std::min(name.size() + 1, text.size()));
  const auto value = number_in<std::uint64_t>(number);
  if (!name.empty() && value.value_or(0) > 0) return {name, *value};
  const bool is_large = is_beyond_64_bits(number);
  throw UsageError("--dim: expected NAME=VALUE such as height=224" +
                   (is_large ? ", from 1 to " + std::string(largest_integer) : "") + ", got " +
                   in_quotes(text));
}

/// "GPU=PER_HOUR", with or without a currency behind it.
void parse_price(const std::string& text, Options& options) {
  const std::size_t equals = text.find('=');
  const std::size_t end = text.find_last_of("0123456789") + 1;
  if (equals != text.npos && equals > 0 && end > equals)
    if (const auto price = number_in<double>(text.substr(equals + 1, end - equals - 1));
        price && std::isfinite(*price) && *price > 0) {
      const std::string currency(trimmed(text.substr(end)));
      if (!options.prices.empty() && currency != options.request.report.currency)
        throw UsageError("--price: expected one currency, got " +
                         in_quotes(options.request.report.currency) + " and " +
                         in_quotes(currency));
      options.request.report.currency = currency;
      options.prices.emplace_back(text.substr(0, equals), *price);
      return;
    }
  throw UsageError("--price: expected GPU=PER_HOUR such as h100=2.5 or h100=2.5USD, got " +
                   in_quotes(text));
}

std::array<std::uint64_t, 3> parse_tile(const std::string& text) {
  std::array<std::uint64_t, 3> tile{};
  const char* next = text.data();
  const char* end = text.data() + text.size();
  for (std::size_t i = 0; i < tile.size(); ++i) {
    if (i > 0 && (next == end || *next++ != 'x')) break;
    next = std::from_chars(next, end, tile[i]).ptr;
  }
  if (next != end || tile[0] == 0 || tile[1] == 0 || tile[2] == 0)
    throw UsageError("--tile: expected MxNxK such as 128x64x8, got " + in_quotes(text));
  return tile;
}

Output parse_output_file(const std::string& path) {
  if (path.ends_with(".json.gz"))
    return {Output::What::recording, path, find_output_format("json")};
  std::string extension = std::filesystem::path(path).extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  const OutputFormat* format = find_output_format(extension);
  if (format == nullptr || extension.empty())
    throw UsageError("-o " + path + ": expected an extension of " + format_extensions() + ", got " +
                     (extension.empty() ? "none" : '.' + extension));
  return {Output::What::report, path, format};
}

constexpr std::string_view what_it_does =
    "How fast can each layer of a neural network run on a GPU, how fast will it\n"
    "really run, and what is in the way?\n"
    "\n"
    "  what limits a network, and what would help?\n"
    "    roofline resnet50 --gpu a100 --batch 32 --explain\n"
    "  which GPU, and which batch?\n"
    "    roofline resnet50 --gpu all --dtype fp16 --batch best\n"
    "  how far is my kernel from what the GPU could do?\n"
    "    roofline conv.json --gpu v100 --measured 9.1ms\n"
    "  where did the time of a profiler's recording go?\n"
    "    roofline trace.json.gz\n"
    "  how long will my model in PyTorch or ONNX take?\n"
    "    roofline model.pt2 --gpu h100 --batch 8\n"
    "\n"
    "--help OPTION says what one option does, --words what a table's words mean.\n";

constexpr std::string_view footer =
    "Exit codes: 0 evaluated; 1 something was not; 2 wrong usage; 3 --fail-if holds.";

constexpr std::size_t name_width = 26;

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) { column_width(name_width); }

  /// Hides the stand-in for an option's missing value.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    const std::string mark = "{" + std::string(whole_network) + "}";
    if (const std::size_t at = name.find(mark); at != name.npos) name.erase(at, mark.size());
    return name;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return broken(CLI::Formatter::make_option_desc(option), width_ - name_width - 1);
  }

 private:
  std::size_t width_;
};

/// The names also name the check, for --complete.
template <class IsOne>
CLI::Validator one_of_names(const Names& names, const IsOne& is_one) {
  return {[names, is_one](std::string& text) {
            return is_one(text) ? std::string()
                                : "expected one of " + joined(names) + ", got " + in_quotes(text) +
                                      did_you_mean(text, names);
          },
          "", joined(names, " ")};
}
CLI::Validator one_of_names(const Names& names) {
  return one_of_names(names, [names](const std::string& text) {
    return std::ranges::find(names, text) != names.end();
  });
}
template <Enumeration E>
CLI::Validator one_of_all() {
  return one_of_names({names_of<E>.begin(), names_of<E>.end()});
}

/// A decimal number within limits, which messages show as spelled here.
template <class Number>
CLI::Validator within(std::string_view least, std::string_view most) {
  return {
      [least, most](std::string& text) {
        const std::optional<Number> number = number_in<Number>(text);
        if (!number || !(*number >= number_in<Number>(least) && *number <= number_in<Number>(most)))
          return "expected " + std::string(std::is_integral_v<Number> ? "an integer" : "a number") +
                 " from " + std::string(least) + " to " + std::string(most) + ", got " +
                 in_quotes(text);
        // CLI11 would read leading zeros as octal.
        if (std::is_integral_v<Number>) text = std::to_string(*number);
        return std::string();
      },
      ""};
}

/// An unset shell variable leaves an option without its value.
CLI::Validator stated() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("expected a value, got an empty one") : std::string();
          },
          ""};
}

std::string framework_list() {
  std::string all;
  for (const Framework framework : enumerators<Framework>)
    add_item(all, fmt::format("{} ({})", name_of(framework), info(framework).meaning));
  return all;
}

template <class T>
T value_of(const std::string& option, Expected<T> value) {
  if (!value) throw UsageError(option + ": " + value.error().what());
  return *std::move(value);
}

using Words = std::vector<std::string>;

class Rows : public CLI::App {
 public:
  Rows() : CLI::App(std::string(what_it_does), "roofline") {}

  /// CLI11 compares a new option's names with all before it, which took half of the options' time
  /// at every start. Here it compares within a group; a test of the help covers the rest.
  void group(const std::string& title) {
    std::ranges::move(options_, std::back_inserter(earlier_));
    options_.clear();
    option_defaults()->group(title);
  }
  void finish_groups() {
    group("");
    options_ = std::move(earlier_);
  }

  /// `value`: a text, or a list by commas that takes no further words, so that an input may follow.
  void text(const char* name, const char* type, std::string& value, const std::string& help) {
    add_option(name, value, help)->type_name(type);
  }
  CLI::Option* list(const char* name, const std::function<void(const Words&)>& use,
                    const std::string& help) {
    return add_option_function<Words>(name, use, help)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("LIST");
  }
  /// A repeated option calls `use` for each value.
  CLI::Option* parsed(const char* name, const char* type,
                      const std::function<void(const std::string&)>& use, const std::string& help) {
    return add_option_function<std::string>(name, use, help)->type_name(type);
  }
  void repeated(const char* name, const char* type,
                const std::function<void(const std::string&)>& use, const std::string& help) {
    add_option_function<Words>(name, for_each(use), help)->allow_extra_args(false)->type_name(type);
  }
  template <Enumeration E, class Value>
  CLI::Option* one_of(const char* name, const char* type, Value& value, const std::string& help) {
    return parsed(
               name, type, [&value](const std::string& word) { value = *roofline::parse<E>(word); },
               help)
        ->check(one_of_all<E>());
  }
  /// An action in place of an evaluation; the second kind takes a GPU.
  void action(const char* name, Request::Action action, Options& options, const char* help) {
    add_flag_callback(
        name, [&options, action] { options.request.action = action; }, help);
  }
  void shown(const char* name, Request::Action action, Options& options, const char* help) {
    const auto use = [&options, action](const std::string& gpu) {
      options.request.action = action;
      options.gpus = {gpu};
    };
    parsed(name, "GPU", use, help);
  }
  template <class Value>
  void count(const char* name, Value& value, const std::string& help,
             std::string_view most = "1000000000") {
    add_option_function<std::uint64_t>(
        name, [&value](std::uint64_t number) { value = number; }, help)
        ->type_name("N")
        ->transform(within<std::uint64_t>("1", most));
  }
  /// The default limits lie beyond any part and well within doubles.
  void number(const char* name, const char* type, const std::function<void(double)>& use,
              const std::string& help, std::string_view least = "1e-9",
              std::string_view most = "1e9") {
    add_option_function<double>(name, use, help)
        ->type_name(type)
        ->check(within<double>(least, most));
  }

  static std::function<void(const Words&)> for_each(
      const std::function<void(const std::string&)>& use) {
    return [use](const Words& words) { std::ranges::for_each(words, use); };
  }

 private:
  std::vector<CLI::Option_p> earlier_;
};

void add_inputs(Rows& rows, Options& options) {
  rows.group("Input");
  rows.add_option(
          "input", options.request.inputs,
          "Files (a PyTorch model by torch.export.save as .pt2, ONNX, a profiler's recording, a "
          "layer file), directories, built-in networks (--list-networks), or - for standard input")
      ->type_name("");
  rows.list(
      "--batch", [&](const Words& words) { parse_batches(words, options); },
      "Batch of all layers, also of those whose file states another; several as 1,8,64 or "
      "1,2,4,...,1024 are compared (a matmul keeps the number of products it states). max: the "
      "largest that fits each GPU; best: the smallest nearly as fast an image as any");
  rows.list("--dtype",
            Rows::for_each([&](auto& word) { options.dtypes.push_back(*data_type_named(word)); }),
            "Data type of layers that state none, fp32 by default: " + joined(network_types()) +
                " (amp: PyTorch's autocast to fp16, with its casts); several are compared")
      ->check(one_of_names(network_types(), [](const std::string& word) {
        const auto type = data_type_named(word);
        return type && is_network_type(*type);
      }));
  rows.parsed(
          "--pass", "PASS", [&](auto& word) { options.pass = parse<Pass>(word); },
          "Pass of layers that state none: fwd (default), dgrad, wgrad, or training for all three")
      ->check(one_of_names({"fwd", "dgrad", "wgrad", "training"}));
  rows.repeated(
      "--dim", "NAME=N",
      [&](auto& text) { options.defaults.dimensions.push_back(parse_dimension(text)); },
      "Value of a dimension that a model leaves open, or of H or W, the size of the image with "
      "which a network begins; may be repeated");
  rows.text("--measured", "FILE", options.measured,
            "Times of layers by name: CSV or JSON with name and measured_us, measured_ms or "
            "measured_time_s, and network, batch, pass, dtype, gpu where they matter. Or the time "
            "of the one layer, or of the one that --explain names, as 9.1ms");
  rows.text("--measured-gpu", "GPU", options.measured_gpu,
            "The GPU that times were measured on that name none; without it such times of layer "
            "files are compared with no GPU, and those of --measured with the one of --gpu");
  rows.count("--first-line", options.request.first_line,
             "The inputs are NDJSON cut out of a longer text, of which their first line is the "
             "N-th: names and errors count from there",
             "1000000000000000");
  rows.count("--jobs", options.request.jobs,
             "Threads that evaluate records and files (default: all cores); the output is the "
             "same for any number",
             "1024");
  rows.count("--raise-limits", options.limits_factor,
             "Let an input be N times as large as usual: 256 MB of text in one piece, a million "
             "values in one layer, event or row, 200,000 layers by repeat, gzip data that give 200 "
             "bytes for each",
             "1000000");
  rows.action("--list-networks", Request::Action::list_networks, options,
              "List the built-in networks (--json: as a list)");
}

void add_gpus(Rows& rows, Options& options) {
  AnalysisOptions& analysis = options.request.analysis[Stack::stated];
  rows.group("GPU");
  rows.list(
      "--gpu", [&](const Words& words) { options.gpus = words; },
      "GPUs by name, alias (any case) or path of a file; several separated by commas. all, a "
      "maker, an architecture or limits, as nvidia, hopper or 'amd>=48GB<=750W', rank those that "
      "can do the work");
  rows.action("--list-gpus", Request::Action::list_gpus, options,
              "List the GPUs, all or those of --gpu (--json: all fields)");
  rows.shown("--show-gpu", Request::Action::show_gpu, options,
             "All that is known of a GPU, with its sources");
  rows.one_of<EngineChoice>(
      "--engine", "UNIT", analysis.engine,
      "Units for dense layers: auto (default), vector, tensor, tf32 for fp32 layers in TF32, or "
      "fp16-accumulate for sums in fp16, at twice the rate on GeForce parts");
  rows.parsed(
          "--ceilings", "KIND", [&](auto& word) { analysis.ceilings = *parse<CeilingKind>(word); },
          "datasheet (default), or sustained: measured, for GPUs that have them")
      ->check(one_of_names({"datasheet", "sustained"}));
  rows.number(
      "--peak-tflops", "N", [&](double number) { analysis.peak_flop_per_s = number * 1e12; },
      "Peak in place of the GPU's, for the engine of the dense layers");
  rows.number(
      "--bandwidth-gbs", "N", [&](double number) { analysis.bandwidth_byte_per_s = number * 1e9; },
      "Memory bandwidth in place of the GPU's, GB/s");
  rows.list("--set", Rows::for_each([&](auto& text) {
              options.request.gpu_settings.push_back(
                  value_of("--set " + text, parse_gpu_setting(text)));
            }),
            "What if the GPU had another " + settable_gpu_fields() +
                " or peak of an engine: bandwidth=4TB/s, l2=x2, sms=+10%, fp16_tensor=400TFLOP/s; "
                "with --compare, against the GPU as it is")
      ->type_name("NAME=VALUE");
  rows.list("--price", Rows::for_each([&](auto& text) { parse_price(text, options); }),
            "What an hour of a GPU costs, for the cost of a million images, as "
            "h100=2.5USD,t4=0.35USD");
}

void add_view(Rows& rows, Options& options) {
  RowFilter& filter = options.request.report.filter;
  rows.group("View");
  rows.add_flag("--all", filter.all,
                "Every row, also where a terminal shows those that matter or several GPUs, types "
                "and batches one row each");
  rows.count("--top", filter.top, "Only the first N rows, by time unless sorted");
  rows.number(
      "--cover", "PERCENT", [&](double percent) { filter.cover_share = percent / 100; },
      "Only the rows that make up this percentage of the time", "1", "100");
  rows.one_of<SortBy>("--sort", "KEY", filter.sort,
                      "Rows in descending time, flops, bytes or intensity; of measured layers also "
                      "lost (time beyond the bound) or error (of the expected time). GPUs, best "
                      "first, by time or cost");
  rows.one_of<RowsBy>("--by", "WHAT", filter.by,
                      "type: a row for each type of layer; layer: with several GPUs, compare "
                      "layers too; gpu: rank GPUs, types and batches");
  rows.add_flag(
          "--explain{" + std::string(whole_network) + "}", options.request.report.explain,
          "Derive the numbers of the layers of that name, or that fit a pattern with * and "
          "?, instead of listing all, as one does by hand; with --all number by number, with "
          "-o FILE.svg as a picture. Without a name, the network on one screen: what limits it, "
          "what would help")
      ->expected(0, 1)
      ->type_name("[LAYER]");
  rows.add_flag("--compare", options.request.report.compare,
                "Hold two results against each other, of two inputs, GPUs, types or batches: what "
                "changed in all, which layers went, came and changed. Two inputs with two GPUs: "
                "each on its own, in their order");
  rows.repeated(
      "--fail-if", "CONDITION",
      [&](auto& text) {
        options.request.gates.push_back(value_of("--fail-if '" + text + "'", parse_gate(text)));
      },
      "Exit with 3, and say on standard error where, if this holds for a network, as 'expected_ms "
      "> 2.5', or for a layer, as 'layer.share_of_bound < 0.4'; may be repeated. Where something "
      "cannot be evaluated the exit code is 1");
}

void add_output(Rows& rows, Options& options) {
  rows.group("Output");
  rows.parsed(
          "--format", "NAME", [&](auto& name) { options.format = find_output_format(name); },
          "One of " + joined(format_names()) + "; default: table")
      ->check(one_of_names(format_names()));
  rows.add_flag("--json", options.request.json, "Same as --format json");
  rows.repeated(
      "-o,--output", "FILE", [&](auto& path) { options.files.push_back(parse_output_file(path)); },
      "Write to a file in the format of its extension (" + format_extensions() +
          "); may be repeated. .json.gz is PyTorch's recording itself with what is expected of "
          "its kernels, for Perfetto. Standard output then stays empty unless --format is given");
  rows.one_of<ChartKind>("--chart", "NAME", options.request.chart,
                         "What SVG shows: roofline (default), time of each layer, sweep of "
                         "batches, compare GPUs");
  rows.action("--words", Request::Action::list_words, options,
              "What the words and marks of tables mean");
  rows.text("--to-layers", "FILE", options.layer_file,
            "Write the input as a layer file, every layer explicit, to edit or to read again (- "
            "for standard output, then of layers alone); needs no --gpu. FILE.ndjson gets all "
            "layers of all inputs, or those of --top, a layer a line");
}

void add_model(Rows& rows, Options& options) {
  AnalysisOptions& analysis = options.request.analysis[Stack::stated];
  rows.group("Model");
  rows.parsed(
          "--framework", "NAME",
          [&](auto& word) { analysis = options_of(*parse<Framework>(word)); },
          "Who runs the network: " + framework_list() +
              ". Sets --engine, --fuse, --launch and --layout where you do not")
      ->check(one_of_all<Framework>())
      ->trigger_on_parse();  // before other options, which change what it sets
  rows.one_of<Layout>("--layout", "ORDER", options.layout,
                      "Of images whose layers state none: nchw, nhwc (channels last) or blocked; "
                      "default: nchw for fp32 and fp64, else nhwc");
  rows.one_of<FusionKind>("--fuse", "HOW", options.fusion,
                          "none (default); epilogue: batch norms, activations and residual adds "
                          "run inside the convolution or linear layer before them; pointwise: "
                          "chains of them run as one kernel; eager: not even a convolution's bias "
                          "runs inside it");
  rows.one_of<CacheState>(
      "--cache", "STATE", analysis.cache,
      "warm (default) or cold: whether operands are in the L2 cache at the start");
  rows.one_of<LaunchProtocol>(
      "--launch", "HOW", analysis.launch,
      "What starts the kernels: graph (default; the device), stream (library calls; default with "
      "--fuse epilogue), kernel (nothing: durations as a profiler gives them) or eager (a "
      "framework's operators, each at the host's cost)");
  rows.add_flag("--host-copies{pinned}", options.host_copies,
                "Add the copies of a network's input and result over the host link, from pinned "
                "memory or with --host-copies=pageable")
      ->check(one_of_all<HostMemory>());
  rows.one_of<Optimizer>("--optimizer", "NAME", analysis.optimizer,
                         "Of training, for what its memory keeps of each weight: sgd (default), "
                         "momentum or adam");
}

void add_kernel_model(Rows& rows, Options& options) {
  rows.group("Constants of the kernel model");
  rows.shown(
      "--show-model", Request::Action::show_model, options,
      "The constants of a GPU's kernel model, with units, ranges and origins, as a file to edit");
  rows.text("--kernel-model", "FILE", options.kernel_model,
            "Constants from a file, in place of those of the GPU's architecture");
  rows.text("--constants", "PATTERN", options.request.fitted,
            "calibrate: only the constants that fit a pattern with * and ?, such as "
            "'dense.tensor.*'");
  rows.action("--script", Request::Action::write_script, options,
              "calibrate: print a Python file instead, which times layers on your GPU with PyTorch "
              "and writes the CSV to calibrate with: those of the inputs, else built-in ones");
  rows.number(
      "--minutes", "N", [&](double minutes) { options.minutes = minutes; },
      "calibrate --script: how long that takes (default: 10)");
}

void add_mapping(Rows& rows, Options& options) {
  KernelMapping& mapping = options.defaults.mapping;
  rows.group("Kernel mapping, of contractions that state none");
  const Names algorithms(statable_algorithm_names.begin(), statable_algorithm_names.end());
  rows.parsed(
          "--algorithm", "NAME", [&](auto& name) { mapping.algorithm = parse<Algorithm>(name); },
          "The algorithm: " + joined(algorithms))
      ->check(one_of_names(algorithms));
  rows.parsed(
      "--tile", "MxNxK", [&](auto& text) { mapping.tile = parse_tile(text); },
      "The tile MxNxK, as 128x64x8: one block computes M rows and N columns of the product (output "
      "positions by output channels, forward) in steps of K");
  rows.count("--split-k", mapping.split_k, "Blocks that share a tile's sum");
  rows.count("--threads", mapping.threads, "Threads a block");
  rows.count("--stages", mapping.stages, "Stages of the pipeline");
  rows.count("--registers", mapping.registers, "Registers a thread");
  rows.count("--shared-memory-byte", mapping.shared_memory_byte, "Shared memory a block");
}

/// The option's row of the help; `name` with or without dashes.
std::string help_on(const CLI::App& rows, const HelpFormatter& formatter, std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  std::vector<std::string> names;
  for (const CLI::Option* option : rows.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->check_lname(name) || option->check_sname(name))
      return formatter.make_option(option, false);
    for (const std::string& each : option->get_lnames()) names.push_back(each);
  }
  throw UsageError("--help: expected an option, got " + in_quotes(name) +
                   did_you_mean(name, {names.begin(), names.end()}));
}

std::string parse_message(const CLI::App& rows, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : rows.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.starts_with("--") && rows.get_option_no_throw(word) == nullptr)
      return "no option is called " + word + did_you_mean(word, {names.begin(), names.end()}) +
             " (see --help)";
  }
  return std::string(error.what()) + " (see --help)";
}

}  // namespace

std::optional<std::string> read_words(int argc, const char* const* argv, Options& options) {
  options.request.jobs = std::max(1U, std::thread::hardware_concurrency());
  Rows rows;
  rows.footer(std::string(footer));
  const std::size_t width = standard_output_style().width.value_or(100);
  const auto formatter = std::make_shared<HelpFormatter>(std::min<std::size_t>(width, 120));
  rows.formatter(formatter);
  rows.set_version_flag("--version", "roofline " ROOFLINE_VERSION);
  for (const auto add :
       {add_inputs, add_gpus, add_view, add_output, add_model, add_kernel_model, add_mapping})
    add(rows, options);
  rows.finish_groups();
  std::string word;
  for (CLI::Option* option : rows.get_options())
    if (!option->get_positional() && option->get_items_expected_min() > 0) option->check(stated());
  rows.add_option("--complete", word);  // without a group: hidden in the help
  if (argc == 1) return std::string(what_it_does);
  for (int i = 1; i + 1 < argc; ++i)
    if (const std::string_view each = argv[i]; each == "--help" || each == "-h")
      return help_on(rows, *formatter, argv[i + 1]);
  try {
    rows.parse(argc, argv);
    if (!word.empty()) return completions(rows, word);
  } catch (const CLI::CallForHelp&) {
    return rows.help();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::ParseError& error) {
    throw UsageError(parse_message(rows, error, argc, argv));
  }
  return std::nullopt;
}

}  // namespace roofline
