#include <algorithm>
#include <iterator>
#include <tuple>

#include "report/chart/makers.hpp"

namespace roofline {
namespace {

bool share_a_chart(const Result& a, const Result& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1) return true;
  const auto work = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.batch, result.setting.dtype, result.setting.training,
                    result.setting.pass);
  };
  return work(a) == work(b) && a.setting.gpu != b.setting.gpu;
}

}  // namespace

std::vector<Work> works_of(const Report& report) {
  std::vector<Work> works;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const auto fitting = std::find_if(works.begin(), works.end(), [&](const Work& work) {
      return share_a_chart(report.results[work.front()], report.results[i]);
    });
    if (fitting == works.end())
      works.push_back({i});
    else
      fitting->push_back(i);
  }
  return works;
}

std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind) {
  const ChartKind own = report.filter.ranks_gpus() && !report.comparisons.empty()
                            ? ChartKind::compare
                        : report.sweeps.empty() ? ChartKind::roofline
                                                : ChartKind::sweep;
  switch (kind.value_or(own)) {
    case ChartKind::roofline: return roofline_charts(report);
    case ChartKind::intensity: return intensity_charts(report);
    case ChartKind::time: return time_charts(report);
    case ChartKind::sweep: return sweep_charts(report);
    case ChartKind::compare: return compare_charts(report);
  }
  return {};
}

std::vector<Chart> charts_of(const Report& report, std::optional<ChartKind> kind) {
  if (!report.explanations.empty()) return explained_charts(report);
  std::vector<Chart> charts = kernel_charts(report, kind);
  if (!report.results.empty() || report.kernels.empty()) {
    std::vector<Chart> layers = layer_charts(report, kind);
    charts.insert(charts.begin(), std::make_move_iterator(layers.begin()),
                  std::make_move_iterator(layers.end()));
  }
  if (charts.empty() && !report.kernels.empty())
    throw InputError(std::string(name_of(*kind)) +
                     " chart: expected layers, or kernels with counters and their GPU, got kernels "
                     "alone; --chart time draws these");
  return charts;
}

}  // namespace roofline
