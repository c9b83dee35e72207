// Why the GPU of a recording waits, and what it could do in one kernel.

#include <algorithm>
#include <tuple>

#include "catch.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"

using namespace roofline;

namespace {

/// One operator of 16 elements, its call and its kernel.
TraceText& add_relu(TraceText& trace, int id, double asked_us, double start_us,
                    double duration_us) {
  return trace.operation("aten::clamp_min", id, asked_us - 5, 10, vector_of_16)
      .call("cudaLaunchKernel", 70 + id, asked_us)
      .kernel("k", id, start_us, duration_us, "\"correlation\": " + std::to_string(70 + id));
}

TraceText& add_range(TraceText& trace, const std::string& category, const std::string& name,
                     double start_us, double duration_us) {
  return trace.event(category, name, "100", "1", start_us, duration_us, "");
}

double idle_us(const TraceSummary& summary, IdleCause cause) {
  return summary.idle_by_cause_s[cause] * 1e6;
}

const RecordedArguments matrix{"[[32, 64], []]", R"(["float", "Scalar"])", R"(["", "0"])"};
const RecordedArguments two_matrices{"[[32, 64], [32, 64], []]", R"(["float", "float", "Scalar"])",
                                     R"(["", "", "1"])"};

}  // namespace

TEST_CASE("A gap is the host's where the launch came after it began", "[pytorch/trace_idle]") {
  TraceText trace;
  add_relu(trace, 1, 10, 100, 10);
  add_relu(trace, 2, 20, 113, 10);   // asked for long before: 3 us between queued kernels
  add_relu(trace, 3, 150, 160, 10);  // 37 us for the host, which runs the function below
  add_range(trace, "python_function", "model.py(3): forward", 100, 60);
  const auto spec = read_trace(trace.text());
  const TraceSummary& summary = *spec->summary;
  CHECK(idle_us(summary, IdleCause::queued) == Approx(3));
  CHECK(idle_us(summary, IdleCause::host) == Approx(37));
  CHECK(summary.idle_s() == Approx(40e-6));
  REQUIRE(summary.gaps.size() == 2);
  CHECK(summary.gaps[0].during == "model.py(3): forward");
  CHECK(summary.gaps[0].count == Approx(1));
  CHECK(summary.gaps[0].longest_s == Approx(37e-6));
  CHECK(summary.gaps[1].cause == IdleCause::queued);
  CHECK(summary.gaps[1].during.empty());
}

namespace {

/// Twelve relus, launched every 20 us; a kernel starts 5 us after its launch, or after the last
/// one.
TraceText launched_relus(double kernel_us, double pause_us = 0) {
  TraceText trace;
  double end_us = 0;
  for (int id = 1; id <= 12; ++id) {
    const double asked_us = 20 * id + (id > 6 ? pause_us : 0);
    const double start_us = std::max(asked_us + 5, end_us);
    add_relu(trace, id, asked_us, start_us, kernel_us);
    end_us = start_us + kernel_us;
  }
  return trace;
}

}  // namespace

TEST_CASE("Without its recorder a host takes 55 % of the time between launches",
          "[pytorch/trace_idle]") {
  // From the first call's end, after 1 us: 55 % of 19 us and ten times of 20 us, then the last
  // kernel's start and its 5 us; the first kernel starts 4 us after that end.
  const TraceSummary eager = *read_trace(launched_relus(5).text())->summary;
  CHECK(eager.span_s == Approx(225e-6));
  CHECK(eager.step_s() == Approx((0.55 * 219 + 5 + 5 - 4) * 1e-6));
  CHECK(eager.host_s == Approx(220e-6));
  CHECK(eager.unrecorded_host_s == Approx((220 - 0.45 * 219) * 1e-6));
  // Compiled code needs no more than 10 us a launch.
  const TraceSummary compiled =
      *read_trace(launched_relus(5).operation("Torch-Compiled Region: 0/0", 99, 1, 900).text())
           ->summary;
  CHECK(compiled.step_s() == Approx((11 * 10 + 5 + 5 - 4) * 1e-6));
  // Kernels that keep the GPU busy hide the host, recorded or not.
  const TraceSummary busy = *read_trace(launched_relus(30).text())->summary;
  CHECK_FALSE(busy.unrecorded_s);
  CHECK(busy.step_s() == Approx(12 * 30e-6));
  CHECK(busy.unrecorded_host_s == Approx((220 - 0.45 * 219) * 1e-6));
  // A pause of the host's own is none of the recorder's: 20 + 1,500 us stay, 45 % of 199 us go.
  const TraceSummary pause = *read_trace(launched_relus(5, 1500).text())->summary;
  CHECK(pause.step_s() == Approx(pause.span_s - 0.45 * 199e-6));
}

