// NDJSON and CSV, in and out: each record stands alone, in the order of the input.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

std::vector<Json> records_of(const std::string& text) {
  std::vector<Json> records;
  for (const std::string& line : lines_of(text)) records.push_back(Json::parse(line));
  return records;
}

/// "conv1", or the place of an error: what each record is of.
std::vector<std::string> told(const std::string& ndjson) {
  std::vector<std::string> all;
  for (const Json& record : records_of(ndjson))
    all.push_back(record.contains("error") ? record.at("where").get<std::string>()
                                           : record.at("name").get<std::string>());
  return all;
}

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("A record without an input is an error, whatever stands before it", "[cli/streams]") {
  const TemporaryFolder folder;
  // The relu of line 3 took the output of the good line 1: line 2 is broken.
  folder.write("x.ndjson", conv + "\n{\"stride\": 0}\n{\"type\": \"relu\"}\n" + conv + "\n");
  folder.write("x.csv",
               "type,c,h,w,k,r,s\nconv,3,8,8,4,3,3\nconv,3,8,8,0,3,3\nrelu,,,,,,\n"
               "conv,3,8,8,4,3,3\n");
  const std::string alone =
      "expected a shape such as [3, 224, 224]: a record stands alone; give it an input, or all "
      "layers as one array";
  const Outcome lines = run(folder, "roofline x.ndjson --gpu v100 --format ndjson");
  CHECK(lines.exit_code == 1);
  CHECK(lines.err == "x.ndjson:2: /stride: expected an integer >= 1, got 0\nx.ndjson:3: /input: " +
                         alone + "\n");
  CHECK(told(lines.out) == Told{"conv1", "2: /stride", "3: /input", "conv4"});
  const Outcome rows = run(folder, "roofline x.csv --gpu v100 --format ndjson");
  CHECK(rows.exit_code == 1);
  CHECK(rows.err ==
        "x.csv:3: /k: expected an integer >= 1, got 0\nx.csv:4: /input: " + alone + "\n");
  CHECK(told(rows.out) == Told{"conv2", "3: /k", "4: /input", "conv5"});
}

TEST_CASE("NDJSON is the same in a file, with its errors in order", "[cli/streams]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", conv + "\n{\"stride\": 0}\n" + conv + "\n");
  folder.write("net.json", "[" + conv + ", {\"type\": \"relu\"}]");
  const std::string line = "roofline x.ndjson net.json missing --gpu v100,a100 --batch 1,2 ";
  const Outcome stream = run(folder, line + "--format ndjson");
  CHECK(stream.exit_code == 1);
  CHECK(told(stream.out) == Told{"conv1", "conv1", "conv1", "conv1", "2: /stride", "conv3", "conv3",
                                 "conv3", "conv3", "conv0", "relu1", "conv0", "relu1", "conv0",
                                 "relu1", "conv0", "relu1", ""});
  const Outcome file = run(folder, line + "-o out.ndjson -o out.csv --format ndjson");
  CHECK(file.exit_code == 1);
  CHECK(read_file(folder / "out.ndjson") == stream.out);
  CHECK(file.out == stream.out);
  CHECK(lines_of(read_file(folder / "out.csv")).size() == 1 + 16 + 2);
}

TEST_CASE("A stream has a version, and no shares of a whole", "[cli/streams]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", conv + "\n{\"stride\": 0}\n" + conv + "\n");
  folder.write("net.json", "[" + conv + ", {\"type\": \"relu\"}]");
  for (const std::string options : {"--format ndjson", "--format ndjson --sort time"})
    for (const Json& record :
         records_of(run(folder, "roofline x.ndjson net.json --gpu v100 " + options).out)) {
      CHECK(record.at("schema_version") == 2);
      if (!record.contains("error")) CHECK(record.at("time_share").is_null());
    }
}

