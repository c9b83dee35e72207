// The stages include forwards only, and each outside library stays in its place.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// The source is scanned by hand: std::regex takes a minute for it under sanitizers.

constexpr std::string_view blanks = " \t\r\n";

/// Takes blanks off the beginning, then the word, if the text then begins with it.
bool takes_word(std::string_view& text, std::string_view word) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const bool is_there = text.starts_with(word);
  if (is_there) text.remove_prefix(word.size());
  return is_there;
}

/// The header of an #include.
std::optional<std::string> header_in(std::string_view line) {
  if (!takes_word(line, "#") || !takes_word(line, "include")) return std::nullopt;
  if (!takes_word(line, "<") && !takes_word(line, "\"")) return std::nullopt;
  const std::size_t end = line.find_first_of(">\"");
  if (end == 0 || end == line.npos) return std::nullopt;
  return std::string(line.substr(0, end));
}

/// In a name of C++.
bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether the function, or a member of this name, is called.
bool calls(std::string_view text, std::string_view function) {
  for (std::size_t at = text.find(function); at != text.npos; at = text.find(function, at + 1)) {
    std::string_view rest = text.substr(at + function.size());
    if ((at == 0 || !is_of_name(text[at - 1])) && takes_word(rest, "(")) return true;
  }
  return false;
}

std::vector<Include> includes_under(const std::vector<std::string>& folders) {
  std::vector<Include> includes;
  for (const std::string& file : source_files(folders))
    for (const std::string& line : lines_of(text_of(file)))
      if (const auto header = header_in(line)) includes.push_back({file, *header});
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
  const std::vector<Place> places{{"CLI/", {"src/cli/", "src/calibrate/"}},
                                  {"nlohmann/", {"src/embed/", "src/load/", "src/report/"}},
                                  {"fmt/",
                                   {"src/load/", "src/onnx/", "src/pytorch/", "src/profilers/",
                                    "src/report/", "src/cli/", "src/calibrate/"}}};
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
     {"error", "enumeration", "data_type", "layer_kind", "layer", "library", "spec", "network",
      "gpu", "roofline_point"},
     {}},
    {"kernel", {"accuracy", "kernel", "context"}, {"model"}},
    {"results", {"analysis", "report", "settings_table"}, {"model", "kernel"}},
    {"load", {"load", "catalogue"}, {"model", "kernel"}},
    {"embed", {}, {"model", "kernel", "load"}},  // programs of the build
    {"operators", {}, {"model", "load"}},
    {"pytorch", {}, {"model", "load", "operators"}},
    // A model that PyTorch runs is read as its program.
    {"onnx", {}, {"model", "load", "operators", "pytorch"}},
    {"profilers", {}, {"model", "load", "operators"}},
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
  // Programs use all stages, and no stage uses them.
  return starts_with_any(header, {"cli/", "calibrate/", "roofline/"}) ? header : "";
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

