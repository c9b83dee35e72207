// What the pages show is what the program prints: every "$ command" of their console blocks is run
// in the root of the source tree, at a terminal of 80 columns. ROOFLINE_UPDATE_GOLDEN=1 writes the
// real output into the pages. Their links lead to what is there.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/golden.hpp"
#include "results/report.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path source_directory = ROOFLINE_SOURCE_FOLDER;
const fs::path docs = source_directory / "src" / "docs";

/// The README.md of the root and of every folder below the source folders, and what users read;
/// build folders are left out.
std::vector<fs::path> pages() {
  std::vector<fs::path> files{source_directory / "README.md"};
  for (const char* folder : {"configs", "include", "src", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(source_directory / folder))
      if (entry.path().filename() == "README.md" ||
          (entry.path().parent_path() == docs && entry.path().extension() == ".md"))
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

struct Shown {
  std::string command;
  std::string output;
};

/// A page taken apart: what stands before, between and after its shown commands, and these.
struct Page {
  std::vector<std::string> texts{""};  ///< one more than there are commands
  std::vector<Shown> commands;
};

Page page_of(const std::string& text) {
  const std::string prompt = "$ ";
  Page page;
  bool in_console = false;
  bool in_output = false;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("```", 0) == 0) {
      in_console = !in_console && line == "```console";
      in_output = false;
    }
    if (in_console && line.rfind(prompt, 0) == 0) {
      page.commands.push_back({line.substr(prompt.size()), ""});
      page.texts.emplace_back();
      in_output = true;
    } else {
      (in_output ? page.commands.back().output : page.texts.back()) += line + '\n';
    }
  }
  return page;
}

std::string real_output(const std::string& command) {
  return run_at_terminal(source_directory.string(), command, 80);
}

/// The text without its blocks of code, where brackets are no links.
std::string prose_of(const std::string& text) {
  std::string out;
  bool in_code = false;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("```", 0) == 0) in_code = !in_code;
    if (!in_code && line.rfind("    ", 0) != 0) out += line + '\n';
  }
  return out;
}

/// "#how-to-add-a-gpu" of "## How to add a GPU", as pages of Markdown name their headings.
std::set<std::string> anchors_of(const std::string& text) {
  std::set<std::string> anchors;
  for (const std::string& line : lines_of(prose_of(text))) {
    if (line.rfind('#', 0) != 0) continue;
    std::string anchor = "#";
    for (const char c : line.substr(line.find(' ') + 1)) {
      if (c == ' ') anchor += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    anchors.insert(anchor);
  }
  return anchors;
}

}  // namespace

TEST_CASE("Pages show real output", "[readme]") {
  for (const fs::path& file : pages()) {
    const Page page = page_of(read_file(file.string()));
    std::string real = page.texts.front();
    for (std::size_t i = 0; i < page.commands.size(); ++i) {
      const Shown& shown = page.commands[i];
      const std::string output = real_output(shown.command);
      real += "$ " + shown.command + '\n' + output + page.texts[i + 1];
      INFO(file.string() << ": " << shown.command);
      if (!updating()) CHECK(shown.output == output);
    }
    if (updating()) std::ofstream(file) << real;
  }
}

TEST_CASE("Commands of the first page and the guide that show no output run as well", "[readme]") {
  static const std::regex command(R"((?:^    |`)(roofline [^`]+)(?:`|$))");
  const TemporaryFolder folder;  // for the files that they write
  run(folder, "ln -s '" + (source_directory / "configs").string() + "' '" +
                  (source_directory / "tests").string() + "' .");
  std::size_t commands = 0;
  for (const fs::path& page : {source_directory / "README.md", docs / "guide.md"})
    for (const std::string& line : lines_of(read_file(page.string())))
      for (std::sregex_iterator match(line.begin(), line.end(), command), end; match != end;
           ++match) {
        ++commands;
        const Outcome outcome = run(folder, (*match)[1]);
        INFO((*match)[1] << '\n' << outcome.err);
        CHECK(outcome.exit_code == 0);
      }
  CHECK(commands >= 20);
}

TEST_CASE("Links of pages lead to what is there", "[readme]") {
  static const std::regex link(R"(\]\(([^)#]*)(#[^)]*)?\))");
  std::size_t links = 0;
  for (const fs::path& file : pages()) {
    const std::string text = prose_of(read_file(file.string()));
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1];
      const std::string anchor = (*match)[2];
      if (target.find("://") != std::string::npos) continue;
      ++links;
      INFO(file.string() << " links to " << match->str());
      fs::path place = target.empty() ? file : file.parent_path() / target;
      CHECK(fs::exists(place));
      if (anchor.empty()) continue;
      if (fs::is_directory(place)) place /= "README.md";
      CHECK(anchors_of(read_file(place.string())).count(anchor) == 1);
    }
  }
  CHECK(links > 30);
}
