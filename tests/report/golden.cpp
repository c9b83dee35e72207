// Approved outputs of every format, byte for byte. After a wanted change:
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R report/golden
//
// rewrites the files under tests/golden; read the difference, and look at the pictures, before you
// commit them.

#include "report/golden.hpp"

#include <fstream>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

struct GoldenRun {
  const char* name;
  const char* arguments;
  int exit_code = 0;
};

const GoldenRun golden_runs[] = {
    {"conv", "conv.json --gpu v100"},
    {"block", "block.json --gpu v100,a100 --dtype fp16"},
    {"layers", "conv.json layers.csv broken.json --gpu h100 --batch 1,8", 1},
};

constexpr const char* golden_formats[][2] = {
    {"table", "txt"}, {"json", "json"}, {"ndjson", "ndjson"}, {"csv", "csv"}, {"markdown", "md"}};

#define ROOFLINE_TESTS ROOFLINE_SOURCE_FOLDER "/tests/"

// src/report/README.md shows the first ten.
const GoldenRun golden_charts[] = {
    {"resnet50.svg", "resnet50 --gpu h200 --dtype fp16 --batch 32 --format svg"},
    {"winograd.svg", "resnet50 --gpu v100 --batch 32 --format svg"},
    {"mapping.svg", "notebook_conv --gpu v100 --tile 128x64x8 --format svg"},
    {"explained.svg", "notebook_conv --gpu v100 --explain conv --format svg"},
    {"recording.svg", ROOFLINE_TESTS "traces/resnet50.fwd.fp16.b32.3steps.json.gz --format svg"},
    {"multiples.svg", "resnet50 --gpu v100,a100,h200,mi300x --dtype fp16 --batch 32 --format svg"},
    {"types.svg", "resnet50 --gpu h100 --dtype fp32,tf32,fp16 --batch 32 --format svg"},
    {"changes.svg", "resnet50 --gpu v100 --batch 32 --set bandwidth=2TB/s --compare --format svg"},
    {"ranking.svg", "resnet50 --gpu 'nvidia>=40GB' --dtype fp16 --batch best --format svg"},
    {"alexnet.svg", "alexnet --gpu v100 --batch 1,2,4,...,1024 --host-copies --format svg"},
    {"kernels.svg", ROOFLINE_TESTS "profilers/net.h100.ncu-raw.csv.gz --format svg"},
    {"sweeps.svg", "resnet50 --gpu v100,a100,h200 --dtype fp16 --batch 1,4,16,64 --format svg"},
    {"gpus.svg", "block.json --gpu v100,a100 --dtype fp16 --format svg"},
    {"time.svg", "block.json --gpu v100 --chart time --format svg"},
    {"compare.svg", "block.json --gpu v100,a100 --chart compare --format svg"},
    {"measured.svg", "conv.json layers.csv --gpu h100 --format svg"},
    {"names.svg", "names.json --gpu v100 --format svg"},
    {"names.html", "names.json --gpu v100 --format html"},
};

/// Holds a text against the approved one, or approves it.
void check_approved(const std::string& file, const std::string& text) {
  const std::string path = golden_folder + file;
  if (updating()) std::ofstream(path, std::ios::binary) << text;
  CHECK(text == read_file(path));
}

/// A folder with these inputs.
void write_inputs(const TemporaryFolder& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    folder.write(name, read_file(golden_folder + ("inputs/" + name)));
}

}  // namespace

TEST_CASE("A terminal shows what matters in its width", "[report/golden]") {
  const GoldenRun views[] = {
      {"resnet50", "resnet50 --gpu v100"},
      {"densenet121", "densenet121 --gpu h200 --dtype fp16 --batch 32"},
      {"training", "mobilenet_v2 --gpu a100 --dtype fp16 --batch 64 --pass training"},
      {"points", "resnet50 vgg16 --gpu v100,t4,h200 --dtype fp16,fp32 --batch 1,32 --price t4=0.5"},
      {"ranking",
       "resnet50 --gpu all --dtype bf16 --batch best --price h100=2.5 --price l40s=0.9 --sort "
       "cost"},
      {"sweep", "alexnet --gpu v100 --batch 1,2,4,...,1024 --by type"},
  };
  for (const GoldenRun& view : views)
    for (const int columns : {80, 120}) {
      const std::string line = std::string("roofline ") + view.arguments;
      INFO(line);
      const std::string text = run_at_terminal(golden_folder, line, columns);
      check_approved(std::string("terminal.") + view.name + "." + std::to_string(columns) + ".txt",
                     text);
    }
}

TEST_CASE("Every format gives the approved bytes", "[report/golden]") {
  const TemporaryFolder folder;
  write_inputs(folder, {"conv.json", "block.json", "layers.csv", "broken.json"});
  for (const GoldenRun& each : golden_runs)
    for (const auto& [format, extension] : golden_formats) {
      const std::string line = std::string("roofline ") + each.arguments + " --format " + format;
      INFO(line);
      const Outcome outcome = run(folder, line);
      CHECK(outcome.exit_code == each.exit_code);
      check_approved(std::string(each.name) + "." + extension, outcome.out);
      CHECK(run(folder, line).out == outcome.out);
    }
}

TEST_CASE("Every chart gives the approved bytes", "[report/golden]") {
  const TemporaryFolder folder;
  write_inputs(folder, {"conv.json", "block.json", "layers.csv", "names.json"});
  for (const GoldenRun& each : golden_charts) {
    const std::string line = std::string("roofline ") + each.arguments;
    INFO(line);
    const Outcome outcome = run(folder, line);
    CHECK(outcome.exit_code == 0);
    check_approved(each.name, outcome.out);
  }
}
