// A recording written again with what is expected of its kernels, and chosen layers to time alone.

#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"
#include "load/byte_stream.hpp"

using Json = nlohmann::json;

namespace {

const std::string trace =
    ROOFLINE_SOURCE_FOLDER "/tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz";

std::string unpacked(const std::string& path) {
  return roofline::decompressed(roofline::open_stream(path))->read_rest();
}

std::vector<Json> rows_of(const std::string& ndjson) {
  std::vector<Json> rows;
  for (const std::string& line : lines_of(ndjson)) rows.push_back(Json::parse(line));
  return rows;
}

}  // namespace

TEST_CASE("A recording is written again with what is expected of its kernels", "[cli/replay]") {
  const TemporaryFolder folder;
  const Outcome written = run(folder, "roofline " + trace + " -o again/t.json.gz");
  CHECK(written.exit_code == 1);  // no such folder
  REQUIRE(run(folder, "mkdir again; cp " + trace +
                          " t.json.gz; roofline t.json.gz -o "
                          "again/t.json.gz && roofline t.json.gz -o again/same.json.gz && "
                          "cmp again/t.json.gz again/same.json.gz")
              .exit_code == 0);
  // Every other byte stays.
  const std::string before = unpacked(trace);
  const std::string after = unpacked(folder / "again/t.json.gz");
  static const std::regex annotation(R"re((, )?"roofline": \{[^}]*\})re");
  CHECK(std::regex_replace(after, annotation, "") == before);
  // It is read as what it was.
  const std::string line = "roofline t.json.gz --format ndjson";
  const Outcome first = run(folder, line);
  CHECK(run(folder, "cd again && " + line).out == first.out);
  std::map<std::string, Json> layers;
  for (const Json& row : rows_of(first.out)) layers[row.at("name")] = row;
  double work_us = 0;
  double annotated_us = 0;
  const Json events = Json::parse(after).at("traceEvents");
  for (const Json& event : events) {
    const std::string category = event.value("cat", "");
    if (category != "kernel" && category != "gpu_memcpy" && category != "gpu_memset") continue;
    work_us += event.at("dur").get<double>();
    if (!event.at("args").contains("roofline")) continue;
    annotated_us += event.at("dur").get<double>();
    const Json& own = event.at("args").at("roofline");
    const Json& layer = layers.at(own.at("layer"));
    CHECK(own.at("bound") == layer.at("bound"));
    CHECK(own.at("expected_us").get<double>() ==
          Approx(1e6 * layer.at("expected_time_s").get<double>()));
    CHECK(own.at("measured_us").get<double>() >= 0.999 * event.at("dur").get<double>());
    CHECK(own.at("measured_over_expected").get<double>() ==
          Approx(own.at("measured_us").get<double>() / own.at("expected_us").get<double>()));
  }
  CHECK(annotated_us == Approx(work_us));  // all of it is layers'
}

TEST_CASE("What is no recording in a file cannot be annotated", "[cli/replay]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"name": "a", "type": "relu", "input": [8]})");
  const Outcome layer = run(folder, "roofline a.json --gpu v100 -o a.json.gz");
  CHECK(layer.exit_code == 1);
  CHECK(
      layer.err ==
      "a.json.gz: expected one recording of PyTorch's profiler with layers on one GPU, which such "
      "a file shows again\n");
  const Outcome pipe = run(folder, "roofline - -o a.json.gz <" + trace);
  CHECK(pipe.exit_code == 1);
  CHECK(pipe.err.ends_with("-: expected a file, which can be read twice, got a pipe\n"));
  // What is annotated already stays as it is.
  CHECK(run(folder, "roofline " + trace +
                        " -o b.json.gz && roofline b.json.gz -o c.json.gz && cmp "
                        "b.json.gz c.json.gz")
            .exit_code == 0);
}

TEST_CASE("Chosen layers are written as records, and the script times those", "[cli/replay]") {
  const TemporaryFolder folder;
  const Outcome chosen = run(folder, "roofline " + trace +
                                         " --to-layers slow.ndjson --top 5 "
                                         "--format csv");
  REQUIRE(chosen.exit_code == 0);
  const std::vector<Json> slow = rows_of(read_file(folder / "slow.ndjson"));
  REQUIRE(slow.size() == 5);
  std::vector<std::string> names;
  for (const Json& layer : slow) names.push_back(layer.at("name"));
  CHECK(names == std::vector<std::string>{"batch_norm 32x256x56x56", "batch_norm 32x512x28x28",
                                          "max_pool 32x64x112x112 k3x3 s2x2", "add 32x256x56x56",
                                          "batch_norm 32x1024x14x14"});
  // They are read as what they are.
  const std::vector<Json> again =
      rows_of(run(folder, "roofline slow.ndjson --gpu h200 --format ndjson").out);
  REQUIRE(again.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(again[i].at("layer") == slow[i]);

  const Outcome script = run(folder, "roofline calibrate --script slow.ndjson");
  CHECK(script.exit_code == 0);
  const std::string first = "LAYERS = r\"\"\"\n";
  const std::size_t begin = script.out.find(first) + first.size();
  const std::string text = script.out.substr(begin, script.out.find("\n\"\"\"", begin) - begin);
  std::vector<std::string> timed;
  for (const Json& layer : rows_of(text)) {
    timed.push_back(layer.at("name"));
    CHECK(layer.at("pass") == "fwd");
    CHECK(layer.at("dtype") == "fp16");
    CHECK_FALSE(layer.contains("measured_time_s"));
  }
  CHECK(timed == names);
  CHECK(script.err.empty());
}

TEST_CASE("Layers that the script cannot time are named", "[cli/replay]") {
  const TemporaryFolder folder;
  folder.write("l.ndjson", R"({"name": "a", "type": "relu", "input": [1, 8]}
{"name": "b", "type": "conv3d", "input": [1, 8, 6, 6, 6], "out_channels": 8, "kernel_size": 3}
)");
  const Outcome script = run(folder, "roofline calibrate --script l.ndjson");
  CHECK(script.exit_code == 0);
  CHECK(script.err == "l.ndjson: layer \"b\" is none that the script can time: left out\n");
  CHECK(script.out.find("\"name\":\"a\"") != std::string::npos);
  const Outcome refused = run(folder, "roofline l.ndjson --gpu v100 --to-layers x.json --top 1");
  CHECK(refused.exit_code == 2);
  CHECK(
      refused.err ==
      "roofline: --to-layers x.json: expected FILE.ndjson, whose layers stand alone, for a choice "
      "of layers\n");
}
