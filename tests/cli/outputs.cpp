// Where results go: standard output, files by extension, colour only on a terminal.

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/fields.hpp"

namespace {

const std::string relu_layer = R"({"type": "relu", "input": [8]})";

/// What a line of shell writes to a terminal; too little to fill the terminal's buffer.
std::string on_terminal(const TemporaryFolder& folder, const std::string& line) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const std::string device = ptsname(terminal);
  const int kept_open = open(device.c_str(), O_RDWR | O_NOCTTY);
  CHECK(run(folder, line + " >" + device).exit_code == 0);
  char text[4096];
  const ssize_t size = read(terminal, text, sizeof text);
  close(kept_open);
  close(terminal);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(0, size))};
}

/// What a slow reader gets of a line of shell that writes to descriptor 9, a pipe that does not let
/// its writers wait.
std::string read_slowly(const TemporaryFolder& folder, const std::string& line) {
  constexpr int writer = 9;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(dup2(ends[1], writer) == writer);
  close(ends[1]);
  REQUIRE(fcntl(writer, F_SETFL, O_WRONLY | O_NONBLOCK) == 0);
  std::string text;
  std::thread reader([&] {
    char part[16384];
    ssize_t got = 0;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      got = read(ends[0], part, sizeof part);
      if (got > 0) text.append(part, static_cast<std::size_t>(got));
    } while (got > 0);
  });
  run(folder, line);
  close(writer);
  reader.join();
  close(ends[0]);
  return text;
}

}  // namespace

TEST_CASE("A pipe that does not let the program wait loses nothing", "[cli/outputs]") {
  const TemporaryFolder folder;
  constexpr int count = 3000;
  std::string good;
  std::string bad;
  for (int i = 0; i < count; ++i) {
    good += relu_layer + '\n';
    bad += "{\"stride\": \"" + std::to_string(i) + "\"}\n";
  }
  folder.write("good.ndjson", good);
  folder.write("bad.ndjson", bad);
  const std::string rows = "roofline good.ndjson --gpu v100 --format csv ";
  CHECK(read_slowly(folder, rows + ">&9") == run(folder, rows).out);
  const std::string messages =
      read_slowly(folder, "roofline bad.ndjson --gpu v100 --format csv 2>&9");
  CHECK(lines_of(messages).size() == count);
  CHECK(messages.ends_with("bad.ndjson:3000: /stride: expected an integer >= 1, got \"2999\"\n"));
}

TEST_CASE("-o writes the format of the extension, several at once", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  const Outcome outcome =
      run(folder,
          "roofline relu.json --gpu v100 -o x.json -o x.ndjson -o x.csv -o x.md "
          "--output x.txt");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "");
  CHECK(outcome.err == "");
  for (const auto& [extension, format] :
       {std::pair("json", "json"), std::pair("ndjson", "ndjson"), std::pair("csv", "csv"),
        std::pair("md", "markdown"), std::pair("txt", "table")}) {
    INFO(extension);
    const std::string file = read_file(folder / "x." + extension);
    CHECK(file != "");
    CHECK(file == run(folder, std::string("roofline relu.json --gpu v100 --format ") + format).out);
  }
}

TEST_CASE("-o with a format writes both", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  const Outcome outcome = run(folder, "roofline relu.json --gpu v100 -o x.csv --json");
  CHECK(nlohmann::json::accept(outcome.out));
  CHECK(lines_of(read_file(folder / "x.csv")).size() == 2);
}

TEST_CASE("-o still reports failed inputs", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  const Outcome outcome = run(folder, "roofline relu.json none.json --gpu v100 -o x.json");
  CHECK(outcome.exit_code == 1);
  CHECK(nlohmann::json::parse(read_file(folder / "x.json")).at("errors").size() == 1);
}

TEST_CASE("A person at a terminal reads what was written", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  const std::string line = "roofline relu.json --gpu v100 -o a.csv -o b.svg --chart time";
  CHECK(run_at_terminal(folder.path(), line, 100) ==
        "roofline: wrote a.csv\n"
        "roofline: wrote b.svg\n");
  CHECK(run(folder, line).err.empty());
}

TEST_CASE("The list of GPUs fits a terminal, and no two names in it are alike", "[cli/outputs]") {
  const TemporaryFolder folder;
  for (const int columns : {80, 100, 120}) {
    const std::string list = run_at_terminal(folder.path(), "roofline gpus", columns);
    std::set<std::string> names;
    for (const std::string& line : lines_of(list)) {
      CHECK(line.size() <= static_cast<std::size_t>(columns));
      if (!line.empty()) CHECK(names.insert(line.substr(0, line.find("  "))).second);
    }
    CHECK(names.size() > 90);
  }
}

