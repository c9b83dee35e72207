// Counts by hand: LSTM, GRU and RNN as torch.nn has them and the chain of their steps, kernels
// known by their FLOP and bytes, pools.

#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"
#include "roofline/roofline_point.hpp"

using namespace roofline;

namespace {

Layer layer_of(const std::string& text) { return load_text(text).layers.front(); }

double expected_time_s(const std::string& text) {
  const auto context = make_context(*find_gpu("h100"), {});
  return *evaluate(load_text(text), *context)->total.expected_time_s;
}

}  // namespace

TEST_CASE("Recurrent layers count their products", "[model/stated_work]") {
  struct Case {
    std::string layer;
    std::uint64_t macs;
    std::uint64_t params;  ///< as sum(p.numel() for p in module.parameters())
    std::uint64_t features;
  };
  const std::vector<Case> cases{
      // 3 samples x 10 steps x 4 gates x 20 x (5 + 20)
      {R"({"type": "lstm", "input": [3, 10, 5], "hidden_size": 20})", 60000, 2000, 20},
      {R"({"type": "LSTM", "input": [3, 10, 5], "hidden_size": 20, "bias": true})", 60000, 2160,
       20},
      // above them a second layer: 4 x 20 x (20 + 20)
      {R"({"type": "nn.LSTM", "input": [3, 10, 5], "hidden_size": 20, "num_layers": 2})", 156000,
       5200, 20},
      // both directions: 2 x 3 x 20 x (5 + 20), then 2 x 3 x 20 x (40 + 20)
      {R"({"type": "gru", "input": [3, 10, 5], "hidden_size": 20, "num_layers": 2,
           "bidirectional": true})",
       306000, 10200, 40},
      {R"({"type": "SimpleRNN", "input": [3, 10, 5], "units": 20})", 15000, 500, 20},
      // as torch.nn states it without batch_first: [steps, N, features]
      {R"({"type": "rnn", "input": [10, 3, 5], "input_size": 5, "hidden_size": 20,
           "batch_first": false})",
       15000, 500, 20},
  };
  for (const Case& each : cases) {
    INFO(each.layer);
    const Layer layer = layer_of(each.layer);
    const Counts counts = count(layer);
    CHECK(counts.macs == each.macs);
    CHECK(counts.flops == 2 * each.macs);
    CHECK(counts.params == each.params);
    CHECK(layer.output.channels == each.features);
    CHECK(layer.output.batch == 3);
    CHECK(layer.output.spatial[2] == 10);
    CHECK(counts.bytes.input == 4 * 3 * 10 * 5);
    CHECK(counts.bytes.output == 4 * 3 * 10 * each.features);
  }
}

TEST_CASE("Steps wait for each other, samples do not", "[model/stated_work]") {
  const auto text = [](int samples, int steps) {
    return R"({"type": "lstm", "dtype": "fp16", "hidden_size": 256, "input": [)" +
           std::to_string(samples) + "," + std::to_string(steps) + ",256]}";
  };
  const double of_one_s = expected_time_s(text(32, 50));
  CHECK(expected_time_s(text(32, 100)) > 1.9 * of_one_s);
  CHECK(expected_time_s(text(64, 50)) < 1.3 * of_one_s);
}

/// Replayed as CUDA graphs on an H100 (PyTorch 2.11, cuDNN 9.19).
TEST_CASE("A recurrent layer takes as long as its chain", "[model/stated_work]") {
  struct Case {
    std::string layer, type;
    double measured_us;
  };
  const std::vector<Case> cases{
      // two kernels a step, of one direction and of two side by side
      {R"("lstm", "input": [1, 50, 512], "hidden_size": 512)", "fp16", 289},
      {R"("gru", "input": [64, 50, 512], "hidden_size": 512)", "fp16", 310},
      {R"("lstm", "input": [64, 50, 512], "hidden_size": 512, "bidirectional": true)", "fp16", 544},
      {R"("lstm", "input": [64, 81, 512], "hidden_size": 256, "num_layers": 2,
          "bidirectional": true)",
       "fp16", 1118},
      // weights of two layers that do not stay in L2
      {R"("lstm", "input": [1, 50, 2048], "hidden_size": 2048, "num_layers": 2)", "fp16", 1500},
      // one kernel of all steps, whose blocks share the weights or have them all
      {R"("lstm", "input": [64, 50, 512], "hidden_size": 512)", "fp16", 268},
      {R"("lstm", "input": [64, 50, 128], "hidden_size": 128)", "fp32", 158},
      {R"("lstm", "input": [32, 1000, 128], "hidden_size": 128)", "fp16", 1508},
  };
  for (const Case& each : cases) {
    INFO(each.layer << " in " << each.type);
    const double time_us =
        1e6 * expected_time_s(R"({"dtype": ")" + each.type + R"(", "type": )" + each.layer + "}");
    CHECK(time_us > each.measured_us / 1.35);
    CHECK(time_us < each.measured_us * 1.35);
  }
}

TEST_CASE("What a recurrent layer lacks is named", "[model/stated_work]") {
  check_messages({
      {R"({"type": "lstm", "input": [3, 10, 5]})",
       "/hidden_size: expected an integer >= 1, got nothing"},
      {R"({"type": "lstm", "input": [3, 10, 5], "input_size": 6, "hidden_size": 2})",
       "/input_size: expected 5, the features of a step, got 6"},
      {R"({"type": "lstm", "input": {"shape": [3, 10, 5, 7]}, "hidden_size": 2})",
       "/input: expected [N, steps, features], got [3, 7, 10, 5]"},
  });
}

