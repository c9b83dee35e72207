#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/explanation.hpp"
#include "results/selection.hpp"
#include "results/steps.hpp"
#include "roofline/gpu.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_layers = 5;
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
  for (std::vector<std::size_t>& rows : select(result, RowFilter{}).groups) {
    MainLayer layer{std::move(rows), 0, 0};
    for (const std::size_t row : layer.rows)
      layer.time_s +=
          is_measured ? *result.layers[row].measured_time_s : time_s(result.layers[row]);
    layer.share = share_of(layer.time_s, whole_s);
    layers.push_back(std::move(layer));
  }
  std::ranges::stable_sort(layers, std::greater(), &MainLayer::time_s);
  layers.resize(std::min(layers.size(), most_layers));
  return layers;
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
    if (!gpu) continue;  // the GPU does not state it
    if (const auto time_s = network_time_s(network, *gpu, context.options)) add(what, *time_s);
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
  if (!network->recording) explanation.changes = advise_network(result, context, *network);
  explanation.sensitivity = sensitivities(result, context, *network);
  return explanation;
}

}  // namespace roofline
