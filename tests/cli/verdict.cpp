// The verdict: what stands first of a measured input.

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

const std::string traces = ROOFLINE_SOURCE_FOLDER "/tests/traces/";

/// The lines between the header and what is said of engines.
std::string verdict_of(const std::string& trace, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string out = run(folder, "roofline " + traces + trace + options).out;
  const std::size_t begin = out.find('\n', out.find('\n') + 1) + 1;
  return out.substr(begin, out.find("engines:") - begin);
}

}  // namespace

TEST_CASE("The verdict stands first, its parts sum, and no flag of ours is an action",
          "[cli/verdict]") {
  // 1.329 + 0.2276 = 1.557 ms, 64.5 % of 2.413 ms. 2.413 ms in 116 launches are 20.81 us each.
  CHECK(verdict_of("resnet18.fwd.fp16.b32.pt.trace.json.gz") ==
        R"(GPU idle 64.5% of 2.413 ms: 1.329 ms waiting for the host's launches (592.5 us
of it in aten::cudnn_convolution) + 227.6 us queued work waiting; the host
launches a kernel every 20.81 us, the GPU runs it in 7.387 us
do first: batch 256 in place of 32, for as many images: saves 1.724 ms, 71.4%
or: launch the step as a CUDA graph (torch.compile(mode="reduce-overhead")):
saves up to 1.329 ms, 55.1%
)");
  // 13.02 + 0.9197 = 13.94 ms, 74.1 % of 18.80 ms. A training step gets no advice on its batch.
  CHECK(verdict_of("mobilenet_v2.training.amp.b32.pt.trace.json.gz") ==
        R"(GPU idle 74.1% of 18.80 ms: 13.02 ms waiting for the host's launches (1.962 ms
of it in aten::cudnn_batch_norm) + 919.7 us queued work waiting; the host
launches a kernel every 20.98 us, the GPU runs it in 5.425 us
do first: launch the step as a CUDA graph
(torch.compile(mode="reduce-overhead")): saves up to 13.02 ms, 69.3%
)");
}

TEST_CASE("Of measured layers without gaps: what stands between them and their bound",
          "[cli/verdict]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"layers": [{"name": "c", "type": "conv", "input": [64, 56, 56],
    "out_channels": 64, "kernel_size": 3, "batch": 32, "measured_us": 1000}]})");
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
      sum_s += part_s.get<double>();
      if (name.starts_with("idle_")) idle_s += part_s.get<double>();
    }
    CHECK(sum_s == Approx(result["recording"]["span_s"].get<double>()));
    CHECK(sum_s == Approx(verdict["step_s"].get<double>()));
    CHECK(idle_s == Approx(result["recording"]["idle_s"].get<double>()));
    double last_s = sum_s;
    for (const auto& action : verdict["actions"]) {
      CHECK(action["saved_s"].get<double>() <= last_s);
      CHECK(action["saved_s"].get<double>() >= 0.03 * sum_s);
      last_s = action["saved_s"].get<double>();
    }
  }
}
