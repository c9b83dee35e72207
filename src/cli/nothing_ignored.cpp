#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "cli/errors.hpp"
#include "cli/request.hpp"
#include "model/gpu_selection.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "results/kernel_table.hpp"

namespace roofline {
namespace {

/// Whether the value's GivenOption::word fits one of the patterns, separated by |.
bool fits_any(const GivenOption& option, std::string_view patterns) {
  while (!patterns.empty())
    if (fits_pattern(option.word, take(patterns, '|'))) return true;
  return false;
}

/// The first given value that fits.
const GivenOption* given(const Request& request, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string_view pattern = take(patterns, '|');
    for (const GivenOption& each : request.given)
      if (fits_pattern(each.word, pattern)) return &each;
  }
  return nullptr;
}

enum class Beside : std::uint8_t { never, always };

struct Combination {
  std::string_view option;
  Beside beside;
  std::string_view others;
  std::string_view why;
};

constexpr std::string_view no_cost = "the cost of an image is of GPUs: expected --by gpu";
constexpr std::string_view not_rows = "expected another format than rows of layers";
constexpr std::string_view row_formats = "--format csv|--format ndjson";
constexpr std::string_view order = "changes are of layers, in the order of their size";
constexpr std::string_view holds_layers = "a layer file holds layers";

constexpr Combination combinations[] = {
    {"--explain*", Beside::never, "--top*|--sort*|--by*",
     "an explanation has no rows; a pattern such as 'conv*' explains several layers"},
    {"--explain*", Beside::never, "--compare", "it derives numbers, and not their change"},
    {"--explain*", Beside::never, "--chart time|--chart sweep",
     "the picture of a layer is its roofline"},
    {"--explain", Beside::never, "--format svg",
     "a picture explains a layer: expected --explain LAYER"},
    {"--compare", Beside::never, "--sort*|--by*", order},
    {"--compare", Beside::never, "--top *%", "expected --top N, for the largest changes"},
    {"--compare", Beside::never, "--chart*", "changes have a picture of their own"},
    {"--explain*|--compare|--by type", Beside::never, row_formats, not_rows},
    {"--by type", Beside::never, "--format svg", "a picture's marks are layers"},
    {"--by gpu|--price*|--max-time*", Beside::never, "--top *%",
     "expected --top N of ranked GPUs, or --by layer for layers"},
    {"--by gpu|--price*|--max-time*", Beside::never,
     "--sort flops|--sort bytes|--sort intensity|--sort lost|--sort error",
     "GPUs are ranked by time or cost; --by layer sorts layers"},
    {"--sort*", Beside::always,
     "--top*|--by gpu|--price*|--max-time*|--chart time|--to-layers*|--format table|--format "
     "csv|--format *json|--format markdown|--format html",
     "marks of a picture have no order: expected --top N or --chart time"},
    {"--by gpu", Beside::never, "--chart*", "a ranking has a picture of its own"},
    {"--by gpu|--sort cost", Beside::never, "--to-layers*", holds_layers},
    {"--price*", Beside::never, "--explain*|--compare|--by layer|--by type|--chart*", no_cost},
    {"--max-time*", Beside::never,
     "--explain*|--compare|--by layer|--by type|--chart*|--to-layers*",
     "it chooses among GPUs: expected --by gpu"},
    {"--chart sweep", Beside::never, "--top*|--sort*", "its marks are networks"},
    {"--fields*", Beside::always, row_formats,
     "expected --format ndjson or csv, which have columns"},
    {"--chart*", Beside::always, "--format svg", "expected --format svg or -o FILE.svg"},
    {"--sort cost", Beside::always, "--price*", "expected what GPUs cost, with --price"},
    {"--assume optimizer*", Beside::always, "--pass training",
     "expected --pass training, whose memory it takes"},
    {"--assume optimizer*", Beside::never,
     "--explain *|--compare|--format csv|--format ndjson|--format svg",
     "it changes a network's memory alone, which is not shown there"},
};

/// What layers as they are read do not depend on.
constexpr std::string_view of_results =
    "--set*|--price*|--max-time*|--framework*|--tuning*|--kernel-model*|--assume*|--explain*|"
    "--compare|--by*|"
    "--pass training";

constexpr std::string_view of_layers =
    "--batch*|--dtype*|--pass*|--dim*|--measured*|--framework*|--tuning*|--kernel*|--assume*|"
    "--sort lost|--sort error";
constexpr std::string_view of_results_of_layers = "--price*|--max-time*|--by*|--explain*";

bool has_type(const Layer& layer, const LayerDefaults& defaults) {
  const DataType type = defaults.dtype;
  return defaults.autocast || layer.dtypes.input == type || layer.dtypes.weight == type ||
         layer.dtypes.output == type;
}

bool is_on(Engine engine, EngineChoice choice) {
  if (choice == EngineChoice::tensor) return is_tensor_engine(engine);
  if (choice == EngineChoice::tf32) return engine == Engine::tf32;
  return choice != EngineChoice::fp16_accumulate || name_of(engine).ends_with("fp16_accumulate");
}

struct AskedRow {
  const Request& request;
  const AskedInput& input;
  const LayerSetting& setting;
  const LayerResult& row;
};

struct LayerOption {
  std::string_view word;
  bool (*is_obeyed)(const AskedRow& of);
  std::string_view why;
  bool is_of_gpu = false;  ///< another GPU may obey it
};

const AnalysisOptions& options_of(const AskedRow& of) {
  return of.request.stated(of.setting.framework);
}
bool may_change(const AskedRow& of) { return !is_fixed(of.input.runs_as.value_or(RunsAs::layers)); }
/// Whether the input is a log or a database: each of its entries states all of itself.
bool is_list_of_runs(const AskedRow& of) { return of.input.ran && may_change(of); }
bool may_fuse(const AskedRow& of) {
  const bool joins_layers = options_of(of).fusion == FusionKind::epilogue ||
                            options_of(of).fusion == FusionKind::pointwise;
  return may_change(of) && (of.input.runs_as || !joins_layers);
}

constexpr LayerOption layer_options[] = {
    {"--dtype amp*", [](const AskedRow& of) { return of.input.under_autocast; },
     "expected what still is to run"},
    {"--pass*", [](const AskedRow& of) { return !is_list_of_runs(of); },
     "all that ran states its pass"},
    {"--dtype*", [](const AskedRow& of) { return has_type(of.row.layer, of.setting.defaults); },
     "all layers state another type"},
    {"--pass*",
     [](const AskedRow& of) {
       if (is_list_of_runs(of)) return true;  // said above
       return options_of(of).training ? may_change(of) || of.row.layer.pass != Pass::fwd
                                      : of.row.layer.pass == of.setting.defaults.pass;
     },
     "all layers state another pass"},
    {"--assume layout*",
     [](const AskedRow& of) { return layout_of(of.row.layer) == options_of(of).layout; },
     "all layers state another layout"},
    {"--assume engine*",
     [](const AskedRow& of) {
       const EngineChoice choice = options_of(of).engine.convolutions;
       // TF32 lowers the bound where the library computes in fp32, too.
       return is_on(of.row.planned_engine, choice) ||
              (choice == EngineChoice::tf32 && is_on(of.row.engine, choice));
     },
     "no layer is computed by it on this GPU", true},
    {"--tuning heuristic",
     [](const AskedRow& of) { return of.row.layer.kernels == KernelSource::heuristic; },
     "no layer is a convolution that PyTorch or a plain library call is yet to run"},
    {"--assume clock=idle",
     [](const AskedRow& of) { return of.row.kernel && of.row.kernel->idle_ratio > 1; },
     "expected one layer alone on a GPU whose clock falls when it is idle", true},
    {"--assume host-copies*",
     [](const AskedRow& of) { return of.row.layer.kind == LayerKind::host_copy; },
     "expected a network that still is to run"},
    {"--assume launch*", may_change, "expected what still is to run"},
    {"--assume fuse*", may_fuse, "expected a network that still is to run"},
    {"--assume optimizer*", [](const AskedRow& of) { return of.input.runs_as && may_change(of); },
     "expected a network that still is to run"},
    {"--assume measured-gpu*",
     [](const AskedRow& of) {
       return of.row.measured_left_out || of.row.layer.measured->gpu == of.request.measured_gpu;
     },
     "expected measured times that name no GPU"},
    {"--kernel *",
     [](const AskedRow& of) { return *of.row.layer.mapping == of.setting.defaults.mapping; },
     "no layer is a contraction of one group that states no mapping"},
};
static_assert(std::size(layer_options) < 32);
constexpr unsigned all_obeyed = (1U << std::size(layer_options)) - 1;

/// A layer file alone, of no batch that depends on a GPU, needs no evaluation.
bool writes_layers_alone(const Request& request) {
  return request.outputs.size() == 1 && request.outputs.front().holds_layers() &&
         request.outputs.front().path.empty() && request.gates.empty() &&
         given(request, "--batch max|--batch best") == nullptr;
}

}  // namespace

