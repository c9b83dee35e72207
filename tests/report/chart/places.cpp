// Where things stand: no text on another, nothing outside the page, marks at the values of hand
// arithmetic.

#include <cmath>
#include <limits>

#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "report/chart/chart.hpp"
#include "report/chart/makers.hpp"
#include "results/report.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

constexpr std::array kinds{ChartKind::roofline, ChartKind::time};

Report report_on(const std::vector<std::string>& gpus, const std::string& text, DataType type,
                 bool training = false, const std::vector<std::uint64_t>& batches = {8}) {
  AnalysisOptions options;
  options.training = training;
  std::vector<Context> contexts;
  for (const std::string& gpu : gpus)
    contexts.push_back(make_context(find_gpu(gpu).value(), options).value());
  std::vector<Evaluated> evaluated;
  for (const Context& context : contexts)
    for (const std::uint64_t batch : batches) {
      LayerDefaults defaults = at_batch(batch);
      defaults.dtype = type;
      evaluated.push_back({evaluate(load_text(text, defaults), context).value(), &context});
    }
  return report_of(std::move(evaluated), {}, {}).value();
}

std::string built_in(std::string_view name) {
  for (const EmbeddedFile& file : embedded_networks())
    if (file.name == name) return std::string(file.text);
  return "";
}

const Plot& plot_of(const Chart& chart, std::size_t panel = 0) {
  return std::get<Plot>(chart.panels.at(panel).body);
}

/// The texts of pairs that overlap, that leave the page, or that cover a mark.
std::vector<std::string> faults(const Scene& scene) {
  std::vector<std::string> found;
  const Box page{0, 0, scene.width, scene.height};
  for (std::size_t i = 0; i < scene.texts.size(); ++i) {
    const Box box = box_of(scene.texts[i]);
    if (!contains(page, box)) found.push_back("outside: " + scene.texts[i].text);
    if (std::ranges::any_of(scene.marks, [&](const Box& mark) { return overlap(box, mark); }))
      found.push_back("on a mark: " + scene.texts[i].text);
    for (std::size_t j = i + 1; j < scene.texts.size(); ++j)
      if (overlap(box, box_of(scene.texts[j])))
        found.push_back(scene.texts[i].text + " / " + scene.texts[j].text);
  }
  return found;
}

void check_places(const Report& report) {
  for (const ChartKind kind : kinds) {
    INFO(name_of(kind));
    for (const double width_px : {page_width, narrow_page_width})
      CHECK(faults(scene_of(charts_of(report, kind), width_px)) == std::vector<std::string>{});
  }
}

const Mark& only_mark(const std::vector<Chart>& charts) {
  REQUIRE(charts.size() == 1);
  const Plot& plot = std::get<Plot>(charts.front().panels.front().body);
  REQUIRE(plot.marks.size() == 1);
  return plot.marks.front();
}

}  // namespace

TEST_CASE("No text of a chart covers another, for any built-in network", "[report/chart/places]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    INFO(file.name);
    const std::string text(file.text);
    check_places(report_on({"v100"}, text, DataType::fp32));
    check_places(report_on({"h200"}, text, DataType::fp16));
    check_places(report_on({"v100", "t4", "h200"}, text, DataType::fp16));
  }
}

TEST_CASE("No text of a chart covers another, in training", "[report/chart/places]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    if (file.name != "resnet50" && file.name != "mobilenet_v2" && file.name != "densenet121")
      continue;
    INFO(file.name);
    check_places(report_on({"v100"}, std::string(file.text), DataType::fp32, true));
  }
}

TEST_CASE("No text of a sweep or a comparison covers another", "[report/chart/places]") {
  for (const std::string name : {"alexnet", "resnet50", "mobilenet_v2"})
    for (const std::vector<std::string>& gpus :
         {std::vector<std::string>{"l4"}, {"v100", "t4", "h200"}}) {
      INFO(name);
      Report report = report_on(gpus, built_in(name), DataType::fp16, false, {1, 2, 8, 64});
      CHECK(faults(scene_of(charts_of(report, ChartKind::sweep))) == std::vector<std::string>{});
      if (gpus.size() == 1) continue;
      report.filter.by = RowsBy::gpu;
      CHECK(faults(scene_of(charts_of(report, std::nullopt))) == std::vector<std::string>{});
    }
}

TEST_CASE("A sweep is a curve of images a second with its best batch", "[report/chart/places]") {
  const Report report = report_on({"l4"}, built_in("resnet50"), DataType::fp16, false, {1, 8, 64});
  const Chart chart = charts_of(report, std::nullopt).front();
  CHECK(chart.title == "resnet50 on NVIDIA L4, fp16");
  const Plot& plot = plot_of(chart);
  REQUIRE(plot.marks.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const SettingRow& row = report.sweeps.front().rows[i];
    CHECK(plot.marks[i].at.x == static_cast<double>(*row.batch));
    CHECK(plot.marks[i].at.y == Approx(static_cast<double>(*row.batch) / row.time_s));
  }
  const std::string best = "best: batch 8, ";
  CHECK(std::ranges::any_of(plot.lines,
                            [&](const Line& line) { return line.label.starts_with(best); }));
  // Several GPUs have a curve each, in one chart.
  const Report many = report_on({"v100", "t4"}, built_in("lenet5"), DataType::fp32, false, {1, 8});
  const std::vector<Chart> charts = charts_of(many, std::nullopt);
  REQUIRE(charts.size() == 1);
  CHECK(plot_of(charts.front()).marks.size() == 4);
}

