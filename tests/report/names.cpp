// Names come from files: whatever is in them, every format stays what it is.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"
#include "load/csv.hpp"
#include "model/gpu_selection.hpp"
#include "model/text.hpp"
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
  const auto column = static_cast<std::size_t>(std::ranges::find(header, "name") - header.begin());
  while (const auto row = rows.next()) found.push_back(row->cells.at(column));
  std::vector<std::string> guarded = names;  // the reader of layers takes the apostrophe off
  std::ranges::replace(guarded, "=1+1", "'=1+1");
  CHECK(found == guarded);
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
    const auto header = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("layer "); });
    for (const std::string& line : lines) {
      if (line.find(" memory ") == line.npos) continue;
      INFO(line);
      ++rows;
      if (format == "table") CHECK(display_width(line) == display_width(*header));
    }
    CHECK(rows == names.size());
  }
}

TEST_CASE("JSON and a GPU's text hold nothing that a terminal acts on", "[report/names]") {
  const TemporaryFolder folder;
  folder.write("net.json", network_text());
  folder.write("gpu.json", R"({"name": "X\u009b31m", "notes": ["\u001b]0;title\u0007"],
                               "peak_tflops": {"fp32": 10}, "bandwidth_gb_per_s": 500})");
  for (const std::string arguments :
       {"net.json --gpu v100 --format json", "net.json --gpu v100 --format ndjson", "gpus gpu.json",
        "gpus gpu.json --json"}) {
    INFO(arguments);
    const std::string text = run(folder, "roofline " + arguments).out;
    CHECK(text.size() > 100);
    CHECK(printable_lines(text) == text);
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
  // Chinese characters and faces have two columns, an accent none of its own.
  CHECK(display_width("\xE6\xBC\xA2\xE5\xAD\x97") == 4);
  CHECK(display_width("\xF0\x9F\x98\x80") == 2);
  CHECK(display_width("e\xCC\x81x") == 2);
  CHECK(display_width("\xC3\xA9") == 1);
  CHECK(shortened("e\xCC\x81"
                  "abcdefgh",
                  5) == "e\xCC\x81...h");
  // Nine columns at most, three of them for the dots, and no half of a character.
  const std::string text =
      "\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE6\xBC\xA2\xE5\xAD\x97\xE5\xAD\x97";
  CHECK(shortened(text, 14) == text);
  CHECK(shortened(text, 9) == "\xE6\xBC\xA2...\xE5\xAD\x97");
  CHECK(shortened(text, 11) == "\xE6\xBC\xA2\xE5\xAD\x97...\xE5\xAD\x97\xE5\xAD\x97");
}

TEST_CASE("No name is markup of Markdown, in tables or around them", "[report/names]") {
  const TemporaryFolder folder;
  folder.write("net.json", R"~({"name": "# <script>a()</script>[b](javascript:c)", "layers": [
      {"name": "![d](e) _f_ g_h &lt; `i`", "type": "relu", "input": [8]},
      {"name": "b", "type": "relu"}]
})~");
  const std::string text = run(folder, "roofline net.json --gpu v100 --format markdown").out;
  CHECK(lines_of(text).front().starts_with("### \\# \\<script>a()\\</script>\\[b](javascript:c)"));
  CHECK(text.find("| !\\[d](e) \\_f\\_ g_h \\&lt; \\`i\\` |") != text.npos);
  folder.write("fence.json", R"({"name": "```", "type": "relu", "input": [8]})");
  const std::string derived =
      run(folder, "roofline fence.json --gpu v100 --explain '*' --format markdown").out;
  CHECK(derived.starts_with("### \\`\\`\\` of fence: relu fwd in fp32 on "));
}

TEST_CASE("A spreadsheet runs no cell of CSV, and its reader gives every name back",
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
  CHECK(names_of("roofline net.json --gpu v100 -o x.csv; sed 1d x.csv | cut -d, -f7") ==
        Lines{"'=1+1", "'+1", "'-1", "'@SUM(A1)", "''=1", "'''-x", "' =1", "'\u3000=1", "'\uff1d1",
              "'\u00a0\u200b\uff0b1", "'quoted", " x"});
  CHECK(names_of("roofline x.csv --gpu v100 --format ndjson | jq -r .name") == formulas);
  CHECK(names_of("roofline x.csv --gpu v100 --format csv | sed 1d | cut -d, -f7") ==
        names_of("sed 1d x.csv | cut -d, -f7"));
}

