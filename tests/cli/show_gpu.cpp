// roofline gpus: all that is known of a GPU, as people read it and as JSON.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

constexpr const char* lab_card = R"({
  "name": "Lab 1", "aliases": ["lab1", "l1"], "vendor": "Lab", "architecture": "Volta",
  "compute_capability": "7.0", "sm_count": 10, "boost_clock_mhz": 1500,
  "peak_tflops": {"fp32": 12, "fp16_tensor": 96}, "memory_gb": 24, "memory_type": "GDDR6",
  "bandwidth_gb_per_s": 600, "l2_mib": 4, "shared_memory_kib_per_sm": 96, "tdp_w": 250,
  "sustained": {"peak_tflops": {"fp32": 9}, "bandwidth_gb_per_s": 500, "source": "our benchmark"},
  "notes": ["A note."],
  "sources": [{"title": "A datasheet", "date": "2020-01", "fields": ["name", "tdp_w"]},
              {"title": "A hunch"}]})";

}  // namespace

TEST_CASE("A GPU is shown with units, ridges and sources", "[cli/show_gpu]") {
  const TemporaryFolder folder;
  folder.write("lab.json", lab_card);
  // Ridges: 12e12 / 600e9 = 20, 96e12 / 600e9 = 160, 9e12 / 500e9 = 18.
  CHECK(run(folder, "roofline gpus lab.json").out ==
        R"(Lab 1 (lab1, l1)
  architecture          Volta
  compute capability    7.0
  SMs                   10
  boost clock           1.500 GHz
  memory                24.00 GB
  memory type           GDDR6
  L2                    4 MiB
  shared memory an SM   96 KiB
  TDP                   250.0 W

datasheet ceilings
  fp32                  12.00 TFLOP/s   ridge 20.00 FLOP/B
  fp16_tensor           96.00 TFLOP/s   ridge 160.0 FLOP/B
  bandwidth             600.0 GB/s

sustained ceilings: our benchmark
  fp32                  9.000 TFLOP/s   ridge 18.00 FLOP/B
  bandwidth             500.0 GB/s

notes
  - A note.

sources
  - A datasheet (2020-01): name, tdp_w
  - A hunch
)");
}

TEST_CASE("What is not known of a GPU is not shown", "[cli/show_gpu]") {
  const TemporaryFolder folder;
  folder.write("bare.json", R"({"name": "Bare", "peak_tflops": {"fp32": 10},
                                "bandwidth_gb_per_s": 500, "memory_type": "HBM2"})");
  CHECK(run(folder, "roofline gpus bare.json").out ==
        R"(Bare
  memory type           HBM2

datasheet ceilings
  fp32                  10.00 TFLOP/s   ridge 20.00 FLOP/B
  bandwidth             500.0 GB/s
)");
}

TEST_CASE("roofline gpus --json states base units", "[cli/show_gpu]") {
  const TemporaryFolder folder;
  folder.write("lab.json", lab_card);
  const nlohmann::json all =
      nlohmann::json::parse(run(folder, "roofline gpus lab.json,t4 --json").out);
  CHECK(all.at("gpus_version") == 1);
  REQUIRE(all.at("gpus").size() == 2);
  const nlohmann::json& t4 = all.at("gpus").at("Tesla T4");
  CHECK(t4.at("source_of").at("tdp_w") == "NVIDIA T4 Tensor Core GPU datasheet");
  const nlohmann::json& gpu = *std::ranges::find_if(
      all.at("gpus"), [](const nlohmann::json& each) { return each.at("tdp_w") == 250; });
  CHECK(gpu.at("boost_clock_hz") == 1.5e9);
  CHECK(gpu.at("peak_flop_per_s").at("fp32") == 12e12);
  CHECK(gpu.at("memory_byte") == 24'000'000'000);
  CHECK(gpu.at("bandwidth_byte_per_s") == 600e9);
  CHECK(gpu.at("l2_byte") == 4 * 1024 * 1024);
  CHECK(gpu.at("shared_memory_byte_per_sm") == 96 * 1024);
  CHECK(gpu.at("sustained").at("bandwidth_byte_per_s") == 500e9);
  CHECK(gpu.at("tdp_w") == 250);
  CHECK(gpu.at("l3_byte").is_null());
}
