// Notations of other programs and people: read as they mean them, or named with what to do.

#include <algorithm>
#include <utility>

#include "catch.hpp"
#include "cli/process.hpp"

TEST_CASE("Tables of spreadsheets have semicolons or tabs", "[cli/notations]") {
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

TEST_CASE("Notes of a layer and of a network may be any value", "[cli/notations]") {
  const TemporaryFolder folder;
  folder.write("x.json", R"({"note": ["a"], "comment": 1, "meta": {"by": "b"}, "layers": [
      {"type": "relu", "input": [8], "note": "a", "comment": null, "meta": {"x": [1]}}]})");
  const Outcome outcome = run(folder, "roofline x.json --gpu v100");
  CHECK(outcome.err == "");
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("What other programs print for people is named, with the way to have it as a file",
          "[cli/notations]") {
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

TEST_CASE("Keras' keys have channels last, and an image whose colours stand last is refused",
          "[cli/notations]") {
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
