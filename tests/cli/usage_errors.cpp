// Wrong command lines: one line on stderr, exit code 2, nothing on stdout.

#include <set>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"

TEST_CASE("A wrong command line exits with 2 and says what is wrong", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  struct Case {
    std::string arguments;
    std::string message;
  };
  const std::vector<Case> table{
      {"--gpu v100",
       "no input: give a file, a directory, a built-in network, or - for standard input (see "
       "--help)"},
      {"conv.json", "no GPU: give one with --gpu, such as --gpu v100 (roofline gpus lists all)"},
      {"conv.json --gpuu v100", "no option is called --gpuu; did you mean \"--gpu\"? (see --help)"},
      {"--help gpuu", "--help: expected an option, got \"gpuu\"; did you mean \"gpu\"?"},
      {"calibrate --gpu v100",
       "calibrate: expected roofline-calibrate, a program of its own beside this one"},
      {"model v100",
       "model: expected roofline-calibrate model GPU, a program of its own beside this one"},
      {"conv.json --gpu v100 --format xml",
       "--format: expected one of table, json, ndjson, csv, markdown, svg, html, "
       "trace, got "
       "\"xml\" (see --help)"},
      {"conv.json --gpu v100 --json --chart time",
       "--chart time: expected --format svg or -o FILE.svg"},
      {"conv.json --gpu v100 --chart time", "--chart time: expected --format svg or -o FILE.svg"},
      {"conv.json --gpu v100 --format svg --chart time --explain conv",
       "--explain conv with --chart time: the picture of a layer is its roofline"},
      {"--explain conv.json --gpu v100",
       "no input: --explain takes \"conv.json\" for a layer; give the input first"},
      {"conv.json --gpu v100 --format csv --explain",
       "--explain with --format csv: expected another format than rows of layers"},
      {"conv.json --gpu v100 --dim h=18446744073709551616",
       "--dim: expected NAME=VALUE such as height=224, from 1 to 18446744073709551615, got "
       "\"h=18446744073709551616\""},
      {"conv.json --gpu v100 --explain conv --top 1",
       "--explain conv with --top 1: an explanation has no rows; a pattern such as "
       "'conv*' explains several layers"},
      {"conv.json --gpu v100,a100 --compare --sort flops",
       "--compare with --sort flops: changes are of layers, in the order of their size"},
      {"conv.json --gpu v100 --chart sweep --format svg",
       "sweep chart: expected two batches or more, got one (--batch 1,2,4,...,64)"},
      {"conv.json --gpu v100 --chart compare --format svg",
       "--chart: expected one of roofline, time, sweep, got \"compare\" (see --help)"},
      {"conv.json --gpu v100 --chart pie",
       "--chart: expected one of roofline, time, sweep, got \"pie\" (see --help)"},
      {"conv.json --gpu v100 --json --format csv", "--json and --format csv contradict each other"},
      {"conv.json --gpu v100 --dtype fp17",
       "--dtype: expected one of fp64, fp32, tf32, fp16, bf16, fp8, int8, int4, fp4, "
       "fp6, mxfp8, mxfp6, mxfp4, nvfp4, amp, amp-bf16, got \"fp17\"; did you mean \"fp16\"? (see "
       "--help)"},
      {"conv.json --gpu v100 --dtype int32",
       "--dtype: expected one of fp64, fp32, tf32, fp16, bf16, fp8, int8, int4, fp4, "
       "fp6, mxfp8, mxfp6, mxfp4, nvfp4, amp, amp-bf16, got \"int32\" (see --help)"},
      {"conv.json --gpu v100 --assume engine=magic",
       "--assume engine: expected one of auto, vector, tensor, tf32, fp16-accumulate, got "
       "\"magic\""},
      {"conv.json --gpu v100 --framework keras",
       "--framework: expected one of pytorch, torch-compile, tensorrt, deployed, got \"keras\" "
       "(see --help)"},
      {"conv.json --gpu v100 --framework tensorrt --pass training",
       "--framework tensorrt is for inference: expected --pass fwd, got training"},
      {"conv.json --gpu v100 --assume fuse=pointwise --pass training",
       "--assume fuse=pointwise is for inference: expected --pass fwd, got training"},
      {"conv.json --gpu v100 --kernel algorithm=gem",
       "--kernel algorithm: expected one of implicit_gemm, gemm, scatter_gemm, gemv, "
       "direct, winograd_2x2_fused, winograd_4x4_nonfused, winograd_5x5_nonfused, fft, fft_tiled, "
       "got \"gem\"; did you mean \"gemm\"?"},
      {"conv.json --gpu v100 --top nan%",
       "--top: expected a number of rows, a share of the time as 80%, or all, got \"nan%\""},
      {"conv.json --gpu v100 --top 0x10",
       "--top: expected a number of rows, a share of the time as 80%, or all, got \"0x10\""},
      {"conv.json --gpu v100 --assume fuse=none,fuse=eager",
       "--assume: expected one value of fuse, got two"},
      {"conv.json --gpu v100 --set bandwidth=x2 --set bandwidth=1TB/s",
       "--set: expected bandwidth=x2 or bandwidth=1TB/s, got both"},
      {"conv.json --gpu v100 --assume optimizer=adam",
       "--assume optimizer=adam: expected --pass training, whose memory it takes"},
      {"conv.json --gpu v100 --to-layers - --set bandwidth=x2",
       "--set bandwidth=x2 with --to-layers -: expected -o FILE, for results"},
      {"conv.json --gpu v100 --assume fusion=none",
       "--assume: expected KEY=VALUE, of fuse, launch, layout, cache, clock, engine, host-copies, "
       "library, optimizer, measured-gpu, got \"fusion=none\""},
      {"conv.json --gpu v100 --pass bwd",
       "--pass: expected dgrad, wgrad or training (with fwd), in place of \"bwd\" (see --help)"},
      {"conv.json --gpu v100 --batch 10,000",
       "--batch: expected numbers without a comma within, such as 10000, got \"000\""},
      {"conv.json --gpu v100 --format csv --fields name,boun",
       "--fields: expected columns of CSV such as name,bound,expected_time_s, got \"boun\"; did "
       "you "
       "mean \"bound\"?"},
      {"conv.json --gpu v100 --format csv --fields name,bound,name",
       "--fields: expected each column once, got \"name\" twice"},
      {"conv.json --gpu v100 --price t4=1,a100=2",
       "--price: expected prices of the GPUs of --gpu, got others"},
      {"conv.json --gpu v100 --fields name",
       "--fields name: expected --format ndjson or csv, which have columns"},
      {"conv.json --gpu v100 --kernel tile=16",
       "--kernel tile: expected MxNxK, the rows and columns of a block's results and the step "
       "along K, such as 16x16x16, or MxN, got \"16\""},
      {"conv.json --gpu v100 --kernel block=16x16x4",
       "--kernel block: expected the threads of a block, such as 16x16, got \"16x16x4\""},
      {"conv.json --gpu v100 --measured conv=1ms,conv2=9",
       "--measured: expected a file, or a time above 0 in ns, us, ms or s such as 9.143ms or "
       "conv1=9.143ms, got \"conv=1ms,conv2=9\""},
      {"conv.json --gpu v100 --measured conv=infms",
       "--measured: expected a file, or a time above 0 in ns, us, ms or s such as 9.143ms or "
       "conv1=9.143ms, got \"conv=infms\""},
      {"conv.json --gpu v100 --measured 9ms,8ms",
       "--measured: expected a file, or a time above 0 in ns, us, ms or s such as 9.143ms or "
       "conv1=9.143ms, got \"9ms,8ms\""},
      {"conv.json --gpu v100 --top 40% --top 1",
       "--top: At Most 1 required but received 2 (see --help)"},
      {"conv.json --gpu v100 --kernel threads=1.5",
       "--kernel threads: expected an integer from 1 to 1000000000, got \"1.5\""},
      {"conv.json --gpu v100 --first-line 18446744073709551616",
       "--first-line: expected an integer from 1 to 1000000000000000, got "
       "\"18446744073709551616\" (see --help)"},
      {"conv.json --gpu 'nvidia>=nanGB'",
       "expected limits such as >=48GB, <=300W or >1000GB/s in \"nvidia>=nanGB\", got "
       "\">=nanGB\""},
      {"conv.json --gpu \"$unset\"", "--gpu: expected a value, got an empty one (see --help)"},
      {"conv.json --gpu v100 --kernel-model ''",
       "--kernel-model: expected a value, got an empty one (see --help)"},
      {"conv.json --gpu v100 --constants 'dense.*'",
       "no option is called --constants: say roofline-calibrate --constants (see --help)"},
      {"conv.json --to-layers x.json -o x.csv",
       "no GPU: give one with --gpu, such as --gpu v100 (roofline gpus lists all)"},
      {"conv.json --to-layers x.json --explain",
       "no GPU: give one with --gpu, such as --gpu v100 (roofline gpus lists all)"},
      {"conv.json --gpu v100 --to-layers - --json",
       "--to-layers -: expected nothing else on standard output (-o FILE writes results)"},
      {"conv.json --gpu v100 --to-layers - --chart time --format svg",
       "--to-layers -: expected nothing else on standard output (-o FILE writes results)"},
      {"gpus -o x.csv", "The following argument was not expected: -o (see --help)"},
      {"networks --format csv", "networks has no option --format (see --help)"},
      {"words nothing",
       "words: expected a word or mark of a table, got \"nothing\" (roofline words lists all)"},
      {"a.json --script",
       "no option is called --script: say roofline-calibrate --script (see --help)"},
  };
  for (const Case& each : table) {
    INFO(each.arguments);
    const Outcome outcome = run(folder, "roofline " + each.arguments);
    CHECK(outcome.err == "roofline: " + each.message + "\n");
    CHECK(outcome.out == "");
    CHECK(outcome.exit_code == 2);
  }
}

