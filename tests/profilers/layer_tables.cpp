// Lists of layers that others use. The counts of MACs are worked out by hand from each list's own
// definition of its columns.

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "report/text.hpp"
#include "roofline/counts.hpp"

using namespace roofline;

namespace {

Records read_list(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  return read_path(folder.write(name, text), folder.path());
}

}  // namespace

TEST_CASE("MIOpenDriver's lines are layers, alone and in a log", "[profilers/layer_tables]") {
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
      {"MIOpenDriver.exe convbfp16 -n 1 -c 16 --in_d 5 -H 10 -W 6 -k 8 --fil_d 3 -y 1 -x 1 --pad_d "
       "1 -p 0 -q 0 --conv_stride_d 1 -u 1 -v 1 --spatial_dim 3 --in_layout NDHWC -F 1",
       LayerKind::conv, "1x8x5x10x6", 8ULL * 5 * 10 * 6 * 16 * 3},
      {"$ MIOpenDriver conv -n 2 -c 4 -H 5 -W 5 -k 6 -y 2 -x 2 -p 0 -q 0 -u 2 -v 2 -m trans -F 1",
       LayerKind::conv_transpose, "2x6x10x10", 2ULL * 4 * 25 * 6 * 4},
      // The driver's own defaults: 100 images of 3x32x32, 32 3x3 filters.
      {"MIOpenDriver conv -F 1", LayerKind::conv, "100x32x30x30", 100ULL * 32 * 900 * 27},
      {"MIOpenDriver pool -n 1 -c 64 -H 112 -W 56 -y 3 -x 2 -v 2 -u 1 -p 1 -q 0 -m max -F 1",
       LayerKind::max_pool, "1x64x56x55", 0},
      {"MIOpenDriver pool -W 1x1x4x6,NCHW -y 2 -x 2 -p 0 -q 0 -m avg -F 1", LayerKind::avg_pool,
       "1x1x3x5", 0},
      {"MIOpenDriver bnorm -n 4 -c 8 -H 2 -W 2 -m 1 --forw 2 -b 0 --layout NHWC",
       LayerKind::batch_norm, "4x8x2x2", 0},
      {"MIOpenDriver activfp16 -n 2 -c 3 -H 4 -W 5 -m 9 -F 1", LayerKind::elu, "2x3x4x5", 0},
      {"MIOpenDriver softmax -n 2 -c 10 -H 1 -W 1 -F 1", LayerKind::softmax, "2x10x1x1", 0},
      {"MIOpenDriver gemm -m 64 -n 128 -k 256 -b 2 -F 1", LayerKind::matmul, "2x128x64",
       2ULL * 64 * 128 * 256},
  };
  for (const Case& each : cases) {
    INFO(each.line);
    const Records records = read_list("x.log", "noise\n" + each.line + "\nmore noise\n");
    CHECK(records.errors.empty());
    REQUIRE(records.layers.size() == 1);
    const Layer& layer = records.layers.front();
    CHECK(layer.kind == each.kind);
    CHECK(shape_text(layer.output) == each.output);
    CHECK(count(layer).macs == each.macs);
  }
}

