#include "load/json_tree.hpp"

#include "catch.hpp"
#include "load/json_value.hpp"

using namespace roofline;

TEST_CASE("Members are in the order of their keys and found by them", "[load/json_tree]") {
  const JsonDocument document =
      parse_json(R"({"b": [1, -2, 0.5], "": true, "a": "text", "ab": null})", {"in.json", {}});
  const JsonNode* value = &document.root();
  std::string keys;
  for (const auto& [key, member] : value->members()) keys += std::string(key) + ' ';
  CHECK(keys == " a ab b ");
  CHECK(value->size() == 4);
  CHECK(value->find("a")->text() == "text");
  CHECK(value->find("")->boolean());
  CHECK(value->find("ab")->is_null());
  CHECK(value->find("c") == nullptr);
  const auto list = value->find("b")->elements();
  REQUIRE(list.size() == 3);
  CHECK(list[0].number() + list[1].number() + list[2].number() == -0.5);
  CHECK(list[0].elements().empty());
  CHECK(list[0].find("a") == nullptr);
}
