// What of the results is shown, summed up and compared, as a user asks for it.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

const std::string small_network =
    R"({"name": "net", "layers": [
        {"input": [3, 32, 32], "out_channels": 16, "kernel_size": 3}, {"type": "relu"},
        {"type": "max_pool", "kernel_size": 2}, {"out_channels": 32, "kernel_size": 3},
        {"type": "relu"}, {"type": "flatten"}, {"type": "linear", "out_features": 10}]})";

Json json_of(const TemporaryFolder& folder, const std::string& arguments) {
  return Json::parse(run(folder, "roofline " + arguments + " --json").out);
}

/// The lines of an output that contain a text.
std::vector<std::string> lines_with(const std::string& output, const std::string& text) {
  std::vector<std::string> lines = lines_of(output);
  std::erase_if(lines, [&](const std::string& line) { return line.find(text) == line.npos; });
  return lines;
}

}  // namespace

TEST_CASE("An input or a GPU given twice is one point", "[cli/selections]") {
  const TemporaryFolder folder;
  folder.write("net.json", small_network);
  const Json twice = json_of(folder, "net.json net.json --gpu v100,v100 --batch 1,1");
  CHECK(twice.at("results").size() == 8);
  CHECK(twice.at("points").empty());
  const Json both = json_of(folder, "net.json net.json --gpu v100,t4 --batch 1,2");
  REQUIRE(both.at("points").size() == 1);
  CHECK(both.at("points").at(0).at("rows").size() == 4);
}

TEST_CASE("Two networks of one name stay apart", "[cli/selections]") {
  const TemporaryFolder folder;
  folder.write("one.json", small_network);
  folder.write("other.json", small_network);
  const std::string both = "roofline one.json other.json --gpu v100,t4 --batch 1,2";
  const Json root = Json::parse(run(folder, both + " --json").out);
  CHECK(root.at("results").size() == 8);
  REQUIRE(root.at("points").size() == 2);
  CHECK(root.at("points").at(0).at("network") == "one.json");
  CHECK(root.at("points").at(1).at("network") == "other.json");
  for (const Json& table : root.at("points")) CHECK(table.at("rows").size() == 4);
  CHECK(lines_with(run(folder, both).out, "other.json  ").size() == 1);
}
