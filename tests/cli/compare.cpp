// --compare: two results held against each other.

#include <map>
#include <nlohmann/json.hpp>
#include <set>

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
              R"(, "gpu": "v100", "measured_us": )" + std::to_string(time) +
              R"(, "measured_kernel": ")" + (time > 100 ? "slow_kernel" : "fast_kernel") + "\"}";
    return text + "]";
  };
  folder.write("before.json", layers({{"a", 100}, {"b", 200}, {"gone", 50}}));
  folder.write("after.json", layers({{"a", 130}, {"b", 150}, {"new", 70}, {"more", 70}}));
  // 350 us before, 420 us after: -50 went, +140 came, -50 + 30 changed. 150 / 200 = 0.75.
  CHECK(run(folder, "roofline before.json after.json --gpu v100 --compare").out ==
        R"(before: before on Tesla V100 SXM2 16GB
after: after on Tesla V100 SXM2 16GB
measured 350.0 us -> 420.0 us, x1.20: +70.00 us
slower, the most first:
  a: +30.00 us, by slow_kernel in place of fast_kernel

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
GPU busy 856.9 us -> 550.8 us, x0.64: -306.2 us

a step        before     after     change  ratio
whole step  1.333 ms  697.9 us  -634.6 us  x0.52
GPU idle    475.6 us  147.2 us  -328.4 us  x0.31
GPU busy    856.9 us  550.8 us  -306.2 us  x0.64
launches         116        47        -69  x0.41

went                                before     change
max_pool 32x64x112x112 k3x3 s2x2  114.0 us  -114.0 us
batch_norm 32x64x112x112          66.27 us  -66.27 us
14 more                           277.9 us  -277.9 us
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

namespace {

std::string conv_of(const std::string& name, int out_channels) {
  return R"({"name": ")" + name +
         R"(", "type": "conv", "input": [64, 28, 28], "kernel_size": 1, "out_channels": )" +
         std::to_string(out_channels) + "}";
}
std::string relu_of(const std::string& name, int length) {
  return R"({"name": ")" + name + R"(", "type": "relu", "input": [)" + std::to_string(length) +
         "]}";
}

nlohmann::json changes_of(const TemporaryFolder& folder, const std::string& line) {
  const Outcome outcome = run(folder, "roofline --compare --json " + line);
  CHECK(outcome.err.empty());
  return nlohmann::json::parse(outcome.out);
}

}  // namespace

TEST_CASE("Layers of two versions are the same by name and kind, else by what they are",
          "[cli/compare]") {
  const TemporaryFolder folder;
  folder.write("a.json", "[" + conv_of("grows", 64) + "," + relu_of("old_name", 500) + "," +
                             relu_of("goes", 700) + "," + relu_of("other_kind", 900) + "," +
                             relu_of("stays", 1100) + "]");
  folder.write("b.json", "[" + conv_of("grows", 128) + "," + relu_of("new_name", 500) + "," +
                             relu_of("comes", 800) + "," + conv_of("other_kind", 8) + "," +
                             relu_of("stays", 1100) + "]");
  const auto report = changes_of(folder, "a.json b.json --gpu v100");
  const auto& changes = report.at("changes");
  CHECK(changes.at("times") == "expected");
  CHECK(changes.at("before") == "a on Tesla V100 SXM2 16GB, fp32, batch 1, nchw");
  std::map<std::string, nlohmann::json> changed;
  for (const auto& each : changes.at("layers")) changed[each.at("name")] = each;
  REQUIRE(changed.size() == 3);
  // 28 x 28 positions x 64 x 64 MACs of 2 FLOP, then twice as many.
  CHECK(changed.at("grows").at("before_flop") == 6422528);
  CHECK(changed.at("grows").at("after_flop") == 2 * 6422528);
  CHECK(changed.at("grows").at("later_name").is_null());
  CHECK(changed.at("old_name").at("later_name") == "new_name");
  CHECK(changed.at("stays").at("before_s") == changed.at("stays").at("after_s"));
  const auto names_in = [&](const char* group) {
    std::set<std::string> names;
    for (const auto& each : changes.at(group)) names.insert(each.at("name"));
    return names;
  };
  CHECK(names_in("gone") == std::set<std::string>{"goes", "other_kind"});
  CHECK(names_in("come") == std::set<std::string>{"comes", "other_kind"});
}

