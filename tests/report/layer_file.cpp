// A layer file of any input, read again, gives the same report.

#include <nlohmann/json.hpp>
#include <regex>

#include "cli/process.hpp"
#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "results/report.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/render.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

/// Every kind of operand, window and type.
constexpr const char* odd_layers = R"({"name": "odd", "batch": 4, "layers": [
  {"name": "in", "input": [3, 32, 32], "out_channels": 16, "kernel_size": 3, "padding": "same",
   "stride": 2, "bias": true, "measured_us": 12.5},
  {"name": "grouped", "out_channels": 32, "kernel_size": [3, 5], "groups": 4, "dilation": [1, 2],
   "padding": [1, 2, 1, 3], "dtypes": {"input": "fp16", "weight": "int8", "output": "fp32"}},
  {"name": "up", "type": "conv_transpose", "out_channels": 8, "kernel_size": 4, "stride": 2,
   "output_padding": 1},
  {"name": "half", "type": "relu", "input": {"layer": "up", "shape": [4, 4, 33, 33]}},
  {"name": "sequence", "type": "add", "inputs": [{"shape": [4, 7, 9]}, {"shape": [4, 7, 9]}]},
  {"name": "scaled", "type": "mul", "inputs": ["up", {"parameter": [8, 1, 1]}]},
  {"name": "group_norm", "type": "group_norm", "groups": 2},
  {"name": "transposed", "type": "copy", "output": [4, 33, 8, 33]},
  {"name": "mean", "type": "reduce", "output": [4, 33]},
  {"name": "products", "type": "matmul", "inputs": [{"layer": "mean", "shape": [4, 3, 11]},
                                                    [4, 11, 5]]},
  {"name": "norm", "type": "layer_norm", "input": [4, 10, 96]},
  {"name": "fc", "type": "linear", "out_features": 7, "in_features": 96, "pass": "wgrad"},
  {"name": "tiled", "input": [64, 8, 8], "out_channels": 64, "kernel_size": 1,
   "kernel": {"algorithm": "implicit_gemm", "tile": [64, 64, 8], "threads": 128}},
  {"name": "video", "type": "conv3d", "input": [3, 8, 16, 16], "out_channels": 4,
   "kernel_size": 3},
  {"name": "signal", "type": "conv1d", "input": [3, 64], "out_channels": 4, "kernel_size": 5},
  {"name": "pool", "type": "max_pool", "input": [4, 15, 15], "kernel_size": 2, "ceil_mode": true},
  {"name": "resized", "type": "upsample", "scale_factor": 2}]})";

std::string json_report_of(const Network& network) {
  const Context context = make_context(find_gpu("a100").value(), {}).value();
  return find_output_format("json")
      ->render(report_of({{analyze(network, context.gpu), &context}}, {}, {}).value(), {})
      .value();
}

void check_round_trip(const Network& network, const LayerDefaults& defaults) {
  const Network again =
      load_network(render_layer_file(network).value(), network.source, defaults).value();
  CHECK(json_report_of(again) == json_report_of(network));
  CHECK(render_layer_file(again).value() == render_layer_file(network).value());
}

}  // namespace

TEST_CASE("Every built-in network, written and read again", "[report/layer_file]") {
  for (const EmbeddedFile& file : embedded_networks()) {
    INFO(file.name);
    check_round_trip(load_network(file.text, std::string(file.name), at_batch(3)).value(),
                     at_batch(3));
  }
}

TEST_CASE("Odd layers, written and read again", "[report/layer_file]") {
  check_round_trip(load_text(odd_layers), {});
  // Under another batch too, views and stated results included.
  const Network at_eight = load_text(render_layer_file(load_text(odd_layers)).value(), at_batch(8));
  CHECK(json_report_of(at_eight) == json_report_of(load_text(odd_layers, at_batch(8))));
}

TEST_CASE("The program writes layer files, of records too", "[report/layer_file]") {
  const TemporaryFolder folder;
  CHECK(run(folder, "roofline lenet5 --to-layers x.json").out.empty());
  const auto rows = [&](const std::string& input) {
    return run(folder, "roofline " + input + " --gpu v100 --format csv | cut -d, -f4-").out;
  };
  CHECK(rows("x.json") == rows("lenet5"));
  folder.write("x.csv", "name,c,h,w,k,r,s\na,3,8,8,4,3,3\na,4,8,8,4,3,3\n");
  const Outcome records = run(folder, "roofline x.csv --to-layers -");
  CHECK(records.exit_code == 0);
  CHECK(records.out.find(R"({"name":"a","type":"conv","input":[1,4,8,8],"out_channels":4,)") !=
        std::string::npos);
  CHECK(run(folder, "roofline x.csv --gpu v100 --to-layers -").out == records.out);
  const Outcome two = run(folder, "roofline lenet5 vgg16 --to-layers y.json");
  CHECK(two.exit_code == 2);
  CHECK(two.err == "roofline: --to-layers: expected one network, got lenet5 and vgg16\n");
  const Outcome batches = run(folder, "roofline lenet5 --batch 1,2 --to-layers y.json");
  CHECK(batches.exit_code == 2);
  CHECK(batches.err ==
        "roofline: --to-layers y.json: expected one batch and one data type, of which a network "
        "is, got 2 settings (FILE.ndjson takes the layers of all)\n");
}