TEST_CASE("A layer with its operands in L2 is under the roof of L2", "[report/chart/places]") {
  // 4 MiB read and written by the second ReLU, of a V100's 6 MiB: the first one's result is there.
  const Report report = report_on({"v100"}, R"([{"type": "relu", "input": [64, 32, 32]},
      {"type": "relu"}])",
                                  DataType::fp32);
  const Bounds& bounds = report.results.front().bounds;
  const std::vector<Chart> charts = charts_of(report, ChartKind::roofline);
  const Plot& plot = plot_of(charts.front());
  bool any = false;
  for (const Mark& mark : plot.marks) {
    if (!mark.bound_is_l2) continue;
    any = true;
    CHECK(*mark.bound_y == Approx(mark.at.x * bounds.roofs->l2_byte_per_s));
    CHECK(mark.at.y < *mark.bound_y);
  }
  CHECK(any);
}

TEST_CASE("The marks that take longest have numbers, the first of them names",
          "[report/chart/places]") {
  for (const bool of_many : {false, true}) {
    std::vector<Mark> marks(30);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      marks[i].label = "layer " + std::to_string(i);
      marks[i].share = i < 15 ? 0.066 : 0.01 / 15;
    }
    number_longest(marks, of_many);
    const Bars rows = std::get<Bars>(numbered_panel(marks).body);
    REQUIRE(rows.rows.size() == (of_many ? 6 : 10));
    CHECK(rows.rows.front().label == "1 layer 0");
    CHECK(marks.front().number == 1);
    CHECK(marks.back().number == 0);
    CHECK(marks.front().caption == (of_many ? "" : "layer 0 6.6%"));
    CHECK(std::ranges::count_if(marks, [](const Mark& mark) { return !mark.caption.empty(); }) ==
          (of_many ? 0 : 5));
  }
}

TEST_CASE("Layers' bars have the colours of the parts of all time", "[report/chart/places]") {
  const Report report = report_on({"h200"}, built_in("resnet50"), DataType::fp16);
  const std::vector<Chart> charts = charts_of(report, ChartKind::time);
  const Chart& chart = charts.front();
  double parts_s = 0;
  for (const Bar& bar : std::get<Bars>(chart.panels.at(1).body).rows)
    for (const Segment& segment : bar.segments) {
      parts_s += segment.value;
      const auto& legend = chart.panels.front().legend;
      CHECK(std::ranges::any_of(
          legend, [&](const LegendItem& item) { return item.colour == segment.colour; }));
    }
  CHECK(parts_s == Approx(*report.results.front().total.expected_time_s));
}

TEST_CASE("A mark stands at its layer's intensity and rate", "[report/chart/places]") {
  // 629,145,600 FLOP over 17,582,848 bytes, measured 80 us: 35.78 FLOP/B, 7.864 TFLOP/s.
  const std::string text = R"({"input": [3, 256, 256], "out_channels": 64, "kernel_size": 5,
                              "padding": 2, "batch": 1, "gpu": "v100", "measured_us": 80})";
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  Result result = analyze(load_text(text), context.gpu);
  result.layers.front().kernel->part_s = {};
  result.layers.front().kernel->part_s[Limiter::math] = 100e-6;
  const Report report = report_of({{result, &context}}, {}, {}).value();
  const std::vector<Chart> charts = charts_of(report, ChartKind::roofline);
  const Mark& mark = only_mark(charts);
  CHECK(mark.at.x == Approx(35.7818));
  CHECK(*mark.expected_y == Approx(6.291456e12));
  CHECK(mark.at.y == Approx(7.86432e12));
  CHECK(*mark.bound_y == Approx(15.7e12));
  const Plot& plot = std::get<Plot>(charts.front().panels.front().body);
  const auto ridge = std::ranges::find_if(
      plot.lines, [](const Line& line) { return line.label == "ridge 17.44"; });
  REQUIRE(ridge != plot.lines.end());
  CHECK(ridge->path.front().x == Approx(15.7e12 / 900e9));
}

