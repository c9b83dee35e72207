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

/// A convolution of one of our records, in a type.
std::string typed_conv(const std::string& name, const std::string& dtype) {
  return R"({"name": ")" + name + R"(", "dtype": ")" + dtype +
         R"(", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3})" + "\n";
}

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

TEST_CASE("GPUs are compared on the same rows only", "[cli/selections]") {
  const TemporaryFolder folder;
  // The V100 has no bf16: one record of three is missing there.
  folder.write("x.ndjson",
               typed_conv("a", "fp32") + typed_conv("b", "bf16") + typed_conv("c", "fp16"));
  CHECK(json_of(folder, "x.ndjson --gpu a100,v100 --by layer").at("comparison").empty());
  const Json rows = json_of(folder, "x.ndjson --gpu h100,v100,a100 --by layer").at("comparison");
  std::vector<std::string> found;
  for (const Json& row : rows)
    found.push_back(row.at("name").get<std::string>() + " " + row.at("gpu").get<std::string>());
  CHECK(found == std::vector<std::string>{"a H100 SXM5 80GB", "a A100 SXM4 80GB",
                                          "b H100 SXM5 80GB", "b A100 SXM4 80GB",
                                          "c H100 SXM5 80GB", "c A100 SXM4 80GB",
                                          "x H100 SXM5 80GB", "x A100 SXM4 80GB"});
}

TEST_CASE("An input or a GPU given twice is not compared with itself", "[cli/selections]") {
  const TemporaryFolder folder;
  folder.write("net.json", small_network);
  const Json twice = json_of(folder, "net.json net.json --gpu v100,v100 --batch 1,1");
  CHECK(twice.at("results").size() == 8);
  CHECK(twice.at("comparison").empty());
  CHECK(twice.at("sweeps").empty());
  const Json both = json_of(folder, "net.json net.json --gpu v100,t4 --batch 1,2");
  CHECK(both.at("comparison").size() == 4);
  CHECK(both.at("sweeps").size() == 2);
}

TEST_CASE("Two networks of one name stay apart", "[cli/selections]") {
  const TemporaryFolder folder;
  folder.write("one.json", small_network);
  folder.write("other.json", small_network);
  const std::string both = "roofline one.json other.json --gpu v100,t4 --batch 1,2";
  const Json root = Json::parse(run(folder, both + " --json").out);
  CHECK(root.at("results").size() == 8);
  std::vector<std::string> compared;
  for (const Json& row : root.at("comparison")) compared.push_back(row.at("name"));
  CHECK(compared == std::vector<std::string>{"one.json", "one.json", "one.json", "one.json",
                                             "other.json", "other.json", "other.json",
                                             "other.json"});
  REQUIRE(root.at("sweeps").size() == 4);
  for (const Json& sweep : root.at("sweeps")) CHECK(sweep.at("rows").size() == 2);
  CHECK(lines_with(run(folder, both).out, "other.json  ").size() == 1);
}
