// A wrong file in a person's own GPU folder stops the runs that mean it and no others.

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

struct Home {
  Home() {
    folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
    broken = folder.write("config/roofline/gpus/broken.json", R"({"name": "Lab 77", )");
  }
  Outcome roofline(const std::string& arguments) const {
    return run(folder, "XDG_CONFIG_HOME=$PWD/config roofline " + arguments);
  }
  TemporaryFolder folder;
  std::string broken;
};

constexpr const char* reason = ":1:20: expected more JSON, got the end of the text";

}  // namespace

TEST_CASE("A run that does not mean the broken file warns once", "[cli/own_gpus]") {
  const Home home;
  const std::string warning = home.broken + reason + " (ignored: no GPU of this run)\n";
  for (const char* arguments : {"conv.json --gpu v100 --format csv",
                                "conv.json --gpu v100,a100,h100 --format csv", "--show-gpu t4"}) {
    INFO(arguments);
    const Outcome outcome = home.roofline(arguments);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == warning);
    CHECK_FALSE(outcome.out.empty());
  }
  const Outcome unknown = home.roofline("conv.json --gpu lab");
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == warning + "roofline: unknown GPU \"lab\" (--list-gpus lists all)\n");
}

TEST_CASE("A run that means the broken file, or lists all, stops", "[cli/own_gpus]") {
  const Home home;
  for (const char* arguments : {"conv.json --gpu broken", "conv.json --gpu v100,lab-77",
                                "--show-gpu 'LAB 77'", "--list-gpus", "--list-gpus --json",
                                "conv.json --gpu $PWD/config/roofline/gpus/broken.json"}) {
    INFO(arguments);
    const Outcome outcome = home.roofline(arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == home.broken + reason + "\n");
    CHECK(outcome.out == "");
  }
}

TEST_CASE("A run that needs no GPU does not look at the folder", "[cli/own_gpus]") {
  const Home home;
  for (const char* arguments : {"--list-networks", "--version", "--help"}) {
    INFO(arguments);
    const Outcome outcome = home.roofline(arguments);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
  }
}
