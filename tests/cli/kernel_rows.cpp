// roofline kernels: which kernels a library has for which convolutions, and on what evidence.

#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

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
    CHECK((row.at("seen_on") == "H100" || row.at("seen_on") == "H200"));
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

TEST_CASE("roofline kernels wants one GPU and one format", "[cli/kernel_rows]") {
  const TemporaryFolder folder;
  const Outcome many = run(folder, "roofline kernels nvidia");
  CHECK(many.exit_code == 2);
  CHECK(many.err.find("kernels: expected one GPU, got ") != std::string::npos);
  CHECK(run(folder, "roofline kernels h100 --json --csv").exit_code == 2);
  CHECK(run(folder, "roofline kernels h100 --csv").out.substr(0, 41) ==
        "row,kernel,takes,library,seen_on,layers,o");
}
