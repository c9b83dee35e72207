// Measured times are compared with what was measured, and nothing else; the rest is said.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

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

/// Options for times that name no GPU, measured on a V100.
const std::string here = "--gpu v100 --assume measured-gpu=v100 ";

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
      {"--assume cache=cold", {0, 2}},
      {"--pass training", {2, 0}},  // each forward row; the other passes have no time of their own
      {"--pass training --batch 4", {0, 2}},
  };
  for (const Case& each : table) {
    INFO(each.options);
    CHECK(compared(result_of(folder, "x.json " + here + each.options)) == each.counts);
  }
}

TEST_CASE("A layer's own pass is the one that was measured, and runs", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", measured_conv("a", R"("pass": "wgrad", "measured_us": 60)"));
  const Json rows = result_of(folder, "x.json " + here + "--pass training").at("layers");
  REQUIRE(rows.size() == 1);
  CHECK(rows.at(0).at("pass") == "wgrad");
  CHECK(rows.at(0).at("measured").at("time_s").get<double>() == Approx(60e-6));
}

TEST_CASE("A time is of the GPU that its row, its file or the person names",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.csv",
               "type,input,measured_us,measured_cold_us,gpu\n"
               "relu,\"[64,56,56]\",8,9,NVIDIA A100-SXM4-80GB\n"
               "relu,\"[64,56,56]\",8,9,\n");
  const std::string layer = measured_relu("b", R"("measured_us": 8)");
  folder.write("file.json", R"({"gpu": "a100", "layers": [)" + layer + "]}");
  folder.write("row.json", measured_relu("b", R"("measured_us": 8, "measured_gpu": "a100")"));
  folder.write("none.json", layer);
  folder.write("times.csv", "name,measured_us,gpu\nb,8,a100\n");
  folder.write("silent.csv", "name,measured_us\nb,8\n");
  const struct {
    std::string arguments;
    RowCounts counts;
  } table[] = {
      {"x.csv --gpu a100", {2, 0}},
      {"x.csv --gpu v100", {1, 1}},
      {"x.csv --gpu v100 --assume measured-gpu=v100", {1, 1}},
      {"x.csv --gpu a100 --assume measured-gpu=a100", {2, 0}},
      {"file.json --gpu a100", {1, 0}},
      {"file.json --gpu v100", {0, 1}},
      {"file.json --gpu v100 --assume measured-gpu=v100", {0, 1}},  // the file names another one
      {"row.json --gpu a100", {1, 0}},
      {"row.json --gpu t4", {0, 1}},
      {"none.json --gpu v100", {1, 0}},  // as --measured is of the one GPU
      {"none.json --gpu v100,t4", {0, 1}},
      {"none.json --gpu v100 --assume measured-gpu=v100", {1, 0}},
      {"none.json --gpu v100 --assume measured-gpu=t4", {0, 1}},
      {"none.json --gpu v100 --measured silent.csv", {1, 0}},
      {"none.json --gpu v100 --measured times.csv", {0, 1}},
      {"none.json --gpu a100 --measured times.csv", {1, 0}},
      {"none.json --gpu v100 --measured 8us", {1, 0}},
      {"none.json --gpu v100,t4 --measured 8us", {0, 1}},
  };
  for (const auto& [arguments, counts] : table) {
    INFO(arguments);
    CHECK(compared(result_of(folder, arguments)) == counts);
  }
  const Json other = result_of(folder, "x.csv --gpu v100").at("layers").at(0);
  CHECK(other.at("measured").is_null());  // the cold time is of the other GPU too
  CHECK(run(folder, "roofline none.json --gpu v100").err == "");
  CHECK(run(folder, "roofline none.json --gpu v100,t4").err ==
        "none.json: its measured times name no GPU and are compared with none: say which with "
        "--assume measured-gpu=..., or in the file as \"gpu\"\n");
  CHECK(run(folder, "roofline none.json --gpu v100 --assume measured-gpu=v1000").err ==
        run(folder, "roofline none.json --gpu v1000").err);
}

