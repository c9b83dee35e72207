// Recordings, written by hand, of convolutions whose kernels are known to be slow.

#include <fmt/format.h>

#include "load/loading.hpp"
#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "pytorch/trace_text.hpp"

using namespace roofline;

namespace {

using Texts = std::vector<std::string>;

struct RecordedKernelTime {
  std::string name;
  double us;
};

struct RecordedConvolution {
  std::string sizes;  ///< of image and weights, "[32, 128, 28, 28], [128, 128, 3, 3]"
  std::string strides;
  std::string groups = "1";
  std::string axes = "[1, 1]";  ///< stride, padding and dilation of all
  std::string type = "c10::Half";
  std::string patches = "";  ///< stride of windows without padding, in place of axes
};

const RecordedConvolution usual{"[32, 128, 28, 28], [128, 128, 3, 3]",
                                "[100352, 1, 3584, 128], [1152, 1, 384, 128]"};
const RecordedConvolution channels_first{"[32, 128, 28, 28], [128, 128, 3, 3]",
                                         "[100352, 784, 28, 1], [1152, 9, 3, 1]"};
const std::string on_tensor_cores =
    "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64";

/// `runs` convolutions of these kernels, one after the other.
Result recorded(const RecordedConvolution& layer, const std::vector<RecordedKernelTime>& kernels,
                int runs = 1, const std::string& gpu = "NVIDIA H200") {
  TraceText trace;
  double at_us = 0;
  for (int id = 1; id <= runs; ++id) {
    trace.operation("aten::cudnn_convolution", id, at_us, 20,
                    {fmt::format("[{}, [], [], [], [], [], [], []]", layer.sizes),
                     fmt::format(R"(["{0}", "{0}", "ScalarList", "ScalarList", "ScalarList", )"
                                 R"("Scalar", "Scalar", "Scalar", "Scalar"])",
                                 layer.type),
                     fmt::format(R"(["", "", "{}", "{}", "{}", "{}", "False", "False", "True"])",
                                 layer.patches.empty() ? layer.axes : "[0, 0]",
                                 layer.patches.empty() ? layer.axes : layer.patches,
                                 layer.patches.empty() ? layer.axes : "[1, 1]", layer.groups),
                     fmt::format("[{}, [], [], [], [], [], [], []]", layer.strides)});
    at_us += 30;
    for (const RecordedKernelTime& kernel : kernels) {
      trace.kernel(kernel.name, id, at_us, kernel.us);
      at_us += kernel.us;
    }
  }
  std::string text = trace.text();
  text.replace(text.find("NVIDIA H200"), std::string("NVIDIA H200").size(), gpu);
  return analyze(infer(*read_trace(text), {}).value(), find_gpu(gpu).value());
}

const std::vector<SlowConvolution>& slow(const Result& result) {
  return result.measured.summary->slow_convolutions;
}

Texts texts_of(const std::vector<Advice>& changes) {
  Texts texts;
  for (const Advice& each : changes) texts.push_back(each.text);
  return texts;
}

const std::string timing =
    "let the library time its algorithms (torch.backends.cudnn.benchmark = True)";

}  // namespace

