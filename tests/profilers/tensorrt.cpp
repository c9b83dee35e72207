// Layers and profile as trtexec exports them: an engine of our own making.

#include "profilers/tensorrt.hpp"

#include "catch.hpp"
#include "load/record_reading.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "roofline/roofline.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

std::string tensor(const std::string& sizes, const std::string& format) {
  return R"([{"Name": "x", "Location": "Device", "Dimensions": )" + sizes +
         R"(, "Format/Datatype": ")" + format + "\"}]";
}

std::string layer(const std::string& name, const std::string& inputs, const std::string& outputs,
                  const std::string& more) {
  return R"({"Name": ")" + name + R"(", "Inputs": )" + inputs + R"(, "Outputs": )" + outputs +
         ", " + more + "}";
}

const std::string half = "Channel major FP16 format where channel % 8 == 0";
const std::string single = "Row major linear FP32";
const std::string images = "[2, 8, 4, 4]";

const std::string window =
    R"("Kernel": [3, 3], "PrePadding": [1, 1], "PostPadding": [1, 1], "Stride": [1, 1], )"
    R"("Dilation": [1, 1], "OutMaps": 8, "Groups": 1, "Weights": {"Type": "Half", "Count": 576}, )"
    R"("Bias": {"Type": "Half", "Count": 8})";

std::string engine(const std::vector<std::string>& layers) {
  std::string text = "{\"Layers\": [";
  for (std::size_t i = 0; i < layers.size(); ++i) text += (i > 0 ? ",\n" : "") + layers[i];
  return text + "],\n\"Bindings\": [\"x\", \"y\"]}\n";
}

std::string profile(const std::vector<std::pair<std::string, double>>& times_ms) {
  std::string text = "[\n  { \"count\" : 10 }\n";
  for (const auto& [name, time_ms] : times_ms)
    text += ", { \"name\" : \"" + name + "\", \"timeMs\" : " + std::to_string(10 * time_ms) +
            ", \"averageMs\" : " + std::to_string(time_ms) +
            ", \"medianMs\" : " + std::to_string(time_ms) + ", \"percentage\" : 1 }\n";
  return text + "]\n";
}

const std::string small_engine = engine(
    {layer("Reformat x", tensor(images, single), tensor(images, half),
           R"("LayerType": "Reformat", "ParameterType": "Reformat")"),
     layer("Conv_0 + Relu_1", tensor(images, half), tensor(images, half),
           R"("LayerType": "CaskConvolution", "ParameterType": "Convolution", )" + window),
     layer("Constant", "[]", tensor("[8]", half), R"("LayerType": "Constant")"),
     layer("myelin", tensor(images, half), tensor(images, half), R"("LayerType": "Myelin")")});

const std::string small_profile = profile(
    {{"Reformat x", 0.010}, {"Conv_0 + Relu_1", 0.030}, {"Constant", 0}, {"myelin", 0.020}});

const std::string metadata =
    R"({"performance_summary": {"GPU Compute Time": [0.044, 0.05, 0.0455, 0.045, 0.05]},)"
    R"( "device_information": {"Selected Device": "NVIDIA A100 80GB PCIe"}})";

std::shared_ptr<const NetworkSpec> read_spec(const std::string& path,
                                             const std::vector<std::string>& others = {}) {
  auto item = *open_input(path, others).value()->next();
  return item.value().spec({}).value();
}

}  // namespace

TEST_CASE("An engine's layers take their times from the profile beside them",
          "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("net.graph.json", small_engine);
  folder.write("net.profile.json", small_profile);
  const auto spec = read_spec(path);
  CHECK(spec->name == "net");
  REQUIRE(spec->layers.size() == 2);
  CHECK(*spec->layers[0].measured->warm_s == Approx(10e-6));
  CHECK(*spec->layers[1].measured->warm_s == Approx(30e-6));
  REQUIRE(spec->summary);
  CHECK(spec->summary->kernel_s == Approx(60e-6));
  CHECK(spec->summary->explained_share() == Approx(40.0 / 60));
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().name == "myelin");
  CHECK(spec->summary->unmodelled.front().reason == "a layer of type Myelin, which has no rule");
  CHECK(spec->summary->unmodelled.front().shapes == "fp16 2x8x4x4 to fp16 2x8x4x4");

  const std::vector<Layer> layers = infer(*spec, {}).value().layers;
  CHECK(layers[0].kind == LayerKind::copy);
  CHECK(count(layers[0]).bytes.total == (4 + 2) * 256);
  CHECK(layers[1].name == "Conv_0 + Relu_1");
  CHECK(count(layers[1]).macs == 256 * 8 * 9);
  CHECK(count(layers[1]).bytes.total == 2 * (256 + 576 + 8 + 256));
}