TEST_CASE("Equal errors of rows are said once, with their number", "[cli/streams]") {
  const TemporaryFolder folder;
  std::string rows = "M,N,K\n4,5,6\n";
  for (int i = 0; i < 6631; ++i) rows += "4,,6\n";
  folder.write("x.csv", rows + "4,0,6\n");
  const Outcome outcome = run(folder, "roofline x.csv --gpu v100 --format ndjson");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "x.csv:3: /n: expected an integer >= 1, got nothing\n"
        "x.csv:6634: /N: expected an integer >= 1, got 0\n"
        "x.csv:3: 6630 more rows have this error: 4, 5, 6 and 6627 more\n");
  CHECK(lines_of(outcome.out).size() == 6633);  // each in its place
}

TEST_CASE("What fails at every batch fails once", "[cli/streams]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", "{\"stride\": 0}\n" + conv + "\n{\"stride\": 0}\n");
  folder.write("kernel.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 9})");
  folder.write("bf16.json", R"({"type": "relu", "input": [8], "dtype": "bf16"})");
  const std::string line = "roofline x.ndjson kernel.json bf16.json --gpu v100,a100 --batch 1,2,4 ";
  const std::vector<std::string> messages{
      "x.ndjson:1: /stride: expected an integer >= 1, got 0",
      "x.ndjson:1: 1 more row has this error: 3",
      "kernel.json: /kernel_size: expected a kernel that fits the padded input, got one that spans "
      "9 where the height with padding is 8",
      "bf16.json: layer \"relu0\" is in bf16, for which Tesla V100 SXM2 16GB has no peak; it has "
      "fp64, fp32, fp16, fp16_tensor, dp4a"};
  const Outcome report = run(folder, line + "--json");
  CHECK(report.exit_code == 1);
  CHECK(lines_of(report.err) == messages);
  CHECK(Json::parse(report.out).at("errors").size() == 4);
  const Outcome stream = run(folder, line + "--format ndjson");
  CHECK(lines_of(stream.err) == messages);
  CHECK(stream.out.find("error") != std::string::npos);
  CHECK(records_of(stream.out).size() == 4 + 6 + 3);
}

TEST_CASE("Errors before a pipe is closed still count", "[cli/streams]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += conv + '\n';
  folder.write("good.ndjson", lines);
  folder.write("bad.ndjson", "{\"stride\": 0}\n" + lines);
  for (const std::string format : {"ndjson", "csv", "json"}) {
    INFO(format);
    const auto code_of = [&](const std::string& input) {
      return run(folder, "(roofline " + input + " --gpu v100 --format " + format +
                             "; echo $? >code) 2>/dev/null | head -1 >first; cat code")
          .out;
    };
    CHECK(code_of("good.ndjson") == "0\n");
    CHECK(code_of("bad.ndjson") == "1\n");
    CHECK(code_of("missing good.ndjson") == "1\n");
  }
}

TEST_CASE("Files are written in full although the reader of standard output leaves",
          "[cli/streams]") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += conv + '\n';
  folder.write("layers.ndjson", lines);
  for (const std::string options :
       {"--format csv", "--format csv --sort flops", "--format csv --to-layers all.ndjson",
        "--to-layers -", "--format csv --fail-if 'layer.expected_ms > 1'"}) {
    INFO(options);
    const Outcome outcome =
        run(folder, "rm -f all.csv; (roofline layers.ndjson --gpu v100 " + options +
                        " -o all.csv; echo $? >code) | head -1 >first\n"
                        "cat code; wc -l <all.csv");
    CHECK(outcome.out == "0\n20001\n");
  }
}

TEST_CASE("Concatenated JSON is a stream of layers", "[cli/streams]") {
  const TemporaryFolder folder;
  folder.write("text", "{\n  \"type\": \"relu\",\n  \"input\": [8]\n}\n{\"type\": 3}\n");
  const Outcome outcome = run(folder, "cat text | roofline - --gpu v100");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "-:5: /type: expected a string, got 3\n");
}

