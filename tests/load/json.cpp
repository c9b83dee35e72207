#include "load/json.hpp"

#include "catch.hpp"

using namespace roofline;

TEST_CASE("Members are in the order of their keys and found by them", "[load/json]") {
  const JsonDocument document(R"({"b": [1, -2, 0.5], "": true, "a": "text", "ab": null})",
                              {"in.json"});
  const Value value = document.root();
  std::string keys;
  for (const Value member : value) keys += std::string(member.key()) + ' ';
  CHECK(keys == " a ab b ");
  CHECK(value.size() == 4);
  CHECK(value.at("a").text() == "text");
  CHECK(value.at("").boolean());
  CHECK(value.at("ab").is_null());
  CHECK(value.contains("ab"));
  CHECK_FALSE(value.contains("c"));
  CHECK(value.find("c").find("d").is_null());
  const Value list = value.at("b");
  REQUIRE(list.size() == 3);
  CHECK(list.at(0).number() + list.at(1).number() + list.at(2).number() == -0.5);
  CHECK(list.at(2).pointer() == "/b/2");
  CHECK(list.at(0).size() == 0);
  CHECK_FALSE(list.at(0).contains("a"));
}

TEST_CASE("Members of a large object are found, whatever their order", "[load/json]") {
  std::string object = "{\"first\": 0";
  for (int i = 40; i-- > 0;) object += ", \"k" + std::to_string(i) + "\": " + std::to_string(i);
  const auto check = [](const Value& value) {
    CHECK(value.at("first").integer(0) == 0);
    CHECK(value.at("k0").integer(0) == 0);
    CHECK(value.at("k39").integer(0) == 39);
    CHECK_FALSE(value.contains("k40"));
    CHECK_FALSE(value.contains(""));
  };
  check(JsonDocument(object + "}", {"x.json"}).root());
  // A repeated key is allowed here: its first value counts.
  const auto stream = text_stream("in.json", "{\"list\": [" + object + ", \"k0\": 7}]}");
  for_each_listed(*stream, [&](std::string_view, const Value& element) { check(element); });
}

TEST_CASE("The elements of a document's lists are given one by one", "[load/json]") {
  const auto stream = text_stream(
      "in.json", R"({"a": [1, {"x": 2, "x": [3]}], "b": {"c": [4]}, "d": 5, "e": [[6], []]})");
  std::string given;
  for_each_listed(*stream, [&](std::string_view list, const Value& element) {
    given += std::string(list) + '=' + element.json() + ' ';
  });
  CHECK(given == R"(a=1 a={"x":[3]} e=[6] e=[] )");
  const auto broken = text_stream("in.json", R"({"a": [1, ")");
  std::size_t count = 0;
  CHECK_THROWS_AS(for_each_listed(*broken, [&](std::string_view, const Value&) { ++count; }),
                  InputError);
  CHECK(count == 1);
}
