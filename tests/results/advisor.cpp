// What is advised, and what is not: on a GPU whose kernel model no change of configs moves.

#include <algorithm>

#include "load/loading.hpp"
#include "model/recording.hpp"
#include "report/golden.hpp"
#include "results/explanation.hpp"
#include "results/steps.hpp"

namespace {

using namespace roofline;

using Texts = std::vector<std::string>;

Texts texts_of(const std::vector<Advice>& all) {
  Texts texts;
  for (const Advice& each : all) texts.push_back(each.text);
  return texts;
}

bool holds(const Texts& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// What is advised on the last layer of a text.
Texts advised(const std::string& text, const AnalysisOptions& options = {}) {
  const Context context = frozen_context(options);
  const Result result = evaluate(load_text(text), context).value();
  return texts_of(advise(result.layers.back(), result, context));
}

const std::string larger_batch = "batch 8 in place of 1, counted for 1";
const std::string fused_before = "fused into the layer before it";

/// A measured layer of 1 ms and a recording of steps, of which 100 us are each test's to fill.
struct Step {
  Context context = frozen_context();
  Result result = evaluate(load_text(R"({"name": "net", "batch": 32, "layers": [
      {"name": "r", "type": "relu", "input": [256, 56, 56], "measured_us": 1000,
       "gpu": "Frozen 100"}]})"),
                           context)
                      .value();
  TraceSummary recording;
  Verdict run;

  Step() {
    run.step_s = 100e-6;
    run.knows_gaps = true;
  }
  /// Nothing is known of the layers' own times.
  std::vector<Advice> advice() {
    for (LayerResult& row : result.layers) row.measured_time_s.reset();
    result.measured.recording = std::make_shared<const TraceSummary>(recording);
    return advise_run(result, context, run);
  }
  /// What an action saves; 0 where it is not advised.
  double saved_us(std::string_view action) {
    for (const Advice& each : advice())
      if (each.action == action) return each.saved_s * 1e6;
    return 0;
  }
};

}  // namespace

TEST_CASE("A layer grows with its batch where that is of samples", "[results/advisor]") {
  CHECK(holds(advised(R"({"input": [64, 7, 7], "k": 64, "kernel_size": 3})"), larger_batch));
  struct Case {
    const char* why;
    std::string layer;
  };
  for (const Case& each :
       {Case{"its rows are those of a table",
             R"({"type": "gather", "input": [5000, 64], "output": [1, 64]})"},
        Case{"gradients of weights are a sum over the batch",
             R"({"input": [64, 7, 7], "k": 64, "kernel_size": 3, "pass": "wgrad"})"},
        Case{"it makes one value of a sample",
             R"({"type": "reduce", "input": [1, 4096], "output": [1, 1]})"}}) {
    INFO(each.why);
    CHECK_FALSE(holds(advised(each.layer), larger_batch));
  }
}

TEST_CASE("No batch grows beyond what can be counted", "[results/advisor]") {
  const std::string largest = R"({"type": "relu", "dtype": "int8", "input": [1, 1, 2], "batch": )";
  for (const char* batch : {"2305843009213693952}", "2305843009213693953}"})
    CHECK(std::ranges::none_of(advised(largest + batch),
                               [](const std::string& text) { return text.starts_with("batch"); }));
}

TEST_CASE("Sums of what is no batch of samples stay in fp32", "[results/advisor]") {
  const auto add = [](const std::string& shape) {
    return R"({"type": "add", "inputs": [)" + shape + ", " + shape + "]}";
  };
  CHECK(holds(advised(add("[10000, 1000]")), "fp16"));
  CHECK_FALSE(holds(advised(add("[10000000, 1]")), "fp16"));
}

TEST_CASE("Channels are filled up to whole loads of eight, those of groups are not",
          "[results/advisor]") {
  const Texts texts =
      advised(R"({"input": [32, 3, 224, 224], "k": 64, "kernel_size": 3, "dtype": "fp16"})");
  CHECK(holds(texts, "channels 3 -> 64 as 8 -> 64"));
  for (
      const std::string& text : advised(
          R"({"input": [32, 66, 56, 56], "k": 66, "kernel_size": 3, "groups": 2, "dtype": "fp16"})"))
    CHECK_FALSE(text.starts_with("channels "));
}

