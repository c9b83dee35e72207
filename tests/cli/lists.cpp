// Lists of what the program knows: their forms for programs, and searches in them.

#include <nlohmann/json.hpp>

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
