// Where things stand: no text on another, nothing outside the page, marks at the values of hand
// arithmetic.

#include <cmath>

#include "load/loading.hpp"
#include "report/chart/draw.hpp"
#include "report/chart/scale.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

constexpr std::array kinds{ChartKind::roofline, ChartKind::intensity, ChartKind::time};

Report report_on(const std::vector<std::string>& gpus, const std::string& text, DataType type,
                 bool training = false) {
  AnalysisOptions options;
  options.training = training;
  LayerDefaults defaults = at_batch(8);
  defaults.dtype = type;
  std::vector<Context> contexts;
  for (const std::string& gpu : gpus)
    contexts.push_back(make_context(find_gpu(gpu).value(), options).value());
  std::vector<Evaluated> evaluated;
  for (const Context& context : contexts)
    evaluated.push_back({evaluate(load_text(text, defaults), context).value(), &context});
  return make_report(std::move(evaluated), {}, {}).value();
}

/// The texts of pairs that overlap, or that leave the page.
std::vector<std::string> faults(const Scene& scene) {
  std::vector<std::string> found;
  const Box page{0, 0, scene.width, scene.height};
  for (std::size_t i = 0; i < scene.texts.size(); ++i) {
    for (const Box& box : boxes_of(scene.texts[i]))
      if (!contains(page, box)) found.push_back("outside: " + scene.texts[i].text);
    for (std::size_t j = i + 1; j < scene.texts.size(); ++j)
      if (overlap(scene.texts[i], scene.texts[j]))
        found.push_back(scene.texts[i].text + " / " + scene.texts[j].text);
  }
  return found;
}

void check_places(const Report& report) {
  for (const ChartKind kind : kinds) {
    INFO(name_of(kind));
    CHECK(faults(scene_of(charts_of(report, kind), {})) == std::vector<std::string>{});
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

TEST_CASE("A mark stands at its layer's intensity and rate", "[report/chart/places]") {
  // 629,145,600 FLOP over 17,582,848 bytes, measured 80 us: 35.78 FLOP/B, 7.864 TFLOP/s.
  const std::string text = R"({"input": [3, 256, 256], "out_channels": 64, "kernel_size": 5,
                              "padding": 2, "batch": 1, "measured_us": 80})";
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  Result result = analyze(load_text(text), context.gpu);
  result.layers.front().expected_time_s = 100e-6;
  const Report report = make_report({{result, &context}}, {}, {}).value();
  const std::vector<Chart> charts = charts_of(report, ChartKind::roofline);
  const Mark& mark = only_mark(charts);
  CHECK(mark.at.x == Approx(35.7818));
  CHECK(*mark.expected_y == Approx(6.291456e12));
  CHECK(mark.at.y == Approx(7.86432e12));
  CHECK(*mark.bound_y == Approx(15.7e12));
  const Plot& plot = std::get<Plot>(charts.front().panels.front().body);
  const auto ridge = std::find_if(plot.lines.begin(), plot.lines.end(),
                                  [](const Line& line) { return line.label == "ridge 17.44"; });
  REQUIRE(ridge != plot.lines.end());
  CHECK(ridge->path.front().x == Approx(15.7e12 / 900e9));
}

TEST_CASE("A measured time and the model's parts of it are two bars whose shares sum",
          "[report/chart/places]") {
  // A convolution for which the model expects 15 to 60 us: measured longer, and shorter.
  for (const int measured_us : {800, 10}) {
    const std::string text = R"({"input": [64, 56, 56], "out_channels": 64, "kernel_size": 3,
                                "batch": 1, "measured_us": )" +
                             std::to_string(measured_us) + "}";
    const Context context = make_context(find_gpu("v100").value(), {}).value();
    Network network = load_text(text);
    const Result result = evaluate(network, context).value();
    const MeasuredSummary& summary = *result.measured.summary;
    CHECK((summary.unexplained_s > 0) == (measured_us == 800));
    const Report report = make_report({{result, &context}}, {}, {}).value();
    const Panel panel = charts_of(report, ChartKind::time).front().panels.front();
    CHECK(panel.heading == "where the time went (measured total; split by the model)");
    const std::vector<Bar>& bars = std::get<Bars>(panel.body).bars;
    REQUIRE(bars.size() == 2);
    CHECK(bars[0].segments.front().value == Approx(measured_us * 1e-6));
    double parts_s = 0;
    for (const Segment& segment : bars[1].segments) parts_s += segment.value;
    CHECK(parts_s == Approx(std::max(measured_us * 1e-6, summary.expected_s)));
    double shares = 0;
    for (const LegendItem& item : panel.legend)
      shares += std::stod(item.text.substr(item.text.find_last_of(' ')));
    CHECK(shares == Approx(100).margin(0.5));
  }
}

TEST_CASE("Layers without FLOP are counted, not drawn", "[report/chart/places]") {
  const Report report = report_on({"v100"}, R"([{"input": [3, 8, 8], "out_channels": 4,
      "kernel_size": 3}, {"type": "concat", "inputs": [[4, 6, 6], [4, 6, 6]]}])",
                                  DataType::fp32);
  const std::vector<Chart> charts = charts_of(report, ChartKind::roofline);
  only_mark(charts);
  CHECK(charts.front().caption.back().find("Not drawn: 1 layer without FLOP, ") !=
        std::string::npos);
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

TEST_CASE("Symbols of one size cover one area", "[report/chart/places]") {
  for (const Symbol symbol : {Symbol::hexagon, Symbol::square, Symbol::diamond, Symbol::triangle,
                              Symbol::triangle_down, Symbol::plus, Symbol::cross}) {
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
