#include "cli/options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/output.hpp"
#include "cli/rows.hpp"
#include "cli/unlisted_gpu.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/text.hpp"
#include "results/selection.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

bool explains(const Request& request) {
  return request.report.explain_networks || !request.report.explain.empty();
}

/// Resolves the outputs and rejects contradictory ones.
void set_outputs(Options& options) {
  Request& request = options.request;
  const std::string& layer_file = options.layer_file;
  if (request.json && options.format != nullptr && options.format->name != "json")
    throw UsageError(
        concat("--json and --format ", options.format->name, " contradict each other"));
  if (request.json) options.format = find_output_format("json");
  const bool chooses = request.report.filter.selects();
  const bool writes_records = layer_file.ends_with(".ndjson") || layer_file.ends_with(".jsonl");
  const bool prints_layers = layer_file == "-";
  request.needs.gpu = layer_file.empty() || options.format != nullptr || request.report.compare ||
                      request.chart || explains(request) || !options.files.empty() ||
                      (writes_records && chooses);
  if (options.files.empty() && options.format == nullptr && !prints_layers)
    options.format = find_output_format("table");
  if (prints_layers && options.format != nullptr)
    throw UsageError(
        "--to-layers -: expected nothing else on standard output (-o FILE writes results)");
  request.json = options.format != nullptr && options.format->name == "json";
  if (!layer_file.empty() && !writes_records && chooses)
    throw UsageError("--to-layers " + layer_file +
                     ": expected FILE.ndjson, whose layers stand alone, for a choice of layers");
  using enum Output::What;
  request.outputs = options.files;
  if (!layer_file.empty())
    request.outputs.push_back({!writes_records ? layers
                               : chooses       ? choice
                                               : records,
                               prints_layers ? "" : layer_file});
  if (options.format != nullptr) request.outputs.push_back({report, "", options.format});
  for (const Output& output : request.outputs)
    if (output.format != nullptr) {
      const std::string word = "--format " + std::string(output.format->name);
      request.given.push_back({word, output.path.empty() ? word : "-o " + output.path});
    }
}

void check_inputs(const Request& request) {
  if (!request.inputs.empty()) return;
  if (!request.report.explain.empty())
    throw UsageError(concat("no input: --explain takes ", in_quotes(request.report.explain),
                            " for a layer; give the input first"));
  throw UsageError(
      "no input: give a file, a directory, a built-in network, or - for standard input (see "
      "--help)");
}

/// A layer file holds one batch and one type; rows are chosen on one GPU.
void check_layer_file(const Options& options) {
  const Request& request = options.request;
  const std::string option = "--to-layers " + options.layer_file;
  if (request.settings.size() > 1 && request.writes(Output::What::layers))
    throw UsageError(
        concat(option, ": expected one batch and one data type, of which a network is, got ",
               request.settings.size(), " settings (FILE.ndjson takes the layers of all)"));
  if (request.gpus.size() > 1 && request.writes(Output::What::choice))
    throw UsageError(option + ": expected one GPU, on which layers are chosen, got " +
                     std::to_string(request.gpus.size()));
}

}  // namespace

void set_framework(LayerDefaults& defaults, std::optional<Framework> framework,
                   std::optional<Layout> layout) {
  const bool compiles = framework == Framework::torch_compile;
  defaults.as_pytorch_runs = compiles || framework == Framework::pytorch;
  // PyTorch runs a program in its tensors' layout, compilers in their own, and kernels alone in
  // the layout that they prefer.
  defaults.layout = layout;
  if (layout) return;
  if (compiles || framework == Framework::tensorrt)
    defaults.layout = info(*framework).layout.value_or(usual_layout(defaults.dtype));
  else if (!framework && defaults.dtype_given)
    defaults.layout = usual_layout(defaults.dtype);
}

namespace {

/// A setting for each type and batch.
void add_settings(Options& options, std::size_t framework_index) {
  LayerDefaults defaults = options.defaults;
  std::optional<Framework> framework;
  if (!options.frameworks.empty()) framework = options.frameworks[framework_index];
  std::vector<LayerSetting>& settings = options.request.settings;
  for (const DataType type : options.dtypes) {
    // Autocast runs a network of fp32.
    defaults.dtype = is_tensor_type(type) ? type : DataType::fp32;
    defaults.autocast = is_tensor_type(type) ? std::nullopt : std::optional(type);
    set_framework(defaults, framework, options.layout);
    // A layer file keeps the layouts that a program states, whoever runs it.
    const bool is_written = !options.layer_file.empty() && !framework;
    if (is_written) defaults.layout = options.layout;
    if (options.batches.empty() && options.batch_goals.empty())
      settings.push_back({defaults, std::nullopt, framework_index});
    for (const BatchGoal goal : options.batch_goals)
      settings.push_back({defaults, goal, framework_index});
    for (const std::uint64_t batch : options.batches) {
      settings.push_back({defaults, std::nullopt, framework_index});
      settings.back().defaults.batch_override = batch;
    }
  }
}

}  // namespace

