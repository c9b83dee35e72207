// --compare: two measured inputs held against each other.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

TEST_CASE("Changes between two measurements, the largest first", "[cli/compare]") {
  const TemporaryFolder folder;
  const std::string layer =
      R"(", "type": "conv", "input": [64, 56, 56], "out_channels": 64, "kernel_size": 3)";
  const auto layers = [&](const std::vector<std::pair<std::string, int>>& measured_us) {
    std::string text;
    for (const auto& [name, time] : measured_us)
      text += (text.empty() ? R"([{"name": ")" : R"(, {"name": ")") + name + layer +
              R"(, "measured_us": )" + std::to_string(time) + "}";
    return text + "]";
  };
  folder.write("before.json", layers({{"a", 100}, {"b", 200}, {"gone", 50}}));
  folder.write("after.json", layers({{"a", 130}, {"b", 150}, {"new", 70}, {"more", 70}}));
  // 350 us before, 420 us after: -50 went, +140 came, -50 + 30 changed. 150 / 200 = 0.75.
  CHECK(run(folder, "roofline before.json after.json --gpu v100 --compare").out ==
        R"(before: before on Tesla V100 SXM2 16GB
after: after on Tesla V100 SXM2 16GB
measured 350.0 us -> 420.0 us, x1.20: +70.00 us = -50.00 us went + 140.0 us came - 20.00 us changed

went     before     change
gone   50.00 us  -50.00 us
total  50.00 us  -50.00 us

came      after     change
more   70.00 us  +70.00 us
new    70.00 us  +70.00 us
total  140.0 us  +140.0 us

changed    before     after     change  ratio
b        200.0 us  150.0 us  -50.00 us  x0.75
a        100.0 us  130.0 us  +30.00 us  x1.30
total    300.0 us  280.0 us  -20.00 us  x0.93
)");
}

namespace {

const std::string traces = ROOFLINE_SOURCE_FOLDER "/tests/traces/";
const std::string eager = traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz";
const std::string compiled = traces + "resnet18.compiled.fp16.b32.pt.trace.json.gz";

}  // namespace

TEST_CASE("What changed in the whole stands first, then what went, came and changed",
          "[cli/compare]") {
  const TemporaryFolder folder;
  // -458.2 + 154.2 - 2.143 = -306.1; to four digits each.
  CHECK(run(folder, "roofline " + eager + " " + compiled + " --compare --top 2").out ==
        R"(before: resnet18.fwd.fp16.b32 on H200 SXM 141GB
after: resnet18.compiled.fp16.b32 on H200 SXM 141GB
GPU busy 856.9 us -> 550.8 us, x0.64: -306.2 us = -458.2 us went + 154.2 us came - 2.143 us changed

a step        before     after     change  ratio
whole step  2.413 ms  1.647 ms  -766.1 us  x0.68
GPU idle    1.557 ms  1.097 ms  -459.9 us  x0.70
GPU busy    856.9 us  550.8 us  -306.2 us  x0.64
launches       116.0     47.00     -69.00  x0.41

went                                before     change
max_pool 32x64x112x112 k3x3 s2x2  114.0 us  -114.0 us
batch_norm 32x64x112x112          64.83 us  -64.83 us
18 more                           279.4 us  -279.4 us
total                             458.2 us  -458.2 us

came                                                                            after     change
triton_poi_fused__native_batch_norm_legit_no_training_relu_0 32x64x112x112   31.52 us  +31.52 us
triton_poi_fused__native_batch_norm_legit_no_training_relu_2 32x64x56x56 x2  26.78 us  +26.78 us
11 more                                                                      95.90 us  +95.90 us
total                                                                        154.2 us  +154.2 us

changed                            before     after     change  ratio
conv2d 32x3x224x224 to 64 k7 s2  82.46 us  81.34 us  -1.120 us  x0.99
conv2d 32x64x56x56 to 64 k3 x4   90.75 us  90.24 us  -511.0 ns  x0.99
10 more                          225.5 us  225.0 us  -512.0 ns  x1.00
total                            398.7 us  396.6 us  -2.143 us  x0.99
)");
}

TEST_CASE("The groups of changes sum to the change of the whole in JSON", "[cli/compare]") {
  const TemporaryFolder folder;
  const auto changes = nlohmann::json::parse(
      run(folder, "roofline --json " + eager + " " + compiled + " --compare").out)["changes"];
  const auto number = [&](const char* path) {
    return changes[nlohmann::json::json_pointer(path)].get<double>();
  };
  CHECK(number("/after_run/work_s") - number("/before_run/work_s") ==
        Approx(number("/after_s") - number("/before_s") - number("/gone_s") + number("/come_s")));
  CHECK(number("/before_run/busy_s") == Approx(856.9e-6).epsilon(1e-4));
  CHECK(number("/after_run/busy_s") == Approx(550.8e-6).epsilon(1e-4));
  double gone_s = 0;
  for (const auto& each : changes["gone"]) gone_s += each["before_s"].get<double>();
  CHECK(gone_s == Approx(number("/gone_s")));
}
