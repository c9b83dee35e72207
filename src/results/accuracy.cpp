#include "roofline/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "results/steps.hpp"

namespace roofline {
namespace {

constexpr std::size_t worst_count = 3;

double ratio_of(const TimedPair& pair) { return pair.predicted_s / pair.measured_s; }

double median(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Accuracy accuracy_of(const std::vector<const LayerResult*>& rows) {
  Accuracy accuracy;
  accuracy.layers = rows.size();
  std::vector<TimedPair> expected;
  std::vector<TimedPair> roofline;
  for (const LayerResult* row : rows) {
    const double measured = *row->measured_time_s;
    expected.push_back({measured, *row->expected_time_s()});
    roofline.push_back({measured, row->point.roofline_time_s});
    accuracy.worst.push_back({row->layer.name, ratio_of(expected.back())});
  }
  accuracy.expected = model_error(expected);
  accuracy.roofline = model_error(roofline);
  std::ranges::stable_sort(accuracy.worst, std::greater(),
                           [](const WorstLayer& each) { return std::fabs(std::log(each.ratio)); });
  if (accuracy.worst.size() > worst_count) accuracy.worst.resize(worst_count);
  return accuracy;
}

}  // namespace

ModelError model_error(const std::vector<TimedPair>& pairs) {
  const auto count = static_cast<double>(pairs.size());
  double log_sum = 0;
  double log_distance = 0;
  std::vector<double> errors;
  for (const TimedPair& pair : pairs) {
    const double log_ratio = std::log(ratio_of(pair));
    log_sum += log_ratio;
    log_distance += std::fabs(log_ratio);
    errors.push_back(std::fabs(ratio_of(pair) - 1));
  }
  const auto share_within = [&](double most) {
    return static_cast<double>(
               std::ranges::count_if(errors, [&](double error) { return error < most; })) /
           count;
  };
  return {std::exp(log_sum / count), std::exp(log_distance / count), median(errors),
          share_within(0.25), share_within(0.3)};
}

std::vector<Accuracy> score(const std::vector<LayerResult>& rows) {
  std::map<std::tuple<LayerClass, DataType, Pass>, std::vector<const LayerResult*>> cells;
  for (const LayerResult& row : rows)
    if (row.expected_time_s() && row.measured_time_s && row.point.roofline_time_s > 0 &&
        is_of_counted_work(row))
      cells[{class_of(row.layer), row.layer.dtypes.input, row.layer.pass}].push_back(&row);
  std::vector<Accuracy> scores;
  for (const auto& [key, cell] : cells) {
    scores.push_back(accuracy_of(cell));
    std::tie(scores.back().layer_class, scores.back().dtype, scores.back().pass) = key;
  }
  return scores;
}

}  // namespace roofline
