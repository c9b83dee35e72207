// What an eager operator takes the host, and where the GPU waits for it.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "load/loading.hpp"
#include "measured_rows.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

namespace host_time {

using namespace roofline;

/// What each row waits for a host that takes a second for a convolution, to a thousandth: beside
/// that no kernel counts.
std::map<std::string, double> shares(const std::string& layers, AnalysisOptions options,
                                     const LayerDefaults& defaults = {}) {
  Gpu gpu = find_gpu("h100").value();
  gpu.host_operator_s = 1;
  std::map<std::string, double> shares;
  for (const LayerResult& row : analyze(load_text(layers, defaults), gpu, options).layers)
    shares[row.layer.name + "." + std::string(name_of(row.layer.pass))] =
        std::round(*row.expected_time_s() * 1e3) / 1e3;
  return shares;
}

double share(const std::string& layer) {
  return shares("[" + layer + "]", options_of(Framework::pytorch)).begin()->second;
}

// Host time of operators on tiny tensors beside an H100 (PyTorch 2.11), microseconds in fp16 and
// fp32, called as functions: a layer of a network has some 5 us of the interpreter's beside it.
TEST_CASE("Kinds of operators take the host as long as measured", "[results/host_time]") {
  struct Timed {
    const char* layer;
    double fp16_us;
    double fp32_us;
  };
  constexpr double interpreter_us = 5;
  constexpr Timed convolution{"", 19.13, 16.25};
  const std::string of_channels = R"("input": [2, 16, 8, 8]})";
  for (const Timed& timed : {
           Timed{R"({"type": "relu", )", 12.91, 7.98},
           Timed{R"({"type": "sigmoid", )", 11.14, 7.25},
           Timed{R"({"type": "batch_norm", )", 35.96, 18.61},
           Timed{R"({"type": "group_norm", "groups": 4, )", 45.61, 37.46},
           Timed{R"({"type": "instance_norm", )", 42.79, 36.46},
           Timed{R"({"type": "softmax", )", 11.53, 10.39},
           Timed{R"({"type": "prelu", )", 15.98, 9.51},
           Timed{R"({"type": "max_pool", "kernel_size": 2, )", 14.39, 14.21},
           Timed{R"({"type": "avg_pool", "kernel_size": 2, )", 10.78, 12.02},
           Timed{R"({"type": "global_avg_pool", )", 14.31, 16.95},
           Timed{R"({"type": "upsample", "scale_factor": 2, )", 15.18, 11.53},
           Timed{R"({"type": "linear", "out_features": 16, )", 25.07, 31.66},
       }) {
    INFO(timed.layer);
    const auto measured = [&](double Timed::*us) {
      return (timed.*us + interpreter_us) / (convolution.*us + interpreter_us);
    };
    const double mean = std::sqrt(measured(&Timed::fp16_us) * measured(&Timed::fp32_us));
    const double expected = std::string(timed.layer).find("linear") == std::string::npos
                                ? share(timed.layer + of_channels)
                                : share(timed.layer + std::string(R"("input": [2, 8, 16]})"));
    CAPTURE(mean, expected);
    CHECK(expected < mean * 1.25);
    CHECK(expected > mean / 1.25);
  }
}

TEST_CASE("A kernel that an operator launches beside its own takes the host a part of one",
          "[results/host_time]") {
  const std::map<std::string, double> of = shares(R"([
      {"name": "conv", "type": "conv", "input": [1, 8, 16, 16], "out_channels": 8,
       "kernel_size": 3, "bias": true},
      {"name": "relu", "type": "relu"}])",
                                                  options_of(Framework::pytorch));
  CHECK(of.at("conv.fwd") == 1);
  CHECK(of.at("conv.bias.fwd") == 0.35);
  CHECK(of.at("relu.fwd") == 0.65);
}

TEST_CASE("A cast of autocast's is a part of an operator, in training a whole one",
          "[results/host_time]") {
  LayerDefaults defaults;
  defaults.autocast = DataType::amp;
  const std::string product =
      R"([{"name": "fc", "type": "linear", "input": [8, 64], "out_features": 64}])";
  AnalysisOptions options = options_of(Framework::pytorch);
  CHECK(shares(product, options, defaults).at("fc.input to fp16.fwd") == 0.35);
  options.training = true;
  CHECK(shares(product, options, defaults).at("fc.input to fp16.fwd") == 0.8);
}