TEST_CASE("The program does without the one that calibrates", "[architecture]") {
  for (const Include& include : includes_under({"src/cli"})) {
    INFO(include.file << " includes " << include.header);
    CHECK_FALSE(include.header.starts_with("calibrate/"));
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
  for (const std::string& file : source_files({"src", "include"})) {
    const std::string text = text_of(file);
    for (const char* function : {"exit", "abort", "_Exit", "quick_exit", "terminate"}) {
      INFO(file << " calls " << function);
      CHECK_FALSE(calls(text, function));
    }
  }
}

namespace {

/// The pages: README.md of each room, and the documentation.
std::vector<std::string> pages() {
  std::vector<std::string> all{"README.md"};
  for (const char* folder : {"src", "tests", "configs"})
    for (const auto& entry :
         fs::recursive_directory_iterator(std::string(ROOFLINE_SOURCE_FOLDER "/") + folder)) {
      const std::string file = fs::relative(entry.path(), ROOFLINE_SOURCE_FOLDER).string();
      if (file.ends_with("README.md") || (file.starts_with("src/docs/") && file.ends_with(".md")))
        all.push_back(file);
    }
  return all;
}

/// A page without its blocks of code, which hold the reader's paths, too.
std::string prose_of(const std::string& page) {
  std::string text;
  bool in_block = false;
  for (const std::string& line : lines_of(text_of(page)))
    if (line.starts_with("```"))
      in_block = !in_block;
    else if (!in_block)
      text += line + '\n';
  return text;
}

/// The files that a page links to: "csv.md" of "[CSV](csv.md#columns)"; other pages' have a colon.
std::vector<std::string> links_in(std::string_view text) {
  constexpr std::string_view begin = "](";
  std::vector<std::string> all;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const std::string_view target = text.substr(at + begin.size());
    const std::size_t end = target.find_first_of(")#:");
    if (end != 0 && end != target.npos && target[end] != ':')
      all.emplace_back(target.substr(0, end));
  }
  return all;
}

/// Letters of paths.
bool is_of_path(char c) { return is_of_name(c) || c == '.' || c == '/' || c == '-'; }

/// Words between backticks that may be paths.
std::vector<std::string> words_in_ticks(std::string_view text) {
  std::vector<std::string> all;
  for (std::size_t at = text.find('`'); at != text.npos; at = text.find('`', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_of_path(text[end])) ++end;
    if (end == at + 1 || end == text.size() || text[end] != '`') continue;
    all.emplace_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  return all;
}

/// A path may leave out the extension of a .cpp and its .hpp.
bool is_there(const fs::path& path) {
  return fs::exists(path) || fs::exists(path.string() + ".cpp") ||
         fs::exists(path.string() + ".hpp");
}

/// Whether a word in a page is meant as a path of ours: it begins with a folder of ours, or is the
/// name of a source file.
bool is_path(const std::string& word) {
  if (word.find('/') == std::string::npos) {
    for (const std::string_view end : {".cpp", ".hpp", ".cmake", ".py"})
      if (word.size() > end.size() && word.ends_with(end)) return true;
    return false;
  }
  const std::string first = word.substr(0, word.find('/'));
  for (const char* folder : {"", "src", "tests", "include"})
    if (fs::is_directory(fs::path(ROOFLINE_SOURCE_FOLDER) / folder / first))
      return first != "build";
  return false;
}

/// Stated from the source folder, a folder of sources or the page's own; a bare name may stand in
/// any folder below the page's.
bool is_found(const std::string& word, const fs::path& page_folder) {
  const fs::path root = ROOFLINE_SOURCE_FOLDER;
  for (const fs::path& folder : {page_folder, root, root / "src", root / "tests", root / "include"})
    if (is_there(folder / word)) return true;
  if (page_folder == root) return false;
  for (const auto& entry : fs::recursive_directory_iterator(page_folder))
    if (entry.path().filename() == word) return true;
  return false;
}

}  // namespace

TEST_CASE("Each path that a page names exists", "[architecture]") {
  std::size_t paths = 0;
  for (const std::string& page : pages()) {
    const fs::path folder = (fs::path(ROOFLINE_SOURCE_FOLDER) / page).parent_path();
    const std::string prose = prose_of(page);
    for (const std::string& target : links_in(prose)) {
      INFO(page << " links to " << target);
      CHECK(fs::exists(folder / target));
      ++paths;
    }
    for (const std::string& word : words_in_ticks(prose)) {
      if (!is_path(word)) continue;
      INFO(page << " names " << word);
      CHECK(is_found(word, folder));
      ++paths;
    }
  }
  CHECK(paths > 300);
}

TEST_CASE("Lines fit into 100 columns, and into 120 where columns are compared", "[architecture]") {
  for (const std::string& file : source_files({"src", "include"})) {
    bool is_table = false;
    std::size_t number = 0;
    for (const std::string& line : lines_of(text_of(file))) {
      ++number;
      if (line.ends_with("// clang-format off")) is_table = true;
      if (line.ends_with("// clang-format on")) is_table = false;
      // A character of UTF-8 is one column.
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      });
      if (columns <= 100) continue;
      INFO(file << ':' << number << " has " << columns << " columns");
      CHECK((is_table && columns <= 120));
    }
  }
}

