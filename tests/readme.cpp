// What README.md shows is what the program prints: every "$ roofline ..." of its console blocks is
// run in the root of the source tree, at a terminal of 100 columns. ROOFLINE_UPDATE_GOLDEN=1 writes
// the real output into README.md.

#include <fstream>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/golden.hpp"

namespace {

const std::string source_directory = ROOFLINE_SOURCE_FOLDER;
const std::string prompt = "$ ";

std::string read_readme() {
  std::ifstream file(source_directory + "/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// README with the output of every shown command replaced by the real one.
std::string regenerated(const std::string& readme) {
  std::string out;
  bool in_console = false;
  bool in_output = false;
  for (const std::string& line : lines_of(readme)) {
    if (line.rfind("```", 0) == 0) {
      in_console = !in_console && line == "```console";
      in_output = false;
    }
    if (in_console && line.rfind(prompt, 0) == 0) {
      out += line + '\n' + run_at_terminal(source_directory, line.substr(prompt.size()), 100);
      in_output = true;
    } else if (!in_output) {
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace

TEST_CASE("README shows real output", "[readme]") {
  const std::string readme = read_readme();
  const std::string real = regenerated(readme);
  if (updating())
    std::ofstream(source_directory + "/README.md") << real;
  else
    CHECK(readme == real);
}
