// Texts that are not JSON, or JSON that no layer can be.

#include "load/loading.hpp"
#include "load/record_reading.hpp"

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("A text that is not JSON says where it stops being JSON", "[load/bad_json]") {
  check_messages({
      {"", "conv.json:1:1: expected JSON, got an empty text"},
      {" \n\t\n ", "conv.json:3:2: expected JSON, got an empty text"},
      {"hello", "conv.json:1:1: expected JSON, got 'h'"},
      {"{\"input\": [3, 8, 8]", "conv.json:1:20: expected more JSON, got the end of the text"},
      {"[{\n  \"name\": \"a\"\n", "conv.json:3:1: expected more JSON, got the end of the text"},
      {"{\"name\": \"a", "conv.json:1:12: expected more JSON, got the end of the text"},
      {"{\"stride\": 1,}", "conv.json:1:14: expected JSON, got '}' (JSON has no trailing commas)"},
      {"[1, 2,\n]", "conv.json:2:1: expected JSON, got ']' (JSON has no trailing commas)"},
      {"{'stride': 1}", "conv.json:1:2: expected JSON, got ''' (JSON strings take double quotes)"},
      {"{\"stride\": 1} // one", "conv.json:1:15: expected JSON, got '/' (JSON has no comments)"},
      {"# a layer\n{}", "conv.json:1:1: expected JSON, got '#' (JSON has no comments)"},
      {"{\"stride\": 1}\n{\"stride\": 2}",
       "conv.json:2:1: expected JSON, got '{' (expected one document, or one a line, as of jq -c)"},
      {"{\"stride\": NaN}", "conv.json:1:12: expected JSON, got 'N'"},
      {"{\"stride\": 0x10}", "conv.json:1:13: expected JSON, got 'x'"},
      {R"({"name": "\ud83d"})",
       R"(conv.json:1:17: expected both halves of a character (\ud83d\ude00), got one)"},
      {R"({"name": "\ude00"})",
       R"(conv.json:1:16: expected both halves of a character (\ud83d\ude00), got one)"},
      {"{\"stride\" 1}", "conv.json:1:11: expected JSON, got '1'"},
      {"{\"name\": \"a\nb\"}",
       "conv.json:1:12: expected JSON, got a control character inside a string, or a string that "
       "is not closed"},
      {std::string("{} \0{}", 6), "conv.json:1:4: expected JSON, got a NUL byte"},
      {"\x1f\x8b\x08", "conv.json:1:1: expected JSON, got gzip data"},
      {"{\"name\": \"\xff\"}", "conv.json:1:11: expected UTF-8 text, got a byte that is not"},
      {"{\"name\": \"\xc3\xa9\xc3\xa9\xff\"}",
       "conv.json:1:13: expected UTF-8 text, got a byte that is not"},
  });
}

TEST_CASE("JSON that is no layer says what a layer is", "[load/bad_json]") {
  check_messages({
      {"42", "expected an object, got 42"},
      {"null", "expected an object, got null"},
      {"\"resnet50\"", "expected an object, got \"resnet50\""},
      {"[]", "expected a list of at least one layer, got []"},
      {"[[]]", "/0: expected an object, got []"},
      {"[null]", "/0: expected an object, got null"},
      {"{\"layers\": []}", "/layers: expected a list of at least one layer, got []"},
      {"{\"layers\": {}}", "/layers: expected a list of at least one layer, got {}"},
      {"{}", "/input: expected a shape such as [3, 224, 224]: there is no layer before this one"},
      {"{\"stride\": 1e999}", "/stride: expected a number that a double can hold"},
      {"[{\"a/b~c\": 1e999}]", "/0/a~1b~0c: expected a number that a double can hold"},
  });
}

TEST_CASE("A key given twice is an error, wherever it is", "[load/bad_json]") {
  check_messages({
      {"{\"stride\": 1, \"stride\": 2}", "/stride: expected each key once, got this one twice"},
      {"[{\"stride\": 1}, {\"kernel\": {\"threads\": 1, \"threads\": 1}}]",
       "/1/kernel/threads: expected each key once, got this one twice"},
      {"{\"layers\": [], \"layers\": []}", "/layers: expected each key once, got this one twice"},
  });
}

TEST_CASE("Deep nesting is refused at any depth", "[load/bad_json]") {
  const std::string message = "conv.json: expected at most 64 levels of nesting, got more";
  CHECK(message_of([] { load_text(nested(65)); }) == message);
  CHECK(message_of([] { load_text(nested(10'000)); }) == message);
  CHECK(message_of([] { load_text(std::string(1'000'000, '[')); }) == message);
  CHECK(message_of([] { load_text(nested(64)); }) ==
        "conv.json: /0: expected an object, got an array of 1");
}
