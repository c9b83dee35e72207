// What --to-layers writes of every model, program, recording and engine under tests:
// tests/golden/to_layers.txt. An input's number stands for all bytes of its layers, names and
// times included. Its rows, which a person can read, are the layers without these, each once with
// its count.
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R operators/golden

#include "report/golden.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

const std::string tests_folder = ROOFLINE_SOURCE_FOLDER "/tests/";

/// Files of tests/, and the options of those that need any.
std::vector<std::string> inputs() {
  std::vector<std::string> files{"fuzz/seeds/engine.json", "fuzz/seeds/engine_alone.json",
                                 "fuzz/seeds/trace.json"};
  for (const std::string folder : {"onnx", "pytorch/programs", "traces"})
    for (const auto& entry : std::filesystem::directory_iterator(tests_folder + folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_input =
          name.ends_with(".onnx") || name.ends_with(".pt2") || name.ends_with(".gz");
      if (is_input) files.push_back(folder + "/" + name);
    }
  std::ranges::sort(files);
  for (std::string& file : files) {
    if (file.ends_with("dimensions.onnx")) file += " --dim height=12 --dim width=16";
    if (file.ends_with("folding.onnx")) file += " --batch 8";
  }
  files.emplace_back("onnx/resnet18.dynamo.onnx --batch 8 --dtype fp16");
  files.emplace_back("pytorch/programs/resnetv2_50.dynamic.pt2 --batch 4 --dtype bf16");
  files.emplace_back("pytorch/programs/mobilevit_s.pt2 --batch 64");
  return files;
}

/// FNV-1a of 64 bits.
std::string number_of(const std::string& bytes) {
  std::uint64_t number = 0xcbf29ce484222325;
  for (const char byte : bytes)
    number = (number ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[number >> shift & 15];
  return text;
}

/// The layer of a line, without its name, its operands' names and its measured times.
std::string row_of(const std::string& line) {
  static const std::regex name(R"re("name":"(?:[^"\\]|\\.)*",)re");
  static const std::regex measured(R"re(,"measured[a-z_]*":(?:[^,"}]+|"(?:[^"\\]|\\.)*"))re");
  static const std::regex operand(R"re((,"input"|\{"layer"):"(?:[^"\\]|\\.)*")re");
  static const std::regex list(R"re(([\[,])"(?:[^"\\]|\\.)*"(?=[\],]))re");
  std::string row = std::regex_replace(line, name, "");
  row = std::regex_replace(row, measured, "");
  row = std::regex_replace(row, operand, "$1:~");
  for (std::string before; before != row;) {
    before = row;
    row = std::regex_replace(row, list, "$1~");
  }
  row.erase(0, row.find('{'));
  if (row.ends_with(',')) row.pop_back();
  return row;
}

std::string rows_of(const std::string& file) {
  const TemporaryFolder folder;
  run(folder, "ln -s " + tests_folder + "* .");
  // A seed of the fuzz target has the engine's profile behind the engine.
  std::string line = file;
  if (const std::string engine = "fuzz/seeds/engine.json"; file == engine) {
    const std::string seed = read_file(tests_folder + engine);
    folder.write("engine.json", seed.substr(0, seed.find("\n=") + 1));
    line = "engine.json";
  }
  const Outcome outcome = run(folder, "roofline " + line + " --gpu h100 --to-layers -");
  INFO(file << '\n' << outcome.err);
  CHECK(outcome.exit_code <= 1);
  std::vector<std::string> order;
  std::map<std::string, int> counts;
  const auto lines = lines_of(outcome.out);
  const auto layers =
      std::ranges::count_if(lines, [](const std::string& each) { return each.starts_with("  {"); });
  for (const std::string& each : lines) {
    if (!each.starts_with("  {")) continue;
    const std::string row = row_of(each);
    if (counts[row]++ == 0) order.push_back(row);
  }
  std::string text = "\n## " + file + "\n" + std::to_string(layers) + " layers, " +
                     number_of(outcome.out) + "\n" + outcome.err;
  for (const std::string& row : order) text += std::to_string(counts[row]) + " " + row + "\n";
  return text;
}

}  // namespace

TEST_CASE("Layers of all models, programs, recordings and engines", "[operators/golden]") {
  const std::string path = std::string(golden_folder) + "to_layers.txt";
  std::string text =
      "# tests/operators/golden.cpp writes this: layers, the number of all bytes, notes, and the "
      "layers without\n# names and times, each once with its count\n";
  for (const std::string& file : inputs()) text += rows_of(file);
  if (updating()) {
    std::ofstream(path) << text;
    return;
  }
  const std::vector<std::string> got = lines_of(text);
  const std::vector<std::string> expected = lines_of(read_file(path));
  std::string input;
  for (std::size_t i = 0; i < std::max(got.size(), expected.size()); ++i) {
    if (i < got.size() && got[i].starts_with("## ")) input = got[i];
    INFO(input);
    REQUIRE((i < got.size() ? got[i] : "") == (i < expected.size() ? expected[i] : ""));
  }
}