void set_settings(Options& options) {
  LayerDefaults& defaults = options.defaults;
  defaults.limits = options.request.limits = InputLimits{}.raised(options.limits_factor);
  defaults.pass = options.pass.value_or(Pass::fwd);
  defaults.dtype_given = !options.dtypes.empty();
  if (options.dtypes.empty()) options.dtypes = {DataType::fp32};
  const std::size_t frameworks = std::max<std::size_t>(1, options.frameworks.size());
  for (std::size_t i = 0; i < frameworks; ++i) add_settings(options, i);
}

namespace {

/// The options of one framework, or of none.
AnalysisOptions stated_options(const Options& options, std::optional<Framework> framework) {
  AnalysisOptions stated = framework ? options_of(*framework) : AnalysisOptions{};
  for (const auto& set : options.assumed) set(stated);
  stated.training = !options.pass;
  stated.threads = options.request.jobs;
  if (options.layout) stated.layout = options.layout;
  stated.fusion = options.fusion.value_or(stated.fusion);
  const bool is_inference = options.pass == Pass::fwd;
  const bool deploys = framework == Framework::deployed;
  if (deploys && options.fusion)
    throw UsageError(
        "--assume fuse: expected a framework of one way to fuse, got --framework deployed: " +
        std::string(info(Framework::deployed).meaning));
  const bool fuses =
      deploys || stated.fusion == FusionKind::epilogue || stated.fusion == FusionKind::pointwise;
  if (fuses && !is_inference)
    throw UsageError(concat(options.fusion ? concat("--assume fuse=", *options.fusion)
                                           : concat("--framework ", *framework),
                            " is for inference: expected --pass fwd, got ",
                            options.pass ? name_of(*options.pass) : "training"));
  if (!is_inference) stated.fused_attention = false;
  return stated;
}

}  // namespace

void set_analysis(Options& options) {
  Request& request = options.request;
  for (const Framework framework : options.frameworks)
    request.analysis.push_back(stated_options(options, framework));
  if (options.frameworks.empty()) request.analysis.push_back(stated_options(options, std::nullopt));
}

namespace {

void add_files(Request& request, const Gpu& gpu) {
  request.files.insert(request.files.end(), gpu.files.begin(), gpu.files.end());
}

}  // namespace

void set_constants(const Options& options, Request& request) {
  const std::string& path = options.kernel_model;
  if (path.empty()) return;
  request.constants = load_constants(unwrap(read_text(path)), path);
  request.files.push_back(path);
}

void note_problems(const Options& options, const Request& request, std::string_view end) {
  for (const InputError& problem : request.catalogue->problems_besides(options.gpus))
    note(concat(problem.what(), end));
}

namespace {

/// GPUs whose name, aliases, maker and architecture have words that begin with each of these:
/// "rtx 40", "radeon".
std::vector<Gpu> gpus_with_words(std::vector<Gpu> gpus, std::string_view words) {
  std::erase_if(gpus, [&](const Gpu& gpu) {
    const std::string text = lower_case(concat(" ", gpu.name, " ", joined(gpu.aliases, " "), " ",
                                               gpu.vendor, " ", gpu.architecture));
    for (std::string_view rest = words; !rest.empty();) {
      const std::string word = " " + lower_case(take(rest, ' '));
      if (text.find(word) == text.npos) return true;
    }
    return false;
  });
  return gpus;
}

Gpu known_gpu(const std::string& word, const Catalogue& catalogue) {
  Expected<Gpu> gpu = catalogue.find(word);
  if (!gpu) raise_unlisted(gpu.error(), word, catalogue);
  return *std::move(gpu);
}

}  // namespace