TEST_CASE("Any part of a mapping of one's own gives way to the library's", "[results/advisor]") {
  const auto mapped = [](const std::string& kernel) {
    return R"({"input": [32, 64, 56, 56], "k": 64, "kernel_size": 3, "kernel": )" + kernel + "}";
  };
  const std::string library = "the library's own mapping";
  CHECK(holds(advised(mapped(R"({"algorithm": "implicit_gemm"})")), library));
  CHECK(holds(advised(mapped(R"({"tile": [32, 32, 8]})")), library));
  CHECK_FALSE(holds(advised(R"({"input": [32, 64, 56, 56], "k": 64, "kernel_size": 3})"), library));
}

TEST_CASE("What one kernel more does element by element may be fused, one value is not",
          "[results/advisor]") {
  CHECK(holds(advised(R"({"type": "relu", "input": [1, 64, 56, 56]})"), fused_before));
  CHECK_FALSE(holds(advised(R"({"type": "relu", "input": [1, 1]})"), fused_before));
  CHECK_FALSE(holds(advised(R"({"type": "relu", "input": [1, 64, 56, 56], "pass": "dgrad"})"),
                    fused_before));
}

TEST_CASE("A kernel of one's own gets no advice on another type", "[results/advisor]") {
  const std::string layer = R"({"input": [32, 64, 56, 56], "k": 64, "kernel_size": 3)";
  const auto has_fp16 = [](const Texts& texts) {
    return std::ranges::any_of(texts,
                               [](const std::string& text) { return text.starts_with("fp16"); });
  };
  CHECK(has_fp16(advised(layer + "}")));
  CHECK_FALSE(has_fp16(advised(layer + R"(, "gpu": "Frozen 100", "measured_us": 9000})")));
}

TEST_CASE("Networks are fused in inference; two things that help are advised together",
          "[results/advisor]") {
  const auto advice_on = [](const std::string& text, bool training) {
    AnalysisOptions options;
    options.training = training;
    const Context context = frozen_context(options);
    const Network network = load_text(text);
    return texts_of(advise_network(evaluate(network, context).value(), context, network));
  };
  const std::string chain = R"({"name": "net", "batch": 1024, "layers": [
      {"input": [64, 56, 56], "k": 64, "kernel_size": 1},
      {"type": "batch_norm"}, {"type": "relu"}, {"type": "sigmoid"}]})";
  const std::string fused = "norms, activations, adds fused, as inference engines do";
  CHECK(holds(advice_on(chain, false), fused));
  CHECK_FALSE(holds(advice_on(chain, true), fused));
  const std::string convolutions = R"({"name": "net", "layers": [
      {"input": [256, 7, 7], "k": 256, "kernel_size": 3, "dtype": "fp16"},
      {"k": 256, "kernel_size": 3, "dtype": "fp16"}]})";
  CHECK(advice_on(convolutions, false) == Texts{"batch 8 in place of 1"});
  // Nothing follows the activation: no layer can join another's kernel.
  CHECK_FALSE(holds(advice_on(R"({"name": "net", "layers": [
      {"type": "relu", "input": [1, 64, 56, 56]}]})",
                              false),
                    fused));
  std::string in_fp32 = convolutions;
  for (std::size_t at; (at = in_fp32.find("fp16")) != in_fp32.npos;) in_fp32.replace(at, 4, "fp32");
  const Texts both = advice_on(in_fp32, false);
  CHECK(holds(both, "batch 8 in place of 1"));
  CHECK(holds(both, "fp16 with channels last"));
  CHECK(both.back() == "the best of each sort together");
}

TEST_CASE("Less than 3 % of a step is not worth it", "[results/advisor]") {
  Step step;
  step.run.part_s[StepPart::idle_data_loading] = 2.8e-6;  // 100 / 97.2 = 1.029
  CHECK(step.saved_us("load_data_beside") == 0);
  step.run.part_s[StepPart::idle_data_loading] = 3e-6;  // 100 / 97 = 1.031
  CHECK(step.saved_us("load_data_beside") == Approx(3));
}