TEST_CASE("A slow convolution is listed with its kernel, the traps it shows, and what mends it",
          "[results/slow_convolutions]") {
  struct Case {
    RecordedConvolution layer;
    std::vector<RecordedKernelTime> kernels;
    std::string kernel;
    std::string family;
    Texts traps;
    std::string mended_by;  ///< first
    std::string gpu = "NVIDIA H200";
  };
  const std::vector<Case> cases{
      {usual,
       {{"void implicit_convolve_sgemm<__half, __half, 128, 6, 7>(int, int)", 500}},
       "implicit_convolve_sgemm",
       "a legacy engine without tensor cores",
       {},
       timing},
      {usual,
       {{"void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816fprop_128x64>(int)", 500}},
       "cutlass_80_tensorop_f16_s16816fprop_128x64",
       "a matrix product on tensor cores",
       {},
       timing},
      {channels_first,
       {{"void nchwToNhwcKernel<__half>(int)", 50},
        {on_tensor_cores, 40},
        {"void nhwcToNchwKernel<__half>(int)", 70}},
       on_tensor_cores,
       "a matrix product on tensor cores",
       {"layout transforms around it: 75%"},
       "channels last (memory_format=torch.channels_last)"},
      {{"[8, 64, 16, 56, 56], [64, 64, 3, 3, 3]",
        "[3211264, 50176, 3136, 56, 1], [1728, 27, 9, 3, 1]", "1", "[1, 1, 1]"},
       {{"void nchwToNhwcKernel<__half>(int)", 150}, {on_tensor_cores, 200}},
       on_tensor_cores,
       "a matrix product on tensor cores",
       {"layout transforms around it: 43%", "3-D with channels first"},
       "channels last (memory_format=torch.channels_last_3d)"},
      {{"[32, 570, 14, 14], [107, 570, 1, 1]", "[111720, 1, 7980, 570], [570, 1, 570, 570]"},
       {{"void nhwcAddPaddingKernel<__half>(int)", 60}, {on_tensor_cores, 60}},
       on_tensor_cores,
       "a matrix product on tensor cores",
       {"570 to 107 channels, not both multiples of 8", "padding and casts around it: 50%"},
       "channels 570 -> 107 as 576 -> 112"},
      {{"[8, 512, 1, 15999], [512, 512, 1, 3]", "[8191488, 15999, 15999, 1], [1536, 3, 3, 1]", "1",
        "[1, 2]"},
       {{"void nchwToNhwcKernel<__half>(int)", 200}, {on_tensor_cores, 140}},
       on_tensor_cores,
       "a matrix product on tensor cores",
       {"layout transforms around it: 59%"},
       "channels last (as images of height 1, memory_format=torch.channels_last)"},
      {{"[8, 1, 1, 8000], [512, 1, 1, 10]", "[8000, 8000, 8000, 1], [10, 10, 10, 1]"},
       {{on_tensor_cores, 110}, {"void nhwcToNchwKernel<__half>(int)", 140}},
       on_tensor_cores,
       "a matrix product on tensor cores",
       {"1 to 512 channels, not both multiples of 8", "transforms around it: 56%"},
       timing},
      {usual,
       {{"convolution_forward_implicit_gemm_v4r4_dlops_nchw_kcyx_nkhw", 900}},
       "convolution_forward_implicit_gemm_v4r4_dlops_nchw_kcyx_nkhw",
       "a matrix product",
       {},
       "let MIOpen time its solvers with MIOPEN_FIND_MODE=NORMAL (torch.backends.cudnn.benchmark = "
       "True)",
       "AMD Instinct MI300X"},
      {{"[32, 512, 28, 28], [512, 1, 3, 3]", "[401408, 1, 14336, 512], [9, 1, 3, 1]", "512"},
       {{on_tensor_cores, 900}},
       on_tensor_cores,
       "a matrix product on tensor cores",
       {"depthwise, by a general kernel"},
       timing},
      {usual,
       {{"naive_conv_ab_nonpacked_fwd_nchw_half_double_half", 5000}},
       "naive_conv_ab_nonpacked_fwd_nchw_half_double_half",
       "a naive kernel, a thread a result",
       {},
       "let MIOpen time its solvers with MIOPEN_FIND_MODE=NORMAL (torch.backends.cudnn.benchmark = "
       "True)",
       "AMD Instinct MI300X"},
      {usual,
       {{"_ZN2ck16tensor_operation6device45kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffIN",
         900}},
       "kernel_grouped_conv_fwd_multiple_abd_xdl_cshu",
       "a matrix product on tensor cores",
       {},
       "let MIOpen time its solvers with MIOPEN_FIND_MODE=NORMAL (torch.backends.cudnn.benchmark = "
       "True)",
       "AMD Instinct MI300X"},
  };
  for (const Case& each : cases) {
    INFO(each.kernels.front().name << " " << each.layer.sizes);
    const Result result = recorded(each.layer, each.kernels, 1, each.gpu);
    REQUIRE(slow(result).size() == 1);
    const SlowConvolution& own = slow(result).front();
    CHECK(result.layers[own.row].layer.measured->kernel == each.kernel);
    CHECK(own.family == each.family);
    CHECK(own.traps == each.traps);
    INFO(fmt::format("{}", fmt::join(texts_of(own.changes), "\n")));
    CHECK(own.changes.front().text == each.mended_by);
  }
}

TEST_CASE("A convolution is slow at 1.5 times the library's best and 20 us more",
          "[results/slow_convolutions]") {
  const double best_us =
      1e6 * *recorded(usual, {{on_tensor_cores, 30}}).layers[0].expected_time_s();
  REQUIRE(best_us < 40);  // 20 us more is the condition that decides
  CHECK(slow(recorded(usual, {{on_tensor_cores, best_us + 19.9}})).empty());
  CHECK(slow(recorded(usual, {{on_tensor_cores, best_us + 20.1}})).size() == 1);
  RecordedConvolution large = usual;
  large.sizes.replace(1, 2, "512");  // images
  const double long_us =
      1e6 * *recorded(large, {{on_tensor_cores, 30}}).layers[0].expected_time_s();
  REQUIRE(long_us > 40);
  CHECK(slow(recorded(large, {{on_tensor_cores, 1.49 * long_us}})).empty());
  CHECK(slow(recorded(large, {{on_tensor_cores, 1.51 * long_us}})).size() == 1);
}

