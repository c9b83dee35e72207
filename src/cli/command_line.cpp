#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/help.hpp"
#include "cli/options.hpp"
#include "cli/rows.hpp"
#include "cli/values.hpp"
#include "model/layer_fields.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "roofline/render.hpp"

namespace roofline {

namespace {

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

/// In any of its spellings.
CLI::Validator one_network_type() {
  return one_of_names(network_types(), [](const std::string& word) {
    const auto type = data_type_named(word);
    return type && is_network_type(*type);
  });
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

Keys assumed(Options& options) {
  using Assumed = AnalysisOptions;
  return {
      {"fuse", "", options.fusion},
      {"launch", "", {options, &Assumed::launch}},
      {"layout", "", options.layout},
      {"cache", "", {options, &Assumed::cache}},
      {"clock", "", {options, &Assumed::clock}},
      {"engine", "", {options, &Assumed::engine}},
      {"host-copies", "", {options, &Assumed::host_copies}},
      {"library", "", [&](const std::string& word) { assume_library(word, options); }},
      {"optimizer", "", {options, &Assumed::optimizer}},
      {"measured-gpu", "", options.measured_gpu},
  };
}

Keys mapping_keys(KernelMapping& mapping) {
  const Names algorithms(statable_algorithm_names.begin(), statable_algorithm_names.end());
  Keys keys{{"algorithm", "", [&](auto& name) { mapping.algorithm = parse<Algorithm>(name); },
             one_of_names(algorithms)},
            {"tile", "", [&](auto& text) { mapping.tile = parse_tile(text); }},
            {"block", "", [&](auto& text) { use_block(text, mapping); }}};
  for (const MappingNumber& number : mapping_numbers) {
    std::string name(number.key);
    std::ranges::replace(name, '_', '-');
    keys.push_back({name, "", mapping.*number.member, whole("1000000000")});
  }
  return keys;
}

}  // namespace

// A row an option.

void add_layers(Rows& rows, Options& options) {
  rows.group("Input");
  rows.add({"input", "", options.request.inputs});
  rows.add({"--batch", "LIST,...", [&](const Words& words) { parse_batches(words, options); }});
  rows.add({"--dtype", "LIST,...",
            [&](auto& word) { options.dtypes.push_back(*data_type_named(word)); },
            one_network_type()});
  rows.add({"--pass", "PASS", [&](auto& word) { options.pass = parse<Pass>(word); }, one_pass()});
  rows.add({"--dim", "NAME=N...",
            [&](auto& text) { options.defaults.dimensions.push_back(parse_dimension(text)); }});
}

void add_limits(Rows& rows, Options& options) {
  rows.add({"--raise-limits", "N", options.limits_factor, whole("1000000")});
}

namespace {

void add_input(Rows& rows, Options& options) {
  add_layers(rows, options);
  rows.add({"--measured", "FILE,...", options.measured});
  rows.add({"--jobs", "N", options.request.jobs, whole("1024")});
}

}  // namespace

void add_gpu(Rows& rows, Options& options) {
  rows.group("GPU");
  rows.add({"--gpu", "LIST,...", options.gpus});
}

namespace {

void add_what_if(Rows& rows, Options& options) {
  add_gpu(rows, options);
  rows.add({"--set", "KEY=VALUE,...", [&](auto& text) { parse_what_if(text, options); },
            offered("ceilings=datasheet ceilings=sustained")});
  rows.add({"--max-time", "TIME",
            [&](auto& word) { options.request.report.max_time_s = parse_time(word); }});
  rows.add({"--price", "LIST,...", [&](auto& text) { parse_price(text, options); }});
}

void add_view(Rows& rows, Options& options) {
  ReportOptions& report = options.request.report;
  rows.group("View");
  rows.add({"--top", "N|P%|all", [&](auto& word) { parse_top(word, report.filter); }});
  rows.add({"--sort", "KEY", report.filter.sort});
  rows.add({"--by", "WHAT", report.filter.by});
  rows.add({"--explain", "[LAYER]", report.explain});
  rows.add({"--compare", "", report.compare});
  rows.add({"--fail-if", "CONDITION...", [&](auto& text) { parse_condition(text, options); }});
}

}  // namespace

void add_file(Rows& rows, Options& options) {
  rows.add({"-o,--output", "FILE...",
            [&](auto& path) { options.files.push_back(parse_output_file(path)); }});
}

namespace {

void add_output(Rows& rows, Options& options) {
  rows.group("Output");
  rows.add({"--format", "NAME", [&](auto& name) { options.format = find_output_format(name); },
            one_of_names(format_names())});
  rows.add({"--json", "", options.request.json});
  rows.add(
      {"--fields", "LIST,...", [&](auto& word) { parse_field(word, options.request.fields); }});
  add_file(rows, options);
  rows.add({"--chart", "NAME", options.request.chart});
  rows.add({"--to-layers", "FILE", options.layer_file});
}

}  // namespace

void add_software(Rows& rows, Options& options) {
  rows.group("Software");
  rows.add({"--framework", "LIST,...", options.frameworks});
  rows.add({"--assume", "KEY=VALUE,...", assumed(options)});
}

void add_library(Rows& rows, Options& options) {
  rows.add({"--tuning", "NAME", {options, &AnalysisOptions::tuning}});
  rows.add({"--kernel-model", "FILE", options.kernel_model});
}

void add_one_gpu(Rows& rows, Options& options) {
  rows.add({"GPU", "", options.gpus})->required()->expected(1);
}

namespace {

void add_evaluation(Rows& rows, Options& options) {
  for (const auto add : {add_input, add_what_if, add_view, add_output, add_software})
    add(rows, options);
  rows.add({"--kernel", "KEY=VALUE,...", mapping_keys(options.defaults.mapping)});
  rows.group(seldom);
  add_limits(rows, options);
  rows.add({"--first-line", "N", options.request.first_line, whole("1000000000000000")});
  add_library(rows, options);
}

void add_json(Rows& rows, Options& options) { rows.add({"--json", "", options.request.json}); }

/// Forms of a list: --format as for results, and its short forms.
void add_forms(Rows& rows, Options& options) {
  Request& request = options.request;
  add_json(rows, options);
  rows.add({"--csv", "", request.csv})->excludes("--json");
  const auto set_form = [&request](const std::string& name) {
    request.json = name == "json";
    request.csv = name == "csv";
  };
  rows.add({"--format", "NAME", set_form, one_of_names({"table", "json", "csv"})});
}
void add_gpus(Rows& rows, Options& options) {
  options.request.action = Request::Action::gpus;
  rows.add({"NAME", "", options.gpus})->delimiter(',');
  add_forms(rows, options);
}
void add_kernels(Rows& rows, Options& options) {
  options.request.action = Request::Action::kernels;
  rows.add({"NAME", "", options.gpus})->required()->expected(1);
  add_forms(rows, options);
}
void add_networks(Rows& rows, Options& options) {
  options.request.action = Request::Action::networks;
  add_json(rows, options);
}
void add_word(Rows& rows, Options& options) {
  options.request.action = Request::Action::words;
  rows.add({"WORD", "", options.request.text});
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

std::string parse_message(const Rows& rows, const CLI::ParseError& error, int argc,
                          const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : rows.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (!word.starts_with("--") || rows.get_option_no_throw(word) != nullptr) continue;
    const std::string spelling = rows.new_spelling(word);
    const std::string hint =
        spelling.empty() ? did_you_mean(word, {names.begin(), names.end()}) : ": say " + spelling;
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
  Rows rows(program.name);
  rows.set_version_flag("--version", program.name + " " ROOFLINE_VERSION);
  Rows* active = &rows;
  AddRows add = program.add;
  for (const Subcommand& each : program.subcommands) {
    const auto app = std::make_shared<Rows>(each.name);
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
  const std::span words(argv, static_cast<std::size_t>(argc));
  const auto help = std::ranges::find_if(
      words, [](std::string_view each) { return each == "--help" || each == "-h"; });
  const std::string topic = help != words.end() && help + 1 != words.end() ? *(help + 1) : "";
  const auto describe = [&] { return add_helps(rows, *active, program, topic); };
  const auto help_text = [&] {
    describe();
    return rows.help();
  };
  if (topic == "all") return help_text();
  if (!topic.empty()) return help_on(*active, *describe(), topic);
  try {
    rows.parse(argc, argv);
    if (!word.empty()) {
      describe();
      return completions(rows, word);
    }
    note_given(*active, options.request.given);
  } catch (const CLI::CallForHelp&) {
    return help_text();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + '\n';
  } catch (const CLI::ParseError& error) {
    throw UsageError(parse_message(*active, error, argc, argv));
  }
  return std::nullopt;
}

Program roofline_program() {
  return {"roofline",
          what_it_does,
          footer,
          add_evaluation,
          {{"gpus", add_gpus},
           {"kernels", add_kernels},
           {"fields", add_fields},
           {"networks", add_networks},
           {"words", add_word}}};
}

}  // namespace roofline
