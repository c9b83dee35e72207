// What a picture says at first sight: its title, its first bars, the words beside its marks.

#include "cli/process.hpp"
#include "load/loading.hpp"
#include "report/chart/chart.hpp"
#include "report/chart/makers.hpp"
#include "results/changes.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

const std::string step =
    ROOFLINE_SOURCE_FOLDER "/tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz";
// 7,398,752,256 FLOP: 471.3 us at a V100's 15.7 TFLOP/s. Winograd needs fewer MACs.
const std::string winograd = R"({"name": "c", "type": "conv", "input": [64, 56, 56], "batch": 32,
    "out_channels": 64, "kernel_size": 3, "padding": 1})";

std::string picture(const TemporaryFolder& folder, const std::string& arguments) {
  const Outcome outcome = run(folder, "roofline " + arguments + " --format svg");
  CHECK(outcome.exit_code == 0);
  return outcome.out;
}

bool says(const std::string& svg, const std::string& text) {
  return svg.find('>' + text + '<') != svg.npos;
}

/// A network of one GPU at a batch, as a point of a table.
SettingRow point(const std::string& gpu, double images_per_s, double factor) {
  SettingRow row;
  row.gpu = gpu;
  row.batch = 1;
  row.time_s = 1 / images_per_s;
  row.images_per_s = images_per_s;
  row.time_per_image_s = row.time_s;
  row.expected_uncertainty = Uncertainty{factor, factor, UncertaintyBasis::datasheet};
  return row;
}

std::vector<Bar> bars_of(const Chart& chart) {
  return std::get<Bars>(chart.panels.front().body).rows;
}

}  // namespace

TEST_CASE("A ranking has one bar a GPU, and those tied with the first are light",
          "[report/chart/answers]") {
  SettingsTable table;
  table.work = "net";
  table.ranked_by = SortBy::time;
  table.rows = {point("a", 100, 1.2), point("b", 80, 1.1), point("c", 70, 1.1)};
  table.rows[0].rank = table.rows[1].rank = 1;
  table.rows[0].tied = table.rows[1].tied = true;
  Report report;
  report.points = {{table, select(table, {})}};
  const Chart chart = compare_charts(report).at(0);
  CHECK(chart.title == "net, mixed, batch 1");
  CHECK(chart.subtitle == "a first: 100.0 images/s; b ties with it within x1.25");
  const std::vector<Bar> bars = bars_of(chart);
  REQUIRE(bars.size() == 3);
  const std::pair<double, Colour> expected[] = {
      {100, Colour::blue}, {80, Colour::sky}, {70, Colour::grey}};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    CHECK(bars[i].segments.at(0).value == Approx(expected[i].first));
    CHECK(bars[i].segments.at(0).colour == expected[i].second);
  }
  CHECK(bars[1].whisker->low == Approx(80 / 1.1));
  CHECK(bars[1].whisker->high == Approx(80 * 1.1));
}

TEST_CASE("Changes are differences alone, the largest first", "[report/chart/answers]") {
  const auto change = [](const char* name, double before_s, double after_s) {
    return Change{name, "", Pass::fwd, {1, before_s, 0, 0, {}}, {1, after_s, 0, 0, {}}};
  };
  Changes changes;
  changes.times = ChangesOf::expected;
  changes.before_run.work_s = 10e-3;
  changes.after_run.work_s = 7e-3;
  changes.gone = {{change("old", 4e-3, 0)}, 4e-3, 0};
  changes.come = {{change("new", 0, 2e-3)}, 0, 2e-3};
  changes.changed = {{change("c", 6e-3, 5e-3)}, 6e-3, 5e-3};
  const Chart chart = changes_chart(changes);
  CHECK(chart.title == "10.00 ms -> 7.000 ms expected: -3.000 ms, x0.70");
  const std::vector<Bar> bars = bars_of(chart);
  REQUIRE(bars.size() == 3);
  const struct {
    const char* label;
    double change_ms;
    Colour colour;
    const char* note;
  } differences[] = {{"went: old", -4, Colour::blue, "-4.000 ms"},
                     {"came: new", 2, Colour::vermillion, "+2.000 ms"},
                     {"changed: c", -1, Colour::blue, "-1.000 ms"}};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    CHECK(bars[i].label == differences[i].label);
    CHECK(bars[i].segments.front().value == Approx(differences[i].change_ms / 1e3));
    CHECK(bars[i].segments.front().colour == differences[i].colour);
    CHECK(bars[i].note == differences[i].note);
  }
}

