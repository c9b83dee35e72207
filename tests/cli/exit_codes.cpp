// 0: all evaluated. 1: some inputs could not be. 2: wrong usage. Results on stdout, the rest on
// stderr.

#include "catch.hpp"
#include "cli/process.hpp"
#include "pytorch/program_text.hpp"

namespace {}  // namespace

TEST_CASE("All evaluated: 0, results on stdout, nothing on stderr", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("conv.json", conv);
  const Outcome outcome = run(folder, "roofline conv.json --gpu v100");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.find("conv0") != std::string::npos);
  CHECK(outcome.err == "");
}

TEST_CASE("One bad file among good ones: 1, and the good ones' results", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("a.json", conv);
  folder.write("b.json", "{");
  folder.write("c.json", conv);
  const Outcome outcome = run(folder, "roofline a.json b.json c.json --gpu v100 --format csv");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "b.json:1:2: expected more JSON, got the end of the text\n");
  CHECK(lines_of(outcome.out).size() == 1 + 2 + 1);  // the last is the error
}

TEST_CASE("Nothing evaluated: 1, and JSON that says why", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline missing.json --gpu v100 --json");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err ==
        "missing.json: expected a file, a directory or a built-in network, found none of that name "
        "(roofline networks lists them)\n");
  CHECK(outcome.out.find("\"source\": \"missing.json\"") != std::string::npos);
}

TEST_CASE("A GPU without a peak for one layer's type costs that input", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"type": "relu", "input": [8], "dtype": "bf16"})");
  folder.write("b.json", conv);
  const Outcome outcome = run(folder, "roofline a.json b.json --gpu v100,a100 --format csv");
  CHECK(outcome.exit_code == 1);
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(lines_of(outcome.out).size() == 1 + 1 + 2 + 1);  // the last is the error
}

TEST_CASE("A bad line in a stream costs only itself", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("x.ndjson", conv + "\n{\"stride\": 0}\n" + conv + "\n");
  const Outcome outcome = run(folder, "roofline x.ndjson --gpu v100,a100 --format ndjson");
  CHECK(outcome.exit_code == 1);
  const std::vector<std::string> lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 5);  // in input order: the bad line's record stands between the good ones
  CHECK(lines[2] == R"({"schema_version":2,"source":"x.ndjson","where":"2: /stride","error":)"
                    R"("expected an integer >= 1, got 0"})");
  CHECK(lines_of(outcome.err).size() == 1);
}

TEST_CASE("Help and version: 0, on stdout", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  for (const char* line : {"roofline --help", "roofline -h", "roofline --version"}) {
    INFO(line);
    const Outcome outcome = run(folder, line);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out != "");
    CHECK(outcome.err == "");
  }
  CHECK(run(folder, "roofline --version").out == "roofline " ROOFLINE_VERSION "\n");
}

TEST_CASE("Help fits 100 columns and names every option", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(folder, "roofline --help");
  for (const std::string& line : lines_of(outcome.out)) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
  for (const char* option :
       {"--gpu", "--dtype", "--batch", "--pass", "--assume", "--set", "--kernel", "--format",
        "--json", "--output", "engine=auto | vector", "\n  gpus ", "\n  networks "}) {
    INFO(option);
    CHECK(outcome.out.find(option) != std::string::npos);
  }
}

TEST_CASE("Lists go to stdout", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome gpus = run(folder, "roofline gpus");
  CHECK(gpus.exit_code == 0);
  CHECK(gpus.out.find("Tesla V100 SXM2 16GB") != std::string::npos);
  const Outcome hopper = run(folder, "roofline gpus hopper");
  CHECK(hopper.out.find("\nH200 SXM 141GB ") != std::string::npos);
  CHECK(hopper.out.find("V100") == std::string::npos);
  CHECK(run(folder, "roofline networks --json | jq -r '.[]'").out ==
        run(folder, "roofline networks").out);
  const Outcome networks = run(folder, "roofline networks");
  CHECK(networks.exit_code == 0);
  CHECK(networks.out.find("resnet50\n") != std::string::npos);
}

