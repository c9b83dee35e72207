// Recordings as other people make them: without a GPU, as bare lists, of several ranks in one file,
// of servers with caches, of compiled kernels.

#include <map>

#include "catch.hpp"
#include "model/layer_fields.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace trace_others {
namespace {

struct Expected {
  std::string name;
  std::uint64_t macs;
  std::uint64_t total_byte;
};

void check_layers(const std::vector<Layer>& layers, const std::vector<Expected>& expected) {
  REQUIRE(layers.size() == expected.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    INFO(expected[i].name);
    CHECK(layers[i].name == expected[i].name);
    CHECK(count(layers[i]).macs == expected[i].macs);
    CHECK(count(layers[i]).bytes.total == expected[i].total_byte);
  }
}

const RecordedArguments convolution{"[[2, 8, 4, 4], [16, 8, 3, 3], [], [], [], [], []]",
                                    R"(["float", "float", "", "ScalarList", "", "", "Scalar"])",
                                    R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"};
const RecordedArguments linear{"[[32, 8], [16, 8], [16]]", R"(["float", "float", "float"])",
                               R"(["", "", ""])"};
const RecordedArguments image{"[[2, 16, 4, 4], []]", R"(["float", "Scalar"])", R"(["", "0"])"};
constexpr std::uint64_t conv_macs = 2 * 16 * 16 * 8 * 9;
constexpr std::uint64_t conv_elements = 2 * 8 * 16 + 16 * 8 * 9 + 2 * 16 * 16;

/// As a CPU ran it: operators in others, and some that only look at tensors or make room.
TraceText without_gpu() {
  return TraceText()
      .operation("aten::conv2d", 1, 0, 50, convolution)
      .operation("aten::convolution", 2, 1, 48, convolution)
      .operation("aten::mkldnn_convolution", 3, 2, 40, convolution)
      .operation("aten::empty", 4, 3, 2, {"[[]]", R"(["ScalarList"])", R"(["[2, 16, 4, 4]"])"})
      .operation("aten::relu", 5, 60, 9, image)
      .operation("aten::clamp_min", 6, 61, 7, image)
      .operation("aten::dropout", 7, 70, 9, image)
      .operation("aten::view", 8, 80, 9, image)
      .operation("aten::linear", 9, 90, 30, linear)
      .operation("aten::t", 10, 91, 3, linear)
      .operation("aten::addmm", 11, 95, 20, linear)
      .operation("mylib::turn", 12, 130, 9, vector_of_16);
}

}  // namespace

TEST_CASE("Events in two halves are left out with a note", "[pytorch/trace_others]") {
  std::string text =
      TraceText().operation("aten::clamp_min", 2, 2, 9, vector_of_16).kernel("k", 2, 30, 5).text();
  const std::string list = "\"traceEvents\": [";
  REQUIRE(text.find(list) != text.npos);
  text.insert(text.find(list) + list.size(),
              R"({"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1},)"
              R"({"ph": "E", "pid": 0, "tid": 7, "ts": 2},)");
  const auto spec = read_trace(text);
  CHECK(spec->layers.size() == 1);
  CHECK(spec->summary->notes ==
        std::vector<std::string>{
            "2 events that only begin (\"B\") or only end (\"E\") are left out"});
}

TEST_CASE("A recording without a GPU is what its operators would run", "[pytorch/trace_others]") {
  const auto spec = read_trace(without_gpu().text());
  CHECK(spec->runs_as == RunsAs::pytorch_program);
  CHECK(spec->summary == nullptr);
  CHECK(spec->batch == 2);
  CHECK(
      spec->assumptions ==
      std::vector<std::string>{"recorded without a GPU: what its operators would run on one",
                               "counted by their bytes alone, as there is no rule for them: turn"});
  check_layers(infer(*spec, {}).value().layers,
               {{"conv2d 2x8x4x4 to 16 k3", conv_macs, 4 * conv_elements},
                {"relu 2x16x4x4", 0, 4 * 2 * 512},
                {"linear 32x8 to 16", 32 * 8 * 16, 4 * (32 * 8 + 16 * 8 + 16 + 32 * 16)},
                {"mylib::turn 1x16", 0, 4 * (16 + 1)}});
  for (const LayerSpec& layer : spec->layers) CHECK_FALSE(layer.measured->warm_s);
}

