// The roofline itself: which side of the ridge, and how long.

#include "load/loading.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

Counts counts_of(std::uint64_t flops, std::uint64_t bytes) {
  Counts counts;
  counts.flops = flops;
  counts.bytes.total = bytes;
  return counts;
}

Result on_v100(const std::string& text, const std::vector<std::string>& settings = {}) {
  return analyze(load_text(text), gpu_with("v100", settings));
}

}  // namespace

TEST_CASE("Left of, at and right of the ridge", "[model/roofline_point]") {
  const double peak = 1000, bandwidth = 100;  // ridge 10 FLOP/B
  const RooflinePoint left = evaluate(counts_of(500, 100), peak, bandwidth);
  CHECK(left.bound == Bound::memory);
  CHECK(*left.intensity_flop_per_byte == 5);
  CHECK(left.ridge_flop_per_byte == 10);
  CHECK(left.compute_time_s == 0.5);
  CHECK(left.memory_time_s == 1);
  CHECK(left.roofline_time_s == 1);
  CHECK(*left.attainable_flop_per_s == 500);

  const RooflinePoint at = evaluate(counts_of(1000, 100), peak, bandwidth);
  CHECK(at.bound == Bound::compute);
  CHECK(at.compute_time_s == at.memory_time_s);
  CHECK(*at.attainable_flop_per_s == 1000);

  const RooflinePoint right = evaluate(counts_of(4000, 100), peak, bandwidth);
  CHECK(right.bound == Bound::compute);
  CHECK(right.roofline_time_s == 4);
  CHECK(*right.attainable_flop_per_s == 1000);
}

TEST_CASE("A layer that moves or computes nothing", "[model/roofline_point]") {
  const RooflinePoint nothing = evaluate(counts_of(0, 0), 1000, 100);
  CHECK(nothing.roofline_time_s == 0);
  CHECK_FALSE(nothing.intensity_flop_per_byte);
  CHECK_FALSE(nothing.attainable_flop_per_s);
  const RooflinePoint copy = evaluate(counts_of(0, 100), 1000, 100);
  CHECK(copy.bound == Bound::memory);
  CHECK(copy.roofline_time_s == 1);
  CHECK(*copy.intensity_flop_per_byte == 0);
  CHECK(*copy.attainable_flop_per_s == 0);
}

TEST_CASE("Totals add up over layers and their copies", "[model/roofline_point]") {
  const Result result = on_v100(
      R"([{"input": [3, 8, 8], "out_channels": 4, "kernel_size": 3, "repeat": 5},
          {"type": "relu"}, {"type": "flatten"}, {"type": "linear", "out_features": 10}])");
  REQUIRE(result.layers.size() == 8);
  const std::uint64_t conv_macs = 3 * 4 * 9 * 36, linear_macs = 144 * 10;
  CHECK(result.total.macs == 5 * conv_macs + linear_macs);
  CHECK(result.total.flops == 2 * (5 * conv_macs + linear_macs) + 144);
  CHECK(result.total.params == 5 * 108 + 1440);
  CHECK(result.total.bytes.total == 4 * (5 * (192 + 108 + 144) + (144 + 144) + (144 + 1440 + 10)));
  double time = 0, share = 0;
  for (const LayerResult& row : result.layers) {
    time += row.point.roofline_time_s;
    share += *row.time_share;
  }
  CHECK(result.total.roofline_time_s == Approx(time));
  CHECK(share == Approx(1));
}

TEST_CASE("The measured total is known where every layer is measured", "[model/roofline_point]") {
  CHECK_FALSE(
      on_v100(
          R"([{"type": "relu", "input": [8], "measured_us": 3, "gpu": "v100"}, {"type": "relu"}])")
          .total.measured_time_s);
  CHECK(*on_v100(R"({"gpu": "v100", "layers": [
                     {"type": "relu", "input": [8], "measured_us": 3, "repeat": 4},
                     {"type": "relu", "measured_ms": 1}]})")
             .total.measured_time_s == Approx(1.012e-3));
}

TEST_CASE("What is set replaces the engine's peak and the GPU's bandwidth",
          "[model/roofline_point]") {
  const std::string text =
      R"([{"input": [64, 64, 64], "out_channels": 64, "kernel_size": 3, "dtype": "fp16"},
          {"type": "relu", "dtype": "fp16"}])";
  const Result plain = on_v100(text);
  CHECK(plain.bounds.main_engine == Engine::fp16_tensor);
  CHECK(plain.bounds.ceilings->kind == CeilingKind::datasheet);
  const Result stated = on_v100(text, {"fp16_tensor=50TFLOP/s", "bandwidth=450GB/s"});
  CHECK(stated.bounds.ceilings->kind == CeilingKind::datasheet);
  CHECK(stated.layers[0].point.ridge_flop_per_byte == Approx(50e12 / 450e9));
  CHECK(stated.layers[0].point.compute_time_s ==
        Approx(2.5 * plain.layers[0].point.compute_time_s));
  CHECK(stated.layers[1].point.compute_time_s ==
        Approx(plain.layers[1].point.compute_time_s));  // on the vector units, not stated
  CHECK(stated.layers[1].point.memory_time_s == Approx(2 * plain.layers[1].point.memory_time_s));
}

TEST_CASE("What layers share is stated, what differs is absent", "[model/roofline_point]") {
  const Result same = on_v100(R"([{"type": "relu", "input": [2, 8]}, {"type": "relu"}])");
  CHECK(same.setting.dtype == DataType::fp32);
  CHECK(same.setting.batch == 2U);
  CHECK(same.setting.pass == Pass::fwd);
  const Result mixed = on_v100(
      R"([{"type": "relu", "input": [2, 8]}, {"type": "relu", "input": [3, 8], "dtype": "fp16",
           "pass": "dgrad"}])");
  CHECK_FALSE(mixed.setting.dtype);
  CHECK_FALSE(mixed.setting.batch);
  CHECK_FALSE(mixed.setting.pass);
}
