// Every layer of an input is in what is read of it, or named.

#include "nothing_lost.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "load/byte_stream.hpp"
#include "load/record_reading.hpp"
#include "model/recording.hpp"

using namespace roofline;

namespace {

const std::string tests = ROOFLINE_SOURCE_FOLDER "/tests/";

std::vector<std::string> files_in(const std::string& folder, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests + folder))
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path().string());
  REQUIRE(!files.empty());
  return files;
}

/// What the GPU did in a trace, by its own events.
double kernel_us(const std::string& path) {
  static const std::set<std::string> categories{"kernel", "gpu_memcpy", "gpu_memset"};
  const auto trace = nlohmann::json::parse(decompressed(open_stream(path))->read_rest());
  double sum_us = 0;
  for (const auto& event : trace.at("traceEvents"))
    if (event.value("ph", "") == "X" && categories.contains(event.value("cat", "")))
      sum_us += event.at("dur").get<double>();
  return sum_us;
}

/// "left out: 12.34 ms of kernels on other GPUs"
double left_out_us(const std::vector<std::string>& notes) {
  const std::string begin = "left out: ";
  double sum_us = 0;
  for (const std::string& note : notes)
    if (note.starts_with(begin))
      sum_us += std::stod(note.substr(begin.size())) *
                (note.find(" us of kernels") != note.npos ? 1 : 1000);
  return sum_us;
}

/// Images of 64 x 64 where the model leaves their size open.
LayerDefaults with_open_sizes(const onnx_graph::Model& model) {
  LayerDefaults defaults = {};
  defaults.batch_override = 2;
  for (const char* name : {"height", "width", "H", "W"})
    for (const auto& input : model.graph.inputs)
      if (input.shape && std::ranges::any_of(*input.shape, [&](const auto& dimension) {
            return dimension.name == name;
          }))
        defaults.dimensions.emplace_back(name, 64);
  return defaults;
}

}  // namespace

TEST_CASE("Kernels of recordings are layers, transfers or named", "[load/nothing_lost]") {
  for (const char* folder : {"traces", "pytorch/programs"})
    for (const std::string& path : files_in(folder, ".json.gz")) {
      INFO(path);
      const Records records = read_path(path, "");
      REQUIRE(records.specs.size() == 1);
      const NetworkSpec& spec = *records.specs.front();
      if (!spec.summary) continue;  // compiled: kernels alone
      CHECK(what_is_lost(spec).empty());
      const double read_us =
          1e6 * spec.summary->kernel_s * static_cast<double>(spec.summary->steps);
      CHECK(read_us + left_out_us(spec.summary->notes) == Approx(kernel_us(path)).margin(20));
    }
}

TEST_CASE("Products, windows and norms of ONNX models are layers or named", "[load/nothing_lost]") {
  LayerNodes all;
  for (const std::string& path : files_in("onnx", ".onnx")) {
    INFO(path);
    const auto model = onnx_graph::read_model(*open_stream(path));
    const LayerDefaults defaults = with_open_sizes(*model);
    const LayerNodes own = layer_nodes(*model, defaults);
    all.products += own.products;
    all.windows_and_norms += own.windows_and_norms;
    const Records records = read_path(path, "", defaults);
    REQUIRE(records.specs.size() == 1);
    CHECK(what_is_lost(*records.specs.front(), std::nullopt, own) == "");
  }
  CHECK(all.products > 100);
  CHECK(all.windows_and_norms > 20);
}

TEST_CASE("Commands of MIOpenDriver are layers or errors", "[load/nothing_lost]") {
  for (const std::string& path : files_in("tables", ".log")) {
    const Records records = read_path(path, "");
    REQUIRE(records.specs.size() == 1);
    const std::size_t commands = driver_commands(decompressed(open_stream(path))->read_rest());
    CHECK(commands > 3);
    CHECK(records.specs.front()->layer_count() + bad_rows(records.errors) >= commands);
  }
  CHECK(bad_rows({"x: 3: y", "x: 4: y; left out with 2 more rows that cannot be read"}) == 4);
}

TEST_CASE("Launches of a table are in the recording or named", "[load/nothing_lost]") {
  for (const std::string& path :
       {tests + "profilers/small.cuda_gpu_trace.csv", tests + "fuzz/seeds/launches.csv"}) {
    const Records records = read_path(path, "");
    REQUIRE(records.specs.size() == 1);
    const std::string text = decompressed(open_stream(path))->read_rest();
    CHECK(launches_of(*records.specs.front()->kernels) + bad_rows(records.errors) + 1 ==
          record_lines(std::string_view(text).substr(text.find("Start (ns)"))));
  }
}
