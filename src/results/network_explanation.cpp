#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "results/alternatives.hpp"
#include "roofline/explanation.hpp"
#include "roofline/gpu_setting.hpp"
#include "roofline/view.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_layers = 5;
constexpr double least_speedup = 1.03;
constexpr double tenth = 0.1;

void set_shares(const Result& result, NetworkExplanation& explanation) {
  const double whole_s = result.total.time_s;
  double known_s = 0;
  for (const Limiter limiter : enumerators<Limiter>) {
    explanation.limiter_share[limiter] = share_of(result.total.part_s[limiter], whole_s);
    known_s += result.total.part_s[limiter];
  }
  explanation.other_share = share_of(std::max(0.0, whole_s - known_s), whole_s);
}

std::vector<MainLayer> main_layers(const Result& result) {
  const auto& measured_s = result.total.measured_time_s;
  const bool is_measured = measured_s && *measured_s > 0;
  const double whole_s = is_measured ? *measured_s : result.total.time_s;
  std::vector<MainLayer> layers;
  for (std::vector<std::size_t>& rows : select(result, View{}).groups) {
    MainLayer layer{std::move(rows), 0, 0};
    for (const std::size_t row : layer.rows)
      layer.time_s +=
          is_measured ? *result.layers[row].measured_time_s : time_s(result.layers[row]);
    layer.share = share_of(layer.time_s, whole_s);
    layers.push_back(std::move(layer));
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const MainLayer& a, const MainLayer& b) { return a.time_s > b.time_s; });
  layers.resize(std::min(layers.size(), most_layers));
  return layers;
}

/// What can be changed of a network's run.
struct Setup {
  Network network;
  AnalysisOptions options;
  double work = 1;  ///< times as much as before
};

/// None where it cannot run or does not fit into memory.
std::optional<double> time_of(const Setup& setup, const Gpu& gpu) {
  const Expected<Context> context = make_context(gpu, setup.options);
  if (!context) return std::nullopt;
  const Expected<Result> result = evaluate(setup.network, *context);
  if (!result || fits(*result) == false) return std::nullopt;
  return result->total.time_s / setup.work;
}

/// Ideas of one sort exclude each other.
enum class Sort : std::uint8_t { type, batch, fusion, launch };

struct Idea {
  Sort sort;
  std::string change;
  std::function<void(Setup&)> apply;
};

class Ideas {
 public:
  Ideas(const Result& result, const Context& context, const Network& network)
      : result_(result), context_(context), now_{network, context.options, 1} {}

