// A run as a trace: slices are the table's rows, and their sums the table's sums.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

using Json = nlohmann::json;

struct Slices {
  std::size_t count = 0;
  double sum_us = 0;
  double end_us = 0;
  bool in_order = true;  ///< each begins where another has ended
};

Slices slices_of(const Json& trace, int process, int thread) {
  Slices all;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("pid") != process || event.at("tid") != thread) continue;
    ++all.count;
    all.in_order = all.in_order && event.at("ts").get<double>() >= all.end_us - 1e-6;
    all.sum_us += event.at("dur").get<double>();
    all.end_us = event.at("ts").get<double>() + event.at("dur").get<double>();
  }
  return all;
}

constexpr int expected_track = 1;
constexpr int measured_track = 2;

}  // namespace

TEST_CASE("A trace has a slice a layer whose sum is the expected time", "[report/trace]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder, "roofline resnet18 --gpu v100,a100 --by layer -o run.trace.json -o run.json");
  REQUIRE(outcome.exit_code == 0);
  const Json trace = Json::parse(read_file(folder / "run.trace.json"));
  const Json report = Json::parse(read_file(folder / "run.json"));
  for (const int process : {1, 2}) {
    const Slices slices = slices_of(trace, process, expected_track);
    const Json& result = report.at("results").at(static_cast<std::size_t>(process - 1));
    CHECK(slices.count > 60);  // 20 convolutions, as many norms, 17 activations and more
    CHECK(slices.in_order);
    CHECK(slices.sum_us == Approx(result.at("total").at("expected_time_s").get<double>() * 1e6));
    CHECK(slices.end_us == Approx(slices.sum_us));
    CHECK(slices_of(trace, process, measured_track).count == 0);
  }
}

TEST_CASE("A recording's trace has the measured times beside the expected ones", "[report/trace]") {
  const TemporaryFolder folder;
  const std::string step =
      ROOFLINE_SOURCE_FOLDER "/tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz";
  REQUIRE(run(folder, "roofline " + step + " -o run.trace.json -o run.json").exit_code == 0);
  const Json trace = Json::parse(read_file(folder / "run.trace.json"));
  const Json total = Json::parse(read_file(folder / "run.json")).at("results").at(0).at("total");
  const Slices expected = slices_of(trace, 1, expected_track);
  const Slices measured = slices_of(trace, 1, measured_track);
  CHECK(expected.in_order);
  CHECK(measured.in_order);
  CHECK(expected.sum_us == Approx(total.at("expected_time_s").get<double>() * 1e6));
  CHECK(measured.sum_us == Approx(total.at("measured_time_s").get<double>() * 1e6));
}

TEST_CASE("A trace of kernels without layers has their times", "[report/trace]") {
  const TemporaryFolder folder;
  const std::string counters = ROOFLINE_SOURCE_FOLDER "/tests/profilers/net.h100.ncu-raw.csv.gz";
  REQUIRE(run(folder, "roofline " + counters + " -o k.trace.json -o k.json").exit_code == 0);
  const Json trace = Json::parse(read_file(folder / "k.trace.json"));
  const Json kernels = Json::parse(read_file(folder / "k.json")).at("kernel_tables").at(0);
  CHECK(slices_of(trace, 1, measured_track).sum_us ==
        Approx(kernels.at("time_s").get<double>() * 1e6));
}
