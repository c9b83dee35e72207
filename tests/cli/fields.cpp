// The columns that --fields takes, and what a failed record says of itself.

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

using Json = nlohmann::json;

/// Three records with ids of three types: the second states no kernel, the third one that is too
/// large for its image.
const char* const records =
    R"({"id": "x,1", "type": "conv", "input": [8, 4, 4], "out_channels": 4, "kernel_size": 3}
{"id": 7, "type": "conv", "input": [8, 4, 4], "out_channels": 4}
{"id": true, "type": "conv", "input": [8, 2, 2], "out_channels": 4, "kernel_size": 9}
)";

}  // namespace

TEST_CASE("Every column that the program lists can be chosen", "[cli/fields]") {
  const TemporaryFolder folder;
  folder.write("x.json", R"({"type": "relu", "input": [8], "id": 1})");
  const Json all = Json::parse(run(folder, "roofline fields --json").out);
  std::string chosen;
  for (const std::string name : all.at("layers")) {
    INFO(name);
    const Outcome outcome = run(folder, "roofline x.json --gpu v100 --format csv --fields " + name);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.starts_with(name + '\n'));
    chosen += (chosen.empty() ? "" : ",") + name;
  }
  CHECK(all.at("layers").size() > 130);
  // The columns of CSV are among them.
  std::istringstream header(run(folder, "roofline x.json --gpu v100 --format csv").out);
  for (std::string line, name; std::getline(header, line);) {
    std::istringstream names(line);
    while (std::getline(names, name, ','))
      CHECK((',' + chosen + ',').find(',' + name + ',') != std::string::npos);
    break;
  }
  CHECK(run(folder, "roofline fields").out.find("rows of layers\n  schema_version source") == 0);
}

TEST_CASE("A failed record has its id", "[cli/fields]") {
  const TemporaryFolder folder;
  folder.write("r.ndjson", records);
  std::istringstream lines(run(folder, "roofline r.ndjson --gpu v100 --format ndjson").out);
  const Json ids[] = {"x,1", 7, true};
  std::string line;
  for (const Json& id : ids) {
    REQUIRE(std::getline(lines, line));
    const Json row = Json::parse(line);
    CHECK(row.at("id") == id);
    CHECK(row.contains("error") == (id != "x,1"));
  }
  const std::string csv =
      run(folder, "roofline r.ndjson --gpu v100 --format csv --fields id,layer_kernel_size").out;
  CHECK(csv == "id,layer_kernel_size\n\"x,1\",\"[3,3]\"\n");
  const std::string with_errors =
      run(folder, "roofline r.ndjson --gpu v100 --format csv --fields id,error").out;
  CHECK(with_errors.find("\n7,") != std::string::npos);
  CHECK(with_errors.find("\ntrue,") != std::string::npos);
  folder.write("r.csv", "id,type,input,out_channels\nz,conv,[8|4|4],4\n");
  const Json row = Json::parse(run(folder, "roofline r.csv --gpu v100 --format ndjson").out);
  CHECK(row.at("id") == "z");
  CHECK(row.contains("error"));
}
