// The library's fastest kernel, and the one which its heuristic picks.

#include "cli/process.hpp"
#include "kernel/resolved_model.hpp"
#include "kernel/tunings.hpp"
#include "load/loading.hpp"
#include "model/text.hpp"

using namespace roofline;

TEST_CASE("Each tuning tells the time of the other", "[results/tuning]") {
  const Network network = load_network(R"({"layers": [
        {"name": "conv", "type": "conv", "dtype": "fp16", "input": [16, 64, 56, 56],
         "out_channels": 64, "kernel_size": 3, "padding": 1},
        {"name": "relu", "type": "relu"}]})",
                                       "two layers", {})
                              .value();
  AnalysisOptions options;
  const Gpu gpu = find_gpu("h100").value();
  const Result best = analyze(network, gpu, options);
  options.tuning = Tuning::heuristic;
  const Result picked = analyze(network, gpu, options);
  // Another one of the same tiles.
  CHECK(*picked.layers[0].expected_time_s() > *best.layers[0].expected_time_s());
  CHECK(picked.layers[0].kernel->tile != best.layers[0].kernel->tile);
  CHECK(*best.layers[0].other_tuning_s == Approx(*picked.layers[0].expected_time_s()));
  CHECK(*picked.layers[0].other_tuning_s == Approx(*best.layers[0].expected_time_s()));
  CHECK(*picked.layers[1].expected_time_s() == *best.layers[1].expected_time_s());
  CHECK(!best.layers[1].other_tuning_s);
  // The host takes longer to start either; behind it runs the kernel, after a stream's gap.
  options.launch = LaunchProtocol::eager;
  const Result eager = analyze(network, gpu, options);
  CHECK(*eager.layers[0].expected_time_s() ==
        Approx(25e-6 + *picked.layers[0].expected_time_s() + 1.5e-6));
  CHECK(*eager.layers[0].other_tuning_s == *eager.layers[0].expected_time_s());
}

namespace {

LayerResult on_h100(const std::string& layer, Tuning tuning) {
  AnalysisOptions options;
  options.tuning = tuning;
  const Network network = load_network("{\"layers\": [" + layer + "]}", "a layer", {}).value();
  return analyze(network, find_gpu("h100").value(), options).layers.at(0);
}

}  // namespace

TEST_CASE("On vector units the heuristic picks the fastest kernel but of groups and volumes",
          "[results/tuning]") {
  struct Case {
    const char* layer;
    bool on_vector_units;
  };
  const Case cases[] = {
      {R"("type": "conv", "input": [8, 64, 56, 56], "kernel_size": 3, "padding": 1)", true},
      {R"("type": "conv", "input": [8, 3, 224, 224], "kernel_size": 7, "stride": 2)", true},
      {R"("type": "conv", "input": [8, 64, 56, 56], "kernel_size": 3, "pass": "wgrad")", true},
      {R"("type": "conv", "input": [8, 64, 56, 56], "kernel_size": 3, "stride": 2, "pass": "dgrad")",
       true},
      {R"("type": "conv_transpose", "input": [8, 64, 28, 28], "kernel_size": 4, "stride": 2)",
       true},
      {R"("type": "conv3d", "input": [2, 16, 8, 56, 56], "kernel_size": 3)", true},
      {R"("type": "conv3d", "input": [2, 16, 8, 56, 56], "kernel_size": 3, "pass": "wgrad")",
       false},
      {R"("type": "conv", "input": [8, 64, 56, 56], "kernel_size": 3, "groups": 4)", false},
  };
  for (const char* gpu : {"v100", "h100", "rtx4090"}) {
    const Context context = make_context(find_gpu(gpu).value(), {}).value();
    const ResolvedModel& model = context.kernel.resolved();
    for (const Engine engine : {Engine::fp32, Engine::tf32}) {
      if (engine_model(model, engine) == nullptr) continue;
      for (const auto& [text, on_vector_units] : cases) {
        INFO(gpu << ' ' << name_of(engine) << ' ' << text);
        Layer layer = load_text(concat("{", text, R"(, "out_channels": 64})")).layers.at(0);
        CHECK(heuristic_picks_fastest(layer, engine) ==
              (on_vector_units && engine == Engine::fp32));
        const auto plan_from = [&](KernelSource kernels) {
          layer.kernels = kernels;
          return *plan_kernel(layer, count(layer), engine, context.kernel, CacheState::warm)
                      .value();
        };
        const LayerErrors* const errors =
            model.errors->find(layer, KernelSource::heuristic, engine);
        REQUIRE(errors != nullptr);
        if (!heuristic_picks_fastest(layer, engine)) continue;
        const KernelPlan expected = as_picked(plan_from(KernelSource::library), *errors);
        const KernelPlan picked = plan_from(KernelSource::heuristic);
        CHECK(picked.part_s == expected.part_s);
        CHECK(picked.tile == expected.tile);
        CHECK(picked.algorithm == expected.algorithm);
      }
    }
  }
}