TEST_CASE("A GPU that is not listed comes with two ways to describe it", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  // The numbers of the nearest GPU, NVIDIA's GeForce GTX 1080.
  const std::string expected =
      "roofline: unknown GPU \"gtx1070\"; did you mean gtx1080? (roofline gpus lists all)\n"
      "for a GPU that is not listed, take one of its architecture with its datasheet's numbers:\n"
      "  --gpu gtx1080 --set sms=20,clock=1.733GHz,memory=8GB,bandwidth=320GB/s,power=180W\n"
      "or write a file of three keys, and take --gpu gtx1070.json:\n"
      "  {\"name\": \"gtx1070\", \"peak_tflops\": {\"fp32\": 8.9}, \"bandwidth_gb_per_s\": "
      "320}\n";
  for (const std::string gpu : {"gtx1070", "v100,gtx1070"}) {
    const Outcome outcome = run(folder, "roofline conv.json --gpu " + gpu);
    CHECK(outcome.err == expected);
    CHECK(outcome.exit_code == 2);
  }
  // Both ways are as they may be pasted.
  const std::size_t set = expected.find("--gpu gtx1080");
  CHECK(run(folder, "roofline conv.json " + expected.substr(set, expected.find('\n', set) - set))
            .exit_code == 0);
  const std::size_t keys = expected.find('{');
  folder.write("gtx1070.json", expected.substr(keys));
  CHECK(run(folder, "roofline conv.json --gpu gtx1070.json").exit_code == 0);
  // A laptop's name is of no listed GPU; without a model, a common desktop's card stands in.
  CHECK(run(folder, "roofline gpus laptop").err ==
        "roofline: unknown GPU \"laptop\": laptops' GPUs are not listed, as each maker sets their "
        "power; those of desktops, workstations, servers and Jetson are (roofline gpus lists all)\n"
        "for a GPU that is not listed, take one of its architecture with its datasheet's numbers:\n"
        "  --gpu rtx4060 --set sms=24,clock=2.46GHz,memory=8GB,bandwidth=272GB/s,power=115W\n"
        "or write a file of three keys, and take --gpu laptop.json:\n"
        "  {\"name\": \"laptop\", \"peak_tflops\": {\"fp32\": 15.1}, \"bandwidth_gb_per_s\": "
        "272}\n");
  CHECK(run(folder, "roofline conv.json --gpu 'rtx 4070 laptop'")
            .err.find("  --gpu rtx4070 --set ") != std::string::npos);
}

