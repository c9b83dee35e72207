// The project's own reader of JSON against the library's, and what it hands on.

#include "load/json_tree.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"

namespace {

using namespace roofline;
using nlohmann::json;

std::string read(const std::string& text) {
  JsonStore store;
  const auto value = store.read(text);
  return value ? text_of(*value) : "refused";
}

std::string read_by_library(const std::string& text) {
  const json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? "refused"
                              : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

TEST_CASE("Texts are read as the library reads them", "[load/json_tree]") {
  using namespace std::string_literals;
  for (const std::string& text : {"0"s,
                                  "-0"s,
                                  "-0.0"s,
                                  "00"s,
                                  "01"s,
                                  "-"s,
                                  "+1"s,
                                  ".5"s,
                                  "1."s,
                                  "1.e3"s,
                                  "1e"s,
                                  "1e+"s,
                                  "1E+2"s,
                                  "0.1e-7"s,
                                  "1e400"s,
                                  "-1e400"s,
                                  "1e-400"s,
                                  "4.9e-324"s,
                                  "2.2250738585072011e-308"s,
                                  "18446744073709551615"s,
                                  "18446744073709551616"s,
                                  "-9223372036854775808"s,
                                  "-9223372036854775809"s,
                                  "123456789012345678901234567890"s,
                                  "0x10"s,
                                  "1_000"s,
                                  "NaN"s,
                                  "Infinity"s,
                                  "true"s,
                                  "false"s,
                                  "null"s,
                                  "tru"s,
                                  "truex"s,
                                  "nul"s,
                                  ""s,
                                  " "s,
                                  "\t[ ]\r\n"s,
                                  "[1, 2]"s,
                                  "[1, 2,]"s,
                                  "[,]"s,
                                  "[1 2]"s,
                                  "[1"s,
                                  "["s,
                                  "]"s,
                                  "{}"s,
                                  "{\"a\": 1}"s,
                                  "{\"b\": 1, \"a\": {\"c\": [null]}}"s,
                                  "{\"a\" 1}"s,
                                  "{\"a\": }"s,
                                  "{a: 1}"s,
                                  "{\"a\": 1,}"s,
                                  "{\"a\": 1"s,
                                  "{1: 2}"s,
                                  "\"plain\""s,
                                  "\"not closed"s,
                                  "\"\\\""s,
                                  "\"\\"s,
                                  "\"a\\\"b\""s,
                                  "\"\\u00e9\\n\\/\""s,
                                  "\"\\ud83d\\ude00\""s,
                                  "\"\\ud83d\""s,
                                  "\"\\x\""s,
                                  "\"\xc3\xa9\""s,
                                  "\"\xff\""s,
                                  "\"\xed\xa0\x80\""s,
                                  "\"\xc0\xaf\""s,
                                  "\"a\nb\""s,
                                  "\"a\tb\""s,
                                  "\"\x7f\""s,
                                  "\xEF\xBB\xBF[1]"s,
                                  "\xEF\xBB[1]"s,
                                  "[1]\0x"s,
                                  "\"a\0b\""s,
                                  "1 2"s,
                                  "// 1"s,
                                  "'a'"s,
                                  "{\"\\u0061\": 1}"s,
                                  "\f1"s,
                                  "[1]\xEF\xBB\xBF"s}) {
    CAPTURE(text);
    CHECK(read(text) == read_by_library(text));
  }
}

TEST_CASE("A key given twice and deep nesting are refused", "[load/json_tree]") {
  CHECK(read(R"({"a": 1, "b": 2, "a": 1})") == "refused");
  CHECK(read(R"({"a": 1, "\u0061": 1})") == "refused");
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(read(nested(deepest_json)) == nested(deepest_json));
  CHECK(read(nested(deepest_json + 1)) == "refused");
}

TEST_CASE("Members are in the order of their keys and found by them", "[load/json_tree]") {
  JsonStore store;
  const auto value = store.read(R"({"b": [1, -2, 0.5], "": true, "a": "text", "ab": null})");
  REQUIRE(value);
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
