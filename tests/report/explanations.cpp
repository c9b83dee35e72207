// --explain fits one screen and shows its numbers.

#include <fstream>

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
      const std::vector<std::string> screen = lines_of(outcome.out);
      CHECK(screen.size() <= 48);
      for (const std::string& line : screen) CHECK(roofline::display_width(line) <= 100);
      // In the order in which one works them out.
      std::size_t at = 0;
      for (const char* part :
           {"\n1. ", "  sizes ", "  FLOP ", "  bytes ", "\n2. ", "  intensity ", "  ridge ",
            "  bound ", "  compute ", "  memory ", "  roofline ", "\n3. ", "  mapping ",
            "  traffic ", "\n4. ", "\nexpected ", "\n5. ", "  rate ", "  gap "}) {
        INFO(part);
        const std::size_t found = outcome.out.find(part);
        CHECK(found != std::string::npos);
        CHECK(found > at);
        at = found;
      }
    }
}

TEST_CASE("A sum worked out in front of the reader", "[report/explanations]") {
  const TemporaryFolder folder;
  const std::string out = run(folder, "roofline notebook_conv --gpu v100 --explain conv").out;
  CHECK(out.find("batch x K x positions x C/groups x taps\n"
                 "             = 1 x 64 x 65536 x 3 x 25 = 314572800\n") != std::string::npos);
  CHECK(out.find("629.1 MFLOP / 17.58 MB = 35.78 FLOP/B\n") != std::string::npos);
  CHECK(out.find("35.78 is not below the ridge: compute") != std::string::npos);
  CHECK(out.find("the longer of the two: 40.07 us\n") != std::string::npos);
  // 65536 x 64 outputs in tiles of 64 x 64; 80 SMs.
  CHECK(out.find("ceil(65536 / 64) x ceil(64 / 64) = 1024 blocks\n") != std::string::npos);
  CHECK(out.find("1024 blocks / (80 SMs x 8 resident) = 1.600, occupancy 25%\n") !=
        std::string::npos);
}

TEST_CASE("The whole derivation where all is asked for", "[report/explanations]") {
  const TemporaryFolder folder;
  const std::string line = "roofline notebook_conv --gpu v100 --explain conv";
  const std::string heading = "\nderivation of the expected time, in base units\n";
  CHECK(run(folder, line).out.find(heading) == std::string::npos);
  CHECK(run(folder, line + " --top all").out.find(heading) != std::string::npos);
}

TEST_CASE("The picture of one layer says its numbers", "[report/explanations]") {
  const TemporaryFolder folder;
  const std::string line = "roofline resnet50 --gpu v100 --explain ";
  CHECK(run(folder, line + "conv1 -o x.svg").exit_code == 0);
  const std::string svg = read_file(folder / "x.svg");
  for (const char* text :
       {">conv1 of resnet50 on Tesla V100 SXM2 16GB, fp32, batch 1, fwd",
        ">roofline 15.70 TFLOP/s, ", ">expected ", " of its roof<", ">ridge 17.44<"})
    CHECK(svg.find(text) != std::string::npos);
  CHECK(svg.find("layer1") == std::string::npos);
  CHECK(run(folder, line + "layer1.0.relu3 --assume fuse=epilogue -o x.svg").err ==
        "roofline: picture of a layer: expected one with a kernel of its own, got none\n");
}

TEST_CASE("A convolution without a kernel on tensor cores is named", "[report/explanations]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "x.json") << R"({"name": "stem", "type": "conv", "dtype": "bf16",
             "input": [2, 3, 64, 64], "out_channels": 64, "kernel_size": 5, "stride": 4})";
  const std::string line = "roofline x.json --gpu h100 --explain stem --assume layout=";
  const std::string named =
      "             on vector units: the library has no tensor-core kernel as fast for this:\n"
      "             3 channels in bf16, NCHW\n";
  CHECK(run(folder, line + "nchw").out.find(named) != std::string::npos);
  CHECK(run(folder, line + "nhwc").out.find("3 channels in bf16, NHWC\n") != std::string::npos);
  std::ofstream(folder / "x.json") << R"({"name": "stem", "type": "conv", "dtype": "bf16",
             "input": [64, 64, 64], "out_channels": 64, "kernel_size": 5, "stride": 4})";
  CHECK(run(folder, line + "nhwc").out.find(" on vector units") == std::string::npos);
  // A network's table says how much of its time goes there.
  folder.write("net.json",
               R"({"layers": [{"type": "conv", "input": [160, 56, 56], "out_channels": 160, )"
               R"("kernel_size": 7, "padding": 3, "groups": 32}, {"type": "relu"}]})");
  const std::string table = run(folder,
                                "roofline net.json --gpu a100 --batch 32 --assume "
                                "engine=tf32,layout=nchw")
                                .out;
  CHECK(table.find("% of the time on vector units, as the library has no tensor-core kernel for\n"
                   "groups of 5 channels in fp32, NCHW\n") != std::string::npos);
}

TEST_CASE("A gap between two engines names both peaks", "[report/explanations]") {
  const TemporaryFolder folder;
  folder.write("x.json", R"({"name": "c65", "type": "conv1d", "batch": 4, "input": [65, 128],
      "out_channels": 1280, "kernel_size": 5, "padding": 2, "dtype": "tf32", "layout": "nchw"})");
  const std::string text = run(folder, "roofline x.json --gpu mi300x --explain c65").out;
  CHECK(text.find("             on vector units: the library has no better kernel\n"
                  "             peaks: fp32 163.4 TFLOP/s of the kernel, tf32 653.7 TFLOP/s of the "
                  "roofline\n") != std::string::npos);
}

TEST_CASE("Tensors of 2^31 elements have a note", "[report/explanations]") {
  const TemporaryFolder folder;
  const auto table_of = [&](const char* name, const char* size) {
    folder.write(name, R"({"type": "conv", "input": [64, 128, )" + std::string(size) + ", " + size +
                           R"(], "out_channels": 128, "kernel_size": 3, "dtype": "bf16"})");
    return run(folder, std::string("roofline ") + name + " --gpu a100").out;
  };
  const std::string note =
      "\nconv0: libraries split tensors of 2^31 elements or fall back to slower kernels\n";
  CHECK(table_of("large.json", "513").find(note) != std::string::npos);  // 2.156 G elements
  CHECK(table_of("less.json", "511").find("2^31") == std::string::npos);
}

TEST_CASE("Nothing to explain", "[report/explanations]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline resnet50 --gpu v100 --explain conv");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "roofline: no layer to explain is called \"conv\"; did you mean \"conv1\"?\n");
}