TEST_CASE("A mapping that is odd is evaluated with a word on it", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("m.json", R"({"type": "matmul", "m": 512, "n": 512, "k": 512})");
  const std::pair<std::string, std::string> table[] = {
      {"tile=16x16x16,threads=256", ""},
      {"block=16x16", ""},
      {"tile=16x16,threads=100",
       "100 threads a block are no whole warps: 128 run, 28 of them idle"},
      {"tile=16x16,threads=1024",
       "a tile of 16x16 has 256 results for 1024 threads: 768 have none"},
  };
  for (const auto& [mapping, word] : table) {
    INFO(mapping);
    const Outcome outcome = run(folder, "roofline m.json --gpu v100 --kernel " + mapping);
    CHECK(outcome.err == (word.empty() ? "" : "m.json: " + word + "\n"));
    CHECK(outcome.exit_code == 0);
  }
  const std::string line = "roofline m.json --gpu v100 --kernel ";
  CHECK(run(folder, line + "block=16x16").out ==
        run(folder, line + "tile=16x16x16,threads=256").out);
  CHECK(run(folder, line + "tile=16x16").out == run(folder, line + "tile=16x16x16").out);
}

TEST_CASE("An option that an input cannot take is said of the input", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("stated.json", R"({"layers": [{"input": [3, 8, 8], "out_channels": 4,
    "kernel_size": 3, "dtype": "fp32"}]})");
  folder.write("stated.ndjson", "{\"type\": \"relu\", \"input\": [8], \"dtype\": \"fp32\"}\n");
  const std::string tests = ROOFLINE_SOURCE_FOLDER "/tests/";
  const std::string trace = tests + "traces/resnet18.fwd.fp16.b32.pt.trace.json.gz";
  const std::string kernels = tests + "profilers/net.h100.ncu.csv.gz";
  struct Case {
    std::string arguments;
    std::string message;
    int exit_code = 0;
  };
  const std::string log = tests + "tables/resnet50.miopen.log";
  const std::string database = tests + "tables/gfx942130.HIP.fdb.txt";
  const std::string engine = tests + "fuzz/seeds/engine_alone.json";
  const std::string ran = ": --dtype amp changes nothing: expected what still is to run";
  const std::vector<Case> table{
      {trace + " --dtype amp", trace + ran},
      {log + " --gpu mi300x --dtype amp", log + ran},
      {engine + " --gpu a100 --dtype amp", engine + ran},
      {database + " --gpu mi300x --dtype amp", database + ran},
      {database + " --gpu mi300x --pass wgrad",
       database + ": --pass wgrad changes nothing: all that ran states its pass"},
      {log + " --gpu mi300x --pass training --dtype amp-bf16",
       log + ": --dtype amp-bf16 changes nothing: expected what still is to run; --pass training "
             "changes nothing: all that ran states its pass"},
      {kernels + " --sort lost --dtype fp16",
       kernels + ": holds kernels, for which --dtype fp16, --sort lost does nothing: expected "
                 "layers, or counters of a known GPU"},
      {kernels + " --explain",
       kernels + ": holds kernels, for which --explain does nothing: expected layers, or counters "
                 "of a known GPU",
       1},
      {"stated.json --gpu v100 --dtype fp16",
       "stated.json: --dtype fp16 changes nothing: all layers state another type"},
      {"stated.ndjson --gpu v100 --dtype fp16",
       "stated.ndjson: --dtype fp16 changes nothing: all layers state another type"},
      {"stated.json --gpu v100 --assume engine=tf32",
       "stated.json: --assume engine=tf32 changes nothing: no layer is computed by it on this GPU"},
      {trace + " --dtype fp32",
       trace + ": --dtype fp32 changes nothing: all layers state another type"},
      {kernels + " --batch 8",
       kernels + ": holds kernels, for which --batch 8 does nothing: expected layers, or counters "
                 "of a known GPU"},
  };
  for (const Case& each : table) {
    INFO(each.arguments);
    const Outcome outcome = run(folder, "roofline " + each.arguments);
    CHECK(outcome.err.ends_with(each.message + "\n"));
    CHECK(outcome.exit_code == each.exit_code);
    CHECK(outcome.out.empty() == (each.exit_code == 1));  // all else is answered
  }
}

