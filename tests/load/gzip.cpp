// Inputs in gzip files.

#include "catch.hpp"
#include "deflated.hpp"
#include "load/record_reading.hpp"

namespace {

std::string compressed(const std::string& text) { return deflated(text, 15 + 16); }

const std::string conv_line = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})"
                              "\n";

}  // namespace

TEST_CASE("A gzip file is what it holds", "[load/gzip]") {
  CHECK(read_records("conv.json.gz", compressed(conv_line)).layers.size() == 1);
  CHECK(read_records("conv.ndjson.gz", compressed(conv_line + conv_line)).layers.size() == 2);
  CHECK(read_records("conv.csv.gz", compressed("n,c,h,w,k,r,s\n1,3,8,8,4,3,3\n")).layers.size() ==
        1);
}

TEST_CASE("Its bytes tell, not its name", "[load/gzip]") {
  CHECK(read_records("conv.json", compressed(conv_line)).layers.size() == 1);
  CHECK(read_records("conv.json.gz", conv_line).layers.size() == 1);
}

TEST_CASE("A gzip file of several members, padded", "[load/gzip]") {
  const std::string padding(512, '\0');
  CHECK(read_records("a.ndjson.gz", compressed(conv_line) + compressed(conv_line) + padding)
            .layers.size() == 2);
  CHECK(read_records("a.ndjson.gz", compressed(conv_line) + padding + compressed(conv_line))
            .layers.size() == 2);
}

TEST_CASE("Other bytes behind a gzip member are named, and cost no line before them",
          "[load/gzip]") {
  const std::vector<std::string> behind{
      "a.ndjson.gz: expected the end of the file behind the gzip data, or more of them, got other "
      "bytes, which gzip -dc leaves out"};
  for (const std::string& rest : {conv_line, std::string("x"), std::string("\0\0x", 3)}) {
    const Records records = read_records("a.ndjson.gz", compressed(conv_line) + rest);
    CHECK(records.layers.size() == 1);
    CHECK(records.errors == behind);
  }
  CHECK(read_records("a.json.gz", compressed(conv_line) + "x").errors.size() == 1);
}

TEST_CASE("A large gzip file is read piece by piece", "[load/gzip]") {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += conv_line;
  CHECK(read_records("a.ndjson.gz", compressed(many)).layers.size() == 5000);
}

TEST_CASE("A gzip file that is cut off or damaged", "[load/gzip]") {
  const std::string good = compressed(conv_line);
  CHECK(read_records("a.json.gz", good.substr(0, good.size() - 12)).errors ==
        std::vector<std::string>{
            "a.json.gz: expected the rest of the gzip data, got the end of the file"});
  std::string bad = good;
  bad[12] = static_cast<char>(bad[12] ^ 0x7f);
  const Records records = read_records("a.json.gz", bad);
  REQUIRE(records.errors.size() == 1);
  CHECK(records.errors.front().starts_with("a.json.gz: expected gzip data, got damaged ones"));
}

TEST_CASE("A directory's gzip files are layer files too", "[load/gzip]") {
  const TemporaryFolder folder;
  folder.write("notes.txt.gz", compressed("nothing"));
  const std::string path = folder.write("conv.json.gz", compressed(conv_line));
  CHECK(roofline::resolve_input(folder.path()).value() == std::vector<std::string>{path});
}

TEST_CASE("Data that expand as only those do that were made to", "[load/gzip]") {
  const std::string reason = ": expected gzip data that give at most 200 bytes for each, got more";
  const std::string blanks = compressed(std::string(90'000'000, ' '));
  CHECK(read_records("a.json.gz", blanks).errors == std::vector<std::string>{"a.json.gz" + reason});
  const std::string lines = compressed(std::string(90'000'000, '\n') + conv_line);
  CHECK(read_records("a.ndjson.gz", lines).errors ==
        std::vector<std::string>{"a.ndjson.gz" + reason});
  // What expands as much and is small is no danger.
  CHECK(read_records("b.json.gz", compressed(std::string(10'000'000, ' ') + conv_line))
            .layers.size() == 1);
}