TEST_CASE("The innermost range that runs for half of a gap names it", "[pytorch/trace_idle]") {
  TraceText trace;
  add_relu(trace, 1, 10, 100, 10);
  add_relu(trace, 2, 190, 210, 10);  // a gap from 110 to 210
  add_range(trace, "user_annotation", "## forward ##", 90, 200);
  add_range(trace, "python_function", "outer", 115, 80);
  add_range(trace, "cuda_runtime", "cudaMalloc", 120, 60);
  add_range(trace, "python_function", "too short", 125, 40);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->summary->gaps.size() == 1);
  CHECK(spec->summary->gaps[0].during == "cudaMalloc");
}

TEST_CASE("Gaps after synchronisations, and while data is loaded", "[pytorch/trace_idle]") {
  TraceText trace;
  add_relu(trace, 1, 10, 100, 10);
  add_range(trace, "cuda_runtime", "cudaStreamSynchronize", 20, 95);  // to 115
  add_relu(trace, 2, 130, 140, 10);                                   // 30 us
  add_relu(trace, 3, 390, 400, 10);                                   // 250 us
  add_range(trace, "user_annotation", "enumerate(DataLoader)#__next__", 150, 220);
  const auto spec = read_trace(trace.text());
  CHECK(idle_us(*spec->summary, IdleCause::synchronisation) == Approx(30));
  CHECK(idle_us(*spec->summary, IdleCause::data_loading) == Approx(250));
  CHECK(idle_us(*spec->summary, IdleCause::host) == 0);
  CHECK(spec->summary->gaps[0].during == "enumerate(DataLoader)#__next__");
}

TEST_CASE("A copy that the host waits for is a synchronisation", "[pytorch/trace_idle]") {
  for (const char* call : {"cudaMemcpyAsync", "hipMemcpyWithStream", "hipDeviceSynchronize"}) {
    INFO(call);
    TraceText trace;
    add_relu(trace, 1, 10, 100, 10);
    add_range(trace, "cuda_runtime", call, 20, 95);  // to 115
    add_relu(trace, 2, 130, 140, 10);
    CHECK(idle_us(*read_trace(trace.text())->summary, IdleCause::synchronisation) == Approx(30));
  }
}

TEST_CASE("The host's time of a step is from its first launch to its last, without waits",
          "[pytorch/trace_idle]") {
  TraceText trace;
  for (int step = 0; step < 2; ++step) {
    const double at = 1000.0 * step;
    trace.step(step, at, 900);
    add_relu(trace, 2 * step + 1, at + 100, at + 110, 10);
    add_range(trace, "cuda_runtime", "cudaStreamSynchronize", at + 200, 50);
    add_relu(trace, 2 * step + 2, at + 400, at + 410, 10);
  }
  CHECK(read_trace(trace.text())->summary->host_s == Approx(250e-6));
}

