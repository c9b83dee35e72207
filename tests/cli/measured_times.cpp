// Measured times are compared with what was measured, and nothing else; the rest is said.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

/// On a V100, 15.7 TFLOP/s in fp32 and 900 GB/s: 2 x 64 x 64 x 9 x 56 x 56 FLOP take 14.73 us, and
/// 2 x 4 x 64 x 56 x 56 bytes 1.784 us.
std::string measured_conv(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name +
         R"(", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1, )" +
         more + "}";
}
std::string measured_relu(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name + R"(", "type": "relu", "input": [64, 56, 56], )" + more + "}";
}

Json result_of(const TemporaryFolder& folder, const std::string& arguments) {
  return Json::parse(run(folder, "roofline " + arguments + " --json").out).at("results").at(0);
}

/// How many layers were compared, and how many were left out.
std::pair<std::size_t, std::size_t> compared(const Json& result) {
  std::size_t count = 0;
  for (const Json& row : result.at("layers"))
    count += row.at("measured").is_null() || row.at("measured").at("time_s").is_null() ? 0 : 1;
  return {count, result.at("measured_times_not_compared")};
}

std::vector<std::string> measured_lines(const std::string& output) {
  std::vector<std::string> lines = lines_of(output);
  // "measured below ...", "measured times ...": sentences, not the table of parts.
  std::erase_if(lines, [](const std::string& line) {
    return !line.starts_with("measured below") && !line.starts_with("measured times");
  });
  return lines;
}

using RowCounts = std::pair<std::size_t, std::size_t>;
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("Only what was measured alike is compared", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", "[" + measured_conv("a", R"("batch": 2, "measured_us": 60)") + "," +
                             measured_relu("b", R"("batch": 2, "measured_us": 8)") + "]");
  struct Case {
    std::string options;
    RowCounts counts;
  };
  const Case table[] = {
      {"", {2, 0}},
      {"--batch 2", {2, 0}},
      {"--batch 1", {0, 2}},
      {"--batch 4", {0, 2}},
      {"--cache cold", {0, 2}},
      {"--pass training", {2, 0}},  // each forward row; the other passes have no time of their own
      {"--pass training --batch 4", {0, 2}},
  };
  for (const Case& each : table) {
    INFO(each.options);
    CHECK(compared(result_of(folder, "x.json --gpu v100 " + each.options)) == each.counts);
  }
}

TEST_CASE("A layer's own pass is the one that was measured", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", measured_conv("a", R"("pass": "wgrad", "measured_us": 60)"));
  const Json rows = result_of(folder, "x.json --gpu v100 --pass training").at("layers");
  REQUIRE(rows.size() == 3);
  for (const Json& row : rows) {
    INFO(row.at("pass"));
    CHECK(row.at("measured").is_null() == (row.at("pass") != "wgrad"));
  }
}

TEST_CASE("A time is of the GPU that its source names", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.csv",
               "type,input,measured_us,measured_cold_us,measured_gpu\n"
               "relu,\"[64,56,56]\",8,9,NVIDIA A100-SXM4-80GB\n"
               "relu,\"[64,56,56]\",8,9,\n");
  CHECK(compared(result_of(folder, "x.csv --gpu a100")) == RowCounts{2, 0});
  CHECK(compared(result_of(folder, "x.csv --gpu v100")) == RowCounts{1, 1});
  const Json other = result_of(folder, "x.csv --gpu v100").at("layers").at(0);
  CHECK(other.at("measured").is_null());  // the cold time is of the other GPU too
}

TEST_CASE("Warm and cold times stay apart", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", measured_relu("a", R"("measured_us": 8, "measured_cold_us": 9)"));
  for (const auto& [options, time_s] : {std::pair("", 8e-6), std::pair(" --cache cold", 9e-6)}) {
    const Json measured =
        result_of(folder, std::string("x.json --gpu v100") + options)["layers"][0]["measured"];
    CHECK(measured.at("time_s").get<double>() == Approx(time_s));
    CHECK(measured.at("warm_time_s").get<double>() == Approx(8e-6));
    CHECK(measured.at("cold_time_s").get<double>() == Approx(9e-6));
  }
}

