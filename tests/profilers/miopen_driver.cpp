// MIOpenDriver's command lines. The counts of MACs are worked out by hand from the driver's own
// help.

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "report/text.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

TEST_CASE("MIOpenDriver's lines are layers, alone and in a log", "[profilers/miopen_driver]") {
  struct Case {
    std::string line;
    LayerKind kind;
    std::string output;
    std::uint64_t macs;
  };
  const std::vector<Case> cases{
      // ResNet-50's convolution: 32 images, 64 channels, 56x56, 64 3x3 filters.
      {"./bin/MIOpenDriver conv -n 32 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 "
       "-j 1 -m conv -g 1 -F 1 -t 1",
       LayerKind::conv, "32x64x56x56", 32ULL * 64 * 56 * 56 * 64 * 9},
      {"MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver conv --batchsize 1 "
       "--in_channels 8 -H 16 -W 10 -k 4 -y 5 -x 3 -p 2 -q 0 -u 2 -v 1 -g 4 -F 1",
       LayerKind::conv, "1x4x8x8", 4ULL * 8 * 8 * 2 * 15},
      // A list of Python.
      {"  \"MIOpenDriver conv -n 2 -c 4 -H 5 -W 5 -k 6 -y 1 -x 1 -F 1\", 'conv 2'],",
       LayerKind::conv, "2x6x5x5", 2ULL * 6 * 25 * 4},
      {"MIOpenDriver.exe convbfp16 -n 1 -c 16 --in_d 5 -H 10 -W 6 -k 8 --fil_d 3 -y 1 -x 1 --pad_d "
       "1 -p 0 -q 0 --conv_stride_d 1 -u 1 -v 1 --spatial_dim 3 --in_layout NDHWC -F 1",
       LayerKind::conv, "1x8x5x10x6", 8ULL * 5 * 10 * 6 * 16 * 3},
      {"$ MIOpenDriver conv -n 2 -c 4 -H 5 -W 5 -k 6 -y 2 -x 2 -p 0 -q 0 -u 2 -v 2 -m trans -F 1",
       LayerKind::conv_transpose, "2x6x10x10", 2ULL * 4 * 25 * 6 * 4},
      // The driver's own defaults: 100 images of 3x32x32, 32 3x3 filters.
      {"MIOpenDriver conv -F 1", LayerKind::conv, "100x32x30x30", 100ULL * 32 * 900 * 27},
      {"$ MIOpenDriver conv -n 2 -c 4 -H 5 -W 5 -k 6 -y 2 -x 2 -u 2 -v 2 -m trans -Y 1 "
       "--trans_output_pad_w 1 -F 1 2>&1 | tee log",
       LayerKind::conv_transpose, "2x6x11x11", 2ULL * 4 * 25 * 6 * 4},
      // All options of the driver's help that say nothing of the layer.
      {"MIOpenDriver conv -n 1 -c 2 -H 4 -W 4 -k 2 -O NCHW -f NCHW -i 5 -V 0 -C /tmp -t 1 -w 1 -s "
       "0 "
       "-P 0 -o 0 -d x -e x -D x -S 3 -r 0 -L 1 -Z 0 -z default -F 1 && echo done # once",
       LayerKind::conv, "1x2x2x2", 4ULL * 2 * 2 * 9},
  };
  for (const Case& each : cases) {
    INFO(each.line);
    const Records records = read_records("x.log", "noise\n" + each.line + "\nmore noise\n");
    CHECK(records.errors.empty());
    REQUIRE(records.layers.size() == 1);
    const Layer& layer = records.layers.front();
    CHECK(layer.kind == each.kind);
    CHECK(shape_text(layer.output) == each.output);
    CHECK(count(layer).macs == each.macs);
  }
}

TEST_CASE("A line of Python may list several commands", "[profilers/miopen_driver]") {
  const Records records = read_records(
      "x.py",
      "a = [\"./MIOpenDriver conv -n 2 -F 1 -t 1\", \"MIOpenDriver.exe conv -n 4 -F 1\", 'x']\n");
  CHECK(records.errors.empty());
  REQUIRE(records.layers.size() == 2);
  CHECK(shape_text(records.layers[0].output) == "2x32x30x30");
  CHECK(shape_text(records.layers[1].output) == "4x32x30x30");
}

