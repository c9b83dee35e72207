// What the program writes, it reads: the network of a report, the layers of NDJSON and CSV.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"
#include "results/report.hpp"

using Json = nlohmann::json;

namespace {

constexpr const char* exact_formats[] = {"json", "ndjson", "csv"};

/// All that a layer can state, and every kind.
const std::string zoo = R"({"name": "zoo", "layers": [
  {"name": "grouped", "input": [8, 20, 20], "out_channels": 16, "kernel_size": 3, "groups": 4,
   "bias": true},
  {"name": "depthwise", "input": [32, 20, 20], "out_channels": 32, "kernel_size": 3,
   "depthwise": true, "padding": 1},
  {"name": "dilated", "input": [8, 40, 40], "out_channels": 16, "kernel_size": [3, 5],
   "dilation": [2, 3], "stride": [2, 1], "padding": [1, 2, 3, 4]},
  {"name": "transposed", "type": "conv_transpose", "input": [8, 9, 9], "out_channels": 16,
   "kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1, "bias": true},
  {"name": "1d", "type": "conv1d", "input": [2, 8, 100], "out_channels": 16, "kernel_size": 3},
  {"name": "1d.relu", "type": "relu"},
  {"name": "1d.norm", "type": "batch_norm"},
  {"name": "1d.add", "type": "add", "inputs": ["1d.relu", "1d.norm"]},
  {"name": "1d.cat", "type": "concat", "inputs": ["1d.relu", "1d.norm"]},
  {"name": "1d.softmax", "type": "softmax", "input": "1d.relu"},
  {"name": "1d.instance", "type": "instance_norm", "input": "1d.relu"},
  {"name": "1d.group", "type": "group_norm", "groups": 4},
  {"name": "1d.pool", "type": "max_pool", "kernel_size": 3, "stride": 2, "ceil_mode": true},
  {"name": "1d.mean", "type": "global_avg_pool"},
  {"name": "1d.flat", "type": "flatten"},
  {"name": "1d.linear", "type": "linear", "out_features": 7, "bias": true},
  {"name": "matmul", "type": "matmul", "m": 33, "n": 44, "k": 55, "batch": 6},
  {"name": "matmuls", "type": "matmul", "inputs": [[2, 12, 33, 64], [2, 12, 64, 33]]},
  {"name": "mixed", "input": [64, 28, 28], "out_channels": 64, "kernel_size": 3,
   "dtypes": {"input": "int8", "weight": "int8", "output": "int32"}},
  {"name": "mapped", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3,
   "kernel": {"algorithm": "implicit_gemm", "tile": [128, 64, 8], "split_k": 2, "threads": 128,
              "stages": 2, "registers": 100, "shared_memory_byte": 12288}},
  {"name": "measured", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3,
   "measured_us": 60.5, "measured_cold_us": 71.25},
  {"name": "cold", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3,
   "measured_cold_us": 71.25},
  {"name": "backward", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3,
   "pass": "dgrad", "measured_us": 100},
  {"name": "layer_norm", "type": "layer_norm", "input": [2, 10, 768],
   "normalized_shape": [10, 768]},
  {"name": "3d", "type": "conv3d", "input": [3, 4, 20, 20], "out_channels": 8,
   "kernel_size": [1, 3, 3], "padding": "same"},
  {"name": "3d.norm", "type": "layer_norm", "normalized_shape": [8]},
  {"name": "upsample", "type": "upsample", "input": [8, 10, 10], "scale_factor": [2, 3]},
  {"name": "biased", "type": "add", "inputs": ["upsample", {"parameter": [8, 1, 1]}]},
  {"name": "scaled", "type": "mul", "inputs": [[4, 8, 10, 10], [4, 8, 1, 1]]},
  {"name": "prelu", "type": "prelu", "input": [8, 10, 10]},
  {"name": "lrn", "type": "local_response_norm", "input": [8, 10, 10]},
  {"name": "copy", "type": "copy", "input": [8, 10, 10], "output": [10, 10, 8]},
  {"name": "other", "type": "other", "inputs": [[8, 10, 10], [3, 4]], "output": [5, 5]},
  {"name": "average", "type": "avg_pool", "input": [8, 11, 11], "kernel_size": 2},
  {"name": "tokens", "type": "linear", "input": [2, 197, 768], "out_features": 64},
  {"name": "copies", "input": [3, 30, 30], "out_channels": 3, "kernel_size": 3, "padding": 1,
   "repeat": 3}]})";

Json report_of(const Outcome& outcome) {
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return Json::parse(outcome.out);
}

