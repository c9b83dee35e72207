// NDJSON and CSV with bad lines: each costs only itself.

#include "catch.hpp"
#include "load/record_reading.hpp"

using Messages = std::vector<std::string>;

namespace {

const std::string good = R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})";

}  // namespace

TEST_CASE("A bad NDJSON line names its line and costs only itself", "[load/bad_records]") {
  const Records records = read_records(
      "x.ndjson", good + "\n" + R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 0})" +
                      "\n\n" + R"({"input": [3, 8, 8)" + "\n[]\n" + R"({"a": 1, "a": 1})" + "\n" +
                      good + "\n" + R"({"type": "relu", "input": "conv0"})" + "\n" + good);
  CHECK(records.layers.size() == 3);
  CHECK(records.errors ==
        Messages{"x.ndjson:2: /kernel_size: expected an integer >= 1, got 0",
                 "x.ndjson:4:19: expected more JSON, got the end of the text",
                 "x.ndjson:5: expected an object, got []",
                 "x.ndjson:6: /a: expected each key once, got this one twice",
                 "x.ndjson:8: /input: expected a shape: a stream of layers remembers no names"});
}

TEST_CASE("A bad CSV row names its line and costs only itself", "[load/bad_records]") {
  const Records records = read_records("x.csv",
                                       "name,c,h,w,k,r,s\n"
                                       "a,3,8,8,4,3,3\n"
                                       "b,3,8,8,4,3\n"
                                       "c,3,8,8,4,3,3,3\n"
                                       "d,3,8,8,4,9,3\n"
                                       "e,3,8,8,four,3,3\n"
                                       "f,3,8,8,-4,3,3\n"
                                       "g,3,8,,4,3,3\n"
                                       "h,3,8,8,4,3,3\n");
  CHECK(records.layers.size() == 2);
  CHECK(records.errors ==
        Messages{"x.csv:3: expected 7 cells, got 6", "x.csv:4: expected 7 cells, got 8",
                 "x.csv:5: /kernel_size: expected a kernel that fits the padded input, got one "
                 "that spans 9 where the height with padding is 8",
                 "x.csv:6: /k: expected an integer >= 1, got \"four\"",
                 "x.csv:7: /k: expected an integer >= 1, got -4",
                 "x.csv:8: /w: expected an integer >= 1, got nothing"});
}

TEST_CASE("A list in a CSV cell nests as deep as in a JSON file", "[load/bad_records]") {
  for (const std::size_t depth : {std::size_t{65}, std::size_t{70'000}}) {
    const std::string cell = std::string(depth, '[') + std::string(depth, ']');
    const Records records =
        read_records("x.csv", "type,input\nrelu,\"" + cell + "\"\nrelu,\"[3, 8, 8]\"\n");
    CHECK(records.layers.size() == 1);
    CHECK(records.errors == Messages{"x.csv:2: expected at most 64 levels of nesting, got more"});
  }
}

TEST_CASE("A CSV file that cannot be read as one", "[load/bad_records]") {
  CHECK(read_records("x.csv", "").errors ==
        Messages{"x.csv: expected a header row, got an empty file"});
  CHECK(read_records("x.csv", "\n\n").errors ==
        Messages{"x.csv: expected a header row, got an empty file"});
  CHECK(read_records("x.csv", "c,h,w,k,r,s,c\n3,8,8,4,3,3,3\n").errors ==
        Messages{"x.csv:1: expected each column once, got \"c\" twice"});
  const Records unclosed = read_records("x.csv",
                                        "name,c,h,w,k,r,s\n"
                                        "a,3,8,8,4,3,3\n"
                                        "\"b,3,8,8,4,3,3\n"
                                        "c,3,8,8,4,3,3\n");
  CHECK(unclosed.layers.size() == 1);
  CHECK(unclosed.errors == Messages{"x.csv:3: expected a closing quote, got the end of the file"});
}
