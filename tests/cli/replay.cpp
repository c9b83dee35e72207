// Chosen layers of a recording, to time alone.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

const std::string trace =
    ROOFLINE_SOURCE_FOLDER "/tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz";

std::vector<Json> rows_of(const std::string& ndjson) {
  std::vector<Json> rows;
  for (const std::string& line : lines_of(ndjson)) rows.push_back(Json::parse(line));
  return rows;
}

}  // namespace

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

  const Outcome script = run(folder, "roofline-calibrate --script slow.ndjson");
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
  const Outcome script = run(folder, "roofline-calibrate --script l.ndjson");
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