TEST_CASE("What is left out is said", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", "[" + measured_conv("a", R"("measured_us": 60)") + "," +
                             measured_relu("b", R"("measured_us": 8)") + "]");
  const std::string sentence =
      ", of another batch, pass or GPU than here, or with caches in another state";
  CHECK(measured_lines(run(folder, "roofline x.json --gpu v100").out).empty());
  for (const std::string format : {"table", "markdown"})
    CHECK(measured_lines(
              run(folder, "roofline x.json --gpu v100 --batch 8 --format " + format).out) ==
          Lines{"measured times left out: 2" + sentence});
  // Nothing of the accuracy of what was not compared.
  CHECK(result_of(folder, "x.json --gpu v100 --batch 8").at("accuracy").empty());
}

TEST_CASE("A time below the bound gets its likely cause", "[cli/measured_times]") {
  const TemporaryFolder folder;
  const std::string big = R"("type": "relu", "input": [64, 560, 560], "measured_us": 100)";
  folder.write("x.json", "[" + measured_conv("slow", R"("measured_us": 15)") + "," +
                             measured_conv("winograd", R"("measured_us": 8)") + "," +
                             measured_conv("strided", R"("stride": 2, "measured_us": 2)") + "," +
                             measured_conv("slip", R"("measured_ms": 0.00006)") + "," +
                             measured_relu("cached", R"("measured_us": 1)") +
                             R"(, {"name": "huge", )" + big + "}]");
  const Json rows = result_of(folder, "x.json --gpu v100").at("layers");
  std::vector<Json> causes;
  for (const Json& row : rows) causes.push_back(row.at("measured").at("below_bound"));
  CHECK(causes == std::vector<Json>{nullptr, "fewer_macs", "ceilings_too_low", "units", "in_l2",
                                    "ceilings_too_low"});
  // 8 / 14.727, 1 / 1.784, 2 / (231.2 M / 4 / 15.7 T), 0.06 / 14.727.
  CHECK(measured_lines(run(folder, "roofline x.json --gpu v100").out) ==
        Lines{"measured below the bound: 1 (most: winograd, x0.5432 of it): Winograd or FFT do "
              "fewer multiply-adds than are counted",
              "measured below the bound: 1 (most: cached, x0.5605 of it): the operands fit in L2, "
              "so device memory hardly moves",
              "measured below the bound: 2 (most: strided, x0.5432 of it): the part does more than "
              "these ceilings (clocks, engine or data type differ?)",
              "measured below the bound: 1 (most: slip, x0.004074 of it): a slip of units (us, ms, "
              "s)?"});
}

TEST_CASE("The most absurd times allowed leave tables as wide as they are",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", "[" + measured_conv("a", R"("measured_us": 1e-30)") + "," +
                             measured_relu("b", R"("measured_us": 1e30)") + "]");
  for (const std::string options : {"", " --peak-tflops 1e-9 --bandwidth-gbs 1e-9"})
    for (const std::string format : {"table", "markdown", "csv", "json", "ndjson"}) {
      INFO(options << " " << format);
      const Outcome outcome =
          run(folder, "roofline x.json --gpu v100 --format " + format + options);
      CHECK(outcome.exit_code == 0);
      if (format == "table")
        for (const std::string& line : lines_of(outcome.out)) {
          INFO(line);
          CHECK(line.size() <= 120);
        }
      for (const char* word : {"inf", "nan"}) {
        INFO(outcome.out);
        CHECK(outcome.out.find(word) == std::string::npos);
      }
    }
}

namespace {

/// A recording of one kernel, 16 elements through a ReLU in 5 us.
std::string recording_on(const std::string& gpu) {
  return R"({"deviceProperties": [)" + gpu + R"(], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::clamp_min", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": {"External id": 1, "Input Dims": [[1, 16], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "0"]}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"External id": 1, "device": 2}}]})";
}

}  // namespace

