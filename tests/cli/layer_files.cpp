// What --to-layers states, and what it leaves to who reads the file.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

TEST_CASE("A layer file states a type only where its input did", "[cli/layer_files]") {
  const TemporaryFolder folder;
  const std::string as_fp16 = "roofline - --gpu t4 --dtype fp16 --json";
  CHECK(Json::parse(run(folder, "roofline resnet18 --to-layers - | " + as_fp16).out)
            .at("results")
            .at(0)
            .at("dtype") == "fp16");
  CHECK(run(folder, "roofline resnet18 --dtype bf16 --to-layers - | head -3").out.find("bf16") !=
        std::string::npos);
  folder.write("x.json", R"({"dtype": "fp32", "layers": [{"type": "relu", "input": [8]}]})");
  CHECK(run(folder, "roofline x.json --to-layers -").out.find("\"fp32\"") != std::string::npos);
}

TEST_CASE("A program's layer file keeps the program's layouts in every type", "[cli/layer_files]") {
  const TemporaryFolder folder;
  const std::string program =
      ROOFLINE_SOURCE_FOLDER "/tests/pytorch/programs/resnetv2_50.dynamic.pt2";
  const std::string file =
      run(folder, "roofline " + program + " --batch 2 --dtype fp16 --to-layers -").out;
  CHECK(file.find("\"layout\":\"nhwc\"") == std::string::npos);
  CHECK(file.find("\"fp16\"") != std::string::npos);
}
