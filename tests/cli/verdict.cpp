// The verdict: what stands first of a measured input.

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"
#include "pytorch/trace_text.hpp"

namespace {

const std::string traces = ROOFLINE_SOURCE_FOLDER "/tests/traces/";

/// The lines between the header and the ceilings.
std::string verdict_of(const std::string& trace, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string out = run(folder, "roofline " + traces + trace + options).out;
  const std::size_t begin = out.find('\n') + 1;
  return out.substr(begin, out.rfind('\n', out.find(" (datasheet): ridge")) + 1 - begin);
}

}  // namespace

TEST_CASE("The verdict stands first, its parts sum, and no flag of ours is an action",
          "[cli/verdict]") {
  // 1.333 / 1.15 and x 1.15 are 1.2 and 1.5; 1.333 - 0.8569 = 0.4756 ms, 35.7 % of 1.333 ms. 1.333
  // ms in 116 launches are 11.49 us each.
  CHECK(verdict_of("resnet18.fwd.fp16.b32.pt.trace.json.gz") ==
        R"(a step of about 1.333 ms (1.2 to 1.5) without the recorder (2.413 ms with it),
GPU idle 35.7%; the host launches a kernel every 11.49 us, the GPU runs it in
7.387 us
do first: launch the step as a CUDA graph
(torch.compile(mode="reduce-overhead")): leaves 1.084 ms, saves up to 248.0 us
or: batch 256 in place of 32, counted for 32: leaves 659.9 us, saves 672.6 us
)");
  // 10.89 - 4.860 = 6.03 ms, 55.4 % of 10.89 ms. A training step gets no advice on its batch.
  CHECK(verdict_of("mobilenet_v2.training.amp.b32.pt.trace.json.gz") ==
        R"(a step of about 10.89 ms (9.5 to 13) without the recorder (18.80 ms with it),
GPU idle 55.4%; the host launches a kernel every 12.15 us, the GPU runs it in
5.425 us
do first: launch the step as a CUDA graph
(torch.compile(mode="reduce-overhead")): leaves 5.780 ms, saves up to 5.107 ms
or: fuse elementwise work (torch.compile): leaves 10.45 ms, saves 437.9 us
)");
  // A step that the user timed: (4 - 0.8569) / 4 ms.
  CHECK(
      verdict_of("resnet18.fwd.fp16.b32.pt.trace.json.gz", " --measured step=4ms")
          .starts_with("a step of 4.000 ms as given, without the recorder (2.413 ms with it), GPU "
                       "idle\n78.6%"));
}

TEST_CASE("A recording on one line is told from a layer in a pipe", "[cli/verdict]") {
  const TemporaryFolder folder;
  std::string text = R"json({"deviceProperties": [], "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::clamp_min", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "args": {"External id": 1, "Input Dims": [[64, 1024], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "0"]}},
{"ph": "X", "cat": "kernel", "name": "relu", "pid": 0, "tid": 7, "ts": 100, "dur": 7, "args": {"External id": 1, "device": 0}}]})json";
  std::erase(text, '\n');
  folder.write("trace.json", text + "\n");
  const Outcome file = run(folder, "roofline trace.json --gpu h100 --format csv --fields name");
  CHECK(file.out == "name\nrelu 64x1024\n");
  CHECK(run(folder, "cat trace.json | roofline - --gpu h100 --format csv --fields name").out ==
        file.out);
}

