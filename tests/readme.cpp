// What README.md shows is what the program prints: every "$ roofline ..." of its console blocks is
// run in the root of the source tree. ROOFLINE_UPDATE_GOLDEN=1 writes the real output into
// README.md.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

namespace {

const std::string source_directory = ROOFLINE_SOURCE_FOLDER;
const std::string prompt = "$ ";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string read_readme() {
  std::ifstream file(source_directory + "/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Both streams, as a person at a terminal sees them.
std::string output_of(const std::string& command) {
  const std::string folder = ROOFLINE_PROGRAM_FOLDER;
  const std::string line = "cd '" + source_directory + "' && PATH='" + folder +
                           "':\"$PATH\" && { " + command + "; } 2>&1";
  std::FILE* pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  pclose(pipe);
  return output;
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
      out += line + '\n' + output_of(line.substr(prompt.size()));
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
  if (std::getenv("ROOFLINE_UPDATE_GOLDEN") != nullptr)
    std::ofstream(source_directory + "/README.md") << real;
  else
    CHECK(readme == real);
}