void set_gpus(const Options& options, Request& request, bool selects) {
  const Catalogue& catalogue = *request.catalogue;
  std::vector<AskedGpu> selected;
  for (const std::string& word : options.gpus) {
    std::optional<std::vector<Gpu>> found;
    if (selects) found = unwrap(catalogue.select(word));
    if (found) {
      for (Gpu& gpu : *found) selected.push_back({word, std::move(gpu), true});
      continue;
    }
    if (request.action == Request::Action::gpus && !catalogue.find(word)) {
      const std::vector<Gpu> alike = gpus_with_words(catalogue.all(), word);
      for (const Gpu& gpu : alike) selected.push_back({word, gpu, true});
      if (!alike.empty()) continue;
    }
    Gpu gpu = known_gpu(word, catalogue);
    for (const AskedGpu& other : request.gpus)
      if (other.gpu.name == gpu.name && other.gpu.files != gpu.files)
        throw UsageError(concat("--gpu: expected GPUs of different names, got ",
                                in_quotes(gpu.name), " of ", other.word, " and of ", word));
    request.gpus.push_back({word, std::move(gpu)});
  }
  for (AskedGpu& each : selected)
    if (std::ranges::none_of(
            request.gpus, [&](const AskedGpu& other) { return other.gpu.name == each.gpu.name; }))
      request.gpus.push_back(std::move(each));
  if (request.constants != nullptr)
    for (AskedGpu& each : request.gpus) each.gpu.constants = request.constants;
  for (const AskedGpu& each : request.gpus) add_files(request, each.gpu);
  if (options.measured_gpu.empty()) return;
  const Gpu measured_gpu = known_gpu(options.measured_gpu, catalogue);
  request.measured_gpu = measured_gpu.name;
  add_files(request, measured_gpu);
}

namespace {

/// Tables rank several GPUs. Data holds layers, and pictures do while they can be read.
bool ranks_unasked(const Request& request) {
  constexpr std::size_t most_drawn = 8;
  const ReportOptions& report = request.report;
  const bool asks_for_layers = report.compare || explains(request) || request.chart ||
                               (report.filter.sort && !ranks_points(*report.filter.sort)) ||
                               report.filter.cover_share;
  return !asks_for_layers && request.gpus.size() > 1 &&
         std::ranges::all_of(request.outputs, [&](const Output& output) {
           if (output.format == nullptr || output.format->shows_points)
             return output.what != Output::What::choice;
           return output.format->draws() && request.gpus.size() > most_drawn;
         });
}

bool shows_tables(const Request& request) {
  return std::ranges::all_of(request.outputs, [](const Output& output) {
    return output.format == nullptr || output.format->shows_points;
  });
}

/// A longest time ranks, but the table of one GPU's batches is the same with and without it.
bool ranks_by_limit(const Request& request) {
  const bool lists_batches = request.gpus.size() == 1 && request.settings.size() > 1 &&
                             !request.report.filter.selects() && shows_tables(request);
  return request.report.max_time_s && !lists_batches;
}

void set_pairing(const Options& options, Request& request) {
  if (!request.report.compare || request.settings.size() != 1) return;
  const std::vector<std::string>& inputs = request.inputs;
  if (inputs.size() == 2 && options.gpus.size() == 2 && inputs[0] != inputs[1])
    request.pairing = Pairing::input_and_gpu;
  if (inputs.size() == 1 && options.gpus.size() == 1 && !request.gpu_settings.empty())
    request.pairing = Pairing::gpu_and_as_set;
}

void set_prices(const Options& options, Request& request) {
  bool are_used = options.prices.empty() || request.gpus.empty();  // a recording may name its GPU
  for (const auto& [name, per_hour] : options.prices) {
    const Gpu gpu = unwrap(request.catalogue->find(name));
    add_files(request, gpu);
    const std::string called = unwrap(with_settings(gpu, request.gpu_settings)).name;
    const auto [price, is_new] = request.report.price_per_hour.emplace(called, per_hour);
    if (!is_new)
      throw UsageError("--price: expected one price of " + price->first + ", got " +
                       number_text(price->second) + " and " + number_text(per_hour));
    are_used |= std::ranges::any_of(
        request.gpus, [&](const AskedGpu& asked) { return asked.gpu.name == gpu.name; });
  }
  if (!are_used) throw UsageError("--price: expected prices of the GPUs of --gpu, got others");
}

/// --measured: times of a file, of layers by name, or one of the explained or only layer.
void set_measured(const Options& options, Request& request) {
  const std::vector<std::string>& words = options.measured;
  if (words.empty()) return;
  request.jobs = 1;
  const std::string gpu(request.measured_gpu.empty() ? request.only_gpu() : request.measured_gpu);
  std::vector<MeasuredTime> times;
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    const bool is_named = equals != word.npos;
    const auto time_s = stated_time_s(is_named ? word.substr(equals + 1) : word);
    if (time_s && (is_named || words.size() == 1))
      times.push_back({is_named ? word.substr(0, equals) : request.report.explain, *time_s, gpu});
  }
  std::error_code error;
  const std::string& path = words.front();
  const bool looks_timed = path.find_first_of("-0123456789") == 0 || path.find('=') != path.npos;
  const bool is_file = words.size() == 1 && (!looks_timed || std::filesystem::exists(path, error));
  if (times.size() != words.size() && !is_file)
    throw UsageError(
        "--measured: expected a file, or a time above 0 in ns, us, ms or s such as 9.143ms or "
        "conv1=9.143ms, got " +
        in_quotes(joined(words, ",")));
  if (times.size() == words.size()) {
    request.measured = MeasuredTimes(std::move(times));
    return;
  }
  request.measured = MeasuredTimes(path, gpu, request.limits);
  request.files.push_back(path);
}

