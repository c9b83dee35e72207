// GPUs and networks by name, alias, path and from the user's own folder.

#include "roofline/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "load/embedded.hpp"
#include "load/loading.hpp"
#include "model/recording.hpp"
#include "temporary_folder.hpp"

using namespace roofline;

namespace {

/// A configuration folder of its own for one test.
class ConfigHome {
 public:
  ConfigHome() {
    const char* before = std::getenv("XDG_CONFIG_HOME");
    before_ = before == nullptr ? "" : before;
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
  }
  ~ConfigHome() { setenv("XDG_CONFIG_HOME", before_.c_str(), 1); }
  ConfigHome(const ConfigHome&) = delete;
  ConfigHome& operator=(const ConfigHome&) = delete;

  /// A file of the folder; the folder itself is a file where it has no name.
  std::string add_gpu(const std::string& file, const std::string& text) const {
    return folder_.write(file.empty() ? "roofline/gpus" : "roofline/gpus/" + file, text);
  }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

constexpr const char* own_v100 =
    R"({"name": "My V100", "aliases": ["lab v100", "mine"], "peak_tflops": {"fp32": 1},
        "bandwidth_gb_per_s": 2})";

}  // namespace

TEST_CASE("A GPU by name or alias in any case", "[load/catalogue]") {
  for (const char* name :
       {"v100", "V100", "v100-SXM2", "Tesla V100 SXM2 16GB", "tesla v100 sxm2 16gb"}) {
    INFO(name);
    CHECK(find_gpu(name).value().name == "Tesla V100 SXM2 16GB");
  }
  CHECK(find_gpu("a100").value().name == "A100 SXM4 80GB");
  CHECK(find_gpu("h100").value().name == "H100 SXM5 80GB");
}

TEST_CASE("Every alias that people type leads to a part", "[load/catalogue]") {
  for (const char* name : {"v100",      "p100",      "t4",       "a100",           "a100-80gb-pcie",
                           "h100",      "h100-pcie", "h200",     "b200",           "rtx4090",
                           "gtx1080ti", "titan-v",   "titan-xp", "titan-x-pascal", "gtx-titan-x",
                           "m40",       "k80",       "mi25",     "mi250x",         "mi300x"}) {
    INFO(name);
    CHECK_NOTHROW(find_gpu(name).value());
  }
}

TEST_CASE("A GPU by the path of a file", "[load/catalogue]") {
  const TemporaryFolder folder;
  const Gpu gpu = find_gpu(folder.write("x.json", own_v100)).value();
  CHECK(gpu.name == "My V100");
  CHECK(*rate_of(gpu.peak_flop_per_s, Engine::fp32) == Approx(1e12));
  CHECK(gpu.bandwidth_byte_per_s == Approx(2e9));
  CHECK_FALSE(gpu.sm_count);
  CHECK_FALSE(rate_of(gpu.peak_flop_per_s, Engine::fp64));
}

TEST_CASE("A person's own files join the catalogue", "[load/catalogue]") {
  const ConfigHome home;
  home.add_gpu("mine.json", own_v100);
  home.add_gpu("notes.txt", "not a GPU");
  CHECK(find_gpu("Lab V100").value().name == "My V100");
  CHECK(find_gpu("MINE").value().name == "My V100");
  CHECK(find_gpu("v100-sxm2").value().name == "Tesla V100 SXM2 16GB");
  const std::vector<Gpu> all = all_gpus();
  CHECK(all.size() == embedded_gpus().size() + 1);
  CHECK(std::any_of(all.begin(), all.end(), [](const Gpu& gpu) { return gpu.name == "My V100"; }));
}

TEST_CASE("A file of the same name replaces ours in the list", "[load/catalogue]") {
  const ConfigHome home;
  home.add_gpu("t4.json",
               R"({"name": "Tesla T4", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2})");
  const std::vector<Gpu> all = all_gpus();
  CHECK(all.size() == embedded_gpus().size());
  CHECK(find_gpu("tesla t4").value().bandwidth_byte_per_s == Approx(2e9));
}

