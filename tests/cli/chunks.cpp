// Chunks of a longer NDJSON text, as GNU parallel and Spark hand them out.

#include "catch.hpp"
#include "cli/process.hpp"

TEST_CASE("A chunk of NDJSON counts its lines as the whole does", "[cli/chunks]") {
  const TemporaryFolder folder;
  // It begins with a line by whose looks it would be no NDJSON.
  folder.write("chunk", "xx\n{\"type\": \"relu\", \"input\": [3, 4, 4]}\n{\"type\": \"relu\"}\n");
  const Outcome outcome =
      run(folder, "roofline - --gpu v100 --format ndjson --first-line 41 <chunk");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "-:41:1: expected JSON, got 'x'\n"
        "-:43: /input: expected a shape such as [3, 224, 224]: a record stands alone; give it an "
        "input, or all layers as one array\n");
  const std::vector<std::string> lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        R"({"schema_version":2,"source":"-","where":"41:1","error":"expected JSON, got 'x'"})");
  CHECK(lines[1].find(R"("name":"relu42")") != std::string::npos);
}

TEST_CASE("A chunk may be empty, a whole may not", "[cli/chunks]") {
  const TemporaryFolder folder;
  const Outcome chunk =
      run(folder, "roofline - --gpu v100 --format ndjson --first-line 7 </dev/null");
  CHECK(chunk.exit_code == 0);
  CHECK(chunk.out.empty());
  CHECK(chunk.err.empty());
  folder.write("empty.ndjson", "");
  const Outcome whole = run(folder, "roofline empty.ndjson --gpu v100 --format ndjson");
  CHECK(whole.exit_code == 1);
  CHECK(whole.err == "empty.ndjson: expected a layer a line, got an empty file\n");
}