TEST_CASE("A launch of 100 ms is a first use, whenever it begins", "[pytorch/trace_idle]") {
  for (const double asked_us : {105.0, 115.0}) {  // before and after the kernel before it ends
    INFO(asked_us);
    TraceText trace;
    add_relu(trace, 1, 10, 100, 10);
    trace.operation("aten::clamp_min", 2, asked_us - 5, 150'020, vector_of_16)
        .event("cuda_runtime", "cudaLaunchKernel", "100", "1", asked_us, 150'000,
               "\"correlation\": 72")
        .kernel("k", 2, asked_us + 150'005, 10, "\"correlation\": 72");
    const double after_us = asked_us + 150'100;
    add_relu(trace, 3, after_us, after_us + 10, 10);
    const auto spec = read_trace(trace.text());
    const TraceSummary& summary = *spec->summary;
    CHECK(summary.gaps[0].cause == IdleCause::host);
    CHECK(summary.gaps[0].during == "cudaLaunchKernel (first use)");
    CHECK(is_warm_up(summary.gaps[0].during));
    CHECK(summary.host_s == Approx((after_us - 10 - 150'000) * 1e-6));
  }
}

TEST_CASE("An operator that keeps an idle GPU waiting for 10 ms initialises",
          "[pytorch/trace_idle]") {
  for (const auto& [name, duration_us, kernel, is_first] :
       {std::tuple{"aten::cudnn_convolution", 12'000, "k", true},
        {"aten::cudnn_convolution", 8'000, "k", false},
        {"aten::copy_", 12'000, "Memcpy HtoD (Pinned -> Device)", false},
        {"train.py(12): load", 12'000, "k", false}}) {
    INFO(name << ' ' << duration_us);
    TraceText trace;
    add_relu(trace, 1, 10, 100, 10);
    trace.operation(name, 2, 105, duration_us, vector_of_16)
        .call("cudaLaunchKernel", 72, 100 + duration_us)
        .kernel(kernel, 2, 105 + duration_us, 10, "\"correlation\": 72");
    CHECK(is_warm_up(read_trace(trace.text())->summary->gaps[0].during) == is_first);
  }
}

TEST_CASE("Captures and compilations are first uses, launches of graphs none",
          "[pytorch/trace_idle]") {
  for (const char* during : {"cudaStreamBeginCapture", "hipStreamEndCapture",
                             "cudaGraphInstantiateWithFlags", "cuModuleLoadData"})
    CHECK(is_warm_up(during));
  for (const char* during : {"cudaGraphLaunch (before a graph)", "cudaLaunchKernel"})
    CHECK_FALSE(is_warm_up(during));
  for (const auto& [name, is_first] :
       {std::pair{"## Call CompiledFxGraph f3a ##", true},
        {"torch/_inductor/cudagraph_trees.py(391): deferred_cudagraphify", true},
        {"train.py(12): load", false}}) {
    INFO(name);
    TraceText trace;
    add_relu(trace, 1, 10, 100, 10);
    add_range(trace, "user_annotation", name, 105, 120'000);
    add_relu(trace, 2, 120'100, 120'120, 10);
    CHECK(is_warm_up(read_trace(trace.text())->summary->gaps[0].during) == is_first);
  }
}

TEST_CASE("A recording tells that DistributedDataParallel ran", "[pytorch/trace_idle]") {
  TraceText trace;
  add_relu(trace, 1, 10, 100, 10);
  CHECK_FALSE(read_trace(trace.text())->summary->is_data_parallel);
  add_range(trace, "user_annotation", "DistributedDataParallel.forward", 0, 50);
  CHECK(read_trace(trace.text())->summary->is_data_parallel);
}

TEST_CASE("Gaps of several steps are a step's", "[pytorch/trace_idle]") {
  TraceText trace;
  for (int step = 0; step < 2; ++step) {
    const double at = 1000.0 * step;
    trace.step(step, at, 900);
    add_relu(trace, 2 * step + 1, at + 100, at + 110, 10);
    add_relu(trace, 2 * step + 2, at + 150, at + 160, 10);
  }
  // Gaps of 40, 940 and 40 us in two steps.
  const auto spec = read_trace(trace.text());
  CHECK(idle_us(*spec->summary, IdleCause::host) == Approx(510));
  CHECK(spec->summary->idle_s() == Approx(510e-6));
}

TEST_CASE("Copies and collectives count where nothing better runs", "[pytorch/trace_idle]") {
  TraceText trace;
  add_relu(trace, 1, 10, 100, 20);
  trace
      .kernel("Memcpy HtoD (Pinned -> Device)", {}, 110, 30)   // 20 us beside nothing
      .kernel("ncclDevKernel_AllReduce_Sum_f32", {}, 150, 40)  // 30 us but for the next kernel
      .kernel("Memcpy DtoH (Device -> Pinned)", {}, 180, 20);  // 10 us after the collective
  add_relu(trace, 2, 140, 155, 10);
  const auto spec = read_trace(trace.text());
  CHECK(spec->summary->copies_alone_s == Approx(30e-6));
  CHECK(spec->summary->collectives_alone_s == Approx(30e-6));
  CHECK(spec->summary->busy_s == Approx(90e-6));
}

TEST_CASE("Elementwise layers that read what the one before wrote are a chain",
          "[pytorch/trace_idle]") {
  TraceText trace;
  const auto run = [&](const std::string& name, int id, const RecordedArguments& arguments) {
    trace.operation(name, id, 10 * id, 5, arguments).kernel("k", id, 1000 + 10 * id, 2);
  };
  run("aten::add", 1, two_matrices);
  run("aten::clamp_min", 2, matrix);
  run("aten::clamp_min", 3, vector_of_16);  // of another shape: nothing goes on
  run("aten::add", 4, two_matrices);
  run("aten::clamp_min", 5, matrix);
  const auto spec = read_trace(trace.text());
  REQUIRE(spec->summary->chains.size() == 1);
  CHECK(spec->summary->chains[0].layers == std::vector<std::string>{"add 32x64", "relu 32x64"});
  CHECK(spec->summary->chains[0].runs == Approx(2));
}