namespace {

/// Sums of all results of a run, by hand from its rows.
struct Sums {
  std::size_t rows = 0;
  double macs = 0;
  double params = 0;
  double bytes = 0;
  double roofline_s = 0;
  double expected_s = 0;

  bool operator==(const Sums& other) const {
    return rows == other.rows && macs == other.macs && params == other.params &&
           bytes == other.bytes && roofline_s == Approx(other.roofline_s) &&
           expected_s == Approx(other.expected_s);
  }
};

Sums sums_of(const TemporaryFolder& folder, const std::string& words) {
  const Outcome outcome = run(folder, "roofline " + words + " --json");
  REQUIRE(outcome.exit_code == 0);
  const Json report = Json::parse(outcome.out);
  Sums sums;
  for (const Json& result : report.at("results")) {
    const Json& total = result.at("total");
    sums.rows += result.at("layers").size();
    sums.macs += total.at("macs").get<double>();
    sums.params += total.at("params").get<double>();
    sums.bytes += total.at("bytes").at("total").get<double>();
    sums.roofline_s += total.at("roofline_time_s").get<double>();
    sums.expected_s += total.at("expected_time_s").get<double>();
  }
  return sums;
}

}  // namespace

TEST_CASE("Layers that stand alone are the whole of every input, in every setting",
          "[report/layer_file]") {
  const TemporaryFolder folder;
  struct Case {
    std::string words;    ///< what is written
    std::string as = "";  ///< and settings that it is evaluated under
    std::size_t rows = 0;
  };
  for (const auto& [words, as, rows] :
       std::vector<Case>{{"resnet50", "", 174},
                         {"inception_v3", "", 312},  // without the heads that only training has
                         {"resnet50 lenet5 --batch 1,32 --dtype fp32,fp16", "", 4 * (174 + 11)},
                         {"lenet5", " --pass training", 26},
                         {"resnet18 --batch 8", " --pass training", 148},
                         {ROOFLINE_SOURCE_FOLDER "/configs/networks/lenet5.json --batch 3",
                          " --pass dgrad", 11}}) {
    INFO(words << as);
    const Outcome written = run(folder, "roofline " + words + as + " --to-layers all.ndjson");
    CHECK(written.exit_code == 0);
    CHECK(written.out + written.err == "");
    const Sums whole = sums_of(folder, words + as + " --gpu v100");
    CHECK(whole.rows == rows);
    CHECK(lines_of(read_file(folder / "all.ndjson")).size() == whole.rows);
    CHECK(sums_of(folder, "all.ndjson --gpu v100") == whole);
    CHECK(sums_of(folder, "all.ndjson --gpu v100 --pass training") == whole);
  }
  const Outcome program = run(folder, "roofline " ROOFLINE_SOURCE_FOLDER
                                      "/tests/pytorch/programs/cond.pt2 --to-layers p.ndjson");
  CHECK(
      program.err.ends_with("/cond.pt2: layers that stand alone do not say that it runs as "
                            "pytorch_program: a FILE.json of --to-layers does\n"));
  // On GPUs that are selected too, and of records.
  const std::string before = read_file(folder / "all.ndjson");
  CHECK(run(folder, "roofline all.ndjson --gpu hopper --to-layers again.ndjson").exit_code == 0);
  CHECK(read_file(folder / "again.ndjson") == before);
}

TEST_CASE("A choice of layers is that of one GPU", "[report/layer_file]") {
  const TemporaryFolder folder;
  const std::string expected =
      "roofline: --to-layers x.ndjson: expected one GPU, on which layers are chosen, got ";
  for (const std::string gpus : {"v100,a100", "hopper"}) {
    const Outcome outcome =
        run(folder, "roofline resnet18 --top 3 --gpu " + gpus + " --to-layers x.ndjson");
    CHECK(outcome.exit_code == 2);
    if (gpus == "hopper")
      CHECK(outcome.err.starts_with(expected));
    else
      CHECK(outcome.err == expected + "2\n");
  }
}