TEST_CASE("A file of one's own with a name that means something else is refused",
          "[load/catalogue]") {
  const ConfigHome home;
  const std::string a =
      home.add_gpu("a.json", R"({"name": "My V100", "aliases": ["V100"], "peak_tflops": {"fp32": 1},
                             "bandwidth_gb_per_s": 2})");
  const std::string b = home.add_gpu(
      "b.json", R"({"name": "NVIDIA", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2})");
  const std::string hopper = home.add_gpu(
      "hopper.json", R"({"name": "B", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2})");
  CHECK(gpu_message("v100") ==
        a + ": expected names that no other GPU has, got \"v100\", which is Tesla V100 SXM2 "
            "16GB; a file of that name takes its place");
  CHECK(find_gpu("a").value().name == "My V100");
  const auto selected = [](const std::string& word) {
    const auto found = Catalogue().select(word);
    return found ? "" : std::string(found.error().what());
  };
  CHECK(selected("nvidia") == b + ": expected another name than \"nvidia\", which selects GPUs");
  CHECK(selected("hopper") ==
        hopper + ": expected another name than \"hopper\", which selects GPUs");
  CHECK(selected("amd").empty());
}

TEST_CASE("A file of one's own answers to its file name", "[load/catalogue]") {
  const ConfigHome home;
  home.add_gpu("lab-box 3.json", own_v100);
  CHECK(find_gpu("Lab Box 3").value().name == "My V100");
}

TEST_CASE("An unknown name may mean a part of one's own", "[load/catalogue]") {
  const ConfigHome home;
  home.add_gpu("x.json", R"({"name": "Lab 77", "peak_tflops": {"fp32": 1},
                             "bandwidth_gb_per_s": 2})");
  CHECK(gpu_message("lab 78") == "unknown GPU \"lab 78\"; did you mean Lab 77?");
}

TEST_CASE("A broken file fails those who mean it, and is a problem to others", "[load/catalogue]") {
  struct Broken {
    const char* text;
    const char* problem;             ///< after the path
    std::vector<const char*> names;  ///< that mean the file
  };
  const std::vector<Broken> table{
      {"{", ":1:2: expected more JSON, got the end of the text", {"broken", "BROKEN"}},
      {R"({"name": "Lab 77", "aliases": ["lab", "v100"], "peak_tflops": )",
       ":1:63: expected more JSON, got the end of the text",
       {"broken"}},
      {R"({"aliases": ["lab"], "name": "Lab 77", "peak_tflops": {"fp32": 0},
           "bandwidth_gb_per_s": 2})",
       ": /peak_tflops/fp32: expected a number > 0, got 0",
       {"broken"}},
      {R"([{"name": "Lab 77"}])", ": expected an object, got [{\"name\":\"Lab 77\"}]", {"broken"}},
      {R"({"name": 77})", ": /name: expected a string, got 77", {"broken"}},
      {"", ":1:1: expected JSON, got an empty text", {"broken"}},
  };
  for (const Broken& broken : table) {
    INFO(broken.text);
    const ConfigHome home;
    home.add_gpu("mine.json", R"({"name": "Mine", "peak_tflops": {"fp32": 1},
                                  "bandwidth_gb_per_s": 2})");
    const std::string message = home.add_gpu("broken.json", broken.text) + broken.problem;
    const Catalogue catalogue;
    for (const char* name : broken.names) {
      INFO(name);
      CHECK(message_of([&] { catalogue.find(name).value(); }) == message);
      CHECK(catalogue.problems_besides({"t4", name}).empty());
    }
    CHECK(catalogue.find("mine").value().name == "Mine");
    CHECK(catalogue.find("t4").value().name == "Tesla T4");
    const std::vector<InputError> problems = catalogue.problems_besides({"mine", "t4"});
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().what() == message);
    CHECK(catalogue.all().size() == embedded_gpus().size() + 1);
  }
}

