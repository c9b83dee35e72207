#include "roofline/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <tuple>

#include "model/ranges.hpp"
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
  const auto expected_of = [](const LayerResult* row) {
    return TimedPair{*row->measured_time_s, *row->expected_time_s()};
  };
  const auto roofline_of = [](const LayerResult* row) {
    return TimedPair{*row->measured_time_s, row->point.roofline_time_s};
  };
  accuracy.expected = model_error(each_of(rows, expected_of));
  accuracy.roofline = model_error(each_of(rows, roofline_of));
  accuracy.worst = each_of(rows, [&](const LayerResult* row) {
    return WorstLayer{row->layer.name, ratio_of(expected_of(row))};
  });
  std::ranges::stable_sort(accuracy.worst, std::greater(),
                           [](const WorstLayer& each) { return std::fabs(std::log(each.ratio)); });
  if (accuracy.worst.size() > worst_count) accuracy.worst.resize(worst_count);
  return accuracy;
}

}  // namespace

ModelError model_error(const std::vector<TimedPair>& pairs) {
  const auto count = static_cast<double>(pairs.size());
  const auto log_ratio = [](const TimedPair& pair) { return std::log(ratio_of(pair)); };
  const double log_sum = sum_over(pairs, log_ratio);
  const double log_distance =
      sum_over(pairs, [&](const TimedPair& pair) { return std::fabs(log_ratio(pair)); });
  const std::vector<double> errors =
      each_of(pairs, [](const TimedPair& pair) { return std::fabs(ratio_of(pair) - 1); });
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