TEST_CASE("Slow kernels that the heuristic picks take what was measured", "[results/tuning]") {
  // PyTorch 2.11 on an H100, cudnn.benchmark = False; no constant was fitted to these layers.
  struct Case {
    const char* layer;
    double measured_us;
    double factor;
  };
  const Case cases[] = {
      // Weight gradients in fp32 over volumes: one sum a block, however long.
      {R"({"type": "conv3d", "dtype": "fp32", "pass": "wgrad", "layout": "nchw", "out_channels": 64,
          "input": [4, 1, 16, 128, 128], "kernel_size": 7, "stride": [1, 2, 2], "padding": 3})",
       7304.5, 1.1},
      {R"({"type": "conv3d", "dtype": "fp32", "pass": "wgrad", "layout": "nhwc", "out_channels": 45,
          "input": [8, 2, 56, 64, 64], "kernel_size": 7, "stride": [1, 2, 2], "padding": 3})",
       12675, 1.1},
      // Weight gradients of depthwise volumes in 16 bits: place after place.
      {R"({"type": "conv3d", "dtype": "bf16", "pass": "wgrad", "layout": "nhwc", "groups": 384,
          "input": [1, 384, 32, 40, 40], "out_channels": 384, "kernel_size": [5, 1, 1],
          "padding": [2, 0, 0]})",
       362935, 1.1},
      {R"({"type": "conv3d", "dtype": "fp16", "pass": "wgrad", "layout": "nhwc", "groups": 112,
          "input": [4, 112, 16, 16, 16], "out_channels": 112, "kernel_size": 3,
          "stride": [1, 2, 2], "padding": 1})",
       2421, 1.25},
      // Large windows over many channels: on vector units.
      {R"({"type": "conv", "dtype": "fp16", "layout": "nhwc", "input": [16, 192, 20, 20],
          "out_channels": 192, "kernel_size": 11, "padding": 5})",
       3731, 1.25},
      {R"({"type": "conv", "dtype": "fp16", "layout": "nhwc", "input": [2, 384, 32, 32],
          "out_channels": 384, "kernel_size": 11, "padding": 5, "pass": "wgrad"})",
       3009, 1.25},
      // Groups in fp32: their channels are copied out and in.
      {R"({"type": "conv", "dtype": "fp32", "layout": "nchw", "groups": 4, "out_channels": 224,
          "input": [2, 224, 200, 200], "kernel_size": 3, "padding": 1})",
       3563.9, 1.3},
      {R"({"type": "conv", "dtype": "fp32", "layout": "nchw", "groups": 8, "out_channels": 448,
          "input": [8, 520, 56, 56], "kernel_size": 3, "padding": 1})",
       2379, 1.25},
      // Few results, strided: a kernel lists an image's places first.
      {R"({"type": "conv_transpose", "dtype": "fp16", "layout": "nhwc", "out_channels": 1,
          "input": [1, 56, 540, 960], "kernel_size": 9, "stride": 3, "padding": 4,
          "output_padding": 2})",
       3647, 1.25},
      {R"({"type": "conv_transpose", "dtype": "bf16", "layout": "nchw", "out_channels": 1,
          "input": [1, 56, 256, 256], "kernel_size": 6, "stride": 4, "padding": 1})",
       651.2, 1.2},
      {R"({"type": "conv_transpose", "dtype": "fp16", "layout": "nhwc", "out_channels": 3,
          "input": [1, 256, 128, 128], "kernel_size": 16, "stride": 8, "padding": 4})",
       954.8, 1.1},
      // Patches' gradients: on vector units, and in fp16 of 14 x 14 with an addition a product.
      {R"({"type": "conv", "pass": "dgrad", "dtype": "fp16", "layout": "nhwc", "stride": 32,
          "input": [16, 3, 512, 512], "out_channels": 1024, "kernel_size": 32})",
       1071, 1.2},
      {R"({"type": "conv", "pass": "dgrad", "dtype": "fp16", "layout": "nhwc", "stride": 14,
          "input": [32, 3, 112, 112], "out_channels": 232, "kernel_size": 14})",
       108198, 1.2},
      // Between 5 and 13 channels, last: on vector units.
      {R"({"type": "conv", "dtype": "fp16", "layout": "nhwc", "input": [16, 10, 540, 540],
          "out_channels": 12, "kernel_size": 3, "padding": 1})",
       1445, 1.25},
      {R"({"type": "conv", "dtype": "fp16", "layout": "nhwc", "input": [1, 12, 540, 960],
          "out_channels": 12, "kernel_size": 3, "padding": 1})",
       190.3, 1.25},
      // Images of one place, in tiles of 32 or 64.
      {R"({"type": "conv_transpose", "dtype": "tf32", "layout": "nchw", "out_channels": 512,
          "input": [64, 100, 1, 1], "kernel_size": 4})",
       288, 1.4},
      {R"({"type": "conv_transpose", "dtype": "tf32", "layout": "nchw", "out_channels": 1024,
          "input": [64, 512, 1, 1], "kernel_size": 4})",
       942, 1.5},
  };
  for (const Case& each : cases) {
    INFO(each.layer);
    const double expected_us = *on_h100(each.layer, Tuning::heuristic).expected_time_s() * 1e6;
    CHECK(expected_us < each.factor * each.measured_us);
    CHECK(expected_us > each.measured_us / each.factor);
    CHECK(1.5e6 * *on_h100(each.layer, Tuning::best).expected_time_s() < each.measured_us);
  }
}

