// What if a GPU had something else: texts to settings, and what follows from them.

#include <vector>

#include "catch.hpp"
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
  // Of the datasheet: 80 SMs, 125 TFLOP/s, 15.7 TFLOP/s, 900 GB/s.
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
