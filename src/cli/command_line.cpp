#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rows.hpp"
#include "load/csv.hpp"
#include "model/text.hpp"
#include "report/fields.hpp"
#include "report/text.hpp"

namespace roofline {

namespace {

using Names = std::vector<std::string_view>;

Names format_names() { return each_of(output_formats(), &OutputFormat::name); }

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
  if (word.size() == 3 && word.starts_with("00"))  // of "10,000"
    throw UsageError("--batch: expected numbers without a comma within, such as 10000, got " +
                     in_quotes(word));
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

double parse_time(const std::string& text) {
  const std::optional<double> time_s = stated_time_s(text);
  if (time_s) return *time_s;
  throw UsageError("--max-time: expected a time above 0 in us, ms or s such as 10ms, got " +
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
    throw UsageError(
        "--kernel tile: expected MxNxK, the rows and columns of a block's results and "
        "the step along K, such as 16x16x16, got " +
        in_quotes(text));
  return tile;
}

/// The format with the longest extension of the file's: run.trace.json is a trace.
const OutputFormat* format_of_file(std::string_view file) {
  for (std::size_t dot = file.find('.'); dot != file.npos; dot = file.find('.', dot + 1))
    if (const OutputFormat* format = find_output_format(file.substr(dot + 1)); format != nullptr)
      return format;
  return nullptr;
}

Output parse_output_file(const std::string& path) {
  if (!converted_format(path).empty()) {
    if (!is_installed(picture_converter))
      throw UsageError(
          "-o " + path + ": expected the program " + picture_converter +
          ", which makes .png and .pdf of a picture, got none on the PATH: install it, "
          "or write a .svg");
    return {Output::What::report, path, find_output_format("svg")};
  }
  const std::filesystem::path file(path);
  const OutputFormat* format = format_of_file(file.filename().string());
  if (const std::string extension = file.extension().string(); format == nullptr)
    throw UsageError("-o " + path + ": expected an extension of " + format_extensions() + ", got " +
                     (extension.empty() ? "none" : extension));
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
    "--help OPTION says what one option does, --help all lists the rest; roofline\n"
    "words says what the words of tables mean.\n";

constexpr std::string_view footer =
    "Exit codes: 0 evaluated; 1 something was not; 2 wrong usage; 3 --fail-if holds.";

constexpr std::size_t name_width = 26;

/// The group of the rows that --help all shows alone.
constexpr const char* seldom = "Seldom needed";

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter(std::size_t width, bool shows_all) : width_(width), shows_all_(shows_all) {
    column_width(name_width);
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == seldom && !shows_all_) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
  /// A group that is not shown leaves no blank line.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    constexpr std::string_view gap = "\n\n\n\n";
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    if (const std::size_t at = text.find(gap); at != text.npos) text.erase(at, 1);
    return text;
  }

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
  bool shows_all_;
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
  return one_of_names(names, [names](const std::string& text) { return contains(names, text); });
}
/// In any of its spellings.
CLI::Validator one_network_type() {
  return one_of_names(network_types(), [](const std::string& word) {
    const auto type = data_type_named(word);
    return type && is_network_type(*type);
  });
}
template <Enumeration E>
CLI::Validator one_of_all() {
  return one_of_names({names_of<E>.begin(), names_of<E>.end()});
}

CLI::Validator one_pass() {
  const Names names{"fwd", "dgrad", "wgrad", "training"};
  CLI::Validator check = one_of_names(names);
  return {[check](std::string& text) {
            return text.starts_with("b")
                       ? "expected dgrad, wgrad or training (with fwd), in place of " +
                             in_quotes(text)
                       : check(text);
          },
          "", joined(names, " ")};
}

template <class T>
T value_of(const std::string& option, Expected<T> value) {
  if (!value) throw UsageError(option + ": " + value.error().what());
  return *std::move(value);
}

template <Enumeration E, class Value>
Key one_of(const std::string& name, Value& value, const std::string& meaning) {
  return {name, one_of_all<E>(), [&value](auto& word) { value = *parse<E>(word); }, meaning};
}
template <class Value>
Key count(const std::string& name, Value& value, const std::string& meaning,
          std::string_view most = "1000000000") {
  return {name, within<std::uint64_t>("1", most),
          [&value](auto& word) { value = *number_in<std::uint64_t>(word); }, meaning};
}
/// In place of the frameworks' own.
template <Enumeration E, class Value>
Key assumed(const std::string& name, Options& options, Value AnalysisOptions::*member,
            const std::string& meaning) {
  return {name, one_of_all<E>(),
          [&options, member](auto& word) {
            options.assumed.emplace_back(
                [member, value = *parse<E>(word)](AnalysisOptions& all) { all.*member = value; });
          },
          meaning};
}
std::function<void(const Words&)> each(const std::function<void(const std::string&)>& use) {
  return [use](const Words& words) { std::ranges::for_each(words, use); };
}

/// The values that --complete offers.
CLI::Validator offered(const std::string& words) {
  return {[](std::string&) { return std::string(); }, "", words};
}

/// Each key once.
void use_keys(const std::string& option, const Keys& keys, const Words& words) {
  const Names names = each_of(keys, [](const Key& each) { return std::string_view(each.name); });
  std::set<std::string> given;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const auto found = std::ranges::find(keys, name, &Key::name);
    if (found == keys.end() || name.size() == word.size())
      throw UsageError(option + ": expected KEY=VALUE, of " + joined(names) + ", got " +
                       in_quotes(word) + did_you_mean(name, names));
    std::string value = word.substr(name.size() + 1);
    if (const std::string problem = found->check(value); !problem.empty())
      throw UsageError(fmt::format("{} {}: {}", option, name, problem));
    if (!given.insert(name).second)
      throw UsageError(fmt::format("{}: expected one value of {}, got two", option, name));
    found->use(value);
  }
}

/// "10", "80%", "all"
void parse_top(const std::string& text, RowFilter& filter) {
  filter.all = text == "all";
  const auto share = number_in<double>(text.substr(0, text.size() - 1));
  const auto number = number_in<std::uint64_t>(text);
  if (text.ends_with('%') && share && *share >= 1 && *share <= 100)
    filter.cover_share = *share / 100;
  else if (number.value_or(0) > 0)
    filter.top = number;
  else if (!filter.all)
    throw UsageError("--top: expected a number of rows, a share of the time as 80%, or all, got " +
                     in_quotes(text));
}

void parse_field(std::string word, std::vector<std::string>& fields) {
  std::ranges::replace(word, '.', '_');
  const std::vector<std::string> names = column_names();
  if (!contains(names, word))
    throw UsageError("--fields: expected columns of CSV such as name,bound,expected_time_s, got " +
                     in_quotes(word) + did_you_mean(word, {names.begin(), names.end()}));
  if (contains(fields, word))
    throw UsageError("--fields: expected each column once, got " + in_quotes(word) + " twice");
  fields.push_back(word);
}

void parse_what_if(const std::string& text, Options& options) {
  if (text.starts_with("ceilings="))
    return use_keys("--set",
                    {assumed<CeilingKind>("ceilings", options, &AnalysisOptions::ceilings, {})},
                    {text});
  std::vector<GpuSetting>& all = options.request.gpu_settings;
  const GpuSetting setting = value_of("--set " + text, parse_gpu_setting(text));
  for (const GpuSetting& each : all)
    if (each.name == setting.name && each.engine == setting.engine)
      throw UsageError(fmt::format("--set: expected {} or {}, got both", each.text, text));
  all.push_back(setting);
}

std::string framework_list() {
  std::string all;
  for (const Framework framework : enumerators<Framework>)
    add_item(all, fmt::format("{} ({})", name_of(framework), info(framework).meaning));
  return all;
}

Keys mapping_keys(KernelMapping& mapping) {
  const Names algorithms(statable_algorithm_names.begin(), statable_algorithm_names.end());
  Keys keys{{"algorithm", one_of_names(algorithms),
             [&](auto& name) { mapping.algorithm = parse<Algorithm>(name); }},
            {"tile", stated(), [&](auto& text) { mapping.tile = parse_tile(text); },
             "MxNxK, as 128x64x8: a block computes M rows and N columns in steps of K"}};
  for (const MappingNumber& number : mapping_numbers) {
    std::string name(number.key);
    std::ranges::replace(name, '_', '-');
    keys.push_back(count(name, mapping.*number.member, {}));
  }
  return keys;
}

}  // namespace

