// Older profilers record tensors alone: what the other operators of a trace tell of the rest.

#include "catch.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/counts.hpp"

using namespace roofline;

namespace {

std::string dims(const std::string& sizes, const std::string& types, int sequence = 0) {
  return R"("Input Dims": )" + sizes + R"(, "Input type": )" + types +
         (sequence > 0 ? ", \"Sequence number\": " + std::to_string(sequence) : "");
}

/// An operator as PyTorch 1.8 to 1.12 write it.
void add(TraceText& trace, const std::string& name, int id, double start_us, double duration_us,
         const std::string& arguments) {
  trace.event("cpu_op", name, "100", "1", start_us, duration_us,
              "\"External id\": " + std::to_string(id) + ", " + arguments);
}

std::string conv_arguments(const std::string& input, const std::string& weight, int sequence) {
  return dims("[" + input + ", " + weight + ", [], [], [], []]",
              R"(["float", "float", "GenericList", "GenericList", "GenericList", "Int"])",
              sequence);
}

std::vector<std::string> names_of_layers(const TraceText& trace) {
  std::vector<std::string> names;
  const auto spec = read_trace(trace.text());
  for (const LayerSpec& layer : spec->layers) names.push_back(*layer.name);
  return names;
}

}  // namespace

// ResNet's, AlexNet's and VGG's, by their published strides and paddings.
TEST_CASE("A convolution's stride and padding follow from its sizes", "[pytorch/trace_results]") {
  struct Row {
    std::string input;
    std::string weight;
    std::string output;
    std::string name;
    std::uint64_t stride;
    std::uint64_t padding;
  };
  const std::vector<Row> rows{{"[32, 3, 224, 224]", "[64, 3, 7, 7]", "[32, 64, 112, 112]",
                               "conv2d 32x3x224x224 to 64 k7 s2", 2, 3},
                              {"[32, 256, 56, 56]", "[512, 256, 1, 1]", "[32, 512, 28, 28]",
                               "conv2d 32x256x56x56 to 512 k1 s2", 2, 0},
                              {"[32, 64, 56, 56]", "[64, 64, 3, 3]", "[32, 64, 56, 56]",
                               "conv2d 32x64x56x56 to 64 k3", 1, 1},
                              {"[32, 128, 56, 56]", "[128, 128, 3, 3]", "[32, 128, 28, 28]",
                               "conv2d 32x128x56x56 to 128 k3 s2", 2, 1},
                              {"[8, 3, 227, 227]", "[96, 3, 11, 11]", "[8, 96, 55, 55]",
                               "conv2d 8x3x227x227 to 96 k11 s4", 4, 0},
                              {"[8, 32, 112, 112]", "[32, 1, 3, 3]", "[8, 32, 112, 112]",
                               "conv2d 8x32x112x112 to 32 k3 g32", 1, 1}};
  for (const Row& row : rows) {
    INFO(row.name);
    TraceText trace;
    add(trace, "aten::cudnn_convolution", 1, 0, 50, conv_arguments(row.input, row.weight, 7));
    add(trace, "CudnnConvolutionBackward", 2, 100, 50,
        dims("[" + row.output + "]", R"(["float"])", 7));
    trace.kernel("volta_scudnn_128x64_relu_interior_nn_v1", 1, 200, 5);
    const std::vector<Layer> layers = trace_layers(trace.text());
    REQUIRE(layers.size() == 1);
    CHECK(layers.front().name == row.name);
    CHECK(layers.front().kind == LayerKind::conv);
    CHECK(layers.front().window->stride.back() == row.stride);
    CHECK(layers.front().window->pad_begin.back() == row.padding);
  }
}

