// --explain of a whole network: one screen, and what it says is what the program says when asked.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"
#include "load/loading.hpp"
#include "report/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/render.hpp"

using Json = nlohmann::json;

namespace {

Json explanation_of(const TemporaryFolder& folder, const std::string& rest) {
  const Outcome outcome = run(folder, "roofline " + rest + " --explain --json");
  INFO(rest << outcome.err);
  CHECK(outcome.exit_code == 0);
  return Json::parse(outcome.out).at("network_explanations").at(0);
}

/// The expected time that the program gives for this command line.
double expected_s(const TemporaryFolder& folder, const std::string& rest) {
  const Json report = Json::parse(run(folder, "roofline " + rest + " --json").out);
  return report.at("results").at(0).at("total").at("expected_time_s");
}

double time_of(const Json& list, const char* key, const std::string& name) {
  for (const Json& each : list)
    if (each.at(key) == name) return each.at("time_s");
  FAIL(name + " is not in " + list.dump());
  return 0;
}

}  // namespace

TEST_CASE("A network's explanation fits a screen", "[report/network_explanations]") {
  const TemporaryFolder folder;
  for (const std::string network : {"resnet50 --batch 8 --dtype fp16", "densenet121 --batch 32",
                                    "vgg16", "lenet5", "resnet18 --pass training --batch 16"})
    for (const std::string gpu : {"v100", "h100", "mi300x"}) {
      const std::string command = "roofline " + network + " --gpu " + gpu + " --explain";
      INFO(command);
      const Outcome outcome = run(folder, command);
      CHECK(outcome.exit_code == 0);
      const std::vector<std::string> screen = lines_of(outcome.out);
      CHECK(screen.size() <= 40);
      for (const std::string& line : screen) CHECK(roofline::display_width(line) <= 80);
      for (const char* part : {"\nexpected ", "\n68 of 100 times within ", "\nwhere the time goes ",
                               "\nlayers that matter", "\n10% more"})
        CHECK(outcome.out.find(part) != std::string::npos);
    }
}

TEST_CASE("Shares of what limits a network sum to all of it", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const auto rest = GENERATE(as<std::string>(), "resnet50 --gpu v100", "unet --gpu mi300x",
                             "resnet18 --gpu t4 --pass training",
                             "lenet5 --gpu v100 --batch 64 --assume host-copies=pinned",
                             "resnet18 --gpu a100 --assume fuse=epilogue");
  const Json explanation = explanation_of(folder, rest);
  double sum = 0;
  for (const auto& [limiter, share] : explanation.at("limiter_share").items())
    sum += share.get<double>();
  CHECK(sum == Approx(1));
  const double whole_s = explanation.at("time_s");
  CHECK(whole_s == Approx(expected_s(folder, rest)));
  CHECK(explanation.at("expected_uncertainty").at("factor") > 1);
  const Json& layers = explanation.at("layers");
  CHECK(layers.size() == 5);
  double before_s = whole_s;
  for (const Json& layer : layers) {
    CHECK(layer.at("time_s") <= before_s);
    CHECK(layer.at("share").get<double>() == Approx(layer.at("time_s").get<double>() / whole_s));
    before_s = layer.at("time_s");
  }
}

TEST_CASE("What would help is what comes of it", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const std::string rest = "resnet50 --gpu a100 --batch 4 ";
  const Json changes = explanation_of(folder, rest).at("changes");
  const auto time_s = [&](const char* change) { return time_of(changes, "change", change); };
  CHECK(time_s("fp16 with channels last") == Approx(expected_s(folder, rest + "--dtype fp16")));
  CHECK(time_s("TF32 for fp32 products and convolutions") ==
        Approx(expected_s(folder, rest + "--assume engine=tf32")));
  CHECK(time_s("batch 32 in place of 4") ==
        Approx(expected_s(folder, "resnet50 --gpu a100 --batch 32") / 8));
  CHECK(time_s("norms, activations, adds fused, as inference engines do") ==
        Approx(expected_s(folder, rest + "--assume fuse=epilogue,launch=graph")));
  CHECK(time_s("chains of elementwise layers fused, as compilers do") ==
        Approx(expected_s(folder, rest + "--assume fuse=pointwise")));
  CHECK(time_s("the best of each sort together") ==
        Approx(expected_s(folder,
                          "resnet50 --gpu a100 --batch 32 --dtype fp16 --assume fuse=epilogue "
                          "--assume launch=graph") /
               8));
}

