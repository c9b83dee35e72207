// What a trace leaves open: values that older profilers do not record, shapes of lists, steps
// alike.

#include "catch.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

std::string dims(const std::string& sizes, const std::string& types) {
  return R"("Input Dims": )" + sizes + R"(, "Input type": )" + types;
}

/// An operator as PyTorch 1.8 to 1.12 write it.
void add(TraceText& trace, const std::string& name, int id, double start_us, double duration_us,
         const std::string& arguments) {
  trace.event("cpu_op", name, "100", "1", start_us, duration_us,
              "\"External id\": " + std::to_string(id) + ", " + arguments);
}

std::vector<std::string> names_of_layers(const TraceText& trace) {
  std::vector<std::string> names;
  const auto spec = read_trace(trace.text());
  for (const LayerSpec& layer : spec->layers) names.push_back(*layer.name);
  return names;
}

}  // namespace

TEST_CASE("A convolution whose stride nothing tells has no bound", "[pytorch/trace_results]") {
  TraceText trace;
  for (int i = 0; i < 2; ++i) {
    add(trace, "aten::cudnn_convolution", 1 + i, 100 * i, 50,
        dims("[[" + std::to_string(2 + i) + ", 8, 8, 8], [16, 8, 3, 3], [], [], [], []]",
             R"(["float", "float", "GenericList", "GenericList", "GenericList", "Int"])"));
    trace.kernel("k", 1 + i, 200 + 10 * i, 5);
  }
  add(trace, "aten::clamp_min", 3, 250, 9, dims("[[1, 16], []]", R"(["float", "Scalar"])"));
  trace.kernel("k", 3, 300, 5);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->layers.size() == 1);
  CHECK(spec->summary->layers_s == Approx(5e-6));
  REQUIRE(spec->summary->unmodelled.size() == 2);
  for (const UnmodelledWork& work : spec->summary->unmodelled)
    CHECK(work.reason == "its multiply-adds are unknown: no strides");
}

TEST_CASE("The operator after a convolution tells its stride, and the forward pass its gradients",
          "[pytorch/trace_results]") {
  const std::string types =
      R"(["float", "float", "GenericList", "GenericList", "GenericList", "Int"])";
  const std::string gradient_types =
      R"(["GenericList", "float", "float", "GenericList", "GenericList", "GenericList", "Int"])";
  TraceText trace;
  const auto run = [&](const std::string& name, int id, const std::string& arguments) {
    add(trace, name, id, 100 * id, 50, arguments);
    trace.kernel("k", id, 100 * id + 60, 5);
  };
  // ResNet-50's first convolution: 64 x 112^2 results of 3 x 7^2 products each for an image.
  run("aten::cudnn_convolution", 1,
      dims("[[2, 3, 224, 224], [64, 3, 7, 7], [], [], [], []]", types));
  run("aten::batch_norm", 2, dims("[[2, 64, 112, 112], [64]]", R"(["float", "float"])"));
  // In groups of 8 channels, without padding.
  run("aten::cudnn_convolution", 3,
      dims("[[2, 64, 112, 112], [32, 8, 3, 3], [], [], [], []]", types));
  run("aten::clamp_min", 4, dims("[[2, 32, 110, 110], []]", R"(["float", "Scalar"])"));
  run("aten::cudnn_convolution_backward_input", 5,
      dims("[[], [2, 32, 110, 110], [32, 8, 3, 3], [], [], [], []]", gradient_types));
  run("aten::cudnn_convolution_backward_weight", 6,
      dims("[[], [2, 64, 112, 112], [2, 3, 224, 224], [], [], [], []]", gradient_types));
  std::vector<std::string> names;
  std::vector<std::uint64_t> macs;
  for (const Layer& layer : trace_layers(trace.text()))
    if (layer.kind == LayerKind::conv) {
      names.push_back(layer.name);
      macs.push_back(count(layer).macs);
    }
  CHECK(names == std::vector<std::string>{"conv2d 2x3x224x224 to 64 k7 s2",
                                          "conv2d 2x64x112x112 to 32 k3 g8",
                                          "conv2d 2x64x112x112 to 32 k3 g8 dgrad",
                                          "conv2d 2x3x224x224 to 64 k7 s2 wgrad"});
  const std::uint64_t first = std::uint64_t{2} * 64 * 112 * 112 * 3 * 49;
  const std::uint64_t second = std::uint64_t{2} * 32 * 110 * 110 * 8 * 9;
  CHECK(macs == std::vector<std::uint64_t>{first, second, second, first});
}

