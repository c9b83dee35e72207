// Where pictures stop: how many things are drawn, how small they may be, what is too close.

#include <algorithm>

#include "load/loading.hpp"
#include "report/chart/makers.hpp"
#include "report/golden.hpp"
#include "report/sections.hpp"
#include "results/changes.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"

namespace {

using namespace roofline;

Report report_on(const std::vector<std::string>& texts) {
  static const Context context = frozen_context();
  std::vector<Evaluated> evaluated;
  for (const std::string& text : texts)
    evaluated.push_back({evaluate(load_text(text), context).value(), &context});
  return report_of(std::move(evaluated), {}, {}).value();
}

const std::string conv_of_56 = R"("input": [32, 64, 56, 56], "k": 64, "kernel_size": 3)";

Plot plot_of(const std::vector<Chart>& charts) {
  return std::get<Plot>(charts.at(0).panels.at(0).body);
}

std::vector<Bar> bars_of(const Panel& panel) { return std::get<Bars>(panel.body).rows; }

/// Marks with these shares of the time; the numbers that they get.
std::vector<std::size_t> numbers_shown(const std::vector<double>& shares) {
  std::vector<Mark> marks(shares.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    marks[i].label = "layer " + std::to_string(i);
    marks[i].share = shares[i];
  }
  number_longest(marks, false);
  std::vector<std::size_t> numbers;
  for (const Mark& mark : marks) numbers.push_back(mark.number);
  return numbers;
}

/// Points at batches 1, 2, ... of 100 images a second each.
SettingsTable table_of(std::size_t rows) {
  SettingsTable table;
  table.work = "net";
  for (std::size_t i = 1; i <= rows; ++i) {
    SettingRow row;
    row.gpu = "a";
    row.batch = i;
    row.time_s = static_cast<double>(i) / 100;
    row.images_per_s = 100;
    row.time_per_image_s = 0.01;
    table.rows.push_back(row);
  }
  table.best = 0;
  return table;
}

bool has_line(const std::vector<Line>& lines, const std::string& part) {
  return std::ranges::any_of(
      lines, [&](const Line& line) { return line.label.find(part) != line.label.npos; });
}

}  // namespace

TEST_CASE("Marks have numbers up to nine tenths of the time, and from a hundredth of it",
          "[report/chart/thresholds]") {
  CHECK(numbers_shown({0.5, 0.3, 0.011, 0.009}) == std::vector<std::size_t>{1, 2, 3, 0});
  CHECK(numbers_shown({0.5, 0.39, 0.06, 0.05}) == std::vector<std::size_t>{1, 2, 3, 0});
  CHECK(numbers_shown({0.5, 0.41, 0.05, 0.04}) == std::vector<std::size_t>{1, 2, 0, 0});
}

TEST_CASE("Fourteen changes have a bar each, the others one", "[report/chart/thresholds]") {
  Changes changes;
  for (int i = 1; i <= 16; ++i)
    changes.changed.work.push_back(
        {"c" + std::to_string(i), "", Pass::fwd, {1, 0, 0, 0, {}}, {1, i * 1e-3, 0, 0, {}}});
  const std::vector<Bar> bars = bars_of(changes_chart(changes).panels.front());
  REQUIRE(bars.size() == 14 + 1);
  CHECK(bars[0].label == "changed: c16");
  CHECK(bars[14].label == "2 smaller ones");
  CHECK(bars[14].note == "+3.000 ms");  // of 1 and 2 ms
}

TEST_CASE("A comparison draws forty bars, measured rates and what does not fit",
          "[report/chart/thresholds]") {
  Report report;
  SettingsTable table = table_of(45);
  table.rows[1].measured_time_s = 2 * table.rows[1].time_s;
  table.rows[2].fits = false;
  report.points = {{table, select(table, {})}};
  const Chart chart = compare_charts(report).at(0);
  const std::vector<Bar> bars = bars_of(chart.panels.front());
  REQUIRE(bars.size() == 40);
  CHECK(chart.caption == "Not drawn: 5 of 45.");
  CHECK(bars[1].measured == Approx(50));  // images a second, of a time twice as long
  CHECK(bars[2].note.ends_with(", DOES NOT FIT"));
  CHECK_FALSE(bars[1].note.ends_with(", DOES NOT FIT"));
}

TEST_CASE("A sweep names the batch that is nearly as good, unless it is the best",
          "[report/chart/thresholds]") {
  Report report;
  report.sweeps = {table_of(3)};
  const auto says_near = [&](std::size_t near) {
    report.sweeps[0].best = 2;
    report.sweeps[0].near_best_from = near;
    return has_line(plot_of(sweep_charts(report)).lines, "within 5% of the best");
  };
  CHECK(says_near(1));
  CHECK_FALSE(says_near(2));
}

