// What if a GPU had something else: texts to settings, and what follows from them.

#include <vector>

#include "catch.hpp"
#include "model/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/gpu.hpp"

using namespace roofline;

namespace {

struct Parsed {
  const char* text;
  const char* name;
  bool is_factor;
  double value;
};

Gpu with(const char* gpu, const std::vector<std::string>& texts) {
  std::vector<GpuSetting> settings;
  for (const std::string& text : texts) settings.push_back(parse_gpu_setting(text).value());
  return with_settings(find_gpu(gpu).value(), settings).value();
}

}  // namespace

TEST_CASE("Settings in natural units, in those of GPU files and as factors",
          "[model/gpu_setting]") {
  const Parsed each = GENERATE(values<Parsed>({{"bandwidth=4TB/s", "bandwidth", false, 4e12},
                                               {"bandwidth = 4 tb/s", "bandwidth", false, 4e12},
                                               {"bandwidth=900e9B/s", "bandwidth", false, 9e11},
                                               {"bandwidth_gb_per_s=900", "bandwidth", false, 9e11},
                                               {"l2=50MiB", "l2", false, 52428800},
                                               {"l2=50MB", "l2", false, 5e7},
                                               {"l2_mib=0.5", "l2", false, 524288},
                                               {"sms=160", "sms", false, 160},
                                               {"sm_count=160", "sms", false, 160},
                                               {"sms=x1.5", "sms", true, 1.5},
                                               {"clock=+10%", "clock", true, 1.1},
                                               {"clock=-10%", "clock", true, 0.9},
                                               {"clock=1800MHz", "clock", false, 1.8e9},
                                               {"fp16_tensor=400TFLOPS", "peak", false, 4e14},
                                               {"FP32=15.7tflop/s", "peak", false, 1.57e13},
                                               {"peak=x2", "peak", true, 2},
                                               {"tdp=300W", "tdp", false, 300},
                                               {"power=30W", "tdp", false, 30},
                                               {"launch=500ns", "launch", false, 5e-7},
                                               {"launch_us=2", "launch", false, 2e-6}}));
  CAPTURE(each.text);
  const GpuSetting setting = parse_gpu_setting(each.text).value();
  CHECK(setting.name == each.name);
  CHECK(setting.is_factor == each.is_factor);
  CHECK(setting.value == Approx(each.value));
}

TEST_CASE("Settings that are none", "[model/gpu_setting]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"bandwidth", "expected NAME=VALUE such as bandwidth=4TB/s, got \"bandwidth\""},
      {"=4", "expected NAME=VALUE such as bandwidth=4TB/s, got \"=4\""},
      {"bandwith=4TB/s",
       "expected one of sms, clock, peak, memory, bandwidth, l2, l3, shared_memory, registers, "
       "host_link, tdp, launch or an engine such as fp16_tensor, got \"bandwith\"; did you mean "
       "\"bandwidth\"?"},
      {"bandwidth=4",
       "expected a number with its unit or a factor, such as bandwidth=4TB/s, x1.5 or +10%, got "
       "\"4\""},
      {"bandwidth=4TB",
       "expected a number with its unit or a factor, such as bandwidth=4TB/s, x1.5 or +10%, got "
       "\"4TB\""},
      {"sms=1.5",
       "expected a number with its unit or a factor, such as sms=160, x1.5 or +10%, got \"1.5\""},
      {"sms=-200%",
       "expected a number with its unit or a factor, such as sms=160, x1.5 or +10%, got "
       "\"-200%\""},
      {"l2=nanMiB",
       "expected a number with its unit or a factor, such as l2=50MiB, x1.5 or +10%, got "
       "\"nanMiB\""},
      {"tdp=0W",
       "expected a number with its unit or a factor, such as tdp=400W, x1.5 or +10%, got \"0W\""}};
  for (const auto& [text, message] : cases) {
    const auto setting = parse_gpu_setting(text);
    REQUIRE(!setting);
    CHECK(setting.error().what() == message);
  }
}

