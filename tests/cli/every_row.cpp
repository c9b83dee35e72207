// Every row that is written is read again, with its times, in each format: of programs, recordings,
// engines and ONNX models.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path tests = fs::path(ROOFLINE_SOURCE_FOLDER) / "tests";

/// Files of a folder whose names have one of these endings.
std::vector<std::string> files_in(const std::string& folder,
                                  const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(tests / folder)) {
    const std::string path = entry.path().string();
    if (std::ranges::any_of(endings, [&](const std::string& end) { return path.ends_with(end); }))
      files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

/// The bound's and the expected time of a row.
using Times = std::pair<Json, Json>;

/// The times of the rows that could be evaluated.
std::vector<Times> times_of(const TemporaryFolder& folder, const std::string& words) {
  const Outcome outcome = run(
      folder, "roofline " + words + " --format ndjson --fields roofline_time_s,expected_time_s");
  std::vector<Times> times;
  for (const std::string& line : lines_of(outcome.out)) {
    const Json row = Json::parse(line);
    if (row.contains("roofline_time_s"))
      times.emplace_back(row.at("roofline_time_s"), row.at("expected_time_s"));
  }
  return times;
}

/// `assumed`: options that no result states.
void check_every_row(const std::string& input, const std::string& options,
                     const std::string& assumed = "") {
  const TemporaryFolder folder;
  INFO(input << ' ' << options);
  const std::string words = input + " --gpu h100 " + options + assumed;
  const std::vector<Times> written = times_of(folder, words);
  if (written.empty()) return;  // kernels alone, or a file that needs another beside it
  run(folder, "roofline " + words + " -o x.json -o x.ndjson -o x.csv --to-layers layers.json");
  for (const std::string name : {"x.json", "x.ndjson", "x.csv", "layers.json"}) {
    // A framework is asked for again where a file of layers is read.
    const bool is_result = name.starts_with("x");
    const std::vector<Times> read =
        times_of(folder, name + " --gpu h100 " + (is_result ? "" : options) + assumed);
    INFO(name);
    CHECK(read.size() == written.size());
    CHECK(read == written);
  }
}

}  // namespace

TEST_CASE("Every row of programs is read again with its times", "[cli/every_row]") {
  for (const std::string& file : files_in("pytorch/programs", {".pt2"})) check_every_row(file, "");
}

TEST_CASE("Every row of recordings and engines is read again with its times", "[cli/every_row]") {
  for (const std::string& file : files_in("traces", {".json", ".gz"})) check_every_row(file, "");
  for (const std::string& file : files_in("golden/inputs", {".json", ".gz"}))
    check_every_row(file, "");
}

TEST_CASE("Every row of ONNX models is read again with its times", "[cli/every_row]") {
  for (const std::string& file : files_in("onnx", {".onnx"})) check_every_row(file, "");
}

TEST_CASE("A row remembers the framework that ran it", "[cli/every_row]") {
  // Eager, a row waits for the host by the rows before it, which a row alone does not know.
  check_every_row("resnet18", "--framework pytorch", " --assume launch=graph");
  const TemporaryFolder folder;
  for (const std::string framework : {"torch-compile", "tensorrt"}) {
    INFO(framework);
    const std::string words = "resnet18 --gpu h100 --framework " + framework;
    const std::vector<Times> written = times_of(folder, words);
    run(folder, "roofline " + words + " -o x.json -o x.ndjson -o x.csv");
    CHECK(times_of(folder, "x.json --gpu h100") == written);
    // Another framework is asked for.
    const std::vector<Times> other = times_of(folder, "x.json --gpu h100 --framework pytorch");
    const std::vector<Times> asked = times_of(folder, "resnet18 --gpu h100 --framework pytorch");
    REQUIRE(other.size() == asked.size());
    // Layers state the layout that they ran in, on which their kernels depend, but no bound.
    for (std::size_t i = 0; i < other.size(); ++i) CHECK(other[i].first == asked[i].first);
    // A row alone has its bound and its place, and a compiler's kernel as the library's.
    for (const std::string name : {"x.ndjson", "x.csv"})
      CHECK(times_of(folder, name + " --gpu h100").size() == written.size());
  }
}

