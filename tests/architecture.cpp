// The stages include forwards only, and each outside library stays in its place.

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/process.hpp"

namespace fs = std::filesystem;

namespace {

struct Include {
  std::string file;  ///< path from the source folder, "src/load/csv.cpp"
  std::string header;
};

std::vector<std::string> source_files(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders)
    for (const auto& entry :
         fs::recursive_directory_iterator(ROOFLINE_SOURCE_FOLDER "/" + folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".cpp" || extension == ".hpp")
        files.push_back(fs::relative(entry.path(), ROOFLINE_SOURCE_FOLDER).string());
    }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& file) {
  return read_file(ROOFLINE_SOURCE_FOLDER "/" + file);
}

std::vector<Include> includes_under(const std::vector<std::string>& folders) {
  static const std::regex pattern(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Include> includes;
  for (const std::string& file : source_files(folders))
    for (const std::string& line : lines_of(text_of(file))) {
      std::smatch match;
      if (std::regex_search(line, match, pattern)) includes.push_back({file, match[1]});
    }
  REQUIRE(!includes.empty());
  return includes;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.rfind(prefix, 0) == 0; });
}

/// <vector>, not <vector.h> or <CLI/CLI.hpp>.
bool is_standard(const std::string& header) {
  return header.find_first_of("./") == std::string::npos;
}

}  // namespace

TEST_CASE("The model and the public headers need only the standard library", "[architecture]") {
  for (const Include& include : includes_under({"include"})) {
    INFO(include.file << " includes " << include.header);
    CHECK((is_standard(include.header) || starts_with_any(include.header, {"roofline/"})));
  }
  for (const Include& include : includes_under({"src/model", "src/kernel", "src/results"})) {
    INFO(include.file << " includes " << include.header);
    CHECK((is_standard(include.header) ||
           starts_with_any(include.header, {"roofline/", "model/", "kernel/", "results/"})));
  }
}

TEST_CASE("One header includes all of the library", "[architecture]") {
  std::vector<std::string> expected;
  for (const std::string& file : source_files({"include"}))
    if (file != "include/roofline/roofline.hpp") expected.push_back(file);
  std::vector<std::string> included;
  for (const Include& include : includes_under({"include"}))
    if (include.file == "include/roofline/roofline.hpp")
      included.push_back("include/" + include.header);
  CHECK(included == expected);
}

TEST_CASE("Every header of the source is included", "[architecture]") {
  std::set<std::string> included;
  for (const Include& include : includes_under({"src"})) included.insert("src/" + include.header);
  for (const std::string& file : source_files({"src"}))
    if (file.ends_with(".hpp")) {
      INFO(file);
      CHECK(included.contains(file));
    }
}

TEST_CASE("The model does no input or output", "[architecture]") {
  for (const Include& include :
       includes_under({"src/model", "src/kernel", "src/results", "include"})) {
    INFO(include.file << " includes " << include.header);
    CHECK_FALSE(starts_with_any(include.header, {"iostream", "fstream", "cstdio", "filesystem"}));
  }
}

TEST_CASE("Outside libraries stay in their stages", "[architecture]") {
  struct Place {
    std::string library;
    std::vector<std::string> folders;
  };
  const std::vector<Place> places{
      {"CLI/", {"src/cli/"}},
      {"nlohmann/", {"src/embed/", "src/load/", "src/report/"}},
      {"fmt/",
       {"src/load/", "src/onnx/", "src/pytorch/", "src/profilers/", "src/report/", "src/cli/"}}};
  for (const Include& include : includes_under({"src", "include"}))
    for (const Place& place : places) {
      if (!starts_with_any(include.header, {place.library})) continue;
      INFO(include.file << " includes " << include.header);
      CHECK(starts_with_any(include.file, place.folders));
    }
}

namespace {

/// A room of the source, the public headers that are its contract, and the rooms that it may
/// include, with their headers.
struct Stage {
  std::string room;
  std::vector<std::string> headers;
  std::vector<std::string> uses;
};

const std::vector<Stage> stages{
    {"model",
     {"error", "enumeration", "data_type", "layer_kind", "layer", "spec", "network", "gpu",
      "recording", "roofline_point"},
     {}},
    {"kernel", {"accuracy", "kernel", "context"}, {"model"}},
    {"results",
     {"analysis", "explanation", "gate", "report", "settings_table"},
     {"model", "kernel"}},
    {"load", {"load", "catalogue"}, {"model", "kernel"}},
    {"embed", {}, {"model", "kernel", "load"}},  // programs of the build
    {"layers", {}, {"model", "load"}},
    {"pytorch", {}, {"model", "load", "layers"}},
    {"onnx", {}, {"model", "load", "layers", "pytorch"}},  // a model may state a PyTorch program
    {"profilers", {}, {"model", "load", "layers"}},
    {"input", {}, {"model", "load", "pytorch", "onnx", "profilers"}},
    {"report", {"render"}, {"model", "kernel", "results"}}};

/// The stage that a header, "kernel/formula.hpp" or "roofline/kernel.hpp", belongs to; empty for
/// those that are not ours.
std::string stage_of(const std::string& header) {
  for (const Stage& stage : stages) {
    if (header.starts_with(stage.room + "/")) return stage.room;
    for (const std::string& name : stage.headers)
      if (header == "roofline/" + name + ".hpp") return stage.room;
  }
  return header.starts_with("cli/") || header.starts_with("roofline/") ? header : "";
}

}  // namespace

TEST_CASE("Dependencies never point back along the pipeline", "[architecture]") {
  for (const Stage& stage : stages) {
    std::vector<Include> includes = includes_under({"src/" + stage.room});
    for (const Include& include : includes_under({"include"}))
      if (stage_of(include.file.substr(std::string("include/").size())) == stage.room)
        includes.push_back(include);
    for (const Include& include : includes) {
      const std::string other = stage_of(include.header);
      if (other.empty() || other == stage.room) continue;
      // What runs a network is asked of the context that it runs in.
      if (include.file == "src/model/as_run.hpp" && include.header == "roofline/context.hpp")
        continue;
      INFO(include.file << " includes " << include.header);
      CHECK(std::find(stage.uses.begin(), stage.uses.end(), other) != stage.uses.end());
    }
  }
}

TEST_CASE("Each public header belongs to a stage", "[architecture]") {
  for (const std::string& file : source_files({"include"}))
    if (file != "include/roofline/roofline.hpp") {
      INFO(file);
      CHECK_FALSE(stage_of(file.substr(std::string("include/").size())).starts_with("roofline/"));
    }
}

TEST_CASE("main stays small", "[architecture]") {
  CHECK(lines_of(text_of("src/main.cpp")).size() < 60);
}

TEST_CASE("Nothing but main ends the program", "[architecture]") {
  static const std::regex pattern(R"(\b(exit|abort|_Exit|quick_exit|terminate)\s*\()");
  for (const std::string& file : source_files({"src", "include"})) {
    INFO(file);
    CHECK_FALSE(std::regex_search(text_of(file), pattern));
  }
}