TEST_CASE("A recording's picture begins with its step, idle time by cause",
          "[report/chart/answers]") {
  const TemporaryFolder folder;
  const std::string svg = picture(folder, step);
  for (const char* text : {"where a step goes", "idle, waiting for the host&#39;s launches 6.9%",
                           "idle, launched work not yet started 18.3%", "layers 74.8%"})
    CHECK(says(svg, text));
  CHECK(svg.find("(5.008 ms with it), GPU idle 25.2%") < svg.find("arithmetic intensity"));
  CHECK(run(folder, "roofline " + step + " -o x.html").exit_code == 0);
  const std::string page = read_file(folder / "x.html");
  CHECK(page.find("batch 32, fwd, nhwc: a step of about 2.996 ms (2.6 to 3.4) without the recorder "
                  "(5.008 ms with it), GPU idle 25.2%</h1>") != page.npos);
  // The table's rows follow.
  const std::string table = run(folder, "roofline " + step).out;
  REQUIRE(table.find("\nidle, waiting for the host's launches  206.0 us") != table.npos);
  CHECK(page.find("left\">idle, waiting for the host&#39;s launches</th><td>206.0 us</td>") !=
        page.npos);
}

TEST_CASE("The page of a layer that is explained has its picture and its text",
          "[report/chart/answers]") {
  const TemporaryFolder folder;
  const std::string line = "roofline notebook_conv --gpu v100 --explain conv";
  CHECK(run(folder, line + " -o x.html").exit_code == 0);
  const std::string page = read_file(folder / "x.html");
  for (const char* text :
       {">1. How much work: ", "<h3>1. How much work is it? Each operand is read"})
    CHECK(page.find(text) != page.npos);
}

TEST_CASE("A layer that is explained is drawn in the five steps", "[report/chart/answers]") {
  const TemporaryFolder folder;
  const std::string svg = picture(folder, "notebook_conv --gpu v100 --explain conv");
  std::size_t at = 0;
  for (const char* heading :
       {">1. How much work: ", ">2. What bounds it: ", ">3. How a kernel does it: ",
        ">4. How long that takes: ", ">5. Where it lands"}) {
    INFO(heading);
    at = svg.find(heading, at);
    REQUIRE(at != svg.npos);
  }
}

TEST_CASE("Where layers stand above the roof the picture says why", "[report/chart/answers]") {
  const TemporaryFolder folder;
  folder.write("c.json", winograd);
  CHECK(picture(folder, "c.json --gpu v100")
            .find("Above the roof: 1 layer, 100.0% of the time: Winograd or FFT need fewer") !=
        std::string::npos);
  CHECK(picture(folder, "notebook_conv --gpu v100").find("Above the roof") == std::string::npos);
}

TEST_CASE("A time below the roofline says why, and --explain has a bound that holds",
          "[report/chart/answers]") {
  const TemporaryFolder folder;
  folder.write("c.json", winograd);
  const std::string table = run(folder, "roofline c.json --gpu v100").out;
  CHECK(table.find("\n  roofline   471.3 us: bound by compute, 15.70 TFLOP/s\n") != table.npos);
  CHECK(table.find("; operands in L2, or fewer MACs\n") != table.npos);
  CHECK(run(folder, "roofline c.json --gpu v100 --explain c")
            .out.find("\n  least      471.3 us if what fits stays in cache (6.291 MB), unless "
                      "Winograd or FFT "
                      "save MACs, as expected here\n") != std::string::npos);
  // 205.5 MB through a ReLU; a V100's 6.291 MB of L2 may hold as much of the operand and of the
  // result: 192.9 MB at 900 GB/s.
  folder.write("r.json", R"({"name": "r", "type": "relu", "input": [256, 56, 56], "batch": 32})");
  CHECK(run(folder, "roofline r.json --gpu v100 --explain r")
            .out.find("\n  least      214.4 us if what fits stays in cache (6.291 MB)\n") !=
        std::string::npos);
}

TEST_CASE("Several GPUs are plots on the same axes, several types marks of one",
          "[report/chart/answers]") {
  const TemporaryFolder folder;
  const std::string gpus = picture(folder, "lenet5 --gpu v100,t4");
  for (const char* text : {"fp32 15.70 TFLOP/s", "fp32 8.100 TFLOP/s"}) CHECK(says(gpus, text));
  const std::string types = picture(folder, "lenet5 --gpu v100 --dtype fp32,fp16");
  for (const char* text : {"fp16_tensor 125.0 TFLOP/s", "fp32 15.70 TFLOP/s"})
    CHECK(says(types, text));
  const auto plots = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = svg.find(">arithmetic intensity"); at != svg.npos;
         at = svg.find(">arithmetic intensity", at + 1))
      ++count;
    return count;
  };
  CHECK(plots(gpus) == 2);
  CHECK(plots(types) == 1);
}
