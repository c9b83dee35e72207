#include "results/farthest_point_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

constexpr std::size_t coordinates = 10;
using LayerPoint = std::array<double, coordinates>;

double positions_of(const Axes& axes) {
  return static_cast<double>(axes[0]) * static_cast<double>(axes[1]) * static_cast<double>(axes[2]);
}

double flop_of_an_element(const Layer& layer) {
  const Shape& output = layer.output;
  return static_cast<double>(count(layer).flops) /
         (static_cast<double>(output.batch) * static_cast<double>(output.channels) *
          positions_of(output.spatial));
}

LayerPoint point_of(const Layer& layer) {
  const Shape& input = layer.inputs.front().shape;
  const Shape& output = layer.output;
  return {std::log2(static_cast<double>(input.batch)),
          std::log2(static_cast<double>(input.channels)),
          std::log2(positions_of(input.spatial)),
          std::log2(static_cast<double>(output.channels)),
          std::log2(positions_of(output.spatial)),
          std::log2(positions_of(layer.window->kernel)),
          std::log2(positions_of(layer.window->stride)),
          std::log2(static_cast<double>(layer.groups)),
          std::log2(static_cast<double>(layer.inputs.size())),
          std::log2(1 + flop_of_an_element(layer))};
}

double squared_distance(const LayerPoint& a, const LayerPoint& b) {
  double sum = 0;
  for (std::size_t i = 0; i < coordinates; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

LayerPoint mean_of(const std::vector<LayerPoint>& points) {
  LayerPoint mean{};
  for (const LayerPoint& point : points)
    for (std::size_t i = 0; i < coordinates; ++i)
      mean[i] += point[i] / static_cast<double>(points.size());
  return mean;
}

}  // namespace

std::vector<std::size_t> farthest_point_order(const std::vector<Layer>& layers, std::size_t most) {
  std::vector<std::size_t> order;
  if (layers.empty() || most == 0) return order;
  std::vector<LayerPoint> points;
  points.reserve(layers.size());
  for (const Layer& layer : layers) points.push_back(point_of(layer));
  const LayerPoint mean = mean_of(points);
  std::size_t next = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (squared_distance(points[i], mean) < squared_distance(points[next], mean)) next = i;
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
  while (order.size() < std::min(most, points.size())) {
    order.push_back(next);
    for (std::size_t i = 0; i < points.size(); ++i)
      distance[i] = std::min(distance[i], squared_distance(points[i], points[order.back()]));
    distance[next] = -1;  // taken
    next = static_cast<std::size_t>(std::max_element(distance.begin(), distance.end()) -
                                    distance.begin());
  }
  return order;
}

}  // namespace roofline
