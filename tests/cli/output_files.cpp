// What stands in the files of -o and --to-layers afterwards, whatever stood there before and
// however the run ends.

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

TEST_CASE("A file to write is none that is read or written besides", "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  folder.write("d/b.json", relu);
  folder.write("times.csv", "name,measured_us\nrelu,2\n");
  folder.write("gpu.json", R"({"name": "Mine", "peak_tflops": {"fp32": 1},
                               "bandwidth_gb_per_s": 2})");
  fs::create_symlink("a.json", folder / "link.json");
  fs::create_hard_link(folder / "a.json", folder / "hard.json");
  fs::create_symlink("new.csv", folder / "dangling.csv");
  fs::create_symlink("../outside.json", folder / "d/outside.json");
  folder.write("outside.json", relu);
  const std::set<std::string> before = names_in(folder.path());
  struct Case {
    std::string line;
    std::string message;
  };
  const std::vector<Case> table{
      {"roofline a.json --gpu v100 -o a.json",
       "-o a.json: expected another file than the input a.json"},
      {"roofline a.json --gpu v100 -o link.json",
       "-o link.json: expected another file than the input a.json"},
      {"roofline hard.json --gpu v100 -o ./a.json",
       "-o ./a.json: expected another file than the input hard.json"},
      {"roofline a.json --to-layers a.json",
       "--to-layers a.json: expected another file than the input a.json"},
      {"roofline - --gpu v100 -o a.json <a.json",
       "-o a.json: expected another file than standard input"},
      {"roofline a.json --gpu v100 --json >>a.json",
       "standard output: expected another file than the input a.json"},
      {"roofline a.json --gpu ./gpu.json -o gpu.json",
       "-o gpu.json: expected another file than --gpu ./gpu.json"},
      {"roofline a.json --gpu v100 --measured times.csv -o times.csv",
       "-o times.csv: expected another file than --measured times.csv"},
      {"roofline a.json --gpu v100 --kernel-model gpu.json -o gpu.json",
       "-o gpu.json: expected another file than --kernel-model gpu.json"},
      {"roofline calibrate a.json --gpu ./gpu.json -o gpu.json",
       "-o gpu.json: expected another file than --gpu ./gpu.json"},
      {"roofline d --gpu v100 -o outside.json",
       "-o outside.json: expected another file than the input d/outside.json"},
      {"roofline d --gpu v100 -o d/new.json",
       "-o d/new.json: expected a file that the input d does not hold"},
      {"roofline d --gpu v100 -o d/deep/../new.csv",
       "-o d/deep/../new.csv: expected a file that the input d does not hold"},
      {"roofline a.json --gpu v100 -o new.csv -o ./new.csv",
       "-o ./new.csv: expected another file than -o new.csv"},
      {"roofline a.json --gpu v100 -o new.csv -o dangling.csv",
       "-o dangling.csv: expected another file than -o new.csv"},
      {"roofline a.json --gpu v100 -o new.json --to-layers new.json",
       "--to-layers new.json: expected another file than -o new.json"},
      {"roofline a.json --gpu v100 -o times.csv --format csv >>times.csv",
       "-o times.csv: expected another file than standard output"},
  };
  for (const Case& each : table) {
    INFO(each.line);
    const Outcome outcome = run(folder, each.line);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == "roofline: " + each.message + "\n");
    CHECK(read_file(folder / "a.json") == relu);
    CHECK(names_in(folder.path()) == before);
  }
  // Files that others name are known once these are read.
  run(folder, "roofline --show-model v100 --json >model.json; ln model.json same.json");
  folder.write("nested.json", R"({"name": "Nested", "peak_tflops": {"fp32": 10}, "sm_count": 40,
                                  "bandwidth_gb_per_s": 2, "architecture": "volta",
                                  "boost_clock_mhz": 1000, "l2_mib": 4,
                                  "kernel_model": "model.json"})");
  const std::string model = read_file(folder / "model.json");
  for (const char* output : {"model.json", "same.json"}) {
    const Outcome outcome =
        run(folder, std::string("roofline a.json --gpu ./nested.json -o ") + output);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == std::string("roofline: -o ") + output +
                             ": expected another file than ./model.json, which this run reads\n");
    CHECK(read_file(folder / "model.json") == model);
  }
  // A folder's chart is no input of it, and what a person looks at may be both ends.
  CHECK(run(folder, "roofline d --gpu v100 -o d/chart.svg").exit_code == 0);
  CHECK(run(folder,
            "ln -s /dev/null n.csv; ln -s /dev/null m.csv\n"
            "roofline a.json --gpu v100 -o n.csv -o m.csv --format csv >/dev/null")
            .exit_code == 0);
}

