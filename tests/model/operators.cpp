// Counts an operator, as a survey of theoretical performance tabulates them.

#include "load/loading.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

constexpr std::uint64_t H = 14, W = 10, C = 6;

std::uint64_t flops_of(const std::string& type) {
  return count(load_layer("{\"type\": \"" + type + "\", \"input\": [6, 14, 10]}")).flops;
}

}  // namespace

TEST_CASE("Contractions: the survey's multiply-adds", "[model/operators]") {
  struct Case {
    const char* text;
    std::uint64_t macs;
  };
  // Conv K*K*Cin*Cout*Hout*Wout, depthwise K*K*Cin*Hout*Wout, fully connected I*J.
  const Case table[] = {
      {R"({"input": [6, 14, 10], "out_channels": 5, "kernel_size": 3})", 3 * 3 * C * 5 * 12 * 8},
      {R"({"input": [6, 14, 10], "out_channels": 5, "kernel_size": 3, "padding": 1, "stride": 2})",
       3 * 3 * C * 5 * 7 * 5},
      {R"({"input": [6, 14, 10], "out_channels": 6, "kernel_size": 3, "depthwise": true})",
       3 * 3 * C * 12 * 8},
      {R"({"input": [6, 14, 10], "out_channels": 6, "kernel_size": 5, "groups": 3})",
       5 * 5 * (C / 3) * 6 * 10 * 6},
      {R"({"type": "linear", "in_features": 100, "out_features": 30})", 100 * 30},
      {R"({"type": "linear", "in_features": 100, "out_features": 30, "batch": 7})", 7 * 100 * 30},
      {R"({"type": "linear", "input": [7, 11, 100], "out_features": 30})", 7 * 11 * 100 * 30},
      {R"({"type": "matmul", "m": 20, "n": 30, "k": 40, "batch": 5})", 5 * 20 * 30 * 40},
      {R"({"type": "conv_transpose", "input": [6, 4, 4], "out_channels": 5, "kernel_size": 2,
           "stride": 2})",
       2 * 2 * C * 5 * 4 * 4},
  };
  for (const Case& each : table) {
    INFO(each.text);
    const Counts counts = count(load_layer(each.text));
    CHECK(counts.macs == each.macs);
    CHECK(counts.flops == 2 * each.macs);
  }
}

TEST_CASE("Other kinds: the survey's operations an element", "[model/operators]") {
  CHECK(flops_of("relu") == H * W * C);
  CHECK(flops_of("sigmoid") == 4 * H * W * C);
  CHECK(flops_of("global_avg_pool") == H * W * C);
  const Counts max_pool =
      count(load_layer(R"({"type": "max_pool", "input": [6, 14, 10], "kernel_size": 2})"));
  CHECK(max_pool.flops == H * W * C);  // Hin * Win * Cin
  const Counts avg_pool =
      count(load_layer(R"({"type": "avg_pool", "input": [6, 14, 10], "kernel_size": 2})"));
  CHECK(avg_pool.flops == H * W * C);
  CHECK(flops_of("batch_norm") == 2 * H * W * C);
  CHECK(flops_of("flatten") == 0);
  CHECK(count(load_layer(R"({"type": "add", "inputs": [[6, 14, 10], [6, 14, 10]]})")).flops ==
        H * W * C);
  CHECK(count(load_layer(R"({"type": "concat", "inputs": [[6, 14, 10], [2, 14, 10]]})")).flops ==
        0);
}

TEST_CASE("What does not multiply-add has no MACs", "[model/operators]") {
  for (const char* type :
       {"batch_norm", "layer_norm", "relu", "relu6", "leaky_relu", "sigmoid", "hardsigmoid", "tanh",
        "silu", "hardswish", "gelu", "softmax", "global_avg_pool", "flatten"}) {
    INFO(type);
    CHECK(count(load_layer(std::string("{\"type\": \"") + type + "\", \"input\": [2, 6, 14, 10]}"))
              .macs == 0);
  }
}

TEST_CASE("Parameters a kind", "[model/operators]") {
  struct Case {
    const char* text;
    std::uint64_t params;
  };
  const Case table[] = {
      {R"({"input": [6, 14, 10], "out_channels": 5, "kernel_size": 3})", 6 * 5 * 9},
      {R"({"input": [6, 14, 10], "out_channels": 5, "kernel_size": 3, "bias": true})",
       6 * 5 * 9 + 5},
      {R"({"input": [6, 14, 10], "out_channels": 12, "kernel_size": 3, "groups": 3})", 2 * 12 * 9},
      {R"({"input": [6, 14, 10], "out_channels": 6, "kernel_size": [3, 5], "depthwise": true})",
       6 * 15},
      {R"({"type": "conv_transpose", "input": [6, 4, 4], "out_channels": 9, "kernel_size": 2,
           "groups": 3, "bias": true})",
       6 * 3 * 4 + 9},
      {R"({"type": "linear", "in_features": 100, "out_features": 30, "bias": true})",
       100 * 30 + 30},
      {R"({"type": "batch_norm", "input": [6, 14, 10]})", 2 * 6},
      {R"({"type": "layer_norm", "input": [2, 50, 96]})", 2 * 96},
      {R"({"type": "matmul", "m": 2, "n": 3, "k": 4})", 0},
      {R"({"type": "relu", "input": [6, 14, 10]})", 0},
      {R"({"type": "add", "inputs": [[6, 14, 10], {"parameter": [6, 1, 1]}]})", 6},
  };
  for (const Case& each : table) {
    INFO(each.text);
    CHECK(count(load_layer(each.text)).params == each.params);
  }
}
