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
  for (const char* arguments :
       {"conv.json --gpu v100 --format csv", "conv.json --gpu v100,a100,h100 --format csv",
        "conv.json --gpu v100 --price v100=2 --price t4=1 --format csv", "gpus t4"}) {
    INFO(arguments);
    const Outcome outcome = home.roofline(arguments);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == warning);
    CHECK_FALSE(outcome.out.empty());
  }
  const Outcome unknown = home.roofline("conv.json --gpu lab");
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == warning + "roofline: unknown GPU \"lab\" (roofline gpus lists all)\n");
}

TEST_CASE("A run that means the broken file stops", "[cli/own_gpus]") {
  const Home home;
  for (const char* arguments :
       {"conv.json --gpu broken", "conv.json --gpu v100,broken", "gpus BROKEN",
        "conv.json --gpu $PWD/config/roofline/gpus/broken.json"}) {
    INFO(arguments);
    const Outcome outcome = home.roofline(arguments);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err == home.broken + reason + "\n");
    CHECK(outcome.out == "");
  }
}

TEST_CASE("A file of a built-in GPU's name takes its place under all of its names",
          "[cli/own_gpus]") {
  const TemporaryFolder folder;
  folder.write("config/roofline/gpus/mine.json",
               R"({"name": "Tesla T4", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2})");
  for (const char* name : {"t4", "'Tesla T4'"}) {
    const Outcome shown =
        run(folder, std::string("XDG_CONFIG_HOME=$PWD/config roofline gpus ") + name);
    CHECK(shown.out.find("2.000 GB/s") != std::string::npos);
  }
}

TEST_CASE("Two GPUs of one name are told apart by nothing", "[cli/own_gpus]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  for (const std::string file : {"a.json", "b.json"})
    folder.write(file, R"({"name": "X", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2})");
  const Outcome outcome = run(folder, "roofline conv.json --gpu a.json,b.json");
  CHECK(outcome.err ==
        "roofline: --gpu: expected GPUs of different names, got \"X\" of a.json and of b.json\n");
  CHECK(outcome.exit_code == 2);
  CHECK(run(folder, "roofline conv.json --gpu a.json --framework tensorrt")
            .err.find("TensorRT runs on NVIDIA's GPUs, and X states no vendor") !=
        std::string::npos);
}

TEST_CASE("The list says what it leaves out", "[cli/own_gpus]") {
  const Home home;
  home.folder.write("config/roofline/gpus/mine.json",
                    R"({"name": "Mine", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2})");
  const Outcome outcome = home.roofline("gpus");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == home.broken + reason + " (not listed)\n");
  CHECK(outcome.out.find("Mine") != outcome.out.npos);
  CHECK(outcome.out.find("Tesla T4") != outcome.out.npos);
}

TEST_CASE("What leads in a circle or never ends costs only itself", "[cli/own_gpus]") {
  const TemporaryFolder folder;
  const std::string gpus = folder.path() + "/config/roofline/gpus/";
  const std::string model = R"(, "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2,
                               "kernel_model": )";
  folder.write("config/roofline/gpus/self.json", R"({"name": "Self")" + model + "\"self.json\"}");
  folder.write("conv.json", conv);
  const std::string line = "XDG_CONFIG_HOME=$PWD/config timeout 10 roofline ";
  CHECK(run(folder,
            "mkfifo config/roofline/gpus/pipe.json; ln -s /dev/zero "
            "config/roofline/gpus/zero.json")
            .exit_code == 0);
  const std::string built_in =
      "cudnn7-gp100, cudnn7-kepler, cudnn7-maxwell, cudnn7-pascal, cudnn7-turing, cudnn7-volta, "
      "cudnn9-ada, "
      "cudnn9-ampere, cudnn9-blackwell, cudnn9-ga100, cudnn9-ga102, cudnn9-gb202, cudnn9-hopper, "
      "miopen-cdna-base, miopen-cdna, miopen-gcn, miopen-gfx11, miopen-gfx900, miopen-gfx908, "
      "miopen-gfx942, "
      "miopen-rdna or onednn-xe";
  struct Case {
    const char* name;
    std::string message;
  };
  const std::vector<Case> table{
      {"pipe", gpus + "pipe.json: expected a file, got a pipe or a device"},
      {"self", gpus + "self.json: /kernel_model: expected " + built_in + ", got \"self.json\""},
      {"zero", gpus + "zero.json: expected a file, got a pipe or a device"},
  };
  for (const Case& each : table) {
    INFO(each.name);
    const Outcome meant = run(folder, line + "conv.json --gpu " + each.name);
    CHECK(meant.exit_code == 1);
    CHECK(lines_of(meant.err).back() == each.message);
  }
  const Outcome other = run(folder, line + "conv.json --gpu v100 --format csv");
  CHECK(other.exit_code == 0);
  const Outcome list = run(folder, line + "gpus");
  CHECK(list.exit_code == 0);
  for (const Case& each : table) {
    CHECK(other.err.find(each.message + " (ignored: no GPU of this run)\n") != other.err.npos);
    CHECK(list.err.find(each.message + " (not listed)\n") != list.err.npos);
  }
  CHECK(lines_of(list.err).size() == 3);  // and two.json, which is no GPU
}

TEST_CASE("A run that needs no GPU does not look at the folder", "[cli/own_gpus]") {
  const Home home;
  for (const char* arguments : {"networks", "--version", "--help"}) {
    INFO(arguments);
    const Outcome outcome = home.roofline(arguments);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
  }
}