TEST_CASE("Words alone begin with five questions; --help takes an option", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  const Outcome bare = run(folder, "roofline");
  CHECK(bare.exit_code == 0);
  std::size_t questions = 0;
  for (const std::string& line : lines_of(bare.out)) {
    CHECK(line.size() <= 80);
    questions += line.ends_with('?') && line.starts_with("  ") ? 1U : 0U;
  }
  CHECK(questions == 5);
  CHECK(run(folder, "roofline --help").out.starts_with(bare.out));
  for (const std::string name : {"top", "--top"})
    CHECK(run(folder, "roofline --help " + name).out ==
          "  --top N|P%|all          The first N rows, by time unless sorted; those of P% of the "
          "time; or\n"
          "                          every row\n");
  CHECK(
      run(folder, "roofline --help tile").out ==
      "  --kernel tile=...: MxNxK, as 128x64x8: a block computes M rows and N columns in steps of "
      "K\n");
  CHECK(run(folder, "roofline --help library").out.find("differ: MIOpen up to 7.0, later; cuDNN") !=
        std::string::npos);
  CHECK(run(folder, "roofline words").out.find("\n  within ") != std::string::npos);
  CHECK(run(folder, "roofline words share").out == "  share        of the total\n");
}

TEST_CASE("What people give in place of layers is told what to do", "[cli/exit_codes]") {
  const TemporaryFolder folder;
  folder.write("m.py", "import torch\n");
  folder.write("conv.json", conv);
  folder.write("m.yaml", "layers:\n  - type: conv\n");
  folder.write("k.cu", "__global__ void k() {}\n");
  folder.write("keras.txt", "Model: \"sequential\"\n____\n");
  folder.write("torchinfo.txt", "==========\nLayer (type:depth-idx)\n");
  const struct {
    std::string arguments;
    std::string message;
  } table[] = {
      {"m.yaml --gpu v100", "m.yaml:1:1: expected JSON, got YAML: write the same as JSON\n"},
      {"k.cu --gpu v100",
       "k.cu: this is a CUDA source, which is not read: write the layer that its kernel computes, "
       "such as {\"type\": \"matmul\", \"m\": 4096, \"n\": 4096, \"k\": 4096}, and give its time "
       "with --measured 9.1ms\n"},
      {"keras.txt --gpu v100",
       "keras.txt: this is a Keras summary, without kernel sizes, which is not read: export the "
       "model with model.export(\"model.onnx\", format=\"onnx\")\n"},
      {"torchinfo.txt --gpu v100",
       "torchinfo.txt: this is a torchinfo summary, without kernel sizes, which is not read: save "
       "the model with torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")\n"},
      {"gpt2 --gpu v100",
       "gpt2: expected a file, a directory or a built-in network, found none of that name; a model "
       "of PyTorch's is exported by program = torch.export.export(model, (example,)); "
       "torch.export.save(program, \"model.pt2\") (roofline networks lists them)\n"},
      {"m.py --gpu v100",
       "m.py: expected a model, got a program: a model of PyTorch's is exported by program = "
       "torch.export.export(model, (example,)); torch.export.save(program, \"model.pt2\")\n"},
      {"conv.json --gpu v100 --batch 32 64",
       "64: expected a file, a directory or a built-in network, found none of that name: a list of "
       "numbers has commas, as --batch 32,64 (roofline networks lists them)\n"},
      {"resnet50 v100",
       "v100: expected a file, a directory or a built-in network, found none of that name: a GPU "
       "is given by --gpu v100 (roofline networks lists them)\n"},
  };
  for (const auto& [arguments, message] : table) {
    INFO(arguments);
    const Outcome outcome = run(folder, "roofline " + arguments);
    CHECK(outcome.err == message);
    CHECK(outcome.exit_code == 1);
  }
}

TEST_CASE("An operator that is left out for want of a rule is an error, and no view",
          "[cli/exit_codes]") {
  constexpr int unknown_type = 99;
  ProgramText program;
  program.input("x", {"4", "8"})
      .parameter("b", {"8"}, unknown_type)
      .node("torch.ops.mine.squash.default", {"x", "b"}, "y", {"4", "8"});
  const auto outcome_of = [](const ProgramText& text) {
    const TemporaryFolder folder;
    folder.write("net.pt2", zipped({{"net/models/model.json", text.text()}}));
    return run(folder, "roofline net.pt2 --gpu h200");
  };
  const std::string left_out =
      "net.pt2: left out: mine::squash: no rule, and expected tensors of known types, got fp32 "
      "4x8, 8\n";
  const Outcome alone = outcome_of(program);
  CHECK(alone.err == left_out + "net.pt2: nothing to evaluate beside what is left out\n");
  CHECK(alone.exit_code == 1);
  const Outcome beside = outcome_of(program.node("relu", {"x"}, "z", {"4", "8"}));
  CHECK(beside.err.starts_with(left_out));
  CHECK(beside.out.starts_with("relu"));
  CHECK(beside.exit_code == 1);
}