TEST_CASE("A recording without a GPU in another type", "[pytorch/trace_others]") {
  auto reader = whole<roofline::read_trace>(text_stream("t.json", without_gpu().text()));
  LayerDefaults half;
  half.dtype = DataType::fp16;
  half.dtype_given = true;
  const auto spec = (*reader->next()).value().spec(half).value();
  CHECK(count(infer(*spec, half).value().layers[1]).bytes.total == 2 * 2 * 512);
}

TEST_CASE("Autocast's operators are those that it calls", "[pytorch/trace_others]") {
  const RecordedArguments half{"[[32, 8], [16, 8], [16]]",
                               R"(["c10::Half", "c10::Half", "c10::Half"])", R"(["", "", ""])"};
  const RecordedArguments cast{"[[16, 8], [16, 8], []]", R"(["c10::Half", "float", "Scalar"])",
                               R"(["", "", "False"])"};
  check_layers(trace_layers(TraceText()
                                .operation("aten::linear", 1, 0, 50, linear)
                                .operation("aten::to", 2, 1, 10, cast)
                                .operation("aten::_to_copy", 3, 2, 8, cast)
                                .operation("aten::copy_", 4, 3, 6, cast)
                                .operation("aten::linear", 5, 20, 20, half)
                                .text()),
               {{"copy 16x8 fp32 to fp16", 0, 16 * 8 * (4 + 2)},
                {"linear 32x8 to 16", 32 * 8 * 16, 2 * (32 * 8 + 16 * 8 + 16 + 32 * 16)}});
}

TEST_CASE("Of several steps without a GPU the longest is read", "[pytorch/trace_others]") {
  const auto spec = read_trace(TraceText()
                                   .step(1, 0, 100)
                                   .operation("aten::relu", 1, 10, 5, image)
                                   .step(2, 100, 100)
                                   .operation("aten::relu", 2, 110, 5, image)
                                   .operation("aten::conv2d", 3, 120, 5, convolution)
                                   .text());
  CHECK(spec->layers.size() == 2);
  CHECK(spec->assumptions.back() == "one of 2 steps, with 2 of 3 operators");
}

TEST_CASE("Runs without step marks are steps if they repeat", "[pytorch/trace_others]") {
  const RecordedArguments product{"[[4, 8], [16, 8], [16]]", R"(["float", "float", "float"])",
                                  R"(["", "", ""])"};
  const RecordedArguments back{"[[4, 16], [8, 16], [8]]", R"(["float", "float", "float"])",
                               R"(["", "", ""])"};
  const RecordedArguments head{"[[4, 16], [5, 16], [5]]", R"(["float", "float", "float"])",
                               R"(["", "", ""])"};
  const auto summary_of = [](int runs, const std::vector<RecordedArguments>& calls,
                             bool has_optimizer = false, bool waits = false) {
    TraceText trace;
    int id = 0;
    for (int run = 0; run < runs; ++run) {
      for (const RecordedArguments& arguments : calls) {
        ++id;
        trace.operation("aten::linear", id, 100 * id, 9, arguments)
            .kernel("k", id, 100 * id + 5, 2);
      }
      if (waits) trace.event("cuda_runtime", "cudaMemcpyAsync", "100", "1", 100 * id + 6, 50, "");
      if (has_optimizer)  // whose work differs from step to step
        trace.event("user_annotation", "Optimizer.step#SGD.step", "100", "1", 100 * id + 20, 70, "")
            .operation("aten::clamp_min", 1000 + id, 100 * id + 30, 9,
                       {"[[1, " + std::to_string(16 + run) + "], []]", vector_of_16.types,
                        vector_of_16.values});
    }
    return *read_trace(trace.text())->summary;
  };
  const TraceSummary loop = summary_of(10, {product, head});
  CHECK(loop.steps == 10);
  CHECK(loop.kernel_s == Approx(4e-6));
  CHECK(loop.notes == std::vector<std::string>{"10 steps without marks: its operators repeat"});
  // What the last operator makes is what the first reads: ten runs, or a stack of ten layers.
  CHECK(summary_of(10, {product, back}).steps == 1);
  CHECK(summary_of(10, {product, back}, false, true).steps == 10);  // batches of a server
  CHECK(summary_of(1, {product, head}).steps == 1);
  const TraceSummary training = summary_of(3, {product, back}, true);
  CHECK(training.steps == 3);
  CHECK(training.notes.front() == "3 steps without marks: an optimizer ends each");
}