TEST_CASE("A graph saves the host's gaps but for warming up and what it leaves itself",
          "[results/advisor]") {
  Step step;
  step.run.part_s[StepPart::idle_host] = 50e-6;
  step.recording.launches = 20;  // at 0.15 us from one of the graph's kernels to the next
  CHECK(step.saved_us("graph") == Approx(50 - 20 * 0.15));
  CHECK(step.saved_us("warm_up") == 0);
  step.recording.gaps = {{IdleCause::host, "torch/_inductor/codecache.py", 1, 30e-6, 30e-6},
                         {IdleCause::data_loading, "cuModuleLoadData", 1, 8e-6, 8e-6},
                         {IdleCause::host, "aten::add", 1, 20e-6, 20e-6}};
  CHECK(step.saved_us("warm_up") == Approx(30));
  CHECK(step.saved_us("graph") == Approx(50 - 30 - 20 * 0.15));
  step.run.part_s[StepPart::idle_queued] = 5e-6;  // which is more than the graph's own gaps
  CHECK(step.saved_us("graph") == Approx(50 - 30));
}

TEST_CASE("Of a step that mostly initialises nothing else is advised", "[results/advisor]") {
  Step step;
  step.run.part_s[StepPart::idle_host] = 80e-6;
  step.recording.gaps = {{IdleCause::host, "aten::conv2d (first use)", 1, 60e-6, 60e-6}};
  const std::vector<Advice> advice = step.advice();
  REQUIRE(advice.size() == 1);
  CHECK(advice.front().text ==
        "record after a few warm steps, as first uses compile or load kernels");
  step.recording.gaps.front().time_s = 40e-6;  // of 100 us
  CHECK(step.saved_us("graph") > 0);
}

TEST_CASE("Gaps of 10 ms and more are other work of the host, and all gaps before graphs",
          "[results/advisor]") {
  Step step;
  step.run.step_s = 100e-3;
  step.run.part_s[StepPart::idle_host] = 90e-3;
  step.recording.gaps = {{IdleCause::host, "train.py(3): load", 2, 60e-3, 40e-3},
                         {IdleCause::host, "aten::add", 100, 30e-3, 20e-3}};
  CHECK(step.saved_us("host_work") == Approx(60e3));
  CHECK(step.saved_us("graph") == Approx(30e3));
  CHECK(step.advice().front().action == "host_work");
  step.recording.gaps[1].during = "cudaGraphLaunch (before a graph)";
  CHECK(step.saved_us("host_work") == Approx(90e3));
  CHECK(step.saved_us("graph") == 0);
}

TEST_CASE("The first advice is on what takes most of the step", "[results/advisor]") {
  Step step;
  step.run.part_s[StepPart::copies] = 84e-6;
  step.run.part_s[StepPart::idle_host] = 8e-6;
  CHECK(step.advice().front().action == "copy_beside");
}

TEST_CASE("TF32 saves what it saves in the layout of fp32", "[results/advisor]") {
  const auto conv_with = [](EngineChoice engine) {
    AnalysisOptions options;
    options.engine = engine;
    return evaluate(load_text(R"({"name": "c", "input": [256, 56, 56], "batch": 32,
        "out_channels": 256, "kernel_size": 3, "measured_us": 8000, "gpu": "Frozen 100"})"),
                    frozen_context(options))
        .value();
  };
  Step step;
  step.result = conv_with(EngineChoice::automatic);
  step.result.measured.recording = std::make_shared<const TraceSummary>();
  step.run.step_s = 8e-3;
  const std::vector<Advice> all = advise_run(step.result, step.context, step.run);
  const auto tf32 = std::ranges::find(all, "tf32", &Advice::action);
  REQUIRE(tf32 != all.end());
  const double share =
      *conv_with(EngineChoice::tf32).total.expected_time_s / *step.result.total.expected_time_s;
  CHECK(tf32->saved_s == Approx(8e-3 * (1 - share)));
}

TEST_CASE("Faster kernels save no more than the host's launches leave", "[results/advisor]") {
  Step step;
  step.recording.layout_s = 30e-6;
  CHECK(step.saved_us("channels_last") == Approx(30));
  step.recording.host_s = 88e-6;
  CHECK(step.saved_us("channels_last") == Approx(12));
  step.recording.host_s = 99e-6;
  CHECK(step.saved_us("channels_last") == 0);
}