TEST_CASE("Rows of what one kernel does are read, or named", "[cli/every_row]") {
  const TemporaryFolder folder;
  const std::string model = (tests / "onnx" / "attention_dynamo.onnx").string();
  const std::string words = model + " --gpu v100 --framework tensorrt";
  const std::vector<Times> written = times_of(folder, words);
  REQUIRE(written.size() == 14);
  run(folder, "roofline " + words + " -o x.json -o x.ndjson -o x.csv");
  for (const std::string name : {"x.ndjson", "x.csv"}) {
    const std::vector<Times> read = times_of(folder, name + " --gpu v100");
    REQUIRE(read.size() == written.size());
    for (std::size_t i = 0; i < read.size(); ++i) CHECK(read[i].first == written[i].first);
  }
  const Outcome report = run(folder, "roofline x.json --gpu v100 --format csv");
  CHECK(lines_of(report.out).size() == 1 + 12);
  CHECK(report.err.find("x.json: 2 rows, parts of an attention in one kernel, have no layer of "
                        "their own: the attention stands for them\n") != std::string::npos);
}

TEST_CASE("A row without its layer is named", "[cli/every_row]") {
  const TemporaryFolder folder;
  folder.write("null.ndjson", R"({"schema_version":2,"name":"x","type":"add","layer":null})");
  const Outcome row = run(folder, "roofline null.ndjson --gpu v100");
  CHECK(row.exit_code == 1);
  CHECK(row.err ==
        "null.ndjson:1: /layer: expected a layer, got null: a kernel that the run added and an "
        "older version did not write; give the input that it is of\n");
  folder.write("null.json", R"({"schema_version": 2, "results": [{"network": "x", "layers": [
      {"name": "a.bias", "type": "add", "layer": null},
      {"name": "a", "type": "relu", "layer": {"type": "relu", "input": [8]}}]}]})");
  const Outcome report = run(folder, "roofline null.json --gpu v100 --format csv");
  CHECK(report.exit_code == 0);
  CHECK(report.err ==
        "null.json: 1 row, \"a.bias\", has no layer and is left out: a framework adds such kernels "
        "(--framework pytorch)\n");
  REQUIRE(run(folder,
              "roofline lenet5 --gpu v100 --assume host-copies=pinned -o x.ndjson "
              "-o x.csv -o x.json")
              .exit_code == 0);
  for (const std::string name : {"x.ndjson", "x.csv", "x.json"})
    CHECK(run(folder, "roofline " + name + " --gpu v100").err ==
          name +
              ": rows of copies over the host link have no layer and are left out: --assume "
              "host-copies adds them to a network\n");
}

TEST_CASE("Times of another GPU are in every file", "[cli/every_row]") {
  const TemporaryFolder folder;
  folder.write("m.json", R"({"type":"relu","input":[8],"name":"m","measured_us":5,"gpu":"a100"})");
  REQUIRE(run(folder,
              "roofline m.json --gpu v100 -o x.json -o x.ndjson -o x.csv "
              "--to-layers layers.json")
              .exit_code == 0);
  for (const std::string name : {"x.json", "x.ndjson", "x.csv", "layers.json"}) {
    INFO(name);
    const auto measured_on = [&](const std::string& gpu) {
      const Outcome outcome =
          run(folder, "roofline " + name + " --format csv --fields measured_time_s --gpu " + gpu);
      return lines_of(outcome.out).at(1);
    };
    CHECK(measured_on("v100").empty());
    REQUIRE_FALSE(measured_on("a100").empty());
    CHECK(std::stod(measured_on("a100")) == Approx(5e-6));
  }
}