TEST_CASE("A line of standard error has an end, whatever names a file has", "[cli/outputs]") {
  const TemporaryFolder folder;
  const std::string name(1'000'000, 'n');
  folder.write("relu.csv", "type,input," + name + "\nrelu,[8],1\n");
  folder.write("gpu.json", R"({"name": ")" + name +
                               R"(", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 1})");
  folder.write("net.json", R"({"name": ")" + name + R"(", "layers": [)" + relu_layer + "]}");
  for (const std::string arguments : {"relu.csv --gpu v100", "lenet5 --gpu ./gpu.json --dtype bf16",
                                      "net.json --gpu v100 --fail-if 'expected_ms > 0'"}) {
    INFO(arguments);
    const std::string messages = run(folder, "roofline " + arguments + " --format csv").err;
    CHECK(messages.find("nnn...nnn") != messages.npos);
    for (const std::string& line : lines_of(messages)) CHECK(line.size() <= 4000);
  }
}

TEST_CASE("Notes break between words at a terminal", "[cli/outputs]") {
  const TemporaryFolder folder;
  CHECK(run_at_terminal(folder.path(), "roofline resnet5 --gpu v100", 80) ==
        "resnet5: expected a file, a directory or a built-in network, found none of that\n"
        "name; did you mean \"resnet50\"? (roofline networks lists them)\n");
}

TEST_CASE("--json is --format json", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  CHECK(run(folder, "roofline relu.json --gpu v100 --json").out ==
        run(folder, "roofline relu.json --gpu v100 --format json").out);
}

TEST_CASE("No output has colours", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  const std::string line = "roofline relu.json --gpu v100";
  const std::string escape = "\x1b[";
  CHECK(run(folder, line).out.find(escape) == std::string::npos);
  CHECK(on_terminal(folder, line).find(escape) == std::string::npos);
}