TEST_CASE("MIOpenDriver's types, layouts and passes", "[profilers/layer_tables]") {
  const auto layers = [](const std::string& line) {
    return read_list("x.txt", line + " -n 1 -c 8 -H 8 -W 8 -k 8\n").layers;
  };
  CHECK(layers("MIOpenDriver conv -F 1")[0].dtypes.input == DataType::fp32);
  CHECK(layers("MIOpenDriver convfp16 -F 1")[0].dtypes.input == DataType::fp16);
  CHECK(layers("MIOpenDriver convbfp16 -F 1")[0].dtypes.input == DataType::bf16);
  CHECK(layers("MIOpenDriver convint8 -F 1")[0].dtypes.input == DataType::int8);
  CHECK(layers("MIOpenDriver convbfp8 -F 1")[0].dtypes.input == DataType::fp8);
  CHECK(layers("MIOpenDriver conv --in_layout NHWC -F 1")[0].layout == Layout::nhwc);
  CHECK(layers("MIOpenDriver conv -in_layout=NCHW -F 1")[0].layout == Layout::nchw);
  CHECK(layers("MIOpenDriver bnorm --forw 1 -b 0")[0].batch_statistics);
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
          "[profilers/layer_tables]") {
  const std::string conv = "MIOpenDriver conv -n 1 -c 8 -H 8 -W 8 -k 8 -F 1\n";
  const std::string other = "MIOpenDriver conv -n 2 -c 8 -H 8 -W 8 -k 8 -F 1\n";
  const Records records = read_list(
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

TEST_CASE("DeepBench's lists are networks by set", "[profilers/layer_tables]") {
  const std::string convs =
      "// Vector saves w, h, c, n, k, filter_w(s), filter_h(r), pad_w, pad_h, wstride, hstride\n"
      "std::vector<std::tuple<unsigned int, unsigned int>> training_set = {\n"
      "    std::make_tuple(700, 161, 1, 4, 32, 20, 5, 0, 0, 2, 2),\n"
      "    std::make_tuple(151, 40, 1, 1, 32, 20, 5, 8, 8, 8, 2)\n};\n"
      "std::vector<std::tuple<unsigned int>> inference_device_set = {\n"
      "    //std::make_tuple(7, 7, 512, 1, 512, 3, 3, 1, 1, 1, 1), left out\n"
      "    std::make_tuple(14, 14, 1024, 1, 2048, 1, 1, 0, 0, 2, 2)\n};\n";
  const Records records = read_list("conv_problems.h", convs);
  CHECK(records.errors.empty());
  REQUIRE(records.networks.size() == 2);
  CHECK(records.networks[0].name == "conv_problems.training_set");
  CHECK(records.networks[1].name == "conv_problems.inference_device_set");
  REQUIRE(records.layers.size() == 3);
  // 341 x 79 places: (700 - 20) / 2 + 1 by (161 - 5) / 2 + 1.
  CHECK(count(records.layers[0]).macs == 4ULL * 32 * 341 * 79 * 100);
  // 19 x 26 places: (151 + 16 - 20) / 8 + 1 by (40 + 16 - 5) / 2 + 1.
  CHECK(count(records.layers[1]).macs == 32ULL * 19 * 26 * 100);
  CHECK(count(records.layers[2]).macs == 2048ULL * 7 * 7 * 1024);

  const Records gemms = read_list("gemm_problems.h",
                                  "std::vector<std::tuple<int, int, int, bool, bool>> a = {\n"
                                  "    std::make_tuple(1760, 16, 1760, false, false),\n"
                                  "    std::make_tuple(5124, 9124, 1760, true, false)\n};\n");
  CHECK(gemms.errors.empty());
  REQUIRE(gemms.layers.size() == 2);
  CHECK(count(gemms.layers[1]).macs == 5124ULL * 9124 * 1760);
}

TEST_CASE("SCALE-Sim's topologies are convolutions without padding, or products",
          "[profilers/layer_tables]") {
  const Records convs = read_list(
      "net.csv",
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides,\n\nConv1     ,224         ,224        ,11           ,11          ,3       ,96     "
      "   ,4      ,\n\tConv2_dw, 112, 112, 3, 3, 1, 1, 1,#dw\nFC,1,1,1,1,1024,1000,1\n");
  CHECK(convs.errors.empty());
  CHECK(convs.notes.empty());
  REQUIRE(convs.layers.size() == 3);
  CHECK(convs.layers[0].name == "Conv1");
  // (224 - 11) / 4 + 1 = 54
  CHECK(count(convs.layers[0]).macs == 96ULL * 54 * 54 * 3 * 121);
  CHECK(convs.layers[1].name == "Conv2_dw");
  CHECK(count(convs.layers[1]).macs == 110ULL * 110 * 9);
  CHECK(count(convs.layers[2]).macs == 1024ULL * 1000);
  const Records products = read_list("vit.csv", "Layer,M,N,K,\r\nL0,196,1536,384,\r\n\r\n");
  CHECK(products.errors.empty());
  REQUIRE(products.layers.size() == 1);
  CHECK(count(products.layers[0]).macs == 196ULL * 1536 * 384);
}

TEST_CASE("A line of a list that is wrong costs only itself", "[profilers/layer_tables]") {
  struct Case {
    std::string name;
    std::string text;
    std::string error;
  };
  const std::string scale_sim =
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
      "Strides,\ngood,8,8,1,1,1,1,1,\n";
  const std::string driver = "MIOpenDriver conv -n 1 -c 8 -H 8 -W 8 -k 8 -F 1\n";
  const std::string deepbench =
      "std::vector<std::tuple<int>> a = {\nstd::make_tuple(8, 8, 8, false, false),\n";
  const std::vector<Case> cases{
      {"a.log", driver + "MIOpenDriver conv -u 0\n",
       "a.log:2: stride: expected an integer >= 1, got 0"},
      {"a.log", driver + "MIOpenDriver conv -u two\nMIOpenDriver rnn -n 4\n",
       "a.log:2: -u: expected a whole number, got \"two\"; left out with 1 more row that cannot be "
       "read"},
      {"a.log", driver + "MIOpenDriver rnn -n 4\n",
       "a.log:2: expected MIOpenDriver with conv, pool, bnorm, activ, softmax or gemm, got "
       "\"rnn\""},
      {"a.log", driver + "MIOpenDriver activ -m 6\n",
       "a.log:2: -m: expected an activation that is a kind of layer (1, 2, 3, 7, 8 or 9), got 6"},
      {"a.log", driver + "MIOpenDriver conv -n 99999999999999999999\n",
       "a.log:2: -n: expected a whole number, got \"99999999999999999999\""},
      {"a.h", deepbench + "std::make_tuple(1, 2, 3, \"lstm\")};\n",
       "a.h:3: expected a convolution (w, h, c, n, k, filter_w, filter_h, pad_w, pad_h, wstride, "
       "hstride) or a product (m, n, k, a_t, b_t), got \"1, 2, 3, \"lstm\"\""},
      {"a.csv", scale_sim + "x,8,8,a,1,1,1,1,\n",
       "a.csv:3: Filter Height: expected a whole number, got \"a\""},
      {"a.csv", scale_sim + "x,8,8,1\n", "a.csv:3: expected a name and 7 numbers, got 4 cells"},
  };
  for (const Case& each : cases) {
    INFO(each.text);
    const Records records = read_list(each.name, each.text);
    CHECK(records.errors == std::vector<std::string>{each.error});
    CHECK(records.layers.size() == 1);
  }
  // A window larger than its image names the line too.
  const Records large = read_list("a.csv", scale_sim + "x,2,2,3,3,1,1,1,\n");
  REQUIRE(large.errors.size() == 1);
  CHECK(large.errors.front().starts_with("a.csv:3: "));
  CHECK(large.layers.size() == 1);
}