/// Every row, standing alone, but for what needs the whole network and where it is from.
std::vector<Json> rows_of(const TemporaryFolder& folder, const std::string& line) {
  const Outcome outcome = run(folder, line + " --format ndjson");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::vector<Json> rows;
  for (const std::string& text : lines_of(outcome.out)) {
    Json row = Json::parse(text);
    for (const char* key : {"source", "network", "input_from"}) row.erase(key);
    rows.push_back(std::move(row));
  }
  return rows;
}

struct ReadBack {
  Json original;
  Json again;
};

/// A run's report, and that of reading its output in a format, with other options if need be.
ReadBack read_back(const TemporaryFolder& folder, const std::string& input,
                   const std::string& options, const std::string& format,
                   const std::string& options_again) {
  const std::string line = "roofline " + input + " --gpu v100 " + options;
  REQUIRE(run(folder, line + " -o out." + format).exit_code == 0);
  return {report_of(run(folder, line + " --json")),
          report_of(run(folder, "roofline out." + format + " --gpu v100 --json " + options_again))};
}

}  // namespace

TEST_CASE("Each layer of our own output is the layer that was read", "[cli/read_back]") {
  const TemporaryFolder folder;
  folder.write("zoo.json", zoo);
  struct Case {
    const char* input;
    const char* options;
    const char* options_again;
  };
  for (const Case& each : {Case{"resnet50", "--dtype fp16 --batch 2", ""},
                           {"mobilenet_v2", "--dtype fp16", ""},
                           {"convnext_tiny", "--batch 2", ""},
                           {"r3d_18", "--pass dgrad", ""},
                           {"zoo.json", "", ""},
                           {"zoo.json", "--batch 3 --kernel tile=64x64x16 --top 12", ""},
                           {"zoo.json", "--assume cache=cold", "--assume cache=cold"}})
    for (const std::string format : exact_formats) {
      INFO(each.input << " " << each.options << " " << format);
      const std::string line =
          std::string("roofline ") + each.input + " --gpu v100 " + each.options;
      REQUIRE(run(folder, line + " -o out." + format).exit_code == 0);
      const std::vector<Json> before = rows_of(folder, line);
      const std::vector<Json> after =
          rows_of(folder, "roofline out." + format + " --gpu v100 " + each.options_again);
      REQUIRE(before.size() == after.size());
      for (std::size_t i = 0; i < before.size(); ++i) {
        INFO(before[i].at("name"));
        CHECK(after[i] == before[i]);
      }
    }
}

TEST_CASE("A report holds its network: memory, fusion, passes and batches as before",
          "[cli/read_back]") {
  const TemporaryFolder folder;
  folder.write("zoo.json", zoo);
  for (const std::string input : {"resnet50", "convnext_tiny", "zoo.json"})
    for (const std::string options :
         {"--assume fuse=epilogue", "--pass training", "--assume host-copies=pinned", "--batch 4",
          "--dtype amp", "--dtype amp --pass training", "--framework pytorch",
          "--framework pytorch --pass training"}) {
      INFO(input << " " << options);
      // PyTorch has no convolution in int8.
      if (input == "zoo.json" && options.find("pytorch") != std::string::npos) continue;
      const ReadBack both = read_back(folder, input, options, "json", options);
      const Json& before = both.original["results"][0];
      const Json& after = both.again["results"][0];
      CHECK(after.at("total") == before.at("total"));
      CHECK(after.at("memory") == before.at("memory"));
    }
  // The network that was evaluated at batch 1 is evaluated at another.
  REQUIRE(run(folder, "roofline resnet50 --gpu v100 -o one.json").exit_code == 0);
  CHECK(
      report_of(
          run(folder, "roofline one.json --gpu t4 --batch 8 --json"))["results"][0]["total"] ==
      report_of(run(folder, "roofline resnet50 --gpu t4 --batch 8 --json"))["results"][0]["total"]);
}

TEST_CASE("Attention that ran in one kernel is read as one", "[cli/read_back]") {
  const TemporaryFolder folder;
  folder.write("attention.json", R"([
      {"name": "scores", "type": "matmul", "inputs": [[6, 16, 4], [6, 4, 16]]},
      {"name": "weights", "type": "softmax"},
      {"name": "values", "type": "matmul",
       "inputs": [{"layer": "weights", "shape": [6, 16, 16]}, [6, 16, 4]]},
      {"name": "out", "type": "relu"}])");
  const std::string options = "--framework pytorch";
  const ReadBack both = read_back(folder, "attention.json", options, "json", options);
  CHECK(both.again["results"][0]["total"] == both.original["results"][0]["total"]);
}

TEST_CASE("What several GPUs were asked about is read once", "[cli/read_back]") {
  const TemporaryFolder folder;
  REQUIRE(run(folder, "roofline lenet5 --gpu v100,a100 --batch 1,8 -o x.json").exit_code == 0);
  const Json results = report_of(run(folder, "roofline x.json --gpu t4 --json")).at("results");
  REQUIRE(results.size() == 2);
  CHECK(results.at(0).at("batch") == 1);
  CHECK(results.at(1).at("batch") == 8);
}

