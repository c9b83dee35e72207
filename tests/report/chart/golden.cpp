// Approved charts, byte for byte. After a wanted change:
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R report/chart/golden
//
// rewrites the files under tests/golden; look at the pictures before you commit them.

#include "report/golden.hpp"

#include <fstream>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

struct GoldenChart {
  const char* file;
  const char* arguments;
};

// README shows resnet50.svg and alexnet.svg.
const GoldenChart golden_charts[] = {
    {"resnet50.svg", "resnet50 --gpu h200 --dtype fp16 --batch 32 --format svg"},
    {"alexnet.svg", "alexnet --gpu v100 --batch 1,2,4,...,1024 --host-copies --format svg"},
    {"mapping.svg", "notebook_conv --gpu v100 --tile 128x64x8 --format svg"},
    {"gpus.svg", "block.json --gpu v100,a100 --dtype fp16 --format svg"},
    {"intensity.svg", "block.json --gpu v100 --chart intensity --format svg"},
    {"time.svg", "block.json --gpu v100 --chart time --format svg"},
    {"compare.svg", "block.json --gpu v100,a100 --chart compare --format svg"},
    {"measured.svg", "conv.json layers.csv --gpu h100 --format svg"},
    {"names.svg", "names.json --gpu v100 --format svg"},
    {"names.html", "names.json --gpu v100 --format html"},
};

}  // namespace

TEST_CASE("Every chart gives the approved bytes", "[report/chart/golden]") {
  const TemporaryFolder folder;
  for (const char* input : {"conv.json", "block.json", "layers.csv", "names.json"})
    folder.write(input, read_file(golden_folder + std::string("inputs/") + input));
  for (const GoldenChart& each : golden_charts) {
    const std::string line = std::string("roofline ") + each.arguments;
    INFO(line);
    const Outcome outcome = run(folder, line);
    CHECK(outcome.exit_code == 0);
    const std::string path = golden_folder + std::string(each.file);
    if (updating()) std::ofstream(path, std::ios::binary) << outcome.out;
    CHECK(outcome.out == read_file(path));
  }
}
