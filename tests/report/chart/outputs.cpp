// Charts as files, whatever names are in them.

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

constexpr const char* inputs = ROOFLINE_SOURCE_FOLDER "/tests/golden/inputs/";

/// Names with bytes that are not UTF-8 come from CSV; the others from names.json.
void write_odd_names(const TemporaryFolder& folder) {
  folder.write("names.json", read_file(inputs + std::string("names.json")));
  folder.write("bytes.csv",
               "name,type,input\n\xFF\xFE<&>,relu,[8]\n\xED\xA0\x80,relu,[9]\n"
               "\xF0\x9F\x98,relu,[10]\n\xEF\xBF\xBE\xEF\xBF\xBF,relu,[11]\n");
}

const char* const odd_inputs = "names.json bytes.csv --gpu v100,h100 --batch 1,2";

/// Whether the program is installed; its tests say nothing where it is not.
bool is_installed(const TemporaryFolder& folder, const std::string& program) {
  return run(folder, "command -v " + program).exit_code == 0;
}

}  // namespace

TEST_CASE("Every SVG is well-formed XML", "[report/chart/outputs]") {
  const TemporaryFolder folder;
  write_odd_names(folder);
  if (!is_installed(folder, "xmllint")) return;
  for (const std::string kind : {"--chart roofline", "--chart time", "--chart sweep", "--by gpu"}) {
    INFO(kind);
    const Outcome made =
        run(folder, std::string("roofline ") + odd_inputs + " " + kind + " -o x.svg");
    CHECK(made.exit_code == 0);
    const Outcome checked = run(folder, "xmllint --noout --nonet x.svg");
    CHECK(checked.err == "");
    CHECK(checked.exit_code == 0);
  }
}

TEST_CASE("The page is HTML that a checker accepts", "[report/chart/outputs]") {
  const TemporaryFolder folder;
  write_odd_names(folder);
  if (!is_installed(folder, "tidy")) return;
  for (const std::string& input : {std::string(odd_inputs), std::string("resnet50 --gpu v100")}) {
    INFO(input);
    CHECK(run(folder, "roofline " + input + " -o x.html").exit_code == 0);
    // Links within SVG are newer than the checker.
    const Outcome checked =
        run(folder, "tidy -quiet -errors x.html 2>&1 | grep -v 'proprietary attribute \"href\"'");
    CHECK(checked.out == "");
  }
}

TEST_CASE("Pages and pictures fetch nothing", "[report/chart/outputs]") {
  const TemporaryFolder folder;
  for (const std::string file : {"x.svg", "x.html"}) {
    CHECK(run(folder, "roofline lenet5 --gpu v100 -o " + file).exit_code == 0);
    const std::string text = read_file(folder / file);
    for (const char* fetching : {"src=", "url(", "@import", "href=\"http", "<link"})
      CHECK(text.find(fetching) == text.npos);
    if (file == "x.svg") CHECK(text.find("<script") == text.npos);
  }
}

TEST_CASE("A picture of nothing says so", "[report/chart/outputs]") {
  const TemporaryFolder folder;
  folder.write("x.json", "{");
  CHECK(run(folder, "roofline x.json --gpu v100 -o x.svg -o x.html").exit_code == 1);
  CHECK(read_file(folder / "x.svg").find(">no input could be evaluated</text>") !=
        std::string::npos);
  CHECK(read_file(folder / "x.html").find("Inputs that could not be evaluated") !=
        std::string::npos);
}

TEST_CASE("A chart of a network without FLOP says so", "[report/chart/outputs]") {
  const TemporaryFolder folder;
  folder.write("x.json", R"([{"type": "flatten", "input": [4, 2, 2]}])");
  CHECK(run(folder, "roofline x.json --gpu v100 --format svg").err ==
        "roofline: roofline chart: expected layers with FLOP, got none\n");
  CHECK(run(folder, "roofline x.json --gpu v100 -o x.html").exit_code == 0);
}