TEST_CASE("First uses of kernels are no launches that a graph saves", "[cli/verdict]") {
  TraceText trace;
  double at_us = 0;
  for (const double launch_us : {10.0, 150'000.0, 10.0}) {  // from its start to the kernel's
    const int id = static_cast<int>(at_us);
    const std::string correlation = "\"correlation\": " + std::to_string(7 + id);
    trace.operation("aten::clamp_min", 1 + id, at_us, launch_us + 4, vector_of_16)
        .event("cuda_runtime", "cudaLaunchKernel", "100", "1", at_us + 2, launch_us, correlation)
        .kernel("k", {}, at_us + 2 + launch_us, 20, correlation);
    at_us += launch_us + 40;
  }
  const TemporaryFolder folder;
  folder.write("t.json", trace.text());
  // From the first kernel's end at 32 us to 150,052 us, and then from 150,072 us to 150,102 us.
  CHECK(run(folder, "roofline t.json").out.find(R"(
a step of 150.1 ms, GPU idle 100.0%; 150.0 ms of it for first uses of kernels
do first: record after a few warm steps, as first uses compile or load kernels
(profiler.schedule(wait=0, warmup=5, active=3)): leaves 90.00 us, saves up to
)") != std::string::npos);
}

TEST_CASE("A gap that is nearly the whole recording is named", "[cli/verdict]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 0, 9, vector_of_16)
      .kernel("k", 1, 10, 4)
      .operation("aten::clamp_min", 2, 463'000, 9, vector_of_16)
      .kernel("k", 2, 463'010, 4);
  const TemporaryFolder folder;
  folder.write("t.json", trace.text());
  CHECK(run(folder, "roofline t.json")
            .out.find("\na step of 463.0 ms, GPU idle 100.0%; one gap of "
                      "463.0 ms is nearly all of it:\nrecord more than "
                      "one step\n") != std::string::npos);
}

TEST_CASE("Where a step goes, in parts that sum to it", "[cli/verdict]") {
  const TemporaryFolder folder;
  const std::string out =
      run(folder, "roofline " + traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz").out;
  // 296.9 + 33.0 + 242.5 + 284.6 + 248.0 + 227.6 = 1,333 us: the recorder took 1,080 us of 2,413.
  CHECK(out.find(R"(
where a step goes                          time   share
layers: bound                          296.9 us   22.3%
layers: rates and caches               33.01 us    2.5%
layers: other instructions             242.5 us   18.2%
layers: starting and filling           284.6 us   21.4%
layers: slower than the model               0 s    0.0%
kernels without a layer                     0 s    0.0%
idle, waiting for the host's launches  248.0 us   18.6%
idle, launched work not yet started    227.6 us   17.1%
total                                  1.333 ms  100.0%
)") != std::string::npos);
}

TEST_CASE("One measured layer: its rate, the roof that is near, and what follows",
          "[cli/verdict]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"layers": [{"name": "c", "type": "conv", "input": [64, 56, 56],
    "out_channels": 64, "kernel_size": 3, "batch": 32, "measured_us": 1000, "gpu": "v100"}]})");
  const std::string out = run(folder, "roofline a.json --gpu v100").out;
  // 2 x 32 x 64 x 64 x 9 x 54 x 54 = 6.880 GFLOP at 15.7 TFLOP/s are 438.2 us.
  // That is 43.8 % of the peak; (12.85 MB + 11.94 MB and weights) x 4 / 900 GB/s, 11.3 %.
  CHECK(out.find("\n  yours      1.000 ms, 6.880 TFLOP/s: 43.8% of the peak, ") !=
        std::string::npos);
  CHECK(out.find("\n  next       43.8% of the peak is reached; for the rest\n"
                 "             compute more outputs a thread, as what is loaded then serves "
                 "several\n") != std::string::npos);
  // 438.2 us are 73 % of 600 us.
  const std::string near = run(folder, "roofline a.json --gpu v100 --measured 600us").out;
  CHECK(near.find("\n  next       the peak is near: a faster engine or fewer FLOP are left\n") !=
        std::string::npos);
  const std::string slow = run(folder, "roofline a.json --gpu v100 --measured 20ms").out;
  CHECK(slow.find("\n  next       neither roof is near, so latency or instructions take the time:\n"
                  "             compute more outputs a thread, as what is loaded then serves "
                  "several\n") != std::string::npos);
  const auto next_of = [&](const std::string& time) {
    return nlohmann::json::parse(run(folder, "roofline a.json --gpu v100 --json" + time).out)
        .at("results")[0]
        .at("layers")[0]
        .at("measured")
        .at("next");
  };
  CHECK(next_of("") ==
        "43.8% of the peak is reached; for the rest compute more outputs a thread, as "
        "what is loaded then serves several");
  CHECK(next_of(" --measured 600us") == "the peak is near: a faster engine or fewer FLOP are left");
  // Work by element, and a product with one vector, use what they load once.
  for (const char* layer : {R"({"type": "relu", "input": [32, 64, 112, 112]})",
                            R"({"type": "linear", "in_features": 4096, "out_features": 4096})"}) {
    folder.write("b.json", layer);
    const std::string streams = run(folder, "roofline b.json --gpu t4 --measured 9ms").out;
    CHECK(streams.find(
              "\n             load 16 bytes a thread, neighbours by neighbouring threads, "
              "and\n             several before the first is used: more bytes under way\n") !=
          std::string::npos);
  }
}

TEST_CASE("The parts of a verdict sum to the step in JSON", "[cli/verdict]") {
  for (const char* trace :
       {"resnet18.fwd.fp16.b32.pt.trace.json.gz", "resnet18.compiled.fp16.b32.pt.trace.json.gz",
        "mobilenet_v2.training.amp.b32.pt.trace.json.gz", "resnet50.fwd.fp16.b32.3steps.json.gz"}) {
    const TemporaryFolder folder;
    const auto json =
        nlohmann::json::parse(run(folder, std::string("roofline --json ") + traces + trace).out);
    const auto& result = json["results"][0];
    const auto& verdict = result["verdict"];
    double sum_s = 0;
    double idle_s = 0;
    for (const auto& [name, part_s] : verdict["parts"].items()) {
      CHECK(part_s.get<double>() >= 0);
      sum_s += part_s.get<double>();
      if (name.starts_with("idle_")) idle_s += part_s.get<double>();
    }
    const double recorded_s = result["recording"]["span_s"];
    CHECK(sum_s <= Approx(recorded_s));
    CHECK(sum_s == Approx(verdict["step_s"].get<double>()));
    CHECK(verdict.value("recorded_step_s", Json(sum_s)).get<double>() == Approx(recorded_s));
    const double taken_s = recorded_s - sum_s;  // by the recorder, from the host
    CHECK(idle_s == Approx(result["recording"]["idle_s"].get<double>() - taken_s));
    const auto& actions = verdict["actions"];
    REQUIRE(!actions.empty());
    CHECK(actions[0]["action"] != "larger_batch");  // first comes what leaves the work as it is
    double last_s = sum_s;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const double saved_s = actions[i]["saved_s"];
      CHECK(saved_s >= 0.03 * sum_s);
      if (i == 0) continue;
      CHECK(saved_s <= last_s);
      last_s = saved_s;
    }
  }
}

TEST_CASE("Rows of a recording keep their names, their pass once, and readable numbers",
          "[cli/verdict]") {
  for (const int columns : {80, 100, 120}) {
    const std::string screen = run_at_terminal(
        ".", "roofline " + traces + "mobilenet_v2.training.amp.b32.pt.trace.json.gz --top all",
        columns);
    for (const char* wrong : {"dgrad dgrad", "wgrad wgrad", "e+0", " ps ", "x-inf", "batch mixed",
                              "fusion:", ", counted for"})
      CHECK(screen.find(wrong) == std::string::npos);
    for (const char* right : {"\nbatch_norm 32x96x112x112 dgrad ", "\nadd of one value x52 ",
                              " <1 ns ", ">x1000", "roofline words explains all"})
      CHECK(screen.find(right) != std::string::npos);
    for (const std::string& line : lines_of(screen)) CHECK(line.size() <= std::size_t(columns));
    const bool has_limiter = screen.find("limiter       measured") != std::string::npos;
    CHECK(has_limiter == (columns > 80));
  }
}

TEST_CASE("A recording has the same tables at a terminal as in a file", "[cli/verdict]") {
  const std::string command = "roofline " + traces + "resnet50.fwd.fp16.b32.3steps.json.gz";
  const TemporaryFolder folder;
  for (const std::string& out : {run_at_terminal(".", command, 120), run(folder, command).out})
    for (const char* table : {"\nlayer ", "\nwhere a step goes ", "\nrecorded idle "})
      CHECK(out.find(table) != std::string::npos);
}

TEST_CASE("Layers of a recording that are alike are one row in files too", "[cli/verdict]") {
  const TemporaryFolder folder;
  const std::string out =
      run(folder, "roofline " + traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz").out;
  CHECK(out.find("\nbatch_norm 32x64x56x56 x4 ") != std::string::npos);
  CHECK(out.find("#2") == std::string::npos);
}

TEST_CASE("The gaps of an idle GPU by what the host ran, summing to the idle time",
          "[cli/verdict]") {
  const TemporaryFolder folder;
  const std::string out =
      run(folder, "roofline " + traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz").out;
  const std::size_t begin = out.find("recorded idle while");
  // 592.5 + 287.2 + 227.6 + 149.9 + 126.8 + 172.6 = 1,556.6 us.
  CHECK(out.substr(begin, out.find("\n\n", begin) - begin) ==
        R"(recorded idle while the host ran  cause   gaps   longest      time  of idle
aten::cudnn_convolution           host      20  40.22 us  592.5 us    38.1%
aten::native_batch_norm           host       9  126.9 us  287.2 us    18.5%
(work was queued)                 queued    54  12.22 us  227.6 us    14.6%
(nothing recorded, or short)      host      18  9.792 us  149.9 us     9.6%
aten::copy_                       host      10  13.47 us  126.8 us     8.1%
other                                        4            172.6 us    11.1%
idle                                       115            1.557 ms   100.0%)");
}