TEST_CASE("Warm and cold times stay apart", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", measured_relu("a", R"("measured_us": 8, "measured_cold_us": 9)"));
  for (const auto& [options, time_s] :
       {std::pair("", 8e-6), std::pair(" --assume cache=cold", 9e-6)}) {
    const Json measured = result_of(folder, "x.json " + here + options)["layers"][0]["measured"];
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
  CHECK(measured_lines(run(folder, "roofline x.json " + here).out).empty());
  for (const std::string format : {"table", "markdown"})
    CHECK(measured_lines(
              run(folder, "roofline x.json " + here + "--batch 8 --format " + format).out) ==
          Lines{"measured times left out: 2" + sentence});
  // Nothing of the accuracy of what was not compared.
  CHECK(result_of(folder, "x.json " + here + "--batch 8").at("accuracy").empty());
}

TEST_CASE("A table of no times leaves every layer without one", "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", measured_conv("a", R"("batch": 2)"));
  folder.write("times.csv", "name,measured_us\n");
  const Outcome outcome = run(folder, "roofline x.json --gpu v100 --measured times.csv");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "times.csv: 1 of 1 layers have no time in it: a\n");
}

TEST_CASE("A time below the bound gets its likely cause", "[cli/measured_times]") {
  const TemporaryFolder folder;
  const std::string big = R"("type": "relu", "input": [64, 560, 560], "measured_us": 150)";
  folder.write("x.json", "[" + measured_conv("slow", R"("measured_us": 15)") + "," +
                             measured_conv("winograd", R"("measured_us": 8)") + "," +
                             measured_conv("strided", R"("stride": 2, "measured_us": 3)") + "," +
                             measured_conv("slip", R"("measured_ms": 0.00006)") + "," +
                             measured_relu("cached", R"("measured_us": 1)") +
                             R"(, {"name": "huge", )" + big + "}]");
  const Json rows = result_of(folder, "x.json " + here).at("layers");
  std::vector<Json> causes;
  for (const Json& row : rows) causes.push_back(row.at("measured").at("below_bound"));
  CHECK(causes == std::vector<Json>{nullptr, "fewer_macs", "ceilings_too_low", "impossible",
                                    "in_l2", "ceilings_too_low"});
  // 8 / 14.727, 1 / 1.784, 3 / (231.2 M / 4 / 15.7 T), 0.06 / 14.727.
  CHECK(measured_lines(run(folder, "roofline x.json " + here).out) ==
        Lines{"measured below the bound: 1 (most: winograd, x0.5432 of it): Winograd or FFT do "
              "fewer multiply-adds than are counted",
              "measured below the bound: 1 (most: cached, x0.5605 of it): the operands fit in L2, "
              "so device memory hardly moves",
              "measured below the bound: 2 (most: strided, x0.8148 of it): the part does more than "
              "these ceilings (clocks, engine or data type differ?)"});
}

TEST_CASE("Less than memory and the fastest algorithm need is impossible, by one rule",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  // 16.78 MB of results, of which 6.29 MB stay in L2, at 990 GB/s: 10.59 us; x4 of the peak.
  const std::string line = "roofline notebook_conv --gpu v100 --measured ";
  CHECK(run(folder, line + "11us").exit_code == 0);
  const Outcome less = run(folder, line + "10us");
  CHECK(less.exit_code == 1);
  CHECK(less.err ==
        "notebook_conv: faster than this GPU can be: check units and batch of 1 measured time "
        "(conv: 10.00 us, at least 10.59 us); x10 would fit\n");
}

