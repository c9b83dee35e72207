// Traces that hold no layers: what is said and what to do.

#include "catch.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"

using namespace roofline;

TEST_CASE("A trace that cannot be used says how to record one", "[pytorch/trace_errors]") {
  CHECK(message_of_trace(TraceText().step(1, 0, 9).text()) ==
        "t.json: expected operators or kernels, got a trace without any: record it with "
        "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
  CHECK(message_of_trace(TraceText().operation("aten::clamp_min", 1, 0, 9).text()) ==
        "t.json: expected operators with their shapes, got a trace without: record it with "
        "torch.profiler.profile(..., record_shapes=True)");
  const RecordedArguments unknown{"[[4, 4]]", R"(["c10::quint4x2"])", R"([""])"};
  CHECK(message_of_trace(TraceText().operation("aten::exp", 1, 0, 9, unknown).text()) ==
        "t.json: expected operators that are layers, got none");
}

TEST_CASE("Kernels of no layer are a table", "[pytorch/trace_errors]") {
  const RecordedArguments unknown{"[[4, 4]]", R"(["c10::quint4x2"])", R"([""])"};
  const auto spec = read_trace(
      TraceText().operation("aten::unheard_of", 1, 0, 9, unknown).kernel("k", 1, 10, 5).text());
  REQUIRE(spec->kernels != nullptr);
  CHECK(spec->kernels->kernels.size() == 1);
  CHECK(spec->kernels->notes ==
        std::vector<std::string>{
            "expected operators that are layers, got none among those that used the GPU"});
}

TEST_CASE("A trace that is damaged", "[pytorch/trace_errors]") {
  const std::string good =
      TraceText().operation("aten::clamp_min", 1, 0, 9, vector_of_16).kernel("k", 1, 10, 5).text();
  CHECK(message_of_trace(good).empty());
  const std::string cut = good.substr(0, 300);
  CHECK(message_of_trace(cut) ==
        "t.json: byte 301: expected the rest of the trace, got the end of the text");
  std::string broken = good;
  broken[good.find("\"ph\"")] = '}';
  CHECK(message_of_trace(broken) == "t.json: byte " + std::to_string(good.find("\"ph\"") + 2) +
                                        ": expected JSON, got something else");
  std::string latin = good;
  latin[good.find("aten")] = '\xe9';
  CHECK(message_of_trace(latin) == "t.json: byte " + std::to_string(good.find("aten") + 2) +
                                       ": expected UTF-8 text, got a byte that is not");
}

TEST_CASE("What is no layer is told, with the reason", "[pytorch/trace_errors]") {
  const RecordedArguments list{"[[], []]", R"(["TensorList", "Scalar"])", R"(["", "0.9"])"};
  const RecordedArguments unknown{"[[4, 4], []]", R"(["c10::quint4x2", "Scalar"])", R"(["", "0"])"};
  const auto spec =
      read_trace(TraceText()
                     .operation("aten::clamp_min", 1, 0, 9, vector_of_16)
                     .operation("aten::_foreach_mul_", 2, 10, 9, list)
                     .operation("aten::exp", 3, 20, 9, unknown)
                     .operation("Torch-Compiled Region: 0/0", 6, 50, 9)
                     .call("cudaGraphLaunch", 77, 55)
                     .kernel("k", 1, 100, 1)
                     .kernel("k", 2, 110, 6)
                     .kernel("k", 3, 120, 5)
                     .kernel("void ns::(anonymous namespace)::gemm<int, 4>(int*)", 6, 150, 4,
                             "\"correlation\": 77")
                     .kernel("<unnamed>::add<int>(int*)", 6, 160, 3, "\"correlation\": 77")
                     .text());
  struct Row {
    std::string name;
    std::string shapes;
    std::string reason;
  };
  const std::vector<Row> expected{
      {"aten::_foreach_mul_", "", "the trace holds no shapes of its lists of tensors"},
      {"aten::exp", "4x4", "expected tensors of known types, got 4x4"},
      {"ns::gemm", "", "launched by a CUDA graph, which keeps no operators"},
      {"add", "", "launched by a CUDA graph, which keeps no operators"}};
  const std::vector<UnmodelledWork>& unmodelled = spec->summary->unmodelled;
  REQUIRE(unmodelled.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(unmodelled[i].name == expected[i].name);
    CHECK(unmodelled[i].shapes == expected[i].shapes);
    CHECK(unmodelled[i].reason == expected[i].reason);
    CHECK(unmodelled[i].time_s == Approx((6.0 - static_cast<double>(i)) * 1e-6));
  }
}

TEST_CASE("Times that are none are refused, whatever the event", "[pytorch/trace_errors]") {
  const std::string good =
      TraceText().operation("aten::clamp_min", 1, 0, 9, vector_of_16).kernel("k", 1, 10, 5).text();
  const std::string time = "\"ts\": 10.000000, \"dur\": 5.000000";
  for (const std::string wrong :
       {"\"ts\": null, \"dur\": 5", "\"ts\": \"noon\", \"dur\": 5", "\"ts\": 10, \"dur\": -5",
        "\"ts\": 10, \"dur\": 1e308", "\"ts\": 10"}) {
    INFO(wrong);
    std::string text = good;
    REQUIRE(text.find(time) != std::string::npos);
    text.replace(text.find(time), time.size(), wrong);
    CHECK(message_of_trace(text) ==
          "t.json: /traceEvents/1: expected numbers of microseconds, ts and a dur from 0 to 1e12, "
          "got others in the event \"k\"");
  }
  std::string texts = good;
  texts.replace(texts.find(time), time.size(), "\"ts\": \"10\", \"dur\": \"5.5\"");
  CHECK(message_of_trace(texts).empty());
}