TEST_CASE("Input that an engine narrows first is advised to be narrow", "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("net.graph.json", small_engine);
  folder.write("net.profile.json", small_profile);
  folder.write("net.profile.metadata.json", metadata);
  const Context context = make_context(find_gpu("a100 pcie 80gb").value(), {}).value();
  const Result result = evaluate(infer(*read_spec(path), {}).value(), context).value();
  const std::vector<Advice>& actions = result.measured.verdict->actions;
  REQUIRE_FALSE(actions.empty());
  CHECK(actions.front().text ==
        "give fp16 input (trtexec --inputIOFormats=fp16:chw): \"Reformat x\" shrinks or goes");
  CHECK(actions.front().saved_s == Approx(*result.layers.front().measured_time_s));
}

// Names as TensorRT 8 and 10 write them for Volta to Ampere.
TEST_CASE("An engine's layer file says that it is built, and gives the same times",
          "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("net.graph.json", small_engine);
  folder.write("net.profile.json", small_profile);
  const Context context = make_context(find_gpu("a100").value(), {}).value();
  const Network engine = infer(*read_spec(path), {}).value();
  const std::string file = render_layer_file(engine).value();
  CHECK(file.find("\"batch\": 2,\n \"runs_as\": \"tensorrt_engine\",") != file.npos);
  const Network again = load_network(file, "net.json", {}).value();
  const Result before = evaluate(engine, context).value();
  const Result after = evaluate(again, context).value();
  REQUIRE(after.layers.size() == before.layers.size());
  for (std::size_t i = 0; i < before.layers.size(); ++i)
    CHECK(after.layers[i].expected_time_s() == before.layers[i].expected_time_s());
  // Nobody else runs it, at no other batch.
  const Context other = make_context(context.gpu, options_of(Framework::tensorrt)).value();
  CHECK(evaluate(again, other).error().what() ==
        std::string("net.json: expected layers for a framework to run, got what ran or was built, "
                    "which says itself how (runs_as)"));
  LayerDefaults at_four;
  at_four.batch_override = 4;
  CHECK(load_network(file, "net.json", at_four).error().what() ==
        std::string("net.json: expected batch 2, its own, which cannot be changed in what was "
                    "recorded or built, got 4"));
}

