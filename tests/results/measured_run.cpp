// What a measured time is held against, and what stands between it and its bound.

#include "load/loading.hpp"
#include "model/recording.hpp"
#include "report/golden.hpp"
#include "results/steps.hpp"

using namespace roofline;

TEST_CASE("A time that only a cache allows is impossible where caches are cold",
          "[results/measured_run]") {
  // 4.2 MB at 1.5 TB/s take 2.8 us, and 2.54 us from memory that is a tenth faster.
  const std::string layer = R"({"type": "relu", "input": [1, 128, 64, 64], "gpu": "Frozen 100", )";
  AnalysisOptions cold;
  cold.cache = CacheState::cold;
  const auto why = [&](const std::string& time, const AnalysisOptions& options) {
    return evaluate(load_text(layer + time + "}"), frozen_context(options))
        .value()
        .layers[0]
        .below_bound;
  };
  CHECK(why(R"("measured_cold_us": 2)", cold) == BelowBound::impossible);
  CHECK(why(R"("measured_cold_us": 2.6)", cold) == BelowBound::ceilings_too_low);
  CHECK(why(R"("measured_us": 2)", {}) == BelowBound::in_l2);
}

TEST_CASE("A time is impossible below what the fastest engine and the best algorithm allow",
          "[results/measured_run]") {
  struct Case {
    const char* gpu;
    const char* layer;
    const char* time;
    std::optional<BelowBound> reason;
  };
  // Two layers of a table of 2015, by FFT.
  const char* const conv2 =
      R"("batch": 128, "input": [64, 64, 64], "k": 128, "kernel_size": 9, "layout": "nchw")";
  const char* const conv3 =
      R"("batch": 128, "input": [128, 32, 32], "k": 128, "kernel_size": 9, "layout": "nchw")";
  const char* const conv7 =
      R"("batch": 60, "input": [393, 25, 25], "k": 252, "kernel_size": 7, "padding": 3)";
  const char* const tf32 = R"("type": "conv1d", "batch": 4, "input": [65, 128], "k": 1280,
      "kernel_size": 5, "padding": 2, "dtype": "tf32", "layout": "nchw")";
  for (const Case& each : {
           Case{"gtx-titan-x", conv2, "13750", BelowBound::fewer_macs},
           {"gtx-titan-x", conv2, "300", BelowBound::impossible},
           {"gtx-titan-x", conv3, "5560", BelowBound::fewer_macs},
           {"v100", conv7, "3591", BelowBound::fewer_macs},
           {"v100", conv7, "500", BelowBound::impossible},
           // 426 MFLOP at 653.7 TFLOP/s take 0.65 us, 4.4 MB 0.83 us.
           {"mi300x", tf32, "1.5", std::nullopt},
           {"mi300x", tf32, "0.7", BelowBound::in_l2},
           {"mi300x", tf32, "0.1", BelowBound::impossible},
       }) {
    INFO(each.gpu << ' ' << each.layer << ' ' << each.time);
    const std::string text = std::string("{") + each.layer + R"(, "gpu": ")" + each.gpu +
                             R"(", "measured_us": )" + each.time + "}";
    CHECK(analyze(load_text(text), find_gpu(each.gpu).value()).layers[0].below_bound ==
          each.reason);
  }
}

TEST_CASE("The ten layers that lose most are listed", "[results/measured_run]") {
  std::string layers;
  for (int i = 1; i <= 12; ++i)
    layers += (i == 1 ? "" : ",") + (R"({"type": "relu", "input": [)" + std::to_string(i)) +
              R"(, 64, 56, 56], "gpu": "Frozen 100", "measured_us": )" + std::to_string(1000 + i) +
              "}";
  const Result result = evaluate(load_text("[" + layers + "]"), frozen_context()).value();
  CHECK(result.measured.summary->rows == 12);
  CHECK(result.measured.summary->most_lost.size() == 10);
}

TEST_CASE("Why a layer loses time is the largest of rate, part and what is not explained",
          "[results/measured_run]") {
  const Context context = frozen_context();
  Result result = evaluate(load_text(R"({"input": [32, 64, 56, 56], "k": 64, "kernel_size": 3,
      "gpu": "Frozen 100", "measured_us": 1000})"),
                           context)
                      .value();
  result.measured.recording = std::make_shared<const TraceSummary>();
  LayerResult& row = result.layers[0];
  row.expected_uncertainty = Uncertainty{1, 1.001, UncertaintyBasis::measured};
  const double bound_s = row.point.roofline_time_s;
  const auto why = [&](double rate_us, double launch_us, double unexplained_us) {
    row.kernel->part_s = {};
    row.kernel->part_s[Limiter::math] = bound_s + rate_us * 1e-6;
    row.kernel->part_s[Limiter::launch] = launch_us * 1e-6;
    row.measured_time_s = *row.expected_time_s() + unexplained_us * 1e-6;
    return measured_summary(result, context)->most_lost.at(0).why;
  };
  CHECK(why(60, 10, 30) == "the practical rate is below the peak");
  CHECK(why(10, 60, 30) == "mostly starting kernels");
  CHECK(why(10, 20, 30) == "slower than a library's kernel should be");
  // One of twenty such kernels takes as long.
  row.expected_uncertainty->factor_95 = 4;
  CHECK(why(10, 20, 30) == "mostly starting kernels");
}