TEST_CASE("A file or folder that cannot be read is a problem too", "[load/catalogue]") {
  {
    const ConfigHome home;
    const std::string path = home.add_gpu("gone.json", "");
    std::filesystem::remove(path);
    std::filesystem::create_symlink("nowhere", path);
    const Catalogue catalogue;
    const std::string message = path + ": cannot be read: No such file or directory";
    CHECK(catalogue.find("t4").value().name == "Tesla T4");
    CHECK(message_of([&] { catalogue.find("gone").value(); }) == message);
    REQUIRE(catalogue.problems_besides({"t4"}).size() == 1);
    CHECK(catalogue.problems_besides({"t4"}).front().what() == message);
  }
  const ConfigHome home;
  const std::string folder = home.add_gpu("", "not a folder");
  const Catalogue catalogue;
  const std::string message = folder + ": cannot be read: Not a directory";
  CHECK(catalogue.find("t4").value().name == "Tesla T4");
  REQUIRE(catalogue.problems_besides({"t4"}).size() == 1);
  CHECK(catalogue.problems_besides({"t4"}).front().what() == message);
  CHECK(catalogue.all().size() == embedded_gpus().size());
}

TEST_CASE("No folder of one's own is no problem", "[load/catalogue]") {
  for (const char* config_home : {"/nonexistent", "/dev/null"}) {
    const ConfigHome home;
    setenv("XDG_CONFIG_HOME", config_home, 1);
    CHECK(Catalogue().problems_besides({}).empty());
    CHECK(all_gpus().size() == embedded_gpus().size());
  }
}

TEST_CASE("The list is sorted and complete", "[load/catalogue]") {
  const std::vector<Gpu> all = all_gpus();
  CHECK(all.size() == embedded_gpus().size());
  CHECK(std::is_sorted(all.begin(), all.end(),
                       [](const Gpu& a, const Gpu& b) { return a.name < b.name; }));
}

TEST_CASE("Networks by name", "[load/catalogue]") {
  CHECK(find_network("resnet50"));
  CHECK(find_network("ResNet-50") == find_network("resnet50"));
  CHECK_FALSE(find_network("resnet5"));
  CHECK(resolve_input("resnet50").value() == std::vector<std::string>{"resnet50"});
  CHECK(network_names().find("\nresnet50\n") != std::string::npos);
}

TEST_CASE("A file or folder wins over a network of its name", "[load/catalogue]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("resnet50", "{}");
  const auto item = open_input(path).value()->next();
  REQUIRE(item);
  const auto spec = item->value().spec({}).value();
  CHECK(spec->layers.size() == 1);  // the file's one layer, not the network's
}

// What PyTorch's recordings say of their GPUs in "deviceProperties": CUDA counts the memory that is
// left beside the driver's.
TEST_CASE("A recording's GPU by its name, else by its SMs and memory", "[load/catalogue]") {
  struct Case {
    RecordedGpu recorded;
    std::vector<std::string> parts;
  };
  const std::vector<Case> table{
      {{"NVIDIA H100 80GB HBM3", 132, 85018279936, 32}, {"H100 SXM5 80GB"}},
      {{"", 304, 205571227648, 64}, {"Instinct MI300X"}},
      {{"NVIDIA A100-PG509-200", 108, 42505273344, 32}, {"A100 SXM4 40GB"}},
      {{"NVIDIA A100X", 108, 42505273344, 32}, {"A100 PCIe 40GB", "A100 SXM4 40GB"}},
      {{"AMD Instinct MI250", 104, 68702699520, 64}, {"Instinct MI250 (one GCD)"}},
      {{"AMD Instinct MI250", 208, 137405399040, 64}, {"Instinct MI250 (both GCDs)"}},
      {{"Some GPU", 7, 42505273344, 32}, {}},
      {{"Some GPU", {}, {}, {}}, {}}};
  for (const Case& each : table) {
    INFO(each.recorded.name);
    std::vector<std::string> names;
    for (const Gpu& gpu : Catalogue().find_recorded(each.recorded).value())
      names.push_back(gpu.name);
    CHECK(names == each.parts);
  }
}
