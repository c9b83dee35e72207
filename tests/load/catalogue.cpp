// GPUs and networks by name, alias, path and from the user's own folder.

#include "roofline/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "catch.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"
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

  std::string add_gpu(const std::string& file, const std::string& text) const {
    return folder_.write("roofline/gpus/" + file, text);
  }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

constexpr const char* own_v100 =
    R"({"name": "My V100", "aliases": ["V100", "mine"], "peak_tflops": {"fp32": 1},
        "bandwidth_gb_per_s": 2})";

}  // namespace

TEST_CASE("A GPU by name or alias in any case", "[load/catalogue]") {
  for (const char* name :
       {"v100", "V100", "v100-SXM2", "Tesla V100 SXM2 16GB", "tesla v100 sxm2 16gb"}) {
    INFO(name);
    CHECK(find_gpu(name).name == "Tesla V100 SXM2 16GB");
  }
  CHECK(find_gpu("a100").name == "A100 SXM4 80GB");
  CHECK(find_gpu("h100").name == "H100 SXM5 80GB");
}

TEST_CASE("Every alias that people type leads to a part", "[load/catalogue]") {
  for (const char* name : {"v100",      "p100",      "t4",       "a100",           "a100-80gb-pcie",
                           "h100",      "h100-pcie", "h200",     "b200",           "rtx4090",
                           "gtx1080ti", "titan-v",   "titan-xp", "titan-x-pascal", "gtx-titan-x",
                           "m40",       "k80",       "mi25",     "mi250x",         "mi300x"}) {
    INFO(name);
    CHECK_NOTHROW(find_gpu(name));
  }
}

TEST_CASE("A GPU by the path of a file", "[load/catalogue]") {
  const TemporaryFolder folder;
  const Gpu gpu = find_gpu(folder.write("x.json", own_v100));
  CHECK(gpu.name == "My V100");
  CHECK(*rate_of(gpu.peak_flop_per_s, Engine::fp32) == Approx(1e12));
  CHECK(gpu.bandwidth_byte_per_s == Approx(2e9));
  CHECK_FALSE(gpu.sm_count);
  CHECK_FALSE(rate_of(gpu.peak_flop_per_s, Engine::fp64));
}

TEST_CASE("A person's own files join the catalogue and win by name", "[load/catalogue]") {
  const ConfigHome home;
  home.add_gpu("mine.json", own_v100);
  home.add_gpu("notes.txt", "not a GPU");
  CHECK(find_gpu("v100").name == "My V100");
  CHECK(find_gpu("MINE").name == "My V100");
  CHECK(find_gpu("v100-sxm2").name == "Tesla V100 SXM2 16GB");
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
  CHECK(find_gpu("tesla t4").bandwidth_byte_per_s == Approx(2e9));
}

TEST_CASE("A broken file of one's own is named", "[load/catalogue]") {
  const ConfigHome home;
  const std::string path = home.add_gpu("broken.json", "{");
  try {
    find_gpu("v100");
    FAIL("expected an InputError");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == path + ":1:2: expected more JSON, got the end of the text");
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
  CHECK_FALSE(find_network("resnet5"));
  CHECK(resolve_input("resnet50") == std::vector<std::string>{"resnet50"});
  CHECK(network_names().find("\nresnet50\n") != std::string::npos);
}

TEST_CASE("A file or folder wins over a network of its name", "[load/catalogue]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("resnet50", "{}");
  const auto item = open_input(path)->next();
  REQUIRE(item);
  const auto spec = std::get<Item>(*item).spec({});
  CHECK(spec->layers.size() == 1);  // the file's one layer, not the network's
}