TEST_CASE("A deformable convolution counts its taps' places", "[model/stated_work]") {
  // 2 images x 25 positions: 9 taps x 4 channels x 8 results, and 9 x 4 places of 4 multiply-adds.
  const Layer layer = layer_of(R"({"type": "deform_conv", "padding": 1, "kernel_size": 3,
      "out_channels": 8, "inputs": [[2, 4, 5, 5], [2, 18, 5, 5], [2, 9, 5, 5]], "bias": true})");
  const Counts counts = count(layer);
  CHECK(counts.macs == 50 * (288 + 144));
  CHECK(counts.flops == 2 * counts.macs);
  CHECK(counts.params == 288 + 8);
  CHECK(counts.bytes.input == 4 * (200 + 900 + 450));
  CHECK(counts.bytes.weight == 4 * 296);
  CHECK(counts.bytes.output == 4 * 400);
  const auto with_inputs = [](const std::string& inputs) {
    return R"({"type": "DeformConv2d", "padding": 1, "kernel_size": 3, "out_channels": 8,
               "inputs": )" +
           inputs + "}";
  };
  check_messages({
      {with_inputs("[[2, 4, 5, 5]]"),
       "/inputs: expected two or three operands, images, offsets and maybe a mask, each [N, "
       "channels, height, width], got 1"},
      {with_inputs("[[2, 4, 5, 5], [2, 9, 5, 5]]"),
       "/inputs/1: expected offsets with two channels for each of 9 taps, in groups that divide "
       "the images' 4 channels, got 9"},
      {with_inputs("[[2, 4, 5, 5], [2, 18, 4, 5]]"),
       "/inputs/1: expected [2, 18, 5, 5], a place of each tap for each of the result's positions, "
       "got [2, 18, 4, 5]"},
      {with_inputs("[[2, 4, 5, 5], [2, 36, 5, 5], [2, 9, 5, 5]]"),
       "/inputs/2: expected [2, 18, 5, 5], a place of each tap for each of the result's positions, "
       "got [2, 9, 5, 5]"},
  });
}

/// Added up from kernels that PyTorch's profiler recorded on an H100 (torchvision 0.26).
TEST_CASE("A deformable convolution takes as long as torchvision's kernels",
          "[model/stated_work]") {
  struct Case {
    std::string type, inputs, channels;
    double measured_us;
  };
  const std::vector<Case> cases{
      {"fp16", "[[8, 64, 56, 56], [8, 18, 56, 56], [8, 9, 56, 56]]", "64", 117},
      {"fp16", "[[8, 256, 14, 14], [8, 18, 14, 14], [8, 9, 14, 14]]", "256", 41.5},
      {"fp32", "[[8, 128, 28, 28], [8, 18, 28, 28], [8, 9, 28, 28]]", "128", 112},
      {"fp32", "[[80, 64, 28, 28], [80, 18, 28, 28], [80, 9, 28, 28]]", "64", 366.5},
  };
  for (const Case& each : cases) {
    INFO(each.type << " " << each.inputs);
    const double time_us = 1e6 * expected_time_s(R"({"type": "deform_conv", "dtype": ")" +
                                                 each.type + R"(", "inputs": )" + each.inputs +
                                                 R"(, "kernel_size": 3, "padding": 1,
                                                     "out_channels": )" +
                                                 each.channels + "}");
    CHECK(time_us > each.measured_us / 1.3);
    CHECK(time_us < each.measured_us * 1.3);
  }
}

TEST_CASE("A kernel known by its FLOP and bytes stands on the roofline", "[model/stated_work]") {
  const Layer layer = layer_of(R"({"type": "other", "flops": 2e9, "bytes": 24000000})");
  const Counts counts = count(layer);
  CHECK(counts.flops == 2'000'000'000);
  CHECK(counts.bytes.total == 24'000'000);
  CHECK_FALSE(counts.is_upper_estimate);
  // An A100's 19.49 TFLOP/s over 2.039 TB/s: compute bound from 9.56 FLOP/B.
  CHECK(*evaluate(counts, 19.49e12, 2.039e12).intensity_flop_per_byte ==
        Approx(83.333).epsilon(1e-4));
  check_messages({
      {R"({"type": "other", "flops": 5})",
       "/bytes: expected an integer >= 1, all that is read and written, beside flops, got nothing"},
  });
}

TEST_CASE("A pool counts a FLOP a tap of each result", "[model/stated_work]") {
  // 3x3 over 64x56x56 with stride 1: 9 FLOP for 2 + 2 byte.
  const Layer layer = layer_of(
      R"({"type": "max_pool", "dtype": "fp16", "input": [64, 56, 56], "kernel_size": 3,
          "stride": 1, "padding": 1})");
  CHECK(count(layer).flops == 9 * 64 * 56 * 56);
  CHECK(*evaluate(count(layer), 1e12, 1e12).intensity_flop_per_byte == Approx(2.25));
  // Each element of a whole image is one tap.
  CHECK(count(layer_of(R"({"type": "global_avg_pool", "input": [64, 7, 7]})")).flops == 64 * 49);
}