// Recordings beside an H100: a copy, a kernel for deviations and one for the result.
TEST_CASE("A batch norm in 16 bits has two kernels more for its parameters",
          "[results/host_time]") {
  const auto of = [](const std::string& type, const std::string& layout) {
    return share(R"({"type": "batch_norm", "dtype": ")" + type + R"(", "layout": ")" + layout +
                 R"(", "input": [1, 8, 16, 16]})");
  };
  CHECK(of("fp32", "nhwc") == 1.1);
  CHECK(of("fp16", "nhwc") == 1.6);
  CHECK(of("fp16", "nchw") == 1.6);
}

TEST_CASE("The GPU starts on an operator's kernels while the host launches others",
          "[results/host_time]") {
  AnalysisOptions options;
  options.launch = LaunchProtocol::eager;
  Gpu gpu = find_gpu("h100").value();
  gpu.host_operator_s = 25e-6;
  const auto time_us = [&](const std::string& layers) {
    return 1e6 * *analyze(load_text(R"({"layers": [)" + layers + "]}"), gpu, options)
                      .total.expected_time_s;
  };
  const auto kernels_us = [&](const std::string& layer) {
    return 1e6 *
           *analyze(load_text(R"({"layers": [)" + layer + "]}"), gpu, {}).total.expected_time_s;
  };
  // 648 kernels of steps and four products of inputs: the host takes 25 us for the first and a
  // quarter of that for each other, and the GPU has run all but the last when it is launched.
  const std::string lstm =
      R"({"type": "lstm", "dtype": "fp16", "input": [64, 81, 512], "hidden_size": 256,
          "num_layers": 2, "bidirectional": true})";
  const double host_us = 25 + 651 * 6.25;
  CHECK(time_us(lstm) == Approx(host_us + kernels_us(lstm) / 652 + 1.5));
  // It launches them while the GPU runs what was before: of that the host's own time is left.
  const std::string relu = R"({"type": "relu", "dtype": "fp16", "input": [64, 64, 256, 256]})";
  const double before_us = kernels_us(relu);
  CHECK(before_us > 200);
  CHECK(time_us(relu) == Approx(0.65 * 25 + before_us + 1.5));
  CHECK(time_us(relu + "," + lstm) == Approx(time_us(lstm) + 0.65 * 25));
  // Where the GPU never waits, kernels follow each other 1.5 us later than in a graph.
  CHECK(time_us(relu + "," + relu + "," + relu) == Approx(0.65 * 25 + 3 * (before_us + 1.5)));
}

TEST_CASE("Eager steps of eight networks, measured on an H200", "[results/host_time]") {
  const Gpu gpu = find_gpu("h200").value();
  std::vector<TimedPair> pairs;
  std::size_t in_range = 0;
  for (const auto& of : measured_rows("h200_steps.tsv")) {
    const std::string& model = of.at("model");
    if (of.at("what") != "fwd" || of.at("pixels") != "224" || !find_network(model)) continue;
    LayerDefaults defaults;
    defaults.dtype = of.at("dtype") == "tf32" ? DataType::fp32 : *parse<DataType>(of.at("dtype"));
    defaults.batch_override = std::stoull(of.at("batch"));
    AnalysisOptions options = options_of(Framework::pytorch);
    options.layout = parse<Layout>(of.at("layout"));
    if (of.at("dtype") == "fp32") options.engine = EngineChoice::automatic;
    const Result result =
        analyze(load_network(*find_network(model), model, defaults).value(), gpu, options);
    pairs.push_back({std::stod(of.at("eager_us")) * 1e-6, *result.total.expected_time_s});
    const double error = std::fabs(std::log(pairs.back().predicted_s / pairs.back().measured_s));
    if (error <= std::log(result.total.expected_uncertainty->factor_95)) ++in_range;
  }
  REQUIRE(pairs.size() == 72);
  CHECK(model_error(pairs).geometric_error <= 1.095);
  CHECK(model_error(pairs).bias == Approx(1.04).margin(0.02));
  CHECK(in_range >= 69);  // 95 of 100
}

}  // namespace host_time
