// Approved outputs, byte for byte: one of each renderer on GPUs of the tests' own, whose kernel
// model no change of configs moves, and the pictures that pages show, of real GPUs. After a wanted
// change:
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R report/golden
//
// rewrites the files under tests/golden; read the difference, and look at the pictures, before you
// commit them.

#include "report/golden.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

#define ROOFLINE_TESTS ROOFLINE_SOURCE_FOLDER "/tests/"
#define ON_FROZEN " --gpu frozen100.json "
#define MEASURED_ON_FROZEN ON_FROZEN "--assume measured-gpu=frozen100.json "
#define ALL_INPUTS "conv.json layers.csv broken.json --batch 1,8" MEASURED_ON_FROZEN
#define RECORDED_KERNELS ROOFLINE_TESTS "profilers/net.h100.ncu-raw.csv.gz" ON_FROZEN

struct GoldenRun {
  const char* file;
  const char* arguments;
  int exit_code = 0;
  int terminal_columns = 0;  ///< 0: standard output alone, of no terminal
};

const GoldenRun frozen_runs[] = {
    {"formats.json", ALL_INPUTS "--format json", 1},
    {"formats.ndjson", ALL_INPUTS "--format ndjson", 1},
    {"formats.csv", ALL_INPUTS "--format csv", 1},
    {"formats.md", ALL_INPUTS "--format markdown", 1},
    {"table.txt", "block.json --dtype fp16" ON_FROZEN},
    {"terminal.80.txt", "resnet50" ON_FROZEN, 0, 80},
    {"terminal.120.txt", "mobilenet_v2 --dtype fp16 --batch 64 --pass training" ON_FROZEN, 0, 120},
    {"measured.txt", "conv.json" MEASURED_ON_FROZEN},
    {"explain.txt", "conv.json --explain 'first layer'" ON_FROZEN},
    {"network.txt", "resnet18 --explain" ON_FROZEN},
    {"changes.txt", "block.json --set bandwidth=2TB/s --compare" ON_FROZEN},
    {"ranking.txt",
     "resnet18 alexnet --gpu frozen100.json,frozen40.json --batch 1,32 --sort cost "
     "--price frozen100.json=2.5,frozen40.json=1"},
    {"sweep.txt", "alexnet --batch 1,2,4,...,64 --by type" ON_FROZEN},
    {"kernels.txt", RECORDED_KERNELS},
    {"calibration.txt", "calibrate timed.csv -o calibrated.json" MEASURED_ON_FROZEN},
    {"page.html", "names.json --format html" ON_FROZEN},
    {"time.svg", "block.json --chart time --format svg" ON_FROZEN},
    {"measured.svg", "conv.json layers.csv --format svg" MEASURED_ON_FROZEN},
    {"kernels.svg", RECORDED_KERNELS "--format svg"},
    {"compare.svg", "block.json --gpu frozen100.json,frozen40.json --by gpu --format svg"},
    {"sweeps.svg",
     "resnet18 --gpu frozen100.json,frozen40.json --dtype fp16 --batch 1,4,16,64 --format svg"},
};

// src/docs/outputs.md shows these.
const GoldenRun shown_pictures[] = {
    {"resnet50.svg", "resnet50 --gpu h200 --dtype fp16 --batch 32 --format svg"},
    {"winograd.svg", "resnet50 --gpu v100 --batch 32 --format svg"},
    {"mapping.svg", "notebook_conv --gpu v100 --kernel tile=128x64x8 --format svg"},
    {"explained.svg", "notebook_conv --gpu v100 --explain conv --format svg"},
    {"recording.svg", ROOFLINE_TESTS "traces/resnet50.fwd.fp16.b32.3steps.json.gz --format svg"},
    {"multiples.svg", "resnet50 --gpu v100,a100,h200,mi300x --dtype fp16 --batch 32 --format svg"},
    {"types.svg", "resnet50 --gpu h100 --dtype fp32,tf32,fp16 --batch 32 --format svg"},
    {"changes.svg", "resnet50 --gpu v100 --batch 32 --set bandwidth=2TB/s --compare --format svg"},
    {"ranking.svg", "resnet50 --gpu 'nvidia>=40GB' --dtype fp16 --batch best --format svg"},
    {"alexnet.svg",
     "alexnet --gpu v100 --batch 1,2,4,...,1024 --assume host-copies=pinned --format svg"},
};

/// Holds what a run prints against the approved text, or approves it.
void check_approved(const TemporaryFolder& folder, const GoldenRun& golden) {
  const std::string line = program_line(golden.arguments);
  INFO(golden.file << ": " << line);
  std::string text;
  if (golden.terminal_columns > 0) {
    text = run_at_terminal(folder.path(), line, golden.terminal_columns);
  } else {
    const Outcome outcome = run(folder, line);
    CHECK(outcome.exit_code == golden.exit_code);
    text = outcome.out;
  }
  const std::string path = golden_folder + std::string(golden.file);
  if (updating()) std::ofstream(path, std::ios::binary) << text;
  CHECK(text == read_file(path));
}

}  // namespace

TEST_CASE("Every renderer gives the approved bytes", "[report/golden]") {
  const TemporaryFolder folder;
  for (const char* inputs : {"inputs", "gpus"})
    for (const auto& entry :
         std::filesystem::directory_iterator(golden_folder + std::string(inputs)))
      folder.write(entry.path().filename().string(), read_file(entry.path().string()));
  for (const GoldenRun& golden : frozen_runs) check_approved(folder, golden);
}

TEST_CASE("Pages show what the program draws", "[report/golden]") {
  const TemporaryFolder folder;
  for (const GoldenRun& golden : shown_pictures) check_approved(folder, golden);
}

TEST_CASE("Nothing else is approved", "[report/golden]") {
  // Those of cli/attacks, cli/foreign_files and operators/golden.
  std::set<std::string> files{"attacks.md", "foreign.md", "to_layers.txt"};
  for (const GoldenRun& golden : frozen_runs) files.insert(golden.file);
  for (const GoldenRun& golden : shown_pictures) files.insert(golden.file);
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder)) {
    INFO(entry.path());
    CHECK((entry.is_directory() || files.contains(entry.path().filename().string())));
  }
}