CLI::Validator stated() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("expected a value, got an empty one") : std::string();
          },
          ""};
}

Key text(const std::string& name, std::string& value, const std::string& meaning) {
  return {name, stated(), [&value](auto& word) { value = word; }, meaning};
}

void Rows::keys(const char* name, const Keys& keys, std::string help) {
  std::string words;
  for (const Key& key : keys) {
    help += '\n' + key.name + '=';
    const std::string values = key.check.get_name();
    for (std::string_view left = values; !left.empty();) {
      const std::string_view value = take(left, ' ');
      help.append(help.ends_with('=') ? "" : " | ").append(value);
      words.append(key.name).append("=").append(value).append(" ");
    }
    help += (help.ends_with('=') ? "..." : "") + (key.meaning.empty() ? "" : ": " + key.meaning);
    old_names.emplace("--" + key.name, std::string(name) + ' ' + key.name + "=...");
  }
  list(
      name, "KEY=VALUE", [name, keys](const Words& given) { use_keys(name, keys, given); }, help)
      ->check(offered(words));
}

// A row an option, with its help.

void add_layers(Rows& rows, Options& options) {
  rows.group("Input");
  rows.add_option("input", options.request.inputs,
                  "Layer files, models (.pt2, ONNX), recordings, folders, networks, - for a pipe")
      ->type_name("");
  rows.list(
      "--batch", "LIST", [&](auto& words) { parse_batches(words, options); },
      "Batches to compare, as 1,8,64 or 1,2,4,...,1024; max: the largest that fits each GPU; best: "
      "the smallest nearly as fast an image as any");
  rows.list("--dtype", "LIST",
            each([&](auto& word) { options.dtypes.push_back(*data_type_named(word)); }),
            "Types of layers that state none: " + joined(network_types()) +
                " (amp: PyTorch's autocast to fp16)")
      ->check(one_network_type());
  rows.one("PASS",
           {"--pass", one_pass(), [&](auto& word) { options.pass = parse<Pass>(word); },
            "Of layers that state none: fwd (default), dgrad, wgrad, or training for all three"});
  rows.repeated("--dim", "NAME=N", each([&](auto& text) {
                  options.defaults.dimensions.push_back(parse_dimension(text));
                }),
                "Value of a dimension that a model leaves open, or of H or W, the size of the "
                "image that a network begins with; may be repeated");
}