TEST_CASE("What has a name like that of the output is left alone", "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  folder.write("precious", "precious");
  fs::create_symlink("precious", folder / "x.csv.part");
  CHECK(run(folder, "roofline a.json --gpu v100 -o x.csv").exit_code == 0);
  CHECK(read_file(folder / "precious") == "precious");
  CHECK(fs::is_symlink(folder / "x.csv.part"));
}

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

TEST_CASE("A name may be as long as names can be", "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  const std::string name = std::string(251, 'n') + ".csv";
  CHECK(run(folder, "roofline a.json --gpu v100 -o " + name).exit_code == 0);
  CHECK(lines_of(read_file(folder / name)).size() == 2);
  const Outcome longer = run(folder, "roofline a.json --gpu v100 -o n" + name);
  CHECK(longer.exit_code == 1);
  CHECK(longer.err == "roofline: cannot write n" + name + ": File name too long\n");
}

TEST_CASE("What cannot be written is said before the work, and the old file stays",
          "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  folder.write("old.json", "old");
  fs::create_directory(folder / "folder.json");
  struct Case {
    std::string line;
    std::string message;
  };
  const std::vector<Case> table{
      {"roofline a.json --gpu v100 -o folder.json", "cannot write folder.json: Is a directory"},
      {"roofline a.json --gpu v100 -o none/x.json",
       "cannot write none/x.json: No such file or directory"},
      {"roofline a.json --gpu none -o old.json", "unknown GPU \"none\" (--list-gpus lists all)"},
  };
  for (const Case& each : table) {
    INFO(each.line);
    const Outcome outcome = run(folder, each.line);
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.err == "roofline: " + each.message + "\n");
    CHECK(names_in(folder.path()) == std::set<std::string>{"a.json", "folder.json", "old.json"});
    CHECK(read_file(folder / "old.json") == "old");
  }
}

TEST_CASE("Where nothing could be evaluated, the old output stays", "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("bad.json", "{}");
  folder.write("old.json", "old");
  const std::string kept = "roofline: nothing could be evaluated: old.json stays as it was\n";
  const Outcome outcome = run(folder, "roofline bad.json --gpu v100 -o old.json -o new.csv");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == run(folder, "roofline bad.json --gpu v100 --json").err + kept);
  const Outcome layers = run(folder, "roofline bad.json --to-layers old.json");
  CHECK(layers.exit_code == 1);
  CHECK(lines_of(layers.err).back() ==
        "roofline: nothing could be evaluated: old.json stays as it was");
  CHECK(read_file(folder / "old.json") == "old");
  CHECK(lines_of(read_file(folder / "new.csv")).size() == 1);
}

TEST_CASE("A pipe is written directly, and a run that writes nothing waits for no reader",
          "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("a.json", relu);
  const Outcome read = run(folder,
                           "mkfifo p.csv; roofline a.json --gpu v100 -o p.csv & sleep 0.3\n"
                           "cat p.csv; wait $!");
  CHECK(read.exit_code == 0);
  CHECK(read.err == "roofline: waiting for a reader of the pipe p.csv\n");
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

TEST_CASE("A signal in the middle of writing leaves the old file and nothing else",
          "[cli/output_files]") {
  const TemporaryFolder folder;
  folder.write("many.json", many_layers("relu", 10000));
  folder.write("out.json", "old");
  for (const char* signal : {"TERM", "HUP"}) {
    INFO(signal);
    const Outcome outcome = run(folder, R"(roofline many.json --gpu v100 -o out.json & run=$!
        until ls -l /proc/$run/fd 2>/dev/null | grep -q deleted || ls .roofline-* 2>/dev/null ||
              ! kill -0 $run; do :; done
        kill -)" + std::string(signal) + " $run; wait $run");
    CHECK(outcome.exit_code > 128);
    CHECK(read_file(folder / "out.json") == "old");
    CHECK(names_in(folder.path()) == std::set<std::string>{"many.json", "out.json"});
  }
}
