// --set: what if the GPU had something else.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"

using Json = nlohmann::json;

namespace {

Json total_of(const TemporaryFolder& folder, const std::string& rest) {
  const Outcome outcome = run(folder, "roofline resnet18 --json --gpu " + rest);
  CHECK(outcome.exit_code == 0);
  return Json::parse(outcome.out).at("results").at(0).at("total");
}

}  // namespace

TEST_CASE("The header says that the GPU was changed, and how", "[cli/what_if]") {
  const TemporaryFolder folder;
  const std::string out =
      run(folder, "roofline resnet18 --gpu v100 --set bandwidth=1.8TB/s,l2=x2,peak=x1.5").out;
  CHECK(lines_of(out).at(0) ==
        "resnet18 on Tesla V100 SXM2 16GB with bandwidth=1.8TB/s l2=x2 peak=x1.5, fp32, batch 1, "
        "fwd, nchw, kernels alone");
  // 15.7 x 1.5 = 23.55; / 1.8 = 13.08.
  CHECK(lines_of(out).at(4) ==
        "fp32 23.55 TFLOP/s and 1.800 TB/s (datasheet, changed): ridge 13.08 FLOP/B");
  CHECK(lines_of(out).at(5) ==
        "what if: bandwidth 900.0 GB/s -> 1.800 TB/s, l2 6.000 MiB -> 12.00 MiB, peak");
  CHECK(lines_of(out).at(6) == "x1.50");
}

TEST_CASE("Counts are set as whole numbers", "[cli/what_if]") {
  const TemporaryFolder folder;
  const std::string out = run(folder, "roofline resnet18 --gpu v100 --set sms=+10%").out;
  CHECK(lines_of(out).at(5) == "what if: sms 80 -> 88");
}

TEST_CASE("A ceiling that is doubled halves what it bounds", "[cli/what_if]") {
  const TemporaryFolder folder;
  const Json was = total_of(folder, "v100");
  const Json faster = total_of(folder, "v100 --set bandwidth=x2");
  CHECK(faster.at("memory_time_s").get<double>() ==
        Approx(was.at("memory_time_s").get<double>() / 2));
  CHECK(faster.at("compute_time_s") == was.at("compute_time_s"));
  CHECK(faster.at("expected_time_s") < was.at("expected_time_s"));
  const Json wider = total_of(folder, "v100 --set sms=x2");
  CHECK(wider.at("compute_time_s").get<double>() ==
        Approx(was.at("compute_time_s").get<double>() / 2));
}

TEST_CASE("A GPU as it is set stands against itself where nothing else is compared",
          "[cli/what_if]") {
  const TemporaryFolder folder;
  const auto changes_of = [&](const std::string& rest) {
    return Json::parse(run(folder, "roofline --json --compare " + rest).out).at("changes");
  };
  const Json itself = changes_of("resnet18 --gpu v100 --set sms=x2");
  CHECK(itself.at("before") == "resnet18 on Tesla V100 SXM2 16GB, fp32, batch 1, nchw");
  CHECK(itself.at("after") == "resnet18 on Tesla V100 SXM2 16GB with sms=x2, fp32, batch 1, nchw");
  const Json two = changes_of("resnet18 --gpu v100,t4 --set sms=x2");
  CHECK(two.at("before") == "resnet18 on Tesla V100 SXM2 16GB with sms=x2, fp32, batch 1, nchw");
  CHECK(two.at("after") == "resnet18 on Tesla T4 with sms=x2, fp32, batch 1, nchw");
}

TEST_CASE("Times measured on a part are not those of one that is not built", "[cli/what_if]") {
  const TemporaryFolder folder;
  folder.write("relu.json",
               R"({"type": "relu", "input": [4096], "measured_us": 10, "gpu": "v100"})");
  const auto result_of = [&](const std::string& rest) {
    return Json::parse(
        run(folder, "roofline relu.json --json --gpu v100" + rest).out)["results"][0];
  };
  CHECK(!result_of("")["measured"].is_null());
  CHECK(result_of(" --set sms=x2")["measured"].is_null());
  CHECK(result_of(" --set sms=x2")["measured_times_not_compared"] == 1);
}

TEST_CASE("What is set wrongly is wrong usage", "[cli/what_if]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline resnet18 --gpu v100 --set l2=6");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "roofline: --set l2=6: expected a number with its unit or a factor, such as l2=50MiB, x1.5 "
        "or +10%, got \"6\"\n");
  CHECK(run(folder, "roofline resnet18 --gpu v100 --set l3=x2").exit_code == 2);
}
