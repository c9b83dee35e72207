// What stands in the files of -o and --to-layers afterwards, whatever stood there before and
// however the run ends. What is refused stands in the table of attacks.cpp.

#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/process.hpp"

namespace fs = std::filesystem;

namespace {

const std::string relu = R"({"name": "relu", "type": "relu", "input": [8]})";

/// An array of so many layers, all of the same name.
std::string many_layers(const std::string& name, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "" : ",") + (R"({"type": "relu", "input": [8], "name": ")" + name) + "\"}";
  return text + "]";
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status;
}

/// Names in a folder.
std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("A file keeps its mode, its links and its owner", "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  folder.write("deep/target.csv", "old");
  fs::create_symlink("target.csv", folder / "deep/link.csv");
  fs::create_symlink("deep/link.csv", folder / "x.csv");
  const std::string target = folder / "deep/target.csv";
  REQUIRE(chmod(target.c_str(), 0640) == 0);
  const bool root = geteuid() == 0;
  if (root) REQUIRE(chown(target.c_str(), 1234, 5678) == 0);
  const struct stat before = status_of(target);
  CHECK(run(folder, "umask 077; roofline a.json --gpu v100 -o x.csv -o new.csv").exit_code == 0);
  CHECK(fs::is_symlink(folder / "x.csv"));
  CHECK(fs::is_symlink(folder / "deep/link.csv"));
  CHECK(lines_of(read_file(target)).size() == 2);
  const struct stat after = status_of(target);
  CHECK(after.st_mode == before.st_mode);
  CHECK(after.st_uid == before.st_uid);
  CHECK(after.st_gid == before.st_gid);
  CHECK((status_of(folder / "new.csv").st_mode & 0777) == 0600);
}

TEST_CASE("A pipe is written directly, and a run that writes nothing waits for no reader",
          "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  const Outcome read = run(folder,
                           "mkfifo p.csv; roofline a.json --gpu v100 -o p.csv & sleep 0.3\n"
                           "cat p.csv; wait $!");
  CHECK(read.exit_code == 0);
  CHECK(read.err.empty());
  CHECK(lines_of(read.out).size() == 2);
  CHECK(run(folder, "timeout 10 roofline a.json --gpu none -o p.csv").exit_code == 2);
}

TEST_CASE("Runs at the same time leave one's whole output", "[cli/output_files]") {
  const TemporaryFolder folder;
  for (const char* name : {"1", "2", "3", "4"})
    folder.write(std::string(name) + ".json", many_layers(name, 1000));
  for (int round = 0; round < 3; ++round) {
    run(folder, "for i in 1 2 3 4; do roofline $i.json --gpu v100 -o out.json & done; wait");
    const nlohmann::json out = nlohmann::json::parse(read_file(folder / "out.json"));
    const nlohmann::json& layers = out.at("results").at(0).at("layers");
    std::set<char> runs;
    for (const nlohmann::json& layer : layers)
      runs.insert(layer.at("name").get<std::string>().front());
    CHECK(layers.size() == 1000);
    CHECK(runs.size() == 1);
  }
  CHECK(names_in(folder.path()).size() == 5);
}

TEST_CASE("What the process has open is written to, and nothing takes its place",
          "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  struct Case {
    const char* target;
    const char* redirection;
  };
  const Case table[] = {
      {"/dev/stdout", ">>log"},       {"/dev/fd/1", ">>log"},     {"/proc/self/fd/1", ">>log"},
      {"/dev/stderr", "2>>log"},      {"/dev/fd/7", "7>>log"},    {"log", ">>log"},
      {"/dev/stdout", "| cat >>log"}, {"/proc/$beside/fd/1", ""},
  };
  for (const auto& [target, redirection] : table) {
    INFO(target << ' ' << redirection);
    folder.write("log", "old\n");
    const Outcome outcome =
        run(folder,
            "sleep 60 >>log & beside=$!\n"
            "until [ /proc/$beside/fd/1 -ef log ]; do sleep 0.01; done\n"
            "ln -sf " +
                std::string(target) + " x.csv; roofline a.json --gpu v100 -o x.csv " + redirection +
                "; code=$?; kill $beside; exit $code");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    const std::vector<std::string> log = lines_of(read_file(folder / "log"));
    CHECK(log.size() == 3);
    CHECK(log.front() == "old");
    CHECK(names_in(folder.path()) == std::set<std::string>{"a.json", "log", "x.csv"});
  }
}

TEST_CASE("A signal in the middle of writing leaves the old file and nothing else",
          "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("out.ndjson", "old");
  folder.write("line", relu + "\n");
  // The run has written a line and waits for the next. A shell lets what it runs beside itself
  // ignore INT and QUIT. 40 is one of a program's own.
  for (const char* signal : {"TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "XCPU", "VTALRM",
                             "PROF", "ABRT", "IO", "PWR", "40"}) {
    INFO(signal);
    const Outcome outcome =
        run(folder,
            "mkfifo lines\n"
            "env --default-signal roofline - --gpu v100 -o out.ndjson <lines & run=$!\n"
            "exec 3>lines; cat line >&3\n"
            "for i in $(seq 1000); do [ -s .roofline-* ] && break; sleep 0.01; done\n"
            "rm lines; [ -s .roofline-* ] || echo nothing is written\n"
            "kill -" +
                std::string(signal) + " $run; wait $run");
    CHECK(outcome.out == "");
    CHECK(outcome.exit_code > 128);
    CHECK(read_file(folder / "out.ndjson") == "old");
    CHECK(names_in(folder.path()) == std::set<std::string>{"line", "out.ndjson"});
  }
}

TEST_CASE("A .png is the picture through rsvg-convert", "[cli/output_files]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "bin");
  folder.write("bin/rsvg-convert", "#!/bin/sh\necho converted \"$@\"\nhead -c 4\n");
  run(folder, "chmod +x bin/rsvg-convert");
  const std::string line = "roofline lenet5 --gpu v100 -o x.png -o y.pdf";
  const Outcome outcome = run(folder, "PATH=$PWD/bin:$PATH " + line);
  CHECK(outcome.err == "");
  CHECK(outcome.exit_code == 0);
  CHECK(read_file(folder / "x.png") == "converted --format=png\n<svg");
  CHECK(read_file(folder / "y.pdf") == "converted --format=pdf\n<svg");

  folder.write("bin/rsvg-convert", "#!/bin/sh\nexit 1\n");
  const Outcome failed = run(folder, "PATH=$PWD/bin:$PATH " + line);
  CHECK(failed.err == "roofline: cannot write x.png: rsvg-convert failed\n");
  CHECK(failed.exit_code == 1);
  CHECK(read_file(folder / "x.png") == "converted --format=png\n<svg");  // the old file
}

TEST_CASE("A .png without rsvg-convert is an error before the run", "[cli/output_files]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(
      folder, "program=$(command -v roofline); PATH=/nowhere $program lenet5 --gpu v100 -o x.png");
  CHECK(outcome.err ==
        "roofline: -o x.png: expected the program rsvg-convert, which makes .png and .pdf of a "
        "picture, got none on the PATH: install it, or write a .svg\n");
  CHECK(outcome.exit_code == 2);
}
