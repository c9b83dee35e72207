// The verdict: what stands first of a measured input.

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

const std::string traces = ROOFLINE_SOURCE_FOLDER "/tests/traces/";

/// The lines between the header and the ceilings.
std::string verdict_of(const std::string& trace, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string out = run(folder, "roofline " + traces + trace + options).out;
  const std::size_t begin = out.find('\n') + 1;
  return out.substr(begin, out.rfind('\n', out.find(" (datasheet): ridge")) + 1 - begin);
}

}  // namespace

TEST_CASE("The verdict stands first, its parts sum, and no flag of ours is an action",
          "[cli/verdict]") {
  // 1.329 + 0.2276 = 1.557 ms, 64.5 % of 2.413 ms. 2.413 ms in 116 launches are 20.81 us each.
  CHECK(verdict_of("resnet18.fwd.fp16.b32.pt.trace.json.gz") ==
        R"(GPU idle 64.5% of 2.413 ms: 1.329 ms waiting for the host's launches + 227.6 us
queued work waiting; the host launches a kernel every 20.81 us, the GPU runs it
in 7.387 us
do first: launch the step as a CUDA graph
(torch.compile(mode="reduce-overhead")): saves up to 1.329 ms, leaves 1.084 ms
or: batch 256 in place of 32, for as much work: saves 1.755 ms, leaves 658.9 us
)");
  // 13.02 + 0.9197 = 13.94 ms, 74.1 % of 18.80 ms. A training step gets no advice on its batch.
  CHECK(verdict_of("mobilenet_v2.training.amp.b32.pt.trace.json.gz") ==
        R"(GPU idle 74.1% of 18.80 ms: 13.02 ms waiting for the host's launches + 919.7 us
queued work waiting; the host launches a kernel every 20.98 us, the GPU runs it
in 5.425 us
do first: launch the step as a CUDA graph
(torch.compile(mode="reduce-overhead")): saves up to 13.02 ms, leaves 5.780 ms
)");
}

TEST_CASE("Of measured layers without gaps: what stands between them and their bound",
          "[cli/verdict]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"layers": [{"name": "c", "type": "conv", "input": [64, 56, 56],
    "out_channels": 64, "kernel_size": 3, "batch": 32, "measured_us": 1000, "gpu": "v100"}]})");
  const std::string out = run(folder, "roofline a.json --gpu v100").out;
  // 2 x 32 x 64 x 64 x 9 x 54 x 54 = 6.880 GFLOP at 15.7 TFLOP/s are 438.2 us.
  CHECK(out.find("layers take 1.000 ms, x2.28 of their bound: 438.2 us bound") !=
        std::string::npos);
}

TEST_CASE("The parts of a verdict sum to the step in JSON", "[cli/verdict]") {
  for (const char* trace :
       {"resnet18.fwd.fp16.b32.pt.trace.json.gz", "resnet18.compiled.fp16.b32.pt.trace.json.gz",
        "mobilenet_v2.training.amp.b32.pt.trace.json.gz", "resnet50.fwd.fp16.b32.3steps.json.gz"}) {
    const TemporaryFolder folder;
    const auto json =
        nlohmann::json::parse(run(folder, std::string("roofline --json ") + traces + trace).out);
    const auto& result = json["results"][0];
    const auto& verdict = result["verdict"];
    double sum_s = 0;
    double idle_s = 0;
    for (const auto& [name, part_s] : verdict["parts"].items()) {
      CHECK(part_s.get<double>() >= 0);
      sum_s += part_s.get<double>();
      if (name.starts_with("idle_")) idle_s += part_s.get<double>();
    }
    CHECK(sum_s == Approx(result["recording"]["span_s"].get<double>()));
    CHECK(sum_s == Approx(verdict["step_s"].get<double>()));
    CHECK(idle_s == Approx(result["recording"]["idle_s"].get<double>()));
    const auto& actions = verdict["actions"];
    REQUIRE(!actions.empty());
    CHECK(actions[0]["action"] != "larger_batch");  // first comes what leaves the work as it is
    double last_s = sum_s;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const double saved_s = actions[i]["saved_s"];
      CHECK(saved_s >= 0.03 * sum_s);
      if (i == 0) continue;
      CHECK(saved_s <= last_s);
      last_s = saved_s;
    }
  }
}

TEST_CASE("Rows of a recording keep their names, their pass once, and readable numbers",
          "[cli/verdict]") {
  for (const int columns : {80, 100, 120}) {
    const std::string screen = run_at_terminal(
        ".", "roofline " + traces + "mobilenet_v2.training.amp.b32.pt.trace.json.gz --all",
        columns);
    for (const char* wrong : {"dgrad dgrad", "wgrad wgrad", "e+0", " ps ", "x-inf", "batch mixed",
                              "fusion:", "for as much work"})
      CHECK(screen.find(wrong) == std::string::npos);
    for (const char* right : {"\nbatch_norm 32x96x112x112 dgrad ", "\nadd of one value x52 ",
                              " <1 ns ", ">x1000", "roofline --words explains all"})
      CHECK(screen.find(right) != std::string::npos);
    for (const std::string& line : lines_of(screen)) CHECK(line.size() <= std::size_t(columns));
    const bool has_limiter = screen.find("limiter       measured") != std::string::npos;
    CHECK(has_limiter == (columns > 80));
  }
}

TEST_CASE("Layers of a recording that are alike are one row in files too", "[cli/verdict]") {
  const TemporaryFolder folder;
  const std::string out =
      run(folder, "roofline " + traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz").out;
  CHECK(out.find("\nbatch_norm 32x64x56x56 x4 ") != std::string::npos);
  CHECK(out.find("#2") == std::string::npos);
}

TEST_CASE("The gaps of an idle GPU by what the host ran, summing to the idle time",
          "[cli/verdict]") {
  const TemporaryFolder folder;
  const std::string out =
      run(folder, "roofline " + traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz").out;
  const std::size_t begin = out.find("GPU idle while");
  // 592.5 + 287.2 + 227.6 + 149.9 + 126.8 + 172.6 = 1,556.6 us.
  CHECK(out.substr(begin, out.find("\n\n", begin) - begin) ==
        R"(GPU idle while the host ran   cause    gaps   longest      time  of idle
aten::cudnn_convolution       host    20.00  40.22 us  592.5 us    38.1%
aten::native_batch_norm       host    9.000  126.9 us  287.2 us    18.5%
(work was queued)             queued  54.00  12.22 us  227.6 us    14.6%
(nothing recorded, or short)  host    18.00  9.792 us  149.9 us     9.6%
aten::copy_                   host    10.00  13.47 us  126.8 us     8.1%
other                                                  172.6 us    11.1%
idle                                                   1.557 ms   100.0%)");
}