TEST_CASE("A recording is of the GPU that it names, or that the person names",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("station.json", recording_on(R"({"id": 0, "name": "Tesla V100-SXM3-32GB",
      "numSms": 80, "totalGlobalMem": 34084028416})"));
  folder.write("nameless.json", recording_on(R"({"id": 0, "name": "",
      "numSms": 304, "totalGlobalMem": 205571227648})"));
  folder.write("silent.json", recording_on(""));
  const Outcome unknown = run(folder, "roofline station.json nameless.json silent.json");
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.err ==
        "station.json: recorded on \"Tesla V100-SXM3-32GB\", which is in no list of GPUs; its 80 "
        "SMs and 34.1 GB are those of Tesla V100 DGXS 32GB, Tesla V100 SXM2 32GB, Tesla V100S "
        "PCIe 32GB: say which it "
        "was with --gpu\n"
        "nameless.json: recorded on a GPU without a name; its 304 SMs and 205.6 GB are those of "
        "Instinct MI300X, unless --gpu says otherwise\n"
        "silent.json: expected a recording that names its GPU, got none: say which it was with "
        "--gpu\n");
  CHECK(unknown.out.find("Instinct MI300X") != std::string::npos);
  for (const std::string name : {"station.json", "nameless.json", "silent.json"}) {
    INFO(name);
    const Json result = result_of(folder, name + " --gpu v100-32gb");
    CHECK(result.at("gpu") == "Tesla V100 SXM2 32GB");
    CHECK(compared(result) == RowCounts{1, 0});
  }
}

// 17,632,384 bytes in 8.8 ms among 8 GPUs; 1.575 GB/s are a tenth of a V100's 15.75 GB/s.
TEST_CASE("A recording's links have tables of their own", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("ddp.json", R"json({"deviceProperties": [], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::clamp_min", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": {"External id": 1, "Input Dims": [[1, 16], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "0"]}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 100, "dur": 2200, "args": {"External id": 1, "device": 0}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "pid": 0, "tid": 9, "ts": 100, "dur": 8800, "args": {"device": 0, "Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": 8816192, "Out msg nelems": 8816192, "Group size": 8}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 9000, "dur": 1000, "args": {"device": 0, "bytes": 1575000}}]})json");
  const Outcome outcome = run(folder, "roofline ddp.json --gpu v100 --top 1");
  CHECK(
      outcome.out.find("layers stand for 18.3% of the kernels' time, work between GPUs for 73.3%, "
                       "copies over the host link for 8.3%\n") != std::string::npos);
  CHECK(outcome.out.find(R"(
between GPUs             ranks  launches     bytes      time  of kernels   exposed  hidden        rate    bus rate
all_reduce bf16 8816192      8     1.000  17.63 MB  8.800 ms       73.3%  6.600 ms   25.0%  2.004 GB/s  3.506 GB/s

over the host link     launches     bytes      time  of kernels   exposed  hidden        rate  of link
host to device pinned     1.000  1.575 MB  1.000 ms        8.3%  1.000 ms    0.0%  1.575 GB/s    10.0%
)") != std::string::npos);
}

TEST_CASE("A recording's layers are a layer file, with indices and with kernels of no time",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("old.json", R"json({"deviceProperties": [], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": {"External id": 1, "Input Dims": [[4, 16], [4, 16], []], "Input type": ["int", "int", "Scalar"]}},
{"ph": "X", "cat": "cpu_op", "name": "aten::fill_", "pid": 1, "tid": 1, "ts": 10, "dur": 9, "args": {"External id": 2, "Input Dims": [[4, 16], []], "Input type": ["float", "Scalar"]}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 100, "dur": 3, "args": {"External id": 1, "device": 0}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 110, "dur": 0, "args": {"External id": 2, "device": 0}}]})json");
  const Outcome written = run(folder, "roofline old.json --gpu v100 --to-layers layers.json");
  CHECK(written.exit_code == 0);
  const Outcome read = run(folder, "roofline layers.json --gpu v100");
  CHECK(read.exit_code == 0);
  CHECK(read.err.empty());
  const Json result = result_of(folder, "layers.json --gpu v100");
  CHECK(result.at("layers").at(0).at("measured").at("time_s") == 3e-6);
  CHECK(result.at("layers").at(1).at("measured").is_null());
}