TEST_CASE("A log has as many runs as it has commands", "[profilers/miopen_driver]") {
  const auto log = [](std::size_t commands) {
    std::string text;
    for (std::size_t i = 0; i < commands; ++i)
      text += "MIOpenDriver conv -n 1 -c 1 -H 1 -W 1 -k 1 -y 1 -x 1 -F 1\n";
    return text;
  };
  const Records all = read_records("x.log", log(200'100));
  CHECK(all.errors.empty());
  CHECK(all.layers.size() == 200'100);
  LayerDefaults defaults;
  defaults.limits.runs = 4;
  CHECK(read_records("x.log", log(5), defaults).layers.size() == 5);
  CHECK(read_records("x.log", log(6), defaults).errors ==
        std::vector<std::string>{
            "x.log:1: expected at most 4 runs of a log's or a recording's layers in all, each 400 "
            "bytes of names and operands counting as one, got more"});
}

TEST_CASE("Comments are no commands, and the driver's echo is none of its own",
          "[profilers/miopen_driver]") {
  const auto runs = [](const std::string& text) {
    return read_records("x.log", text).layers.size();
  };
  const std::string conv = "MIOpenDriver conv -n 1 -c 8 -H 8 -W 8 -k 8 -F 1";
  const std::string time = "GPU Kernel Time Forward Conv. Elapsed: 0.08 ms (average)\n";
  CHECK(runs("# " + conv + "\n#" + conv + "\n##../bin/" + conv + "\n# old: ./" + conv + "\n" +
             conv + " -V 0 # " + conv + "\n") == 1);
  CHECK(runs("root@host:/# /opt/rocm/bin/" + conv + "\n") == 1);
  CHECK(read_records("x.log", "# " + conv + "\n").errors ==
        std::vector<std::string>{
            "x.log: expected a command of MIOpenDriver, got comments alone (#)"});
  for (const char* const typed : {"user@host:~$ /opt/rocm/bin/", "+ ./", "$ sudo ", "A=1 "}) {
    INFO(typed);
    CHECK(runs(std::string(typed) + conv + "\n" + conv + "\nPRNG seed: 1\n" + time) == 1);
    CHECK(runs(std::string(typed) + conv + " 2>&1 | tee log\n" + conv + "\n" + time) == 1);
    CHECK(runs(std::string(typed) + conv + "\n" + conv + "\n" + time + typed + conv + "\n" + conv +
               "\n") == 2);
    CHECK(runs(std::string(typed) + conv + "\n" + time + conv + "\n" + time) == 2);
    CHECK(runs(std::string(typed) + conv + "\n" + conv + " -V 0\n") == 2);
  }
  const Records old = read_records("x.log", "MIOpenDriver: conv -n 1 -F 1 -t 1\n" + time);
  CHECK(old.errors.empty());
  REQUIRE(old.layers.size() == 1);
  CHECK(*old.layers[0].measured->warm_s == Approx(80e-6));
}

TEST_CASE("Commands without the driver's name, alone and as a table", "[profilers/miopen_driver]") {
  const Records list =
      read_records("x.txt",
                   "# two convolutions\n"
                   "convbfp16 -n 2 -c 96 -H 60 -W 60 -k 96 -y 3 -x 3 -p 1 -q 1 --in_layout NHWC "
                   "--fil_layout NHWC --out_layout NHWC -m conv -g 1 -F 1 -t 1\n"
                   "\"conv -n 2 -c 192 -H 30 -W 30 -k 192 -y 1 -x 1 -F 2\",\n");
  CHECK(list.errors.empty());
  REQUIRE(list.layers.size() == 2);
  CHECK(list.layers[0].dtypes.input == DataType::bf16);
  CHECK(list.layers[0].layout == Layout::nhwc);
  CHECK(count(list.layers[0]).macs == 2ULL * 96 * 60 * 60 * 96 * 9);
  CHECK(list.layers[1].layout == Layout::nchw);
  CHECK(list.layers[1].pass == Pass::dgrad);

  const std::string header = "-W,-H,-c,-n,-k,-x,-y,-q,-p,-u,-v,-F,-g\n";
  LayerDefaults defaults;
  defaults.dtype = DataType::fp16;
  const Records table = read_records("x.csv",
                                     header +
                                         "7,7,160,32,224,3,3,1,1,1,1,1,1\n"
                                         "7,7,160,32,224,3,3,1,1,0,1,1,1\n"
                                         "7,7,160,32,224,3,3,1,1,,,,\n",
                                     defaults);
  CHECK(table.errors ==
        std::vector<std::string>{"x.csv:3: stride: expected an integer >= 1, got 0"});
  REQUIRE(table.layers.size() == 4);  // no -F is all three passes
  CHECK(count(table.layers[0]).macs == 32ULL * 224 * 7 * 7 * 160 * 9);
  CHECK(table.layers[0].dtypes.input == DataType::fp16);  // no column tells
  CHECK(table.layers[0].layout == Layout::nchw);
  CHECK(read_records("x.csv", header + "7,7\n").errors ==
        std::vector<std::string>{"x.csv:2: expected 13 cells, got 2"});
}

TEST_CASE("Of the kernels that the driver lists, the fastest is the layer's",
          "[profilers/miopen_driver]") {
  const std::string list =
      "MIOpenDriver convfp16 -n 8 -c 64 -H 96 -W 96 -k 64 -p 1 -q 1 -F 3 -t 1 -S 0\n"
      "Forward Conv solutions available: 4\n"
      "- id: 85 algo: 1, time: 27.6 ms, ws: 0, name: ConvDirectNaiveConvFwd\n"
      "- id: 91 algo: 0, time: 1.5 ms, ws: 64, name: GemmFwdRest\n"
      "- id: 92 algo: 5, time: -1 ms, ws: 0, name: ConvUnknown\n"
      "- id: 93 algo: 3, time: 2 ms, ws: 0, name: ConvWino\n"
      "Backward Data Conv solutions available: 1\n"
      "- id: 86 algo: 1, time: 3 ms, ws: 0, name: ConvDirectNaiveConvBwd\n";
  const auto measured = [](const std::string& text, std::size_t layer) {
    const Records records = read_records("x.log", text);
    CHECK(records.errors.empty());
    REQUIRE(records.layers.size() == 2);
    return *records.layers[layer].measured;
  };
  CHECK(*measured(list, 0).warm_s == Approx(1.5e-3));
  CHECK(measured(list, 0).kernel == "GemmFwdRest");
  CHECK(measured(list, 0).other_kernels == "ConvDirectNaiveConvFwd 27.6 ms, ConvWino 2 ms");
  CHECK(*measured(list, 1).warm_s == Approx(3e-3));
  CHECK(measured(list, 1).kernel == "ConvDirectNaiveConvBwd");
  // What ran is printed behind the list.
  const std::string ran =
      "MIOpen Forward Conv. Algorithm: 3, Solution: 139/ConvWinoFuryRxS<2-3>\n"
      "GPU Kernel Time Forward Conv. Elapsed: 2.25 ms (average)\n";
  CHECK(*measured(list + ran, 0).warm_s == Approx(2.25e-3));
  CHECK(measured(list + ran, 0).kernel == "ConvWinoFuryRxS<2-3>");
}

TEST_CASE("MIOpenDriver's types, layouts and passes", "[profilers/miopen_driver]") {
  const auto layers = [](const std::string& line) {
    return read_records("x.txt", line + " -n 1 -c 8 -H 8 -W 8 -k 8\n").layers;
  };
  CHECK(layers("MIOpenDriver conv -F 1")[0].dtypes.input == DataType::fp32);
  CHECK(layers("MIOpenDriver convfp16 -F 1")[0].dtypes.input == DataType::fp16);
  CHECK(layers("MIOpenDriver convbfp16 -F 1")[0].dtypes.input == DataType::bf16);
  CHECK(layers("MIOpenDriver convint8 -F 1")[0].dtypes.input == DataType::int8);
  CHECK(layers("MIOpenDriver convbfp8 -F 1")[0].dtypes.input == DataType::fp8);
  for (const char* type : {"", "fp16", "bfp16", "int8"})
    CHECK(layers("MIOpenDriver conv" + std::string(type) + " -F 1")[0].layout == Layout::nchw);
  CHECK(layers("MIOpenDriver convfp16 -_ 3 -F 1")[0].layout == Layout::nchw);
  CHECK(layers("MIOpenDriver conv --in_layout NHWC -F 1")[0].layout == Layout::nhwc);
  CHECK(layers("MIOpenDriver conv -in_layout=NCHW -F 1")[0].layout == Layout::nchw);
  CHECK(layers("MIOpenDriver conv -Z 1 -F 1")[0].layout == Layout::blocked);
  struct Case {
    std::string flag;
    std::vector<Pass> passes;
  };
  const std::vector<Case> cases{{"0", {Pass::fwd, Pass::dgrad, Pass::wgrad}},
                                {"1", {Pass::fwd}},
                                {"2", {Pass::dgrad}},
                                {"4", {Pass::wgrad}},
                                {"3", {Pass::fwd, Pass::dgrad}},
                                {"6", {Pass::dgrad, Pass::wgrad}}};
  for (const Case& each : cases) {
    std::vector<Pass> passes;
    for (const Layer& layer : layers("MIOpenDriver conv -F " + each.flag))
      passes.push_back(layer.pass);
    CHECK(passes == each.passes);
  }
}

TEST_CASE("A log's repeated commands are copies, its searches none, and its times are measured",
          "[profilers/miopen_driver]") {
  const std::string conv = "MIOpenDriver conv -n 1 -c 8 -H 8 -W 8 -k 8 -F 1\n";
  const std::string other = "MIOpenDriver conv -n 2 -c 8 -H 8 -W 8 -k 8 -F 1\n";
  const Records records = read_records(
      "x.log", "MIOpen(HIP): Command [LogCmdFindConvolution] " + conv + conv + conv + conv +
                   "GPU Kernel Time Forward Conv. Elapsed: 0.642458 ms (average)\n" +
                   "MIOpen(HIP): Command [LogCmdFindConvolution] " + other);
  CHECK(records.errors.empty());
  REQUIRE(records.layers.size() == 4);
  CHECK(*records.layers[0].measured->warm_s == Approx(642.458e-6));
  CHECK(records.layers[2].output.batch == 1);
  CHECK(records.layers[3].output.batch == 2);
  CHECK_FALSE(records.layers[3].measured->is_known());
}

TEST_CASE("A line of a list that is wrong costs only itself", "[profilers/miopen_driver]") {
  struct Case {
    std::string name;
    std::string text;
    std::string error;
  };
  const std::string driver = "MIOpenDriver conv -n 1 -c 8 -H 8 -W 8 -k 8 -F 1\n";
  const std::vector<Case> cases{
      {"a.log", driver + "MIOpenDriver conv -u 0\n",
       "a.log:2: stride: expected an integer >= 1, got 0"},
      {"a.log", driver + "MIOpenDriver conv -g 0\n",
       "a.log:2: groups: expected an integer >= 1, got 0"},
      {"a.log", driver + "MIOpenDriver conv -u two\n",
       "a.log:2: -u: expected a whole number, got \"two\""},
      {"a.log", driver + "MIOpenDriver " + std::string(1'000'000, 'r') + "\n",
       "a.log:2: expected MIOpenDriver conv, the only operation that is read, got \"" +
           std::string(200, 'r') + "...\""},
      {"a.log", driver + "MIOpenDriver rnn -n 4\n",
       "a.log:2: expected MIOpenDriver conv, the only operation that is read, got \"rnn\""},
      {"a.log", driver + "MIOpenDriver conv -F 8\n",
       "a.log:2: -F: expected passes as a number up to 7, got 8"},
      {"a.log", driver + "GPU Kernel Time Forward Conv. Elapsed: 1e300 ms (average)\n",
       "a.log:2: expected a time above 0 and of less than a year, got \"1e300 ms (average)\""},
      {"a.log", driver + "GPU Kernel Time Forward Conv. Elapsed: -1 ms (average)\n",
       "a.log:2: expected a time above 0 and of less than a year, got \"-1 ms (average)\""},
      {"a.log", driver + "MIOpenDriver bnormfp16 -n 4 -c 8 -H 2 -W 2 --forw 2\n",
       "a.log:2: expected MIOpenDriver conv, the only operation that is read, got \"bnormfp16\""},
      // What a shell would have put in, or a person wrote, may be all that the layer is.
      {"a.log", driver + "MIOpenDriver conv ${OPTIONS}\n",
       "a.log:2: expected a known option of MIOpenDriver, got \"${OPTIONS}\""},
      {"a.log", driver + "MIOpenDriver conv -n ${N} -F 1\n",
       "a.log:2: -n: expected a whole number, got \"${N}\""},
      {"a.log", driver + "MIOpenDriver conv -n 1 \\\n",
       "a.log:2: expected a known option of MIOpenDriver, got \"\\\""},
      {"a.log", driver + "MIOpenDriver conv -n 1 --fil_q 3\n",
       "a.log:2: expected a known option of MIOpenDriver, got \"--fil_q\""},
      {"a.log", driver + "MIOpenDriver conv -n 1 -U fp8\n",
       "a.log:2: expected a known option of MIOpenDriver, got \"-U\""},
      {"a.log", driver + "MIOpenDriver conv failed\n",
       "a.log:2: expected a known option of MIOpenDriver, got \"failed\""},
      {"a.log", driver + "MIOpenDriver conv -I NCHWc4\n",
       "a.log:2: -I: expected NCHW, NCDHW, NHWC, NDHWC, got \"NCHWc4\""},
      {"a.log", driver + "MIOpenDriver conv -m depth\n",
       "a.log:2: -m: expected conv, trans, got \"depth\""},
      {"a.log", driver + "MIOpenDriver conv -n 99999999999999999999\n",
       "a.log:2: -n: expected a whole number up to 18446744073709551615, got "
       "\"99999999999999999999\""},
  };
  for (const Case& each : cases) {
    INFO(each.text);
    const Records records = read_records(each.name, each.text);
    CHECK(records.errors == std::vector<std::string>{each.error});
    CHECK(records.layers.size() == 1);
  }
  // Each has its line and its reason.
  std::string list = driver;
  for (const char* command : {"conv -u two", "rnn -n 4", "conv -g 0", "rnn -n 4 -V 1"})
    list += "MIOpenDriver " + std::string(command) + "\n" + driver;
  CHECK(read_records("a.log", list).errors ==
        std::vector<std::string>{
            "a.log:2: -u: expected a whole number, got \"two\"",
            "a.log:4: expected MIOpenDriver conv, the only operation that is read, got \"rnn\"",
            "a.log:6: groups: expected an integer >= 1, got 0",
            "a.log:8: expected MIOpenDriver conv, the only operation that is read, got \"rnn\""});
  list = driver;
  for (int i = 0; i < 10'003; ++i) list += "MIOpenDriver rnn -n " + std::to_string(i) + "\n";
  const std::vector<std::string> many = read_records("a.log", list).errors;
  REQUIRE(many.size() == 10'000);
  CHECK(many.front().ends_with("\"rnn\""));
  CHECK(many.back() ==
        "a.log:10001: expected MIOpenDriver conv, the only operation that is read, got \"rnn\"; "
        "left out with 3 "
        "more rows that cannot be read");
  // A window larger than its image names the line too.
  const Records large = read_records("a.log", driver + "MIOpenDriver conv -H 2 -W 2 -y 3 -x 3\n");
  REQUIRE(large.errors.size() == 1);
  CHECK(large.errors.front().starts_with("a.log:2: "));
  CHECK(large.layers.size() == 1);
}