TEST_CASE("What was set is set, and peaks follow SMs and clock", "[model/gpu_setting]") {
  // The datasheet's: 80 SMs, 125 TFLOP/s, 15.7 TFLOP/s, 900 GB/s.
  const Gpu ten = with("v100", {"peak=10TFLOP/s", "sms=160"});
  CHECK(*ten.peak_flop_per_s[Engine::fp16_tensor] == 10e12);
  CHECK(*ten.peak_flop_per_s[Engine::fp32] == 10e12);
  const Gpu twice = with("v100", {"sms=160"});
  CHECK(*twice.sm_count == 160);
  CHECK(*twice.peak_flop_per_s[Engine::fp16_tensor] == Approx(250e12));
  CHECK(*twice.peak_flop_per_s[Engine::fp32] == Approx(31.4e12));
  CHECK(twice.bandwidth_byte_per_s == 900e9);
  CHECK(twice.name == "Tesla V100 SXM2 16GB with sms=160");
  CHECK(twice.aliases.empty());
  REQUIRE(twice.changes.size() == 1);
  CHECK(twice.changes[0].field == "sms");
  CHECK(*twice.changes[0].from == 80);
  CHECK(twice.changes[0].to == 160);

  const Gpu stated = with("v100", {"fp16_tensor=300TFLOP/s", "clock=x2"});
  CHECK(*stated.peak_flop_per_s[Engine::fp16_tensor] == Approx(300e12));
  CHECK(*stated.peak_flop_per_s[Engine::fp32] == Approx(31.4e12));

  const Gpu cache = with("v100", {"l2=x2"});
  CHECK(*cache.l2_byte == 12 * 1024 * 1024);
  CHECK(cache.changes[0].unit == "MiB");
  CHECK(*cache.changes[0].from == 6);
}

TEST_CASE("What was measured of a part follows its datasheet", "[model/gpu_setting]") {
  const Gpu gpu = find_gpu("h200").value();
  REQUIRE(gpu.sustained);
  const Gpu twice = with("h200", {"bandwidth=x2", "peak=x3"});
  CHECK(*twice.sustained->bandwidth_byte_per_s == Approx(2 * *gpu.sustained->bandwidth_byte_per_s));
  for (const Engine engine : enumerators<Engine>)
    if (const auto sustained = gpu.sustained->peak_flop_per_s[engine])
      CHECK(*twice.sustained->peak_flop_per_s[engine] == Approx(3 * *sustained));
}

TEST_CASE("What a GPU does not have is not multiplied", "[model/gpu_setting]") {
  const Gpu gpu = find_gpu("v100").value();
  const auto error_of = [&](const char* text) {
    const std::vector settings{parse_gpu_setting(text).value()};
    const auto changed = with_settings(gpu, settings);
    REQUIRE(!changed);
    return std::string(changed.error().what());
  };
  CHECK(error_of("l3=x2") ==
        "Tesla V100 SXM2 16GB states no l3_mib to multiply: give a value, such as l3=64MiB");
  CHECK(error_of("bf16=x2") == "Tesla V100 SXM2 16GB has no engine bf16");
}

TEST_CASE("Without settings a GPU is what it was", "[model/gpu_setting]") {
  CHECK(with("v100", {}).name == "Tesla V100 SXM2 16GB");
  CHECK(with("v100", {}).changes.empty());
}