TEST_CASE("--pass training adds to no layer that states its pass", "[report/layer_file]") {
  const TemporaryFolder folder;
  const auto rows_of = [&](const std::string& input) {
    std::vector<std::string> rows;
    for (const std::string& line : lines_of(run(folder, "roofline " + input + " --gpu v100").out)) {
      const Json row = Json::parse(line);
      rows.push_back(row.at("layer").at("name").get<std::string>() + ' ' +
                     row.at("layer").at("pass").get<std::string>());
    }
    return rows;
  };
  const std::string training = " --pass training --format ndjson";
  folder.write("l.ndjson", run(folder, "roofline lenet5 --gpu v100" + training).out);
  CHECK(lines_of(read_file(folder / "l.ndjson")).size() == 26);
  CHECK(rows_of("l.ndjson" + training) == rows_of("lenet5" + training));
  // In a network and its layer file.
  folder.write("net.json", R"({"layers": [
    {"name": "a", "input": [8, 8, 8], "out_channels": 8, "kernel_size": 1},
    {"name": "b", "pass": "wgrad", "out_channels": 8, "kernel_size": 1},
    {"name": "c", "pass": "fwd", "type": "relu"},
    {"name": "d", "type": "relu"}]})");
  run(folder, "roofline net.json --to-layers again.json");
  const std::vector<std::string> passes{"a fwd", "a wgrad", "b wgrad", "c fwd", "d fwd", "d dgrad"};
  for (const std::string input : {"net.json", "again.json"}) {
    INFO(input);
    CHECK(rows_of(input + training) == passes);
  }
  // A report does not tell a forward pass that is stated from one of three.
  run(folder, "roofline net.json --gpu v100 --pass training -o report.json");
  CHECK(rows_of("report.json" + training).at(2) == "b wgrad");
  // One whose rows are ordered or chosen has the same work.
  run(folder, "roofline lenet5 --gpu v100 --pass training --sort time -o sorted.json");
  CHECK(rows_of("sorted.json" + training).size() == 26);
  run(folder, "roofline lenet5 --gpu v100 --pass training --top 3 -o top.json");
  CHECK(rows_of("top.json" + training).size() == 3);
}

TEST_CASE("A layer file says how its network ran, and gives the same times",
          "[report/layer_file]") {
  const TemporaryFolder folder;
  const std::string programs = ROOFLINE_SOURCE_FOLDER "/tests/pytorch/programs/";
  const std::string traces = ROOFLINE_SOURCE_FOLDER "/tests/traces/";
  const auto result_of_run = [&](const std::string& words) {
    const Outcome outcome = run(folder, "roofline " + words + " --gpu h100 --json");
    REQUIRE(outcome.exit_code == 0);
    return Json::parse(outcome.out).at("results").at(0);
  };
  for (const auto& [input, runs_as] :
       {std::pair{programs + "llama_8b.pt2", "pytorch_program"},
        {programs + "nf_resnet50.pt2", "pytorch_program"},
        {programs + "mobilevit_s.pt2", "pytorch_program"},
        {traces + "resnet34.cpu.fp32.b16.json.gz", "pytorch_program"},
        {traces + "mobilenet_v2.training.amp.b32.pt.trace.json.gz", "recording"}}) {
    INFO(input);
    for (const std::string words :
         {"", " --framework torch-compile", " --framework tensorrt", " --pass training"}) {
      if (!words.empty() && std::string(runs_as) == "recording") continue;
      INFO(words);
      // A compiler lays images out in its own way.
      const Outcome written = run(folder, "roofline " + input + words + " --to-layers layers.json");
      REQUIRE(written.exit_code == 0);
      CHECK(Json::parse(read_file(folder / "layers.json")).at("runs_as") == runs_as);
      const Json before = result_of_run(input + words);
      const Json after = result_of_run("layers.json" + words);
      for (const char* key : {"framework", "batch", "dtype", "pass"})
        CHECK(after.at(key) == before.at(key));
      CHECK(after.at("layers").size() == before.at("layers").size());
      CHECK(after.at("total").at("expected_time_s").get<double>() ==
            Approx(before.at("total").at("expected_time_s").get<double>()));
    }
  }
  const Outcome batch = run(folder, "roofline layers.json --gpu h100 --batch 8");
  CHECK(batch.exit_code == 1);
  CHECK(batch.err ==
        "layers.json: expected batch 32, its own, which cannot be changed in what was "
        "recorded or built, got 8\n");
}