TEST_CASE("A tactic's name tells the units that it runs on", "[profilers/tensorrt]") {
  struct Row {
    std::string tactic;
    std::string format;
    DataType type;
    bool fp16_accumulate;
  };
  const std::vector<Row> rows{
      {"volta_h884cudnn_256x64_ldg8_relu_exp_medium_nhwc_tn_v1", half, DataType::fp16, true},
      {"volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp", half, DataType::fp16, false},
      {"turing_h1688cudnn_128x128_ldg8_relu_exp_small_nhwc_tn_v1", half, DataType::fp16, true},
      {"ampere_h16816cudnn_128x64_ldg8_relu_exp_stages_64x3", half, DataType::fp16, true},
      {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc", half, DataType::fp16, true},
      {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc", half, DataType::fp16,
       false},
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc", single, DataType::tf32, false},
      {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs", single, DataType::fp32, false},
      {"sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32",
       "Thirty-two wide channel vectorized row major Int8 format", DataType::int8, false}};
  for (const Row& row : rows) {
    INFO(row.tactic);
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "net.graph.json",
        engine({layer("c", tensor(images, row.format), tensor(images, row.format),
                      R"("LayerType": "CaskConvolution", "ParameterType": "Convolution", )" +
                          window + R"(, "TacticName": ")" + row.tactic + '"')}));
    folder.write("net.profile.json", profile({{"c", 1}}));
    const auto spec = read_spec(path);
    REQUIRE(spec->layers.size() == 1);
    CHECK(name_of(*spec->layers.front().dtypes.input) == name_of(row.type));
    CHECK(spec->layers.front().fp16_accumulate == row.fp16_accumulate);
  }
}

TEST_CASE("The cost of a clock around every layer is taken off", "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("net.graph.json", small_engine);
  folder.write("net.profile.json", small_profile);
  folder.write("net.profile.metadata.json", metadata);
  const auto spec = read_spec(path);
  CHECK(spec->summary->gpu.name == "NVIDIA A100 80GB PCIe");
  CHECK(spec->layers.front().measured->gpu == "NVIDIA A100 80GB PCIe");
  CHECK(*spec->summary->latency_s == Approx(45e-6));
  CHECK(spec->summary->kernel_s == Approx(45e-6));
  CHECK(spec->summary->times_hold_launches);
  CHECK(*spec->layers[0].measured->warm_s == Approx(5e-6));
  CHECK(*spec->layers[1].measured->warm_s == Approx(25e-6));
  CHECK(spec->summary->notes ==
        std::vector<std::string>{"the layers' times sum to 60.0 us, a run takes 45.0 us: timing "
                                 "each layer cost 5.0 us, which are taken off"});
}

TEST_CASE("A run's latency from trtexec --exportTimes", "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("net.graph.json", small_engine);
  folder.write("net.profile.json", small_profile);
  const std::string runs =
      folder.write("net.times.json",
                   R"([{"startEnqMs": 0, "computeMs": 0.9}, {"startEnqMs": 1, "computeMs": 0.045},)"
                   R"( {"startEnqMs": 2, "computeMs": 0.040}])");
  CHECK(*read_spec(path)->summary->latency_s == Approx(45e-6));
  const std::vector<std::string> all{path, runs};
  CHECK(!open_input(runs, all).value()->next());
  CHECK(read_path(runs, folder.path()).errors ==
        std::vector<std::string>{
            "net.times.json: expected an engine's layers, got what TensorRT says of its build or "
            "its runs: give the file of trtexec --exportLayerInfo, beside which this one is read"});
}

TEST_CASE("What is taken off is even, and leaves something", "[profilers/tensorrt]") {
  std::vector<LayerTime> layers{{"a", 100e-6}, {"b", 10e-6}, {"c", 0}};
  CHECK(take_off_profiling_cost(layers, 120e-6) == 0);
  CHECK(take_off_profiling_cost(layers, 81e-6) == Approx(20e-6));
  CHECK(layers[0].time_s == Approx(80e-6));
  CHECK(layers[1].time_s == Approx(1e-6));  // a tenth of its time is left
  CHECK(layers[2].time_s == 0);
}

TEST_CASE("The two files may have any names where both are given", "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string layers = folder.write("a.json", small_engine);
  const std::string times = folder.write("b.json", small_profile);
  const std::string other = folder.write("c.json", profile({{"another network's", 1}}));
  CHECK_FALSE(read_spec(layers)->summary);
  CHECK(read_spec(layers, {layers, other, times})->summary->kernel_s == Approx(60e-6));
  CHECK(!open_input(times, std::vector<std::string>{layers, times}).value()->next());
  // One that is wrong costs only itself.
  const std::string wrong = folder.write("d.json", profile({{"another network's", -1}}));
  const std::vector<std::string> all{wrong, layers, times};
  CHECK(read_spec(layers, all)->summary->kernel_s == Approx(60e-6));
  CHECK(std::string(open_input(wrong, all).value()->next()->error().what()) ==
        wrong + ": /1/averageMs: expected a number from 0 to 1e+09, got -1.0");
}

TEST_CASE("Names that do not match are told", "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("graph.json", small_engine);
  const std::string times =
      folder.write("profile.json", profile({{"Conv_0 + Relu_1", 0.03}, {"strange", 0.01}}));
  const auto spec = read_spec(path);
  CHECK(spec->assumptions ==
        std::vector<std::string>{"3 layers left out: Reformat x, Constant, myelin (without a time "
                                 "in " +
                                 times + ")"});
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().name == "strange");
  CHECK(spec->summary->unmodelled.front().reason == "a time that no layer of the engine has");
  CHECK(spec->summary->kernel_s == Approx(40e-6));
}

TEST_CASE("Times of a profile that are no times are refused", "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  folder.write("net.graph.json", small_engine);
  for (const std::string time : {"-1", "1e300"}) {
    folder.write("net.profile.json",
                 R"([{"name": "Conv_0 + Relu_1", "averageMs": )" + time + R"(, "percentage": 1}])");
    CHECK(read_path(folder.path() + "/net.graph.json", folder.path()).errors ==
          std::vector<std::string>{"net.profile.json: /0/averageMs: expected a number from 0 to "
                                   "1e+09, got " +
                                   std::string(time == "-1" ? "-1" : "1e+300")});
  }
}

TEST_CASE("Every layer of an engine is in its network or in a note", "[profilers/tensorrt]") {
  const auto own = [](const std::string& name, const std::string& type) {
    return layer(name, tensor(images, half), tensor(images, half),
                 R"("LayerType": ")" + type + '"');
  };
  const auto convolution = [](const std::string& name, const std::string& from,
                              const std::string& to) {
    std::string text = window;
    text.replace(text.find(from), from.size(), to);
    return layer(name, tensor(images, half), tensor(images, half),
                 R"("ParameterType": "Convolution", )" + text);
  };
  const TemporaryFolder folder;
  const auto spec = read_spec(folder.write(
      "net.json",
      engine({own("plugin", "PluginV2"), own("myelin", "Myelin"), own("plugin 2", "PluginV2"),
              layer("indices", tensor(images, half), tensor("[4, 10]", "Int32"),
                    R"("LayerType": "NonZero")"),
              convolution("no maps", R"("OutMaps": 8)", R"("OutMaps": 0)"),
              convolution("padded", R"("PrePadding": [1, 1])",
                          R"("PrePadding": [4611686018427387904, 1])"),
              own("view", "NoOp"), own("view 2", "NoOp"), own("view 3", "NoOp"),
              own("view 4", "NoOp"), own("view 5", "NoOp"), own("view 6", "NoOp"),
              own("view 7", "NoOp"), layer("zeros", "[]", "[]", R"("LayerType": "Constant")"),
              layer("scalar", tensor("[]", half), tensor("[]", half), R"("LayerType": "Shape")"),
              layer("huge", tensor("[4294967296, 2147483648]", half), tensor(images, half),
                    R"("ParameterType": "PointWise")")})));
  CHECK(spec->assumptions ==
        std::vector<std::string>{
            "1 layer counted by bytes alone: myelin (a layer of type Myelin, which has no rule)",
            "1 layer counted by bytes alone: indices (a layer of type NonZero, which has no rule)",
            "2 layers counted by bytes alone: plugin, plugin 2 (a layer of type PluginV2, which "
            "has no rule)",
            "1 layer counted by bytes alone: no maps (expected a multiple of the 1 groups, got 0)",
            "1 layer counted by bytes alone: padded (expected counts below 2^64, got an overflow "
            "in layer \"padded\")",
            "1 layer left out: zeros (a layer of type Constant, which runs nothing)",
            "7 layers left out: view, view 2, view 3, view 4, view 5 and 2 more (a layer of type "
            "NoOp, which runs nothing)",
            "1 layer left out: scalar (a layer of type Shape, which has no rule)",
            "1 layer left out: huge (expected counts below 2^64, got an overflow in layer "
            "\"huge\")"});
  REQUIRE(spec->layers.size() == 6);
  std::vector<std::uint64_t> bytes;
  for (const Layer& each : infer(*spec, {}).value().layers)
    bytes.push_back(count(each).bytes.total);
  // 256 halves in and out; 40 indices of 4 bytes are as many bytes as 80 halves
  const std::vector<std::uint64_t> expected{1024, 1024, 1024, 512 + 160, 1024, 1024};
  CHECK(bytes == expected);
}

TEST_CASE("Kinds of an engine's layers", "[profilers/tensorrt]") {
  struct Row {
    std::string text;
    LayerKind kind;
    DataType type;
    std::uint64_t macs;
    std::uint64_t total_byte;
  };
  const std::string int8 = "Thirty-two wide channel vectorized row major Int8 format";
  const std::string two_tensors = R"([{"Dimensions": [2, 8, 4, 4], "Format/Datatype": "Half"},)"
                                  R"( {"Dimensions": [2, 8, 4, 4], "Format/Datatype": "Half"}])";
  const std::vector<Row> rows{
      // with a residual, which is read as well
      {layer("conv", two_tensors, tensor(images, "Half"),
             R"("ParameterType": "Convolution", )" + window),
       LayerKind::conv, DataType::fp16, 256 * 8 * 9, 2 * (256 + 256 + 576 + 8 + 256)},
      // with activation and pool in the same kernel
      {layer("conv pool", tensor(images, int8), tensor("[2, 8, 2, 2]", int8),
             R"("ParameterType": "ConvActPool", "ConvKernel": [3, 3], "ConvPrePadding": [1, 1], )"
             R"("ConvPostPadding": [1, 1], "ConvStride": [1, 1], "ConvDilation": [1, 1], )"
             R"("ConvOutMaps": 8, "ConvGroups": 8, "ConvWeights": {"Type": "Int8", "Count": 72})"),
       LayerKind::conv, DataType::int8, 256 * 9, 256 + 72 + 256},
      {layer("pool", tensor(images, half), tensor("[2, 8, 2, 2]", half),
             R"("ParameterType": "Pooling", "PoolingType": "MAX", "WindowSize": [2, 2], )"
             R"("PrePadding": [0, 0], "PostPadding": [0, 0], "Stride": [2, 2])"),
       LayerKind::max_pool, DataType::fp16, 0, 2 * (256 + 64)},
      {layer("mean", tensor(images, single), tensor("[2, 8, 1, 1]", single),
             R"("ParameterType": "Pooling", "PoolingType": "AVERAGE", "WindowSize": [4, 4], )"
             R"("PrePadding": [0, 0], "PostPadding": [0, 0], "Stride": [1, 1])"),
       LayerKind::global_avg_pool, DataType::fp32, 0, 4 * (256 + 16)},
      {layer("QuantizeLinear", tensor(images, single), tensor(images, int8),
             R"("ParameterType": "Reformat", "Origin": "QDQ")"),
       LayerKind::copy, DataType::fp32, 0, (4 + 1) * 256},
      {layer("fc", tensor("[1, 40, 16]", "Half"), tensor("[1, 40, 32]", "Half"),
             R"("LayerType": "gemm")"),
       LayerKind::linear, DataType::fp16, 40 * 16 * 32, 2 * (40 * 16 + 16 * 32 + 40 * 32)},
      {layer("scores",
             R"([{"Dimensions": [6, 10, 4], "Format/Datatype": "Half"},)"
             R"( {"Dimensions": [6, 10, 4], "Format/Datatype": "Half"}])",
             tensor("[6, 10, 10]", "Half"), R"("ParameterType": "MatrixMultiply")"),
       LayerKind::matmul, DataType::fp16, 6 * 10 * 10 * 4, 6 * 2 * (40 + 40 + 100)},
      // one matrix for six others
      {layer("shared",
             R"([{"Dimensions": [10, 4], "Format/Datatype": "Half"},)"
             R"( {"Dimensions": [6, 4, 7], "Format/Datatype": "Half"}])",
             tensor("[6, 10, 7]", "Half"), R"("ParameterType": "MatrixMultiply")"),
       LayerKind::matmul, DataType::fp16, 6 * 10 * 7 * 4, 2 * (40 + 6 * 28 + 6 * 70)},
      {layer("square",
             R"([{"Dimensions": [6, 8, 8], "Format/Datatype": "Half"},)"
             R"( {"Dimensions": [6, 8, 8], "Format/Datatype": "Half"}])",
             tensor("[6, 8, 8]", "Half"), R"("ParameterType": "MatrixMultiply")"),
       LayerKind::matmul, DataType::fp16, 6 * 8 * 8 * 8, 6 * 2 * 3 * 64},
      // with a residual, as there are weights
      {layer("linear",
             R"([{"Dimensions": [8, 8], "Format/Datatype": "Half"},)"
             R"( {"Dimensions": [8, 8], "Format/Datatype": "Half"}])",
             tensor("[8, 8]", "Half"),
             R"("ParameterType": "MatrixMultiply", "Weights": {"Type": "Half", "Count": 64})"),
       LayerKind::linear, DataType::fp16, 8 * 8 * 8, 2 * 3 * 64},
      {layer("PWN(relu)", tensor(images, half), tensor(images, half),
             R"("ParameterType": "PointWise")"),
       LayerKind::elementwise, DataType::fp16, 0, 2 * 2 * 256},
      {layer("__myl_CastMulSum_myl0_3",  // a mask of booleans beside it, two results
             R"([{"Dimensions": [2, 8, 4, 4], "Format/Datatype": "Half"},)"
             R"( {"Dimensions": [2, 8, 4, 4], "Format/Datatype": "Bool"}])",
             R"([{"Dimensions": [2, 8, 4, 4], "Format/Datatype": "Half"},)"
             R"( {"Dimensions": [2, 8], "Format/Datatype": "Half"}])",
             R"("LayerType": "kgen")"),
       LayerKind::other, DataType::fp16, 0, (2 + 1 + 2) * 256 + 2 * 16},
      {layer("add", two_tensors, tensor(images, "Half"), R"("ParameterType": "ElementWise")"),
       LayerKind::other, DataType::fp16, 0, 3 * 2 * 256},
  };
  for (const Row& row : rows) {
    INFO(row.text.substr(0, 30));
    const Records records = read_records("x.json", engine({row.text}));
    REQUIRE(records.errors.empty());
    REQUIRE(records.layers.size() == 1);
    const Layer& own = records.layers.front();
    CHECK(info(own.kind).name == info(row.kind).name);
    CHECK(own.dtypes.input == row.type);
    CHECK(count(own).macs == row.macs);
    CHECK(count(own).bytes.total == row.total_byte);
  }
}

TEST_CASE("A generated kernel that multiplies matrices says nothing of them",
          "[profilers/tensorrt]") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("net.graph.json",
                   engine({layer("PWN(relu)", tensor(images, half), tensor(images, half),
                                 R"("ParameterType": "PointWise")"),
                           layer("_gemm_mha_v2_myl0_4", tensor(images, half), tensor(images, half),
                                 R"("LayerType": "kgen", "TacticName": "_gemm_mha_v2_0x1")")}));
  folder.write("net.profile.json", profile({{"PWN(relu)", 0.01}, {"_gemm_mha_v2_myl0_4", 0.02}}));
  const auto spec = read_spec(path);
  CHECK(spec->layers.size() == 1);
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().reason ==
        "a generated kernel of matrix products without their sizes");
}

TEST_CASE("An engine's batch is that of its input", "[profilers/tensorrt]") {
  const std::string more = R"("ParameterType": "PointWise")";
  const std::string table = R"([{"Name": "table", "Dimensions": [50, 8], "Datatype": "Half"}])";
  const std::string file =
      engine({layer("of weights", table, table, more),
              layer("relu", tensor(images, half), tensor(images, half), more)});
  const TemporaryFolder folder;
  CHECK(read_spec(folder.write("net.json", file))->batch == 2);
}

TEST_CASE("Engine files that say too little", "[profilers/tensorrt]") {
  CHECK(read_records("x.json",
                     engine({layer("product", tensor("[2, 18446744073709551615, 8]", "Half"),
                                   tensor("[2, 18446744073709551615, 4]", "Half"),
                                   R"("ParameterType": "MatrixMultiply")")}))
            .errors == std::vector<std::string>{
                           "x.json: /Layers/0/Inputs/0/Dimensions: expected sizes whose product is "
                           "below 2^64, got fp16 2x18446744073709551615x8"});
  CHECK(read_records("x.json", "{\"Layers\": [\"conv1\"], \"Bindings\": []}").errors ==
        std::vector<std::string>{
            "x.json: /Layers/0: expected a layer's description, got its name alone: build the "
            "engine with trtexec --profilingVerbosity=detailed"});
  CHECK(read_records("x.json", small_profile).errors ==
        std::vector<std::string>{"x.json: expected the engine's layers beside their times: give "
                                 "the file of trtexec --exportLayerInfo too"});
  CHECK(read_records("x.json", engine({layer("conv", tensor(images, half), tensor(images, half),
                                             R"("ParameterType": "Convolution")")}))
            .errors ==
        std::vector<std::string>{"x.json: /Layers/0: expected Kernel and OutMaps, got neither"});
}