TEST_CASE("What takes a convolution's result next tells its size", "[pytorch/trace_results]") {
  TraceText trace;
  add(trace, "aten::conv2d", 1, 0, 60, conv_arguments("[2, 8, 8, 8]", "[16, 8, 3, 3]", 0));
  add(trace, "aten::cudnn_convolution", 2, 5, 50,
      conv_arguments("[2, 8, 8, 8]", "[16, 8, 3, 3]", 0));
  add(trace, "aten::add_", 3, 70, 5, dims("[[], [], []]", R"(["long", "Scalar", "Scalar"])"));
  add(trace, "aten::batch_norm", 4, 80, 5, dims("[[2, 16, 4, 4], [16]]", R"(["float", "float"])"));
  trace.kernel("k", 2, 200, 5);
  CHECK(names_of_layers(trace) == std::vector<std::string>{"conv2d 2x8x8x8 to 16 k3 s2"});
}

TEST_CASE("Two gradients, each an operator within one", "[pytorch/trace_results]") {
  const std::string types = R"(["float", "float", "float", "GenericList"])";
  TraceText trace;
  add(trace, "aten::cudnn_convolution_backward", 1, 0, 90,
      dims("[[2, 8, 8, 8], [2, 16, 4, 4], [16, 8, 3, 3], []]", types));
  add(trace, "aten::cudnn_convolution_backward_input", 2, 5, 30,
      dims("[[], [2, 16, 4, 4], [16, 8, 3, 3], []]",
           R"(["GenericList", "float", "float", "GenericList"])"));
  add(trace, "aten::cudnn_convolution_backward_weight", 3, 50, 30,
      dims("[[], [2, 16, 4, 4], [2, 8, 8, 8], []]",
           R"(["GenericList", "float", "float", "GenericList"])"));
  trace.kernel("volta_scudnn", 2, 200, 5).kernel("volta_scudnn", 3, 210, 6);
  const std::vector<Layer> layers = trace_layers(trace.text());
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].name == "conv2d 2x8x8x8 to 16 k3 s2 dgrad");
  CHECK(layers[1].name == "conv2d 2x8x8x8 to 16 k3 s2 wgrad");
  for (const Layer& layer : layers) CHECK(count(layer).macs == 2 * 16 * 4 * 4 * 8 * 9);
}

TEST_CASE("Where nothing tells a stride it is said once", "[pytorch/trace_results]") {
  TraceText trace;
  for (int i = 0; i < 2; ++i) {
    add(trace, "aten::cudnn_convolution", 1 + i, 100 * i, 50,
        conv_arguments("[" + std::to_string(2 + i) + ", 8, 8, 8]", "[16, 8, 3, 3]", 0));
    trace.kernel("k", 1 + i, 200 + 10 * i, 5);
  }
  const auto spec = read_trace(trace.text());
  CHECK(spec->summary->notes ==
        std::vector<std::string>{
            "2 convolutions are counted by the bytes of input and weight: the trace tells neither "
            "their strides nor the sizes of their results"});
  for (const LayerSpec& layer : spec->layers) CHECK(layer.kind == LayerKind::other);
}

TEST_CASE("A join of a list without shapes", "[pytorch/trace_results]") {
  const std::string list = dims("[[], []]", R"(["TensorList", "Scalar"])", 9);
  const std::string kernel =
      "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2>(int)";
  SECTION("its gradient is as large as its result") {
    TraceText trace;
    add(trace, "aten::cat", 1, 0, 50, list);
    add(trace, "autograd::engine::evaluate_function: CatBackward0", 2, 100, 60,
        "\"Sequence number\": 9");
    add(trace, "CatBackward0", 3, 110, 40, dims("[[1024, 5185]]", R"(["float"])", 9));
    trace.kernel(kernel, 1, 200, 5);
    const std::vector<Layer> layers = trace_layers(trace.text());
    REQUIRE(layers.size() == 1);
    CHECK(layers.front().name == "concat 1024x5185");
    CHECK(count(layers.front()).bytes.total == 2 * 4 * 1024 * 5185);
  }
  SECTION("it joins the gradients of a split") {
    TraceText trace;
    add(trace, "SplitWithSizesBackward0", 1, 0, 90,
        dims("[[4, 100], [4, 20]]", R"(["float", "float"])"));
    add(trace, "aten::cat", 2, 10, 50, dims("[[], []]", R"(["TensorList", "Scalar"])"));
    trace.kernel(kernel, 2, 200, 5);
    const std::vector<Layer> layers = trace_layers(trace.text());
    REQUIRE(layers.size() == 1);
    CHECK(count(layers.front()).bytes.total == 2 * 4 * 480);
  }
  SECTION("two joins without gradients have the number of the next one with a gradient") {
    TraceText trace;
    trace.operation("aten::clamp_min", 8, 300, 9, vector_of_16).kernel("k", 8, 400, 5);
    add(trace, "aten::cat", 1, 0, 50, list);
    add(trace, "aten::cat", 2, 60, 50, list);
    add(trace, "CatBackward0", 3, 110, 40, dims("[[1024, 5185]]", R"(["float"])", 9));
    trace.kernel(kernel, 1, 200, 5).kernel(kernel, 2, 210, 5);
    const auto spec = read_trace(trace.text());
    REQUIRE(spec->summary->unmodelled.size() == 1);
    CHECK(spec->summary->unmodelled.front().reason ==
          "the trace holds no shapes of its lists of tensors");
  }
}