void check_combinations(const Request& request) {
  if (const GivenOption* useless = given(request, of_results);
      useless != nullptr && writes_layers_alone(request))
    throw UsageError(useless->shown + " with --to-layers -: expected -o FILE, for results");
  for (const auto& [words, beside, others, why] : combinations) {
    const GivenOption* option = given(request, words);
    const GivenOption* other = given(request, others);
    if (option == nullptr || (other != nullptr) == (beside == Beside::always)) continue;
    throw UsageError(other == nullptr
                         ? fmt::format("{}: {}", option->shown, why)
                         : fmt::format("{} with {}: {}", option->shown, other->shown, why));
  }
}

std::string useless_for(const KernelTable& kernels, const Request& request) {
  std::string useless;
  const auto add = [&](std::string_view patterns) {
    for (const GivenOption& each : request.given)
      if (fits_any(each, patterns)) add_item(useless, each.shown);
  };
  add(of_layers);
  if (!kernels.bounds) add("--set*");
  if (!kernels.recording->has_counters()) add("--sort flops|--sort bytes|--sort intensity");
  return useless;
}

const GivenOption* output_without_layers(const Request& request) {
  return given(request, of_results_of_layers);
}

AskedInput asked_input(const Network& network) {
  return {network.record ? std::nullopt : std::optional(network.runs_as), network.repeats_are_runs,
          network.autocast.has_value()};
}