void add_limits(Rows& rows, Options& options) {
  rows.one("N", count("--raise-limits", options.limits_factor,
                      "Let an input be N times as large as usual (text, values, layers, gzip)",
                      "1000000"));
}

namespace {

void add_input(Rows& rows, Options& options) {
  add_layers(rows, options);
  rows.list(
      "--measured", "FILE", [&](auto& words) { options.measured = words; },
      "Times of layers: a CSV or JSON file; or of the one layer, as 9.1ms; or conv1=9.1ms,...; "
      "step=2.58ms of a recording's whole step, timed without the recorder");
  rows.one("N",
           count("--jobs", options.request.jobs,
                 "Threads (default: all cores); the output is the same for any number", "1024"));
}

}  // namespace

void add_gpu(Rows& rows, Options& options) {
  rows.group("GPU");
  rows.list(
      "--gpu", "LIST", [&](auto& words) { options.gpus = words; },
      "By name, alias or file; or all, a maker, an architecture, limits as 'amd>=48GB<=750W'");
}

namespace {

void add_what_if(Rows& rows, Options& options) {
  add_gpu(rows, options);
  rows.list(
          "--set", "KEY=VALUE", each([&](auto& text) { parse_what_if(text, options); }),
          "What if the GPU had another " + settable_gpu_fields() +
              " or peak of an engine: bandwidth=4TB/s, l2=x2, sms=+10%, "
              "fp16_tensor=400TFLOP/s\nceilings=sustained: measured ones, for GPUs that have them")
      ->check(offered("ceilings=datasheet ceilings=sustained"));
  rows.one("TIME", {"--max-time", stated(),
                    [&](auto& word) { options.request.report.max_time_s = parse_time(word); },
                    "Rank GPUs by what takes at most this long for a batch, as 10ms"});
  rows.list(
      "--price", "LIST", each([&](auto& text) { parse_price(text, options); }),
      "What an hour of a GPU costs, for the cost of a million images: h100=2.5USD,t4=0.35USD");
}

void add_view(Rows& rows, Options& options) {
  ReportOptions& report = options.request.report;
  rows.group("View");
  rows.one("N|P%|all",
           {"--top", stated(), [&](auto& word) { parse_top(word, report.filter); },
            "The first N rows, by time unless sorted; those of P% of the time; or every row"});
  rows.one("KEY", one_of<SortBy>("--sort", report.filter.sort,
                                 "Descending " + joined(names_of<SortBy>) +
                                     " (lost, error: of measured layers; cost: of GPUs)"));
  rows.one("WHAT", one_of<RowsBy>(
                       "--by", report.filter.by,
                       "Rows for each layer, type of layer, or gpu (ranks GPUs, types, batches)"));
  rows.add_flag("--explain{" + std::string(whole_network) + "}", report.explain,
                "Derive a layer's numbers (of a name, or a pattern with * and ?); without one, the "
                "network on one screen: what limits it, what would help")
      ->expected(0, 1)
      ->type_name("[LAYER]");
  rows.add_flag("--compare", report.compare,
                "What changed between two inputs, GPUs, types, batches, or with --set");
  rows.repeated(
      "--fail-if", "CONDITION", each([&](auto& text) {
        options.request.gates.push_back(value_of("--fail-if '" + text + "'", parse_gate(text)));
      }),
      "Exit with 3 if it holds, as 'expected_ms > 2.5', 'layer.share_of_bound < 0.4'; may be "
      "repeated");
}

}  // namespace

