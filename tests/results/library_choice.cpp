// Where a library ran another algorithm than it should have.

#include "load/loading.hpp"
#include "model/text.hpp"
#include "results/steps.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"

using namespace roofline;

namespace {

const std::string convolution = R"("input": [32, 128, 28, 28], "out_channels": 128,
    "kernel_size": 3, "padding": 1, "dtype": "fp16", "gpu": "v100")";

Result timed(const std::string& layer, const std::string& more) {
  return analyze(load_text("{" + layer + more + "}"), find_gpu("v100").value());
}

/// Measured so many times the longest of 95 in 100 by the model, by that kernel.
Result timed(const std::string& layer, double times, const std::string& kernel) {
  const LayerResult row = timed(layer, "").layers.front();
  const double time_s = times * *row.expected_time_s() * row.expected_uncertainty->factor_95;
  return timed(layer, R"(, "measured_time_s": )" + number_text(time_s, 17) +
                          R"(, "measured_kernel": ")" + kernel + '"');
}

}  // namespace

TEST_CASE("A library chose badly where another algorithm took longer than 95 of 100 runs would",
          "[results/library_choice]") {
  REQUIRE(timed(convolution, "").layers.front().kernel->algorithm == Algorithm::implicit_gemm);
  struct Case {
    std::string kernel;
    double times;
    bool is_bad;
  };
  const std::vector<Case> cases{
      {"cudnn::winograd_nonfused::winogradForwardFilter4x4", 2.1, true},
      {"cudnn::winograd_nonfused::winogradForwardFilter4x4", 1.9, false},
      {"fft2d_r2c_32x32", 2.1, true},
      {"naive_conv_nonpacked_fwd_nchw_half_double_half", 1.1, true},
      {"ConvDirectNaiveConvFwd", 1.1, true},
      {"ConvDirectNaiveConvFwd", 0.9, false},
      {"ConvOclDirectFwd", 2.1, true},
      {"GemmFwdRest", 2.1, true},  // which copies the image into a matrix first
      {"volta_fp16_s884cudnn_fp16_128x128_ldg8_relu_exp_small_nhwc_tn_v1", 5, false},
      {"ConvHipImplicitGemmFwdXdlops", 5, false},
      {"a_kernel_of_ones_own", 5, false},
      {"", 5, false},
  };
  for (const Case& each : cases) {
    INFO(each.kernel);
    const Result result = timed(convolution, each.times, each.kernel);
    CHECK(result.layers.front().better_time_s.has_value() == each.is_bad);
    const MeasuredSummary& summary = *result.measured.summary;
    CHECK(summary.bad_choices.layers == (each.is_bad ? 1 : 0));
    if (!each.is_bad) continue;
    CHECK(summary.bad_choices.measured_s == *result.layers.front().measured_time_s);
    CHECK(summary.bad_choices.expected_s == *result.layers.front().better_time_s);
    CHECK(result.layers.front().better_time_s == result.layers.front().expected_time_s());
    CHECK(summary.most_lost.front().why ==
          "the library chose badly: " + each.kernel + ", not implicit_gemm");
  }
}

TEST_CASE("Where a library has but a naive kernel, it should have an implicit GEMM of all groups",
          "[results/library_choice]") {
  // Each of four groups is 32 images of 32 channels.
  const std::string grouped = R"("input": [32, 128, 28, 28], "out_channels": 128, "groups": 4,
      "kernel_size": 3, "padding": 1, "dtype": "fp16", "gpu": "v100")";
  const std::string of_images = R"("input": [128, 32, 28, 28], "out_channels": 32,
      "kernel_size": 3, "padding": 1, "dtype": "fp16", "kernel": {"algorithm": "implicit_gemm"})";
  const double better_s = timed(of_images, "").layers.front().kernel->expected_time_s();
  LayerResult row = timed(grouped, 1, "ConvDirectNaiveConvFwd").layers.front();
  row.kernel->solver = std::string("ConvDirectNaiveConvFwd");
  CHECK(better_kernel(row) == "implicit_gemm");
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  const auto better = [&](double times) {
    row.measured_time_s = times * better_s * row.expected_uncertainty->factor_95;
    return better_time_s(row, context.kernel, CacheState::warm);
  };
  CHECK(better(1.1) == Approx(better_s));
  CHECK_FALSE(better(0.9));
}

TEST_CASE("No library chooses how to multiply matrices badly, as far as is known",
          "[results/library_choice]") {
  const std::string linear = R"("type": "linear", "input": [512, 512], "out_features": 512)";
  CHECK_FALSE(timed(linear, 5, "ConvDirectNaiveConvFwd").layers.front().better_time_s);
}

TEST_CASE("A planned FFT is no reproach", "[results/library_choice]") {
  LayerResult row = timed(convolution, 5, "ConvOclDirectFwd").layers.front();
  const Context context = make_context(find_gpu("v100").value(), {}).value();
  row.kernel->algorithm = Algorithm::winograd_4x4_nonfused;
  CHECK(better_time_s(row, context.kernel, CacheState::warm) == row.expected_time_s());
  row.kernel->algorithm = Algorithm::fft;
  CHECK_FALSE(better_time_s(row, context.kernel, CacheState::warm));
}