  std::vector<NetworkChange> worthwhile() {
    half_precision();
    tf32();
    larger_batch();
    fusion();
    graph();
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return a.second.speedup > b.second.speedup;
    });
    std::vector<NetworkChange> changes;
    for (const auto& [idea, change] : found_) changes.push_back(change);
    if (auto together = best_together()) changes.push_back(*std::move(together));
    return changes;
  }

 private:
  std::optional<NetworkChange> change_to(const Setup& setup, std::string change) const {
    const auto time_s = time_of(setup, context_.gpu);
    if (!time_s || *time_s <= 0) return std::nullopt;
    return NetworkChange{std::move(change), *time_s, result_.total.time_s / *time_s};
  }

  /// Whether the idea can be carried out, worth it or not.
  bool add(Idea idea) {
    Setup setup = now_;
    idea.apply(setup);
    auto change = change_to(setup, idea.change);
    const bool runs = change.has_value();
    if (runs && change->speedup >= least_speedup)
      found_.emplace_back(std::move(idea), *std::move(change));
    return runs;
  }

  bool is_inference() const {
    return !result_.setting.training && result_.setting.pass == Pass::fwd;
  }

  void half_precision() {
    std::set<std::string> names;
    for (const LayerResult& row : result_.layers)
      if (may_be_half(row, result_)) names.insert(row.layer.name);
    if (names.empty()) return;
    const bool has_bf16 = context_.gpu.peak_flop_per_s[Engine::bf16].has_value();
    add({Sort::type, has_bf16 ? "fp16 or bf16" : "fp16", [names](Setup& setup) {
           for (Layer& layer : setup.network.layers)
             if (names.contains(layer.name)) set_type(layer, DataType::fp16);
         }});
  }

  void tf32() {
    const bool may_change =
        std::any_of(result_.layers.begin(), result_.layers.end(), [](const LayerResult& row) {
          return row.engine == Engine::fp32 &&
                 info(row.layer.kind).family == KindFamily::contraction;
        });
    if (!may_change || context_.options.engine != EngineChoice::automatic ||
        !context_.gpu.peak_flop_per_s[Engine::tf32])
      return;
    add({Sort::type, "TF32 for fp32 products and convolutions",
         [](Setup& setup) { setup.options.engine = EngineChoice::tf32; }});
  }

  /// The largest of a few that fits.
  void larger_batch() {
    constexpr std::uint64_t factors[] = {8, 4, 2};
    const auto& batch = result_.setting.batch;
    const bool has_samples =
        batch && std::all_of(now_.network.layers.begin(), now_.network.layers.end(),
                             [&](const Layer& layer) { return layer.output.batch == *batch; });
    if (!has_samples || !is_inference()) return;
    for (const std::uint64_t factor : factors)
      if (add({Sort::batch,
               "batch " + std::to_string(factor * *batch) + " in place of " +
                   std::to_string(*batch),
               [factor](Setup& setup) {
                 for (Layer& layer : setup.network.layers) multiply_batch(layer, factor);
                 if (setup.network.batch) *setup.network.batch *= factor;
                 setup.work *= static_cast<double>(factor);
               }}))
        return;
  }

  void fusion() {
    const FusionKind now = context_.options.fusion;
    if ((now != FusionKind::none && now != FusionKind::eager) || !is_inference()) return;
    const auto fuse = [](FusionKind kind) {
      return [kind](Setup& setup) { setup.options.fusion = kind; };
    };
    add({Sort::fusion, "norms, activations, adds fused, as inference engines do",
         fuse(FusionKind::epilogue)});
    add({Sort::fusion, "fused as inference engines do, run as a graph", [](Setup& setup) {
           setup.options.fusion = FusionKind::epilogue;
           setup.options.launch = LaunchProtocol::graph;
         }});
    add({Sort::fusion, "chains of elementwise layers fused, as compilers do",
         fuse(FusionKind::pointwise)});
  }

  void graph() {
    const LaunchProtocol now = context_.launch.protocol;
    if (now != LaunchProtocol::stream && now != LaunchProtocol::eager) return;
    add({Sort::launch, "kernels launched as a graph",
         [](Setup& setup) { setup.options.launch = LaunchProtocol::graph; }});
  }

  /// What the best idea of each sort brings with those of the others; none where there is one sort.
  std::optional<NetworkChange> best_together() const {
    Setup setup = now_;
    std::set<Sort> sorts;
    for (const auto& [idea, change] : found_)
      if (sorts.insert(idea.sort).second) idea.apply(setup);
    return sorts.size() > 1 ? change_to(setup, "the best of each sort together") : std::nullopt;
  }

  const Result& result_;
  const Context& context_;
  Setup now_;
  std::vector<std::pair<Idea, NetworkChange>> found_;
};

/// A person's own ceilings take the place of the part's: they grow with them.
AnalysisOptions grown(AnalysisOptions options, std::string_view what) {
  auto& own = what == "bandwidth" ? options.bandwidth_byte_per_s : options.peak_flop_per_s;
  if (own && what != "l2") *own *= 1 + tenth;
  return options;
}

std::vector<Sensitivity> sensitivities(const Result& result, const Context& context,
                                       const Network& network) {
  constexpr std::string_view things[] = {"bandwidth", "peak", "sms", "clock", "l2"};
  const double now_s = result.total.time_s;
  std::vector<Sensitivity> all;
  const auto add = [&](std::string_view what, double new_s) {
    all.push_back({std::string(what), new_s, share_of(now_s - new_s, now_s)});
  };
  for (const std::string_view what : things) {
    const GpuSetting more{std::string(what), std::string(what), std::nullopt, true, 1 + tenth};
    const Expected<Gpu> gpu = with_settings(context.gpu, {&more, 1});
    if (!gpu) continue;  // the part does not state it
    if (const auto time_s = time_of({network, grown(context.options, what), 1}, *gpu))
      add(what, *time_s);
  }
  add("launch", now_s - tenth * result.total.part_s[Limiter::launch]);
  return all;
}

}  // namespace

NetworkExplanation explain_network(const Result& result, const Context& context,
                                   const std::shared_ptr<const Network>& network) {
  NetworkExplanation explanation;
  set_shares(result, explanation);
  explanation.layers = main_layers(result);
  if (network == nullptr) return explanation;
  if (!network->recording) explanation.changes = Ideas(result, context, *network).worthwhile();
  explanation.sensitivity = sensitivities(result, context, *network);
  return explanation;
}

}  // namespace roofline