TEST_CASE("A power mode sets what the maker states, any other power is a limit",
          "[model/gpu_setting]") {
  struct Case {
    const char* gpu;
    const char* setting;
    std::uint64_t sms;
    double clock_mhz, bandwidth_gb_per_s, tdp_w;
    const char* remark;  ///< of the last change
  };
  // NVIDIA's nvpmodel_p3701_0000.conf and nvpmodel_t194.conf; memories of 256 bits, two transfers a
  // clock of 2133 and 1331.2 MHz.
  const char* const limit =
      "the roofline keeps the datasheet's clocks, and the expected time's are an estimate";
  const Case each = GENERATE_COPY(
      values<Case>({{"agx-orin", "power=30W", 8, 612, 204.8, 30, "the maker's power mode 30W"},
                    {"agx-orin", "power=15w", 6, 408, 136.5, 15, "the maker's power mode 15W"},
                    {"agx-orin", "power=50.0 W", 16, 816, 204.8, 50, "the maker's power mode 50W"},
                    {"orin-nano-4gb", "power=7W", 4, 408, 34, 7, "the maker's power mode 7W_AI"},
                    {"agx-orin", "power=40W", 16, 1300, 204.8, 40, limit},
                    {"agx-orin", "tdp=30W", 16, 1300, 204.8, 30, limit},
                    {"agx-orin", "power=x0.5", 16, 1300, 204.8, 30, limit},
                    {"xavier", "power=15W", 8, 670, 85.2, 15, "the maker's power mode 15W"},
                    {"rtx3090", "power=315W", 82, 1695, 936, 315, limit}}));
  CAPTURE(each.gpu, each.setting);
  const Gpu gpu = with(each.gpu, {each.setting});
  CHECK(*gpu.sm_count == each.sms);
  CHECK(*gpu.boost_clock_hz == Approx(each.clock_mhz * 1e6));
  CHECK(gpu.bandwidth_byte_per_s == Approx(each.bandwidth_gb_per_s * 1e9));
  CHECK(*gpu.tdp_w == each.tdp_w);
  CHECK(gpu.changes.back().remark == each.remark);
}

TEST_CASE("What is set beside a power mode replaces its value in any order",
          "[model/gpu_setting]") {
  CHECK(*with("agx-orin", {"clock=700MHz", "power=30w"}).boost_clock_hz == 700e6);
  const Gpu gpu = with("agx-orin", {"power=30w", "clock=700MHz"});
  CHECK(*gpu.boost_clock_hz == 700e6);
  CHECK(gpu.name == "Jetson AGX Orin 64GB with power=30W clock=700MHz");
}

TEST_CASE("Peaks of power modes are those that NVIDIA states", "[model/gpu_setting]") {
  // TOPS in int8 with sparsity, twice the dense ones: readme of its Deep-Learning-Accelerator-SW.
  for (const auto& [mode, tops] :
       std::vector<std::pair<const char*, double>>{{"MAXN", 171}, {"50W", 109}, {"30W", 41}}) {
    CAPTURE(mode);
    const Gpu gpu = find_gpu("agx-orin@" + lower_case(mode)).value();
    CHECK(gpu.name == std::string("Jetson AGX Orin 64GB with power=") + mode);
    CHECK(2 * *gpu.peak_flop_per_s[Engine::int8] == Approx(tops * 1e12).epsilon(0.025));
  }
}

TEST_CASE("A mode that the GPU does not have is named with those that it has",
          "[model/gpu_setting]") {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"agx-orin@fast",
       "expected a power limit such as power=300W, or a power mode of Jetson AGX Orin 64GB (MAXN, "
       "15W, 30W, 50W), got \"fast\""},
      {"a100@eco", "expected a power limit such as power=300W, got \"eco\""},
      {"agx-orin@30",
       "expected a power limit such as power=300W, or a power mode of Jetson AGX "
       "Orin 64GB (MAXN, 15W, 30W, 50W), got \"30\""},
      {"agx-orin@30W@MAXN",
       "Jetson AGX Orin 64GB with power=30W: expected one power, got power=MAXN too"},
      {"all@30W", "expected one GPU before @, got \"all\""},
      {"agx-orim@30W", "unknown GPU \"agx-orim\"; did you mean agx-orin?"}};
  for (const auto& [name, message] : cases) {
    const auto gpu = find_gpu(name);
    REQUIRE(!gpu);
    CHECK(gpu.error().what() == std::string(message));
  }
}
