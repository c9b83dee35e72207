// `roofline calibrate` as a user runs it: what it prints and writes, and what it refuses.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

/// Adds of 77 MB and more on a V100 whose memory gives 0.7 of 900 GB/s, by hand: two operands and a
/// result of 4 byte an element, and 2 us to start.
std::string slow_adds() {
  std::string lines;
  for (int i = 1; i <= 12; ++i) {
    const int batch = 2 * i;
    const double element = batch * 64.0 * 224 * 224;
    const std::string shape = "[" + std::to_string(batch) + ", 64, 224, 224]";
    lines += R"({"type": "add", "name": "add)" + std::to_string(i) + R"(", "inputs": [)" + shape +
             ", " + shape + R"(], "measured_us": )" +
             std::to_string(12 * element / (0.7 * 900e9) * 1e6 + 2) + "}\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("A calibration prints the errors before and after and writes a GPU of one's own",
          "[cli/calibrate]") {
  const TemporaryFolder folder;
  folder.write("adds.ndjson", slow_adds());
  const Outcome fit =
      run(folder, "roofline calibrate adds.ndjson --gpu v100 -o my.json --constants 'memory.*'");
  CHECK(fit.exit_code == 0);
  CHECK(fit.err.empty());
  CHECK(lines_of(fit.out).front() == "Tesla V100 SXM2 16GB on 12 layers of 12 networks");
  CHECK(fit.out.find("memory.dram_share") != fit.out.npos);
  const Outcome again = run(folder, "roofline adds.ndjson --gpu ./my.json --json");
  CHECK(again.exit_code == 0);
  const auto accuracy = nlohmann::json::parse(again.out)["results"][0]["accuracy"];
  REQUIRE(accuracy.size() == 1);
  CHECK(accuracy[0]["expected"]["gerr"].get<double>() < 1.03);
  // The model knows how sure it is of what it was calibrated for, and of nothing else.
  const auto layers = nlohmann::json::parse(again.out)["results"][0]["layers"];
  CHECK(layers[0]["expected_uncertainty"]["basis"] == "measured");
  CHECK(layers[0]["expected_uncertainty"]["factor"].get<double>() < 1.03);
  const Outcome other = run(folder, "roofline resnet18 --gpu ./my.json --dtype fp16 --json");
  const auto rows = nlohmann::json::parse(other.out)["results"][0]["layers"];
  CHECK(rows[0]["type"] == "conv");
  CHECK(rows[0]["expected_uncertainty"]["factor"].get<double>() > 1.05);
  // The file says how it was made.
  const Outcome made_by = run(folder, "grep -c 'roofline calibrate adds.ndjson' my.json");
  CHECK(made_by.out == "1\n");
}

TEST_CASE("What calibrate cannot do is said", "[cli/calibrate]") {
  const TemporaryFolder folder;
  folder.write("adds.ndjson", slow_adds());
  folder.write("conv.json", conv);
  struct Case {
    const char* arguments;
    const char* message;
    int exit_code;
  };
  const Case table[] = {
      {"adds.ndjson -o my.json",
       "roofline: calibrate: expected one GPU, that of the measured times, with --gpu, got 0", 2},
      {"adds.ndjson --gpu v100,t4 -o my.json",
       "roofline: calibrate: expected one GPU, that of the measured times, with --gpu, got 2", 2},
      {"adds.ndjson --gpu v100", "roofline: calibrate: expected one file to write, -o FILE.json",
       2},
      {"adds.ndjson --gpu v100 -o my.csv",
       "roofline: calibrate: expected one file to write, -o FILE.json", 2},
      {"conv.json --gpu v100 -o my.json",
       "conv.json: expected layers with measured times (measured_us) of Tesla V100 SXM2 16GB, got "
       "none",
       1},
  };
  for (const Case& each : table) {
    INFO(each.arguments);
    const Outcome outcome = run(folder, "roofline calibrate " + std::string(each.arguments));
    CHECK(outcome.exit_code == each.exit_code);
    CHECK(outcome.err == std::string(each.message) + "\n");
    CHECK(outcome.out.empty());
  }
}