namespace {

struct StandardHeader {
  std::string header;
  std::vector<std::string> names;  ///< as code writes them after std::
};

/// Names that belong to one header; those of several headers are left out.
const std::vector<StandardHeader> standard_headers{
    {"algorithm",
     {"max",
      "min",
      "clamp",
      "ranges::sort",
      "ranges::stable_sort",
      "ranges::find",
      "ranges::find_if",
      "ranges::any_of",
      "ranges::all_of",
      "ranges::none_of",
      "ranges::max_element",
      "ranges::min_element",
      "ranges::count_if",
      "ranges::copy",
      "ranges::equal",
      "ranges::upper_bound",
      "ranges::lower_bound",
      "ranges::replace",
      "ranges::reverse",
      "ranges::transform"}},
    {"array", {"array", "to_array"}},
    {"atomic", {"atomic"}},
    {"charconv", {"from_chars", "to_chars"}},
    {"chrono", {"chrono"}},
    {"cmath", {"isfinite", "isinf", "ceil", "floor", "sqrt", "pow", "log", "exp", "round"}},
    {"cstddef", {"size_t", "ptrdiff_t"}},
    {"cstdint", {"uint64_t", "uint32_t", "uint16_t", "uint8_t", "int64_t", "int32_t"}},
    {"deque", {"deque"}},
    {"filesystem", {"filesystem"}},
    {"functional", {"function", "invoke"}},
    {"iterator", {"back_inserter", "make_move_iterator"}},
    {"limits", {"numeric_limits"}},
    {"map", {"map", "multimap"}},
    {"memory", {"shared_ptr", "unique_ptr", "make_shared", "make_unique"}},
    {"mutex", {"mutex", "lock_guard", "unique_lock", "scoped_lock"}},
    {"numeric", {"accumulate", "gcd", "lcm", "iota"}},
    {"optional", {"optional", "nullopt"}},
    {"set", {"set", "multiset"}},
    {"span", {"span"}},
    {"string", {"string", "to_string", "getline"}},
    {"string_view", {"string_view"}},
    {"thread", {"thread", "jthread"}},
    {"tuple", {"tuple", "make_tuple"}},
    {"unordered_map", {"unordered_map"}},
    {"unordered_set", {"unordered_set"}},
    {"utility", {"move", "exchange", "pair", "forward", "index_sequence"}},
    {"variant", {"variant", "visit", "get_if", "holds_alternative"}},
    {"vector", {"vector"}}};

/// Without comments and texts in quotes.
std::string code_of(const std::string& file) {
  std::string code;
  for (const std::string& line : lines_of(text_of(file))) {
    bool in_quotes = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (!in_quotes && line.compare(i, 2, "//") == 0) break;
      if (line[i] == '"' && (i == 0 || (line[i - 1] != '\\' && line[i - 1] != '\''))) {
        in_quotes = !in_quotes;
      } else if (in_quotes && line[i] == '\\') {
        ++i;
      } else if (!in_quotes) {
        code += line[i];
      }
    }
    code += '\n';
  }
  return code;
}

/// The names that follow std::, those of std::ranges with their namespace.
std::set<std::string> standard_names(const std::string& code) {
  std::set<std::string> names;
  for (std::size_t at = code.find("std::"); at != std::string::npos; at = code.find("std::", at)) {
    at += 5;
    std::size_t end = code.compare(at, 8, "ranges::") == 0 ? at + 8 : at;
    while (end < code.size() && is_of_name(code[end])) ++end;
    names.insert(code.substr(at, end - at));
  }
  return names;
}

}  // namespace

TEST_CASE("Each file includes the standard headers that it uses", "[architecture]") {
  std::map<std::string, std::set<std::string>> included;
  for (const Include& include : includes_under({"src", "include"}))
    included[include.file].insert(include.header);
  for (const std::string& file : source_files({"src", "include"})) {
    std::set<std::string> headers = included[file];
    // A source file's own header is a part of it: "load/csv.hpp" or "roofline/load.hpp".
    for (const std::string& header : included[file])
      if (file.ends_with(".cpp") && fs::path(header).stem() == fs::path(file).stem())
        for (const char* folder : {"src/", "include/"})
          if (const auto own = included.find(folder + header); own != included.end())
            headers.insert(own->second.begin(), own->second.end());
    const std::set<std::string> used = standard_names(code_of(file));
    for (const StandardHeader& each : standard_headers)
      for (const std::string& name : each.names) {
        if (!used.contains(name)) continue;
        INFO(file << " uses std::" << name);
        CHECK(headers.contains(each.header));
      }
  }
}

TEST_CASE("Comments and the constants' meanings begin with their subject", "[architecture]") {
  for (const std::string& file : source_files({"src", "include", "tests"}))
    for (const std::string& line : lines_of(text_of(file))) {
      const std::size_t begin = line.find_first_not_of(" /");
      if (begin == std::string::npos || line.compare(begin, 3, "Of ") != 0) continue;
      INFO(file << ": " << line);
      CHECK(line.find("//") > begin);
    }
  // A message shows the meaning of one constant, without the row above it.
  const std::string schema = text_of("configs/schemas/kernel_model.json");
  for (const char* beginning : {"the same ", "likewise ", "more "}) {
    INFO(beginning);
    CHECK(schema.find(std::string("\"description\": \"") + beginning) == std::string::npos);
  }
}