TEST_CASE("Layers out of a report are records", "[cli/read_back]") {
  const TemporaryFolder folder;
  const Json report = report_of(run(folder, "roofline lenet5 --gpu v100 --json"));
  std::string rows;
  for (const Json& row : report["results"][0]["layers"]) rows += row.dump() + "\n";
  folder.write("rows.json", rows);
  const Json again = report_of(run(folder, "roofline - --gpu v100 --json <rows.json"));
  Json records = again["results"][0]["total"];
  Json sums = report["results"][0]["total"];
  // Those of a network, which records are not.
  for (const char* bound : {"cached_bound_s", "fused_bound_s", "compute_bound_s"}) {
    CHECK(sums[bound].is_number());
    sums[bound] = nullptr;
  }
  // Records are surer, as layers alone: nothing of a network's run is among them.
  const char* factor = "/expected_uncertainty/factor";
  CHECK(records.at(Json::json_pointer(factor)) < sums.at(Json::json_pointer(factor)));
  records.erase("expected_uncertainty");
  sums.erase("expected_uncertainty");
  CHECK(records == sums);
}

TEST_CASE("Copies over the host link are of no input", "[cli/read_back]") {
  const TemporaryFolder folder;
  for (const std::string format : exact_formats) {
    const ReadBack both = read_back(folder, "lenet5", "--assume host-copies=pinned", format, "");
    const auto rows = [](const Json& report) { return report["results"][0]["layers"].size(); };
    CHECK(rows(both.again) + 2 == rows(both.original));
  }
}

TEST_CASE("What could not be read before cannot be read now", "[cli/read_back]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", "{\"stride\": 0}\n{\"type\": \"relu\", \"input\": [8]}\n");
  for (const std::string file : {"y.ndjson:1", "y.csv:3"}) {
    const std::string name = file.substr(0, file.find(':'));
    const Outcome stream =
        run(folder, "roofline x.ndjson --gpu v100 -o " + name + " 2>/dev/null; roofline " + name +
                        " --gpu v100 --format csv");
    CHECK(stream.exit_code == 1);
    CHECK(stream.err ==
          file + ": expected a layer, got one that an earlier run could not evaluate\n");
    CHECK(lines_of(stream.out).size() == 3);
  }
  const Outcome report = run(folder,
                             "roofline missing --gpu v100 --json 2>/dev/null | "
                             "roofline - --gpu v100 --format csv");
  CHECK(report.exit_code == 1);
  CHECK(report.err == "-: /results: expected a list of at least one result, got []\n");
}

TEST_CASE("Measured times of our own output stay with the GPU of their row", "[cli/read_back]") {
  const TemporaryFolder folder;
  folder.write("m.json",
               R"([{"type": "relu", "input": [64, 56, 56], "measured_us": 7, "gpu": "v100"},
                             {"type": "relu", "measured_cold_us": 9, "gpu": "v100"}])");
  REQUIRE(run(folder, "roofline m.json --gpu v100 -o m.ndjson -o m.csv -o report.json").exit_code ==
          0);
  for (const std::string name : {"m.ndjson", "m.csv", "report.json"}) {
    INFO(name);
    const auto result_on = [&](const std::string& gpu) {
      return report_of(run(folder, "roofline " + name + " --json --gpu " + gpu))["results"][0];
    };
    const Json same = result_on("'Tesla V100-SXM2-16GB'");
    CHECK(same["layers"][0]["measured"]["time_s"].get<double>() == Approx(7e-6));
    CHECK(same["layers"][1]["measured"]["time_s"].is_null());
    CHECK(same["layers"][1]["measured"]["cold_time_s"].get<double>() == Approx(9e-6));
    CHECK(same["measured_times_not_compared"] == 1);
    const Json other = result_on("h200");
    CHECK(other["layers"][0]["measured"].is_null());
    CHECK(other["layers"][1]["measured"].is_null());
    CHECK(other["measured_times_not_compared"] == 2);
  }
  // Someone times the rows of our CSV and writes that beside them.
  folder.write("timed.csv",
               "layer_name,layer_type,layer_input,gpu,roofline_time_s,measured_us\n"
               "a,relu,\"[1,64,56,56]\",Tesla V100 SXM2 16GB,1e-6,8\n");
  CHECK(
      report_of(run(
          folder, "roofline timed.csv --gpu v100 --json"))["results"][0]["total"]["measured_time_s"]
          .get<double>() == Approx(8e-6));
  CHECK(report_of(run(
      folder, "roofline timed.csv --gpu t4 --json"))["results"][0]["total"]["measured_time_s"]
            .is_null());
}