void add_file(Rows& rows, Options& options) {
  rows.repeated("-o,--output", "FILE",
                each([&](auto& path) { options.files.push_back(parse_output_file(path)); }),
                "Write to a file, of " + format_extensions() + " (.png, .pdf: by " +
                    picture_converter + "); may be repeated");
}

namespace {

void add_output(Rows& rows, Options& options) {
  rows.group("Output");
  rows.one("NAME", {"--format", one_of_names(format_names()),
                    [&](auto& name) { options.format = find_output_format(name); },
                    "One of " + joined(format_names()) + "; default: table"});
  rows.add_flag("--json", options.request.json, "Same as --format json");
  rows.list("--fields", "LIST",
            each([&](auto& word) { parse_field(word, options.request.fields); }),
            "Columns of NDJSON and CSV, as name,bound,roofline_time_s,expected_time_s");
  add_file(rows, options);
  rows.one("NAME", one_of<ChartKind>("--chart", options.request.chart,
                                     "What SVG shows: roofline (default), time of each layer, "
                                     "sweep of batches; of ranked GPUs, their bars alone"));
  rows.one("FILE", text("--to-layers", options.layer_file,
                        "Write the input as a layer file (- for a pipe; needs no --gpu); .ndjson "
                        "takes the layers of all inputs, or those of --top"));
}

}  // namespace

