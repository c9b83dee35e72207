// What one input may hold: a layer, an event, a row or a header so many values, a document four
// times as many. Limits here are small, so that inputs are too.

#include "catch.hpp"
#include "load/json.hpp"
#include "load/loading.hpp"
#include "roofline/load.hpp"
#include "temporary_folder.hpp"

using namespace roofline;

namespace {

using Messages = std::vector<std::string>;

constexpr InputLimits ten_values{.values = 10};

/// What is wrong with an input, in the order in which it is said, without the folder.
Messages messages_of(const std::string& name, const std::string& text, const InputLimits& limits) {
  const TemporaryFolder folder;
  const std::string path = folder.write(name, text);
  Messages messages;
  const auto add = [&](const InputError& error) {
    CHECK(error.remedy == Remedy::limits);
    messages.push_back(std::string(error.what()).substr(folder.path().size() + 1));
  };
  try {
    const std::unique_ptr<Reader> reader = open_input(path, {}, {}, limits).value();
    while (const auto item = reader->next()) try {
        item->value().spec({}).value();
      } catch (const InputError& error) {
        add(error);
      }
  } catch (const InputError& error) {
    add(error);
  }
  return messages;
}

const std::string relu = R"({"type": "relu", "input": [8, 8, 8]})";  // 6 values
const std::string long_relu = R"({"type": "relu", "input": [8, 8, 8, 8, 8, 8, 8, 8, 8]})";
std::string network_of(int layers) {
  std::string list = relu;
  for (int i = 1; i < layers; ++i) list += ", " + relu;
  return "[" + list + "]";
}

const std::string too_many =
    "expected at most 10 values in one layer, event, row or header, got more";

}  // namespace

TEST_CASE("Values of a layer, an event, a row and a header have a limit", "[load/limits]") {
  struct Case {
    std::string name;
    std::string text;
    Messages messages;
  };
  const std::string event =
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::relu", "ts": 1, "dur": 1, )"
      R"("args": {"Input type": ["float"], "Input Dims": [[1]]}}]})";
  const std::vector<Case> cases{
      {"a.json", relu, {}},
      {"a.json", long_relu, {"a.json: " + too_many}},
      {"a.json", network_of(6), {}},
      {"a.json", "[" + relu + ", " + long_relu + "]", {"a.json: " + too_many}},
      {"a.json", network_of(7), {"a.json: expected at most 40 values in one text, got more"}},
      {"a.ndjson", relu + "\n" + long_relu + "\n" + relu + "\n", {"a.ndjson:2: " + too_many}},
      {"a.ndjson",
       R"({"type": "add", "inputs": [{"shape": [8, 8]}, {"shape": [8, 8]}]})",
       {"a.ndjson:1: " + too_many}},
      {"a.csv", "type,c,h,w\nrelu,8,8,8\n", {}},
      {"a.csv", "type,c,h,w,,,,,,,\nrelu,8,8,8,,,,,,,\n", {"a.csv:1: " + too_many}},
      {"a.csv",
       "type,input\nrelu,[8]\nrelu,\"[1,2,3,4,5,6,7,8,9,10]\"\nrelu,[8]\n",
       {"a.csv:3: " + too_many}},
      {"a.json", event, {"a.json: " + too_many}},
  };
  CHECK(messages_of("a.json", R"({"layers": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]})", ten_values) ==
        Messages{"a.json: " + too_many});
  for (const Case& each : cases) {
    INFO(each.text);
    CHECK(messages_of(each.name, each.text, ten_values) == each.messages);
    if (each.messages.empty()) continue;
    CHECK(messages_of(each.name, each.text, ten_values.raised(2)).empty());
  }
}

TEST_CASE("What is no JSON has no values", "[load/limits]") {
  const std::string text = "type,c,h,w,,,,,,,,,,\nrelu,8,1,1,,,,,,,,,,\n";
  const auto message = [](const std::string& wrong) {
    return message_of([&] { JsonDocument(wrong, {"a.json", {}, ten_values}); });
  };
  CHECK(message(text) == "a.json:1:2: expected JSON, got 'y'");
  CHECK(message("{}{}{}{}{}[1,2]") ==
        "a.json:1:3: expected JSON, got '{' (expected one document, or one a line, as of jq -c)");
}

TEST_CASE("Commas and brackets in strings are no values", "[load/limits]") {
  const std::string name = R"([[,{,\"[,,,,,,,,,,,)";
  const std::string text = R"({"type": "relu", "input": [8], "name": ")" + name + R"("})";
  CHECK(messages_of("a.json", text, ten_values).empty());
  CHECK(messages_of("a.ndjson", text, ten_values).empty());
}

TEST_CASE("Arguments of a recording's operators have a limit, equal ones once", "[load/limits]") {
  const auto recording = [](bool differ) {
    std::string events;
    for (int i = 0; i < 9; ++i)
      events += (i > 0 ? "," : "") +
                (R"({"ph": "X", "cat": "cpu_op", "name": "aten::relu", "ts": 1, "dur": 1, )"
                 R"("args": {"Input Dims": [[)" +
                 std::to_string(differ ? i + 1 : 1) + R"(]], "Input type": ["float"]}})");
    return R"({"traceEvents": [)" + events + "]}";
  };
  constexpr InputLimits limits{.values = 12};
  CHECK(messages_of("a.json", recording(false), limits).empty());
  CHECK(messages_of("a.json", recording(true), limits) ==
        Messages{"a.json: expected at most 24 values in arguments of operators, equal lists of "
                 "them once, got more"});
  CHECK(messages_of("a.json", recording(true), limits.raised(2)).empty());
}