TEST_CASE("Changes sum to that of the whole, whatever two results differ in", "[cli/compare]") {
  const TemporaryFolder folder;
  const auto line =
      GENERATE(as<std::string>(), "resnet18 --gpu v100,a100", "resnet18 --gpu t4 --dtype fp16,fp32",
               "resnet18 --gpu t4 --batch 1,8", "resnet18 vgg16 --gpu v100",
               "resnet18 --gpu v100,a100 --pass training");
  const auto report = changes_of(folder, line);
  const auto& changes = report.at("changes");
  const auto total_s = [&](std::size_t i) {
    return report.at("results").at(i).at("total").at("expected_time_s").get<double>();
  };
  double change_s = 0;
  for (const char* group : {"layers", "gone", "come"})
    for (const auto& each : changes.at(group))
      change_s += each.at("after_s").get<double>() - each.at("before_s").get<double>();
  CHECK(change_s == Approx(total_s(1) - total_s(0)));
  CHECK(changes.at("before_run").at("work_s").get<double>() == Approx(total_s(0)));
  CHECK(changes.at("after_run").at("work_s").get<double>() == Approx(total_s(1)));
}

TEST_CASE("What did not change is one row", "[cli/compare]") {
  const TemporaryFolder folder;
  folder.write("a.json", "[" + relu_of("x", 500) + "," + relu_of("y", 700) + "]");
  folder.write("b.json", "[" + relu_of("x", 500) + "," + relu_of("y", 700) + "]");
  const std::string out = run(folder, "roofline a.json b.json --gpu v100 --compare").out;
  CHECK(out.find("x1.00: 0 s\n\nin all") != std::string::npos);
  CHECK(out.find("\n2 unchanged") != std::string::npos);
}

TEST_CASE("Who runs the networks stands with what is compared", "[cli/compare]") {
  const TemporaryFolder folder;
  const std::string line =
      "roofline resnet18 --gpu h200 --batch 1,8 --compare --framework tensorrt";
  CHECK(lines_of(run(folder, line).out).at(1) ==
        "after: resnet18 on H200 SXM 141GB, fp32, batch 8, nchw, by tensorrt");
}

TEST_CASE("Types whose libraries take other layouts are compared with these", "[cli/compare]") {
  const TemporaryFolder folder;
  folder.write("bn.json", R"({"type": "batch_norm", "input": [32, 64, 56, 56]})");
  const std::string line = "roofline bn.json --gpu h100 --dtype fp32,tf32 ";
  CHECK(lines_of(run(folder, line).out).front() ==
        "bn on H100 SXM5 80GB, batch 32, nchw in fp32, nhwc in tf32");
  const std::vector<std::string> compared = lines_of(run(folder, line + "--compare").out);
  CHECK(compared.at(0) == "before: bn on H100 SXM5 80GB, fp32, batch 32, nchw");
  CHECK(compared.at(1) == "after: bn on H100 SXM5 80GB, tf32, batch 32, nhwc");
  const auto points = nlohmann::json::parse(run(folder, line + "--json").out).at("points");
  CHECK(points.at(0).at("rows").at(1).at("layout") == "nhwc");
  CHECK(lines_of(run(folder, line + "--assume layout=nchw").out).front() ==
        "bn on H100 SXM5 80GB, batch 32, nchw");
}

TEST_CASE("A program is compared with a recording where both run alike", "[cli/compare]") {
  const TemporaryFolder folder;
  const std::string line = "roofline " + eager + " resnet18 --gpu h200 --compare ";
  const Outcome other = run(folder, line + "--assume launch=stream");
  CHECK(other.exit_code == 2);
  CHECK(other.out.empty());
  CHECK(lines_of(other.err).back() ==
        "roofline: expected resnet18 to run as resnet18.fwd.fp16.b32 was recorded, got batch 1 in "
        "place of 32, fp32 in place of fp16, launches by stream in place of kernel: add "
        "--batch 32 --dtype fp16 --assume launch=kernel");
  CHECK(run(folder, line + "--batch 32 --dtype fp16").exit_code == 0);
}

TEST_CASE("More than two results are not compared", "[cli/compare]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder, "roofline resnet18 --gpu v100,t4,a100 --dtype fp16,fp32 --compare");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "roofline: expected two results to compare, of two inputs, GPUs, frameworks, types or "
        "batches, got "
        "6\n");
}
