// Whose time a kernel's is: operators, steps, devices; which gradient of a convolution.

#include "catch.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"

using namespace roofline;

namespace {

const RecordedArguments vector_of_32{"[[1, 32], []]", R"(["float", "Scalar"])", R"(["", "0"])"};

/// The measured time of the layer of that name, in microseconds; 0 where there is none.
double time_us(const NetworkSpec& spec, const std::string& name) {
  for (const LayerSpec& layer : spec.layers)
    if (*layer.name == name) return *layer.measured->warm_s * 1e6;
  return 0;
}

}  // namespace

TEST_CASE("A kernel belongs to the operator of its External id", "[pytorch/trace_links]") {
  const auto spec = read_trace(TraceText()
                                   .operation("aten::relu", 1, 0, 100, vector_of_16)
                                   .operation("aten::clamp_min", 2, 10, 50, vector_of_16)
                                   .kernel("k", 2, 400, 3)  // runs long after its launch
                                   .kernel("k", 2, 410, 4)
                                   .text());
  REQUIRE(spec->layers.size() == 1);
  CHECK(time_us(*spec, "relu 1x16") == Approx(7));
  CHECK(spec->summary->launches == Approx(2));
  CHECK(spec->summary->span_s == Approx(14e-6));
  CHECK(spec->summary->idle_s() == Approx(7e-6));
}

TEST_CASE("Without an External id, to what ran where the call was made", "[pytorch/trace_links]") {
  const auto spec = read_trace(TraceText()
                                   .operation("aten::clamp_min", 1, 10, 50, vector_of_16)
                                   .operation("aten::clamp_min", 2, 100, 50, vector_of_32)
                                   .call("cudaLaunchKernel", 71, 20)
                                   .call("cudaLaunchKernel", 72, 120)
                                   .call("cudaLaunchKernel", 73, 170)
                                   .kernel("k", {}, 400, 3, "\"correlation\": 71")
                                   .kernel("k", {}, 410, 4, "\"correlation\": 72")
                                   .kernel("alone", {}, 420, 5, "\"correlation\": 73")
                                   .text());
  CHECK(time_us(*spec, "relu 1x16") == Approx(3));
  CHECK(time_us(*spec, "relu 1x32") == Approx(4));
  REQUIRE(spec->summary->unmodelled.size() == 1);
  CHECK(spec->summary->unmodelled.front().name == "alone");
  CHECK(spec->summary->unmodelled.front().reason == "launched outside of any operator");
}

TEST_CASE("An External id that is the correlation is no operator's", "[pytorch/trace_links]") {
  const auto spec = read_trace(TraceText()
                                   .operation("aten::clamp_min", 1, 10, 50, vector_of_16)
                                   .operation("aten::clamp_min", 71, 100, 50, vector_of_32)
                                   .call("cudaLaunchKernel", 71, 20)
                                   .kernel("k", 71, 400, 3, "\"correlation\": 71")
                                   .text());
  CHECK(time_us(*spec, "relu 1x16") == Approx(3));
}

TEST_CASE("Profilers before PyTorch 1.13 spell some names otherwise", "[pytorch/trace_links]") {
  const std::string text = R"({"traceEvents": [
    {"ph": "X", "cat": "Operator", "name": "aten::clamp_min", "pid": "python", "tid": "1",
     "ts": 10, "dur": 50, "args": {"External id": 3, "Input Dims": [[1, 16], []],
     "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "0"]}},
    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 100, "dur": 6,
     "args": {"external id": 3, "device": 0}}]})";
  const auto spec = read_trace(text);
  CHECK(time_us(*spec, "relu 1x16") == Approx(6));
  CHECK(spec->summary->gpu.name.empty());
}

