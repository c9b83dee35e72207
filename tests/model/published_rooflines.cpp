// The figures of the texts that this program grew from, computed by hand from their inputs.

#include <cstdio>

#include "load/loading.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"

using namespace roofline;

namespace {

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

LayerResult only_layer(const std::string& network, const char* gpu,
                       const std::vector<std::string>& settings = {}) {
  const Result result =
      analyze(load_network(*find_network(network), network, {}).value(), gpu_with(gpu, settings));
  REQUIRE(result.layers.size() == 1);
  return result.layers.front();
}

}  // namespace

TEST_CASE("The V100 notebook's convolution", "[model/published_rooflines]") {
  const LayerResult row = only_layer("notebook_conv", "v100");
  CHECK(row.engine == Engine::fp32);
  CHECK(row.layer.output == Shape{1, 64, {1, 256, 256}, 2});
  CHECK(row.counts.macs == 314'572'800);
  CHECK(row.counts.flops == 629'145'600);
  CHECK(row.counts.bytes.input == 256 * 256 * 3 * 4);
  CHECK(row.counts.bytes.weight == 5 * 5 * 3 * 64 * 4);
  CHECK(row.counts.bytes.output == 256 * 256 * 64 * 4);
  CHECK(row.counts.bytes.total == 17'582'848);
  CHECK(fixed(static_cast<double>(row.counts.bytes.total) / 1024 / 1024, 15) ==
        "16.768310546875000");
  CHECK(fixed(*row.point.intensity_flop_per_byte, 2) == "35.78");
  CHECK(fixed(row.point.ridge_flop_per_byte, 1) == "17.4");
  CHECK(row.point.bound == Bound::compute);
  CHECK(fixed(row.point.roofline_time_s * 1e6, 2) == "40.07");
  CHECK(*row.point.attainable_flop_per_s == Approx(15.7e12));
}

TEST_CASE("The RTX 4090 note's convolution at its measured ceilings",
          "[model/published_rooflines]") {
  const LayerResult row =
      only_layer("trt_conv", "rtx4090", {"peak=78.65TFLOP/s", "bandwidth=920GB/s"});
  CHECK(row.counts.flops == 858'993'459'200);
  CHECK(row.point.bound == Bound::compute);
  CHECK(fixed(row.point.roofline_time_s * 1e3, 2) == "10.92");
}

TEST_CASE("The RTX 4090 note's matrix product at both its bandwidths",
          "[model/published_rooflines]") {
  const LayerResult measured =
      only_layer("trt_gemm", "rtx4090", {"peak=78.65TFLOP/s", "bandwidth=920GB/s"});
  CHECK(measured.counts.flops == 122'880'000);
  CHECK(measured.counts.bytes.total == 250'828'800);
  CHECK(measured.point.bound == Bound::memory);
  CHECK(fixed(measured.point.roofline_time_s * 1e6, 1) == "272.6");
  CHECK(fixed(measured.point.compute_time_s * 1e3, 5) == "0.00156");
  const LayerResult datasheet =
      only_layer("trt_gemm", "rtx4090", {"peak=78.65TFLOP/s", "bandwidth=1010GB/s"});
  CHECK(fixed(datasheet.point.roofline_time_s * 1e6, 1) == "248.3");
}

TEST_CASE("The course networks' shapes", "[model/published_rooflines]") {
  struct Course {
    const char* network;
    std::uint64_t first, first_channels, pooled, second, second_channels;
    std::uint64_t macs;  ///< an image, both convolutions
  };
  // 60*60*6*25 + 26*26*16*25*6 and so on.
  const Course table[] = {
      {"course_2018_spring", 60, 6, 30, 26, 16, 540'000 + 1'622'400},
      {"course_2018_fall", 66, 12, 33, 27, 24, 2'561'328 + 10'287'648},
      {"course_2019_spring", 44, 6, 22, 18, 16, 290'400 + 777'600},
      {"course_2019_fall", 66, 12, 33, 29, 24, 1'306'800 + 6'055'200},
  };
  for (const Course& course : table) {
    INFO(course.network);
    const Network network = load_network(*find_network(course.network), course.network, {}).value();
    REQUIRE(network.layers.size() == 3);
    const std::uint64_t images = network.layers[0].output.batch;
    CHECK(network.layers[0].output ==
          Shape{images, course.first_channels, {1, course.first, course.first}, 2});
    CHECK(network.layers[1].output ==
          Shape{images, course.first_channels, {1, course.pooled, course.pooled}, 2});
    CHECK(network.layers[2].output ==
          Shape{images, course.second_channels, {1, course.second, course.second}, 2});
    CHECK(count(network.layers[0]).macs + count(network.layers[2]).macs == images * course.macs);
    CHECK(images == 10'000);
  }
}

TEST_CASE("AlexNet's convolutions grow with the batch and its weights do not",
          "[model/published_rooflines]") {
  const auto alexnet = [](std::uint64_t batch) {
    return analyze(load_network(*find_network("alexnet"), "alexnet", at_batch(batch)).value(),
                   find_gpu("v100").value(), {});
  };
  const Result one = alexnet(1), many = alexnet(1024);
  CHECK(many.total.macs == 1024 * one.total.macs);
  CHECK(many.total.params == one.total.params);
  CHECK(many.total.bytes.weight == one.total.bytes.weight);
  CHECK(many.total.bytes.input == 1024 * one.total.bytes.input);
  CHECK(many.total.bytes.output == 1024 * one.total.bytes.output);
}