TEST_CASE("Older recordings: bare lists of events, and no values", "[pytorch/trace_others]") {
  const std::string whole = without_gpu().text();
  const std::size_t begin = whole.find('[', whole.find("traceEvents"));
  const std::string list = whole.substr(begin, whole.rfind(']') + 1 - begin);
  CHECK(looks_like_trace(list));
  CHECK(read_trace(list)->layers.size() == 4);
  const std::string autograd =
      R"([{"name": "mm", "ph": "X", "ts": 1, "dur": 9, "tid": 1, "pid": "CPU functions", "args": {}},
      {"name": "gemm", "ph": "X", "ts": 5, "dur": 7, "tid": 0, "pid": "CUDA functions", "args": {}}])";
  const auto kernels = read_trace(autograd)->kernels;
  REQUIRE(kernels->kernels.size() == 1);
  CHECK(kernels->kernels.front().name == "gemm");
  CHECK(kernels->kernels.front().time_s == Approx(7e-6));
}

TEST_CASE("Ranks in one file are one process's", "[pytorch/trace_others]") {
  // Each counts its calls from 1 and calls its GPU the first; the second one's works longer.
  for (const bool has_labels : {false, true}) {
    TraceText trace;
    const auto add = [&](int rank, double start_us, double duration_us) {
      const std::string number = std::to_string(rank);
      const std::string host = has_labels ? "\"[TP" + number + "] 4" + number + "\"" : "4" + number;
      const std::string gpu = has_labels ? "\"[TP" + number + "] 0\"" : number;
      trace.event("user_annotation", "ProfilerStep#1", host, "1", start_us, 100, "")
          .event("cpu_op", "aten::clamp_min", host, "1", start_us + 1, 9,
                 "\"External id\": 1, \"Concrete Inputs\": " + vector_of_16.values +
                     ", \"Input type\": " + vector_of_16.types +
                     ", \"Input Dims\": " + vector_of_16.sizes)
          .event("cuda_runtime", "cudaLaunchKernel", host, "1", start_us + 2, 1,
                 "\"correlation\": 7")
          .event("kernel", "k", gpu, "7", start_us + 5, duration_us,
                 "\"device\": " + (has_labels ? "0" : number) +
                     ", \"correlation\": 7, \"External id\": 1");
    };
    add(0, 1000, 10);
    add(1, 990, 20);
    const auto spec = read_trace(trace.text());
    const TraceSummary& summary = *spec->summary;
    CHECK(summary.steps == 1);
    CHECK(summary.kernel_s == Approx(20e-6));
    REQUIRE(summary.notes.size() == 1);
    CHECK(summary.notes.front() ==
          std::string("one of 2 processes in this file, ") + (has_labels ? "[TP1] 41" : "41") +
              ", with the busiest GPU; kernels and copies of the others, left out: 1");
  }
}

TEST_CASE("A gap is the host's until its launch returns", "[pytorch/trace_others]") {
  // The graph is asked for from 50 to 94 us and runs at 500, after a copy elsewhere.
  const auto spec = read_trace(
      TraceText()
          .operation("aten::clamp_min", 1, 0, 9, vector_of_16)
          .kernel("k", 1, 10, 10)
          .event("cuda_runtime", "cudaGraphLaunch", "100", "1", 50, 44, "\"correlation\": 77")
          .kernel("g", {}, 500, 100, "\"correlation\": 77")
          .text());
  const TraceSummary& summary = *spec->summary;
  CHECK(summary.idle_by_cause_s[IdleCause::host] == Approx(74e-6));
  CHECK(summary.idle_by_cause_s[IdleCause::queued] == Approx(406e-6));
  REQUIRE(summary.gaps.size() == 2);
  CHECK(summary.gaps[1].during == "cudaGraphLaunch " + std::string(before_graph));
  CHECK(summary.unmodelled.front().reason == in_graph);
}