TEST_CASE("No control character reaches a terminal", "[cli/outputs]") {
  const TemporaryFolder folder;
  // A name that clears the screen, one that does so as C1 has it, a bell, and one that is bold.
  const std::string name = R"("\u001b[2J\u009b2J\u0007\u001b[1m")";
  folder.write("layer.json", R"({"name": )" + name + R"(, "type": "relu", "input": [8]})");
  folder.write("gpu.json", R"({"name": )" + name + R"(, "peak_tflops": {"fp32": 1},
                               "bandwidth_gb_per_s": 1, "notes": [)" +
                               name + "]}");
  const std::string layer = "roofline layer.json --gpu v100 --top 1 --format ";
  for (const std::string& line :
       {layer + "csv --sort time", layer + "csv", layer + "json | head -c 3000", layer + "ndjson",
        std::string("roofline gpus ./gpu.json"), std::string("roofline gpus ./gpu.json --json"),
        std::string("roofline layer.json --to-layers -")}) {
    INFO(line);
    const std::string shown = on_terminal(folder, line);
    CHECK(!shown.empty());
    CHECK(shown.find('\x1b') == shown.npos);
    CHECK(shown.find("\xc2\x9b") == shown.npos);
    CHECK(shown.find('\a') == shown.npos);
  }
}

TEST_CASE("A full disk is an error", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("relu.json", relu_layer);
  const Outcome out = run(folder, "roofline relu.json --gpu v100 >/dev/full");
  CHECK(out.exit_code == 1);
  CHECK(out.err == "roofline: cannot write to standard output: No space left on device\n");
  const Outcome file = run(folder, "ln -s /dev/full x.csv; roofline relu.json --gpu v100 -o x.csv");
  CHECK(file.exit_code == 1);
  CHECK(file.err == "roofline: cannot write x.csv: No space left on device\n");
}

TEST_CASE("Columns of rows are chosen, in the order asked for", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", R"({"name": "=a", "type": "relu", "input": [8], "batch": 2})");
  const std::string line = "roofline x.ndjson --gpu v100 --fields bytes.total,name --format ";
  for (const std::string rows : {"", " --top 1"}) {
    INFO(rows);
    CHECK(run(folder, line + "csv" + rows).out == "bytes_total,name\n128,'=a\n");
    CHECK(run(folder, line + "ndjson" + rows).out == R"({"bytes_total":128,"name":"=a"})"
                                                     "\n");
  }
}

TEST_CASE("Columns and conditions have one vocabulary", "[cli/outputs]") {
  const TemporaryFolder folder;
  // 900,000 values in and out, 7.2 MB at 900 GB/s: 8 us.
  folder.write("a.json", R"({"name": "a", "type": "relu", "input": [900000], "measured_us": 16})");
  const std::string asked = "roofline a.json --gpu v100 ";
  CHECK(run(folder,
            asked + "--format csv --fields roofline_us,roofline_time_s,measured_ms,lost_us,bytes")
            .out ==
        "roofline_us,roofline_time_s,measured_ms,lost_us,bytes\n8.0,8e-06,0.016,8.0,7200000\n");
  CHECK(run(folder, asked + "--by gpu --format ndjson --fields expected_ms,expected_time_s")
            .out.starts_with("{\"expected_ms\":0.0"));
  for (const std::string condition :
       {"roofline_time_s > 7e-6", "measured_lost_s > 7e-6", "bytes_total > 7e6",
        "roofline_time_us > 7", "measured_over_expected > 0.1"}) {
    INFO(condition);
    CHECK(run(folder, asked + "--fail-if '" + condition + "'").exit_code == 3);
  }
}

TEST_CASE("A column holds the same alone and among all", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", R"({"type": "conv", "input": [8, 64, 56, 56], "out_channels": 64, )"
                           R"("kernel_size": 3, "padding": 1, "measured_us": 9000, )"
                           R"("measured_kernel": "naive_conv"})"
                           "\n"
                           R"({"type": "linear", "input": [64, 512], "out_features": 99})"
                           "\n");
  const std::string line = "roofline x.ndjson --gpu h200 --format ndjson --fields ";
  const roofline::FieldNames& columns = roofline::row_kind<roofline::LayerLine>().columns;
  std::string all;
  for (const std::string& column : columns) all += (all.empty() ? "" : ",") + column;
  const std::vector<std::string> rows = lines_of(run(folder, line + all).out);
  REQUIRE(rows.size() == 2);
  for (const std::string& column : columns) {
    INFO(column);
    const std::vector<std::string> alone = lines_of(run(folder, line + column).out);
    REQUIRE(alone.size() == 2);
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(nlohmann::json::parse(alone[i]).at(column) ==
            nlohmann::json::parse(rows[i]).at(column));
  }
}

TEST_CASE("A failed input is a row of CSV", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", "{\"stride\": 0}\n{\"type\": \"relu\", \"input\": [8]}\n");
  const std::string line = "roofline x.ndjson --gpu v100 --format csv ";
  CHECK(run(folder, line + "--fields source,error,name 2>/dev/null").out ==
        "source,error,name\n"
        "x.ndjson,,relu2\n"
        "x.ndjson,\"x.ndjson:1: /stride: expected an integer >= 1, got 0\",\n");
  CHECK(run(folder, line + "--fields source,name 2>/dev/null").out ==
        "source,name\nx.ndjson,relu2\n");
  const std::vector<std::string> rows = lines_of(run(folder, line + "2>/dev/null").out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].ends_with(",error"));
  CHECK(rows[1].ends_with(","));
  CHECK(rows[2].ends_with(",\"x.ndjson:1: /stride: expected an integer >= 1, got 0\""));
  const auto commas = [](const std::string& row) { return std::ranges::count(row, ','); };
  CHECK(commas(rows[2]) == commas(rows[0]) + 1);  // the error has one
}

TEST_CASE("A column that rows have not is an error, not an empty column", "[cli/outputs]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"name": "a", "type": "relu", "input": [8]})");
  const std::string line = "roofline a.json --gpu v100,a100 --fields gpu,";
  const struct {
    std::string words;
    std::string error;
  } cases[] = {
      {"bound --by gpu",
       "rows of a ranking have no column \"bound\": expected schema_version, network, training, "
       "rank, tied, gpu, framework, dtype, batch, is_max_batch, is_best_batch, roofline_time_s and "
       "20 more"},
      {"rank",
       "rows of layers have no column \"rank\": expected schema_version, source, network, gpu, "
       "framework, batch, name, type, dtype, pass, engine, fused_into and 128 more"},
  };
  for (const auto& [words, error] : cases)
    for (const std::string format : {"csv", "ndjson"}) {
      const Outcome outcome = run(folder, line + words + " --format " + format);
      CHECK(outcome.err == "roofline: " + error + "\n");
      CHECK(outcome.exit_code == 2);
    }
  const Outcome named = run(folder, line + "expected_time_s,time_s --by gpu --format csv --top 1");
  const std::vector<std::string> lines = lines_of(named.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "gpu,expected_time_s,time_s");
  const std::size_t last = lines[1].rfind(',');
  const std::string time = lines[1].substr(last);
  CHECK(time.size() > 1);
  CHECK(lines[1].substr(0, last).ends_with(time));
}