TEST_CASE("An id and a name are unchanged in every format", "[cli/every_row]") {
  const std::vector<std::string> ids{"12345678901234567890123",
                                     "1.0",
                                     "1e2",
                                     "-0.0",
                                     R"("1")",
                                     "9007199254740993",
                                     "0.1000000000000000055511151231257827",
                                     R"("")",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     R"("\"x\"")",
                                     "true",
                                     R"("true")",
                                     R"("01")"};
  const TemporaryFolder folder;
  std::string lines;
  for (const std::string& id : ids)
    lines += R"({"type": "relu", "input": [8], "name": "", "id": )" + id + "}\n";
  folder.write("ids.ndjson", lines);
  REQUIRE(run(folder, "roofline ids.ndjson --gpu v100 -o x.json -o x.ndjson -o x.csv").exit_code ==
          0);
  for (const std::string name : {"x.json", "x.ndjson", "x.csv"}) {
    INFO(name);
    const Outcome outcome = run(folder, "roofline " + name + " --gpu v100 --format ndjson");
    const std::vector<std::string> rows = lines_of(outcome.out);
    REQUIRE(rows.size() == ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      CHECK(rows[i].ends_with(R"("id":)" + ids[i] + "}"));
      // Layers of one network have names of their own.
      const std::string layer = name == "x.json" && i > 0
                                    ? R"("layer":{"name":"#)" + std::to_string(i + 1)
                                    : R"("layer":{"name":")";
      CHECK(rows[i].find(layer + R"(","id":)" + ids[i] + ",") != std::string::npos);
    }
  }
  // In a file of the user's, quotes belong to the id.
  folder.write("own.csv",
               "name,type,input,id\n,relu,[8],\"\"\"x\"\"\"\nb,relu,[8],01\nc,relu,[8],1e5\n"
               "d,relu,[8],TRUE\ne,relu,[8],null\n");
  const std::vector<std::string> rows =
      lines_of(run(folder, "roofline own.csv --gpu v100 --format ndjson").out);
  const std::vector<std::string> expected{R"("\"x\"")", R"("01")", "1e5", R"("TRUE")", R"("null")"};
  REQUIRE(rows.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(rows[i].ends_with(R"("id":)" + expected[i] + "}"));
}

TEST_CASE("Layers of training alone are left out of inference by every format, with a note",
          "[cli/every_row]") {
  const TemporaryFolder folder;
  folder.write("t.json", R"([{"type":"relu","input":[8],"name":"m"},
      {"type":"relu","input":[8],"training_only":true,"name":"aux"}])");
  folder.write("t.ndjson",
               "{\"type\":\"relu\",\"input\":[8],\"name\":\"m\"}\n"
               "{\"type\":\"relu\",\"input\":[8],\"training_only\":true,\"name\":\"aux\"}\n");
  folder.write("t.csv", "type,input,name,training_only\nrelu,[8],m,\nrelu,[8],aux,true\n");
  for (const std::string name : {"t.json", "t.ndjson", "t.csv"}) {
    INFO(name);
    const std::string words = "roofline " + name + " --gpu v100 --format csv --fields name,pass";
    const Outcome inference = run(folder, words);
    CHECK(inference.exit_code == 0);
    CHECK(inference.out == "name,pass\nm,fwd\n");
    CHECK(inference.err ==
          name +
              ": layers of training alone (training_only) are left out: --pass training runs "
              "them\n");
    const Outcome training = run(folder, words + " --pass training");
    CHECK(training.out.find("aux,fwd\n") != std::string::npos);
    CHECK(training.err.empty());
    // A file of layers keeps them.
    REQUIRE(run(folder, "roofline " + name + " --to-layers l.ndjson").exit_code == 0);
    CHECK(run(folder, "roofline l.ndjson --gpu v100 --format csv --fields name,pass").out ==
          inference.out);
  }
}
