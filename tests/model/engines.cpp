// Which unit multiplies what, on parts that differ in what they have.

#include "load/loading.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

constexpr const char* conv_keys = R"("input": [8, 8, 8], "out_channels": 8, "kernel_size": 3)";
constexpr const char* depthwise =
    R"("input": [8, 8, 8], "out_channels": 8, "kernel_size": 3, "depthwise": true)";
constexpr const char* relu_keys = R"("type": "relu", "input": [8, 8, 8])";

std::string engine_on(const std::string& gpu, const std::string& layer, const std::string& dtype,
                      EngineChoice choice = EngineChoice::automatic) {
  const auto engine = select_engine(load_layer("{" + layer + ", \"dtype\": \"" + dtype + "\"}"),
                                    find_gpu(gpu).value().peak_flop_per_s, choice);
  return engine ? std::string(name_of(*engine)) : "none";
}

}  // namespace

TEST_CASE("The engine of each data type on each part", "[model/engines]") {
  struct Case {
    const char* gpu;
    const char* dtype;
    const char* conv;
    const char* depthwise;
    const char* relu;
  };
  const Case table[] = {
      {"v100", "fp64", "fp64", "fp64", "fp64"},
      {"v100", "fp32", "fp32", "fp32", "fp32"},
      {"v100", "fp16", "fp16_tensor", "fp16", "fp16"},
      {"v100", "int8", "dp4a", "dp4a", "dp4a"},
      {"v100", "tf32", "none", "none", "none"},
      {"v100", "bf16", "none", "none", "none"},
      {"v100", "fp8", "none", "none", "none"},
      {"p100", "fp16", "fp16", "fp16", "fp16"},
      {"p100", "int8", "none", "none", "none"},
      {"p40", "fp16", "fp32", "fp32", "fp32"},  // fp16 at 1/64 of the fp32 rate: never used
      {"p40", "int8", "dp4a", "dp4a", "dp4a"},
      {"gtx1080ti", "fp16", "fp32", "fp32", "fp32"},
      {"gtx1080ti", "fp64", "fp64", "fp64", "fp64"},
      {"t4", "fp16", "fp16_tensor", "fp16", "fp16"},
      {"t4", "bf16", "none", "none", "none"},
      {"a100", "fp64", "fp64_tensor", "fp64", "fp64"},
      {"a100", "fp32", "fp32", "fp32", "fp32"},  // tf32 only where asked for
      {"a100", "tf32", "tf32", "fp32", "fp32"},
      {"a100", "fp16", "fp16_tensor", "fp16", "fp16"},
      {"a100", "bf16", "bf16", "bf16_vector", "bf16_vector"},
      {"a100", "fp8", "none", "none", "none"},
      {"h100", "fp32", "fp32", "fp32", "fp32"},
      {"h100", "fp8", "fp8", "fp16", "fp16"},
      {"mi250x", "fp64", "fp64_tensor", "fp64", "fp64"},
      {"mi250x", "fp32", "fp32_tensor", "fp32", "fp32"},
      {"mi250x", "fp16", "fp16_tensor", "fp32", "fp32"},
      {"mi250x", "bf16", "bf16", "fp32", "fp32"},
      {"mi250x", "tf32", "none", "none", "none"},
      {"rtx4090", "fp16", "fp16_tensor", "fp16", "fp16"},
  };
  for (const Case& each : table) {
    INFO(each.gpu << ' ' << each.dtype);
    CHECK(engine_on(each.gpu, conv_keys, each.dtype) == each.conv);
    CHECK(engine_on(each.gpu, depthwise, each.dtype) == each.depthwise);
    CHECK(engine_on(each.gpu, relu_keys, each.dtype) == each.relu);
  }
}

