// Approved outputs of every format, byte for byte. After a wanted change:
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R report/golden
//
// rewrites the files under tests/golden; read the difference before you commit it.

#include "report/golden.hpp"

#include <fstream>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

struct GoldenRun {
  const char* name;
  const char* arguments;
  int exit_code;
};

const GoldenRun golden_runs[] = {
    {"conv", "conv.json --gpu v100", 0},
    {"block", "block.json --gpu v100,a100 --dtype fp16", 0},
    {"layers", "conv.json layers.csv broken.json --gpu h100 --batch 1,8", 1},
};

constexpr const char* golden_formats[][2] = {
    {"table", "txt"}, {"json", "json"}, {"ndjson", "ndjson"}, {"csv", "csv"}, {"markdown", "md"}};

}  // namespace

TEST_CASE("A terminal shows what matters in its width", "[report/golden]") {
  struct View {
    const char* name;
    const char* arguments;
  };
  const View views[] = {
      {"resnet50", "resnet50 --gpu v100"},
      {"densenet121", "densenet121 --gpu h200 --dtype fp16 --batch 32"},
      {"training", "mobilenet_v2 --gpu a100 --dtype fp16 --batch 64 --pass training"},
      {"points", "resnet50 vgg16 --gpu v100,t4,h200 --dtype fp16,fp32 --batch 1,32 --price t4=0.5"},
      {"ranking",
       "resnet50 --gpu all --dtype bf16 --batch best --price h100=2.5 --price l40s=0.9 --sort "
       "cost"},
      {"sweep", "alexnet --gpu v100 --batch 1,2,4,...,1024 --by type"},
  };
  for (const View& view : views)
    for (const int columns : {80, 120}) {
      const std::string line = std::string("roofline ") + view.arguments;
      INFO(line);
      const std::string text = run_at_terminal(golden_folder, line, columns);
      const std::string path = std::string(golden_folder) + "terminal." + view.name + "." +
                               std::to_string(columns) + ".txt";
      if (updating()) std::ofstream(path, std::ios::binary) << text;
      CHECK(text == read_file(path));
    }
}

TEST_CASE("Every format gives the approved bytes", "[report/golden]") {
  const TemporaryFolder folder;
  for (const char* input : {"conv.json", "block.json", "layers.csv", "broken.json"})
    folder.write(input, read_file(golden_folder + std::string("inputs/") + input));
  for (const GoldenRun& each : golden_runs)
    for (const auto& [format, extension] : golden_formats) {
      const std::string line = std::string("roofline ") + each.arguments + " --format " + format;
      INFO(line);
      const Outcome outcome = run(folder, line);
      CHECK(outcome.exit_code == each.exit_code);
      const std::string path = std::string(golden_folder) + each.name + "." + extension;
      if (updating()) std::ofstream(path, std::ios::binary) << outcome.out;
      CHECK(outcome.out == read_file(path));
      CHECK(run(folder, line).out == outcome.out);
    }
}
