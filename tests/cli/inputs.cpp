// What the program reads: directories, streams, standard input.

#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {}  // namespace

TEST_CASE("A directory of 200 files, 3 of them broken", "[cli/inputs]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 200; ++i)
    folder.write("many/" + std::to_string(i % 7) + "/" + std::to_string(i) + ".json",
                 i % 80 == 30 ? "{\"stride\": " + std::to_string(i) : conv);
  const Outcome outcome = run(folder, "roofline many --gpu v100,a100 --json");
  CHECK(outcome.exit_code == 1);
  CHECK(lines_of(outcome.err).size() == 3);
  const Json root = Json::parse(outcome.out);
  CHECK(root.at("results").size() == 2 * 197);
  REQUIRE(root.at("errors").size() == 3);
  CHECK(root.at("errors").at(0).at("source") == "many/1/190.json");
  CHECK(root.at("errors").at(0).at("where") == "1:15");
  CHECK(root.at("errors").at(0).at("message") == "expected more JSON, got the end of the text");
}

TEST_CASE("A reader that leaves early is no error", "[cli/inputs]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += conv + '\n';
  folder.write("x.ndjson", lines);
  for (const char* before : {"", "trap '' PIPE; "}) {
    const Outcome outcome =
        run(folder, std::string(before) + "roofline x.ndjson --gpu v100 --format ndjson | head -1");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    REQUIRE(lines_of(outcome.out).size() == 1);
    CHECK(Json::parse(outcome.out).at("name") == "conv1");
  }
}

TEST_CASE("Results of a stream come before it ends", "[cli/inputs]") {
  const TemporaryFolder folder;
  folder.write("line", conv + "\n");
  // The second line is written only after the first result has arrived.
  const Outcome outcome =
      run(folder,
          "mkfifo pipe; (cat line; n=0; while [ ! -s out ] && [ $n -lt 100 ]; do "
          "n=$((n+1)); sleep 0.05; done; cat line; [ -s out ] && echo seen "
          ">&2) > pipe & "
          "roofline - --gpu v100 --format ndjson < pipe > out; wait; cat out");
  CHECK(outcome.err == "seen\n");
  CHECK(lines_of(outcome.out).size() == 2);
}

TEST_CASE("Standard input is told apart by its content", "[cli/inputs]") {
  const TemporaryFolder folder;
  struct Case {
    std::string text;
    std::size_t layers;
  };
  const Case table[] = {
      {conv, 1},
      {conv + "\n", 1},
      {conv + "\n" + conv + "\n", 2},
      {conv + "\r\n" + conv, 2},
      {"\n" + conv + "\n" + conv + "\n", 2},
      {"[" + conv + "," + conv + "]", 2},
      {"[\n" + conv + ",\n" + conv + "\n]\n", 2},
      {"{\"layers\": [" + conv + "]}\n", 1},
      {"{\n\"input\": [3, 8, 8],\n\"out_channels\": 4, \"kernel_size\": 3}\n", 1},
      {"\n\n{\n\"layers\": [" + conv + "]}", 1},
      {"input,out_channels,kernel_size\n\"[3, 8, 8]\",4,3\n\"[3, 9, 9]\",4,3\n", 2},
      {"MIOpenDriver conv -n 1 -c 3 -H 8 -W 8 -k 4 -F 1\n", 1},
  };
  for (const Case& each : table) {
    INFO(each.text);
    folder.write("text", each.text);
    const Outcome outcome = run(folder, "cat text | roofline - --gpu v100 --format csv");
    CHECK(outcome.err == "");
    CHECK(outcome.exit_code == 0);
    CHECK(lines_of(outcome.out).size() == 1 + each.layers);
  }
}

TEST_CASE("Bad standard input is called -", "[cli/inputs]") {
  const TemporaryFolder folder;
  CHECK(run(folder, "printf '{' | roofline - --gpu v100").err ==
        "-:1:2: expected more JSON, got the end of the text\n");
  folder.write("x", conv + "\n{\"input\": 3}\n");
  CHECK(run(folder, "roofline - --gpu v100 <x").err ==
        "-:2: /input: expected a list of sizes such as [3, 224, 224], got 3\n");
}

TEST_CASE("--batch overrides the file's batch, several give a result each", "[cli/inputs]") {
  const TemporaryFolder folder;
  folder.write("x.json", "{\"batch\": 5, \"layers\": [" + conv + "]}");
  const auto batches = [&](const std::string& options) {
    std::vector<std::uint64_t> found;
    const Json root = Json::parse(run(folder, "roofline x.json --gpu v100 --json " + options).out);
    for (const Json& result : root.at("results"))
      found.push_back(result.at("batch").get<std::uint64_t>());
    return found;
  };
  using Batches = std::vector<std::uint64_t>;
  CHECK(batches("") == Batches{5});
  CHECK(batches("--batch 3") == Batches{3});
  CHECK(batches("--batch 1,2,4") == Batches{1, 2, 4});
}

TEST_CASE("--dtype, --pass and --assume engine reach the layers", "[cli/inputs]") {
  const TemporaryFolder folder;
  folder.write("x.json", conv);
  const auto layer = [&](const std::string& options) {
    return Json::parse(run(folder, "roofline x.json --gpu v100 --json " + options).out)
        .at("results")
        .at(0)
        .at("layers")
        .at(0);
  };
  CHECK(layer("").at("engine") == "fp32");
  CHECK(layer("--dtype fp16").at("engine") == "fp16_tensor");
  CHECK(layer("--dtype fp16 --assume engine=vector").at("engine") == "fp16");
  CHECK(layer("--pass dgrad").at("pass") == "dgrad");
}

