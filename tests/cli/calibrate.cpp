// `roofline-calibrate` as a user runs it: what it prints and writes, and what it refuses.

#include <cmath>
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

/// The error of dense layers on tensor cores, all types and passes.
double tensor_gerr(const std::string& json) {
  double layers = 0;
  double distance = 0;
  const auto report = nlohmann::json::parse(json);
  for (const auto& cell : report["results"][0]["accuracy"]) {
    if (cell["class"] != "dense" || cell["dtype"] == "fp32") continue;
    layers += cell["layers"].get<double>();
    distance += cell["layers"].get<double>() * std::log(cell["expected"]["gerr"].get<double>());
  }
  return std::exp(distance / layers);
}

}  // namespace

TEST_CASE("A pattern that fits no constant is no calibration", "[cli/calibrate]") {
  const TemporaryFolder folder;
  folder.write("adds.ndjson", slow_adds());
  const Outcome fit = run(
      folder, "roofline-calibrate adds.ndjson --gpu v100 -o my.json --constants 'memory/dram*'");
  CHECK(fit.exit_code == 2);
  CHECK(fit.err ==
        "roofline-calibrate: --constants: expected a pattern of constants, such as "
        "'dense.tensor.*', got "
        "\"memory/dram*\"\n");
}

TEST_CASE("A calibration prints the errors before and after and writes a GPU of one's own",
          "[cli/calibrate]") {
  const TemporaryFolder folder;
  folder.write("adds.ndjson", slow_adds());
  const Outcome fit =
      run(folder, "roofline-calibrate adds.ndjson --gpu v100 -o my.json --constants 'memory.*'");
  CHECK(fit.exit_code == 0);
  CHECK(fit.err.empty());
  CHECK(lines_of(fit.out).front() == "Tesla V100 SXM2 16GB on 12 layers of 12 networks");
  CHECK(fit.out.find("memory.dram_share") != fit.out.npos);
  const Outcome again =
      run(folder, "roofline adds.ndjson --gpu ./my.json --assume measured-gpu=./my.json --json");
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
  const Outcome made_by = run(folder, "grep -c 'roofline-calibrate adds.ndjson' my.json");
  CHECK(made_by.out == "1\n");
}

TEST_CASE("What an H100 measured in a minute makes the rest of it better, and needs no --gpu",
          "[cli/calibrate]") {
  // The H100 with the constants of another architecture, as of a GPU that nobody measured.
  const TemporaryFolder folder;
  const std::string source = ROOFLINE_SOURCE_FOLDER;
  const std::string other = " --kernel-model '" + source + "/configs/kernels/cudnn9-ampere.json'";
  const Outcome fit =
      run(folder, "roofline-calibrate '" + source + "/tests/measured/h100_calibration.csv' -o " +
                      "mine.json --constants 'dense.t*'" + other);
  CHECK(fit.exit_code == 0);
  CHECK(fit.err.empty());
  CHECK(lines_of(fit.out).front() == "H100 SXM5 80GB on 800 layers of 67 networks");
  const std::string rest =
      "roofline '" + source + "/tests/measured/h100_held_out.csv' --json --gpu ";
  const double before = tensor_gerr(run(folder, rest + "h100" + other).out);
  const double after = tensor_gerr(run(folder, rest + "./mine.json").out);
  CHECK(before == Approx(1.28).epsilon(0.02));
  CHECK(after < 1.22);
}

TEST_CASE("A file of one's own answers to the driver's name once it is calibrated",
          "[cli/calibrate]") {
  const TemporaryFolder folder;
  folder.write("mine.json", R"({"name": "Mine", "architecture": "Ampere", "sm_count": 132,
    "boost_clock_mhz": 1980, "bandwidth_gb_per_s": 3350, "l2_mib": 50,
    "peak_tflops": {"fp32": 66.9}})");
  std::string adds = slow_adds();
  for (std::size_t at = 0; (at = adds.find("\"measured_us\"", at)) != adds.npos; at += 50)
    adds.insert(at, R"("measured_gpu": "Graphics 9000", )");
  folder.write("adds.ndjson", adds);
  CHECK(run(folder, "roofline adds.ndjson --gpu ./mine.json --json").out.find("\"accuracy\": []") !=
        std::string::npos);
  const Outcome fit =
      run(folder,
          "roofline-calibrate adds.ndjson --gpu ./mine.json -o new.json --constants "
          "'memory.*'");
  CHECK(fit.exit_code == 0);
  CHECK(lines_of(fit.out).front() == "Mine on 12 layers of 12 networks");
  const Outcome again = run(folder, "roofline adds.ndjson --gpu ./new.json --json");
  CHECK(nlohmann::json::parse(again.out)["results"][0]["accuracy"].size() == 1);
  const Outcome unknown = run(folder, "roofline-calibrate adds.ndjson -o other.json");
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.rfind("roofline-calibrate: unknown GPU \"Graphics 9000\"", 0) == 0);
}