// As in a training with FusedAdam (HolisticTraceAnalysis, trace_diff/control): parameters of
// 131,072 elements have two blocks, so that four blocks work on 262,144.
TEST_CASE("A kernel for lists that no operator launched", "[pytorch/trace_results]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 0, 9, vector_of_16).kernel("k", 1, 100, 5);
  add(trace, "torch::autograd::AccumulateGrad", 2, 20, 9, dims("[[131072]]", R"(["float"])"));
  trace.kernel(
      "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)", {},
      200, 7, "\"grid\": [4, 1, 1]");
  const std::vector<Layer> layers = trace_layers(trace.text());
  REQUIRE(layers.size() == 2);
  CHECK(layers.front().name == "AdamFunctor 262144 elements");
  CHECK(count(layers.front()).bytes.total == (4 + 3) * 4 * 262144);
}

// As in a recommender (HolisticTraceAnalysis, timeline_analysis): 2 tables of 100 rows each, of 8
// columns in fp16; 30 indices in 2 x 5 bags.
TEST_CASE("A look-up in several tables and its gradient", "[pytorch/trace_results]") {
  const std::string name = "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function";
  const auto lookup = [](std::uint64_t indices) {
    return dims(
        "[[0], [1600], [0], [0, 0], [2], [2], [3], [], [], [3], [], [" + std::to_string(indices) +
            "], [11], [], [], [], [0], [], [], [], [200]]",
        R"(["float", "c10::Half", "c10::Half", "c10::Half", "int", "long", "int", "Scalar",)"
        R"( "Scalar", "long", "Scalar", "long", "long", "Scalar", "", "", "int", "Scalar",)"
        R"( "Scalar", "Scalar", "float"])");
  };
  TraceText trace;
  add(trace, name, 1, 0, 9, lookup(30));
  add(trace, name, 2, 10, 9, lookup(500));  // as many rows as there are, at most
  add(trace, "torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>", 3, 20, 9,
      dims("[[5, 16]]", R"(["float"])"));
  add(trace, "torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>", 4, 30, 9,
      dims("[[5, 16]]", R"(["float"])"));
  for (int id = 1; id <= 4; ++id) trace.kernel("k", id, 100 * id, 5);
  const std::vector<Layer> layers = trace_layers(trace.text());
  REQUIRE(layers.size() == 4);
  constexpr std::uint64_t offsets = 11 * 8;
  constexpr std::uint64_t result = 10 * 8 * 4;
  CHECK(layers[0].name == "split_embedding_lookup 30x8");
  CHECK(count(layers[0]).bytes.total == 30 * 8 * 2 + 30 * 8 + offsets + result);
  CHECK(count(layers[1]).bytes.total == 1600 * 2 + 500 * 8 + offsets + result);
  CHECK(layers[2].name == "split_embedding_lookup_backward 500x8");
  CHECK(count(layers[2]).bytes.total == 2 * 1600 * 2 + 500 * 8 + offsets + result);
  CHECK(layers[3].name == "split_embedding_lookup_backward 30x8");
}