TEST_CASE("An old name is answered with its new spelling", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> table[] = {
      {"--algorithm", "--kernel algorithm=..."},
      {"--all", "--top all"},
      {"--bandwidth-gbs", "--set bandwidth=500GB/s"},
      {"--cache", "--assume cache=..."},
      {"--ceilings", "--set ceilings=sustained"},
      {"--constants", "roofline-calibrate --constants"},
      {"--cover", "--top 80%"},
      {"--engine", "--assume engine=..."},
      {"--fuse", "--assume fuse=..."},
      {"--host-copies", "--assume host-copies=..."},
      {"--launch", "--assume launch=..."},
      {"--layout", "--assume layout=..."},
      {"--list-gpus", "roofline gpus"},
      {"--list-networks", "roofline networks"},
      {"--measured-gpu", "--assume measured-gpu=..."},
      {"--minutes", "roofline-calibrate --script --minutes"},
      {"--optimizer", "--assume optimizer=..."},
      {"--peak-tflops", "--set peak=10TFLOP/s"},
      {"--registers", "--kernel registers=..."},
      {"--script", "roofline-calibrate --script"},
      {"--shared-memory-byte", "--kernel shared-memory-byte=..."},
      {"--show-gpu", "roofline gpus NAME"},
      {"--show-model", "roofline-calibrate model GPU"},
      {"--split-k", "--kernel split-k=..."},
      {"--stages", "--kernel stages=..."},
      {"--threads", "--kernel threads=..."},
      {"--tile", "--kernel tile=..."},
      {"--words", "roofline words"},
  };
  for (const auto& [before, after] : table) {
    INFO(before);
    const Outcome outcome = run(folder, "roofline resnet18 --gpu v100 " + before + " x");
    CHECK(outcome.err ==
          "roofline: no option is called " + before + ": say " + after + " (see --help)\n");
    CHECK(outcome.exit_code == 2);
  }
}