TEST_CASE("The layers of the script load, and its minutes are those asked for", "[cli/calibrate]") {
  const TemporaryFolder folder;
  const Outcome script = run(folder, "roofline-calibrate --script --minutes 2.5");
  CHECK(script.exit_code == 0);
  CHECK(script.err.empty());
  CHECK(script.out.find("\nMINUTES = 2.5\n") != std::string::npos);
  const std::size_t begin = script.out.find("{\"name\"");
  const std::size_t end = script.out.find("\n\"\"\"\n", begin);
  REQUIRE(end != std::string::npos);
  folder.write("layers.ndjson", script.out.substr(begin, end + 1 - begin));
  const Outcome rows = run(folder, "roofline layers.ndjson --gpu v100 --format csv");
  CHECK(rows.exit_code == 0);
  CHECK(rows.err.empty());
  CHECK(lines_of(rows.out).size() > 800);
}

TEST_CASE("Times of another GPU are refused in one line, whatever types it had",
          "[cli/calibrate]") {
  const TemporaryFolder folder;
  const Outcome fit = run(folder, "roofline-calibrate " ROOFLINE_SOURCE_FOLDER
                                  "/tests/measured/h100_held_out.csv --gpu v100 -o my.json");
  CHECK(fit.exit_code == 1);
  CHECK(fit.err == ROOFLINE_SOURCE_FOLDER
        "/tests/measured/h100_held_out.csv: expected layers with measured times "
        "(measured_us) of Tesla V100 SXM2 16GB, got those of NVIDIA H100 80GB HBM3\n");
}

TEST_CASE("Times in another unit than the rest are refused where they stand", "[cli/calibrate]") {
  const TemporaryFolder folder;
  std::vector<std::string> rows = lines_of(slow_adds());
  std::string lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 4 || i == 8) rows[i].insert(rows[i].find('.', rows[i].find("measured_us")), "000");
    lines += rows[i] + "\n";
  }
  folder.write("adds.ndjson", lines);
  const Outcome outcome =
      run(folder, "roofline-calibrate adds.ndjson --gpu v100 -o my.json --constants 'memory.*'");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "adds.ndjson:5: expected a measured time within x100 of the expected one, got x1011.07\n"
        "adds.ndjson:9: expected a measured time within x100 of the expected one, got x1011.56\n"
        "adds.ndjson: expected times of which 95% fit within x100, got x1011.56 of other layers\n");
  CHECK(outcome.out.empty());
  CHECK(run(folder, "test -e my.json").exit_code == 1);
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
       "roofline-calibrate: expected one GPU, that of the measured times, with --gpu, got 0", 2},
      {"adds.ndjson --gpu v100,t4 -o my.json",
       "roofline-calibrate: expected one GPU, that of the measured times, with --gpu, got 2", 2},
      {"adds.ndjson --gpu v100", "roofline-calibrate: expected one file to write, -o FILE.json", 2},
      {"adds.ndjson --gpu v100 -o my.csv",
       "roofline-calibrate: expected one file to write, -o FILE.json", 2},
      {"conv.json --gpu v100 -o my.json",
       "conv.json: expected layers with measured times (measured_us) of Tesla V100 SXM2 16GB, got "
       "none",
       1},
      {"t4.ndjson --gpu v100 -o my.json",
       "t4.ndjson: expected layers with measured times (measured_us) of Tesla V100 SXM2 16GB, got "
       "those of Tesla T4",
       1},
      {"two.ndjson -o my.json",
       "roofline-calibrate: expected one GPU, that of the measured times, with --gpu, got 2 in "
       "the inputs",
       2},
      {"adds.ndjson --gpu v100 -o my.json --minutes 3",
       "roofline-calibrate: --minutes requires --script (see --help)", 2},
      {"--minutes 3", "roofline-calibrate: --minutes requires --script (see --help)", 2},
      {"--gpu v100",
       "roofline-calibrate: expected measured layers, as in roofline-calibrate measured.csv --gpu "
       "v100 -o mine.json; roofline-calibrate --script prints what measures them",
       2},
      {"model", "roofline-calibrate: GPU is required (see --help)", 2},
      {"--script -o x.json", "roofline-calibrate: --output excludes --script (see --help)", 2},
      {"conv.json --gpu v100 -o x.json --measured times.csv",
       "roofline-calibrate: no option is called --measured (see --help)", 2},
      {"conv.json --gpu v100 -o x.json --json",
       "roofline-calibrate: no option is called --json (see --help)", 2},
      {"conv.json -o a.json --framework pytorch,tensorrt",
       "roofline-calibrate: --framework: expected one, which ran the layers, got 2", 2},
  };
  const std::string t4 =
      R"({"type": "relu", "input": [1, 8], "measured_us": 2, "measured_gpu": "Tesla T4"})";
  folder.write("t4.ndjson", t4 + "\n");
  folder.write("two.ndjson", t4 + "\n" +
                                 R"({"type": "relu", "input": [1, 8], "measured_us": 2, )"
                                 R"("measured_gpu": "A100"})"
                                 "\n");
  for (const Case& each : table) {
    INFO(each.arguments);
    const Outcome outcome = run(folder, "roofline-calibrate " + std::string(each.arguments));
    CHECK(outcome.exit_code == each.exit_code);
    CHECK(outcome.err == std::string(each.message) + "\n");
    CHECK(outcome.out.empty());
  }
}