TEST_CASE("A time that the GPU cannot reach is the first line, with what may be wrong",
          "[cli/measured_times]") {
  // 2 x 64 x 64 x 9 x 56 x 56 FLOP of a batch of 64: 15.7 TFLOP/s take 942.5 us; a quarter of them,
  // by Winograd, at a quarter more than the clock 188.5 us.
  const TemporaryFolder folder;
  const struct {
    std::string time;
    std::string line;
  } table[] = {
      {"1200us", ""},
      {"200us", ""},
      {"100us", "(a: 100.0 us, at least 188.5 us); x10 would fit"},
      {"0.6us", "(a: 600.0 ns, at least 188.5 us); x1000 would fit: ms given as us?"},
      {"9us", "(a: 9.000 us, at least 188.5 us); x64 would fit, the batch: a time an image?"},
      {"1e-6us", "(a: <1 ns, at least 188.5 us)"},
  };
  folder.write("x.json", measured_conv("a", R"("batch": 64)"));
  for (const auto& [time, line] : table) {
    INFO(time);
    const std::string start =
        "x.json: faster than this GPU can be: check units and batch of 1 measured time ";
    for (const std::string options :
         {"", " --explain", " --explain a", " --json", " --format csv"}) {
      INFO(options);
      const Outcome outcome =
          run(folder, "roofline x.json --gpu v100 --measured " + time + options);
      CHECK(outcome.err == (line.empty() ? "" : start + line + '\n'));
      CHECK(outcome.exit_code == (line.empty() ? 0 : 1));
      CHECK(outcome.out != "");
    }
  }
}

namespace {

/// Shares and times that the text states and a person would not believe.
std::vector<std::string> unbelievable(const std::string& text) {
  static const std::regex number("[-+]?[0-9.]+(e[-+][0-9]+)?(%| [num]?s\\b)");
  std::vector<std::string> found;
  for (std::sregex_iterator each(text.begin(), text.end(), number), end; each != end; ++each) {
    const std::string before = each->prefix();
    const bool is_negative = each->str().starts_with('-') || before.ends_with("- ");
    const bool is_share = each->str().ends_with('%');
    if (is_negative || (is_share && std::stod(each->str()) > 100)) found.push_back(each->str());
  }
  return found;
}

double sum_of(const Json& parts) {
  double sum_s = 0;
  for (const auto& [name, part_s] : parts.items()) {
    INFO(name);
    CHECK(part_s.get<double>() >= 0);
    sum_s += part_s.get<double>();
  }
  return sum_s;
}

}  // namespace

TEST_CASE("A measured time has no part below 0 and no share above 100 %", "[cli/measured_times]") {
  const TemporaryFolder folder;
  const std::string conv = R"("type": "conv", "input": [64, 56, 56], "out_channels": 128)";
  for (const std::string& layer :
       {conv + R"(, "kernel_size": 3)", conv + R"(, "kernel_size": 1, "stride": 2)",
        std::string(R"("type": "relu", "input": [64, 56, 56])"),
        std::string(R"("type": "linear", "in_features": 4096, "out_features": 4096)")}) {
    folder.write("x.json", R"({"name": "a", "batch": 32, )" + layer + "}");
    const double expected_s =
        result_of(folder, "x.json --gpu a100")["layers"][0]["expected_time_s"];
    for (const double factor : {0.5, 0.7, 0.9, 0.99, 1.01, 1.1, 2.0, 5.0, 20.0, 100.0}) {
      const std::string options =
          "--gpu a100 --measured " + std::to_string(1e6 * factor * expected_s) + "us ";
      INFO(layer << " " << options);
      const Json result = result_of(folder, "x.json " + options);
      const Json& summary = result.at("measured");
      const double measured_s = summary.at("measured_time_s");
      CHECK(measured_s == Approx(factor * expected_s));
      const double rest_s = summary.at("unexplained_s");
      CHECK(rest_s >= 0);
      CHECK(sum_of(summary.at("parts")) + rest_s == Approx(measured_s));
      CHECK(sum_of(result.at("verdict").at("parts")) == Approx(measured_s));
      const bool is_split = summary.at("parts").at("not_split_s") == 0;
      CHECK(is_split == (factor > 1));
      if (!is_split) CHECK(summary.at("parts").at("not_split_s") == measured_s);
      const Json& row = result.at("layers").at(0).at("measured");
      for (const char* key : {"share_of_peak", "lost_s"})
        if (!row.at(key).is_null()) CHECK(row.at(key).get<double>() >= 0);
      if (!row.at("share_of_peak").is_null()) CHECK(row.at("share_of_peak").get<double>() <= 1);
      for (const std::string format :
           {"", "--top all", "--explain a", "--format markdown", "--format svg", "--format html"})
        CHECK(unbelievable(run(folder, "roofline x.json " + options + format).out) ==
              std::vector<std::string>{});
    }
  }
}