TEST_CASE("A number with leading zeros is decimal", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  const std::string line = "roofline resnet50 --gpu v100 --format ndjson --top ";
  CHECK(run(folder, line + "010").out == run(folder, line + "10").out);
}

TEST_CASE("A series of batches that goes nowhere is refused", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  struct Case {
    std::string batches;
    std::string message;
  };
  const std::vector<Case> table{
      {"1,...,8", "expected two numbers before \"...\", such as 1,2,4,...,1024"},
      {"4,2,...,8", "expected rising numbers before \"...\""},
      {"1,2,...", "expected a number after \"...\""},
      {"1,2,4,...,2", "expected a number above 4 after \"...\", got 2"},
      {"1,2,4,...,18446744073709551615,...,2",
       "expected a number above 18446744073709551615 after \"...\", got 2"},
      {"1,2,4,...,18446744073709551616",
       "expected integers from 1 to 18446744073709551615 such as 1,8,64, max or best, got "
       "\"18446744073709551616\""},
      {"1,2,3,...,18446744073709551615",
       "expected at most 1000 numbers, got more up to 18446744073709551615"},
  };
  for (const Case& each : table) {
    INFO(each.batches);
    const Outcome outcome = run(folder, "roofline conv.json --gpu v100 --batch " + each.batches);
    CHECK(outcome.err == "roofline: --batch: " + each.message + "\n");
    CHECK(outcome.out == "");
    CHECK(outcome.exit_code == 2);
  }
  const Outcome series = run(folder,
                             "roofline conv.json --gpu v100 --format csv --batch "
                             "1,2,4,...,64,96,...,160 | sed 1d | cut -d, -f6 | tr '\\n' ' '");
  CHECK(series.out == "1 2 4 8 16 32 64 96 128 160 ");
}