TEST_CASE("What would help a framework's operators", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const std::string rest = "resnet18 --gpu h200 --framework pytorch ";
  const Json changes = explanation_of(folder, rest).at("changes");
  const auto time_s = [&](const char* change) { return time_of(changes, "change", change); };
  CHECK(time_s("kernels launched as a graph") ==
        Approx(expected_s(folder, rest + "--assume launch=graph")));
  CHECK(time_s("norms, activations, adds fused, as inference engines do") ==
        Approx(expected_s(folder, rest + "--assume fuse=epilogue,launch=eager")));
}

TEST_CASE("A tenth more of a GPU is what --set makes of it", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const auto rest = GENERATE(as<std::string>(), "resnet50 --gpu v100 --dtype fp16 --batch 8 ",
                             "resnet18 --gpu h200 --set ceilings=sustained ");
  const Json explanation = explanation_of(folder, rest);
  const double whole_s = explanation.at("time_s");
  for (const std::string what : {"bandwidth", "peak", "sms", "clock", "l2"}) {
    CAPTURE(what);
    CHECK(time_of(explanation.at("sensitivity"), "what", what) ==
          Approx(expected_s(folder, rest + "--set " + what + "=+10%")));
  }
  const double launch_s = explanation.at("limiter_share").at("launch").get<double>() * whole_s;
  CHECK(time_of(explanation.at("sensitivity"), "what", "launch") ==
        Approx(whole_s - launch_s / 10));
}

TEST_CASE("What is set grows by a tenth, too", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const std::string rest = "resnet18 --gpu v100 --set peak=10TFLOP/s,bandwidth=";
  const Json explanation = explanation_of(folder, rest + "500GB/s");
  CHECK(time_of(explanation.at("sensitivity"), "what", "bandwidth") ==
        Approx(expected_s(folder, rest + "550GB/s")));
}

TEST_CASE("A network is explained by its name or without one", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const std::string all = run(folder, "roofline resnet18 --gpu v100 --explain").out;
  CHECK(!all.empty());
  CHECK(run(folder, "roofline resnet18 --explain . --gpu v100").out == all);
  CHECK(run(folder, "roofline resnet18 --explain --gpu v100").out == all);
  const std::string markdown =
      run(folder, "roofline resnet18 --gpu v100 --explain --format markdown").out;
  CHECK(markdown.find("| layers that matter |") != std::string::npos);
}

TEST_CASE("A network of one layer is explained as this layer", "[report/network_explanations]") {
  const TemporaryFolder folder;
  const std::string line = "roofline notebook_conv --gpu v100 --explain";
  CHECK(run(folder, line).out == run(folder, line + " conv").out);
  CHECK(run(folder, line + " --measured 9.1ms").out ==
        run(folder, line + " conv --measured 9.1ms").out);
}

TEST_CASE("Records have no network to be changed", "[report/network_explanations]") {
  const TemporaryFolder folder;
  folder.write("a.ndjson", R"({"type": "relu", "input": [4096]})"
                           "\n"
                           R"({"type": "relu", "input": [65536]})"
                           "\n");
  const Json explanation = explanation_of(folder, "a.ndjson --gpu v100");
  CHECK(explanation.at("layers").size() == 2);
  CHECK(explanation.at("changes").empty());
  CHECK(explanation.at("sensitivity").empty());
}