TEST_CASE("Types of few bits take their own engine, else the next wider", "[model/engines]") {
  struct Case {
    const char* gpu;
    const char* dtype;
    const char* conv;
    const char* relu;
  };
  const Case table[] = {
      {"t4", "int4", "int4", "fp32"},           {"a100", "int4", "int4", "fp32"},
      {"h100", "int4", "int8", "fp32"},         {"v100", "int4", "dp4a", "dp4a"},
      {"p100", "int4", "none", "none"},         {"b200", "fp4", "fp4", "fp32"},
      {"b200", "nvfp4", "fp4", "fp32"},         {"b200", "mxfp4", "fp4", "fp32"},
      {"b200", "fp6", "fp6", "fp32"},           {"b200", "mxfp6", "fp6", "fp32"},
      {"b200", "mxfp8", "fp8", "fp32"},         {"rtx5090", "mxfp6", "fp8", "fp16"},
      {"mi355x", "mxfp6", "fp6", "fp32"},       {"h100", "nvfp4", "fp8", "fp16"},
      {"a100", "mxfp4", "fp16_tensor", "fp16"}, {"a100", "mxfp8", "fp16_tensor", "fp16"},
      {"gtx1080ti", "fp4", "none", "none"},
  };
  for (const Case& each : table) {
    INFO(each.gpu << ' ' << each.dtype);
    CHECK(engine_on(each.gpu, conv_keys, each.dtype) == each.conv);
    CHECK(engine_on(each.gpu, relu_keys, each.dtype) == each.relu);
  }
  CHECK(engine_on("rtx4090", conv_keys, "mxfp4", EngineChoice::fp16_accumulate) ==
        "fp8_fp16_accumulate");
}

TEST_CASE("A contraction multiplies in the wider of its operands' types", "[model/engines]") {
  const auto engine = [](const std::string& gpu, const std::string& input,
                         const std::string& weight) {
    const auto found = select_engine(
        load_layer(
            R"({"type": "linear", "in_features": 64, "out_features": 64, "dtypes": {"input": ")" +
            input + R"(", "weight": ")" + weight + "\"}}"),
        find_gpu(gpu).value().peak_flop_per_s, EngineChoice::automatic);
    return std::string(name_of(*found));
  };
  CHECK(engine("a100", "fp16", "int4") == "fp16_tensor");  // weight-only quantisation
  CHECK(engine("b200", "bf16", "nvfp4") == "bf16");
  CHECK(engine("h100", "fp8", "int4") == "fp8");
  CHECK(engine("b200", "mxfp8", "mxfp4") == "fp8");
  CHECK(engine("b200", "fp4", "fp16") == "fp16_tensor");
  CHECK(engine("t4", "int8", "int4") == "int8");
  CHECK(engine("t4", "int4", "int4") == "int4");
}

TEST_CASE("int8 runs on tensor cores where there are any", "[model/engines]") {
  for (const char* gpu : {"t4", "a100", "h100", "rtx4090", "mi250x"}) {
    INFO(gpu);
    CHECK(engine_on(gpu, conv_keys, "int8") == "int8");
    CHECK(engine_on(gpu, relu_keys, "int8") != "int8");
  }
}

TEST_CASE("Every other dense kind takes the engine of a convolution", "[model/engines]") {
  for (const char* layer :
       {R"("type": "linear", "in_features": 8, "out_features": 8)",
        R"("type": "matmul", "m": 8, "n": 8, "k": 8)",
        R"("type": "conv_transpose", "input": [8, 8, 8], "out_channels": 8, "kernel_size": 2)",
        R"("input": [8, 8, 8], "out_channels": 8, "kernel_size": 3, "groups": 2)",
        R"("input": [1, 8, 8], "out_channels": 8, "kernel_size": 3)"}) {
    INFO(layer);
    CHECK(engine_on("v100", layer, "fp16") == "fp16_tensor");
  }
}

TEST_CASE("The engine can be forced, but for depthwise and elementwise layers", "[model/engines]") {
  CHECK(engine_on("v100", conv_keys, "fp16", EngineChoice::vector) == "fp16");
  CHECK(engine_on("v100", conv_keys, "fp16", EngineChoice::tensor) == "fp16_tensor");
  CHECK(engine_on("v100", conv_keys, "fp32", EngineChoice::tensor) == "none");
  CHECK(engine_on("a100", conv_keys, "fp64", EngineChoice::vector) == "fp64");
  CHECK(engine_on("a100", conv_keys, "bf16", EngineChoice::vector) == "bf16_vector");
  CHECK(engine_on("a100", conv_keys, "tf32", EngineChoice::vector) == "fp32");
  CHECK(engine_on("p100", conv_keys, "fp16", EngineChoice::tensor) == "none");
  CHECK(engine_on("mi250x", conv_keys, "fp32", EngineChoice::vector) == "fp32");
  CHECK(engine_on("v100", depthwise, "fp16", EngineChoice::tensor) == "fp16");
  CHECK(engine_on("v100", relu_keys, "fp16", EngineChoice::tensor) == "fp16");
}