TEST_CASE("Advice on collectives knows DistributedDataParallel", "[results/advisor]") {
  Step step;
  step.run.part_s[StepPart::collectives] = 40e-6;
  step.recording.recorder = Recorder::pytorch_profiler;
  CHECK(step.advice().front().text ==
        "run collectives beside kernels (DistributedDataParallel does so in backward; or a larger "
        "batch)");
  step.recording.is_data_parallel = true;
  CHECK(step.advice().front().text ==
        "run collectives beside kernels (bucket_cap_mb of DistributedDataParallel; no_sync() over "
        "several batches; a larger batch)");
}

TEST_CASE("Collectives far below the link's rate wait for another GPU", "[results/advisor]") {
  Step step;
  step.context.gpu.host_link_byte_per_s = 32e9;
  step.run.part_s[StepPart::collectives] = 60e-6;
  // 2 MB among 8 GPUs in 50 us are 40 GB/s, x 7/4 on the bus; in 2 ms, 1.75 GB/s.
  const Transfer fast{TransferKind::all_reduce, "fp16 1000000", 8, 1, 2e6, 50e-6, 10e-6};
  Transfer late = fast;
  late.time_s = 2e-3;
  late.hidden_s = late.time_s - 20e-6;
  Transfer small = fast;  // takes its latency
  small.byte = 1000;
  step.recording.transfers = {fast, late, small};
  CHECK(step.saved_us("late_gpu") == Approx(20));
  CHECK(step.saved_us("hide_collectives") == Approx(40));
  small.time_s = 20e-3;  // no start takes so long: 16 kB took 21 ms beside a late rank
  small.hidden_s = small.time_s - 5e-6;
  step.recording.transfers.back() = small;
  CHECK(step.saved_us("late_gpu") == Approx(25));
  // With all ranks known it is their waits, as far as nothing runs beside them.
  step.recording.ranks = {{"rank 1", 80e-6, 8e-6}, {"rank 0", 50e-6, 30e-6}};
  step.recording.transfers.front().waiting_s = 8e-6;
  CHECK(step.saved_us("late_gpu") == Approx(8));
  CHECK(step.advice().back().text == "give all ranks as much work: each waits for others in turn");
}

TEST_CASE("A larger batch takes the kernels their time, or the host an eighth of a step",
          "[results/advisor]") {
  Step step;
  step.run.part_s[StepPart::idle_host] = 60e-6;
  step.recording.launches = 1000;  // a graph would gain nothing
  CHECK(step.saved_us("larger_batch") == Approx(100 - 40));
  step.run.part_s[StepPart::idle_host] = 95e-6;
  CHECK(step.saved_us("larger_batch") == Approx(100 - 100.0 / 8));
  step.recording.gaps = {{IdleCause::host, "cudaLaunchKernel (first use)", 1, 45e-6, 45e-6}};
  CHECK(step.saved_us("larger_batch") == Approx(55 - 55.0 / 8));
}

TEST_CASE("One kernel for a chain reads each operand once, in every run of the chain",
          "[results/advisor]") {
  const Context context = frozen_context();
  Result result = evaluate(load_text(R"({"name": "net", "batch": 32, "layers": [
      {"name": "a", "type": "add", "inputs": [[256, 56, 56], [256, 56, 56]], "measured_us": 300,
       "gpu": "Frozen 100"},
      {"name": "b", "type": "relu", "measured_us": 200, "gpu": "Frozen 100"}]})"),
                           context)
                      .value();
  const double add_us = *result.layers[0].expected_time_s() * 1e6;
  const auto saved_us = [&](double runs) {
    TraceSummary recording;
    recording.chains = {{{"a", "b"}, runs}};
    result.measured.recording = std::make_shared<const TraceSummary>(recording);
    Verdict run;
    run.step_s = 2e-3;
    for (const Advice& each : advise_run(result, context, run))
      if (each.action == "fuse") return each.saved_s * 1e6;
    return 0.0;
  };
  // The kernel moves what the addition alone does: two operands and a result.
  CHECK(saved_us(1) == Approx(500 - add_us).epsilon(0.02));
  CHECK(saved_us(3) == Approx(3 * saved_us(1)));
}
