// The columns that --fields takes, and what a failed record says of itself.

#include <algorithm>
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
}

TEST_CASE("Lists have forms for programs", "[cli/fields]") {
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

TEST_CASE("Tables of spreadsheets have semicolons or tabs", "[cli/fields]") {
  const TemporaryFolder folder;
  std::string expected;
  for (const char separator : {',', ';', '\t'}) {
    std::string text = "type,in_features,out_features,batch\nlinear,8,4,2\n";
    std::ranges::replace(text, ',', separator);
    folder.write("x.csv", text);
    const std::string out = run(folder, "roofline x.csv --gpu v100 --format ndjson").out;
    if (expected.empty()) expected = out;
    CHECK(out == expected);
  }
  CHECK(expected.find("\"flops\":128,") != std::string::npos);  // 2 x 2 x 8 x 4
}

TEST_CASE("Notes of a layer and of a network may be any value", "[cli/fields]") {
  const TemporaryFolder folder;
  folder.write("x.json", R"({"note": ["a"], "comment": 1, "meta": {"by": "b"}, "layers": [
      {"type": "relu", "input": [8], "note": "a", "comment": null, "meta": {"x": [1]}}]})");
  const Outcome outcome = run(folder, "roofline x.json --gpu v100");
  CHECK(outcome.err == "");
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("What other programs print for people is named, with the way to have it as a file",
          "[cli/fields]") {
  const TemporaryFolder folder;
  const std::string exported =
      ": export the model (torch.export.save(torch.export.export(model, (images,)), "
      "\"model.pt2\"))\n";
  const std::pair<const char*, std::string> texts[] = {
      {"Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3), bias=False)",
       "a printed PyTorch module, which has no sizes of images" + exported},
      {"  (conv1): Conv2d(3, 64, kernel_size=(7, 7))",
       "a printed PyTorch module, which has no sizes of images" + exported},
      {"Layer (type:depth-idx)    Output Shape    Param #",
       "a table of layers without windows and strides" + exported},
      {"Name    Self CPU %    Self CPU",
       "torch.profiler's printed table, which has no shapes: record with record_shapes=True and "
       "write profiler.export_chrome_trace(\"step.json\")\n"}};
  for (const auto& [text, message] : texts) {
    folder.write("x.txt", std::string(text) + '\n');
    const std::string err = run(folder, "roofline x.txt --gpu v100").err;
    INFO(err);
    CHECK(err.ends_with(": expected JSON, got " + message));
  }
}

TEST_CASE("A layer file states a type only where its input did", "[cli/fields]") {
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

TEST_CASE("A program's layer file keeps the program's layouts in every type", "[cli/fields]") {
  const TemporaryFolder folder;
  const std::string program =
      ROOFLINE_SOURCE_FOLDER "/tests/pytorch/programs/resnetv2_50.dynamic.pt2";
  const std::string file =
      run(folder, "roofline " + program + " --batch 2 --dtype fp16 --to-layers -").out;
  CHECK(file.find("\"layout\":\"nhwc\"") == std::string::npos);
  CHECK(file.find("\"fp16\"") != std::string::npos);
}

TEST_CASE("gpus searches words of names", "[cli/fields]") {
  const TemporaryFolder folder;
  const Json found = Json::parse(run(folder, "roofline gpus 'rtx 40' --json").out).at("gpus");
  CHECK(found.size() >= 9);
  for (const auto& [name, gpu] : found.items()) CHECK(name.starts_with("GeForce RTX 40"));
  CHECK(run(folder, "roofline gpus 'no such'").exit_code == 2);
}

TEST_CASE("A narrow type on another engine says so in the title", "[cli/fields]") {
  const TemporaryFolder folder;
  const auto title = [&](const std::string& arguments) {
    const std::string out = run(folder, "roofline lenet5 --gpu " + arguments).out;
    return out.substr(0, out.find('\n'));
  };
  CHECK(title("v100 --dtype int8").find(", int8 (on dp4a), ") != std::string::npos);
  CHECK(title("t4 --dtype int8").find("(on ") == std::string::npos);
}

TEST_CASE("Keras' keys have channels last, and an image whose colours stand last is refused",
          "[cli/fields]") {
  const TemporaryFolder folder;
  folder.write("keras.json", R"({"type": "Conv2D", "filters": 64, "kernel_size": 3,
      "padding": "same", "input_shape": [224, 224, 3]})");
  // 224 x 224 x (3 + 64) and 64 x 3 x 9 numbers of 4 byte at 320 GB/s: 42.04 us.
  CHECK(run(folder, "roofline keras.json --gpu t4").out.find("42.04 us: bound by memory") !=
        std::string::npos);
  folder.write(
      "last.json",
      R"({"type": "conv", "out_channels": 64, "kernel_size": 3, "input": [1, 224, 224, 3]})");
  CHECK(
      run(folder, "roofline last.json --gpu t4").err ==
      "last.json: /input: expected [N, C, H, W], got [1, 224, 224, 3]: write [1, 3, 224, 224] for "
      "3 channels, and c, h and w for 224 channels\n");
  folder.write(
      "keys.json",
      R"({"type": "conv", "out_channels": 64, "kernel_size": 3, "c": 224, "h": 224, "w": 3})");
  CHECK(run(folder, "roofline keys.json --gpu t4").exit_code == 0);
}