void add_software(Rows& rows, Options& options) {
  using Assumed = AnalysisOptions;
  rows.group("Software");
  rows.list("--framework", "LIST",
            each([&](auto& word) { options.frameworks.push_back(*parse<Framework>(word)); }),
            "Who runs the network: " + framework_list())
      ->check(one_of_all<Framework>());
  rows.keys(
      "--assume",
      {
          one_of<FusionKind>(
              "fuse", options.fusion,
              "what runs inside the kernel of the layer before: norms, activations and adds "
              "(epilogue), chains of them (pointwise), not even a bias (eager)"),
          assumed<LaunchProtocol>("launch", options, &Assumed::launch,
                                  "what starts kernels: nothing (as a profiler times them), the "
                                  "device, library calls, a framework's operators"),
          one_of<Layout>("layout", options.layout, "of images whose layers state none"),
          assumed<CacheState>("cache", options, &Assumed::cache,
                              "whether operands are in L2 at the start"),
          assumed<ClockState>("clock", options, &Assumed::clock,
                              "of a Radeon that runs one layer: of a loop, or of an idle GPU"),
          assumed<EngineChoice>("engine", options, &Assumed::engine, "units for dense layers"),
          assumed<HostMemory>("host-copies", options, &Assumed::host_copies,
                              "adds the copies of input and result over the host link"),
          {"library", stated(),
           [&options](auto& word) {
             const auto library = parse_library_release(word);
             if (!library)
               throw UsageError("--assume library=" + word +
                                ": expected a library and its release, such as cudnn8.0 or "
                                "miopen7.1");
             options.assumed.emplace_back(
                 [library](AnalysisOptions& all) { all.library = library; });
           },
           "release of the GPU's library, as cudnn8.0 or miopen7.1; default: the newest that "
           "data shows"},
          assumed<Optimizer>("optimizer", options, &Assumed::optimizer,
                             "of training, for its memory"),
          text("measured-gpu", options.measured_gpu, "where times were measured that name no GPU"),
      },
      "In place of the framework's, or of the defaults, by commas:");
}

void add_library(Rows& rows, Options& options) {
  using Assumed = AnalysisOptions;
  rows.one(
      "NAME",
      assumed<Tuning>(
          "--tuning", options, &Assumed::tuning,
          "Kernels of convolutions: best (default), the fastest of the library; heuristic, what "
          "the library picks unasked, as PyTorch does without torch.backends.cudnn.benchmark"));
  rows.one("FILE",
           text("--kernel-model", options.kernel_model,
                "Constants of the kernel model, in place of those of the GPU's architecture"));
}

void add_one_gpu(Rows& rows, Options& options) {
  rows.add_option("GPU", options.gpus)->required()->expected(1)->type_name("");
}

namespace {

void add_evaluation(Rows& rows, Options& options) {
  for (const auto add : {add_input, add_what_if, add_view, add_output, add_software})
    add(rows, options);
  rows.keys("--kernel", mapping_keys(options.defaults.mapping),
            "Mapping of contractions that state none, by commas:");
  rows.group(seldom);
  add_limits(rows, options);
  rows.one("N", count("--first-line", options.request.first_line,
                      "Where in a longer text the records begin: names and errors count from there",
                      "1000000000000000"));
  add_library(rows, options);
}

void add_json(Rows& rows, Options& options) {
  rows.add_flag("--json", options.request.json, "As JSON");
}
/// Forms of a list: --format as for results, and its short forms.
void add_forms(Rows& rows, Options& options) {
  Request& request = options.request;
  add_json(rows, options);
  rows.add_flag("--csv", request.csv, "As CSV")->excludes("--json");
  rows.one("NAME", {"--format", one_of_names({"table", "json", "csv"}),
                    [&request](auto& name) {
                      request.json = name == "json";
                      request.csv = name == "csv";
                    },
                    "One of table, json, csv"});
}
void add_gpus(Rows& rows, Options& options) {
  options.request.action = Request::Action::gpus;
  rows.add_option("NAME", options.gpus, "As --gpu takes it")->delimiter(',')->type_name("");
  add_forms(rows, options);
}
void add_kernels(Rows& rows, Options& options) {
  options.request.action = Request::Action::kernels;
  rows.add_option("NAME", options.gpus, "One GPU, as --gpu takes it")
      ->required()
      ->expected(1)
      ->type_name("");
  add_forms(rows, options);
}
void add_networks(Rows& rows, Options& options) {
  options.request.action = Request::Action::networks;
  add_json(rows, options);
}
void add_word(Rows& rows, Options& options) {
  options.request.action = Request::Action::words;
  rows.add_option("WORD", options.request.text, "One of them")->type_name("");
  add_json(rows, options);
}
void add_fields(Rows& rows, Options& options) {
  options.request.action = Request::Action::fields;
  add_json(rows, options);
}

/// Every value that an option was given; options.cpp adds the outputs.
void note_given(const Rows& rows, std::vector<GivenOption>& given) {
  for (const CLI::Option* option : rows.get_options()) {
    const std::string name = option->get_name();
    const bool is_output = name == "--output" || name == "--format" || name == "--json";
    if (option->get_positional() || option->count() == 0 || is_output) continue;
    for (const std::string& value : option->results()) {
      const bool is_flag = option->get_expected_max() == 0 || value == whole_network;
      std::string word = name;
      if (!is_flag) word.append(1, ' ').append(value);
      given.push_back({word == "--top all" ? "--all" : word, word});  // it chooses no rows
    }
  }
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

std::string parse_message(const Rows& rows, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : rows.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!word.starts_with("--") || rows.get_option_no_throw(word) != nullptr) continue;
    std::string hint = did_you_mean(word, {names.begin(), names.end()});
    if (const auto found = rows.old_names.find(word); found != rows.old_names.end())
      hint = ": say " + found->second;
    const bool is_command = rows.get_parent() != nullptr;
    return fmt::format("{}{}{} (see --help)",
                       is_command ? rows.get_name() + " has no option " : "no option is called ",
                       word, hint);
  }
  return std::string(error.what()) + " (see --help)";
}

