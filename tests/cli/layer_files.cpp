// What --to-layers states, and what it leaves to who reads the file.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

TEST_CASE("One network is one stack and one time, whatever file it comes from",
          "[cli/layer_files]") {
  const TemporaryFolder folder;
  const std::string programs = ROOFLINE_SOURCE_FOLDER "/tests/pytorch/programs/";
  const std::string options = " --gpu h100 --dtype fp16 --batch 8";
  const auto head_of = [&](const std::string& input) {
    const std::string out = run(folder, "roofline " + input + options).out;
    return lines_of(out.substr(out.find(" on H100")));
  };
  const std::vector<std::string> built_in = head_of("r3d_18");
  CHECK(built_in[0] == " on H100 SXM5 80GB, fp16, batch 8, fwd, nhwc, kernels alone");
  run(folder, "roofline r3d_18" + options + " --to-layers layers.json");
  CHECK(head_of("layers.json") == built_in);
  const std::vector<std::string> program = head_of(programs + "r3d_18.pt2");
  // Its range is of more layers, as a program flattens the images.
  CHECK(program[0] == built_in[0]);
  CHECK(program[1].substr(0, program[1].find(" (")) ==
        built_in[1].substr(0, program[1].find(" (")));
  for (const std::size_t line : {2U, 3U}) CHECK(program[line] == built_in[line]);
  // The exporter folded the norms into weights: kernels alone are of fewer layers, a step is not.
  const std::vector<std::string> onnx = head_of(programs + "r3d_18.onnx.gz");
  CHECK(onnx[0] == built_in[0]);
  for (const std::size_t line : {2U, 3U}) CHECK(onnx[line] == built_in[line]);
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
