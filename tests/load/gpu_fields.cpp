// Each field of a GPU from its file to JSON, in base units, and to the text.

#include "model/gpu_fields.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "roofline/load.hpp"
#include "roofline/render.hpp"

using namespace roofline;
using Json = nlohmann::json;

namespace {

struct Stated {
  const char* file_key;
  const char* value;  ///< as a file states it
  const char* key;
  const char* expected;  ///< in JSON output
};

const std::vector<Stated>& every_field() {
  static const std::vector<Stated> table{
      {"name", R"("X 1")", "name", R"("X 1")"},
      {"aliases", R"(["x1"])", "aliases", R"(["x1"])"},
      {"vendor", R"("V")", "vendor", R"("V")"},
      {"architecture", R"("A")", "architecture", R"("A")"},
      {"compute_capability", R"("8.0")", "compute_capability", R"("8.0")"},
      {"sm_count", "108", "sm_count", "108"},
      {"boost_clock_mhz", "1410", "boost_clock_hz", "1.41e9"},
      {"peak_tflops", R"({"fp32": 19.5})", "peak_flop_per_s", R"({"fp32": 1.95e13})"},
      {"flop_per_clock_per_sm", R"({"fp32": 128})", "flop_per_clock_per_sm", R"({"fp32": 128})"},
      {"memory_gb", "40", "memory_byte", "40000000000"},
      {"memory_type", R"("HBM2")", "memory_type", R"("HBM2")"},
      {"memory_bus_bit", "5120", "memory_bus_bit", "5120"},
      {"memory_data_rate_gbit_per_s", "2.4", "memory_data_rate_bit_per_s", "2.4e9"},
      {"bandwidth_gb_per_s", "1555", "bandwidth_byte_per_s", "1.555e12"},
      {"l2_mib", "5.5", "l2_byte", "5767168"},
      {"l3_mib", "96", "l3_byte", "100663296"},
      {"shared_memory_kib_per_sm", "164", "shared_memory_byte_per_sm", "167936"},
      {"shared_memory_kib_per_block", "163", "shared_memory_byte_per_block", "166912"},
      {"registers_per_sm", "65536", "registers_per_sm", "65536"},
      {"max_threads_per_sm", "2048", "max_threads_per_sm", "2048"},
      {"max_blocks_per_sm", "32", "max_blocks_per_sm", "32"},
      {"warp_size", "32", "warp_size", "32"},
      {"host_link_gb_per_s", "31.5", "host_link_byte_per_s", "3.15e10"},
      {"host_pinned_gb_per_s", "25", "host_pinned_byte_per_s", "2.5e10"},
      {"host_pageable_gb_per_s", "12", "host_pageable_byte_per_s", "1.2e10"},
      {"host_operator_us", "20", "host_operator_s", "2e-5"},
      {"tdp_w", "400", "tdp_w", "400"},
      {"power_modes", R"([{"name": "30W", "set": ["sms=8", "tdp=30W"]}])", "power_modes",
       R"([{"name": "30W", "set": ["sms=8", "tdp=30W"]}])"},
      {"sustained", R"({"peak_tflops": {"fp32": 18}, "bandwidth_gb_per_s": 1400, "source": "S"})",
       "sustained",
       R"({"peak_flop_per_s": {"fp32": 1.8e13}, "bandwidth_byte_per_s": 1.4e12, "source": "S"})"},
      {"kernel", R"({"math_share": 0.75, "dram_share": 0.5, "launch_us": 2})", "kernel",
       R"({"math_share": 0.75, "dram_share": 0.5, "launch_s": 2e-6})"},
      {"kernel_model", R"({"name": "K", "title": "T", "inherits": "cudnn7-volta"})", "kernel_model",
       R"("K")"},
      {"notes", R"(["N"])", "notes", R"(["N"])"},
      {"sources", R"([{"title": "T", "date": "2020", "fields": ["name"]}])", "sources",
       R"([{"title": "T", "date": "2020", "fields": ["name"]}])"},
  };
  return table;
}

Json json_of(const std::string& gpu_file) {
  return Json::parse(render_gpus_json({load_gpu(gpu_file, "x.json").value()})).at("gpus").front();
}

/// Equal up to what a multiplication of doubles rounds.
void check_equal(const Json& found, const Json& expected) {
  INFO(found << " and " << expected);
  if (expected.is_number_float()) {
    CHECK(found.get<double>() == Approx(expected.get<double>()).epsilon(1e-14));
  } else if (expected.is_object()) {
    REQUIRE(found.size() == expected.size());
    for (const auto& [key, value] : expected.items()) check_equal(found.at(key), value);
  } else {
    CHECK(found == expected);
  }
}

}  // namespace

TEST_CASE("Every field of a file comes out in base units", "[load/gpu_fields]") {
  std::string file;
  for (const Stated& field : every_field())
    file += (file.empty() ? "{\"" : ", \"") + std::string(field.file_key) + "\": " + field.value;
  const Json found = json_of(file + "}");
  CHECK(found.size() == every_field().size() + 1);  // source_of
  CHECK(found.at("source_of").is_object());
  for (const Stated& field : every_field()) {
    INFO(field.file_key);
    REQUIRE(found.contains(field.key));
    check_equal(found[field.key], Json::parse(field.expected));
  }
}

TEST_CASE("The table above knows every field", "[load/gpu_fields]") {
  std::set<std::string_view> known;
  for (const Stated& field : every_field()) known.insert(field.file_key);
  for (const GpuField<Gpu>& field : fields_of<Gpu>()) {
    INFO(field.form.file_key);
    CHECK(known.count(field.form.file_key) == 1);
  }
  CHECK(known.size() == fields_of<Gpu>().size());
}

TEST_CASE("What a file does not state is null", "[load/gpu_fields]") {
  const Json found =
      json_of(R"({"name": "X", "peak_tflops": {"fp32": 10}, "bandwidth_gb_per_s": 500})");
  CHECK(found.size() == fields_of<Gpu>().size() + 1);
  for (const char* key : {"vendor", "compute_capability", "sm_count", "memory_byte", "l2_byte",
                          "tdp_w", "host_link_byte_per_s", "sustained"}) {
    INFO(key);
    CHECK(found[key].is_null());
  }
  CHECK(found["kernel"]["math_share"].is_null());
}

TEST_CASE("The text shows what is known, a line each", "[load/gpu_fields]") {
  const Gpu gpu = load_gpu(
                      R"({"name": "X", "compute_capability": "8.0", "sm_count": 108,
          "boost_clock_mhz": 1410, "peak_tflops": {"fp32": 19.5}, "memory_type": "HBM2",
          "bandwidth_gb_per_s": 1555, "l2_mib": 40, "shared_memory_kib_per_sm": 164,
          "sources": [{"title": "S"}, {"title": "T", "date": "2020", "fields": ["name"]}]})",
                      "x.json")
                      .value();
  CHECK(render_gpu(gpu) == R"(X
  compute capability    8.0
  SMs                   108
  boost clock           1.410 GHz
  memory type           HBM2
  L2                    40 MiB
  shared memory an SM   164 KiB

datasheet ceilings
  fp32                  19.50 TFLOP/s   ridge 12.54 FLOP/B
  bandwidth             1.555 TB/s

sources
  - S
  - T (2020): name
)");
}