TEST_CASE("A time below the model's is held against bound and model, and not split",
          "[cli/measured_times]") {
  // 14.73 us by arithmetic; a library's kernel takes 41.5 us, of which no part is this kernel's.
  const TemporaryFolder folder;
  folder.write("x.json", measured_conv("a", R"("measured_us": 20)"));
  const Json result = result_of(folder, "x.json " + here);
  const double expected_us = 1e6 * result.at("layers").at(0).at("expected_time_s").get<double>();
  REQUIRE(expected_us > 20);
  const std::string text = run(folder, "roofline x.json " + here).out;
  CHECK(text.find("\n  yours      20.00 us, ") != std::string::npos);
  CHECK(text.find(" the time of a library's kernel\n") != std::string::npos);
  CHECK(text.find("\n  roofline   14.73 us: bound by compute, ") != std::string::npos);
}

TEST_CASE("What windows pass over is in no bound that a kernel was measured to beat",
          "[cli/measured_times]") {
  // An H100, 3.35 TB/s: 64 x 784 x (256 + 512) x 2 bytes and the weights are 23.09 us,
  // 16 x 32 x 256 x (448 + 48) x 2 bytes are 38.85 us.
  const TemporaryFolder folder;
  folder.write("strided.json", R"({"layers": [
    {"name": "downsample", "type": "conv", "input": [64, 256, 56, 56], "out_channels": 512, "kernel_size": 1,
     "stride": 2, "dtype": "fp16", "layout": "nhwc", "measured_us": 37.8},
    {"name": "split", "type": "conv3d", "input": [16, 448, 32, 32, 32], "out_channels": 48,
     "kernel_size": [3, 1, 1], "stride": [1, 2, 2], "padding": [1, 0, 0], "pass": "wgrad",
     "dtype": "fp16", "layout": "nhwc", "measured_us": 84.9}]})");
  const Json result = result_of(folder, "strided.json --gpu h100 --assume measured-gpu=h100");
  CHECK(result.at("impossible_times").is_null());
  const double bounds_us[] = {23.09, 38.85};
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& row = result.at("layers").at(i);
    CHECK(row.at("roofline_time_s").get<double>() == Approx(1e-6 * bounds_us[i]).epsilon(1e-3));
    CHECK(row.at("expected_time_s") >= row.at("roofline_time_s"));
    CHECK(row.at("measured").at("below_bound").is_null());
  }
}

