// roofline kernels: which kernels a library has for which convolutions, and on what evidence.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

/// The time of the file's one layer.
double expected_s(const TemporaryFolder& folder, const std::string& arguments) {
  const Outcome outcome = run(folder, "roofline " + arguments + " --json");
  return nlohmann::json::parse(outcome.out)
      .at("results")
      .front()
      .at("layers")
      .front()
      .at("expected_time_s")
      .get<double>();
}

nlohmann::json rows_on(const TemporaryFolder& folder, const std::string& gpu) {
  return nlohmann::json::parse(run(folder, "roofline kernels " + gpu + " --json").out).at("rows");
}

}  // namespace

TEST_CASE("roofline kernels lists rows with their evidence", "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  const nlohmann::json rows = rows_on(folder, "h100");
  REQUIRE(rows.size() > 40);
  std::set<std::string> kernels;
  for (const nlohmann::json& row : rows) {
    INFO(row.dump());
    kernels.insert(row.at("kernel").get<std::string>());
    CHECK(row.at("row") == &row - &rows.front() + 1);
    CHECK(row.at("layers") >= 1);
    CHECK(!row.at("origin").get<std::string>().empty());
    const std::string gpu = row.at("seen_on");
    CHECK((gpu == "H100" || gpu == "H200" || gpu == "A100" || gpu == "V100"));
  }
  for (const char* kernel : {"packed", "each_group", "framework_fwd", "case left"})
    CHECK(kernels.count(kernel) == 1);
}

TEST_CASE("roofline kernels lists MIOpen's solvers", "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  const nlohmann::json first = rows_on(folder, "mi300x").front();
  CHECK(first.at("library") == "MIOpen");
  CHECK(first.at("row").is_null());
  CHECK(first.at("takes").get<std::string>().find("fwd") == 0);
}

TEST_CASE("roofline kernels begins with what changed between releases", "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = lines_of(run(folder, "roofline kernels h100").out);
  REQUIRE(lines.size() > 40);
  CHECK(lines.at(1) ==
        "Releases whose kernels differ (--assume library=...): cuDNN up to 8.0, up to 9.1, later. "
        "Kernels");
  CHECK(lines.at(2) == "that came or went with one of them are first.");
  CHECK(lines.at(4).starts_with("row  kernel"));
  CHECK(lines.at(5).find("  layout_copy                 cuDNN    8.1 ") != std::string::npos);
  const auto is_case = [](const std::string& line) { return line.find("  case ") == 3; };
  const auto first_case = std::ranges::find_if(lines, is_case);
  CHECK(std::all_of(first_case, lines.end() - 4, is_case));
  CHECK(lines.end() - first_case > 10);
  CHECK(run(folder, "roofline kernels mi210").out.find("Releases") == std::string::npos);
}

TEST_CASE("--explain names the row that chose the kernel", "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  folder.write("grouped.json",
               R"({"type": "conv", "input": [8, 256, 28, 28], "out_channels": 256, "groups": 32,
                   "kernel_size": 3, "padding": 1, "name": "grouped", "layout": "nhwc"})");
  const std::string text =
      run(folder, "roofline grouped.json --gpu h100 --dtype fp16 --explain grouped").out;
  const nlohmann::json rows = rows_on(folder, "h100");
  std::size_t named = 0;
  for (const nlohmann::json& row : rows)
    if (text.find("chosen by  row " + std::to_string(row.at("row").get<int>()) +
                  " of roofline kernels: " + row.at("kernel").get<std::string>()) !=
        std::string::npos)
      ++named;
  CHECK(named == 1);
}

TEST_CASE("A release of the library before its kernels for groups runs the general one",
          "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  folder.write("old.json",
               R"({"type": "conv", "input": [100, 2048, 14, 14], "out_channels": 2048, "groups": 32,
                   "kernel_size": 3, "padding": 1, "stride": 2, "layout": "nhwc"})");
  const std::string layer = "old.json --gpu v100 --dtype fp16 ";
  const std::string line = "roofline " + layer;
  CHECK(run(folder, line).out.find("  release    by cuDNN 8.9; before 8.1: x") !=
        std::string::npos);
  // Measured by cuDNN 7 and 8.0: 47.3 ms.
  const auto by = [&](const std::string& library) {
    return expected_s(folder, layer + (library.empty() ? "" : "--assume library=" + library));
  };
  CHECK(by("cudnn8.0") == Approx(47.3e-3).epsilon(0.5));
  CHECK(by("cudnn7") == by("cudnn8.0"));
  CHECK(by("cudnn8.1") == by(""));
  CHECK(run(folder, line + "--measured 47.3ms")
            .out.find("your time is what grouped_direct_nhwc takes before cuDNN 8.1") !=
        std::string::npos);
  CHECK(run(folder, line + "--assume library=miopen7.1").err ==
        "roofline: expected a release of cuDNN, the library of Tesla V100 SXM2 16GB, got MIOpen "
        "7.1\n");
  CHECK(run(folder, line + "--assume library=cublas").err ==
        "roofline: --assume library=cublas: expected a library and its release, such as cudnn8.0 "
        "or miopen7.1\n");
}

TEST_CASE("MIOpen 7.1 has kernels for groups in NHWC and for depthwise layers",
          "[cli/kernel_rows]") {
  struct Case {
    const char* layer;
    const char* gpu;
    double measured_s;
  };
  const Case table[] = {
      {R"({"type": "conv", "input": [128, 384, 24, 48], "out_channels": 384, "groups": 3,
           "kernel_size": [3, 1], "padding": [1, 0], "dtype": "bf16", "layout": "nhwc"})",
       "mi300x", 125.23e-6},
      {R"({"type": "conv", "input": [16, 288, 4, 48, 32], "out_channels": 288, "groups": 3,
           "kernel_size": [1, 3, 3], "padding": [0, 1, 1], "dtype": "bf16", "layout": "nhwc"})",
       "mi300x", 143.04e-6},
      {R"({"type": "conv", "input": [128, 480, 28, 28], "out_channels": 480, "groups": 480,
           "kernel_size": 5, "padding": 2, "dtype": "fp16", "layout": "nchw"})",
       "mi350x", 80e-6},
      {R"({"type": "conv", "input": [128, 480, 28, 28], "out_channels": 480, "groups": 480,
           "kernel_size": 5, "padding": 2, "dtype": "fp16", "layout": "nchw"})",
       "mi308x", 270e-6},
  };
  const TemporaryFolder folder;
  for (const Case& each : table) {
    folder.write("layer.json", each.layer);
    const std::string layer = std::string("layer.json --gpu ") + each.gpu;
    const double newest_s = expected_s(folder, layer);
    INFO(each.layer);
    CHECK(newest_s == Approx(each.measured_s).epsilon(0.5));
    CHECK(expected_s(folder, layer + " --assume library=miopen7.0") > 5 * newest_s);
  }
}

TEST_CASE("roofline kernels wants one GPU and one format", "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  const Outcome many = run(folder, "roofline kernels nvidia");
  CHECK(many.exit_code == 2);
  CHECK(many.err.find("kernels: expected one GPU, got ") != std::string::npos);
  CHECK(run(folder, "roofline kernels h100 --json --csv").exit_code == 2);
  const std::string csv = run(folder, "roofline kernels h100 --csv").out;
  CHECK(csv.starts_with("row,kernel,takes,library,since,until,seen_on,layers,origin\n"));
  CHECK(static_cast<std::size_t>(std::ranges::count(csv, '\n')) ==
        1 + rows_on(folder, "h100").size());
}