TEST_CASE("Markdown shows a name as it is", "[report/names]") {
  Grid grid;
  grid.columns = {{"layer", true}};
  grid.add_row({"a|b\\|c `d` <e> *f*"});
  CHECK(markdown_grid(grid) == "| layer |\n| :-- |\n| a\\|b\\\\\\|c \\`d\\` \\<e> \\*f\\* |\n");
}

// Names in few columns: what tells them apart stays.

TEST_CASE("Layers that are alike have one name", "[report/names]") {
  struct Case {
    std::vector<std::string> names;
    std::string folded;
  };
  const std::vector<Case> cases{
      {{"conv1"}, "conv1"},
      {{"layer1.0.conv1", "layer1.1.conv1"}, "layer1.{0,1}.conv1"},
      {{"layer1.0.conv1", "layer1.1.conv1", "layer1.2.conv1"}, "layer1.{0-2}.conv1"},
      {{"b.block1.c", "b.block2.c", "b.block3.c", "b.block4.c"}, "b.block{1-4}.c"},
      {{"b.9.c", "b.10.c", "b.11.c"}, "b.{9-11}.c"},
      {{"f.0", "f.3", "f.6", "f.8"}, "f.{0,..,8}"},
      {{"relu 1x8", "relu 1x8#2", "relu 1x8#3"}, "relu 1x8"},
      {{"layer1.0.conv1", "layer2.0.conv2"}, "layer1.0.conv1"},
      {{"a.relu", "relu"}, "a.relu"},
  };
  for (const Case& each : cases) CHECK(folded_name(each.names) == each.folded);
}

TEST_CASE("Short names are short, and patterns of their names", "[report/names]") {
  CHECK(short_name("features.denseblock4.denselayer16.norm1", 26) == "f*.d*4.denselayer16.norm1");
  CHECK(short_name("layer3.{1-5}.conv2", 18) == "layer3.{1-5}.conv2");
  CHECK(short_name(".features.block1.norm", 16) == ".f*.block1.norm");
  CHECK(short_name("conv2d 32x3x224x224 to 64 k7 s2", 24) == "conv2d 32x3x*to 64 k7 s2");
  std::vector<std::string> names;
  for (int block = 1; block < 5; ++block)
    for (int layer = 1; layer < 30; ++layer)
      for (const char* part : {"norm1", "relu1", "conv1", "concat"})
        names.push_back("features.denseblock" + std::to_string(block) + ".denselayer" +
                        std::to_string(layer) + "." + part);
  names.push_back(std::string(300, 'x') + "a" + std::string(300, 'x'));
  names.emplace_back("\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4\xe5\xb1\xa4.a");
  for (const std::size_t width : {12U, 16U, 24U, 40U})
    for (const std::string& name : names) {
      const std::string text = short_name(name, width);
      INFO(name << " as " << text);
      CHECK(display_width(text) <= width);
      CHECK(fits_pattern(name, text));
    }
  // What is folded fits each of the names.
  const std::vector<std::string> folded{"features.block1.b", "features.block2.b",
                                        "features.block3.b"};
  for (const std::size_t width : {12U, 16U, 40U}) {
    const std::string text = short_name(folded_name(folded), width);
    for (const std::string& name : folded) {
      INFO(name << " as " << text);
      CHECK(fits_pattern(name, text));
    }
  }
}

TEST_CASE("A kernel's name without what says nothing", "[report/names]") {
  struct Case {
    std::string name;
    std::string shorter;
  };
  const std::vector<Case> cases{
      {"sm80_xmma_fprop", "sm80_xmma_fprop"},
      {"k_ffma(float *)", "k_ffma"},
      {"void f<int>(int*, char)", "f<int>"},
      {"void at::native::(anonymous namespace)::norm<float, 4>(T1*)", "norm<float, 4>"},
      {"void at::vectorized_elementwise_kernel<4, at::<unnamed>::launch_clamp_scalar("
       "at::TensorIteratorBase &, c10::Scalar)::[lambda() (instance 1)]::operator ()() const, "
       "std::array<char *, 2>>(int, T2, T3)",
       "vectorized_elementwise_kernel<4, launch_clamp_scalar, array<char *, 2>>"},
      {"a::B<c::D>::run<e::F>(int)", "run<F>"},
      {"[CUDA memcpy HtoD]", "[CUDA memcpy HtoD]"},
      {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"},
      {"", ""},
      {"void ", "void "},
      {"<>::(", "<>::("},
      {"operator>(x)", "operator>"},
  };
  for (const Case& each : cases) CHECK(short_signature(each.name) == each.shorter);
}