TEST_CASE("A bound takes the fastest engine that may compute the layer", "[model/engines]") {
  struct Case {
    const char* gpu;
    const char* layer;
    const char* dtype;
    EngineChoice choice;
    const char* engine;
  };
  using enum EngineChoice;
  for (const Case& each : {
           Case{"v100", depthwise, "fp16", automatic, "fp16_tensor"},
           {"v100", depthwise, "fp16", tensor, "fp16_tensor"},
           {"v100", depthwise, "fp16", vector, "fp16"},
           {"mi250x", depthwise, "fp32", automatic, "fp32_tensor"},
           {"p100", depthwise, "fp16", automatic, "fp16"},
           {"v100", relu_keys, "fp16", automatic, "fp16"},
           {"mi250x", conv_keys, "fp32", automatic, "fp32_tensor"},
           {"mi250x", conv_keys, "fp32", vector, "fp32"},
           // TF32 only where the type or the stack has it.
           {"h100", conv_keys, "fp32", automatic, "fp32"},
           {"h100", conv_keys, "fp32", tf32, "tf32"},
           {"h100", conv_keys, "tf32", automatic, "tf32"},
           {"h100", conv_keys, "tf32", vector, "fp32"},
           {"h100", depthwise, "fp32", tf32, "tf32"},
           {"mi300x", conv_keys, "tf32", automatic, "tf32"},
           {"rtx3090", conv_keys, "fp16", automatic, "fp16_tensor"},
           {"rtx3090", conv_keys, "fp16", fp16_accumulate, "fp16_tensor_fp16_accumulate"},
           {"v100", conv_keys, "fp32", tensor, "none"},
       }) {
    INFO(each.gpu << ' ' << each.layer << ' ' << each.dtype << ' ' << name_of(each.choice));
    const Layer layer =
        load_layer("{" + std::string(each.layer) + R"(, "dtype": ")" + each.dtype + "\"}");
    const auto engine =
        fastest_engine(layer, find_gpu(each.gpu).value().peak_flop_per_s, each.choice);
    CHECK((engine ? name_of(*engine) : "none") == each.engine);
  }
}

TEST_CASE("The engine of a bound is not always that of the expected kernel", "[model/engines]") {
  struct Case {
    const char* gpu;
    const char* layer;
    Engine bound;
    Engine planned;
    Engine kernel;
  };
  for (const Case& each : {
           Case{"a100",
                R"("batch": 32, "input": [160, 56, 56], "k": 160, "kernel_size": 7, "padding": 3,
                   "groups": 32, "layout": "nchw")",
                Engine::tf32, Engine::tf32, Engine::fp32},
           {"v100",
            R"("batch": 8, "input": [128, 28, 28], "k": 128, "groups": 128, "kernel_size": 3,
               "dtype": "fp16", "layout": "nchw")",
            Engine::fp16_tensor, Engine::fp16, Engine::fp16},
           {"mi300x",
            R"("type": "conv1d", "batch": 4, "input": [65, 128], "k": 1280, "kernel_size": 5,
               "padding": 2, "dtype": "tf32", "layout": "nchw")",
            Engine::tf32, Engine::fp32, Engine::fp32},
       }) {
    INFO(each.gpu << ' ' << each.layer);
    AnalysisOptions options;
    options.engine = EngineChoice::tf32;
    const LayerResult row =
        analyze(load_text("{" + std::string(each.layer) + "}"), find_gpu(each.gpu).value(), options)
            .layers.front();
    CHECK(row.engine == each.bound);
    CHECK(row.planned_engine == each.planned);
    CHECK(row.kernel->engine == each.kernel);
  }
}

TEST_CASE("More channels have no lower bound, nor has one group in place of two",
          "[model/engines]") {
  const auto bound_s = [](const char* gpu, const std::string& layer) {
    return analyze(load_text("{" + layer + "}"), find_gpu(gpu).value())
        .layers.front()
        .point.roofline_time_s;
  };
  const std::string images =
      R"("batch": 32, "input": [2, 56, 56], "out_channels": 2048, "kernel_size": 7, "padding": 3,
         "dtype": "fp16")";
  for (const char* gpu : {"v100", "mi250x-gcd"})
    CHECK(bound_s(gpu, images + R"(, "groups": 2)") <= bound_s(gpu, images));
  const auto lines = [](const std::string& channels) {
    return R"("type": "conv1d", "batch": 4, "input": [)" + channels +
           R"(, 128], "out_channels": 1280, "kernel_size": 5, "padding": 2, "dtype": "tf32",
              "layout": "nchw")";
  };
  CHECK(bound_s("mi300x", lines("65")) <= bound_s("mi300x", lines("130")));
}

