// MIG slices by the names of drivers, as shares of their parts. What a driver
// reports of two slices is from the GPU target configurations of openxla/xla (h100_sxm_mig,
// b200_mig).

#include <map>

#include "load/loading.hpp"
#include "model/gpu_names.hpp"
#include "roofline/render.hpp"

using namespace roofline;

namespace {

double peak(const Gpu& gpu, Engine engine) { return *rate_of(gpu.peak_flop_per_s, engine); }

}  // namespace

TEST_CASE("A slice of an H100 is what its driver reports", "[load/mig]") {
  const Gpu slice = find_gpu("NVIDIA H100 80GB HBM3 MIG 1g.10gb").value();
  CHECK(slice.name == "H100 SXM5 80GB MIG 1g.10gb");
  CHECK(slice.sm_count == 16);
  CHECK(slice.l2_byte == 6553600);
  CHECK(slice.bandwidth_byte_per_s == Approx(419.04e9).epsilon(0.01));
  CHECK(static_cast<double>(*slice.memory_byte) == Approx(10468982784.0).epsilon(0.05));
  CHECK(slice.boost_clock_hz == 1980e6);
  CHECK(peak(slice, Engine::fp16_tensor) == Approx(989.4e12 * 16 / 132));
  CHECK(slice.share ==
        "MIG slice of H100 SXM5 80GB: 16 of 132 SMs, 1 of 8 memory slices (10 GB, 418.8 GB/s, 6.25 "
        "MiB of L2)");
  CHECK_FALSE(slice.tdp_w);  // the limit is the whole part's
  CHECK_FALSE(find_gpu("h200 mig 1g.18gb").value().sustained);
}

TEST_CASE("A slice of a B200 is what its driver reports", "[load/mig]") {
  const Gpu slice = find_gpu("NVIDIA B200 MIG 1g.23gb").value();
  CHECK(slice.sm_count == 18);
  CHECK(static_cast<double>(*slice.l2_byte) == Approx(15859712).epsilon(0.05));
  CHECK(slice.bandwidth_byte_per_s == Approx(917.082e9).epsilon(0.06));
  CHECK(static_cast<double>(*slice.memory_byte) == Approx(22011707392.0).epsilon(0.05));
}

TEST_CASE("MIG slices by the names that drivers, schedulers and people write", "[load/mig]") {
  struct Slice {
    const char* typed;
    const char* name;
    std::uint64_t sm_count;
    double gigabyte;
  };
  const std::vector<Slice> table{
      {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "A100 SXM4 40GB MIG 1g.5gb", 14, 5},
      {"NVIDIA A100-SXM4-40GB MIG 1g.10gb", "A100 SXM4 40GB MIG 1g.10gb", 14, 10},
      {"NVIDIA A100-SXM4-40GB MIG 7g.40gb", "A100 SXM4 40GB MIG 7g.40gb", 98, 40},
      {"NVIDIA A100-PG509-200 MIG 1g.5gb", "A100 SXM4 40GB MIG 1g.5gb", 14, 5},
      {"NVIDIA-A100-SXM4-80GB-MIG-3g.40gb", "A100 SXM4 80GB MIG 3g.40gb", 42, 40},
      {"NVIDIA A100 80GB PCIe MIG 1g.10gb+me", "A100 PCIe 80GB MIG 1g.10gb", 14, 10},
      {"NVIDIA H100 80GB HBM3 MIG 3g.40gb+me", "H100 SXM5 80GB MIG 3g.40gb", 60, 40},
      {"NVIDIA A30 MIG 1g.6gb", "NVIDIA A30 MIG 1g.6gb", 14, 6},
      {"NVIDIA A30 MIG 2g.12gb", "NVIDIA A30 MIG 2g.12gb", 28, 12},
      {"NVIDIA H100 NVL MIG 1g.12gb", "H100 NVL 94GB MIG 1g.12gb", 16, 11.75},
      {"NVIDIA H100 NVL MIG 3g.47gb", "H100 NVL 94GB MIG 3g.47gb", 60, 47},
      {"H100 80GB HBM3 MIG 1g.20gb", "H100 SXM5 80GB MIG 1g.20gb", 26, 20},
      {"NVIDIA H200 MIG 1g.18gb", "H200 SXM 141GB MIG 1g.18gb", 16, 17.625},
      {"NVIDIA H200 MIG 4g.71gb", "H200 SXM 141GB MIG 4g.71gb", 64, 70.5},
      {"h200 MIG 7g.141gb", "H200 SXM 141GB MIG 7g.141gb", 132, 141},
      {"nvidia_b200_2g.45gb", "B200 SXM 180GB MIG 2g.45gb", 36, 45},
      {"NVIDIA GB200 MIG 1g.24gb", "GB200 186GB MIG 1g.23gb", 18, 23.25},
      {"NVIDIA GB200 MIG 1g.47gb", "GB200 186GB MIG 1g.47gb", 32, 46.5},
      {"NVIDIA B300 SXM6 AC MIG 1g.34gb", "B300 SXM 269GB MIG 1g.34gb", 20, 33.625},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb-me",
       "RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", 46, 24},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 2g.48gb+me.all",
       "RTX PRO 6000 Blackwell Server Edition MIG 2g.48gb", 94, 48},
  };
  for (const Slice& each : table) {
    INFO(each.typed);
    const Gpu slice = find_gpu(each.typed).value();
    CHECK(slice.name == each.name);
    CHECK(slice.sm_count == each.sm_count);
    CHECK(static_cast<double>(*slice.memory_byte) == Approx(each.gigabyte * 1e9));
    CHECK(answers_to(slice, each.typed));
    CHECK(find_gpu(slice.name).value().name == slice.name);
  }
}