TEST_CASE("No kernel that the heuristic picks is faster than the library's fastest",
          "[results/tuning]") {
  struct Case {
    const char* gpu;
    const char* dtype;
    const char* sizes;
  };
  // Weight gradients over volumes: of few channels, which no kernel's tiles fit, and depthwise
  // ones on a GPU of a few slow SMs, which walking from place to place serves better.
  for (const auto& [gpu, dtype, sizes] :
       {Case{"h100", "fp32", R"("input": [32, 255, 8, 8, 8], "k": 1, "kernel_size": 5)"},
        Case{"h100", "fp32", R"("input": [32, 256, 8, 7, 7], "k": 1, "kernel_size": 3)"},
        Case{"h100", "fp32", R"("input": [8, 2, 16, 7, 7], "k": 512, "kernel_size": 1)"},
        Case{"h100", "fp32", R"("input": [1, 4, 8, 8, 8], "k": 3, "kernel_size": 3, "stride": 2)"},
        Case{"agx-orin@15w", "bf16",
             R"("input": [32, 1000, 16, 56, 56], "k": 1000, "kernel_size": 1, "groups": 1000)"}}) {
    CAPTURE(gpu, sizes);
    const Network network =
        load_network(concat(R"({"layers": [{"type": "conv3d", "pass": "wgrad", "dtype": ")", dtype,
                            "\", ", sizes, "}]}"),
                     "a layer", {})
            .value();
    AnalysisOptions options;
    const Gpu found = find_gpu(gpu).value();
    const double best_s = *analyze(network, found, options).layers.at(0).expected_time_s();
    options.tuning = Tuning::heuristic;
    CHECK(*analyze(network, found, options).layers.at(0).expected_time_s() >= best_s);
  }
}

TEST_CASE("Strided, dilated windows take longer on the newest kernels", "[results/tuning]") {
  // Autotuned, PyTorch 2.11 on an H100; no constant was fitted to these layers.
  const auto check = [](const char* sizes, double measured_us) {
    const std::string layer = std::string(R"({"type": "conv_transpose", "stride": 2, )") +
                              R"("dilation": 3, )" + sizes + "}";
    INFO(layer);
    const double expected_us = *on_h100(layer, Tuning::best).expected_time_s() * 1e6;
    CHECK(expected_us == Approx(measured_us).epsilon(0.2));
  };
  check(R"("dtype": "fp16", "layout": "nchw", "input": [4, 24, 128, 128], "out_channels": 40,
           "kernel_size": 3)",
        103.6);
  check(R"("dtype": "tf32", "layout": "nhwc", "input": [1, 96, 128, 128], "out_channels": 80,
           "kernel_size": 5, "padding": 3)",
        295.4);
}

TEST_CASE("Depthwise layers in NCHW, which PyTorch runs by itself, are not tuned",
          "[results/tuning]") {
  const char* layer = R"({"type": "conv", "input": [8, 64, 56, 56], "out_channels": 64,
      "groups": 64, "kernel_size": 3, "padding": 1, "layout": "nchw"})";
  const LayerResult picked = on_h100(layer, Tuning::heuristic);
  CHECK(!picked.other_tuning_s);
  CHECK(*picked.expected_time_s() == *on_h100(layer, Tuning::best).expected_time_s());
}

TEST_CASE("What is shown names the tuning and what the other one saves", "[results/tuning]") {
  const TemporaryFolder folder;
  folder.write("c.json", R"({"name": "c", "type": "conv", "dtype": "fp16",
      "input": [32, 64, 56, 56], "out_channels": 64, "kernel_size": 3, "padding": 1})");
  const auto has = [&](const std::string& options, const char* text) {
    const Outcome outcome = run(folder, "roofline c.json --gpu " + options);
    INFO(outcome.out << outcome.err);
    CHECK((outcome.out + outcome.err).find(text) != std::string::npos);
  };
  has("h100 --explain c", "\n  heuristic  picks a kernel of ");
  has("h100 --tuning heuristic --explain c", "\n  autotuned  runs a kernel of ");
  has("h100 --tuning heuristic --explain c", "\nlet the library time its algorithms ");
  has("h100 --tuning heuristic", ", nhwc, kernels by heuristic\n");
  folder.write("large.json", R"({"name": "c", "type": "conv", "dtype": "fp16",
      "input": [16, 384, 14, 14], "out_channels": 384, "kernel_size": 11, "padding": 5})");
  CHECK(run(folder, "roofline large.json --gpu h100 --tuning heuristic --explain c")
            .out.find("on vector units: the heuristic picks no tensor-core kernel for this:\n") !=
        std::string::npos);
  has("h100 --framework pytorch", ", nchw, by pytorch, autotuned\n");
  has("h100 --tuning heuristic --format ndjson", R"("tuning":"heuristic")");
  has("mi300x --tuning heuristic",
      "what the library of Instinct MI300X picks by its heuristic was not measured: expected "
      "--tuning best\n");
}