TEST_CASE("A step has the parts that do not round to nothing", "[report/chart/thresholds]") {
  Result result;
  result.measured.verdict.emplace();
  Verdict& verdict = *result.measured.verdict;
  verdict.knows_gaps = true;
  verdict.step_s = 1;
  verdict.part_s[StepPart::copies] = 6e-4;
  verdict.part_s[StepPart::collectives] = 4e-4;
  verdict.part_s[StepPart::bound] = 0.999;
  std::vector<std::string> names;
  const Panel panel = step_panel(result).value();
  for (const LegendItem& item : panel.legend) names.push_back(item.text);
  CHECK(names == std::vector<std::string>{"copies over a link 0.1%", "layers 99.9%"});
}

TEST_CASE("A time of fewer bytes than counted has no ratio and no bound",
          "[report/chart/thresholds]") {
  Report report = report_on({"{" + conv_of_56 + "}"});
  Result& result = report.results[0];
  result.total.measured_time_s = 1e-3;
  result.total.roofline_time_s = 0.5e-3;
  CHECK(time_headline(result) == "1.000 ms measured, x2.00 its roofline");
  result.total.is_overcounted = true;
  CHECK(time_headline(result) == "1.000 ms measured");
  const TableRow row{result, {0}};
  CHECK(bars_of(parts_panel(row)).at(0).bound.has_value());
  result.layers[0].below_bound = BelowBound::fewer_bytes;
  CHECK_FALSE(bars_of(parts_panel(row)).at(0).bound.has_value());
}

TEST_CASE("Roofs a hundredth apart are two lines", "[report/chart/thresholds]") {
  Report report = report_on({"{" + conv_of_56 + "}"});
  Bounds& bounds = report.results[0].bounds;
  const auto has_second = [&](double share) {
    bounds.roofs.change([&](Roofs& roofs) {
      roofs.practical_flop_per_s[Engine::fp32] = share * *roofs.datasheet_flop_per_s[Engine::fp32];
      roofs.practical_byte_per_s = roofs.datasheet_byte_per_s;
    });
    const Plot plot = plot_of(roofline_charts(report));
    return has_line(roofs_of_one(bounds, {Engine::fp32}, plot), "kernels reach");
  };
  CHECK(has_second(0.98));
  CHECK_FALSE(has_second(0.995));
}

TEST_CASE("A mark is under the roof of L2 where less than half of its bytes come from memory",
          "[report/chart/thresholds]") {
  Report report = report_on({R"({"type": "relu", "input": [64, 256, 56, 56]})"});
  LayerResult& row = report.results[0].layers[0];
  const auto is_under_l2 = [&](double share) {
    row.kernel->dram_read_byte = share * static_cast<double>(row.counts.bytes.total);
    row.kernel->dram_write_byte = 0;
    return plot_of(roofline_charts(report)).marks.at(0).bound_is_l2;
  };
  CHECK(is_under_l2(0.49));
  CHECK_FALSE(is_under_l2(0.51));
}

TEST_CASE("A lone mark has one by its bytes at L2 where that would not cover it",
          "[report/chart/thresholds]") {
  Report report = report_on({"{" + conv_of_56 + "}"});
  LayerResult& row = report.results[0].layers[0];
  const auto l2_x = [&](double times) {
    row.kernel->l2_byte = times * static_cast<double>(row.counts.bytes.total);
    return plot_of(roofline_charts(report)).marks.at(0).l2_x;
  };
  CHECK(l2_x(2).value() == Approx(*row.point.intensity_flop_per_byte / 2));
  CHECK_FALSE(l2_x(1.05));
}

TEST_CASE("The sides of a ridge are coloured where they hold for nearly all of the time",
          "[report/chart/thresholds]") {
  Report report = report_on({R"({"layers": [{)" + conv_of_56 + R"(}, {"type": "relu"}]})"});
  Result& result = report.results[0];
  // The activation is left of the ridge and said to be bound by compute.
  result.layers[1].point.bound = Bound::compute;
  const auto sides = [&](double share) {
    for (LayerResult& row : result.layers) row.kernel->part_s = {};
    result.layers[0].kernel->part_s[Limiter::math] = 1 - share;
    result.layers[1].kernel->part_s[Limiter::dram] = share;
    return plot_of(roofline_charts(report)).regions.size();
  };
  CHECK(sides(0.04) == 2);
  CHECK(sides(0.06) == 0);
}

TEST_CASE("Several inputs of one layer have the colours of their kinds, not of their types",
          "[report/chart/thresholds]") {
  const Report report =
      report_on({R"({"dtype": "fp32", "name": "a", "layers": [{)" + conv_of_56 + "}]}",
                 R"({"dtype": "fp16", "name": "b", "layers": [{)" + conv_of_56 + "}]}"});
  const Plot plot = plot_of(roofline_charts(report));
  REQUIRE(plot.marks.size() == 2);
  for (const Mark& mark : plot.marks) CHECK(mark.colour == Colour::blue);
}