TEST_CASE("A join of a list without shapes is told", "[pytorch/trace_results]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 8, 300, 9, vector_of_16).kernel("k", 8, 400, 5);
  add(trace, "aten::cat", 1, 0, 50, dims("[[], []]", R"(["TensorList", "Scalar"])"));
  trace.kernel("at::native::CatArrayBatchedCopy<float, unsigned int, 2>(int)", 1, 200, 5);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().reason ==
        "the trace holds no shapes of its lists of tensors");
}

// Two parameters of 16x8 and 100 elements in fp32, their gradients and two moments, an empty list
// of largest moments, and the count of steps of each parameter.
TEST_CASE("An optimizer's lists are counted by their operands, and a note says so",
          "[pytorch/trace_results]") {
  const std::string list = "[[16, 8], [100]]";
  const RecordedArguments lists{
      "[" + list + ", " + list + ", " + list + ", " + list + ", [], [[], []], []]",
      R"(["TensorList", "TensorList", "TensorList", "TensorList", "TensorList",)"
      R"( "TensorList", "Scalar"])",
      R"(["", "", "", "", "", "", "0.001"])"};
  const std::string kernel = "multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4>>(float*)";
  TraceText trace;
  trace.operation("aten::_fused_adamw_", 1, 0, 9, lists).kernel(kernel, 1, 100, 7);
  const auto spec = read_trace(trace.text());
  const Layer layer = infer(*spec, {}).value().layers.front();
  CHECK(layer.name == "aten::_fused_adamw_ 16x8");
  CHECK(count(layer).bytes.total == 4 * (4 * 228 + 2 + 1));
  CHECK(spec->summary->notes ==
        std::vector<std::string>{
            "aten::_fused_adamw_: counted by the bytes of the operands alone, though the kernels "
            "may touch a part of them or write them too"});
}

TEST_CASE("A kernel that no operator launched is told with its time", "[pytorch/trace_results]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 0, 9, vector_of_16).kernel("k", 1, 100, 5);
  trace.kernel(
      "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)", {},
      200, 7);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().name == "multi_tensor_apply_kernel");
  CHECK(spec->summary->unmodelled.front().reason == "launched outside of any operator");
  CHECK(spec->summary->unmodelled.front().time_s == Approx(7e-6));
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
  const RecordedArguments matrices{"[[4, 8], [8, 2]]", R"(["float", "float"])", R"(["", ""])"};
  TraceText trace;
  trace.operation("vllm::moe_forward", 1, 0, 9, vector_of_16)
      .operation("aten::mm", 2, 10, 9, matrices)
      .operation("fbgemm::quantize", 3, 20, 9, vector_of_16)
      .kernel("bmm_MxE4m3_MxE2m1MxE4m3_Fp32", 1, 100, 5)
      .kernel("Memset (Device)", 2, 200, 2)
      .kernel("void fbgemm_gpu::quantize(int)", 3, 300, 5);
  const auto spec = read_trace(trace.text());
  CHECK(spec->summary->notes ==
        std::vector<std::string>{"no range is stated, as the products of these could not be sized: "
                                 "vllm::moe_forward",
                                 "vllm::moe_forward: counted by the bytes of the operands alone, "
                                 "though the kernels multiply matrices that are none of them"});
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().name == "aten::mm");
  CHECK(spec->summary->unmodelled.front().reason ==
        "its kernels are not in the recording, only fills");
}
