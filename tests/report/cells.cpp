// Values of fields as JSON and CSV have them.

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "report/writer.hpp"

using namespace roofline;

namespace {

std::string json_of(const Cell& cell) {
  std::string text;
  JsonWriter(text, false).value(cell);
  return text;
}

std::string csv_of(const Cell& cell) {
  std::string text;
  TextBuffer out(text);
  append_csv(out, cell);
  out.flush();
  return text;
}

struct NumberCase {
  Cell cell;
  std::string text;
};

}  // namespace

TEST_CASE("Counts have their digits, alone and in lists", "[report/cells]") {
  std::vector<std::uint64_t> counts;
  std::string list;
  for (std::uint64_t power = 1, digits = 1; digits < 20; ++digits, power *= 10)
    for (const std::uint64_t count :
         {power - 1, power, power + 1, 3 * power + power / 3, 9 * power}) {
      CHECK(json_of(count) == std::to_string(count));
      counts.push_back(count);
      list += (list.empty() ? "" : ",") + std::to_string(count);
    }
  std::string text;
  JsonWriter(text, false).counts(counts);
  CHECK(text == "[" + list + "]");
  std::string empty;
  JsonWriter(empty, false).counts({});
  CHECK(empty == "[]");
}

TEST_CASE("A quotation mark is seen wherever it stands", "[report/cells]") {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string text(size, 'a');
    CHECK(json_of(std::string_view(text)) == '"' + text + '"');
    for (std::size_t i = 0; i < size; ++i) {
      std::string quoted = text;
      quoted[i] = '"';
      CHECK(json_of(std::string_view(quoted)) ==
            '"' + text.substr(0, i) + "\\\"" + text.substr(i + 1) + '"');
    }
  }
}

TEST_CASE("Numbers have the fewest digits that read back the same", "[report/cells]") {
  const std::vector<NumberCase> cases{
      {std::uint64_t{0}, "0"},
      {std::uint64_t{9}, "9"},
      {std::uint64_t{10}, "10"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-25.0, "-25.0"},
      {0.1, "0.1"},
      {2.2388059701492535, "2.2388059701492535"},
      {0.0001, "0.0001"},
      {0.00001, "1e-05"},
      {999999999999999.0, "999999999999999.0"},
      {9007199254740992.0, "9007199254740992.0"},
      {1e16, "1e+16"},
      {-1e16, "-1e+16"},
      {5e-324, "5e-324"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
  };
  for (int time = 0; time < 2; ++time)  // a number that came lately is not formatted again
    for (const NumberCase& each : cases) {
      CHECK(json_of(each.cell) == each.text);
      CHECK(csv_of(each.cell) == each.text);
    }
}

TEST_CASE("However many numbers there are, each has its own text", "[report/cells]") {
  for (int i = 1; i < 5000; ++i) {
    const double value = i / 7.0;
    CHECK(std::stod(json_of(value)) == value);
  }
}

TEST_CASE("A number is written as fmt writes it", "[report/cells]") {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 20'000; ++i) {
    // Any number, and one near those that rows have.
    for (const double value :
         {std::bit_cast<double>(bits()), std::ldexp(static_cast<double>(bits()), -(i % 160))}) {
      if (!std::isfinite(value)) continue;
      const std::string by_fmt = fmt::format("{}", value);
      const bool is_whole = by_fmt.find_first_of(".e") == std::string::npos;
      CHECK(json_of(value) == by_fmt + (is_whole ? ".0" : ""));
    }
  }
}

TEST_CASE("What is unknown or not finite is null, and nothing in CSV", "[report/cells]") {
  for (const Cell& cell : {Cell(), Cell(std::nan("")), Cell(HUGE_VAL), Cell(-HUGE_VAL)}) {
    CHECK(json_of(cell) == "null");
    CHECK(csv_of(cell).empty());
  }
}

TEST_CASE("Texts are quoted as their format has it", "[report/cells]") {
  struct TextCase {
    std::string text;
    std::string json;
    std::string csv;
  };
  const std::string longer_than_any_row(10'000, 'a');
  const std::vector<TextCase> cases{
      {"", "\"\"", ""},
      {"conv1", "\"conv1\"", "conv1"},
      {"a,b", "\"a,b\"", "\"a,b\""},
      {"say \"a\"", "\"say \\\"a\\\"\"", "\"say \"\"a\"\"\""},
      {"a\\b", "\"a\\\\b\"", "a\\b"},
      {"two\nlines", "\"two\\nlines\"", "\"two\nlines\""},
      {"\x01", "\"\\u0001\"", "\x01"},
      {"caf\xC3\xA9", "\"caf\xC3\xA9\"", "caf\xC3\xA9"},
      {"a\xFF", "\"a\xEF\xBF\xBD\"", "a\xEF\xBF\xBD"},
      {"=1+1", "\"=1+1\"", "'=1+1"},
      {"-\xFF", "\"-\xEF\xBF\xBD\"", "'-\xEF\xBF\xBD"},
      {longer_than_any_row, '"' + longer_than_any_row + '"', longer_than_any_row},
  };
  for (const TextCase& each : cases) {
    const std::string_view text = each.text;
    CHECK(json_of(text) == each.json);
    CHECK(csv_of(text) == each.csv);
  }
}

TEST_CASE("One character that JSON escapes is found at any place", "[report/cells]") {
  const std::string plain = "a plain text, ~19 {}";
  CHECK(json_of(std::string_view(plain)) == '"' + plain + '"');
  for (const auto& [wrong, escaped] : std::vector<std::pair<char, std::string>>{
           {'"', "\\\""}, {'\\', "\\\\"}, {'\x1F', "\\u001f"}, {'\0', "\\u0000"}})
    for (std::size_t at = 0; at < plain.size(); ++at) {
      std::string text = plain;
      text[at] = wrong;
      CHECK(json_of(std::string_view(text)) ==
            '"' + plain.substr(0, at) + escaped + plain.substr(at + 1) + '"');
    }
}

TEST_CASE("Lists stand on one line, in CSV as JSON", "[report/cells]") {
  const std::vector<std::uint64_t> sizes{1, 64, 56, 56};
  const Cell list = JsonValue::of<write_counts>(sizes);
  CHECK(csv_of(list) == "\"[1,64,56,56]\"");
  std::string text = "before ";
  JsonWriter(text, true)
      .begin_object()
      .key("sizes")
      .value(list)
      .key("empty")
      .begin_array()
      .end_array()
      .key("flags")
      .begin_array()
      .value(true)
      .value({})
      .end_array()
      .end_object();
  CHECK(text ==
        "before {\n"
        "  \"sizes\": [1,64,56,56],\n"
        "  \"empty\": [],\n"
        "  \"flags\": [\n"
        "    true,\n"
        "    null\n"
        "  ]\n"
        "}");
}