TEST_CASE("The bar of all layers has the parts of the expected time and a tick at the measured one",
          "[report/chart/places]") {
  const std::string text = R"({"input": [64, 56, 56], "out_channels": 64, "kernel_size": 3,
                              "batch": 1, "gpu": "v100", "measured_us": 800})";
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  const Result result = evaluate(load_text(text), context).value();
  const Report report = report_of({{result, &context}}, {}, {}).value();
  const Panel panel = charts_of(report, ChartKind::time).front().panels.front();
  const std::vector<Bar>& bars = std::get<Bars>(panel.body).rows;
  REQUIRE(bars.size() == 1);
  CHECK(bars[0].measured == Approx(800e-6));
  double parts_s = 0;
  for (const Segment& segment : bars[0].segments) parts_s += segment.value;
  CHECK(parts_s == Approx(*result.total.expected_time_s));
  double shares = 0;
  for (const LegendItem& item : panel.legend)
    if (item.sign == LegendItem::Sign::bar)
      shares += std::stod(item.text.substr(item.text.find_last_of(' ')));
  CHECK(shares == Approx(100).margin(0.5));
}

TEST_CASE("Layers without FLOP are counted, not drawn", "[report/chart/places]") {
  const Report report = report_on({"v100"}, R"([{"input": [3, 8, 8], "out_channels": 4,
      "kernel_size": 3}, {"type": "concat", "inputs": [[4, 6, 6], [4, 6, 6]]}])",
                                  DataType::fp32);
  const std::vector<Chart> charts = charts_of(report, ChartKind::roofline);
  only_mark(charts);
  CHECK(charts.front().caption.find("Not drawn: 1 layer without FLOP, ") != std::string::npos);
}

TEST_CASE("Ticks are round and have engineering units", "[report/chart/places]") {
  const auto texts = [](const Axis& axis, std::size_t majors) {
    std::string all;
    for (const Tick& tick : ticks_of(axis, majors))
      if (!tick.text.empty()) all += (all.empty() ? "" : ", ") + tick.text;
    return all;
  };
  CHECK(texts({"", "FLOP/s", true, 3e9, 2e12}, 8) == "10 GFLOP/s, 100 GFLOP/s, 1 TFLOP/s");
  CHECK(texts({"", "", true, 0.05, 2000}, 8) == "0.1, 1, 10, 100, 1k");
  CHECK(texts({"", "", true, 3, 80}, 8) == "5, 10, 20, 50");
  CHECK(texts({"", "", true, 1, 1e12}, 4) == "1, 1k, 1M, 1G, 1T");
  CHECK(texts({"", "s", false, 0, 3.5e-3}, 4) == "0, 1 ms, 2 ms, 3 ms");
  CHECK(texts({"", "s", false, 0, 42e-6}, 6) == "0, 10 us, 20 us, 30 us, 40 us");
  const Scale scale({"", "", true, 1, 10000}, 0, 400);
  CHECK(scale(100) == Approx(200));
  CHECK(Scale({"", "", false, 0, 4}, 10, 90)(3) == Approx(70));
}

// Counters of 1e-308 FLOP and peaks of 1e308 were a ratio of infinity, and places that are none.
TEST_CASE("An axis may span all numbers that there are", "[report/chart/places]") {
  const double smallest = std::numeric_limits<double>::denorm_min();
  const double largest = std::numeric_limits<double>::max();
  const Axis axis{"", "", true, smallest / 2, largest * 2};
  const Scale scale(axis, 0, 632);
  CHECK(scale(smallest) == Approx(0).margin(1));
  CHECK(scale(1) == Approx(324).margin(1));
  CHECK(scale(largest) == Approx(632).margin(1));
  for (const Tick& tick : ticks_of(axis, 8)) CHECK(std::isfinite(scale(tick.value)));
  CHECK(Scale({"", "", true, 7e-312, 3e14}, 0, 100)(1e12) == Approx(99.2).margin(0.1));
}

TEST_CASE("Symbols of one size cover one area", "[report/chart/places]") {
  for (const Symbol symbol :
       {Symbol::hexagon, Symbol::square, Symbol::diamond, Symbol::triangle, Symbol::triangle_down,
        Symbol::plus, Symbol::cross, Symbol::pentagon}) {
    std::string path = symbol_path(symbol, 500, 500, 100);
    std::vector<Position> corners;
    for (char& c : path)
      if (c == 'M' || c == 'L' || c == 'Z' || c == ',') c = ' ';
    std::istringstream numbers(path);
    for (Position place; numbers >> place.x >> place.y;) corners.push_back(place);
    double area = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Position& a = corners[i];
      const Position& b = corners[(i + 1) % corners.size()];
      area += (a.x * b.y - b.x * a.y) / 2;
    }
    INFO(path);
    CHECK(std::fabs(area) == Approx(31415.9).epsilon(0.005));
  }
}

// Found by fuzzing: a step that is 0, or no number, never comes to an end.
TEST_CASE("An axis between any two numbers has an end", "[report/chart/places]") {
  for (const double high : {5e-324, 1e-320, 1e-308, 1.0, 1e308, std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::infinity()}) {
    Axis axis;
    axis.high = high;
    INFO(high);
    CHECK(ticks_of(axis, 8).size() <= 21);
  }
}
