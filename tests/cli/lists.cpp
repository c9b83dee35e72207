// Lists of what the program knows: their forms for programs, and searches in them.

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

TEST_CASE("Lists have forms for programs", "[cli/lists]") {
  const TemporaryFolder folder;
  CHECK(run(folder, "roofline gpus v100 --format csv").out ==
        "name,alias,architecture,memory_byte,bandwidth_byte_per_s,fp32_flop_per_s,"
        "fp16_tensor_flop_per_s\n"
        "Tesla V100 SXM2 16GB,v100,Volta,16000000000,900000000000.0,15700000000000.0,"
        "125000000000000.0\n");
  CHECK(run(folder, "roofline gpus v100 --format csv").out ==
        run(folder, "roofline gpus v100 --csv").out);
  CHECK(run(folder, "roofline gpus v100 --format json").out ==
        run(folder, "roofline gpus v100 --json").out);
  const Json words = Json::parse(run(folder, "roofline words --json").out);
  CHECK(words.at("launch") == "starting kernels");
}

TEST_CASE("gpus searches words of names", "[cli/lists]") {
  const TemporaryFolder folder;
  const Json found = Json::parse(run(folder, "roofline gpus 'rtx 40' --json").out).at("gpus");
  CHECK(found.size() >= 9);
  for (const auto& [name, gpu] : found.items()) CHECK(name.starts_with("GeForce RTX 40"));
  CHECK(run(folder, "roofline gpus 'no such'").exit_code == 2);
}

namespace {

/// With one blank between words.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  for (std::string word; words >> word;) all += word + ' ';
  return all;
}

}  // namespace

TEST_CASE("Each row has its help, and each help its row", "[cli/lists]") {
  const TemporaryFolder folder;
  std::string helps;
  for (const std::string words :
       {"roofline", "roofline-calibrate", "roofline gpus", "roofline kernels", "roofline words",
        "roofline fields", "roofline networks"})
    helps += run(folder, words + " --help all").out + run(folder, words + " --help").out;
  for (const std::string program : {"roofline", "roofline-calibrate"}) {
    const auto candidates = lines_of(run(folder, program + " --complete=" + program).out);
    CHECK(candidates.size() > 15);
    for (const std::string& line : candidates) {
      INFO(program << ' ' << line);
      if (line.starts_with("-")) CHECK(line.find('\t') != line.npos);
    }
  }
  helps = unwrapped(helps);
  std::ifstream file(ROOFLINE_SOURCE_FOLDER "/src/cli/helps.tsv");
  for (std::string line; std::getline(file, line);) {
    INFO(line);
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != line.npos);
    CHECK(helps.find(unwrapped(line.substr(tab + 1, line.find('{') - tab - 1))) != helps.npos);
  }
}
