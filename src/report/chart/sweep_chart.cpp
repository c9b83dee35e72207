// The time of each part of a network against the batch.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Of the parts of sweep_parts, all but the total.
constexpr std::array colours{Colour::grey, Colour::blue, Colour::vermillion, Colour::purple,
                             Colour::green};
static_assert(colours.size() + 1 == sweep_parts.size());

std::string mark_of(const Sweep& sweep, const SweepRow& row) {
  if (!row.fits.value_or(true)) return ", DOES NOT FIT";
  return sweep.best_batch == row.batch ? ", best" : "";
}

Panel panel_of(const Sweep& sweep, bool an_image) {
  Panel panel;
  panel.heading = an_image ? "time an image" : "time of a batch";
  Bars bars;
  bars.axis = {"time", "s", false, 0, 0};
  for (const SweepRow& row : sweep.rows) {
    const double images = an_image ? static_cast<double>(row.batch) : 1;
    const double total = row.total_s / images;
    Bar bar;
    bar.label = fmt::format("batch {}", row.batch);
    bar.note = an_image ? fmt::format("{}, {} images/s{}", duration(total), plain(row.images_per_s),
                                      mark_of(sweep, row))
                        : duration(total);
    for (std::size_t i = 0; i < colours.size(); ++i)
      if (const double seconds = row.*sweep_parts[i].seconds / images; seconds > 0)
        bar.segments.push_back(
            {seconds, colours[i],
             fmt::format("{} at batch {}: {}, {}", sweep_parts[i].name, row.batch,
                         duration(seconds), percent(seconds / total))});
    bar.bound = row.roofline_time_s / images;
    bars.axis.high = std::max({bars.axis.high, total, *bar.bound});
    bars.bars.push_back(std::move(bar));
  }
  panel.body = std::move(bars);
  for (std::size_t i = 0; i < colours.size(); ++i)
    if (std::any_of(sweep.rows.begin(), sweep.rows.end(),
                    [&](const SweepRow& row) { return row.*sweep_parts[i].seconds > 0; }))
      panel.legend.push_back({std::string(sweep_parts[i].name),
                              LegendItem::Sign::bar,
                              colours[i],
                              Symbol::square,
                              {}});
  panel.legend.push_back(
      {"roofline bound", LegendItem::Sign::thin_bar, Colour::ink, Symbol::square, {}});
  return panel;
}

}  // namespace

std::vector<Chart> sweep_charts(const Report& report) {
  if (report.sweeps.empty() && !report.results.empty())
    throw InputError("sweep chart: expected two batches or more, got one", Remedy::batches);
  std::vector<Chart> charts;
  for (const Sweep& sweep : report.sweeps) {
    Chart chart;
    chart.title = fmt::format("{} on {}", sweep.network, sweep.gpu);
    chart.subtitle = "expected time of each part against the batch";
    chart.panels = {panel_of(sweep, true), panel_of(sweep, false)};
    chart.caption = {
        "Expected time of a library's kernels. An image: the batch's time over its images. A "
        "roofline longer than its bar: operands in L2, or MACs saved (Winograd, FFT)."};
    if (sweep.near_best_from && sweep.near_best_from != sweep.best_batch)
      chart.caption.push_back(
          fmt::format("From batch {0} to {1}, an image takes at most 5% longer than at batch {1}.",
                      *sweep.near_best_from, *sweep.best_batch));
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace roofline