TEST_CASE("Numbers that cannot be are refused in a line one can read", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  for (const char* option :
       {"--batch 0", "--batch -1", "--batch 1.5", "--batch x", "--set peak=0TFLOP/s",
        "--set peak=-1TFLOP/s", "--set peak=nanTFLOP/s", "--set peak=inf", "--set bandwidth=0GB/s",
        "--set bandwidth=nan", "--set bandwidth=1e400GB/s"}) {
    INFO(option);
    const Outcome outcome = run(folder, std::string("roofline conv.json --gpu v100 ") + option);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out == "");
    INFO(outcome.err);
    REQUIRE(lines_of(outcome.err).size() == 1);
    CHECK(outcome.err.size() <= 160);
  }
}

TEST_CASE("An output file without a known extension", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  for (const char* name : {"out", "out.xml"}) {
    const Outcome outcome = run(folder, std::string("roofline conv.json --gpu v100 -o ") + name);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err.find(std::string("-o ") + name) != std::string::npos);
    CHECK(outcome.out == "");
  }
  const Outcome outcome = run(folder, "roofline conv.json --gpu v100 -o no/such/folder/x.json");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "roofline: cannot write no/such/folder/x.json: No such file or directory\n");
}

TEST_CASE("Options may stand before the input", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  folder.write("conv.json", R"({"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3})");
  const Outcome after = run(folder, "roofline conv.json --gpu v100 --format csv");
  CHECK(after.exit_code == 0);
  for (const char* line :
       {"roofline --gpu v100 conv.json --format csv", "roofline --format csv --gpu v100 conv.json",
        "roofline --gpu v100 --format csv conv.json",
        "roofline --gpu=v100 conv.json --format csv"}) {
    INFO(line);
    const Outcome before = run(folder, line);
    CHECK(before.exit_code == 0);
    CHECK(before.out == after.out);
  }
  const Outcome batch = run(folder, "roofline --gpu v100 --format csv --batch 1 conv.json");
  CHECK(batch.err == "");
  CHECK(batch.out == after.out);
}

TEST_CASE("No two options share a name", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  std::set<std::string> names;
  for (const std::string& line : lines_of(run(folder, "roofline --help").out)) {
    if (!line.starts_with("  -")) continue;
    std::istringstream shown(line.substr(2, line.find(' ', 2) - 2));  // "-o,--output"
    for (std::string name; std::getline(shown, name, ',');) {
      INFO(name);
      CHECK(names.insert(name).second);
    }
  }
  CHECK(names.count("--output") == 1);
}

TEST_CASE("--dtype takes a type as frameworks spell it", "[cli/usage_errors]") {
  const TemporaryFolder folder;
  const std::string plain = run(folder, "roofline resnet18 --gpu v100 --dtype fp16").out;
  for (const std::string type : {"FP16", "half", "f16", "torch.float16"})
    CHECK(run(folder, "roofline resnet18 --gpu v100 --dtype " + type).out == plain);
}
