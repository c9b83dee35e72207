// Names come from files: whatever is in them, every format stays what it is.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"
#include "load/csv.hpp"
#include "model/spreadsheet.hpp"
#include "report/grid.hpp"
#include "report/text.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> names{
    "emoji \xF0\x9F\x98\x80",
    "\xE6\xBC\xA2\xE5\xAD\x97\xE3\x83\xAC\xE3\x82\xA4\xE3\x83\xA4\xE3\x83\xBC",  // CJK
    "e\xCC\x81",                                                                 // combining accent
    "quo\"te, comma",
    "new\nline\r\n",
    "escape \x1b[31m\x7f\xC2\x9B",
    "right to left \xE2\x80\xAE",
    "bar|`code`<b>*bold*\\",
    "=1+1",
    " ",
    std::string("nu\0l", 4),
    std::string(200, 'a'),
};

std::string network_text() {
  Json network = {{"name", "ne\"t\n\xF0\x9F\x98\x80"}, {"layers", Json::array()}};
  for (const std::string& name : names)
    network["layers"].push_back(
        {{"name", name}, {"type", "relu"}, {"input", {8 + network["layers"].size()}}});
  return network.dump();
}

}  // namespace

TEST_CASE("Names survive JSON, NDJSON and CSV", "[report/names]") {
  const TemporaryFolder folder;
  folder.write("net.json", network_text());
  const std::string line = "roofline net.json --gpu v100 --format ";
  std::vector<std::string> found;
  const Json report = Json::parse(run(folder, line + "json").out);
  for (const Json& row : report["results"][0]["layers"]) found.push_back(row["name"]);
  CHECK(found == names);
  found.clear();
  for (const std::string& each : lines_of(run(folder, line + "ndjson").out))
    found.push_back(Json::parse(each)["name"]);
  CHECK(found == names);
  found.clear();
  const auto stream = text_stream("csv", run(folder, line + "csv").out);
  CsvRows rows(*stream);
  const std::vector<std::string> header = rows.next()->cells;
  const auto column =
      static_cast<std::size_t>(std::find(header.begin(), header.end(), "name") - header.begin());
  while (const auto row = rows.next()) found.push_back(unguarded(row->cells.at(column)));
  CHECK(found == names);
}

TEST_CASE("Names act on no terminal and break no table", "[report/names]") {
  const TemporaryFolder folder;
  folder.write("net.json", network_text());
  for (const std::string format : {"table", "markdown"}) {
    const std::string text = run(folder, "roofline net.json --gpu v100 --format " + format).out;
    for (const char* acting : {"\x1b", "\r", "\x7f", "\xC2\x9B", "\xE2\x80\xAE"})
      CHECK(text.find(acting) == text.npos);
    std::size_t rows = 0;
    const std::vector<std::string> lines = lines_of(text);
    const auto header = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.starts_with("layer ");
    });
    for (const std::string& line : lines) {
      if (line.find(" memory ") == line.npos) continue;
      INFO(line);
      ++rows;
      if (format == "table") CHECK(display_width(line) == display_width(*header));
    }
    CHECK(rows == names.size());
  }
}

TEST_CASE("Bytes that are not UTF-8 are replaced in every format", "[report/names]") {
  const TemporaryFolder folder;
  // A stray byte, a surrogate, an overlong form, a character that is cut off.
  folder.write("x.csv",
               "name,type,input\n\xFF,relu,[8]\n\xED\xA0\x80,relu,[9]\n\xE0\x80\xAF,relu,[10]\n"
               "\xF0\x9F\x98,relu,[11]\n");
  for (const std::string format : {"table", "markdown", "json", "ndjson", "csv"}) {
    INFO(format);
    const std::string text = run(folder, "roofline x.csv --gpu v100 --format " + format).out;
    CHECK(text != "");
    CHECK(valid_utf8(text) == text);
  }
  CHECK(valid_utf8("a\xFF\xED\xA0\x80z") == "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST_CASE("Columns of a terminal", "[report/names]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xE6\xBC\xA2\xE5\xAD\x97") == 4);
  CHECK(display_width("\xF0\x9F\x98\x80") == 2);
  CHECK(display_width("e\xCC\x81") == 1);
  // Ten columns at most: three for the dots, and no half of a wide character.
  const std::string wide =
      "\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97";
  CHECK(shortened(wide, 12) == wide);
  CHECK(shortened(wide, 10) == "\xE6\xBC\xA2\xE5\xAD\x97...\xE5\xAD\x97");
}

TEST_CASE("No name is markup of Markdown, in tables or around them", "[report/names]") {
  const TemporaryFolder folder;
  folder.write("net.json", R"~({"name": "# <script>a()</script>[b](javascript:c)", "layers": [
      {"name": "![d](e) _f_ g_h &lt; `i`", "type": "relu", "input": [8]}]
})~");
  const std::string text = run(folder, "roofline net.json --gpu v100 --format markdown").out;
  CHECK(lines_of(text).front().starts_with("\\# \\<script>a()\\</script>\\[b](javascript:c)"));
  CHECK(text.find("| !\\[d](e) \\_f\\_ g_h \\&lt; \\`i\\` |") != text.npos);
  CHECK(markdown_lines("a\n  - b\n") == "a\n  \\- b\n");
  // Derivations are a block that none of their names ends.
  folder.write("fence.json", R"({"name": "```", "type": "relu", "input": [8]})");
  const std::string derived =
      run(folder, "roofline fence.json --gpu v100 --explain '*' --format markdown").out;
  CHECK(lines_of(derived).front() == "````");
  CHECK(lines_of(derived).back() == "````");
}

TEST_CASE("A spreadsheet runs no cell of ours, and what we read back is the same",
          "[report/names]") {
  const TemporaryFolder folder;
  using Lines = std::vector<std::string>;
  const Lines formulas{"=1+1",    "+1",  "-1",       "@SUM(A1)", "'=1",
                       "''-x",    " =1", "\u3000=1", "\uff1d1",  "\u00a0\u200b\uff0b1",
                       "'quoted", " x"};
  Json network = Json::array();
  for (const std::string& name : formulas)
    network.push_back({{"name", name}, {"type", "relu"}, {"input", {8}}});
  folder.write("net.json", network.dump());
  const auto names_of = [&](const std::string& line) { return lines_of(run(folder, line).out); };
  CHECK(names_of("roofline net.json --gpu v100 -o x.csv; sed 1d x.csv | cut -d, -f6") ==
        Lines{"'=1+1", "'+1", "'-1", "'@SUM(A1)", "''=1", "'''-x", "' =1", "'\u3000=1", "'\uff1d1",
              "'\u00a0\u200b\uff0b1", "'quoted", " x"});
  CHECK(names_of("roofline x.csv --gpu v100 --format ndjson | jq -r .name") == formulas);
  CHECK(names_of("roofline net.json --gpu v100 --raw-csv --format csv | sed 1d | cut -d, -f6") ==
        formulas);
  CHECK(run(folder, "roofline net.json --gpu v100 --raw-csv --json").err ==
        "roofline: --raw-csv: expected CSV to write (--format csv or -o FILE.csv)\n");
}

TEST_CASE("Markdown shows a name as it is", "[report/names]") {
  Grid grid;
  grid.columns = {{"layer", true}};
  grid.add_row({"a|b\\|c `d` <e> *f*"});
  CHECK(whole_text([&](OutputBuffer& out) { write_markdown_grid(grid, out); }) ==
        "| layer |\n| :-- |\n| a\\|b\\\\\\|c \\`d\\` \\<e> \\*f\\* |\n");
}