/// Programs that took over subcommands.
void check_moved(const Program& program, std::string_view word) {
  constexpr std::string_view moved[] = {"calibrate", "model"};
  if (program.name != "roofline" || !contains(moved, word)) return;
  const std::string is_of = word == "model" ? " model GPU" : "";
  throw UsageError(concat(word, ": expected roofline-calibrate", is_of,
                          ", a program of its own beside this one"));
}

}  // namespace

std::optional<std::string> read_words(int argc, const char* const* argv, const Program& program,
                                      Options& options) {
  options.request.jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::string_view first = argc > 1 ? argv[1] : "";
  check_moved(program, first);
  Rows rows(std::string(program.what_it_does), program.name);
  rows.footer(std::string(program.footer));
  const std::size_t width = standard_output_style().width.value_or(100);
  const std::span words(argv, static_cast<std::size_t>(argc));
  const auto help = std::ranges::find_if(
      words, [](std::string_view word) { return word == "--help" || word == "-h"; });
  const std::string topic = help != words.end() && help + 1 != words.end() ? *(help + 1) : "";
  const auto formatter =
      std::make_shared<HelpFormatter>(std::min<std::size_t>(width, 120), topic == "all");
  rows.formatter(formatter);
  rows.set_version_flag("--version", program.name + " " ROOFLINE_VERSION);
  Rows* active = &rows;
  AddRows add = program.add;
  for (const Subcommand& each : program.subcommands) {
    const auto app = std::make_shared<Rows>(each.help, each.name);
    app->formatter(formatter);
    app->disabled(first != each.name);
    rows.add_subcommand(app);
    if (app->get_disabled()) continue;
    active = app.get();
    add = each.add;
  }
  add(*active, options);
  active->finish_groups();
  std::string word;
  for (CLI::Option* option : active->get_options())
    if (!option->get_positional() && option->get_items_expected_min() > 0) option->check(stated());
  rows.add_option("--complete", word)->group("");  // hidden in the help
  if (argc == 1) return std::string(program.what_it_does);
  if (topic == "all") return rows.help();
  if (!topic.empty()) return help_on(*active, *formatter, topic);
  try {
    rows.parse(argc, argv);
    if (!word.empty()) return completions(rows, word);
    note_given(*active, options.request.given);
  } catch (const CLI::CallForHelp&) {
    return rows.help();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::ParseError& error) {
    throw UsageError(parse_message(*active, error, argc, argv));
  }
  return std::nullopt;
}

Program roofline_program() {
  return {
      "roofline",
      what_it_does,
      footer,
      add_evaluation,
      {{"gpus", "List the GPUs, or those that NAME selects; of one, all that is known", add_gpus},
       {"kernels", "List which kernels a GPU's library has for which convolutions", add_kernels},
       {"fields", "List the columns that --fields takes", add_fields},
       {"networks", "List the built-in networks", add_networks},
       {"words", "What the words and marks of tables mean", add_word}}};
}

}  // namespace roofline