TEST_CASE("Steps are averaged", "[pytorch/trace_links]") {
  TraceText trace;
  for (int step = 0; step < 3; ++step) {
    const double at = 1000.0 * step;
    trace.step(step, at, 900)
        .operation("aten::clamp_min", 10 * step + 1, at + 100, 50, vector_of_16)
        .operation("aten::clamp_min", 10 * step + 2, at + 200, 50, vector_of_16)
        .kernel("k", 10 * step + 1, at + 300, 1 + step)
        .kernel("k", 10 * step + 2, at + 400, 1 + step);
  }
  trace.step(3, 3000, 900);  // opened by the last call of step(), with nothing in it
  trace.operation("aten::clamp_min", 99, 950, 40, vector_of_16).kernel("k", 99, 960, 40);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->layers.size() == 1);
  CHECK(spec->summary->steps == 3);
  CHECK(*spec->layers.front().repeat == 2);
  CHECK(time_us(*spec, "relu 1x16") == Approx(2));
  CHECK(spec->summary->kernel_s == Approx(4e-6));
  CHECK(spec->summary->launches == Approx(2));
  CHECK(spec->summary->notes ==
        std::vector<std::string>{
            "left out: 40.00 us of kernels launched outside of the profiler's steps"});
}

TEST_CASE("Kernels side by side: busy once, counted each", "[pytorch/trace_links]") {
  const auto spec = read_trace(TraceText()
                                   .operation("aten::clamp_min", 1, 0, 50, vector_of_16)
                                   .kernel("k", 1, 100, 10)
                                   .kernel("k", 1, 105, 10)
                                   .kernel("k", 1, 130, 10)
                                   .text());
  CHECK(spec->summary->kernel_s == Approx(30e-6));
  CHECK(spec->summary->busy_s == Approx(25e-6));
  CHECK(spec->summary->span_s == Approx(40e-6));
}

TEST_CASE("Copies over the host link are no layers", "[pytorch/trace_links]") {
  const RecordedArguments copied{"[[32, 8], [32, 8], []]", R"(["float", "float", "Scalar"])",
                                 R"(["", "", "False"])"};
  const auto spec = read_trace(TraceText()
                                   .operation("aten::copy_", 1, 0, 50, copied)
                                   .operation("aten::copy_", 2, 60, 50, copied)
                                   .kernel("Memcpy HtoD (Pageable -> Device)", 1, 100, 10)
                                   .kernel("Memcpy DtoD (Device -> Device)", 2, 120, 3)
                                   .text());
  CHECK(time_us(*spec, "copy 32x8") == Approx(3));
  CHECK(spec->summary->layers_s == Approx(3e-6));
  CHECK(spec->summary->host_link_s() == Approx(10e-6));
  CHECK(spec->summary->unmodelled.empty());
}

TEST_CASE("The busiest device is the one that is shown", "[pytorch/trace_links]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 0, 50, vector_of_16)
      .operation("aten::clamp_min", 2, 60, 50, vector_of_16)
      .kernel("k", 1, 100, 10)
      .event("kernel", "k", "1", "7", 120, 4000, "\"device\": 1, \"External id\": 2");
  const auto spec = read_trace(trace.text());
  CHECK(time_us(*spec, "relu 1x16") == Approx(4000));
  CHECK(spec->summary->gpu.name == "NVIDIA H200");  // the only one that the trace describes
  CHECK(spec->summary->notes ==
        std::vector<std::string>{
            "left out: 10.00 us of kernels on other GPUs than the busiest, number 1"});
}

