// What of the results is shown, summed up and compared, as a user asks for it.

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

const std::string small_network =
    R"({"name": "net", "layers": [
        {"input": [3, 32, 32], "out_channels": 16, "kernel_size": 3}, {"type": "relu"},
        {"type": "max_pool", "kernel_size": 2}, {"out_channels": 32, "kernel_size": 3},
        {"type": "relu"}, {"type": "flatten"}, {"type": "linear", "out_features": 10}]})";

Json json_of(const TemporaryFolder& folder, const std::string& arguments) {
  return Json::parse(run(folder, "roofline " + arguments + " --json").out);
}

/// The lines of an output that contain a text.
std::vector<std::string> lines_with(const std::string& output, const std::string& text) {
  std::vector<std::string> lines = lines_of(output);
  std::erase_if(lines, [&](const std::string& line) { return line.find(text) == line.npos; });
  return lines;
}

}  // namespace

TEST_CASE("An input or a GPU given twice is one point", "[cli/selections]") {
  const TemporaryFolder folder;
  folder.write("net.json", small_network);
  const Json twice = json_of(folder, "net.json net.json --gpu v100,v100 --batch 1,1");
  CHECK(twice.at("results").size() == 8);
  CHECK(twice.at("points").empty());
  const Json both = json_of(folder, "net.json net.json --gpu v100,t4 --batch 1,2");
  REQUIRE(both.at("points").size() == 1);
  CHECK(both.at("points").at(0).at("rows").size() == 4);
}

TEST_CASE("Two networks of one name stay apart", "[cli/selections]") {
  const TemporaryFolder folder;
  folder.write("one.json", small_network);
  folder.write("other.json", small_network);
  const std::string both = "roofline one.json other.json --gpu v100,t4 --batch 1,2";
  const Json root = Json::parse(run(folder, both + " --json").out);
  CHECK(root.at("results").size() == 8);
  REQUIRE(root.at("points").size() == 2);
  CHECK(root.at("points").at(0).at("network") == "one.json");
  CHECK(root.at("points").at(1).at("network") == "other.json");
  for (const Json& table : root.at("points")) CHECK(table.at("rows").size() == 4);
  CHECK(lines_with(run(folder, both).out, "other.json  ").size() == 1);
}

TEST_CASE("The first rows of a long stream are those that sorting all of it gives",
          "[cli/selections]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = R"({"name": "l)" + std::to_string(i) + R"(", )";
    lines += name + R"("type": "linear", "in_features": )" + std::to_string(1 + i * 37 % 1009) +
             R"(, "out_features": )" + std::to_string(1 + i * 59 % 1013) + "}\n";
  }
  folder.write("l.ndjson", lines);
  const auto rows_of = [&](const std::string& options) {
    std::vector<Json> rows;
    for (const std::string& line :
         lines_of(run(folder, "roofline l.ndjson --gpu v100 --format ndjson" + options).out))
      rows.push_back(Json::parse(line));
    return rows;
  };
  const std::vector<Json> all = rows_of("");
  REQUIRE(all.size() == 10'000);
  for (const std::string key : {"flops", "expected_time_s"}) {
    std::vector<Json> sorted = all;
    std::ranges::stable_sort(sorted, std::greater(),
                             [&](const Json& row) { return row.at(key).get<double>(); });
    const std::vector<Json> top =
        rows_of(std::string(" --top 5 --sort ") + (key == "flops" ? "flops" : "time"));
    REQUIRE(top.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) CHECK(top[i].at("name") == sorted[i].at("name"));
  }
  // Shares are of the whole time, whatever is shown.
  const std::string sorted = "roofline l.ndjson --gpu v100 --sort time --format csv";
  CHECK(run(folder, sorted + " --top 3").out == run(folder, sorted + " | head -4").out);
}

TEST_CASE("Sums of a stream that overflow are said, also where some rows are kept alone",
          "[cli/selections]") {
  const TemporaryFolder folder;
  const std::string large = R"({"type": "matmul", "m": 1000000000, "n": 8, "k": 1000000000})";
  folder.write("l.ndjson", large + '\n' + large + '\n' + large + '\n');
  const Outcome outcome = run(folder, "roofline l.ndjson --gpu v100 --format ndjson --top 1");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "l.ndjson: expected counts below 2^64, got an overflow\n");
}