TEST_CASE("What was written stays whole until all is", "[cli/streams]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"type": "relu", "input": [8]})");
  folder.write("out.json", "old");
  SECTION("an input is not written over") {
    const Outcome outcome = run(folder, "roofline a.json --gpu v100 -o ./a.json");
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == "roofline: -o ./a.json: expected another file than the input a.json\n");
    CHECK(run(folder, "cat a.json").out == R"({"type": "relu", "input": [8]})");
  }
  SECTION("a file that cannot be written is said before the work") {
    const Outcome outcome = run(folder, "roofline a.json --gpu v100 -o none/out.json");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "roofline: cannot write none/out.json: No such file or directory\n");
  }
  SECTION("a file that does not fit leaves the old one") {
    const Outcome outcome =
        run(folder, "ulimit -f 1; trap '' XFSZ; roofline resnet50 --gpu v100 -o out.json");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == "roofline: cannot write out.json: File too large\n");
    CHECK(run(folder, "cat out.json; ls").out == "olda.json\nout.json\n");
  }
}

TEST_CASE("A pipe in a folder is none of its files", "[cli/streams]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder, R"(mkdir d && mkfifo d/b.json && echo '{"type": "relu", "input": [8]}' >d/a.json
                     timeout 20 roofline d --gpu v100 --json | jq '.results | length')");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "1\n");
}

TEST_CASE("Texts that are no layers are named", "[cli/streams]") {
  const TemporaryFolder folder;
  struct Case {
    const char* text;  ///< of printf
    const char* name;
    const char* message;
  };
  const Case cases[] = {
      {"\\377\\376{\\000", "u.json", "u.json: expected UTF-8, got UTF-16\n"},
      {"name,type,input\\ra,relu,[8]\\r", "cr.csv",
       "cr.csv:1: expected lines that end in LF or CR LF, got a CR without an LF\n"},
      {"name,type,input\\n", "h.csv", "h.csv: expected rows below the header, got none\n"},
      {"type;input\\nrelu;8\\n", "semicolons.csv",
       "semicolons.csv:2: /input: expected a list of sizes such as [3, 224, 224], got 8\n"},
      {"type;input;measured_us\\nrelu;[8];1,5\\n", "comma.csv",
       "comma.csv:2: measured_us: expected a number with a decimal point, got \"1,5\" with a "
       "comma\n"},
      {"a,b\\n1,2\\n", "other.csv",
       "other.csv:1: expected keys of a layer with commas between them, got \"a\", ...\n"},
      {R"({"type": "relu", "input": [8], "name": "\303\251"}  x)", "t.json",
       "t.json:1:46: expected JSON, got 'x'\n"},
      {R"({"type": "relu", "input": [8]}\n  {"type":\n "relu", x})", "t.json",
       "t.json:2:3: expected JSON, got '{' (expected one document, or one a line, as of jq -c)\n"},
  };
  for (const Case& each : cases) {
    const std::string name = each.name;
    const Outcome outcome = run(folder, std::string("printf '") + each.text + "' >" + name +
                                            "; roofline " + name + " --gpu v100");
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == each.message);
  }
}

TEST_CASE("Numbers beyond any part are refused", "[cli/streams]") {
  const TemporaryFolder folder;
  folder.write("gpu.json", R"({"name": "a", "peak_tflops": {"fp32": 1e308},
                               "bandwidth_gb_per_s": 1})");
  CHECK(run(folder, "roofline resnet18 --gpu v100 --set peak=1e308TFLOP/s").err ==
        "roofline: --set peak=1e308TFLOP/s: expected a number with its unit or a factor, such as "
        "fp16_tensor=400TFLOP/s, x1.5 or +10%, got \"1e308TFLOP/s\"\n");
  CHECK(run(folder, "roofline resnet18 --gpu ./gpu.json").err ==
        "./gpu.json: /peak_tflops/fp32: expected a number from 1e-30 to 1e30, got 1e+308\n");
}