TEST_CASE("Kernels of the two gradients of a convolution", "[pytorch/trace_links]") {
  struct Row {
    std::vector<std::string> kernels;  ///< of 1, 2, 4, ... us
    double dgrad_us;
    double wgrad_us;
  };
  const std::vector<Row> rows{
      {{"xmma_dgrad_implicit_gemm", "xmma_wgrad_implicit_gemm"}, 1, 2},
      {{"nvjet_hsh_NNN", "nvjet_hsh_splitK_NTN", "cublasLt::splitKreduce_kernel"}, 1, 6},
      {{"gemm_a", "gemm_b", "cudnn::cnn::reduce_wgrad_nchw_helper"}, 1, 6},
      {{"nchwToNhwcKernel", "xmma_dgrad", "nhwcToNchwKernel", "nchwToNhwcKernel", "xmma_wgrad",
        "nhwcToNchwKernel"},
       7,
       56},
      {{"dgrad2d_c1_k1", "Memset (Device)", "xmma_depthwise_convolution_wgrad", "_wgrad"}, 1, 14},
      {{"xmma_dgrad", "gemm"}, 1, 2},
      {{"gemm", "xmma_wgrad"}, 1, 2},
      {{"fprop_a"}, 0.5, 0.5}};  // nothing tells them apart
  const RecordedArguments backward{
      "[[2, 16, 4, 4], [2, 8, 4, 4], [16, 8, 3, 3], [], [], [], [], [], [], [], []]",
      R"(["c10::Half", "c10::Half", "c10::Half", "", "", "", "", "", "", "", ""])",
      R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1",)"
      R"( "[True, True, False]"])"};
  for (const Row& row : rows) {
    TraceText trace;
    trace.operation("aten::convolution_backward", 1, 0, 50, backward);
    double at = 100;
    double duration = 1;
    for (const std::string& kernel : row.kernels) {
      trace.kernel(kernel, 1, at, duration);
      at += duration;
      duration *= 2;
    }
    INFO(row.kernels.front());
    const auto spec = read_trace(trace.text());
    CHECK(time_us(*spec, "conv2d 2x8x4x4 to 16 k3 dgrad") == Approx(row.dgrad_us));
    CHECK(time_us(*spec, "conv2d 2x8x4x4 to 16 k3 wgrad") == Approx(row.wgrad_us));
  }
}

TEST_CASE("A mask asks for one gradient alone", "[pytorch/trace_links]") {
  const RecordedArguments backward{
      "[[2, 16, 4, 4], [2, 8, 4, 4], [16, 8, 3, 3], [], [], [], [], [], [], [], []]",
      R"(["float", "float", "float", "", "", "", "", "", "", "", ""])",
      R"(["", "", "", "[0]", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1",)"
      R"( "[False, True, False]"])"};
  const auto spec = read_trace(TraceText()
                                   .operation("aten::convolution_backward", 1, 0, 50, backward)
                                   .kernel("gemm", 1, 100, 3)
                                   .text());
  REQUIRE(spec->layers.size() == 1);
  CHECK(*spec->layers.front().name == "conv2d 2x8x4x4 to 16 k3 wgrad");
}

TEST_CASE("Work that was queued before the recording began is of an earlier step",
          "[pytorch/trace_links]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 20, 50, vector_of_16)
      .call("cudaLaunchKernel", 77, 30)
      .kernel("queued", std::nullopt, 0, 30, "\"correlation\": 5")
      // Its number is an operator's too, which launched another kernel.
      .kernel("queued", 1, 32, 8, "\"correlation\": 1")
      .kernel("k", std::nullopt, 60, 10, "\"correlation\": 77")
      .kernel("unlinked", std::nullopt, 80, 3, "\"correlation\": 6");
  const auto spec = read_trace(trace.text());
  const TraceSummary& summary = *spec->summary;
  CHECK(summary.busy_s == Approx(13e-6));
  CHECK(summary.span_s == Approx(23e-6));
  CHECK(summary.notes == std::vector<std::string>{"left out: 38.00 us of kernels queued before the "
                                                  "recording began, of the step before it"});
}

TEST_CASE("A recording has its batch", "[pytorch/trace_links]") {
  const RecordedArguments pool{
      "[[8, 4, 16, 16], [], [], [], [], []]",
      R"(["float", "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar"])",
      R"(["", "[2, 2]", "[2, 2]", "[0, 0]", "[1, 1]", "False"])"};
  const auto spec = read_trace(TraceText()
                                   .operation("aten::max_pool2d_with_indices", 1, 0, 50, pool)
                                   .kernel("k", 1, 60, 10)
                                   .text());
  CHECK(spec->batch == 8);
  LayerDefaults defaults;
  defaults.batch_override = 8;
  CHECK(infer(*spec, defaults).value().layers.front().output.batch == 8);
  defaults.batch_override = 16;
  CHECK_THROWS_WITH(infer(*spec, defaults).value(),
                    "t.json: expected batch 8, its own, which cannot be changed in what was "
                    "recorded or built, got 16");
}