TEST_CASE("Every profile of every part with MIG is within the part", "[load/mig]") {
  const std::map<std::string, std::vector<std::string>> profiles_of{
      {"a100-40gb", {"1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"}},
      {"a800-pcie", {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"}},
      {"h100-pcie", {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"}},
      {"h20", {"1g.12gb", "1g.24gb", "2g.24gb", "3g.48gb", "4g.48gb", "7g.96gb"}},
      {"gh200", {"1g.12gb", "1g.24gb", "2g.24gb", "3g.48gb", "4g.48gb", "7g.96gb"}},
      {"h200-nvl", {"1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"}},
      {"b200", {"1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"}},
      {"gb200", {"1g.24gb", "1g.47gb", "2g.47gb", "3g.95gb", "4g.95gb", "7g.189gb"}},
      {"b300", {"1g.34gb", "1g.67gb", "2g.67gb", "3g.135gb", "4g.135gb", "7g.269gb"}},
      {"gb300", {"1g.35gb", "1g.70gb", "2g.70gb", "3g.139gb", "4g.139gb", "7g.278gb"}},
      {"a30", {"1g.6gb", "2g.12gb", "4g.24gb"}},
      {"rtx-pro-6000", {"1g.24gb", "2g.48gb", "4g.96gb"}},
  };
  for (const auto& [part, profiles] : profiles_of) {
    const Gpu whole = find_gpu(part).value();
    std::uint64_t fewest_sms = 1;
    for (const std::string& profile : profiles) {
      INFO(part << ' ' << profile);
      const Gpu slice = find_gpu(part + " mig " + profile).value();
      CHECK(*slice.sm_count >= fewest_sms);
      CHECK(*slice.sm_count <= *whole.sm_count);
      CHECK(slice.bandwidth_byte_per_s <= whole.bandwidth_byte_per_s);
      fewest_sms = *slice.sm_count;
    }
  }
}

TEST_CASE("A share that is none says what there is", "[load/mig]") {
  CHECK(gpu_message("H100 MIG 9g.90gb") ==
        "H100 SXM5 80GB has no MIG profile 9g.90gb; it has 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, "
        "4g.40gb and 7g.80gb");
  CHECK(gpu_message("A100-SXM4-40GB MIG 3g.40gb") ==
        "A100 SXM4 40GB has no MIG profile 3g.40gb; it has 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb, "
        "4g.20gb and 7g.40gb");
  CHECK(gpu_message("T4 MIG 1g.5gb") == "Tesla T4 has no MIG slices");
  CHECK(gpu_message("RTX 5090 MIG 1g.8gb") == "GeForce RTX 5090 has no MIG slices");
  CHECK(gpu_message("H300 MIG 1g.10gb") ==
        "unknown GPU \"H300 MIG 1g.10gb\"; did you mean b300, h100, h200 or h800?");
  CHECK(gpu_message("MIG 1g.10gb") == "unknown GPU \"MIG 1g.10gb\"");
}

TEST_CASE("A recording that was made on a slice finds it", "[load/mig]") {
  RecordedGpu recorded;
  recorded.name = "NVIDIA H100 80GB HBM3 MIG 1g.10gb";
  recorded.sm_count = 16;
  recorded.memory_byte = 10468982784;
  const std::vector<Gpu> found = Catalogue().find_recorded(recorded).value();
  REQUIRE(found.size() == 1);
  CHECK(found.front().sm_count == 16);
}

TEST_CASE("A file's own text is that of a whole GPU", "[load/mig]") {
  const Expected<std::string> text = Catalogue().text("H100 MIG 1g.10gb");
  REQUIRE_FALSE(text);
  CHECK(
      std::string(text.error().what()) ==
      "\"H100 MIG 1g.10gb\" is a slice of a GPU and has no file of its own: name the GPU, or give "
      "a file");
}
