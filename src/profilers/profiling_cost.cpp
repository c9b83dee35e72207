#include "profilers/profiling_cost.hpp"

#include <algorithm>

namespace roofline {
namespace {

constexpr double least_share_kept = 0.1;

double reduced(double time_s, double cost_s) {
  return std::max(time_s - cost_s, time_s * least_share_kept);
}

double sum_s(const std::vector<LayerTime>& layers, double cost_s) {
  double sum = 0;
  for (const LayerTime& layer : layers) sum += reduced(layer.time_s, cost_s);
  return sum;
}

}  // namespace

double take_off_profiling_cost(std::vector<LayerTime>& layers, double latency_s) {
  if (sum_s(layers, 0) <= latency_s) return 0;
  // The sum falls as the cost grows: halve the interval that holds the cost.
  double least_s = 0;
  double most_s = 0;
  for (const LayerTime& layer : layers) most_s = std::max(most_s, layer.time_s);
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle_s = (least_s + most_s) / 2;
    (sum_s(layers, middle_s) > latency_s ? least_s : most_s) = middle_s;
  }
  for (LayerTime& layer : layers) layer.time_s = reduced(layer.time_s, most_s);
  return most_s;
}

}  // namespace roofline