namespace {

/// Inputs of one layer, in two batches and on two engines, between two networks.
void fill_folder(const TemporaryFolder& folder) {
  const auto relu = [](int batch, int features) {
    return R"({"type": "relu", "input": [)" + std::to_string(batch) + ", " +
           std::to_string(features) + "]}";
  };
  folder.write("d/a.json", small_network);
  folder.write("d/b.json", relu(8, 1000000));
  folder.write("d/c.json", relu(8, 3000000));
  folder.write("d/d.json", R"({"type": "linear", "input": [8, 1000], "out_features": 4000})");
  folder.write("d/e.json", relu(1, 16000000));
  folder.write("d/f.json", small_network);
}

/// The inputs of the rows of CSV, by the letters of their files.
std::string inputs_of(const TemporaryFolder& folder, const std::string& arguments) {
  std::string inputs;
  const std::vector<std::string> lines =
      lines_of(run(folder, "roofline d --format csv --dtype fp16 " + arguments).out);
  for (std::size_t i = 1; i < lines.size(); ++i) inputs += lines[i][lines[i].find('/') + 1];
  return inputs;
}

}  // namespace

TEST_CASE("Inputs of one layer are rows to choose from, each network has its own",
          "[cli/selections]") {
  const TemporaryFolder folder;
  fill_folder(folder);
  struct Case {
    const char* arguments;
    const char* inputs;  ///< of the rows, in their order
  };
  // Bytes of 2 an element: b 32 MB, c 96 MB, d 8 MB, e 64 MB; FLOP: d 64 M, c 24 M, e 16 M, b 8 M.
  const Case table[] = {
      {"--gpu v100", "aaaaaaabcdefffffff"},
      {"--gpu v100 --sort time", "aaaaaaacebdfffffff"},
      {"--gpu v100 --top 2", "aaceff"},
      {"--gpu v100 --sort flops --top 3", "aaadcefff"},
      {"--gpu v100 --sort bytes --top 1", "acf"},
      {"--gpu v100 --top 40%", "aacff"},
      {"--gpu v100,a100 --sort bytes --top 2", "aaaacceeffff"},
      {"--gpu v100 --batch 1,2 --sort bytes --top 1", "aaeeff"},
  };
  for (const Case& each : table) {
    INFO(each.arguments);
    CHECK(inputs_of(folder, each.arguments) == each.inputs);
  }
}

TEST_CASE("Every format shows the inputs that are chosen, and sums stay", "[cli/selections]") {
  const TemporaryFolder folder;
  fill_folder(folder);
  const std::string line = "d/b.json d/c.json d/d.json d/e.json --gpu v100 --top 2";
  const std::string text = run(folder, "roofline " + line).out;
  CHECK(lines_with(text, "relu0 ").size() == 2);
  CHECK(lines_with(text, "c/relu0 ").size() == 1);
  CHECK(lines_with(text, "e on Tesla V100 SXM2 16GB, fp32, batch 1, fwd").size() == 1);
  CHECK(text.find("\n1 of 3 rows\n") != text.npos);
  CHECK(text.find("linear") == text.npos);
  CHECK(text.starts_with("3 inputs of one layer on Tesla V100 SXM2 16GB, fp32, batch 8, fwd\n"));
  const Json json = json_of(folder, line);
  std::string shown;
  for (const Json& result : json.at("results")) {
    const Json& network = result.at("network");
    shown += network.get<std::string>() + std::to_string(result.at("layers").size());
    const Json alone = json_of(folder, "d/" + network.get<std::string>() + ".json --gpu v100");
    CHECK(result.at("total") == alone.at("results").at(0).at("total"));
  }
  CHECK(shown == "c1e1b0d0");
  run(folder, "roofline " + line + " --to-layers two.ndjson -o two.html -o two.svg --chart time");
  CHECK(lines_of(read_file(folder / "two.ndjson")).size() == 2);
  CHECK(read_file(folder / "two.html").find("linear0") == std::string::npos);
  const std::string svg = read_file(folder / "two.svg");
  for (const char* input : {"c", "e"})
    CHECK(svg.find(std::string(input) + " on Tesla") != svg.npos);
  for (const char* input : {"b", "d"})
    CHECK(svg.find(std::string(input) + " on Tesla") == svg.npos);
}

TEST_CASE("Types are chosen for sweeps and for inputs of one layer", "[cli/selections]") {
  const TemporaryFolder folder;
  fill_folder(folder);
  const std::string sweep =
      run(folder, "roofline d/a.json --gpu v100 --batch 64,128 --by type --sort flops --top 2").out;
  CHECK(lines_of(sweep).at(2) == "batch      conv    linear     total");
  const std::string types =
      run(folder, "roofline d/b.json d/c.json --gpu v100 --by type --top 1").out;
  CHECK(lines_with(types, "relu ").size() == 2);
  CHECK(lines_with(types, "total ").size() == 2);
}
