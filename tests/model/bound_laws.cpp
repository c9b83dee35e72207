// What no bound and no expected time breaks: laws over generated layers of every kind, on every GPU
// of the catalogue. Each GPU takes its share of the layers, whose types and passes change from one
// to the next.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "load/loading.hpp"
#include "model/generated_layers.hpp"
#include "model/layer_kind.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace {

using namespace roofline;

/// A GPU takes every twentieth of 10,250 layers, and the next GPU the next ones. All of them on all
/// GPUs take minutes.
constexpr std::size_t rounds = 250;
constexpr std::size_t layers_a_gpu_skips = 20;

constexpr std::array every_type{DataType::fp32, DataType::tf32, DataType::fp16, DataType::bf16,
                                DataType::int8, DataType::fp8,  DataType::fp64, DataType::fp4};
constexpr std::array every_choice{EngineChoice::automatic, EngineChoice::tf32, EngineChoice::vector,
                                  EngineChoice::tensor, EngineChoice::fp16_accumulate};

const std::vector<Layer>& all_layers() {
  static const std::vector<Layer> all = [] {
    std::vector<Layer> layers = generated::layers(56, rounds, DataType::fp32);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const DataType type = every_type[i % every_type.size()];
      const Pass pass = enumerators<Pass>[i / every_type.size() % count_of<Pass>];
      layers[i].dtypes = {type, type, type};
      if (runs(layers[i], pass)) layers[i].pass = pass;
    }
    return layers;
  }();
  return all;
}

/// The layers of the `index`-th GPU.
std::vector<Layer> layers_of(std::size_t index) {
  std::vector<Layer> own;
  for (std::size_t i = index % layers_a_gpu_skips; i < all_layers().size(); i += layers_a_gpu_skips)
    own.push_back(all_layers()[i]);
  return own;
}

/// The least time by a roofline; none where the GPU does not compute the type, or nothing is done.
std::optional<double> bound_s(const Layer& layer, const Gpu& gpu, EngineChoice choice) {
  const auto engine = fastest_engine(layer, gpu.peak_flop_per_s, choice);
  if (!engine) return std::nullopt;
  const double time_s =
      evaluate(count(layer), *gpu.peak_flop_per_s[*engine], gpu.bandwidth_byte_per_s)
          .roofline_time_s;
  return time_s > 0 ? std::optional(time_s) : std::nullopt;
}

/// The layer with more to compute and no less to move.
std::vector<Layer> with_more_work(const Layer& layer) {
  std::vector<Layer> more;
  const auto add = [&](auto change) { change(more.emplace_back(layer)); };
  add([](Layer& twice) {
    for (Operand& operand : twice.inputs) operand.shape.batch *= 2;
    twice.output.batch *= 2;
  });
  if (!has_window(layer.kind) || info(layer.kind).family != KindFamily::contraction) return more;
  add([](Layer& wider) { wider.inputs.front().shape.channels *= 2; });
  add([](Layer& wider) { wider.output.channels *= 2; });
  add([](Layer& dense) { dense.groups = 1; });
  return more;
}

/// How often a law is broken, and where by most.
struct Broken {
  std::size_t checked = 0;
  std::size_t count = 0;
  double most = 1;
  std::string where;

  /// At most 1 where the law holds; rounding is none of its concern.
  void add(double ratio, const Gpu& gpu, const Layer& layer, std::string_view how) {
    ++checked;
    if (ratio <= 1 + 1e-12) return;
    ++count;
    if (ratio <= most) return;
    most = ratio;
    where = gpu.name + ", " + std::string(how) + ": " + std::string(info(layer.kind).name) + ' ' +
            std::string(name_of(layer.dtypes.input)) + ' ' + std::string(name_of(layer.pass)) +
            ' ' + layer.name;
  }
};

void check(const Broken& law, std::size_t least_checked) {
  INFO(law.where << ": x" << law.most << ", " << law.count << " of " << law.checked);
  CHECK(law.count == 0);
  CHECK(law.checked >= least_checked);
}

}  // namespace

TEST_CASE("More work has no lower bound", "[model/bound_laws]") {
  Broken law;
  const std::vector<Gpu> gpus = all_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (const Layer& layer : layers_of(i))
      for (const EngineChoice choice : every_choice) {
        const auto own_s = bound_s(layer, gpus[i], choice);
        if (!own_s) continue;
        for (const Layer& more : with_more_work(layer))
          if (const auto more_s = bound_s(more, gpus[i], choice))
            law.add(*own_s / *more_s, gpus[i], layer, name_of(choice));
      }
  check(law, 100'000);
}

TEST_CASE("More of a GPU has no higher bound", "[model/bound_laws]") {
  Broken law;
  const std::vector<Gpu> gpus = all_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (const char* setting : {"sms=x1.2", "clock=+10%", "bandwidth=x1.5", "l2=x2", "peak=x3"}) {
      const auto more = with_settings(gpus[i], std::vector{parse_gpu_setting(setting).value()});
      if (!more) continue;  // of a field that the GPU does not state
      for (const Layer& layer : layers_of(i))
        for (const EngineChoice choice : every_choice)
          if (const auto own_s = bound_s(layer, gpus[i], choice))
            law.add(bound_s(layer, *more, choice).value() / *own_s, gpus[i], layer, setting);
    }
  check(law, 100'000);
}

TEST_CASE("No time is expected below the bound where caches are cold and no algorithm saves",
          "[model/bound_laws]") {
  Broken by_roofline;
  Broken by_arithmetic;
  const std::vector<Gpu> gpus = all_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
      AnalysisOptions options;
      options.cache = cache;
      options.launch = LaunchProtocol::kernel;
      const Context context = make_context(gpus[i], options).value();
      for (const Layer& layer : layers_of(i)) {
        if (!select_engine(layer, gpus[i].peak_flop_per_s, EngineChoice::automatic)) continue;
        const auto rows = evaluate_layers({{"laws", "laws.json"}, {layer}}, context).value();
        const LayerResult& row = rows.front();
        if (!row.kernel || saves_macs(row.kernel->algorithm) || row.counts.is_upper_estimate)
          continue;
        const double time_s = *row.expected_time_s();
        const std::string_view algorithm = row.kernel->name();
        by_arithmetic.add(row.point.compute_time_s / time_s, gpus[i], layer, algorithm);
        if (cache == CacheState::cold)
          by_roofline.add(row.point.roofline_time_s / time_s, gpus[i], layer, algorithm);
      }
    }
  check(by_arithmetic, 20'000);
  check(by_roofline, 10'000);
}

TEST_CASE("No expected time is one that the GPU could not reach", "[model/bound_laws]") {
  Broken law;
  const std::vector<Gpu> gpus = all_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    AnalysisOptions options;
    options.launch = LaunchProtocol::kernel;
    const Context context = make_context(gpus[i], options).value();
    for (Layer& layer : layers_of(i)) {
      if (!select_engine(layer, gpus[i].peak_flop_per_s, EngineChoice::automatic)) continue;
      const auto row_of = [&] {
        return evaluate_layers({{"laws", "laws.json"}, {layer}}, context).value().front();
      };
      const LayerResult expected = row_of();
      if (!expected.kernel) continue;
      Measured as_expected{expected.expected_time_s(), std::nullopt, gpus[i].name};
      as_expected.pass = layer.pass;
      layer.measured = as_expected;
      const LayerResult row = row_of();
      REQUIRE(row.measured_time_s);
      law.add(row.below_bound == BelowBound::impossible ? 2 : 1, gpus[i], layer,
              row.kernel->name());
    }
  }
  check(law, 10'000);
}