TEST_CASE("Sums in fp16 are a peak of their own, by name", "[model/engines]") {
  const EngineChoice choice = EngineChoice::fp16_accumulate;
  CHECK(engine_on("rtx3090", conv_keys, "fp16", choice) == "fp16_tensor_fp16_accumulate");
  CHECK(engine_on("rtx4090", conv_keys, "fp8", choice) == "fp8_fp16_accumulate");
  const std::string stated = std::string(conv_keys) + R"(, "fp16_accumulate": true)";
  CHECK(engine_on("rtx3090", stated, "fp16") == "fp16_tensor_fp16_accumulate");
  CHECK(engine_on("rtx3090", stated, "fp32") == "fp32");
  CHECK(engine_on("a100", stated, "fp16") == "fp16_tensor");  // it has no rate of its own for them
  // Parts that sum in fp32 at the same rate, and other types.
  CHECK(engine_on("h200", conv_keys, "fp16", choice) == "fp16_tensor");
  CHECK(engine_on("rtx3090", conv_keys, "fp32", choice) == "fp32");
}

TEST_CASE("An engine's builder sums in fp16 where that is faster", "[model/engines]") {
  const auto engine_of = [](const char* gpu, EngineChoices choices, FusionKind fusion) {
    AnalysisOptions options;
    options.engine = choices;
    options.fusion = fusion;
    LayerDefaults half = at_batch(32);
    half.dtype = DataType::fp16;
    const Result result = analyze(load_network(*find_network("resnet18"), "resnet18", half).value(),
                                  find_gpu(gpu).value(), options);
    return std::string(name_of(result.layers.front().engine));
  };
  const auto built = FusionKind::epilogue;
  CHECK(engine_of("rtx3090", EngineChoice::automatic, built) == "fp16_tensor_fp16_accumulate");
  CHECK(engine_of("rtx3090", EngineChoice::tf32, built) == "fp16_tensor_fp16_accumulate");
  CHECK(engine_of("rtx3090", EngineChoice::tensor, built) == "fp16_tensor");
  CHECK(engine_of("rtx3090", EngineChoice::automatic, FusionKind::pointwise) == "fp16_tensor");
  CHECK(engine_of("a100", EngineChoice::automatic, built) == "fp16_tensor");
}

TEST_CASE("TF32 falls back to FP32 where that is faster", "[model/engines]") {
  // A GeForce part multiplies both at 35.6 TFLOP/s; an A100 at 156 and 19.5.
  AnalysisOptions options;
  options.training = true;
  const auto engines_of = [&](const char* gpu, EngineChoice choice) {
    options.engine = choice;
    return analyze(load_network(*find_network("vgg16"), "vgg16", at_batch(32)).value(),
                   find_gpu(gpu).value(), options);
  };
  const Result geforce = engines_of("rtx3090", EngineChoice::tf32);
  const Result single = engines_of("rtx3090", EngineChoice::vector);
  for (std::size_t i = 0; i < geforce.layers.size(); ++i) {
    INFO(geforce.layers[i].layer.name << ' ' << name_of(geforce.layers[i].layer.pass));
    CHECK(*geforce.layers[i].expected_time_s() <= 1.1 * *single.layers[i].expected_time_s());
  }
  // Not where it is forced.
  options.training = false;
  LayerDefaults in_tf32 = at_batch(32);
  in_tf32.dtype = DataType::tf32;
  options.engine = EngineChoice::tensor;
  const Network network = load_network(*find_network("alexnet"), "alexnet", in_tf32).value();
  for (const LayerResult& row : analyze(network, find_gpu("rtx3090").value(), options).layers)
    if (row.layer.kind == LayerKind::conv) CHECK(row.engine == Engine::tf32);
  options.training = true;
  for (const LayerResult& row : engines_of("a100", EngineChoice::tf32).layers)
    if (row.layer.kind == LayerKind::conv && row.layer.pass == Pass::fwd &&
        row.layer.name != "features.0")
      CHECK(row.engine == Engine::tf32);
}

TEST_CASE("fp16 does not fall back", "[model/engines]") {
  // One channel in and out, which tensor cores pad to eight each.
  const Result half = analyze(load_text(R"({"input": [32, 1, 224, 224], "out_channels": 1,
                                            "kernel_size": 3, "padding": 1, "dtype": "fp16"})"),
                              find_gpu("v100").value());
  CHECK(half.layers.front().engine == Engine::fp16_tensor);
}