TEST_CASE("Savings are of all runs, and what layout transforms take is the most that is saved",
          "[results/slow_convolutions]") {
  const Result result = recorded(channels_first,
                                 {{"void nchwToNhwcKernel<__half>(int)", 50},
                                  {on_tensor_cores, 40},
                                  {"void nhwcToNchwKernel<__half>(int)", 70}},
                                 3);
  REQUIRE(slow(result).size() == 1);
  const SlowConvolution& own = slow(result).front();
  CHECK(own.layers == 3);
  CHECK(*own.transforms_share == Approx(0.75));
  CHECK(own.changes.front().saved_s == Approx(3 * 120e-6));
  CHECK(own.changes.front().at_most);
  CHECK(result.measured.verdict->actions.front().action == "channels_last");
}

TEST_CASE("A verdict counts what mends slow convolutions, beside layouts, which it counts itself",
          "[results/slow_convolutions]") {
  const Result result = recorded(usual, {{"implicit_convolve_sgemm", 500}}, 2);
  REQUIRE(slow(result).size() == 1);
  const Advice& first = result.measured.verdict->actions.front();
  CHECK(first.action == "mend_convolutions");
  CHECK(first.text == timing + ", for the slow convolutions");
  CHECK(first.saved_s == Approx(2 * (500e-6 - *result.layers[0].expected_time_s())));
  CHECK_FALSE(first.at_most);
}

TEST_CASE("Fewer bits mend a slow convolution, but make none slow", "[results/slow_convolutions]") {
  RecordedConvolution single = usual;
  single.type = "float";
  const double best_us = 1e6 * *recorded(single, {{"sgemm", 500}}).layers[0].expected_time_s();
  CHECK(slow(recorded(single, {{"sgemm", best_us}})).empty());
  const Result result = recorded(single, {{"sgemm", 5 * best_us}});
  REQUIRE(slow(result).size() == 1);
  CHECK(texts_of(slow(result).front().changes) == Texts{"fp16 (torch.autocast)", timing});
}

TEST_CASE("Patches of an image of three channels are better a matrix",
          "[results/slow_convolutions]") {
  // An H200 took 195.3 us for MLP-Mixer's first layer; its matrix of 6,272 x 768 times 768 x 512
  // reads and writes 16.8 MB, and 9.6 MB twice for the copy: 7.5 us at 4.8 TB/s.
  RecordedConvolution patches{"[32, 3, 224, 224], [512, 3, 16, 16]",
                              "[150528, 1, 672, 3], [768, 1, 48, 3]"};
  patches.patches = "[16, 16]";
  const RecordedKernelTime kernel{"void convolve_common_engine_float_NHWC<__half>(int)", 195.3};
  const Result result = recorded(patches, {kernel});
  REQUIRE(slow(result).size() == 1);
  const Advice& first = slow(result).front().changes.front();
  CHECK(first.text == "its patches as a matrix: a reshape and a linear layer");
  CHECK(first.saved_s < 195.3e-6 - 7.5e-6);
  CHECK(first.saved_s > 150e-6);
  patches.patches = "[8, 8]";  // windows overlap
  const Result overlapping = recorded(patches, {kernel});
  for (const SlowConvolution& each : slow(overlapping))
    for (const Advice& change : each.changes) CHECK(change.action != "patches_as_matrix");
}

TEST_CASE("Kernels of a convolution that run side by side take the time that they cover",
          "[results/slow_convolutions]") {
  TraceText trace;
  trace.operation("aten::clamp_min", 1, 0, 9, vector_of_16)
      .kernel("a", 1, 100, 40)
      .kernel("b", 1, 110, 40)
      .kernel("c", 1, 120, 40);
  const auto spec = read_trace(trace.text());
  CHECK(*spec->layers.front().measured->warm_s == Approx(60e-6));
  CHECK(spec->summary->kernel_s == Approx(120e-6));
  CHECK(spec->summary->layers_s == Approx(120e-6));
  CHECK(spec->summary->busy_s == Approx(60e-6));
}