TEST_CASE("Runs of a recording's layers are no copies by repeat", "[pytorch/trace_others]") {
  TraceText trace;
  for (int i = 1; i <= 3; ++i)
    trace.operation("aten::clamp_min", i, 100 * i, 9, vector_of_16).kernel("k", i, 100 * i + 10, 5);
  const auto spec = read_trace(trace.text());
  LayerDefaults defaults;
  defaults.limits.copies = 1;
  CHECK(infer(*spec, defaults).value().layers.size() == 3);
  defaults.limits.runs = 1;
  CHECK(
      infer(*spec, defaults).error().message ==
      "expected at most 1 runs of a log's or a recording's layers in all, each 400 bytes of names "
      "and operands counting as one, got more");
}

TEST_CASE("A cache of keys and values counts what is known to move", "[pytorch/trace_others]") {
  const std::string types =
      R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
  const std::string values = R"(["", "", "", ""])";
  const RecordedArguments store{"[[64, 2, 128], [64, 2, 128], [100000, 2, 128], [100000, 2, 128]]",
                                types, values};
  const RecordedArguments attention{"[[64, 8, 128], [64, 2, 128], [64, 2, 128], [64, 8, 128]]",
                                    types, values};
  const RecordedArguments paged{"[[64, 8, 128], [5000, 16, 2, 128], [5000, 16, 2, 128], []]", types,
                                values};
  const auto read =
      read_trace(TraceText()
                     .operation("sglang::store_cache", 1, 10, 9, store)
                     .kernel("k", 1, 15, 1)
                     .operation("vllm::unified_attention_with_output", 2, 30, 9, attention)
                     .kernel("kernel_unified_attention_2d", 2, 35, 1)
                     .operation("aiter::mha_batch_prefill", 3, 50, 9, paged)
                     .kernel("k", 3, 55, 1)
                     .text());
  check_layers(infer(*read, {}).value().layers,
               {{"store_cache 64x2x128", 0, 2 * 2 * (2 * 64 * 2 * 128)},
                {"unified_attention_with_output 64x8x128", 0, 2 * 2 * 64 * 8 * 128},
                {"mha_batch_prefill 64x8x128", 0, 2 * 2 * 64 * 8 * 128}});
  CHECK(read->summary->notes ==
        std::vector<std::string>{
            "no range is stated, as the products of these could not be sized: "
            "aiter::mha_batch_prefill, vllm::unified_attention_with_output",
            "aiter::mha_batch_prefill, vllm::unified_attention_with_output: without the keys and "
            "values of the cache and their products, as a recording does not say how many they "
            "are"});
  CHECK(read->lacks_products);
}

TEST_CASE("A compiled pointwise kernel counts the bytes that move", "[pytorch/trace_others]") {
  const auto byte_of = [](const std::string& name, const std::string& sizes) {
    const RecordedArguments arguments{
        "[" + sizes + ", []]", R"(["c10::Half", "c10::Half", "Scalar"])", R"(["", "", "65536"])"};
    return count(trace_layers(
                     TraceText().operation(name, 1, 0, 9, arguments).kernel(name, 1, 5, 1).text())
                     .front())
        .bytes.total;
  };
  constexpr std::uint64_t elements = 65536;
  // A table of which 65,536 elements are read, and the result.
  CHECK(byte_of("triton_poi_fused_embedding_0", "[50257, 1024], [64, 1024]") ==
        2 * (2 * elements + 1));
  // Two are read and one of them written; one is read and the other written.
  CHECK(byte_of("triton_poi_fused__batch_norm_add_relu_1", "[64, 1024], [64, 1024]") ==
        2 * 3 * elements);
  CHECK(byte_of("triton_poi_fused_relu_2", "[64, 1024], [64, 1024]") == 2 * (2 * elements + 1));
  CHECK(byte_of("triton_poi_fused_relu_3", "[64, 1024], [1024]") == 2 * (2 * elements + 1024));
  // A pool reads more than it writes.
  CHECK(byte_of("triton_poi_fused_max_pool2d_4", "[64, 4096], [64, 1024]") ==
        2 * (5 * elements + 1));
}

}  // namespace trace_others