void set_needs(Request& request) {
  Needs& needs = request.needs;
  const RowFilter& filter = request.report.filter;
  const bool chooses_rows = filter.selects() || filter.by;
  needs.explained_networks = request.report.explain_networks;
  needs.report = request.report.compare || !request.gates.empty();
  needs.layers = request.report.compare || explains(request) || filter.asks_for_layers() ||
                 std::ranges::any_of(request.gates, &Gate::of_layers);
  needs.notes = true;
  needs.leading_rows_alone = needs_leading_rows_alone(filter) && !needs.report &&
                             !explains(request) &&
                             std::ranges::all_of(request.outputs, [](const Output& output) {
                               return output.format != nullptr && output.format->rows() != nullptr;
                             });
  needs.text = std::ranges::any_of(request.outputs, [](const Output& output) {
    return output.format != nullptr && output.format->holds_notes() &&
           output.format->name != "json";
  });
  needs.steps = needs.text && !request.report.compare && !explains(request) &&
                !request.stated().framework && request.stated().fusion == FusionKind::none;
  for (Output& output : request.outputs) {
    const OutputFormat* format = output.format;
    if (output.what == Output::What::choice)
      needs.report = needs.layers = true;
    else if (output.holds_layers())
      needs.networks = true;
    if (format == nullptr) continue;
    if (!chooses_rows && format->rows() != nullptr) {
      output.what = Output::What::rows;
      add_new(needs.rows, format);
      continue;
    }
    needs.report = true;
    // Formats other than pictures show ranked GPUs as points.
    const bool shows_points = format->shows_points || (filter.ranks_gpus() && !format->shows_chart);
    needs.layers = needs.layers || !shows_points;
    if (format->holds_notes()) needs.notes = false;
  }
}

void resolve(int argc, const char* const* argv, Options& options) {
  using enum Request::Action;
  Request& request = options.request;
  request.command = "roofline " + joined(std::span(argv, argv + argc).subspan(1), " ");
  if (auto text = read_words(argc, argv, roofline_program(), options)) {
    request.action = print_text;
    request.text = *std::move(text);
    return;
  }
  if (request.report.explain == whole_network) {
    request.report.explain_networks = true;
    request.report.explain.clear();
  }
  if (request.action == networks || request.action == words || request.action == fields) return;
  if (request.action == evaluate) {
    set_outputs(options);
    check_inputs(request);
    check_combinations(request);
    if (std::optional<RowsBy>& by = request.report.filter.by; !by && !options.prices.empty())
      by = RowsBy::gpu;
  }
  request.catalogue.emplace();
  const bool lists = request.action == gpus && options.gpus.empty();
  if (request.action == evaluate) {
    set_settings(options);
    set_analysis(options);
    set_constants(options, request);
  }
  note_problems(options, request, lists ? " (not listed)" : " (ignored: no GPU of this run)");
  set_gpus(options, request, true);
  if (request.action != evaluate) return;
  check_layer_file(options);
  if (RowFilter& filter = request.report.filter;
      !filter.by && (ranks_unasked(request) || ranks_by_limit(request)))
    filter.by = RowsBy::gpu;
  set_pairing(options, request);
  set_prices(options, request);
  set_measured(options, request);
  set_needs(request);
}

}  // namespace

Request make_request(int argc, const char* const* argv) {
  Options options;
  resolve(argc, argv, options);
  return std::move(options.request);
}

}  // namespace roofline