TEST_CASE("No time is too short for what is counted by the bytes that it may touch",
          "[cli/measured_times]") {
  // 5,000,000 rows of 128 in fp32 are 2.56 GB, of which 768 indices pick 393 kB. Ten of a billion
  // rows are added into.
  const TemporaryFolder folder;
  folder.write("lookup.json", R"json({"deviceProperties": [], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "mylib::embedding_bag", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": {"External id": 1, "Input Dims": [[5000000, 128], [768], [64], [], [], [], []], "Input type": ["float", "long int", "long int", "Scalar", "Scalar", "Scalar", ""], "Concrete Inputs": ["", "", "", "False", "0", "False", ""]}},
{"ph": "X", "cat": "cpu_op", "name": "mylib::index_add_", "pid": 1, "tid": 1, "ts": 20, "dur": 9, "args": {"External id": 2, "Input Dims": [[5000000, 128], [], [10], [10, 128]], "Input type": ["float", "Scalar", "long int", "float"], "Concrete Inputs": ["", "0", "", ""]}},
{"ph": "X", "cat": "cpu_op", "name": "fbgemm::split_embedding_codegen_lookup", "pid": 1, "tid": 1, "ts": 40, "dur": 9, "args": {"External id": 3, "Input Dims": [[640000000], [768]], "Input type": ["float", "long int"], "Concrete Inputs": ["", ""]}},
{"ph": "X", "cat": "cpu_op", "name": "aten::clamp_min", "pid": 1, "tid": 1, "ts": 60, "dur": 9, "args": {"External id": 4, "Input Dims": [[64, 1024, 1024], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "0"]}},
{"ph": "X", "cat": "kernel", "name": "bag", "pid": 0, "tid": 7, "ts": 100, "dur": 7, "args": {"External id": 1, "device": 0}},
{"ph": "X", "cat": "kernel", "name": "add", "pid": 0, "tid": 7, "ts": 110, "dur": 5, "args": {"External id": 2, "device": 0}},
{"ph": "X", "cat": "kernel", "name": "lookup", "pid": 0, "tid": 7, "ts": 120, "dur": 8, "args": {"External id": 3, "device": 0}},
{"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 7, "ts": 130, "dur": 1000, "args": {"External id": 4, "device": 0}}]})json");
  const std::string line = "roofline lookup.json --gpu a100";
  const std::string text = run(folder, line).out;
  CHECK(text.find("check units") == std::string::npos);
  CHECK(text.find("without a bound: 3 measured times (the first: ") != std::string::npos);
  CHECK(unbelievable(text) == std::vector<std::string>{});
  for (const std::string& below : measured_lines(text)) CHECK(below == "");
  const Json result = result_of(folder, "lookup.json --gpu a100");
  CHECK(result.at("impossible_times").is_null());
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& measured = result.at("layers").at(i).at("measured");
    INFO(result.at("layers").at(i).at("name"));
    CHECK(measured.at("below_bound") == "fewer_bytes");
    for (const char* key : {"over_roofline", "lost_s", "achieved_byte_per_s", "share_of_peak"})
      CHECK(measured.at(key).is_null());
  }
  CHECK(result.at("layers").at(3).at("measured").at("below_bound").is_null());
  const Json& summary = result.at("measured");
  CHECK(summary.at("rows") == 1);
  CHECK(summary.at("overcounted_rows") == 3);
  CHECK(summary.at("overcounted_s") == Approx(20e-6));
  const Json& parts = result.at("verdict").at("parts");
  CHECK(parts.at("overcounted_s") == Approx(20e-6));
  CHECK(sum_of(parts) == Approx(result.at("verdict").at("step_s").get<double>()));
}

TEST_CASE("The most absurd times allowed leave tables as wide as they are",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  folder.write("x.json", "[" + measured_conv("a", R"("measured_us": 1e-30)") + "," +
                             measured_relu("b", R"("measured_us": 1e30)") + "]");
  for (const std::string options : {"", " --set peak=1e-9TFLOP/s,bandwidth=1e-9GB/s"})
    for (const std::string format : {"table", "markdown", "csv", "json", "ndjson"}) {
      INFO(options << " " << format);
      const Outcome outcome =
          run(folder, "roofline x.json " + here + "--format " + format + options);
      CHECK(outcome.exit_code == (options.empty() ? 1 : 0));  // a changed GPU has no times
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
        "SMs and 34.1 GB are those of Tesla V100 DGXS 32GB, Tesla V100 PCIe 32GB, Tesla V100 SXM2 "
        "32GB, Tesla V100S PCIe 32GB: say which it was with --gpu\n"
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
  CHECK(outcome.out.find("layers stand for 18.3% of the kernels' 12.00 ms, work between GPUs for "
                         "73.3%, copies over the host link for 8.3%, some side by side\n") !=
        std::string::npos);
  CHECK(outcome.out.find(R"(
between GPUs             ranks  launches     bytes      time  of kernels   exposed  hidden        rate    bus rate
all_reduce bf16 8816192      8         1  17.63 MB  8.800 ms       73.3%  6.600 ms   25.0%  2.004 GB/s  3.506 GB/s

over the host link     launches     bytes      time  of kernels   exposed  hidden        rate  of link
host to device pinned         1  1.575 MB  1.000 ms        8.3%  1.000 ms    0.0%  1.575 GB/s    10.0%
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

TEST_CASE("One time is of one layer, and a network of several says so once",
          "[cli/measured_times]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline resnet50 --gpu v100 --measured 9.1ms");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "resnet50: expected one layer for the one measured time, got 174: --explain LAYER names "
        "it\n");
}
