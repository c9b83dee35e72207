// The same work in several ways: what an image takes, costs and needs; from which batch on compute
// binds.

#include "load/loading.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/report.hpp"

namespace {

using namespace roofline;

/// fp32 peak 10 TFLOP/s, 1 TB/s: a ridge of 10 FLOP/B. 360 W.
Gpu plain_gpu(const std::string& name) {
  return load_gpu(R"({"name": ")" + name + R"(", "peak_tflops": {"fp32": 10},
                      "bandwidth_gb_per_s": 1000, "memory_gb": 1, "tdp_w": 360})",
                  "gpu.json")
      .value();
}

const std::string one_conv =
    R"({"name": "net", "layers": [{"type": "linear", "in_features": 1000, "out_features": 1000}]})";

Result at(const Gpu& gpu, std::uint64_t batch, const AnalysisOptions& options = {}) {
  return analyze(load_text(one_conv, at_batch(batch)), gpu, options);
}

}  // namespace

TEST_CASE("The crossover batch is the first that compute binds", "[model/points]") {
  const Gpu gpu = plain_gpu("a");
  // 2e6 b FLOP over 4 x (1e6 + 2000 b) bytes is 10 FLOP/B where 2e6 b = 4e7 + 8e4 b: b = 20.83.
  CHECK(crossover_batch(at(gpu, 1).layers.front()) == 21);
  CHECK(crossover_batch(at(gpu, 64).layers.front()) == 21);
  CHECK(at(gpu, 20).layers.front().point.bound == Bound::memory);
  CHECK(at(gpu, 21).layers.front().point.bound == Bound::compute);
  const auto crossover = [&](const std::string& text) {
    return crossover_batch(analyze(load_text(text), gpu).layers.front());
  };
  CHECK(crossover(R"({"type": "relu", "input": [64, 8, 8]})") == std::nullopt);
  CHECK(crossover(R"({"type": "flatten", "input": [64, 8, 8]})") == std::nullopt);
  // Products of matrices: their number changes nothing.
  CHECK(crossover(R"({"type": "matmul", "m": 8, "n": 8, "k": 8})") == std::nullopt);
  CHECK(crossover(R"({"type": "matmul", "m": 512, "n": 512, "k": 512})") == 1);
}

TEST_CASE("The crossover agrees with trying every batch", "[model/points]") {
  const Gpu gpu = plain_gpu("a");
  for (const char* layer :
       {R"({"input": [64, 7, 7], "out_channels": 512, "kernel_size": 3})",
        R"({"input": [512, 7, 7], "out_channels": 16, "kernel_size": 1})",
        R"({"type": "linear", "in_features": 100, "out_features": 4000, "bias": true})"}) {
    INFO(layer);
    std::optional<std::uint64_t> first;
    for (std::uint64_t batch = 1; batch <= 200 && !first; ++batch)
      if (analyze(load_text(layer, at_batch(batch)), gpu).layers.front().point.bound ==
          Bound::compute)
        first = batch;
    CHECK(crossover_batch(analyze(load_text(layer, at_batch(7)), gpu).layers.front()) == first);
  }
}

TEST_CASE("Points say what an image takes and costs", "[model/points]") {
  const Gpu a = plain_gpu("a");
  const Gpu b = plain_gpu("b");
  const std::vector<Result> results{at(a, 1), at(b, 1), at(a, 64), at(b, 64), at(a, 64)};
  const std::vector<PointTable> tables = points_of(results, {{"b", 7.2}});
  REQUIRE(tables.size() == 1);
  const std::vector<OperatingPoint>& points = tables.front().points;
  REQUIRE(points.size() == 4);  // the repeat is left out
  CHECK(points[1].gpu == "a");  // by GPU, then by batch
  CHECK(*points[1].batch == 64);
  const double image_s = points[1].time_s / 64;
  CHECK(*points[1].time_per_image_s == Approx(image_s));
  CHECK(*points[1].images_per_s == Approx(1 / image_s));
  CHECK(*points[1].energy_per_image_j == Approx(360 * image_s));
  CHECK(points[1].speedup == Approx(points[0].time_s / image_s));
  CHECK_FALSE(points[1].cost_per_million_images);
  // 7.2 an hour is 0.002 a second.
  CHECK(*points[3].cost_per_million_images == Approx(0.002 * 1e6 * image_s));
  CHECK(tables.front().best == 1);
  CHECK(tables.front().cheapest == 3);
  REQUIRE(tables.front().compute_bound_from.size() == 2);
  CHECK(tables.front().compute_bound_from[0].batch == 64);
}

TEST_CASE("What does not fit is never best", "[model/points]") {
  Gpu gpu = plain_gpu("a");
  gpu.memory_byte = 5'000'000;  // 4 MB of weights, 8 kB an image
  const std::vector<Result> results{at(gpu, 1), at(gpu, 1024)};
  const std::vector<PointTable> tables = points_of(results, {});
  CHECK(tables.front().points[1].fits == false);
  CHECK(tables.front().best == 0);
}

TEST_CASE("An optimiser keeps numbers of each weight", "[model/points]") {
  const Gpu gpu = plain_gpu("a");
  const auto needed = [&](Optimizer optimizer) {
    AnalysisOptions options;
    options.training = true;
    options.optimizer = optimizer;
    return *needed_memory_byte(at(gpu, 1, options));
  };
  CHECK(needed(Optimizer::momentum) == needed(Optimizer::sgd) + 4'000'000);
  CHECK(needed(Optimizer::adam) == needed(Optimizer::sgd) + 8'000'000);
}
