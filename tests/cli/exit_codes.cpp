// 0: all evaluated. 1: some inputs could not be. 2: wrong usage. Results on stdout, the rest on
// stderr.

#include "catch.hpp"
#include "cli/process.hpp"

namespace {}  // namespace

TEST_CASE("All evaluated: 0, results on stdout, nothing on stderr", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("conv.json", conv);
  const Outcome outcome = run(folder, "roofline conv.json --gpu v100");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("conv0") != std::string::npos);
  CHECK(outcome.err == "");
}

TEST_CASE("One bad file among good ones: 1, and the good ones' results", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("a.json", conv);
  folder.write("b.json", "{");
  folder.write("c.json", conv);
  const Outcome outcome = run(folder, "roofline a.json b.json c.json --gpu v100 --format csv");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "b.json:1:2: expected more JSON, got the end of the text\n");
  CHECK(lines_of(outcome.out).size() == 3);
}

TEST_CASE("Nothing evaluated: 1, and JSON that says why", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline missing.json --gpu v100 --json");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "missing.json: expected a file, a directory or a built-in network, found none of that name "
        "(--list-networks lists the networks)\n");
  CHECK(outcome.out.find("\"source\": \"missing.json\"") != std::string::npos);
}

TEST_CASE("A GPU without a peak for one layer's type costs that input", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"type": "relu", "input": [8], "dtype": "bf16"})");
  folder.write("b.json", conv);
  const Outcome outcome = run(folder, "roofline a.json b.json --gpu v100,a100 --format csv");
  CHECK(outcome.exit_code == 1);
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(lines_of(outcome.out).size() == 1 + 1 + 2);
}

TEST_CASE("A bad line in a stream costs only itself", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", conv + "\n{\"stride\": 0}\n" + conv + "\n");
  const Outcome outcome = run(folder, "roofline x.ndjson --gpu v100,a100 --format ndjson");
  CHECK(outcome.exit_code == 1);
  const std::vector<std::string> lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 5);  // in input order: the bad line's record stands between the good ones
  CHECK(lines[2] == R"({"schema_version":2,"source":"x.ndjson","where":"2: /stride","error":)"
                    R"("expected an integer >= 1, got 0"})");
  CHECK(lines_of(outcome.err).size() == 1);
}

TEST_CASE("Help and version: 0, on stdout", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  for (const char* line : {"roofline --help", "roofline -h", "roofline --version"}) {
    INFO(line);
    const Outcome outcome = run(folder, line);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out != "");
    CHECK(outcome.err == "");
  }
  CHECK(run(folder, "roofline --version").out == "roofline " ROOFLINE_VERSION "\n");
}

TEST_CASE("Help fits 100 columns and names every option", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline --help");
  for (const std::string& line : lines_of(outcome.out)) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
  for (const char* option :
       {"--gpu", "--dtype", "--batch", "--pass", "--engine", "--peak-tflops", "--bandwidth-gbs",
        "--format", "--json", "--output", "--list-gpus", "--list-networks"}) {
    INFO(option);
    CHECK(outcome.out.find(option) != std::string::npos);
  }
}

TEST_CASE("Lists go to stdout", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome gpus = run(folder, "roofline --list-gpus");
  CHECK(gpus.exit_code == 0);
  CHECK(gpus.out.find("Tesla V100 SXM2 16GB") != std::string::npos);
  const Outcome networks = run(folder, "roofline --list-networks");
  CHECK(networks.exit_code == 0);
  CHECK(networks.out.find("resnet50\n") != std::string::npos);
}