LayerOptions::LayerOptions(const Request& request) : request_(&request) {
  for (const LayerOption& each : layer_options) given_.push_back(given(request, each.word));
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (given_[i] == nullptr) not_given_ |= 1U << i;
}

unsigned LayerOptions::obeyed(const AskedInput& input, const LayerSetting& setting,
                              const LayerResult& row) const {
  unsigned bits = not_given_;
  const AskedRow asked{*request_, input, setting, row};
  for (std::size_t i = 0; bits != all_obeyed && i < given_.size(); ++i)
    if (given_[i] != nullptr && layer_options[i].is_obeyed(asked)) bits |= 1U << i;
  return bits;
}

bool LayerOptions::may_be_of_gpu(unsigned obeyed) const {
  for (std::size_t i = 0; i < given_.size(); ++i)
    if ((obeyed >> i & 1U) == 0 && layer_options[i].is_of_gpu) return true;
  return false;
}

std::string LayerOptions::problem(unsigned obeyed) const {
  std::string all;
  for (std::size_t i = 0; i < given_.size(); ++i)
    if ((obeyed >> i & 1U) == 0)
      add_item(all, fmt::format("{} changes nothing: {}", given_[i]->shown, layer_options[i].why),
               "; ");
  return all;
}

}  // namespace roofline
