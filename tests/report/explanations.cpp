// --explain fits one screen and shows its numbers.

#include "cli/process.hpp"
#include "load/loading.hpp"
#include "report/text.hpp"

TEST_CASE("Explanations fit a screen", "[report/explanations]") {
  const TemporaryFolder folder;
  for (const std::string gpu : {"v100", "h200 --dtype fp16"})
    for (const std::string layer :
         {"resnet50 --explain conv1", "resnet50 --explain layer3.1.conv2",
          "mobilenet_v2 --explain features.2.conv.1.0", "alexnet --explain classifier.1",
          "resnet50 --explain layer1.0.add --pass training"}) {
      std::string command = "roofline " + layer;
      command += " --gpu " + gpu;
      INFO(command);
      const Outcome outcome = run(folder, command);
      CHECK(outcome.exit_code == 0);
      const std::size_t derivation = outcome.out.find("derivation");
      const std::vector<std::string> screen = lines_of(outcome.out.substr(0, derivation));
      CHECK(screen.size() <= 40);
      for (const std::string& line : screen) CHECK(roofline::display_width(line) <= 100);
      for (const char* part : {"counts\n", "roofline bound\n", "  ridge ", "expected time\n",
                               "  mapping ", "  parts ", "  limiter "})
        CHECK(outcome.out.find(part) != std::string::npos);
    }
}

TEST_CASE("A sum worked out in front of the reader", "[report/explanations]") {
  const TemporaryFolder folder;
  const std::string out = run(folder, "roofline notebook_conv --gpu v100 --explain conv").out;
  CHECK(out.find("batch x K x positions x C/groups x taps = 1 x 64 x 65536 x 3 x 25 = 314572800") !=
        std::string::npos);
  CHECK(out.find("629.1 MFLOP / 17.58 MB = 35.78 FLOP/B: compute-bound") != std::string::npos);
  CHECK(out.find("= 40.07 us\n") != std::string::npos);
}

TEST_CASE("Nothing to explain", "[report/explanations]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline resnet50 --gpu v100 --explain conv");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "roofline: no layer to explain is called \"conv\"; did you mean \"conv1\"?\n");
}