TEST_CASE("Layer norms by their weights' sizes", "[pytorch/trace_results]") {
  TraceText trace;
  add(trace, "aten::native_layer_norm", 1, 0, 9,
      dims("[[4, 6, 512], [], [512], [512], []]", R"(["float", "", "float", "float", "Scalar"])"));
  add(trace, "aten::native_layer_norm_backward", 2, 10, 9,
      dims("[[24, 512], [24, 512], [], [24, 1], [24, 1], [512], [512], []]",
           R"(["float", "float", "", "float", "float", "float", "float", ""])"));
  trace.kernel("k", 1, 100, 5).kernel("k", 2, 200, 5);
  CHECK(names_of_layers(trace) ==
        std::vector<std::string>{"layer_norm 4x6x512", "layer_norm 24x512 dgrad"});
}

TEST_CASE("What runs with other sizes in every step is one layer", "[pytorch/trace_results]") {
  TraceText trace;
  for (int step = 0; step < 3; ++step) {
    const double at = 1000 * (step + 1);
    trace.step(step, at, 900);
    for (const int size : {100 + step, 5000 + step}) {
      const int id = 10 * size + step;
      trace
          .operation("my::operation", id, at + 10, 50,
                     {"[[" + std::to_string(size) + "]]", R"(["float"])", R"([""])"})
          .kernel("k", id, at + 100 + size / 100, size / 100);
    }
  }
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->layers.size() == 2);
  CHECK(*spec->layers[0].name == "my::operation 101 and other sizes");
  CHECK(*spec->layers[0].measured->warm_s == Approx(1e-6));
  CHECK(*spec->layers[1].name == "my::operation 5001 and other sizes");
  CHECK(*spec->layers[1].measured->warm_s == Approx(50e-6));
  CHECK(spec->summary->layers_s == Approx(51e-6));
}

TEST_CASE("What runs in few of the steps is no layer of each", "[pytorch/trace_results]") {
  TraceText trace;
  for (int step = 0; step < 4; ++step) {
    const double at = 1000 * (step + 1);
    trace.step(step, at, 900)
        .operation("aten::clamp_min", 10 + step, at + 10, 50, vector_of_16)
        .kernel("k", 10 + step, at + 100, 5);
  }
  trace.operation("my::update", 20, 4100, 50, vector_of_16).kernel("k", 20, 4200, 8);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->layers.size() == 1);
  REQUIRE(spec->summary->unmodelled.size() == 1);
  const UnmodelledWork& update = spec->summary->unmodelled.front();
  CHECK(update.name == "my::update 1x16");
  CHECK(update.reason == "runs in 1 of 4 steps");
  CHECK(update.time_s == Approx(2e-6));
  CHECK(update.launches == Approx(0.25));
}

TEST_CASE("What a trace does not hold of products is told", "[pytorch/trace_results]") {
  const Arguments matrices{"[[4, 8], [8, 2]]", R"(["float", "float"])", R"(["", ""])"};
  TraceText trace;
  trace.operation("vllm::moe_forward", 1, 0, 9, vector_of_16)
      .operation("aten::mm", 2, 10, 9, matrices)
      .operation("fbgemm::quantize", 3, 20, 9, vector_of_16)
      .kernel("bmm_MxE4m3_MxE2m1MxE4m3_Fp32", 1, 100, 5)
      .kernel("Memset (Device)", 2, 200, 2)
      .kernel("void fbgemm_gpu::quantize(int)", 3, 300, 5);
  const auto spec = read_trace(trace.text());
  CHECK(spec->summary->notes ==
        std::vector<std::string>{"vllm::moe_forward: counted by the bytes of the operands alone, "
                                 "though the kernels multiply matrices that are none of them"});
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().name == "aten::mm");
  CHECK(spec->summary->unmodelled.front().reason ==
        "its kernels are not in the recording, only fills");
}