TEST_CASE("CSV columns that the program does not know are named once on stderr", "[cli/inputs]") {
  const TemporaryFolder folder;
  folder.write("x.csv", "name,c,h,w,k,r,s,gpu,note\na,3,8,8,4,3,3,x,\nb,3,8,8,4,3,3,y,\n");
  const Outcome outcome = run(folder, "roofline x.csv --gpu v100 --format csv");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "x.csv: ignored columns: note\n");
  CHECK(lines_of(outcome.out).size() == 3);
}

TEST_CASE("A layer that lacks a key is shown one of its kind that works", "[cli/inputs]") {
  const TemporaryFolder folder;
  const std::string works = "a layer that works: ";
  folder.write("linear.json", R"({"type": "linear", "input": [512]})");
  CHECK(run(folder, "roofline linear.json --gpu v100").err ==
        "linear.json: /out_features: expected an integer >= 1, got nothing\n" + works +
            "{\"type\": \"linear\", \"input\": [512], \"out_features\": 1000}\n");
  folder.write("pool.json", R"({"type": "avg_pool", "input": [64, 56, 56]})");
  CHECK(run(folder, "roofline pool.json --gpu v100").err ==
        "pool.json: /kernel_size: expected an integer >= 1 or a list of 2, got nothing\n" + works +
            "{\"type\": \"max_pool\", \"input\": [64, 112, 112], \"kernel_size\": 3, "
            "\"stride\": 2}\n");
}

TEST_CASE("A layer with a key of other kinds is shown one of its kind that works", "[cli/inputs]") {
  const TemporaryFolder folder;
  folder.write("add.json", R"({"type": "add", "input": [8]})");
  const std::string err = run(folder, "roofline add.json --gpu v100").err;
  CHECK(
      err.starts_with("add.json: /input: an add layer takes no \"input\"\na layer that works: "
                      "{\"type\": \"add\", \"inputs\": "));
  folder.write("conv.json",
               R"({"type": "conv2d", "input": [3, 224, 224], "weight": [64, 3, 7, 7]})");
  CHECK(run(folder, "roofline conv.json --gpu v100")
            .err.starts_with("conv.json: /weight: expected a key of a conv layer, got \"weight\"; "
                             "write out_channels and kernel_size, "));
}

TEST_CASE("A person's own GPU by alias", "[cli/inputs]") {
  const TemporaryFolder folder;
  folder.write("conv.json", conv);
  folder.write("config/roofline/gpus/x.json",
               R"({"name": "Mine", "aliases": ["mine"], "peak_tflops": {"fp32": 1},
                   "bandwidth_gb_per_s": 1})");
  const Outcome outcome =
      run(folder, "XDG_CONFIG_HOME=$PWD/config roofline conv.json --gpu mine --format csv");
  CHECK(outcome.err ==
        "Mine: architecture is not stated: constants of Hopper are assumed; boost_clock_mhz is not "
        "stated: 1500 MHz are assumed; sm_count is not stated: 3 SMs are assumed, what 1 "
        "TFLOP/s in fp32 need at 128 lanes an SM; l2_mib is not stated: 4 MiB are assumed\n");
  CHECK(outcome.out.find(",Mine,") != std::string::npos);
}

TEST_CASE("The help's directory example works on the folder it names", "[cli/inputs]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "cd " ROOFLINE_SOURCE_FOLDER
                                      "/configs/networks && roofline . --gpu v100,a100 --json");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err ==
        "./inception_v3.json: layers of training alone (training_only) are left out: --pass "
        "training runs them\n");
}

TEST_CASE("A read error is said once and ends the input", "[cli/inputs]") {
  const TemporaryFolder folder;
  for (const std::string name : {"bad.ndjson", "bad.csv"}) {
    std::filesystem::create_symlink("/proc/self/mem", folder / name);
    const Outcome outcome =
        run(folder, "timeout 20 roofline " + name + " lenet5 --gpu v100 --json");
    CHECK(outcome.err == name + ": cannot be read: Input/output error\n");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.find("\"network\": \"lenet5\"") != std::string::npos);
  }
}

TEST_CASE("An empty input is an error, of a pipe as of a file, and an old file stays",
          "[cli/inputs]") {
  const TemporaryFolder folder;
  for (const std::string format : {"table", "ndjson", "csv"}) {
    const Outcome outcome = run(folder, "roofline - --gpu v100 --format " + format + " </dev/null");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "-: expected layers, got an empty input\n");
    // CSV has the header and the error.
    CHECK(lines_of(outcome.out).size() == (format == "csv" ? 2 : format == "ndjson" ? 1 : 0));
  }
  folder.write("x.json", "");
  CHECK(run(folder, "roofline x.json --gpu v100").exit_code == 1);
  for (const std::string name : {"z.json", "z.ndjson", "z.csv", "z.txt"}) {
    folder.write(name, "old");
    const Outcome outcome = run(folder, "roofline - --gpu v100 -o " + name + " </dev/null");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err ==
          "-: expected layers, got an empty input\nroofline: nothing could be "
          "evaluated: " +
              name + " stays as it was\n");
    CHECK(run(folder, "cat " + name).out == "old");
  }
}

TEST_CASE("A folder's files are read in capital letters and packed", "[cli/inputs]") {
  const TemporaryFolder folder;
  const std::string layer = R"({"type": "relu", "input": [8]})";
  for (const std::string name : {"all/A.JSON", "all/b.Json", "all/c", "all/d.CSV"})
    folder.write(name, name.ends_with("CSV") ? "type,input\nrelu,[8]\n" : layer);
  REQUIRE(run(folder, "gzip all/c").exit_code == 0);
  const Outcome outcome = run(folder, "roofline all --gpu v100 --format csv --fields source");
  CHECK(outcome.err.empty());
  CHECK(outcome.out == "source\nall/A.JSON\nall/b.Json\nall/c.gz\nall/d.CSV\n");
}
